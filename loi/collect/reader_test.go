package collect

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front"

	"pgregory.net/rapid"
)

// keeper keeps what a Reader hands on.
type keeper struct{ all Batch }

// Batch implements [Sink].
func (k *keeper) Batch(b *Batch) error {
	k.all.add(b)
	return nil
}

func (k *Batch) add(b *Batch) {
	k.Places = append(k.Places, b.Places...)
	k.Bytes = append(k.Bytes, b.Bytes...)
	k.Groups = append(k.Groups, b.Groups...)
	k.Ended = append(k.Ended, b.Ended...)
	for _, t := range b.Turns {
		t.End += len(k.Places) - len(b.Places)
		k.Turns = append(k.Turns, t)
	}
}

var testSites = []front.Site{
	{Kind: "load", Mode: loi.In, Object: "int64", Bytes: 8},
	{Kind: "store", Mode: loi.Out, Object: "int32", Bytes: 4},
	{Kind: "new", Object: "main.T", Bytes: 24},
	{Kind: "load", Mode: loi.In, Object: "main.T", Bytes: 24,
		Leaves: []front.Leaf{{Offset: 0, Bytes: 8}, {Offset: 8, Bytes: 16}}},
	{Kind: "map", Mode: loi.In, Object: "map[int]int", Bytes: 8},
	{Kind: "append", Mode: loi.Out, Object: "[]int64", Element: 8, Bytes: 8},
	{Kind: "copy-to", Mode: loi.Out, Object: "[]int64", Element: 8},
	{Kind: "copy-from", Mode: loi.In, Object: "[]int64", Element: 8},
	{Kind: "clear", Mode: loi.Out, Object: "[]int64", Element: 8},
	{Kind: "variable", Object: "main.main.a", Bytes: 8},
	{Kind: "variable", Object: "main.main.b", Bytes: 8},
}

const (
	siteLoad = 1 + iota
	siteStore
	siteNew
	siteStruct
	siteMap
	siteAppend
	siteTo
	siteFrom
	siteClear
	siteA
	siteB
)

func ev(kind, a, rest uint64) event { return event{a, kind<<56 | rest} }

// read hands events of one goroutine to a new reader, all at once and one by one, which must be
// the same.
func read(t *testing.T, variables []Variable, events ...event) (*Reader, *Batch) {
	t.Helper()
	var readers [2]*Reader
	var kept [2]keeper
	for i := range readers {
		readers[i] = NewReader(testSites, variables, &kept[i])
		step := len(events)
		if i == 1 {
			step = 1
		}
		for at := 0; at < len(events); at += step {
			if err := readers[i].Events(1, 5, events[at:at+step]); err != nil {
				t.Fatal(err)
			}
		}
		if err := readers[i].End(); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := kept[0].all, kept[1].all; !reflect.DeepEqual(a.Places, b.Places) ||
		!reflect.DeepEqual(a.Bytes, b.Bytes) || !reflect.DeepEqual(a.Groups, b.Groups) {
		t.Fatalf("at once %v, one by one %v", a, b)
	}
	return readers[0], &kept[0].all
}

func TestAddressUsedAgainIsAnotherDatum(t *testing.T) {
	const a = 0xc000010000
	alloc := []event{ev(kindAlloc, a, 24), ev(kindType, 0, 9), ev(kindMade, a, siteNew)}
	r, k := read(t, nil, append(append(append([]event{}, alloc...),
		ev(kindAccess, a, siteLoad), ev(kindAccess, a+8, siteLoad), ev(kindAccess, a, siteLoad)),
		append(alloc, ev(kindAccess, a, siteLoad))...)...)
	if p := k.Places; len(p) != 4 || p[0] != p[2] || p[1] != p[0]+8 || p[3] == p[0] {
		t.Fatalf("places %v", p)
	}
	if c := r.Classes[r.Groups[k.Groups[0]].Class]; c.Site != siteNew {
		t.Errorf("the object is of class %+v, expected of the site that made it", c)
	}
	if r.Accounts(0, 0).Unknown != 0 || r.Odd != 0 {
		t.Errorf("%d unknown, %d odd", r.Accounts(0, 0).Unknown, r.Odd)
	}
	if live := int(r.space.objects.n) - 1 - len(r.space.free); live != 1 {
		t.Errorf("%d objects live, expected 1", live)
	}
}

// TestEnded has objects whose addresses others take: a page of virtual space is told when all its
// objects are gone, and not before.
func TestEnded(t *testing.T) {
	const a, kept, large = 0xc000010000, 0xc000020000, 0xc000030000
	var k keeper
	r := NewReader(testSites, nil, &k)
	r.TellEnded()
	alloc := func(at, bytes uint64) {
		if err := r.Events(1, 5, []event{ev(kindAlloc, at, bytes), ev(kindType, 0, 9),
			ev(kindAccess, at, siteLoad)}); err != nil {
			t.Fatal(err)
		}
	}
	for range 4*64 - 1 { // from byte 64 on: a first page, and three that are objects alone
		alloc(a, 40)
	}
	alloc(kept, 64) // which begins the next page
	alloc(a, 64)
	alloc(large, 5*4096-128) // to its end, and four more
	alloc(large, 8)
	if err := r.End(); err != nil {
		t.Fatal(err)
	}
	first := k.all.Places[4*64-1]
	want := []uint64{1 << 12, 2 << 12, 2 << 12, 3 << 12, 3 << 12, 4 << 12, first + 1<<12, first + 5<<12}
	if !slices.Equal(k.all.Ended, want) {
		t.Errorf("ended: %v, expected %v", k.all.Ended, want)
	}
}

// The runtime puts several tiny objects into a block of 16 bytes; the first event has the block.
func TestTinyObjects(t *testing.T) {
	const a = 0xc000010000
	r, k := read(t, nil, ev(kindAlloc, a, 16), ev(kindType, 0, 1), ev(kindAlloc, a+8, 0),
		ev(kindType, 0, 2), ev(kindAlloc, a+12, 0), ev(kindType, 0, 3),
		ev(kindAccess, a, siteLoad), ev(kindAccess, a+8, siteStore),
		ev(kindAccess, a+12, siteStore), ev(kindAlloc, a, 16), ev(kindType, 0, 4),
		ev(kindAccess, a, siteLoad), ev(kindAccess, a+8, siteStore))
	p := k.Places
	if len(p) != 5 || p[1]/lineBytes == p[0]/lineBytes || p[2] != p[1]+4 || p[3] == p[0] ||
		p[4] != p[3]+8 || r.Accounts(0, 0).Unknown != 0 {
		t.Errorf("places %v, %d unknown", p, r.Accounts(0, 0).Unknown)
	}
}

// The compiler allocates several variables at once; each is an object of its own.
func TestVariablesOfOneAllocation(t *testing.T) {
	const a = 0xc000010000
	r, _ := read(t, nil, ev(kindAlloc, a, 24), ev(kindType, 0, 1), ev(kindMade, a, siteA),
		ev(kindMade, a+8, siteB), ev(kindMade, a+16, siteA))
	for i, want := range []int{siteA, siteB, siteA} {
		o := r.space.objects.at(r.space.find(a + 8*uint64(i)))
		if o.addr != a+8*uint64(i) || o.bytes != 8 || r.Classes[o.class].Site != want {
			t.Errorf("%d: %+v of %+v, expected site %d", i, *o, r.Classes[o.class], want)
		}
	}
}

func TestLeavesVariablesAndUnknownMemory(t *testing.T) {
	r, k := read(t, []Variable{{Name: "main.v", Address: 0x500000, Bytes: 40},
		{Name: Unnamed, Address: 0x4ff000, Bytes: 0x8000, Rest: true}},
		ev(kindAccess, 0x500010, siteStruct), ev(kindAccess, 0x7f0000000008, siteStore),
		ev(kindAccess, 0x7f000000000c, siteStore), ev(kindAccess, 0x7f0000000008, siteStore))
	q, l := read(t, []Variable{{Name: Unnamed, Address: 0x4ff000, Bytes: 0x8000, Rest: true}},
		ev(kindAccess, 0x500010, siteLoad), ev(kindAccess, 0x500018, siteLoad))
	if c := q.Classes[q.Groups[l.Groups[0]].Class]; c.Name != Unnamed ||
		q.Accounts(0, 0).Unknown != 0 ||
		l.Places[1] != l.Places[0]+8 {
		t.Errorf("class %+v, %d unknown, places %v", c, q.Accounts(0, 0).Unknown, l.Places)
	}
	p := k.Places
	if len(p) != 5 || p[1] != p[0]+8 || p[3] != p[2]+4 || p[4] != p[2] {
		t.Fatalf("places %v", p)
	}
	if !reflect.DeepEqual(k.Bytes, []uint32{8, 16, 4, 4, 4}) {
		t.Errorf("bytes %v", k.Bytes)
	}
	if c := r.Classes[r.Groups[k.Groups[0]].Class]; c.Name != "main.v" {
		t.Errorf("class %+v", c)
	}
	if c := r.Classes[r.Groups[k.Groups[2]].Class]; c.Name != UnknownOrigin ||
		r.Accounts(0, 0).Unknown != 3 {
		t.Errorf("class %+v, %d unknown", c, r.Accounts(0, 0).Unknown)
	}
}

func TestMapsNest(t *testing.T) {
	const m, n = 0xc000010000, 0xc000020000
	r, k := read(t, nil, ev(kindAlloc, m, 48), ev(kindType, 0, 1), ev(kindAlloc, n, 48),
		ev(kindType, 0, 2),
		// m[n[7]], n[7]
		ev(kindMap, m, siteMap), ev(kindMap, n, siteMap), ev(kindKey, 7, siteMap),
		ev(kindKey, 8, siteMap), ev(kindMap, n, siteMap), ev(kindKey, 7, siteMap),
		ev(kindKey, 9, siteMap))
	p := k.Places
	if len(p) != 6 || p[0] != p[4] || p[1] != p[5] || p[2] == p[0] || p[3] == p[1] {
		t.Fatalf("places %x", p)
	}
	if r.Odd != 1 {
		t.Errorf("%d odd, expected the key without a map", r.Odd)
	}
}

func TestAppendCopyClear(t *testing.T) {
	const a, b = 0xc000010000, 0xc000020000
	r, k := read(t, nil, ev(kindAlloc, a, 16), ev(kindType, 0, 1),
		// append(s of 2, x), which moves
		ev(kindWindow, a, siteAppend), ev(kindExtent, 16, siteAppend),
		ev(kindAlloc, b, 32), ev(kindType, 0, 2),
		ev(kindMade, b, siteAppend), ev(kindExtent, 32, siteAppend),
		// append once more: it does not
		ev(kindWindow, b, siteAppend), ev(kindExtent, 24, siteAppend),
		ev(kindMade, b, siteAppend), ev(kindExtent, 32, siteAppend),
		// copy(s, t), t being longer; clear
		ev(kindWindow, a, siteTo), ev(kindExtent, 16, siteTo),
		ev(kindWindow, b, siteFrom), ev(kindExtent, 32, siteFrom),
		ev(kindWindow, a, siteClear), ev(kindExtent, 8, siteClear))
	x, y := k.Places[0], k.Places[2]
	want := []uint64{x, x + 8, y, y + 8, y + 16, y + 24, y, y + 8, x, x + 8, x}
	if !reflect.DeepEqual(k.Places, want) {
		t.Fatalf("places %v, expected %v", k.Places, want)
	}
	modes := ""
	for _, g := range k.Groups {
		modes += r.Mode(g).String() + " "
	}
	if want := "in in out out out out in in out out out "; modes != want {
		t.Errorf("modes %sexpected %s: what an append moves is read", modes, want)
	}
}

// The object at an address is the one that was allocated there last and not overlapped since.
func TestSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type alloc struct{ at, bytes uint64 }
		s := newSpace()
		owner := map[uint64]uint32{} // by granule
		live := map[uint32]alloc{}
		for range rapid.IntRange(1, 60).Draw(t, "allocations") {
			a := alloc{0xc000000000 + 8*rapid.Uint64Range(0, 6000).Draw(t, "at"),
				rapid.OneOf(rapid.Uint64Range(1, 64),
					rapid.Uint64Range(1, 40000)).Draw(t, "bytes")}
			for n, o := range live {
				if o.at < (a.at+a.bytes+7)&^7 && a.at < (o.at+o.bytes+7)&^7 {
					for g := o.at; g < o.at+o.bytes; g += 8 {
						delete(owner, g)
					}
					delete(live, n)
				}
			}
			n := s.add(a.at, a.bytes, 0)
			if _, ok := live[n]; ok {
				t.Fatalf("number %d is in use", n)
			}
			live[n] = a
			for g := a.at; g < a.at+a.bytes; g += 8 {
				owner[g] = n
			}
		}
		for g := uint64(0xc000000000); g < 0xc000000000+100000; g += 8 {
			if got := s.find(g); got != owner[g] {
				t.Fatalf("address %#x: object %d, expected %d", g, got, owner[g])
			}
		}
		at := map[uint64]string{}
		for n, o := range live {
			v := s.objects.at(n).virtual
			for l := v / lineBytes; l <= (v+o.bytes-1)/lineBytes; l++ {
				if at[l] != "" {
					t.Fatalf("line %d is of objects %s and %d", l, at[l], n)
				}
				at[l] = fmt.Sprint(n)
			}
		}
	})
}

// Data of a task on a stack are its own; behind its end, those of the thread stand there again.
func TestSpaceOfTasks(t *testing.T) {
	s := newSpace()
	const low, top = 1 << 20, 1<<20 + 10*pageBytes
	stack := s.add(low, top-low, 0)
	place := func(addr uint64) uint64 {
		o := s.objects.at(s.find(addr))
		return o.virtual + addr - o.addr
	}
	before, above := place(low+64), place(top-64)
	for _, from := range []uint64{top - 1000, top - 9*pageBytes} {
		outer := s.below(top - 80)
		inside := place(low + 64)
		inner := s.below(from &^ 15)
		if a := place(low + 64); outer == inner || a == inside || a == before || place(top-64) != above {
			t.Errorf("from %#x: at %d and %d within, %d before; above %d, expected %d", from, inside, a, before,
				place(top-64), above)
		}
		s.above(from &^ 15)
		if a := place(low + 64); a != inside {
			t.Errorf("from %#x: at %d after a task within, expected %d", from, a, inside)
		}
		s.above(top - 80)
		if a := place(low + 64); a != before || s.find(low) != stack {
			t.Errorf("from %#x: at %d after the task, expected %d", from, a, before)
		}
	}
	if s.below(low) != 0 {
		t.Error("below a stack is a stack")
	}
}
