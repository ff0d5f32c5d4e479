package interleave

import (
	"context"
	"math"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd/analysis"
	threads "krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// goroutines explores the schedules of a Go program.
func (o *Options) goroutines(ctx context.Context, list []*loi.Trace, in *analysis.Input, r resolved,
	memory *threads.Account) (analysis.Result, error) {
	if len(list) > 1 {
		return nil, wrong("%s and %s are of runs of goroutines, which may differ; look at one of them at a time",
			list[0].Info().Path, list[1].Info().Path)
	}
	if o.SaveSchedule != "" {
		return nil, wrong("--save-schedule: krdlab run --follow takes schedules of tasks; the trace has goroutines")
	}
	samplers := goroutines.Samplers
	if o.Samplers != nil {
		samplers = r.samplers
	}
	for _, s := range samplers {
		if !slices.Contains(goroutines.Samplers, s) {
			return nil, wrong("--sampler %s: for goroutines there are %s", s, listed(goroutines.Samplers))
		}
	}
	p, err := goroutines.Read(ctx, list[0], memory)
	if err != nil {
		return nil, err
	}
	found, ok := p.Unordered(memory)
	if !ok {
		found = nil
	}
	if o.CutRaces {
		if p, ok = p.WithoutRaces(memory); !ok {
			return nil, wrong("--cut-races: the clocks of goroutines do not fit into the memory; ask for more --memory")
		}
		if p.Accesses() == 0 {
			return nil, wrong("--cut-races: all accesses depend on conflicts that no operation orders; leave it out")
		}
	}
	x := &ofGoroutines{header: &list[0].Header}
	if p.LLCBytes, x.cache, err = r.cache(p.Bytes(), p.LLCBytes); err != nil {
		return nil, err
	}
	depth, err := within(o.Depth, p.Pieces(), "a schedule has")
	if err != nil {
		return nil, err
	}
	opt := goroutines.Options{Samplers: samplers, Depth: depth, Runs: o.Runs, Search: o.Search,
		Enumerate: fewSchedules, All: o.Enumerate, Seed: o.Seed, For: r.time, Memory: memory, Progress: in.Progress}
	if o.Enumerate {
		opt.Enumerate = maxSchedules
	}
	if x.Exploration, err = goroutines.Explore(ctx, p, opt); err != nil {
		return nil, err
	}
	x.found = found
	x.Conclude(in.Warnings...)
	if fit := p.Bytes(); fit <= p.LLCBytes {
		x.Find(allFits, units.Bytes(fit), x.cache, units.Bytes(p.LLCBytes))
	}
	return x, nil
}

// ofGoroutines holds what schedules of a Go program come to.
type ofGoroutines struct {
	*goroutines.Exploration
	found  *goroutines.Conflicts // nil: not enough memory for them
	cache  string
	header *loi.Header
	doc.Concluded
}

// A GoroutinesDocument is the JSON form of what was found of goroutines.
type GoroutinesDocument struct {
	SchemaVersion int        `json:"schema_version"`
	Program       string     `json:"program"`
	Unit          string     `json:"unit"` // of distances: bytes
	Goroutines    int        `json:"goroutines"`
	Operations    int        `json:"operations"`
	Pieces        int        `json:"pieces"`        // with accesses, or that begin with a lock
	Longest       int        `json:"longest_piece"` // in accesses, which no schedule interrupts
	CutAt         int        `json:"cut_at"`        // longer pieces are cut, and so more schedules drawn; 0: none
	Accesses      int        `json:"accesses"`
	LeftOut       int        `json:"left_out"` // accesses that are not among these: they depend on unordered conflicts
	Reuses        int        `json:"reuses"`   // the others are the first of their datum
	L2Bytes       doc.Number `json:"l2_bytes"`
	LLCBytes      uint64     `json:"llc_bytes"`
	// Complete: all schedules were gone through, and the ranges are exact; otherwise they are at least
	// as wide.
	Complete  bool             `json:"complete"`
	Kept      goroutines.Kept  `json:"kept"`
	Groups    []GoroutineGroup `json:"groups"`
	Unordered *Unordered       `json:"unordered"` // null: there was not enough memory
	doc.Concluded
}

// Unordered are accesses of two goroutines to the same data, of which one writes and which no operation
// orders, in the recorded schedule: a read of another schedule may read another value.
type Unordered struct {
	Conflicts uint64 `json:"conflicts"` // not ordered by critical sections either
	ByLocks   uint64 `json:"by_locks"`  // ordered by these alone
	Orphans   uint64 `json:"orphans"`   // of goroutines whose start is not in the trace, in no pair: it may order them
	// Pairs are the most frequent ones, at most 100.
	Pairs []Conflict `json:"pairs"`
}

// A Conflict is accesses at two lines, "main.f, main.go:12", or in two functions where the trace does not
// tell lines, in the order of the recorded schedule.
type Conflict struct {
	Object    string          `json:"object"`
	Does      goroutines.Does `json:"does"`
	First     string          `json:"first"`
	Then      string          `json:"then"`
	Unordered uint64          `json:"unordered"`
	ByLocks   uint64          `json:"by_locks"`
}

// mostPairs is how many pairs a document has.
const mostPairs = 100

// A GoroutineGroup is a set of schedules: all, drawn by a sampler, or the recorded one.
type GoroutineGroup struct {
	Name      string           `json:"name"`
	Kind      tasks.Kind       `json:"kind"`
	Runs      int              `json:"runs"`
	Deadlocks int              `json:"deadlocks"` // goroutines wait for each other, whatever is kept
	Stuck     int              `json:"stuck"`     // that could not end with what is kept
	Total     GoroutineFound   `json:"total"`
	Objects   []GoroutineFound `json:"objects"`
}

// GoroutineFound is what schedules come to for an object, or for all.
type GoroutineFound struct {
	Object   string `json:"object"` // "": all
	Accesses int    `json:"accesses"`
	Reuses   int    `json:"reuses"`
	// The least and the largest distance of any reuse in any schedule
	Least       doc.Number   `json:"least_distance"`
	Largest     doc.Number   `json:"largest_distance"`
	Distance    MeasureRange `json:"mean_distance"`
	BeyondL2    MeasureRange `json:"beyond_l2"`   // reuses
	BeyondLLC   MeasureRange `json:"beyond_llc"`  // reuses
	Invalidated MeasureRange `json:"invalidated"` // accesses, by another goroutine's write
}

// A MeasureRange is a number over schedules; null where it is not known.
type MeasureRange struct {
	Minimum doc.Number `json:"minimum"`
	Mean    doc.Number `json:"mean"`
	Maximum doc.Number `json:"maximum"`
}

// Document implements [analysis.Result].
func (x *ofGoroutines) Document() any {
	d := &GoroutinesDocument{SchemaVersion: SchemaVersion, Program: dag.ProgramOf(x.header), Unit: tasks.Unit,
		Goroutines: x.Goroutines, Operations: x.Operations(), Pieces: x.Pieces(), Longest: x.Longest(), CutAt: x.CutAt,
		Accesses: x.Accesses(), LeftOut: x.LeftOut,
		LLCBytes: x.LLCBytes, Complete: x.Complete, Kept: x.Kept, Concluded: x.Concluded}
	if x.L2Bytes > 0 {
		d.L2Bytes = doc.Some(float64(x.L2Bytes))
	}
	accesses, reuses := x.ByObject()
	for _, n := range reuses {
		d.Reuses += n
	}
	for _, g := range x.Groups {
		y := GoroutineGroup{Name: g.Name, Kind: g.Kind, Runs: g.Runs, Deadlocks: g.Deadlocks, Stuck: g.Stuck,
			Objects: []GoroutineFound{}, Total: x.foundIn(g, &g.Total, "", x.Accesses(), d.Reuses)}
		for o := range g.Objects {
			if accesses[o] > 0 {
				y.Objects = append(y.Objects, x.foundIn(g, &g.Objects[o], x.Objects[o], accesses[o], reuses[o]))
			}
		}
		d.Groups = append(d.Groups, y)
	}
	if x.found != nil {
		d.Unordered = &Unordered{x.found.Unordered, x.found.ByLocks, x.found.Orphans, []Conflict{}}
		kernels := x.header.Registry.Kernels
		for _, p := range x.found.Pairs[:min(len(x.found.Pairs), mostPairs)] {
			d.Unordered.Pairs = append(d.Unordered.Pairs, Conflict{p.Object, p.Does, kernels[p.First].Name,
				kernels[p.Then].Name, p.Unordered, p.ByLocks})
		}
	}
	return d
}

func (x *ofGoroutines) foundIn(g *goroutines.Group, f *goroutines.Found, object string, accesses,
	reuses int) GoroutineFound {
	y := GoroutineFound{Object: object, Accesses: accesses, Reuses: reuses}
	if f.Least <= f.Most {
		y.Least, y.Largest = doc.Some(float64(f.Least)), doc.Some(float64(f.Most))
	}
	of := func(m goroutines.Measure, by float64) (r MeasureRange) {
		if v := f.Ranges[m]; g.Runs > 0 && by > 0 {
			r.Minimum, r.Maximum = doc.Some(float64(v.Minimum)/by), doc.Some(float64(v.Maximum)/by)
			if g.Kind != tasks.KindSearch { // what it tries is no sample
				r.Mean = doc.Some(float64(v.Sum) / by / float64(g.Runs))
			}
		}
		return r
	}
	y.Distance, y.BeyondLLC = of(goroutines.Distance, float64(reuses)), of(goroutines.BeyondLLC, 1)
	if y.Invalidated = of(goroutines.Invalidated, 1); x.L2Bytes > 0 {
		y.BeyondL2 = of(goroutines.BeyondL2, 1)
	}
	return y
}

// A measure is one of the tables for people, in parts of all accesses or, of distances, in bytes.
type measure struct {
	key, head string
	of        func(*GoroutineFound) *MeasureRange
	share     bool
}

func (x *ofGoroutines) measures() []measure {
	cache := x.cache
	if cache != "LLC" {
		cache = "cache"
	}
	return []measure{
		{"mean_distance", "mean distance of a reuse",
			func(f *GoroutineFound) *MeasureRange { return &f.Distance }, false},
		{"beyond_l2", "reuses beyond the L2, " + size(x.L2Bytes),
			func(f *GoroutineFound) *MeasureRange { return &f.BeyondL2 }, true},
		{"beyond_llc", "reuses beyond the " + cache + ", " + size(x.LLCBytes),
			func(f *GoroutineFound) *MeasureRange { return &f.BeyondLLC }, true},
		{"invalidated", "written by another goroutine since",
			func(f *GoroutineFound) *MeasureRange { return &f.Invalidated }, true},
	}
}

func size(bytes uint64) string {
	if bytes == 0 {
		return "size not known"
	}
	return units.Bytes(bytes)
}

// whole returns the range of a measure over all groups, and the number of the recorded schedule.
func whole(groups []GoroutineFound, m *measure) (least, most, recorded doc.Number) {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range groups {
		if r := m.of(&groups[i]); r.Minimum.Known() {
			low, high = min(low, r.Minimum.Float()), max(high, r.Maximum.Float())
		}
	}
	if low > high {
		return least, most, recorded
	}
	return doc.Some(low), doc.Some(high), m.of(&groups[len(groups)-1]).Mean
}

// placeOf returns where a number lies in a range, from 0 to 1; none where that has no width.
func placeOf(least, most, at doc.Number) (place doc.Number) {
	if least.Known() && at.Known() && most.Float() > least.Float() {
		place = doc.Some((at.Float() - least.Float()) / (most.Float() - least.Float()))
	}
	return place
}
