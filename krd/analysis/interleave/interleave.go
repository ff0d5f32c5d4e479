// Package interleave implements the analysis `explore`: it finds which reuse distances are
// possible, and likely, over the schedules of a task-parallel program, and where in that range its
// policies lie; and [Threads], the same over the interleavings of the threads of a program that is a
// text. Packages tasks and engine compute them.
package interleave

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/analysis"
	threads "krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "explore",
	Summary: "Reuse distances over all schedules of a program",
	Long: "Find which reuse distances are possible over the schedules that the spawns and joins of a " +
		"task program allow, how likely they are, and where in that range each scheduler lies. A " +
		"trace with task events holds the program, and each trace of a run directory is a schedule. " +
		"Of a Go program's trace with what goroutines wait for (krdlab trace go --sync) it finds the " +
		"range over the schedules that channels, locks and the like allow; its samplers are walk and " +
		"pct. For programs of threads that are a text use krdlab interleavings.",
	Example: "  krdlab run matmul --class small --sched all --machine westmere-ex-4s --reps 3 --trace full,tasks " +
		"--out traced\n  krdlab explore traced --llc 256K\n" +
		"  krdlab explore traced --save-schedule worst.txt --extreme most",
	Needs: analysis.Needs{Accesses: true, Tasks: true, Goroutines: true},
	New:   func() any { return defaults() },
}

// Options are the flags.
type Options struct {
	Enumerate    bool     `flag:"enumerate" help:"go through every schedule (the default where there are few)"`
	Samplers     []string `flag:"sampler" want:"expected names of samplers" help:"draw schedules with these SAMPLERS: uniform, walk, pct, greedy, depth-first (default all)"`
	Depth        int      `flag:"depth" help:"N, the depth of pct"`
	Runs         int      `flag:"runs" help:"N schedules to draw by each sampler"`
	Search       int      `flag:"search" help:"N schedules to try in the search for each end of the range; of small programs with goroutines up to 20 times as many"`
	For          string   `flag:"for" want:"expected a time such as 30s" help:"of goroutines: go on searching for this TIME, such as 30s; the result depends on this computer's speed then"`
	Seed         uint64   `flag:"seed" help:"N, the seed of what is drawn"`
	CutRaces     bool     `flag:"cut-races" help:"of goroutines: leave out the accesses that depend on conflicts which no operation orders"`
	LLC          string   `flag:"llc" want:"expected a size such as 18MiB, a part of all data such as 1/8, or auto" help:"SIZE of the cache of each node that reuses are far beyond; 1/8: of all data that is accessed; auto: 1/8 where all data fits into that of the trace (default: that of the trace)"`
	Memory       string   `flag:"memory" want:"expected a size such as 4G" help:"largest SIZE of memory for tasks and accesses, such as 4G (default half of what the process may have, at most 1 GiB)"`
	SaveSchedule string   `flag:"save-schedule" want:"expected the name of a file" help:"write to this FILE the schedule with the fewest accesses beyond the LLC, for krdlab run --follow"`
	Extreme      string   `flag:"extreme" with:"save-schedule" choice:"least,most" help:"WHICH schedule --save-schedule writes: least, that with the fewest accesses beyond the LLC; or most"`
}

func defaults() *Options {
	return &Options{Seed: 1, Extreme: extremeLeast, Depth: defaultDepth, Runs: taskRuns,
		Search: taskSearch}
}

// Recordings implements [analysis.Repeated]: what is kept as recorded differs between runs.
func (*Options) Recordings() int { return 5 }

// Formats implements [analysis.Formatted].
func (*Options) Formats() []string { return plot.Formats[:3] }

// Sections implements [analysis.Sectioned]: less is drawn.
func (*Options) Sections(*loi.Trace) []any {
	o := defaults()
	o.LLC, o.Runs, o.Search, o.Memory = autoLLC, 20, 40, "64M"
	return []any{o}
}

// Check implements [analysis.Checked].
func (o *Options) Check() error {
	_, err := o.resolve()
	return err
}

// Trace implements [analysis.OverTrace].
func (o *Options) Trace(ctx context.Context, t *loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	return o.All(ctx, []*loi.Trace{t}, in)
}

// The values of Options.Extreme.
const (
	extremeLeast = "least"
	extremeMost  = "most"
)

// autoLLC as the value of Options.LLC takes one of autoPart parts of all data where that is less
// than the LLC.
const (
	autoLLC  = "auto"
	autoPart = 8
)

// The default numbers of draws.
const (
	threadRuns   = 1000
	taskRuns     = 100
	taskSearch   = 200
	defaultDepth = 5
	maxRuns      = 10_000_000
	// fewSchedules are gone through without being asked
	fewSchedules = 100_000
	// maxSchedules are gone through at all
	maxSchedules = 2_000_000
)

func wrong(format string, args ...any) error {
	return failure.Errorf(failure.Request, format, args...)
}

// resolved are options as they are used.
type resolved struct {
	samplers    []tasks.Sampler
	memory, llc uint64
	part        uint64 // of all data that the cache holds: one of so many; 0: llc
	auto        bool
	time        time.Duration // to go on searching for; 0: not asked
}

func (o *Options) resolve() (r resolved, err error) {
	if r.samplers, err = named(o.Samplers, tasks.Samplers); err != nil {
		return r, err
	}
	if o.Samplers == nil {
		r.samplers = tasks.Samplers
	}
	part, isPart := strings.CutPrefix(o.LLC, "1/")
	switch r.auto = o.LLC == autoLLC; {
	case isPart:
		if r.part, err = strconv.ParseUint(part, 10, 32); err != nil || r.part == 0 {
			return r, wrong("--llc %s: expected a size such as 18MiB, a part of all data such as 1/8, or "+
				autoLLC, o.LLC)
		}
	case !r.auto:
		if r.llc, err = bytesOf("llc", o.LLC); err != nil {
			return r, err
		}
	}
	if r.memory, err = bytesOf("memory", o.Memory); err != nil {
		return r, err
	}
	if o.For != "" {
		if r.time, err = time.ParseDuration(o.For); err != nil || r.time <= 0 {
			return r, wrong("--for %s: expected a time such as 30s", o.For)
		}
	}
	return r, cmp.Or(number("depth", o.Depth), number("runs", o.Runs), number("search", o.Search))
}

// cache returns the size of the cache beside so many bytes of data, and its name: LLC, if it is that
// of the trace.
func (r *resolved) cache(data, recorded uint64) (bytes uint64, name string, err error) {
	part := r.part
	if r.auto && (recorded == 0 || data <= recorded) {
		part = autoPart
	}
	switch {
	case part != 0:
		return max(1, data/part), "Cache", nil
	case r.llc != 0:
		return r.llc, "Cache", nil
	case recorded == 0:
		return 0, "", wrong("the trace names no LLC size; give it with --llc, such as --llc 18MiB")
	}
	return recorded, "LLC", nil
}

// named returns the samplers of these names.
func named[S ~string](names []string, all []S) (list []S, err error) {
	for _, name := range names {
		switch {
		case !slices.Contains(all, S(name)):
			return nil, wrong("--sampler %s: there are %s", name, listed(all))
		case slices.Contains(list, S(name)):
			return nil, wrong("--sampler %s: it is named twice", name)
		}
		list = append(list, S(name))
	}
	return list, nil
}

// bytesOf returns the value of a flag that is a size; 0: none was given.
func bytesOf(flag, text string) (n uint64, err error) {
	if text != "" {
		if n, err = units.ParseBytes(text); err != nil {
			return 0, wrong("--%s %s: %w", flag, text, err)
		}
	}
	if flag == "memory" {
		n = cmp.Or(n, hw.DefaultMemory())
	}
	return n, nil
}

func number(flag string, n int) error {
	if n < 1 || n > maxRuns {
		return wrong("--%s %d: expected a whole number from 1 to %s", flag, n, units.Grouped(maxRuns))
	}
	return nil
}

// within returns a depth of PCT, which is not more than the steps that there are.
func within(depth, steps int, has string) (int, error) {
	if depth > steps && depth != defaultDepth {
		return 0, wrong("--depth %d: %s at most %s; expected whole numbers from 1 to %d", depth, has,
			units.Count(steps, "step"), steps)
	}
	return min(depth, steps), nil
}

// All implements [analysis.OverTraces]: it explores the schedules of the program of the traces, which
// are schedules of it.
func (o *Options) All(ctx context.Context, list []*loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	r, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if !list[0].Tells(loi.EventTask, loi.EventChild) {
		return o.goroutines(ctx, list, in, r)
	}
	memory := threads.NewAccount(r.memory)
	if o.CutRaces {
		return nil, wrong("--cut-races: it is for goroutines; the trace has tasks")
	}
	if r.time > 0 {
		return nil, wrong("--for: it is for goroutines; the trace has tasks: --search N looks longer")
	}
	x := &result{options: o, header: &list[0].Header}
	x.Conclude(in.Warnings...)
	if err := x.take(list, r, memory); err != nil {
		return nil, err
	}
	depth, err := within(o.Depth, x.dag.Vertices(), "a schedule has")
	if err != nil {
		return nil, err
	}
	opt := tasks.Options{Samplers: r.samplers, Depth: depth, Runs: o.Runs, Search: o.Search,
		Enumerate: fewSchedules, Seed: o.Seed, Memory: memory, All: o.Enumerate, Progress: in.Progress}
	if o.Enumerate {
		opt.Enumerate = maxSchedules
	}
	opt.Nodes = x.nodeOf
	if log10, ok := x.dag.Enumerable(opt.Nodes, opt.Enumerate); o.Enumerate && !ok {
		return nil, wrong("--enumerate: there are 10^%.1f schedules of %s pieces of code, expected at most "+
			"%s of %s; leave it out, and some are drawn", log10,
			units.Grouped(uint64(x.dag.Vertices())), units.Grouped(uint64(opt.Enumerate)),
			units.Grouped(tasks.MaxEnumerated))
	}
	if x.apart, err = tasks.Explore(ctx, x.dag, x.given, opt); err != nil {
		return nil, err
	}
	if x.nodes() > 1 {
		opt.Nodes = []int{0}
		opt.Samplers = slices.DeleteFunc(slices.Clone(r.samplers), func(s tasks.Sampler) bool {
			return s == tasks.Greedy // with one worker it is the walk
		})
		if x.shared, err = tasks.Explore(ctx, x.dag, nil, opt); err != nil {
			return nil, err
		}
	}
	if fit := x.dag.Bytes(); fit <= x.dag.LLCBytes {
		x.Find(allFits, units.Bytes(fit), x.cache, units.Bytes(x.dag.LLCBytes))
	}
	return x, nil
}

func listed[S ~string](list []S) string {
	var words []string
	for _, s := range list {
		words = append(words, string(s))
	}
	return units.List(words)
}

// take makes the DAG of the first trace, and a schedule of each.
func (x *result) take(list []*loi.Trace, r resolved, memory *threads.Account) error {
	by := map[string]int{}
	for i, t := range list {
		d, s, err := tasks.Build(t, memory)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Info().Path, err)
		}
		if d.LLCBytes, x.cache, err = r.cache(d.Bytes(), d.LLCBytes); err != nil {
			return err
		}
		if h, first := &t.Header, x.header; h.Substrate != first.Substrate ||
			h.Machine != first.Machine || h.LLCBytes != first.LLCBytes {
			return wrong("%s is of another machine than %s, or one is simulated and the other is not; look at "+
				"one of them at a time", t.Info().Path, list[0].Info().Path)
		}
		var nodeOf []int
		for _, w := range t.Header.Workers {
			nodeOf = append(nodeOf, w.Node)
		}
		if i == 0 {
			x.dag, x.nodeOf = d, nodeOf
		}
		switch n := min(len(nodeOf), len(x.nodeOf)); {
		case !slices.Equal(nodeOf[:n], x.nodeOf[:n]):
			return wrong("%s has other workers than %s; look at one of them at a time",
				t.Info().Path, list[0].Info().Path)
		case !x.dag.Same(d):
			return wrong("%s has other tasks than %s, of another problem or of a program whose tasks "+
				"depend on the schedule; look at one of them at a time", t.Info().Path, list[0].Info().Path)
		case len(nodeOf) > len(x.nodeOf):
			x.nodeOf = nodeOf
		}
		name := t.Header.Scheduler
		if name == "" {
			name = "the trace"
		}
		k, seen := by[name]
		if !seen {
			k = len(x.given)
			by[name] = k
			x.given = append(x.given, tasks.Given{Name: name})
		}
		// of a scheduler that draws nothing all runs are the same one
		if same := func(o *tasks.Schedule) bool {
			return slices.Equal(o.Order, s.Order) && slices.Equal(o.Worker, s.Worker)
		}; !slices.ContainsFunc(x.given[k].Schedules, same) {
			x.given[k].Schedules = append(x.given[k].Schedules, s)
		}
	}
	return nil
}

// A result holds the distances of schedules of a DAG.
type result struct {
	options *Options
	cache   string // what its size is called: LLC, unless another was asked for
	header  *loi.Header
	dag     *tasks.DAG
	nodeOf  []int
	given   []tasks.Given
	apart   *tasks.Exploration // a stack for each node
	shared  *tasks.Exploration // one stack; nil where there is one node
	doc.Concluded
}

// SchemaVersion is that of [Document].
const SchemaVersion = 1

// A Document is the JSON form of what was found of tasks.
type Document struct {
	SchemaVersion int            `json:"schema_version"`
	Program       string         `json:"program"`
	Simulated     bool           `json:"simulated"` // the schedules of schedulers are
	Unit          string         `json:"unit"`      // of distances: bytes
	Vertices      int            `json:"vertices"`  // pieces of code with kernels
	Kernels       int            `json:"kernels"`
	Accesses      int            `json:"accesses"`
	Workers       int            `json:"workers"`
	Nodes         int            `json:"nodes"`
	LLCBytes      uint64         `json:"llc_bytes"`
	Orders        *threads.Count `json:"orders"` // of the vertices; null beyond 10^300
	Log10Orders   float64        `json:"log10_orders"`
	Stacks        []Stacks       `json:"stacks"`
	doc.Concluded
}

// Stacks are the schedules on a stack for each node, or on one.
type Stacks struct {
	Stacks         string  `json:"stacks"` // "node" or "shared"
	Log10Schedules float64 `json:"log10_schedules"`
	// Complete: all were gone through, and the range is exact; otherwise it is that of what was found
	Complete bool    `json:"complete"`
	Groups   []Group `json:"groups"`
	Widths   []Width `json:"widths"`
}

// A Group is a set of schedules: drawn by a sampler, tried by the search, or made by a scheduler.
type Group struct {
	Name  string     `json:"name"`
	Kind  tasks.Kind `json:"kind"`
	Total Found      `json:"total"`
	// of each object
	Objects []Found `json:"objects"`
	// Runs are the accesses of each run: of schedulers, one for each trace, but those that are alike
	Runs []Run `json:"runs,omitempty"`
	// Distances are by object, in bins; null of the search
	Distances *threads.Result `json:"distances"`

	runs int
}

// A Run is one schedule.
type Run struct {
	Far    uint64 `json:"far"`
	Beyond uint64 `json:"beyond"`
}

// Found is how many accesses of an object, or of all, are far, and far or cold.
type Found struct {
	Object   string `json:"object"` // "": all
	Accesses int    `json:"accesses"`
	Far      Range  `json:"far"`
	Beyond   Range  `json:"beyond"`
	// Place is where the mean of Beyond lies in the range of all groups, from 0 to 1; null of the
	// search, and where that range has no width
	Place doc.Number `json:"place"`
}

// A Range is of accesses over schedules. Of the search only its ends mean something; the others are
// null.
type Range struct {
	Minimum uint64     `json:"minimum"`
	Low     doc.Number `json:"low"` // quantile 5 %
	Median  doc.Number `json:"median"`
	High    doc.Number `json:"high"` // quantile 95 %
	Maximum uint64     `json:"maximum"`
	Mean    doc.Number `json:"mean"`
}

func rangeOf(g *tasks.Group, object int, withCold bool) Range {
	r := g.RangeOf(object, withCold)
	x := Range{Minimum: r.Minimum, Maximum: r.Maximum}
	if g.Kind != tasks.KindSearch {
		some := func(n uint64) doc.Number { return doc.Some(float64(n)) }
		x.Low, x.Median, x.High, x.Mean = some(r.Low), some(r.Median), some(r.High), doc.Some(r.Mean)
	}
	return x
}

// A Width compares how wide the range of distances of one block is, under a sampler and in a random
// walk: medians over the blocks of an object that are used again in both.
type Width struct {
	Group    string     `json:"group"`
	Object   string     `json:"object"`
	Blocks   int        `json:"blocks"`
	Bytes    doc.Number `json:"bytes"`
	Walk     doc.Number `json:"walk_bytes"`
	Quotient doc.Number `json:"quotient"`
}

// maxOrders is how many digits an exact number of orders has.
const maxOrders = 300

// allFits is the code of a finding: how large data is, the cache, its size.
const allFits doc.Code = "all_fits"

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{allFits: {Level: doc.Limit, Example: []any{"1 MiB", "LLC", "30 MiB"},
		Words: "all data, %v, fits into the %v of %v, so that no reuse is far in any schedule; --llc 1/8 asks for " +
			"a cache of an eighth of it", Next: "--llc 1/8"}})
}

// Document implements [analysis.Result].
func (x *result) Document() any {
	d := &Document{SchemaVersion: SchemaVersion, Program: dag.ProgramOf(x.header),
		Simulated: x.header.Substrate == loi.Simulated, Unit: tasks.Unit, Vertices: x.dag.Vertices(),
		Kernels: x.dag.Kernels, Accesses: x.dag.Accesses(), Workers: len(x.nodeOf), Nodes: x.nodes(),
		LLCBytes: x.dag.LLCBytes, Log10Orders: x.dag.Log10(),
		Concluded: x.Concluded}
	if d.Log10Orders < maxOrders {
		d.Orders = &threads.Count{Int: *x.dag.Orders()}
	}
	d.Stacks = append(d.Stacks, x.stacks(nodeStacks, x.apart))
	if x.shared != nil {
		d.Stacks = append(d.Stacks, x.stacks(sharedStack, x.shared))
	}
	return d
}

func (x *result) nodes() int {
	return len(slices.Compact(slices.Sorted(slices.Values(x.nodeOf))))
}

func (x *result) stacks(name string, e *tasks.Exploration) Stacks {
	s := Stacks{Stacks: name, Log10Schedules: e.Log10Schedules(len(e.Nodes)), Complete: e.Complete,
		Groups: []Group{}, Widths: []Width{}}
	of := e.AccessesOf()
	whole := make([]tasks.Range, len(e.Objects)+1) // the range of all groups, of all objects the last
	for i := range whole {
		whole[i].Minimum = math.MaxUint64
		for _, g := range e.Groups {
			r := g.RangeOf(objectOf(i, len(e.Objects)), true)
			whole[i].Minimum = min(whole[i].Minimum, r.Minimum)
			whole[i].Maximum = max(whole[i].Maximum, r.Maximum)
		}
	}
	found := func(g *tasks.Group, i int) Found {
		o := objectOf(i, len(e.Objects))
		f := Found{Accesses: e.Accesses(), Far: rangeOf(g, o, false), Beyond: rangeOf(g, o, true)}
		if o >= 0 {
			f.Object, f.Accesses = e.Objects[o], of[o]
		}
		if w := whole[i]; w.Maximum > w.Minimum && f.Beyond.Mean.Known() {
			f.Place = doc.Some((f.Beyond.Mean.Float() - float64(w.Minimum)) /
				float64(w.Maximum-w.Minimum))
		}
		return f
	}
	var walk *tasks.Group
	for _, g := range e.Groups {
		y := Group{Name: g.Name, Kind: g.Kind, Total: found(g, len(e.Objects)), Objects: []Found{},
			runs: len(g.Runs)}
		if g.Kind != tasks.KindSearch {
			y.Distances = e.Result(g)
		}
		for o := range e.Objects {
			y.Objects = append(y.Objects, found(g, o))
		}
		if y.Kind == tasks.KindGiven {
			for i := range g.Runs {
				y.Runs = append(y.Runs, Run{g.Runs[i].FarOf(-1), g.Runs[i].Beyond(-1)})
			}
		}
		s.Groups = append(s.Groups, y)
		if g.Kind == tasks.KindSampler && g.Name == string(tasks.Walk) {
			walk = g
		}
	}
	// schedulers by where they lie
	from := slices.IndexFunc(s.Groups, func(g Group) bool { return g.Kind == tasks.KindGiven })
	if from >= 0 {
		slices.SortStableFunc(s.Groups[from:], func(a, b Group) int {
			return cmp.Compare(a.Total.Beyond.Mean.Float(), b.Total.Beyond.Mean.Float())
		})
	}
	for _, g := range e.Groups {
		if walk == nil || g == walk || g.Kind == tasks.KindSearch {
			continue
		}
		blocks, wide, beside, quotient := e.Widths(g, walk)
		for o, name := range e.Objects {
			if blocks[o] > 0 {
				s.Widths = append(s.Widths, Width{g.Name, name, blocks[o], doc.Some(wide[o]),
					doc.Some(beside[o]), doc.Some(quotient[o])})
			}
		}
	}
	return s
}

// objectOf returns the object of a place in a list whose last has all.
func objectOf(i, objects int) int {
	if i == objects {
		return -1
	}
	return i
}

// The values of Stacks.Stacks.
const (
	nodeStacks  = "node"
	sharedStack = "shared"
)

// Save implements [analysis.Saved]: the schedule of an end of the range.
func (x *result) Save() (flag, file string, write func(io.Writer) error) {
	e := x.apart.Least
	if x.options.Extreme == extremeMost {
		e = x.apart.Most
	}
	return "save-schedule", x.options.SaveSchedule, func(w io.Writer) error {
		if x.header.Kernel == "" {
			return failure.Errorf(failure.Data, "the trace has no name of its program, and the "+
				"schedule could not be followed")
		}
		s := &dag.Schedule{Program: dag.ProgramOf(x.header), Nodes: x.nodeOf,
			Steps: x.dag.Steps(e.Schedule)}
		return s.Write(w)
	}
}
