package collect

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"krdlab/hw/failure"
	"krdlab/loi/front"
)

// An Image is a shared library of a native program, as the linker made it.
type Image struct {
	Program *Program // its variables and functions
	Code    Code     // numbers are those of its sites and regions behind those that were there before
	Sites   []front.Site
	Regions []front.Region
	Bytes   uint64 // of memory that it takes, from address 0 on
}

// Libraries reads shared libraries of a native program, which come while it runs.
type Libraries interface {
	// Open reads a library's file, whose sites and regions follow so many others. Of a file that it was asked for
	// before it returns the same Image.
	Open(path string, sites, regions int) (*Image, error)
	// Grown is called when an image's sites and regions have been added to those of the reader.
	Grown(i *Image) error
	// Loaded is called when what the program did before a library was loaded has been handed on.
	Loaded(i *Image, base uint64)
	// Left is called for a library whose accesses are left alone.
	Left(path string, err error)
}

// Room for what comes with libraries: sites, and bytes of tables.
const (
	roomSites  = 1 << 16
	roomTables = 1 << 30
)

var errRoom = failure.New(failure.Capability, "there is no room for more code of libraries")

// A request is for a library, as krd_request in loi/native/c/krd.h.
type request struct {
	state, base                        uint64
	number, sitesAt, codeAt, codeBytes uint64
	path                               [2000]byte
}

const (
	requestAt = 2048
	asked     = 1
	answered  = 2
)

var _ [4096 - requestAt]byte = [unsafe.Sizeof(request{})]byte{}

// A load of an image has the number of its index, from 1.
type load struct {
	*Image
	base uint64
}

// answer reads the library that the program asks for, if it does, and makes its table.
func (m *Memory) answer(r *Reader) {
	q := (*request)(unsafe.Pointer(&m.bytes[requestAt]))
	if atomic.LoadUint64(&q.state) != asked {
		return
	}
	defer atomic.StoreUint64(&q.state, answered)
	q.number = 0
	path := string(q.path[:max(0, slices.Index(q.path[:], 0))])
	if r.Libraries == nil || !utf8.ValidString(path) {
		return
	}
	i, err := r.Libraries.Open(path, len(r.sites), len(r.Regions))
	if err == nil {
		err = m.table(i, r)
	}
	if err != nil {
		r.Libraries.Left(path, err)
		return
	}
	r.loads = append(r.loads, load{i, q.base})
	q.number, q.sitesAt, q.codeAt, q.codeBytes = uint64(len(r.loads)), m.tables[i], i.Code.At, i.Code.Bytes
}

// table makes that of an image which is new, and adds its sites to those of r.
func (m *Memory) table(i *Image, r *Reader) error {
	if m.tables[i] != 0 {
		return nil
	}
	bytes := (i.Code.Bytes*4 + 4095) &^ 4095
	if m.sites+len(i.Sites) > m.mostSites || m.tablesAt+bytes > uint64(len(m.bytes)) {
		return errRoom
	}
	m.fillTable(m.tablesAt, &i.Code)
	r.addSites(i.Sites)
	r.Regions = append(r.Regions[:len(r.Regions):len(r.Regions)], i.Regions...)
	m.sites += len(i.Sites)
	if err := r.Libraries.Grown(i); err != nil {
		return err
	}
	m.tables[i] = m.tablesAt
	m.tablesAt += bytes
	return nil
}

// fillTable writes the table of code at a place in the memory.
func (m *Memory) fillTable(at uint64, code *Code) {
	table := unsafe.Slice((*uint32)(unsafe.Pointer(&m.bytes[at])), code.Bytes)
	for pc, site := range code.Sites {
		table[pc-code.At] = site
	}
}

// addSites adds sites behind those that there are.
func (r *Reader) addSites(sites []front.Site) {
	r.sites = append(r.sites[:len(r.sites):len(r.sites)], sites...)
	r.account = append(r.account, make([]SiteAccount, len(sites))...)
	for i := range sites {
		c, leaves := cached{}, sites[i].Leaves
		if bytes := cmp.Or(sites[i].Element, sites[i].Bytes); len(leaves) == 0 && bytes != 0 {
			leaves, c.leaf = []front.Leaf{{Bytes: bytes}}, uint32(bytes)
		}
		r.leaves, r.cached = append(r.leaves, leaves), append(r.cached, c)
	}
}

// kindLibrary is an event of a library: ticks; the number of its load, and a mark where that ends.
const (
	kindLibrary = 30
	gone        = 1 << 32
)

// library takes such an event. Objects that stood at its place are gone.
func (r *Reader) library(e event) error {
	n := e.rest() &^ gone
	if n == 0 || n > uint64(len(r.loads)) {
		r.Odd++
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	l := r.loads[n-1]
	r.space.age++
	r.space.clear(l.base, l.Bytes)
	r.rest = slices.DeleteFunc(r.rest, func(v Variable) bool { return v.Address-l.base < l.Bytes })
	for page := l.base / pageBytes; page <= (l.base+l.Bytes)/pageBytes; page++ {
		delete(r.pages, page)
	}
	if e.rest()&gone == 0 {
		r.variables(l.Program.Variables, l.base)
		r.Libraries.Loaded(l.Image, l.base)
	}
	return nil
}

// variables makes objects of variables, which the linker placed so far from where they are.
func (r *Reader) variables(list []Variable, base uint64) {
	for _, v := range slices.SortedStableFunc(slices.Values(list), func(a, b Variable) int {
		return cmp.Compare(a.Address, b.Address)
	}) {
		v.Address += base
		if v.Rest {
			r.rest = append(r.rest, v)
			continue
		}
		begin, end := v.Address, v.Address+v.Bytes
		if begin%granule != 0 && r.space.find(begin) != 0 { // what is in one granule is the first's
			begin = begin&^(granule-1) + granule
		}
		if begin < end {
			r.space.add(begin, end-begin, r.class(Class{Name: v.Name}))
		}
	}
}
