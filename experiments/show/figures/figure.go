// Package figures makes figures for print of experiments: those of the KRD paper, each from the
// cells of one group (one kernel, its parameters, one substrate, one machine), and some that the
// paper has not.
//
// A figure is a [plot.Figure], which package plot draws. The parts: scaling.go, kernels.go,
// distances.go, far.go, misses.go, workers.go and matrix.go choose series and measures; caption.go
// writes what stands below.
package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/plot"
)

// A Skipped is a figure that a group has not the numbers for.
type Skipped struct {
	ID     string // of a family, or of one figure of it: "krd", "far-24"
	Reason string
	Next   string // the command that computes it; "": none
}

func (s Skipped) String() string { return s.ID + ": " + s.Error() }

// Error returns the reason: a maker returns a Skipped as its error where it draws the rest of its
// family.
func (s Skipped) Error() string {
	if s.Next != "" {
		return s.Reason + ": " + s.Next
	}
	return s.Reason
}

// Class implements [failure.Classed].
func (Skipped) Class() failure.Class { return failure.Failed }

// A maker makes the figures of one family from a group, and returns the reasons for those missing.
type maker struct {
	id    string
	about string
	make  func(*subject) ([]plot.Figure, error)
}

// makers are all families: what the time is made of, then in the order of the paper.
var makers = []maker{
	{whyID, "the time of a simulated run, from ideal by causes to the time; only if asked for where " +
		"that takes more than a moment", one(why)},
	{"speedup", "speed-up against cores (KRD paper, figures 1 a, 2 a)", one(speedup.figure)},
	{"ovr", "non-work overhead against cores (1 b, 2 b)", one(overhead.figure)},
	{"wti", "work time inflation against cores", one(inflation.figure)},
	{"speedup-ovr", "speed-up x OVR / N, which is 1 / WTI, against cores (1 c, 2 c)",
		one(inverseWTI.figure)},
	{"factors", "speed-up, OVR and WTI against cores side by side, each on an axis of its own",
		one(factors)},
	{"kernel-wti", "work time inflation of each kernel against cores", one(kernelWTI)},
	{"krd", "reuse distances, cumulative and per bin, on 1 core, 1 node, all nodes (4, 5): " +
		"krd-cumulative-CORES, krd-bins-CORES", reuse},
	{"far", "accesses by distance on 2 nodes (6), far-CORES; the share beyond the LLC's size by cores",
		far},
	{"misses", "share of accesses beyond the LLC's size against LLC misses", one(misses)},
	{"shares", "shares of work, scheduling and idling", one(shares)},
	{"steals", "steals by the nodes of thief and victim at the largest core count", one(steals)},
	{mapID, "who wrote each block of the largest object last, by node, under each scheduler", one(maps)},
	{timelineID, "what each worker did when, its kernel executions by reuse class, under each scheduler",
		one(timeline)},
	{arcsID, "where accesses find what they touch: arcs to its previous use on the node, over time",
		one(arcs)},
}

func one(f func(*subject) (*plot.Figure, error)) func(*subject) ([]plot.Figure, error) {
	return func(s *subject) ([]plot.Figure, error) {
		fig, err := f(s)
		if err != nil {
			return nil, err
		}
		return []plot.Figure{*fig}, nil
	}
}

// All returns every figure that can be drawn from the group, in the order of the KRD paper, and
// what cannot be and why. The same group gives the same figures on every computer. Cost: a
// bootstrap for each scheduler and core count with several seeds, and some passes over the traces of
// the largest core count.
func All(g *dataset.Group) (list []plot.Figure, skipped []Skipped) { return Of(g, nil) }

// Of does as All for the families of some ids, figures or families; nil: for all.
func Of(g *dataset.Group, ids []string) (list []plot.Figure, skipped []Skipped) {
	s := newSubject(g)
	s.asked = ids != nil
	for _, m := range makers {
		if ids != nil && !slices.ContainsFunc(ids, func(id string) bool {
			return id == m.id || strings.HasPrefix(id, m.id+"-")
		}) {
			continue
		}
		figs, err := m.make(s)
		errs := []error{err}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			errs = several.Unwrap()
		}
		for _, err := range errs {
			if one, ok := err.(Skipped); ok {
				skipped = append(skipped, one)
			} else if err != nil {
				skipped = append(skipped, Skipped{ID: m.id, Reason: err.Error()})
			}
		}
		for i := range figs {
			figs[i].Caption = slices.Concat([]string{s.source()}, sentences(figs[i].Findings), figs[i].Caption, figs[i].Notes())
		}
		list = append(list, figs...)
	}
	return list, skipped
}

// Families returns the first words of the IDs of figures, each with what it shows.
func Families() (ids, about []string) {
	for _, m := range makers {
		ids, about = append(ids, m.id), append(about, m.about)
	}
	return append(ids, MatrixID), append(about, matrixAbout)
}

// A subject is a group as the makers read it.
type subject struct {
	*dataset.Group
	schedulers []string
	cores      []int
	results    map[cell]*result.Result
	looks      map[string]int // of schedulers
	scheduled  *schedules     // nil: not read yet
	asked      bool           // families were named
}

type cell struct {
	scheduler string
	cores     int
}

func newSubject(g *dataset.Group) *subject {
	s := &subject{Group: g, schedulers: g.Schedulers(), cores: g.Cores(),
		results: map[cell]*result.Result{}, looks: map[string]int{}}
	looks := SchedulerLooks(s.schedulers)
	for i, name := range s.schedulers {
		s.looks[name] = looks[i]
		for _, n := range s.cores {
			if r := g.At(name, n); r != nil {
				s.results[cell{name, n}] = r
			}
		}
	}
	return s
}

// at returns a result, nil where there is none.
func (s *subject) at(scheduler string, cores int) *result.Result {
	return s.results[cell{scheduler, cores}]
}

// machine returns the machine of the numbers, the same for all cells except for fields that names
// do not hold.
func (s *subject) machine() *result.Machine { return &s.Cells[0].Result.Machine }

// several refuses figures against cores where there is one core count only.
func (s *subject) several() error {
	if len(s.cores) < 2 {
		return fmt.Errorf("one core count only (%d); it is drawn against cores", s.cores[0])
	}
	return nil
}

// Means returns a function that reports whether a word means the figure of an ID. The ID itself
// does, and its beginning unless the ID is a family's own: "krd" and "krd-bins" mean "krd-bins-24".
func Means(id string) func(word string) bool {
	family := slices.ContainsFunc(makers, func(m maker) bool { return m.id == id })
	return func(word string) bool {
		return id == word || !family && strings.HasPrefix(id, word+"-")
	}
}
