package gotrace

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/result"
	"krdlab/krd"
	"krdlab/loi/gofront"
)

// A Document is what a program's accesses came to: `krdlab trace go --json`, and krd.json in the
// run directory.
type Document struct {
	SchemaVersion int      `json:"schema_version"`
	Package       string   `json:"package"`
	Args          []string `json:"args"`
	Dir           string   `json:"-"`
	Trace         *string  `json:"trace"` // the file that was written; null: none
	ExitCode      int      `json:"exit_code"`
	Signal        string   `json:"signal,omitempty"` // that ended it
	TracedNs      int64    `json:"traced_ns"`        // from the program's start to its end

	// Replaced: the program's process became another program (exec), which was not traced.
	Replaced bool `json:"replaced"`
	// LeftRunning is how many processes of the program went on when it had ended, such as a daemon
	// that it became; they were not traced.
	LeftRunning int `json:"left_running"`

	Unit           Unit              `json:"unit"`
	Accesses       uint64            `json:"accesses"`
	DistinctData   uint64            `json:"distinct_data"`
	DistinctBytes  uint64            `json:"distinct_bytes"`
	Goroutines     uint64            `json:"goroutines"`      // that accessed something
	LostGoroutines uint64            `json:"lost_goroutines"` // could not: more than 2^20 at once
	LateEvents     uint64            `json:"late_events"`     // handed on after later ones
	OddEvents      uint64            `json:"odd_events"`      // that made no sense
	Packages       []string          `json:"packages"`        // rewritten
	Sites          int               `json:"sites"`
	Failed         []gofront.Failure `json:"failed"` // packages left as they are
	LeftAlone      map[string]int    `json:"left_alone"`
	LeftPlaces     []string          `json:"left_places"` // and what, in rewritten files, and why
	LeftFiles      []string          `json:"left_files"`  // whole files and packages, and why
	KRD            *krd.Report       `json:"krd"`         // null: a trace was written
	Functions      []Part            `json:"functions"`
	Loops          []Part            `json:"loops"`
	Objects        []Part            `json:"objects"`     // types with field, elements, variables
	Allocations    []Part            `json:"allocations"` // by what made the object that is accessed
	// UnknownAccesses were to memory whose allocation was not seen. Such data are told apart by
	// their addresses: if the memory is used for something else, they are taken for the same.
	UnknownAccesses uint64 `json:"unknown_accesses"`
}

// A Part is the accesses that have something in common.
type Part struct {
	Name     string    `json:"name"`
	Accesses uint64    `json:"accesses"`
	Cold     uint64    `json:"cold"`
	Bytes    uint64    `json:"bytes"`
	Bins     []krd.Bin `json:"bins"` // those that are not empty
}

// From returns the accesses of a part with a finite distance of at least so many bytes, a power of
// two.
func (p *Part) From(bytes uint64) (n uint64) {
	for _, b := range p.Bins {
		if b.FromBytes >= bytes {
			n += b.Count
		}
	}
	return n
}

func newDocument(r *Request, b *gofront.Built) *Document {
	d := &Document{SchemaVersion: result.SchemaVersion, Package: r.Build.Path, Args: r.Args,
		Unit: r.Unit, Packages: b.Packages, Sites: len(b.Sites), Failed: b.Failed,
		LeftAlone: map[string]int{}, LeftPlaces: []string{}, LeftFiles: []string{}}
	if d.Args == nil {
		d.Args = []string{}
	}
	if d.Failed == nil {
		d.Failed = []gofront.Failure{}
	}
	for _, l := range b.Left {
		d.LeftAlone[l.Why]++
		if l.Whole() {
			d.LeftFiles = append(d.LeftFiles, l.String())
		} else {
			d.LeftPlaces = append(d.LeftPlaces, fmt.Sprintf("%s:%d: %s",
				filepath.Base(l.Position.Filename), l.Position.Line, &l))
		}
	}
	if r.Trace != "" {
		d.Trace = &r.Trace
	}
	return d
}

// parts sums up groups by what they have in common.
func (d *Document) parts(a *analysis, groups []krd.GroupHistogram) {
	var functions, loops, objects, made sums
	for _, g := range groups {
		k := a.reader.Groups[g.Group]
		s := &a.sites[k.Site-1]
		d.Accesses += g.Accesses
		functions.add(s.Function, &g)
		if s.Loop != 0 {
			loops.add(fmt.Sprintf("%s, loop at %s:%d", s.Function, filepath.Base(s.File), s.Loop),
				&g)
		}
		objects.add(s.Object, &g)
		made.add(a.className(k.Class), &g)
	}
	d.Functions, d.Loops = functions.list(), loops.list()
	d.Objects, d.Allocations = objects.list(), made.list()
}

// className says what objects of a class are.
func (a *analysis) className(class int) string {
	c := a.reader.Classes[class]
	if c.Site != 0 {
		s := &a.sites[c.Site-1]
		return fmt.Sprintf("%s, made at %s:%d", s.Object, filepath.Base(s.File), s.Line)
	}
	if c.Name != "" {
		return c.Name
	}
	name := a.program.TypeName(c.Type)
	switch {
	case name == "" && c.Type == 0:
		name = "bytes without pointers"
	case name == "":
		name = "a type without a name"
	}
	return name + ", made where nothing was rewritten"
}

// sums are parts by name.
type sums map[string]*Part

func (s *sums) add(name string, g *krd.GroupHistogram) {
	if *s == nil {
		*s = make(sums)
	}
	p := (*s)[name]
	if p == nil {
		p = &Part{Name: name}
		(*s)[name] = p
	}
	p.Accesses += g.Accesses
	p.Cold += g.Cold
	p.Bytes += g.Bytes
	for _, b := range g.Bins {
		i, ok := slices.BinarySearchFunc(p.Bins, b, func(a, b krd.Bin) int {
			return cmp.Compare(a.FromBytes, b.FromBytes)
		})
		if ok {
			p.Bins[i].Count += b.Count
		} else {
			p.Bins = slices.Insert(p.Bins, i, b)
		}
	}
}

// list returns the parts, those first with the most accesses that a cache of 32 KiB does not serve.
func (s sums) list() []Part {
	list := make([]Part, 0, len(s))
	for _, p := range s {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Part) int {
		return cmp.Or(cmp.Compare(b.From(32<<10)+b.Cold, a.From(32<<10)+a.Cold),
			cmp.Compare(b.Accesses, a.Accesses), strings.Compare(a.Name, b.Name))
	})
	return list
}
