package interleave

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"krdlab/hw/units"
	"krdlab/krd/analysis"
	threads "krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// goroutines explores the schedules of a Go program, from one or several recordings.
func (o *Options) goroutines(ctx context.Context, list []*loi.Trace, in *analysis.Input, r resolved) (analysis.Result,
	error) {
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
	x := &ofGoroutines{header: &list[0].Header}
	opt := goroutines.Options{Samplers: samplers, Runs: o.Runs, Enumerate: fewSchedules, All: o.Enumerate,
		Seed: o.Seed, For: r.time / time.Duration(len(list)), Progress: in.Progress}
	if o.Enumerate {
		opt.Enumerate = maxSchedules
	}
	var each []*GoroutinesDocument
	for _, t := range list {
		if a, b := dag.ProgramOf(&t.Header), dag.ProgramOf(x.header); a != b {
			return nil, wrong("%s is of %q, and %s of %q; look at one of them at a time", t.Info().Path, a,
				list[0].Info().Path, b)
		}
		d, err := o.recording(ctx, t, x, r, opt, len(list))
		if err != nil {
			return nil, err
		}
		each = append(each, d)
	}
	x.document = together(each)
	x.Conclude(in.Warnings...)
	if x.fits {
		x.Find(allFits, units.Bytes(x.bytes), x.cache, units.Bytes(x.llc))
	}
	return x, nil
}

// recording explores the schedules of a recording, which is one of several.
func (o *Options) recording(ctx context.Context, t *loi.Trace, x *ofGoroutines, r resolved, opt goroutines.Options,
	recordings int) (*GoroutinesDocument, error) {
	opt.Memory = threads.NewAccount(r.memory)
	p, err := goroutines.Read(ctx, t, opt.Memory)
	if err != nil {
		return nil, err
	}
	found, ok := p.Unordered(opt.Memory)
	if !ok {
		found = nil
	}
	if o.CutRaces {
		if p, ok = p.WithoutRaces(opt.Memory); !ok {
			return nil, wrong("--cut-races: the clocks of goroutines do not fit into the memory; ask for more --memory")
		}
		if p.Accesses() == 0 {
			return nil, wrong("--cut-races: all accesses depend on conflicts that no operation orders; leave it out")
		}
	}
	if x.bytes > 0 { // all have the caches of the first
		p.L2Bytes, p.LLCBytes = x.l2, x.llc
	} else if p.LLCBytes, x.cache, err = r.cache(p.Bytes(), p.LLCBytes); err != nil {
		return nil, err
	} else {
		x.l2, x.llc, x.bytes, x.fits = p.L2Bytes, p.LLCBytes, p.Bytes(), true
	}
	x.fits = x.fits && p.Bytes() <= p.LLCBytes
	if opt.Depth, err = within(o.Depth, p.Pieces(), "a schedule has"); err != nil {
		return nil, err
	}
	opt.Search = max(o.Search, min(mostSearch*o.Search, searchAccesses/p.Accesses()/recordings))
	e, err := goroutines.Explore(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	return documentOf(e, found, &t.Header), nil
}

// More is searched for in small programs, up to mostSearch times as much, while all that is searched for
// comes to at most so many accesses in all recordings.
const (
	mostSearch     = 20
	searchAccesses = 40_000_000
)

// ofGoroutines holds what schedules of a Go program come to.
type ofGoroutines struct {
	document       *GoroutinesDocument // of all recordings
	cache          string
	l2, llc, bytes uint64 // of the caches, and of all data of the first recording
	fits           bool   // all data of each does, in the cache
	header         *loi.Header
	doc.Concluded
}

// goroutinesSchema is the version of [GoroutinesDocument]. From 2 on, ranges are parts of the accesses of a row.
const goroutinesSchema = 2

// A GoroutinesDocument is the JSON form of what was found of goroutines.
type GoroutinesDocument struct {
	SchemaVersion int        `json:"schema_version"`
	Program       string     `json:"program"`
	Unit          string     `json:"unit"`       // of distances: bytes
	Recordings    int        `json:"recordings"` // ranges are of all; numbers up to reuses of the first
	Goroutines    int        `json:"goroutines"`
	Operations    int        `json:"operations"`
	Pieces        int        `json:"pieces"`        // with accesses, or that begin with a lock
	Longest       int        `json:"longest_piece"` // in accesses, which no schedule interrupts
	CutAt         int        `json:"cut_at"`        // longer pieces are cut, and so more schedules drawn; 0: none
	Accesses      int        `json:"accesses"`
	LeftOut       int        `json:"left_out"` // accesses that are not among these: they depend on unordered conflicts
	Reuses        uint64     `json:"reuses"`   // the others are the first of their datum
	L2Bytes       doc.Number `json:"l2_bytes"`
	LLCBytes      uint64     `json:"llc_bytes"`
	// Complete: all schedules were gone through, and the ranges are exact, but for what is kept; otherwise
	// they are at least as wide.
	Complete bool `json:"complete"`
	// Outside are recordings that lie outside of the range of the others, in a number of an object or of all:
	// so may a further one. Null of one recording.
	Outside   *int             `json:"recordings_outside"`
	Kept      goroutines.Kept  `json:"kept"` // the most of any recording
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
	Types     []GoroutineFound `json:"types"` // of objects that are named by one
	Functions []GoroutineFound `json:"functions"`
}

// GoroutineFound is what schedules come to for an object, a type, a function, or for all.
type GoroutineFound struct {
	Name     string `json:"name"`     // "": all
	Accesses int    `json:"accesses"` // of the first recording that has some
	// Reuses of a function differ between schedules
	Reuses MeasureRange `json:"reuses"`
	// The least and the largest distance of any reuse in any schedule
	Least       doc.Number   `json:"least_distance"`
	Largest     doc.Number   `json:"largest_distance"`
	Distance    MeasureRange `json:"mean_distance"`
	BeyondL2    MeasureRange `json:"beyond_l2"`   // reuses, as a part of the accesses of the recording
	BeyondLLC   MeasureRange `json:"beyond_llc"`  // likewise
	Invalidated MeasureRange `json:"invalidated"` // accesses, by another goroutine's write, likewise
}

// A MeasureRange is a number over schedules; null where it is not known.
type MeasureRange struct {
	Minimum doc.Number `json:"minimum"`
	Mean    doc.Number `json:"mean"`
	Maximum doc.Number `json:"maximum"`
}

// Document implements [analysis.Result].
func (x *ofGoroutines) Document() any {
	x.document.Concluded = x.Concluded
	return x.document
}

// documentOf returns the document of one recording.
func documentOf(e *goroutines.Exploration, found *goroutines.Conflicts, h *loi.Header) *GoroutinesDocument {
	d := &GoroutinesDocument{SchemaVersion: goroutinesSchema, Program: dag.ProgramOf(h), Unit: tasks.Unit, Recordings: 1,
		Goroutines: e.Goroutines, Operations: e.Operations(), Pieces: e.Pieces(), Longest: e.Longest(), CutAt: e.CutAt,
		Accesses: e.Accesses(), LeftOut: e.LeftOut, LLCBytes: e.LLCBytes, Complete: e.Complete, Kept: e.Kept}
	if e.L2Bytes > 0 {
		d.L2Bytes = doc.Some(float64(e.L2Bytes))
	}
	accesses := e.ByRow()
	for _, g := range e.Groups {
		if g.Kind == tasks.KindGiven {
			d.Reuses = g.Total.Reuses.Minimum
		}
		y := GoroutineGroup{Name: g.Name, Kind: g.Kind, Runs: g.Runs, Deadlocks: g.Deadlocks, Stuck: g.Stuck}
		n := accesses
		rows := func(list []goroutines.Found, names []string) []GoroutineFound {
			out := []GoroutineFound{}
			for i := range list {
				if n[i] > 0 {
					out = append(out, foundIn(e, g, &list[i], names[i], n[i]))
				}
			}
			n = n[len(list):]
			return out
		}
		y.Objects, y.Types, y.Functions = rows(g.Objects, e.Objects), rows(g.Types, e.Types),
			rows(g.Functions, e.Functions)
		y.Total = foundIn(e, g, g.Total, "", n[0])
		d.Groups = append(d.Groups, y)
	}
	if found != nil {
		d.Unordered = &Unordered{found.Unordered, found.ByLocks, found.Orphans, []Conflict{}}
		kernels := h.Registry.Kernels
		for _, p := range found.Pairs {
			d.Unordered.Pairs = append(d.Unordered.Pairs, Conflict{p.Object, p.Does, kernels[p.First].Name,
				kernels[p.Then].Name, p.Unordered, p.ByLocks})
		}
		d.Unordered.cut()
	}
	return d
}

// cut leaves the first pairs.
func (u *Unordered) cut() { u.Pairs = u.Pairs[:min(len(u.Pairs), mostPairs)] }

func foundIn(e *goroutines.Exploration, g *goroutines.Group, f *goroutines.Found, name string,
	accesses int) GoroutineFound {
	y := GoroutineFound{Name: name, Accesses: accesses}
	if f.Least <= f.Most {
		y.Least, y.Largest = doc.Some(float64(f.Least)), doc.Some(float64(f.Most))
	}
	sampled := g.Kind != tasks.KindSearch // what a search tries is no sample
	of := func(v *goroutines.Range, by int) (r MeasureRange) {
		if g.Runs > 0 {
			r.Minimum, r.Maximum = doc.Some(float64(v.Minimum)/float64(by)), doc.Some(float64(v.Maximum)/float64(by))
			if sampled {
				r.Mean = doc.Some(float64(v.Sum) / float64(by) / float64(g.Runs))
			}
		}
		return r
	}
	y.Reuses = of(&f.Reuses, 1)
	if f.Near <= f.Far {
		y.Distance.Minimum, y.Distance.Maximum = doc.Some(f.Near), doc.Some(f.Far)
		if sampled {
			y.Distance.Mean = doc.Some(float64(f.Ranges[goroutines.Distance].Sum) / float64(f.Reuses.Sum))
		}
	}
	y.BeyondLLC = of(&f.Ranges[goroutines.BeyondLLC], accesses)
	if y.Invalidated = of(&f.Ranges[goroutines.Invalidated], accesses); e.L2Bytes > 0 {
		y.BeyondL2 = of(&f.Ranges[goroutines.BeyondL2], accesses)
	}
	return y
}

// together returns what several recordings come to.
func together(each []*GoroutinesDocument) *GoroutinesDocument {
	d := each[0].clone()
	for _, o := range each[1:] {
		d.add(o.clone())
	}
	if len(each) > 1 {
		d.Outside = new(int)
		for i, o := range each {
			if o.outside(slices.Concat(each[:i], each[i+1:])) {
				*d.Outside++
			}
		}
	}
	return d
}

// outside reports whether the recorded schedule has a number, of an object or of all, that none of the
// schedules of others has.
func (d *GoroutinesDocument) outside(others []*GoroutinesDocument) bool {
	rows := func(g *GoroutineGroup) []GoroutineFound { return append(slices.Clone(g.Objects), g.Total) }
	whole := map[string]*GoroutineFound{}
	for _, o := range others {
		for i := range o.Groups {
			for _, f := range rows(&o.Groups[i]) {
				if w := whole[f.Name]; w != nil {
					w.add(&f, 1, 1)
				} else {
					whole[f.Name] = &f
				}
			}
		}
	}
	for _, f := range rows(&d.Groups[len(d.Groups)-1]) {
		w := whole[f.Name]
		if w == nil {
			return true
		}
		of := w.ranges()
		for k, r := range f.ranges() {
			if r.Minimum.Known() && (!of[k].Minimum.Known() || r.Minimum.Float() < of[k].Minimum.Float() ||
				r.Maximum.Float() > of[k].Maximum.Float()) {
				return true
			}
		}
	}
	return false
}

// clone returns a copy whose ranges can be changed.
func (d *GoroutinesDocument) clone() *GoroutinesDocument {
	c := *d
	c.Groups = slices.Clone(d.Groups)
	for i := range c.Groups {
		g := &c.Groups[i]
		g.Objects, g.Types, g.Functions = slices.Clone(g.Objects), slices.Clone(g.Types), slices.Clone(g.Functions)
	}
	if d.Unordered != nil {
		u := *d.Unordered
		u.Pairs = slices.Clone(u.Pairs)
		c.Unordered = &u
	}
	return &c
}

// add adds another recording: ranges are over the schedules of both.
func (d *GoroutinesDocument) add(o *GoroutinesDocument) {
	d.Recordings++
	d.Complete = d.Complete && o.Complete
	d.Kept.Most(&o.Kept)
	if o.Unordered == nil {
		d.Unordered = nil
	}
	if d.Unordered != nil {
		d.Unordered.add(o.Unordered)
	}
	for i := range o.Groups {
		y := &o.Groups[i]
		at := slices.IndexFunc(d.Groups, func(g GoroutineGroup) bool { return g.Name == y.Name })
		if at < 0 { // one was gone through, the other drawn; the recorded one stays the last
			d.Groups = slices.Insert(d.Groups, len(d.Groups)-1, *y)
			continue
		}
		g := &d.Groups[at]
		g.Total.add(&y.Total, g.Runs, y.Runs)
		for _, x := range []struct {
			to   *[]GoroutineFound
			list []GoroutineFound
		}{{&g.Objects, y.Objects}, {&g.Types, y.Types}, {&g.Functions, y.Functions}} {
			byName := map[string]int{}
			for i, f := range *x.to {
				byName[f.Name] = i
			}
			for k := range x.list {
				if i, ok := byName[x.list[k].Name]; ok {
					(*x.to)[i].add(&x.list[k], g.Runs, y.Runs)
				} else {
					*x.to = append(*x.to, x.list[k])
				}
			}
		}
		g.Runs, g.Deadlocks, g.Stuck = g.Runs+y.Runs, g.Deadlocks+y.Deadlocks, g.Stuck+y.Stuck
	}
}

// ranges returns those of the measures.
func (f *GoroutineFound) ranges() []*MeasureRange {
	return []*MeasureRange{&f.Distance, &f.BeyondL2, &f.BeyondLLC, &f.Invalidated}
}

// add adds what other schedules came to; f is of so many runs, and they are as many as others.
func (f *GoroutineFound) add(o *GoroutineFound, runs, others int) {
	f.Least, f.Largest = either(f.Least, o.Least, math.Min), either(f.Largest, o.Largest, math.Max)
	mean := func(a, b float64) float64 { return (a*float64(runs) + b*float64(others)) / float64(runs+others) }
	more := append(o.ranges(), &o.Reuses)
	for k, r := range append(f.ranges(), &f.Reuses) {
		y := more[k]
		r.Minimum, r.Maximum = either(r.Minimum, y.Minimum, math.Min), either(r.Maximum, y.Maximum, math.Max)
		r.Mean = either(r.Mean, y.Mean, mean)
	}
}

// either returns what two numbers come to, or the one that is known.
func either(a, b doc.Number, of func(a, b float64) float64) doc.Number {
	switch {
	case !a.Known():
		return b
	case !b.Known():
		return a
	}
	return doc.Some(of(a.Float(), b.Float()))
}

func (u *Unordered) add(o *Unordered) {
	u.Conflicts, u.ByLocks, u.Orphans = u.Conflicts+o.Conflicts, u.ByLocks+o.ByLocks, u.Orphans+o.Orphans
	for _, c := range o.Pairs {
		i := slices.IndexFunc(u.Pairs, func(x Conflict) bool {
			return x.Object == c.Object && x.Does == c.Does && x.First == c.First && x.Then == c.Then
		})
		if i < 0 {
			u.Pairs = append(u.Pairs, c)
			continue
		}
		u.Pairs[i].Unordered += c.Unordered
		u.Pairs[i].ByLocks += c.ByLocks
	}
	slices.SortStableFunc(u.Pairs, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(b.Unordered, a.Unordered), cmp.Compare(b.ByLocks, a.ByLocks))
	})
	u.cut()
}

// A measure is one of the tables for people, in parts of all accesses or, of distances, in bytes.
type measure struct {
	key, head string
	of        func(*GoroutineFound) *MeasureRange
	share     bool
}

func (x *ofGoroutines) measures() []measure {
	cache := x.cacheName()
	return []measure{
		{"mean_distance", "mean distance of a reuse",
			func(f *GoroutineFound) *MeasureRange { return &f.Distance }, false},
		{"beyond_l2", "reuses beyond the L2, " + size(x.l2),
			func(f *GoroutineFound) *MeasureRange { return &f.BeyondL2 }, true},
		{"beyond_llc", "reuses beyond the " + cache + ", " + size(x.llc),
			func(f *GoroutineFound) *MeasureRange { return &f.BeyondLLC }, true},
		{"invalidated", "written by another goroutine since",
			func(f *GoroutineFound) *MeasureRange { return &f.Invalidated }, true},
	}
}

// cacheName returns the name of the cache in tables.
func (x *ofGoroutines) cacheName() string {
	if x.cache != "LLC" {
		return "cache"
	}
	return x.cache
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
