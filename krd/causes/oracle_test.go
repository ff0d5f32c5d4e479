package causes

import (
	"cmp"
	"slices"
)

// An event is one access to units of an object by a kernel.
type event struct {
	kernel, object int
	units          []uint32
}

// naive counts a trace from the definitions: for each access it looks back for the last access to
// its units, and collects the distinct units touched in between. objectOf holds the object of each
// unit.
func naive(trace []event, size []uint64, objectOf []int, kernels, objects int, from, to uint64,
	opt Options) *Result {
	type tallies struct{ all, within, cold uint64 }
	k, o := make([]tallies, kernels), make([]tallies, objects)
	pairBytes, pairCount, sources := map[[2]int]uint64{}, map[[2]int]uint64{}, map[[2]int]uint64{}
	var all tallies
	var distances uint64

	for i, e := range trace {
		type one struct{ last, weight, bytes int }
		var list []one // what counts as an access of its own
		oldest := i
		for _, u := range e.units {
			last := i - 1
			for last >= 0 && !slices.Contains(trace[last].units, u) {
				last--
			}
			list = append(list, one{last, int(size[u]), int(size[u])})
			oldest = min(oldest, last)
		}
		if !opt.Bytes {
			list = append(list, one{oldest, 1, 0})
		}
		for j := range list { // the bytes that were last touched at the same time
			list[j].bytes = 0
			for k, u := range e.units {
				if list[k].last == list[j].last {
					list[j].bytes += int(size[u])
				}
			}
		}
		if !opt.Bytes {
			list = list[len(list)-1:]
		}
		for _, a := range list {
			w := uint64(a.weight)
			add := func(f func(t *tallies)) { f(&all); f(&k[e.kernel]); f(&o[e.object]) }
			add(func(t *tallies) { t.all += w })
			if a.last < 0 {
				add(func(t *tallies) { t.cold += w })
				if opt.Cold && to == Unbounded {
					add(func(t *tallies) { t.within += w })
				}
				continue
			}
			between := map[uint32]bool{}
			for _, f := range trace[a.last+1 : i] {
				for _, u := range f.units {
					between[u] = true
				}
			}
			byObject := map[int]uint64{}
			var dist uint64
			for u := range between {
				byObject[objectOf[u]] += size[u]
				dist += size[u]
			}
			measured := dist
			if opt.Inclusive {
				measured += uint64(a.bytes)
			}
			if measured < from || measured >= to {
				continue
			}
			add(func(t *tallies) { t.within += w })
			distances += dist
			sources[[2]int{trace[a.last].kernel, e.kernel}] += w
			for other, bytes := range byObject {
				if bytes > 0 {
					pairBytes[[2]int{e.object, other}] += bytes
					pairCount[[2]int{e.object, other}] += w
				}
			}
		}
	}

	share := func(a, b uint64) *float64 { return ratio(float64(a), float64(b)) }
	counts := func(t tallies) Counts {
		return Counts{t.within, share(t.within, all.within), t.all, share(t.within, t.all), t.cold}
	}
	r := &Result{FromBytes: from, ColdInRange: opt.Cold && to == Unbounded, Accesses: all.within,
		AllAccesses: all.all, Cold: all.cold,
		BetweenBytes: float64(distances), Kernels: []KernelRow{}, Objects: []ObjectRow{}}
	if to != Unbounded {
		r.ToBytes = &to
	}
	for i, t := range k {
		if t.all > 0 {
			r.Kernels = append(r.Kernels, KernelRow{i, "", counts(t)})
		}
	}
	for i, t := range o {
		if t.all > 0 {
			r.Objects = append(r.Objects, ObjectRow{i, "", counts(t)})
		}
	}
	slices.SortFunc(r.Kernels, func(a, b KernelRow) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.Number, b.Number))
	})
	slices.SortFunc(r.Objects, func(a, b ObjectRow) int {
		return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.Number, b.Number))
	})
	if opt.Pairs {
		r.Pairs = []ObjectPairRow{}
		for p, n := range pairBytes {
			r.Pairs = append(r.Pairs, ObjectPairRow{p[0], "", p[1], "", float64(n),
				share(n, distances), pairCount[p]})
		}
		slices.SortFunc(r.Pairs, func(a, b ObjectPairRow) int {
			return cmp.Or(cmp.Compare(b.BetweenBytes, a.BetweenBytes),
				cmp.Compare(a.Number, b.Number), cmp.Compare(a.BetweenNumber, b.BetweenNumber))
		})
	}
	if opt.Sources {
		r.KernelPairs = []KernelPairRow{}
		for p, n := range sources {
			r.KernelPairs = append(r.KernelPairs, KernelPairRow{p[0], "", p[1], "", n,
				share(n, all.within)})
		}
		slices.SortFunc(r.KernelPairs, func(a, b KernelPairRow) int {
			return cmp.Or(cmp.Compare(b.Accesses, a.Accesses), cmp.Compare(a.SourceNumber,
				b.SourceNumber), cmp.Compare(a.Number, b.Number))
		})
	}
	return r
}
