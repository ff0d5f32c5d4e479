package stack

import (
	"slices"
	"testing"
)

// onlineEngine gives Online the methods of an engine.
type onlineEngine struct {
	*Online
	sizes []uint64
}

func newOnlineEngine(sizes []uint64) onlineEngine { return onlineEngine{NewOnline(), sizes} }

func (e onlineEngine) BatchLen() int { return 64 }

func (e onlineEngine) Distances(blocks []uint32, dist []uint64) {
	for i, b := range blocks {
		dist[i] = e.Access(b, e.sizes[b])
	}
}

// together is the oracle of simultaneous accesses: every unit has the time of its last access.
type together struct {
	last, bytes map[uint32]uint64
	now         uint64
}

func newTogether() *together { return &together{map[uint32]uint64{}, map[uint32]uint64{}, 0} }

func (o *together) access(units []uint32, bytes []uint64) []uint64 {
	o.now++
	dist := make([]uint64, len(units))
	for i, u := range units {
		at, ok := o.last[u]
		if !ok {
			dist[i] = Cold
			continue
		}
		for v, t := range o.last {
			if t > at {
				dist[i] += o.bytes[v]
			}
		}
	}
	for i, u := range units {
		o.last[u] = o.now
		if _, ok := o.bytes[u]; !ok {
			o.bytes[u] = bytes[i]
		}
	}
	return dist
}

func (o *together) forget(u uint32) { delete(o.last, u); delete(o.bytes, u) }

func (o *together) total() (sum uint64) {
	for _, b := range o.bytes {
		sum += b
	}
	return sum
}

// TestOnlineTogether compares single accesses, accesses to several units, and forgotten units with
// the oracle.
func TestOnlineTogether(t *testing.T) {
	for _, units := range []int{2, 3, 20, 400} {
		next := splitMix(uint64(units))
		o, want := NewOnline(), newTogether()
		for step := range 6000 {
			var list []uint32
			var bytes []uint64
			many := 1
			if next()%3 == 0 {
				many = 1 + int(next()%uint64(min(units, 12)))
			}
			for len(list) < many {
				u := uint32(next() % uint64(units))
				if next()%2 == 0 {
					u = uint32((step/4 + int(next()%4)) % units)
				}
				if !slices.Contains(list, u) {
					list = append(list, u)
					bytes = append(bytes, next()%3*(1<<36+7))
				}
			}
			if next()%16 == 0 {
				o.Forget(list[0])
				want.forget(list[0])
			}
			expected := want.access(list, bytes)
			dist := make([]uint64, len(list))
			if len(list) == 1 && step%2 == 0 {
				dist[0] = o.Access(list[0], bytes[0])
			} else {
				o.AccessAll(list, bytes, dist)
			}
			if !slices.Equal(dist, expected) {
				t.Fatalf("%d units, step %d, access to %v: got %v, want %v", units, step, list,
					dist, expected)
			}
			if o.Live() != len(want.last) || o.Bytes() != want.total() {
				t.Fatalf("step %d: %d live units of %d bytes, want %d of %d", step, o.Live(),
					o.Bytes(), len(want.last), want.total())
			}
		}
	}
}

// TestOnlineBounded: the slots are bounded by the live units, however long the trace.
func TestOnlineBounded(t *testing.T) {
	o := NewOnline()
	for i := range 200_000 {
		if d := o.Access(uint32(i%3), 10); i >= 3 && d != 20 {
			t.Fatalf("access %d: distance %d, want 20", i, d)
		}
	}
	if o.slots > minSlots {
		t.Errorf("%d slots for 3 live units, want at most %d", o.slots, minSlots)
	}
	o.Forget(1 << 30) // never seen
	o.AccessAll(nil, nil, nil)
}

func TestWeights(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 255, 256, 257, 5000} {
		next := splitMix(uint64(n))
		var w Weights
		w.Reset(7)
		w.Add(3, 5)
		plain := make([]uint64, n)
		for i := range plain {
			plain[i] = next() % 4 * (1 << 40)
		}
		w.Set(plain)
		for step := range 300 {
			if step == 200 {
				w.Reset(n)
				clear(plain)
			}
			s := int(next() % uint64(n))
			delta := next()>>20 - 1<<43 // either sign
			w.Add(s, delta)
			plain[s] += delta
			s = int(next() % uint64(n))
			var after, total uint64
			for i, v := range plain {
				total += v
				if i > s {
					after += v
				}
			}
			if w.After(s) != after || w.Total() != total {
				t.Fatalf("%d slots, step %d: after %d: %d, total %d; want %d, %d", n, step, s,
					w.After(s), w.Total(), after, total)
			}
		}
	}
}
