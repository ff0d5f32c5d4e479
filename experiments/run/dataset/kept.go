package dataset

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/loi"
)

// ViewsDir is the folder of an experiment with the pages of its traces, and ViewFile is the page of
// a single run.
const (
	ViewsDir = "views"
	ViewFile = "view.html"
)

// ViewOf returns the page of the traces of a group on so many cores, relative to the experiment's
// folder, with slashes. It is named after the first of the cells, which differ in the seed.
func (g *Group) ViewOf(cores int) string {
	for _, c := range g.Cells {
		if c.Result.Cores == cores {
			return path.Join(ViewsDir, c.ID+".html")
		}
	}
	return ""
}

// A Kept is a trace that a cell keeps, and where its repetition lies among all that were timed.
type Kept struct {
	Cell   *Cell
	Path   string // of the trace
	Rep    int    // from 0; -1: it was traced apart from those that were timed
	TimeNS float64

	Rank, Of int  // its place by time, from 1, among the timed repetitions and itself
	Seeds    bool // those are of several seeds
}

// Median reports whether the repetition is the one that [result.MedianRepetition] returns.
func (k *Kept) Median() bool { return k.Rank-1 == (k.Of-1)/2 }

// String returns the number of the repetition and the place of its trace, as a page prints it.
func (k *Kept) String() string {
	which := fmt.Sprintf("repetition %d", k.Rep+1)
	if k.Rep < 0 {
		which = "a repetition traced after those that were timed"
	}
	if k.Seeds {
		which += fmt.Sprintf(" of seed %d", k.Cell.Result.Seed)
	}
	switch {
	case k.Of == 1 && k.Cell.Result.Deterministic:
		return which + ", which stands for all: nothing is drawn at random"
	case k.Of == 1:
		return which + ", the only one"
	case k.Median():
		return fmt.Sprintf("%s, the median of %d by time", which, k.Of)
	}
	return fmt.Sprintf("%s, %s of %d by time, not the median", which, units.Ordinal(k.Rank), k.Of)
}

// MedianTrace returns the trace of the repetition of median time, of a scheduler at a core count;
// where that repetition has none, the trace of the one nearest to it by rank. nil: no trace is kept.
// Several cells (of several seeds) are taken together.
func (g *Group) MedianTrace(scheduler string, cores int) *Kept {
	var all []Kept
	cells := 0
	for _, c := range g.Cells {
		if c.Result.Scheduler == scheduler && c.Result.Cores == cores {
			all = append(all, c.repetitions()...)
			cells++
		}
	}
	slices.SortStableFunc(all, func(a, b Kept) int {
		return cmp.Or(cmp.Compare(min(b.Rep, 0), min(a.Rep, 0)), cmp.Compare(a.TimeNS, b.TimeNS))
	})
	n := len(all)
	for n > 0 && all[n-1].Rep < 0 { // those that were traced apart are the last
		n--
	}
	for i := range all {
		all[i].Rank, all[i].Of = i+1, n
	}
	for i := n; i < len(all); i++ {
		before := 0
		for before < n && all[before].TimeNS <= all[i].TimeNS {
			before++
		}
		all[i].Rank, all[i].Of = before+1, n+1
	}
	var best *Kept
	for i := range all {
		if k := &all[i]; k.Path != "" && (best == nil || k.off() < best.off()) {
			best = k
		}
	}
	if best != nil {
		best.Seeds = cells > 1
	}
	return best
}

// off returns how many ranks the repetition is away from the median one.
func (k *Kept) off() int {
	d := k.Rank - 1 - (k.Of-1)/2
	return max(d, -d)
}

// repetitions returns the timed repetitions of a cell, with their traces where these are kept, and
// the one that was traced apart.
func (c *Cell) repetitions() (list []Kept) {
	r := c.Result
	kept := func(name string) string {
		file := filepath.Join(c.Dir, name)
		if name == "" || !filepath.IsLocal(name) || !exists(file) {
			return ""
		}
		return file
	}
	for i := range r.Repetitions {
		k := Kept{Cell: c, Rep: i, TimeNS: float64(r.Repetitions[i].TimeNS)}
		if r.Settings.Trace == request.TraceFull {
			k.Path = kept(result.TraceFile(fmt.Sprintf("%s.%d", r.Scheduler, i+1)))
		}
		list = append(list, k)
	}
	if t := r.Trace; t != nil && r.Settings.Trace == request.TraceDefault && kept(t.Path) != "" {
		if r.Substrate == loi.Simulated && len(list) > 0 { // tracing takes no virtual time
			list[0].Path = kept(t.Path)
		} else if t.TimeNS.Known() {
			list = append(list, Kept{Cell: c, Path: kept(t.Path), Rep: -1,
				TimeNS: t.TimeNS.Float()})
		}
	}
	return list
}
