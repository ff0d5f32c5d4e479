// Package regions implements the analysis `regions`: for each region of a program (function, loop,
// task or kernel) it computes how much is done in it and how much memory it touches, at all levels
// of nesting at once.
//
//	events -> program: regions of each thread  -\
//	       -> tasks: frame tree, depth first    -+-> footprint (package shadow) -> tree -> Document
//	       -> package flow -> hcpa              -+-> critical -------------------/
//
// Source: Garcia, Jeon, Venkata and Taylor, Skadu: Efficient Vector Shadow Memories for Poly-Scopic
// Program Analysis, CGO 2013: the memory footprint profiler (5.1), and hierarchical critical path
// analysis (5.2).
//
// Regions without iterations leave loops steady (krdlab/loi/front): such a loop comes as one event
// and goes into the shadow memory as spans of data.
//
// # Rejected
//
// Iterations as regions by default: each cuts down every table that it touches once more, and the
// paper has them for critical paths alone.
package regions

import (
	"context"
	"fmt"
	"math/bits"

	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/analysis/shadow"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "regions",
	Summary: "Work and memory footprint of each function, loop, task and kernel, as a tree",
	Long: "For each region of a program, named by its path of enclosing regions, list how often it " +
		"was entered, its work, and its footprint: the memory that one instance touches, on average " +
		"and at most. Regions are functions and loops of a Go program, and the tasks and kernels of " +
		"krdlab's own. All levels are counted at once, in vector shadow memory (skadu paper).\nA " +
		"region that is open already on its goroutine is not opened again: recursion is one " +
		"instance. Accesses of a goroutine count for its own regions. For tasks, and Go programs " +
		"with --values, the critical path of each region is found too: how parallel it is by itself, " +
		"and which loops to execute in parallel.",
	Example: "  krdlab run matmul --n 1024 --reps 1 --trace full,tasks,regions\n  krdlab regions\n" +
		"  krdlab regions go ./cmd/server -- -port 8080\n" +
		"  krdlab regions program.loi --depth 4 --plot flame.svg",
	Needs: analysis.Needs{Scopes: true},
	New: func() any {
		return &Options{Datum: shadow.DefaultDatum, Table: shadow.DefaultTable, Count: countAll,
			Validation: shadow.Bulk.String(), Work: workTime, Colour: colourFootprint, PlanCores: 8,
			SpawnCost: 100_000, LeastSpeedup: 1.01}
	},
}

// Options are the flags.
type Options struct {
	Depth      int    `flag:"depth" help:"print N levels of the tree, 0 for all"`
	Iterations bool   `flag:"iterations" help:"the iterations of loops are regions too"`
	Datum      uint64 `flag:"datum" help:"BYTES of a datum, a power of two"`
	// Of the counts.
	Count  string `flag:"count" choice:"all,data,lines,none" help:"WHAT of footprints: data, lines, all, with reads apart, or none"`
	Memory bool   `flag:"memory" help:"print the size of the shadow memory"`
	Colour string `flag:"colour" choice:"footprint,self-parallelism" help:"colour the picture by WHAT: footprint, or self-parallelism, which tasks have, and Go programs with --values"`
	// Of the work of tasks.
	Work string `flag:"work" choice:"time,kernels" help:"WHAT is the work of tasks: time, or the number of kernels"`
	// Of the work of instructions.
	KeepInduction  bool `flag:"keep-induction" help:"dependences of induction variables lengthen critical paths too"`
	KeepReductions bool `flag:"keep-reductions" help:"so do those of reductions: sums, products, least and greatest"`
	Paths          bool `flag:"paths" not:"misses" help:"find critical paths in one pass, of a Go program while it runs: induction as the source shows it, reductions kept, no classes and no plan"`
	// Of the plan.
	PlanCores    int     `flag:"plan-cores" help:"plan for N cores which loops to execute in parallel"`
	SpawnCost    uint64  `flag:"spawn-cost" help:"INSTRUCTIONS that the plan counts for each core that a loop starts on"`
	LeastSpeedup float64 `flag:"least-speedup" help:"plan loops that make the program at least N times as fast"`
	Misses       string  `flag:"misses" help:"replay the trace for the best three loops of the plan: their misses serially, and dealt to 2, 4 and 8 cores, with the caches of MACHINE; here: the computer that the trace was made on"`
	// Of the shadow memory.
	Validation string `flag:"validation" choice:"bulk,slim,baseline" help:"WHAT keeps versions of tags"`
	Table      uint64 `flag:"table" help:"BYTES of addresses of a table of tags, a power of two"`
	Compress   bool   `flag:"compress" help:"compress tables of tags that were not used recently"`
}

// Kinds of counts.
const (
	countAll   = "all"
	countData  = "data"
	countLines = "lines"
	countNone  = "none"
)

// Kinds of work.
const (
	workTime    = "time"
	workKernels = "kernels"
)

// Colourings of pictures.
const (
	colourFootprint   = "footprint"
	colourParallelism = "self-parallelism"
)

// ErrPaths is wrapped by the error of a picture of critical paths that are not known.
var ErrPaths = failure.New(failure.Capability, "critical paths are not known")

// coloured returns an error if the picture needs critical paths and they are not known. lacks is
// the reason.
func (o *Options) coloured(known bool, lacks string) error {
	if o.Colour != colourParallelism || known {
		return nil
	}
	return fmt.Errorf("--colour %s: %w: %s", o.Colour, ErrPaths, lacks)
}

// Reasons why they are not known.
const (
	lacksValues   = "they follow from values; add --values, here or to krdlab trace go"
	lacksAccesses = "no kernel of the trace has its accesses"
)

// ErrOption is wrapped by the error of an option that is out of range.
var ErrOption = failure.New(failure.Request, "option out of range")

// Limits of options.
const (
	mostDatum = 4096
	mostTable = 1 << 30
)

// Formats implements [analysis.Formatted].
func (*Options) Formats() []string { return []string{"svg", "pdf", "png"} }

// TableNames implements [analysis.Tabled].
func (*Options) TableNames() []string { return []string{"regions"} }

// Records implements [analysis.Recorded].
func (o *Options) Records() (regions, iterations bool) { return false, o.Iterations }

// Values implements [analysis.OverProgram].
func (*Options) Values() string {
	return "find critical paths too, and what loops are: by a trace that is not kept, of what is " +
		"computed of what; it costs time"
}

// Suits implements [analysis.Suited].
func (o *Options) Suits(h *loi.Header) error {
	goProgram := h.Unit() != ""
	return o.coloured(!goProgram || len(h.Registry.Operations) > 0, lacksValues)
}

// Check implements [analysis.Checked].
func (o *Options) Check() error {
	switch {
	case o.Depth < 0:
		return failure.Errorf(failure.Request, "--depth %d: %w; expected 0 or more", o.Depth, ErrOption)
	case o.PlanCores < 1:
		return failure.Errorf(failure.Request, "--plan-cores %d: %w; expected 1 or more", o.PlanCores,
			ErrOption)
	case !(o.LeastSpeedup >= 1):
		return failure.Errorf(failure.Request, "--least-speedup %g: %w; expected 1 or more",
			o.LeastSpeedup, ErrOption)
	case bits.OnesCount64(o.Datum) != 1 || o.Datum > mostDatum:
		return failure.Errorf(failure.Request, "--datum %d: %w; expected a power of two, at most %d",
			o.Datum, ErrOption, mostDatum)
	case bits.OnesCount64(o.Table) != 1 || o.Table < 8*max(o.Datum, lineBytes) || o.Table > mostTable:
		return failure.Errorf(failure.Request, "--table %d: %w; expected a power of two of %d to %d",
			o.Table, ErrOption, 8*max(o.Datum, lineBytes), mostTable)
	case o.Compress && o.Validation != shadow.Bulk.String():
		return failure.Errorf(failure.Request, "--compress with --validation %s: %w; it is for bulk",
			o.Validation, ErrOption)
	}
	return nil
}

// memory returns the options of the shadow memory.
func (o *Options) memory() shadow.RunsOptions {
	m := shadow.RunsOptions{Datum: o.Datum, Table: o.Table, Compress: o.Compress}
	for _, v := range []shadow.Validation{shadow.Bulk, shadow.Slim} {
		if v.String() == o.Validation {
			m.Validation = v
		}
	}
	return m
}

// Trace implements [analysis.OverTrace]: of tasks, or of threads with regions.
func (o *Options) Trace(ctx context.Context, t *loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	if t.Tells(loi.EventTask, loi.EventChild) {
		return ofTasks(ctx, o, t, in)
	}
	return ofThreads(ctx, o, t, in)
}

// ofThreads goes through the regions of each worker after the other.
func ofThreads(ctx context.Context, opt *Options, t *loi.Trace, in *analysis.Input) (
	analysis.Result, error) {
	unit := t.Header.Unit()
	var units *krd.Units
	if unit == "" && t.Accesses() {
		var err error
		if units, err = krd.NewUnits(t); err != nil {
			return nil, err
		}
	}
	places := unit != "" || units != nil
	p := newProgram(opt, &t.Header, places && unit != loi.UnitLine, places)
	p.unit, p.sized = unit, units != nil
	work := unitAccesses
	if unit == loi.UnitDatum && len(t.Header.Registry.Operations) > 0 {
		work = unitInstructions
	}
	if err := opt.coloured(work == unitInstructions, lacksValues); err != nil {
		return nil, err
	}
	passes := 1
	if work == unitInstructions && !opt.Paths {
		passes = 2
	}
	progress := loi.NewProgress(t, passes, in.Progress)
	switch {
	case work == unitInstructions && opt.Paths:
		p.hcpa = newHCPA(p)
		p.hcpa.foresee()
	case work == unitInstructions:
		verdicts, err := judged(ctx, t, progress)
		if err != nil {
			return nil, err
		}
		p.judge(verdicts)
	}
	worker := 0
	for e, err := range analysis.Ordered(ctx, t, loi.Order{ByWorker: true, Events: true,
		AllowLoss: true, Progress: progress}) {
		if err != nil {
			return nil, err
		}
		if e.Worker != worker {
			p.ended(worker)
			worker = e.Worker
		}
		if err := p.event(e, units); err != nil {
			return nil, err
		}
		if p.hcpa != nil {
			p.hcpa.flow.Event(e)
		}
	}
	p.ended(worker)
	d := p.document(in, work)
	if opt.Misses != "" && d.Plan != nil {
		names := map[string]loi.RegionID{}
		for i := range t.Header.Registry.Regions {
			names[t.Header.Registry.Regions[i].Name] = loi.RegionID(i)
		}
		if err := d.deal(ctx, t, in, names); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// judged returns the findings on the loops of a trace.
func judged(ctx context.Context, t *loi.Trace, progress *loi.Progress) ([]loops.Verdict, error) {
	l := loops.New(&t.Header)
	for e, err := range analysis.Ordered(ctx, t, loi.Order{Events: true, AllowLoss: true,
		Progress: progress}) {
		if err != nil {
			return nil, err
		}
		l.Flow.Event(e)
	}
	return l.Verdicts(), nil
}

// judge takes the findings on the loops, for classes and critical paths.
func (p *program) judge(verdicts []loops.Verdict) {
	p.hcpa, p.loops = newHCPA(p), map[loi.RegionID]*loops.Verdict{}
	p.hcpa.judge(verdicts)
	for i := range verdicts {
		p.loops[verdicts[i].Loop] = &verdicts[i]
	}
}

// event takes an event of a trace; units is nil where accesses name places.
func (p *program) event(e *loi.Event, units *krd.Units) error {
	if e.Type == loi.EventRecord {
		switch a := e.Args; {
		case e.Event == loi.EventRegion && len(a) == 3 && int(a[0]) < len(p.header.Registry.Regions):
			return p.Enter(e.Worker, loi.RegionID(a[0]), a[1])
		case e.Event == loi.EventRegionEnd && len(a) == 1:
			return p.Leave(e.Worker, a[0])
		case e.Event == loi.EventOperation && p.hcpa != nil:
			return p.hcpa.work(e)
		}
		return nil
	}
	t, err := p.thread(e.Worker)
	if err != nil {
		return err
	}
	list := e.Accesses()
	p.did(t, uint64(len(list)))
	if t.foot == nil {
		return nil
	}
	for i := range list {
		a := &list[i]
		if units == nil {
			if a.Bytes > mostBytes {
				return fmt.Errorf("%w: %d at place %#x, by worker %d; expected at most %d", ErrBytes, a.Bytes,
					a.Block, e.Worker, uint64(mostBytes))
			}
			t.foot.touch(loi.PlaceOf(p.unit, a), a.Bytes, a.Mode)
			continue
		}
		found, err := units.Of(a)
		if err != nil {
			return err
		}
		for _, u := range found {
			t.foot.mark(u, units.Bytes(u), a.Mode)
		}
	}
	p.touched(t)
	return nil
}

// ErrBytes is wrapped by the error of an access of more bytes than one of a Go program has.
var ErrBytes = failure.New(failure.Data, "an access of too many bytes")

const mostBytes = 1 << 32

// A liveProgram is a program that is followed while it runs.
type liveProgram struct {
	*program
	in *analysis.Input
}

// Live implements [analysis.OverProgram].
func (o *Options) Live(in *analysis.Input) (analysis.Live, error) {
	if err := o.coloured(o.Paths, lacksValues); err != nil {
		return nil, err
	}
	p := newProgram(o, in.Header, true, true)
	if !o.Paths {
		return &liveProgram{p, in}, nil
	}
	p.hcpa = newHCPA(p)
	p.hcpa.foresee()
	return &livePaths{liveProgram: liveProgram{p, in}}, nil
}

// Follows implements [analysis.Follower].
func (o *Options) Follows() bool { return o.Paths }

// livePaths are critical paths that are followed while a program runs.
type livePaths struct {
	liveProgram
	access loi.Access // that is handed on
}

// did counts accesses that no footprint is of.
func (l *livePaths) did(worker int, n uint64) error {
	t, err := l.thread(worker)
	if err != nil {
		return err
	}
	if l.program.did(t, n); t.foot != nil {
		l.touched(t)
	}
	return nil
}

// Enter implements [analysis.Live].
func (l *livePaths) Enter(worker int, region loi.RegionID, number uint32) error {
	err := l.program.Enter(worker, region, number)
	l.hcpa.flow.Enter(worker, region, number)
	return err
}

// Leave implements [analysis.Live].
func (l *livePaths) Leave(worker int, number uint32) error {
	err := l.program.Leave(worker, number)
	l.hcpa.flow.Leave(worker, number)
	return err
}

// Accesses implements [analysis.Live].
func (l *livePaths) Accesses(worker int, places []uint64, bytes []uint32, modes []loi.Mode) error {
	var err error
	if l.opt.Count == countNone {
		err = l.did(worker, uint64(len(places)))
	} else {
		err = l.program.Accesses(worker, places, bytes, modes)
	}
	for i, p := range places {
		l.access = loi.Access{Block: p, Bytes: uint64(bytes[i]), Mode: modes[i]}
		l.hcpa.flow.Access(worker, &l.access)
	}
	return err
}

// Operation implements [analysis.Operated].
func (l *livePaths) Operation(worker int, n uint32, terms []uint32) error {
	t, err := l.thread(worker)
	if err == nil {
		t.work += uint64(l.header.Registry.Operations[n].Work)
		l.hcpa.flow.Operation(worker, n, terms)
	}
	return err
}

// Forget implements [analysis.Operated].
func (l *livePaths) Forget(from, to uint64) {
	for _, t := range l.threads {
		if t != nil && t.times != nil {
			t.times.memory.Forget(from, to)
		}
	}
}

// End implements [analysis.Live].
func (l *liveProgram) End() (analysis.Result, error) {
	for worker := range l.threads {
		l.ended(worker)
	}
	if l.hcpa != nil {
		return l.document(l.in, unitInstructions), nil
	}
	return l.document(l.in, unitAccesses), nil
}
