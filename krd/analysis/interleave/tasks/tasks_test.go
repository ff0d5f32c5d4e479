package tasks

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"testing"
)

// A shape is a series-parallel order: leaves, in series or side by side.
type shape struct {
	kind kind
	of   []*shape
	size int
}

// shapesUpTo lists all shapes of up to n leaves that differ, by size (A003430: 1, 2, 5, 15, 48,
// 167, 602, 2256, ...).
func shapesUpTo(n int) [][]*shape {
	by := make([][]*shape, n+1)
	// of each kind: those that are no composition of the same kind
	var not [2][][]*shape
	for k := range not {
		not[k] = make([][]*shape, n+1)
	}
	by[1] = []*shape{{kind: leaf, size: 1}}
	not[0][1], not[1][1] = by[1], by[1]
	for size := 2; size <= n; size++ {
		for i, k := range []kind{series, parallel} {
			var list []*shape
			// parts in any order of a series, ascending in a parallel one
			var grow func(parts []*shape, left, from, at int)
			grow = func(parts []*shape, left, from, at int) {
				if left == 0 {
					list = append(list, &shape{k, slices.Clone(parts), size})
					return
				}
				for s := from; s <= left; s++ {
					if s == size {
						continue
					}
					begin := 0
					if k == parallel && s == from {
						begin = at
					}
					for j := begin; j < len(not[i][s]); j++ {
						next, nextAt := 1, 0
						if k == parallel {
							next, nextAt = s, j
						}
						grow(append(parts, not[i][s][j]), left-s, next, nextAt)
					}
				}
			}
			grow(nil, size, 1, 0)
			by[size] = append(by[size], list...)
			not[1-i][size] = list
		}
	}
	return by
}

// dagOf is a DAG with a vertex for each leaf, which access some of a few blocks.
func dagOf(s *shape, r random) *DAG {
	d := &DAG{Objects: []string{"x", "y"}, LLCBytes: 200, from: []int{0},
		sizes: []uint64{64, 100, 7, 64, 128}, objectOf: []uint16{0, 0, 1, 1, 1}}
	var add func(s *shape) int32
	add = func(s *shape) int32 {
		if s.kind == leaf {
			n := 1 + int(r.below(2))
			for range n {
				d.units = append(d.units, uint32(r.below(uint64(len(d.sizes)))))
			}
			return d.addLeaf(n)
		}
		var list []int32
		for _, x := range s.of {
			list = append(list, add(x))
		}
		return d.join(s.kind, list)
	}
	d.root = add(s)
	return d
}

// extensions counts the orders of a DAG over its downsets: the number of ways to each.
func extensions(before []uint32) uint64 {
	n := len(before)
	ways := make([]uint64, 1<<n)
	ways[0] = 1
	for set := range uint32(1<<n - 1) {
		if ways[set] == 0 {
			continue
		}
		for v := range n {
			if set>>v&1 == 0 && before[v]&^set == 0 {
				ways[set|1<<v] += ways[set]
			}
		}
	}
	return ways[1<<n-1]
}

// masks are the vertices before each, of a shape whose leaves are numbered from first on.
func masks(s *shape, first int, before []uint32) {
	at := first
	for _, x := range s.of {
		masks(x, at, before)
		if s.kind == series {
			for v := at; v < at+x.size; v++ {
				before[v] |= 1<<at - 1<<first
			}
		}
		at += x.size
	}
}

// The formula counts the orders of every shape.
func TestOrders(t *testing.T) {
	largest := 9
	if os.Getenv("KRDLAB_LONG") != "" {
		largest = 12
	}
	want := []int{0, 1, 2, 5, 15, 48, 167, 602, 2256, 8660, 33958, 135292, 546422}
	r := newRandom(1, 1)
	for size, list := range shapesUpTo(largest) {
		if len(list) != want[size] {
			t.Fatalf("%d shapes of %d leaves, want %d", len(list), size, want[size])
		}
		for _, s := range list {
			before := make([]uint32, size)
			masks(s, 0, before)
			d := dagOf(s, r)
			n := extensions(before)
			if got := d.Orders().Uint64(); got != n || math.Abs(d.Log10()-math.Log10(float64(n))) > 1e-9 {
				t.Fatalf("%+v: %d orders (10^%g), counted %d", s, got, d.Log10(), n)
			}
		}
	}
}

// anyShape draws a shape with up to two parts at each level, which may be of the same kind as it.
func anyShape(size int, r random) *shape {
	if size == 1 {
		return &shape{kind: leaf, size: 1}
	}
	first := 1 + int(r.below(uint64(size-1)))
	return &shape{series + kind(r.below(2)), []*shape{anyShape(first, r), anyShape(size-first, r)},
		size}
}

// Shapes whose parts are of the same kind as they are too.
func TestOrdersOfNested(t *testing.T) {
	r := newRandom(1, 3)
	for range 300 {
		s := anyShape(2+int(r.below(8)), r)
		before := make([]uint32, s.size)
		masks(s, 0, before)
		d := dagOf(s, r)
		if got, n := d.Orders().Uint64(), extensions(before); got != n {
			t.Fatalf("%+v: %d orders, counted %d", s, got, n)
		}
		p, draw, x := newProgress(d), newDrawer(d, 3, 3), newSchedule(d.Vertices())
		for _, by := range Samplers {
			if draw.draw(by, newRandom(1, 1), x); !p.legal(x) {
				t.Fatalf("%s: %v of %+v", by, x, s)
			}
		}
	}
}

// naive computes the distances of a schedule, a list for each node, and what they come to.
func naive(d *DAG, nodeOf []int, s *Schedule) (out Outcome, counts [][bins + 1]uint64) {
	out = Outcome{make([]uint64, len(d.Objects)), make([]uint64, len(d.Objects))}
	counts = make([][bins + 1]uint64, len(d.Objects))
	lists := map[int][]uint32{}
	for _, v := range s.Order {
		node := nodeOf[s.Worker[v]]
		for _, b := range d.units[d.from[v]:d.from[v+1]] {
			list, o := lists[node], d.objectOf[b]
			at := slices.Index(list, b)
			if at < 0 {
				out.Cold[o]++
				counts[o][bins]++
				lists[node] = append(list, b)
				continue
			}
			distance := uint64(0)
			for _, x := range list[at+1:] {
				distance += d.sizes[x]
			}
			if distance+d.sizes[b] > d.LLCBytes {
				out.Far[o]++
			}
			counts[o][bits.Len64(distance)]++
			lists[node] = append(slices.Delete(list, at, at+1), b)
		}
	}
	return out, counts
}

// All schedules of every small shape, on one stack and with two and three workers on nodes of their
// own, are enumerated; a naive computation agrees with each, and so do the samplers with all.
func TestSmall(t *testing.T) {
	largest := map[int]int{1: 5, 2: 4, 3: 3}
	if os.Getenv("KRDLAB_LONG") != "" {
		largest = map[int]int{1: 7, 2: 5, 3: 4}
	}
	checked := 0
	for workers, most := range largest {
		nodeOf := []int{0, 1, 2}[:workers]
		r := newRandom(uint64(workers), 2)
		for _, list := range shapesUpTo(most) {
			for _, s := range list {
				d := dagOf(s, r)
				p := newProgress(d)
				seen := map[string]bool{}
				m := newMeter(d, nodeOf)
				var far, beyond []uint64
				counts := make([][bins + 1]uint64, len(d.Objects))
				d.enumerate(workers, func(x *Schedule) bool {
					if !p.legal(x) {
						t.Fatalf("%v is not legal", x)
					}
					seen[fmt.Sprint(x)] = true
					o := m.measure(x)
					want, run := naive(d, nodeOf, x)
					if !slices.Equal(o.Far, want.Far) || !slices.Equal(o.Cold, want.Cold) ||
						!slices.Equal(m.run, run) {
						t.Fatalf("%v: %v, want %v", x, o, want)
					}
					for i := range counts {
						for k, n := range run[i] {
							counts[i][k] += n
						}
					}
					far, beyond = append(far, o.FarOf(-1)), append(beyond, o.Beyond(-1))
					return true
				})
				if n := d.Schedules(workers); n.Uint64() != uint64(len(seen)) || len(seen) != len(far) {
					t.Fatalf("%d different schedules of %d, want %v", len(seen), len(far), n)
				}
				x, err := Explore(context.Background(), d, nil, Options{Nodes: nodeOf, Samplers: Samplers,
					Runs: 20, Search: 20, Enumerate: 1 << 20, Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				all := x.Groups[0]
				if !x.Complete || !slices.Equal(all.Counts, counts) {
					t.Fatalf("all: %v, want %v", all.Counts, counts)
				}
				if got := all.RangeOf(-1, false); got.Minimum != slices.Min(far) ||
					got.Maximum != slices.Max(far) {
					t.Fatalf("%+v, want %d to %d", got, slices.Min(far), slices.Max(far))
				}
				// no group has less or more than all have, and the extremes are schedules that do
				if x.Least.Beyond(-1) != slices.Min(beyond) || x.Most.Beyond(-1) != slices.Max(beyond) {
					t.Fatalf("from %d to %d, want %d to %d", x.Least.Beyond(-1), x.Most.Beyond(-1),
						slices.Min(beyond), slices.Max(beyond))
				}
				for _, e := range []*Extreme{x.Least, x.Most} {
					o, _ := naive(d, nodeOf, e.Schedule)
					if !p.legal(e.Schedule) || o.Beyond(-1) != e.Beyond(-1) {
						t.Fatalf("extreme %+v comes to %d", e, o.Beyond(-1))
					}
				}
				for _, g := range x.Groups[1:] {
					a, b := g.RangeOf(-1, true), all.RangeOf(-1, true)
					if a.Minimum < b.Minimum || a.Maximum > b.Maximum {
						t.Fatalf("%s: %+v, all %+v", g.Name, a, b)
					}
				}
				checked++
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d cases", checked)
	}
}

// Drawn schedules are legal, with workers that exist.
func TestDrawnIsLegal(t *testing.T) {
	for size, list := range shapesUpTo(8) {
		for i, s := range list {
			if size > 6 && i%17 != 0 {
				continue
			}
			d := dagOf(s, newRandom(3, uint64(i)))
			p, draw, x := newProgress(d), newDrawer(d, 3, 3), newSchedule(d.Vertices())
			for _, by := range Samplers {
				for run := range 5 {
					draw.draw(by, newRandom(1, uint64(run)), x)
					if !p.legal(x) || slices.Max(x.Worker) > 2 {
						t.Fatalf("%s: %v of %+v", by, x, s)
					}
				}
			}
		}
	}
}

// frequencies draws schedules and counts them.
func frequencies(d *DAG, by Sampler, workers, runs int) map[string]float64 {
	draw, x := newDrawer(d, workers, 1), newSchedule(d.Vertices())
	of := map[string]float64{}
	for run := range runs {
		draw.draw(by, newRandom(7, uint64(run)), x)
		of[fmt.Sprint(x)]++
	}
	return of
}

// chiSquare is the sum of squared deviations in units of their variance, and its degrees of
// freedom.
func chiSquare(of map[string]float64, runs int, want map[string]float64) (sum, degrees float64) {
	for x, p := range want {
		expected := p * float64(runs)
		sum += (of[x] - expected) * (of[x] - expected) / expected
	}
	return sum, float64(len(want) - 1)
}

// The uniform sampler has each schedule of every small shape as often as the others, and the random
// walk as often as its choices say. The seeds are fixed: a failure is no accident.
func TestFrequencies(t *testing.T) {
	const runs = 4000
	worst := 0.0
	for _, workers := range []int{1, 2} {
		for _, list := range shapesUpTo(5 - workers) {
			for _, s := range list {
				d := dagOf(s, newRandom(1, 1))
				uniform, walk := map[string]float64{}, map[string]float64{}
				total := float64(d.Schedules(workers).Uint64())
				p := newProgress(d)
				d.enumerate(workers, func(x *Schedule) bool {
					uniform[fmt.Sprint(x)] = 1 / total
					probability := math.Pow(1/float64(workers), float64(d.Vertices()))
					ready := p.begin(nil)
					for _, v := range x.Order {
						probability /= float64(len(ready))
						ready = slices.DeleteFunc(ready, func(x int32) bool { return x == v })
						ready = p.end(v, ready)
					}
					walk[fmt.Sprint(x)] = probability
					return true
				})
				for by, want := range map[Sampler]map[string]float64{Uniform: uniform, Walk: walk} {
					of := frequencies(d, by, workers, runs)
					for x := range of {
						if want[x] == 0 {
							t.Fatalf("%s drew %s, which is no schedule of %+v", by, x, s)
						}
					}
					if len(want) == 1 {
						continue
					}
					sum, degrees := chiSquare(of, runs, want)
					// Wilson and Hilferty: about normal
					z := (math.Cbrt(sum/degrees) - 1 + 2/(9*degrees)) / math.Sqrt(2/(9*degrees))
					if worst = max(worst, z); z > 4.5 {
						t.Errorf("%s, %d workers, %+v: chi square %.1f of %.0f", by, workers, s, sum, degrees)
					}
				}
			}
		}
	}
	if worst == 0 {
		t.Error("nothing was compared")
	}
}

// A greedy schedule has no worker idle while a vertex may begin.
func TestGreedy(t *testing.T) {
	d := quad(4)
	r := newRandom(1, 1)
	for v := range d.ticks {
		d.ticks[v] = 1 + r.below(9)
	}
	const workers = 3
	draw, s := newDrawer(d, workers, 0), newSchedule(d.Vertices())
	draw.draw(Greedy, newRandom(1, 2), s)
	ends, begins := make([]uint64, d.Vertices()), make([]uint64, d.Vertices())
	var free [workers]uint64
	order := d.after()
	for _, v := range s.Order {
		at := free[s.Worker[v]]
		for _, b := range order.before[v] {
			at = max(at, ends[b])
		}
		begins[v], ends[v] = at, at+d.ticks[v]
		free[s.Worker[v]] = ends[v]
	}
	for v := range ends {
		ready := uint64(0)
		for _, b := range order.before[v] {
			ready = max(ready, ends[b])
		}
		for at := ready; at < begins[v]; at++ {
			busy := 0
			for x := range ends {
				if begins[x] <= at && at < ends[x] {
					busy++
				}
			}
			if busy < workers {
				t.Fatalf("vertex %d could begin at %d and began at %d; at %d %d workers were busy", v, ready,
					begins[v], at, busy)
			}
		}
	}
}

// legal reports whether the order of s has each vertex once, after all that it follows from.
func (p *progress) legal(s *Schedule) bool {
	may := make([]bool, p.d.Vertices())
	ready := p.begin(nil)
	for _, v := range s.Order {
		for _, x := range ready {
			may[x] = true
		}
		if !may[v] {
			return false
		}
		may[v] = false
		ready = p.end(v, ready[:0])
	}
	return len(s.Order) == p.d.Vertices()
}
