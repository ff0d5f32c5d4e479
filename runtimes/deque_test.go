package runtimes

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"krdlab/hw/hwtest/long"
)

func newDeque(slots int) *deque {
	d := new(deque)
	d.init(slots)
	return d
}

// frames are distinguished by address; next carries their number.
func numbered(n int) []*Frame {
	f := make([]*Frame, n)
	for i := range f {
		f[i] = &Frame{next: int32(i)}
	}
	return f
}

func TestDequeSmoke(t *testing.T) {
	d := newDeque(4)
	if _, ok := d.pop(); ok {
		t.Error("pop of an empty deque gave something")
	}
	if _, out := d.steal(nil); out != OutcomeEmpty {
		t.Errorf("steal of an empty deque: outcome %d", out)
	}
	f := numbered(100) // grows several times
	for i, x := range f {
		d.push(x, int32(i))
	}
	if e, out := d.steal(nil); out != OutcomeDone || e.f != f[0] || e.i != 0 {
		t.Errorf("first steal: %v, outcome %d; want the oldest", e, out)
	}
	if e, ok := d.pop(); !ok || e.f != f[99] || e.i != 99 {
		t.Errorf("first pop: %v, %v; want the newest", e, ok)
	}
	for want := 98; want >= 1; want-- {
		if e, ok := d.pop(); !ok || e.f != f[want] {
			t.Fatalf("pop: %v, %v; want frame %d", e, ok, want)
		}
	}
	if _, ok := d.pop(); ok {
		t.Error("pop of an empty deque gave something")
	}
}

// Whatever is in a deque, thieves can get at the oldest of it after the owner's next operation.
func TestDequeExposesTheOldest(t *testing.T) {
	d := newDeque(8)
	f := numbered(40)
	for _, x := range f[:20] {
		d.push(x, 0)
	}
	for i := range exposed {
		if e, out := d.steal(nil); out != OutcomeDone || e.f != f[i] {
			t.Fatalf("steal %d: outcome %d", i, out)
		}
	}
	d.push(f[20], 0)
	for i := range exposed {
		if e, out := d.steal(nil); out != OutcomeDone || e.f != f[exposed+i] {
			t.Fatalf("steal %d after a push: outcome %d", exposed+i, out)
		}
	}
	n := 21 - 2*exposed
	if e, ok := d.pop(); !ok || e.f != f[20] {
		t.Fatalf("pop: %v, %v", e, ok)
	}
	n--
	for i := range exposed {
		if e, out := d.steal(nil); out != OutcomeDone || e.f != f[2*exposed+i] {
			t.Fatalf("steal %d after a pop: outcome %d", i, out)
		}
	}
	n -= exposed
	if int(d.size()) != n {
		t.Errorf("%d entries left, want %d", d.size(), n)
	}
}

// dequeRace lets thieves steal while the owner pushes and pops by pattern, and checks that each
// entry comes out exactly once and that each thief gets older entries first.
func dequeRace(t *testing.T, n, thieves int, own func(i int) int) {
	t.Helper()
	d := newDeque(4)
	f := numbered(n)
	seen := make([]atomic.Int32, n)
	var done atomic.Bool
	var wg sync.WaitGroup
	for range thieves {
		wg.Go(func() {
			last := int32(-1)
			for !done.Load() {
				e, out := d.steal(nil)
				if out != OutcomeDone {
					runtime.Gosched()
					continue
				}
				if e.f.next <= last {
					t.Errorf("a thief got entry %d after %d", e.f.next, last)
				}
				last = e.f.next
				seen[e.f.next].Add(1)
			}
		})
	}
	for i, x := range f {
		d.push(x, int32(i))
		for range own(i) {
			if e, ok := d.pop(); ok {
				seen[e.f.next].Add(1)
			}
		}
	}
	for {
		e, ok := d.pop()
		if !ok {
			break
		}
		seen[e.f.next].Add(1)
	}
	done.Store(true)
	wg.Wait()
	for i := range seen {
		if c := seen[i].Load(); c != 1 {
			t.Fatalf("entry %d came out %d times", i, c)
		}
	}
}

func TestDequeRaces(t *testing.T) {
	n := long.Or(20_000, 200_000)
	for _, c := range []struct {
		name    string
		thieves int
		own     func(i int) int
	}{
		{"spsc", 1, func(int) int { return 0 }},
		{"stampede", 4, func(int) int { return 0 }},
		// the owner and the thieves always want the same one
		{"last entry", 2, func(int) int { return 1 }},
		{"stress", 3, func(i int) int { return int(mix(uint64(i)) % 3) }},
		{"waves", 3, func(i int) int { return (i / 7 % 2) * 2 }},
	} {
		t.Run(c.name, func(t *testing.T) { dequeRace(t, n, c.thieves, c.own) })
	}
}

func TestLifoHalf(t *testing.T) {
	q := newQueue(Rules{})
	f := numbered(7)
	for _, x := range f {
		q.push(entry{f: x})
	}
	batch, _, out := q.steal(nil, true)
	if out != OutcomeDone || len(batch) != 3 || batch[0].f != f[0] || batch[2].f != f[2] {
		t.Errorf("stole %d entries, outcome %d; want the 3 oldest of 7, oldest first", len(batch),
			out)
	}
	if batch, _, _ = q.steal(batch[:0], false); len(batch) != 1 || batch[0].f != f[3] {
		t.Errorf("stole %v, want the oldest", batch)
	}
	q.lock.acquire()
	if _, _, out = q.steal(nil, true); out != OutcomeBusy {
		t.Errorf("steal under a held lock: outcome %d, want busy", out)
	}
	q.lock.release()
	if e, ok := q.pop(); !ok || e.f != f[6] {
		t.Errorf("pop: %v, want the newest", e)
	}
}

func TestLifoRaces(t *testing.T) {
	n := long.Or(10_000, 50_000)
	a, b := newQueue(Rules{}), newQueue(Rules{})
	f := numbered(n)
	seen := make([]atomic.Int32, n)
	var left atomic.Int64
	left.Store(int64(n))
	take := func(q *queue) {
		if e, ok := q.pop(); ok {
			seen[e.f.next].Add(1)
			left.Add(-1)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i, x := range f {
			a.push(entry{f: x})
			if i%3 == 0 {
				take(a)
			}
		}
	})
	wg.Go(func() {
		for left.Load() > 0 {
			take(a)
		}
	})
	wg.Go(func() {
		var batch []entry
		for left.Load() > 0 {
			batch, _, _ = a.steal(batch[:0], true)
			b.keep(batch)
			take(b)
		}
	})
	wg.Wait()
	for i := range seen {
		if c := seen[i].Load(); c != 1 {
			t.Fatalf("entry %d came out %d times", i, c)
		}
	}
}

// The race for the last entry, with the order of events forced: a thief has read the entry when the
// owner pops it.
func TestDequeRacesForced(t *testing.T) {
	for n := 1; n <= 6; n++ {
		d := newDeque(8)
		f := numbered(n)
		for _, x := range f {
			d.push(x, entryProxy)
		}
		var popped []*Frame
		e, out := d.steal(func(entry) bool {
			for {
				e, ok := d.pop()
				if !ok {
					return false
				}
				popped = append(popped, e.f)
			}
		})
		if len(popped) != n || out != OutcomeBusy {
			t.Errorf("%d entries: the owner popped %d while a thief was between its load and its "+
				"CAS; the thief then got %v, outcome %d", n, len(popped), e, out)
		}
	}
}
