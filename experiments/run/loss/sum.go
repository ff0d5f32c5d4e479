package loss

import (
	"cmp"
	"math"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/krd/doc"
)

// least is the share of the time from which a pair of groups is kept.
const leastPair = 0.005

// sum sums up the repetitions of a scheduler. Where no seed decided anything, one stands for all.
func sum(name string, workers int, reps []timed) Loss {
	fixed := !slices.ContainsFunc(reps, func(t timed) bool { return t.drawn })
	if fixed {
		reps = reps[:1]
	}
	sample := func(value func(t *timed) float64) estimate.Sample {
		list := make([]float64, len(reps))
		for i := range reps {
			list[i] = value(&reps[i])
		}
		return estimate.Sample{Values: list, Fixed: fixed}
	}
	of := func(value func(t *timed) float64) doc.Quantity { return sample(value).Quantity() }
	part := func(key string, ps func(t *timed) float64) Part {
		ns := sample(func(t *timed) float64 { return ps(t) / 1000 })
		return Part{Key: key, sample: ns, NS: ns.Quantity(), Share: of(func(t *timed) float64 { return ps(t) / t.time })}
	}
	p := float64(workers)
	l := Loss{Scheduler: name, Workers: workers,
		TimeNS:  of(func(t *timed) float64 { return t.time / 1000 }),
		IdealNS: of(func(t *timed) float64 { return t.serial / p / 1000 }),
		Lost:    of(func(t *timed) float64 { return (t.time - t.serial/p) / t.time }),
		Parallel: part("parallelism", func(t *timed) float64 {
			return max(0, t.span-t.serialAll/p)
		}),
		Rest: part("rest", func(t *timed) float64 {
			return t.without[len(t.without)-1] - max(t.serialAll/p, t.span)
		}),
		Serial: part("serial_too", func(t *timed) float64 { return (t.serial - t.serialAll) / p }),
		Pairs:  []Pair{},
	}
	cold := func(t *timed) float64 { return (t.work - t.serialWork) / p }
	l.Rest.Parts = []Part{part("imbalance", func(t *timed) float64 {
		return t.without[len(t.without)-1] - max(t.serialAll/p, t.span) - cold(t)
	}), part("cold", cold)}
	median := func(value func(t *timed) float64) doc.Number { return of(value).Median }
	for i := range groups {
		g := part(groups[i].key, func(t *timed) float64 { return t.shapley()[i] })
		g.Least = median(func(t *timed) float64 { least, _ := t.ends(i); return least / t.time })
		g.Most = median(func(t *timed) float64 { _, most := t.ends(i); return most / t.time })
		g.Alone = median(func(t *timed) float64 { return (t.time - t.without[1<<i]) / t.time })
		if len(reps[0].free) > 0 {
			q := of(func(t *timed) float64 { return (t.time - t.free[i]) / t.time })
			g.Free = &q
		}
		for k, c := range groups[i].parts {
			if divided(reps, i) {
				g.Parts = append(g.Parts, part(c.key, func(t *timed) float64 { return scaled(t, i, t.parts[i], k) }))
			}
		}
		for k, name := range reps[0].names {
			if groups[i].memory && divided(reps, i) {
				g.Objects = append(g.Objects, part(name, func(t *timed) float64 { return scaled(t, i, t.objects[i], k) }))
			}
		}
		slices.SortStableFunc(g.Objects, func(a, b Part) int {
			return cmp.Compare(b.Share.Median.Float(), a.Share.Median.Float())
		})
		l.Groups = append(l.Groups, g)
	}
	for i := range groups {
		for k := range i {
			q := of(func(t *timed) float64 {
				return (t.time - t.without[1<<i] - t.without[1<<k] + t.without[1<<i|1<<k]) / t.time
			})
			if math.Abs(q.Median.Float()) >= leastPair {
				l.Pairs = append(l.Pairs, Pair{[2]string{groups[k].key, groups[i].key}, q})
			}
		}
	}
	slices.SortStableFunc(l.Pairs, func(a, b Pair) int {
		return cmp.Compare(math.Abs(b.Shared.Median.Float()), math.Abs(a.Shared.Median.Float()))
	})
	return l
}

// divided reports whether group i was divided in each repetition.
func divided(reps []timed, i int) bool {
	for k := range reps {
		if reps[k].shapley()[i] < partsFrom*reps[k].time {
			return false
		}
	}
	return true
}

// scaled returns part k of group i: its gain alone, scaled to the share of the group; NaN where the
// parts gain nothing together.
func scaled(t *timed, i int, alone []float64, k int) float64 {
	total := 0.0
	for _, ps := range alone {
		total += ps
	}
	if total <= 0 {
		return math.NaN()
	}
	return alone[k] / total * t.shapley()[i]
}

// compare adds a doubt where a repetition took another time in the folder than now.
func (r *Report) compare(e *dataset.Experiment, name string, reps []timed) {
	for i := range e.Cells {
		x := e.Cells[i].Result
		if x.Scheduler != name {
			continue
		}
		for rep := range min(len(reps), len(x.Repetitions)) {
			if now, then := int64(reps[rep].time/1000), x.Repetitions[rep].TimeNS; now != then {
				r.Conclude(doc.Find(notRepeated, rep+1, float64(then), float64(now)).About(name))
				return
			}
		}
	}
}
