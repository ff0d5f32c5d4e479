package collect

// space records which object stands at an address: for each page of 8 KiB the object that covers
// all of it, or one for each 8 bytes.
type space struct {
	tops map[uint64]*top
	last *top
	at   uint64 // of last
	// objects by number, from 1; the numbers of those that are gone are used again
	objects chunks
	free    []uint32
	next    uint64 // where the next object begins in virtual space
	age     uint64 // grows with every change
	// gone has, for pages of virtual space, how many bytes belong to objects that are gone: not yet
	// all; nil: not asked for. Pages where all do are ended: the first byte, and that behind the last.
	gone  map[uint64]uint64
	ended []uint64
}

// An object is an allocation, a global variable, or memory of unknown origin.
type object struct {
	addr, bytes uint64
	virtual     uint64 // where it begins in virtual space, where nothing is used twice
	class       uint32 // what it is: index of a Class
}

// chunks are objects in chunks, which are not copied when there are more.
type chunks struct {
	list [][]object
	n    uint32
}

const chunkBits = 12

func (c *chunks) at(n uint32) *object { return &c.list[n>>chunkBits][n&(1<<chunkBits-1)] }

// more returns the number of another one.
func (c *chunks) more() uint32 {
	if c.n>>chunkBits == uint32(len(c.list)) {
		c.list = append(c.list, make([]object, 1<<chunkBits))
	}
	c.n++
	return c.n - 1
}

const (
	granule   = 8
	pageBits  = 13
	pageBytes = 1 << pageBits
	topBits   = 13 // pages of a top
	lineBytes = 64
)

type top [1 << topBits]page

// A page is covered by one object, or by those of fine.
type page struct {
	whole uint32
	fine  *[pageBytes / granule]uint32
}

func newSpace() *space {
	s := &space{tops: make(map[uint64]*top), next: lineBytes}
	s.objects.more() // 0 is none
	return s
}

func (s *space) page(addr uint64) *page {
	n := addr >> (pageBits + topBits)
	if n != s.at || s.last == nil {
		t := s.tops[n]
		if t == nil {
			t = new(top)
			s.tops[n] = t
		}
		s.last, s.at = t, n
	}
	return &s.last[addr>>pageBits%(1<<topBits)]
}

// find returns the number of the object at an address, 0 if none is known.
func (s *space) find(addr uint64) uint32 {
	p := s.page(addr)
	if p.fine != nil {
		return p.fine[addr%pageBytes/granule]
	}
	return p.whole
}

// add makes an object of the bytes at addr. Those that stood there are gone.
func (s *space) add(addr, bytes uint64, class uint32) uint32 {
	bytes = max(bytes, 1)
	s.age++
	s.clear(addr, bytes)
	n := s.place(addr, bytes, class)
	s.set(addr, bytes, n)
	return n
}

// place gives the bytes at addr a place in virtual space, as if each object began on a line of its
// own (virda, section 3.1).
func (s *space) place(addr, bytes uint64, class uint32) uint32 {
	var n uint32
	if k := len(s.free); k > 0 {
		n, s.free = s.free[k-1], s.free[:k-1]
	} else {
		n = s.objects.more()
	}
	*s.objects.at(n) = object{addr, bytes, s.next, class}
	s.next += s.objects.at(n).room()
	return n
}

// room returns how many bytes of virtual space an object takes.
func (o *object) room() uint64 {
	return (o.bytes + o.addr%granule + lineBytes - 1) &^ (lineBytes - 1)
}

// TellEnded asks for [Batch].Ended, before the first events.
func (r *Reader) TellEnded() { r.space.gone = map[uint64]uint64{} }

// endedBytes is the size of a page of virtual space that ends as a whole.
const endedBytes = 4 << 10

// end notes that an object is gone.
func (s *space) end(o *object) {
	for at, end := o.virtual, o.virtual+o.room(); at < end; {
		page, next := at/endedBytes, min(end, at&^(endedBytes-1)+endedBytes)
		if next-at == endedBytes {
			next = end &^ (endedBytes - 1)
			s.ended = append(s.ended, at, next)
		} else if s.gone[page] += next - at; s.gone[page] == endedBytes {
			delete(s.gone, page)
			s.ended = append(s.ended, page*endedBytes, (page+1)*endedBytes)
		}
		at = next
	}
}

// split makes an object of the rest of a block that already has others, which keep the part before
// it. Those that share 8 bytes remain one object: their data are apart all the same.
func (s *space) split(addr, block uint64) uint32 {
	if addr%granule != 0 {
		return 0
	}
	end := addr - addr%block + block
	if n := s.find(addr); n != 0 {
		o := s.objects.at(n)
		if o.addr < addr {
			end = o.addr + o.bytes
			s.set(addr, end-addr, 0)
			o.bytes = addr - o.addr
		}
	}
	return s.add(addr, end-addr, 0)
}

// below makes an object of what an object has below an address: of a stack, from where a task begins. above
// gives it back.
func (s *space) below(addr uint64) uint32 {
	n := s.find(addr - granule)
	if n == 0 {
		return 0
	}
	s.age++
	o := s.objects.at(n)
	begin, bytes := o.addr, addr-o.addr
	*o = object{addr, o.bytes - bytes, o.virtual + bytes, o.class}
	n = s.place(begin, bytes, 0)
	s.set(begin, bytes, n)
	return n
}

func (s *space) above(addr uint64) {
	n, to := s.find(addr-granule), s.find(addr)
	if n == 0 || to == 0 || n == to {
		return
	}
	s.age++
	below, o := s.objects.at(n), s.objects.at(to)
	*o = object{below.addr, o.bytes + below.bytes, o.virtual - below.bytes, o.class}
	s.set(below.addr, below.bytes, to)
	*below = object{}
	s.free = append(s.free, n)
}

// clear forgets the objects that overlap the bytes at addr.
func (s *space) clear(addr, bytes uint64) {
	for a := addr &^ (granule - 1); a < addr+bytes; {
		p := s.page(a)
		n, step := p.whole, uint64(pageBytes-a%pageBytes)
		if p.fine != nil {
			n, step = p.fine[a%pageBytes/granule], granule
		}
		if n != 0 {
			o := s.objects.at(n)
			s.set(o.addr, o.bytes, 0)
			if s.gone != nil {
				s.end(o)
			}
			*o = object{}
			s.free = append(s.free, n)
		}
		a += step
	}
}

// set makes n the object of the bytes at addr.
func (s *space) set(addr, bytes uint64, n uint32) {
	for a := addr &^ (granule - 1); a < addr+bytes; {
		p := s.page(a)
		if a%pageBytes == 0 && a+pageBytes <= addr+bytes {
			p.whole, p.fine = n, nil
			a += pageBytes
			continue
		}
		if p.fine == nil {
			p.fine = new([pageBytes / granule]uint32)
			for i := range p.fine {
				p.fine[i] = p.whole
			}
			p.whole = 0
		}
		end := min(addr+bytes, a&^(pageBytes-1)+pageBytes)
		for ; a < end; a += granule {
			p.fine[a%pageBytes/granule] = n
		}
	}
}
