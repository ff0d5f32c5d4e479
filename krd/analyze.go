package krd

import (
	"fmt"
	"runtime"
	"sync"

	"krdlab/krd/approx"
	"krdlab/krd/atoms"
	"krdlab/krd/causes"
	"krdlab/krd/smith"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// Analyze computes the KRD histograms of a trace: one for every node that has workers, and their
// sum.
//
// A trace with discarded records gives a [*loi.LossError] unless opt.AllowLoss; a worker whose
// records are not in the order of their starts gives an [*loi.OrderError], but a trace that is
// Unordered is sorted; a block whose size changes gives a [*SizeError]; errors of the trace's
// reader are passed on ([loi.FormatError]). Nodes are analysed side by side, as many as GOMAXPROCS
// allows. t must stay open and is not changed.
//
// Cost: O(log64 of the live blocks) an access where all blocks are registered; where objects are
// address spaces another pass over the trace, and some 100 ns for each atom of an access. Memory in
// proportion to the number of blocks, for each node at work, and not to the length of the trace.
func Analyze(t *loi.Trace, opt Options) (*Report, error) {
	if err := opt.resolve(); err != nil {
		return nil, err
	}
	loss := t.Loss()
	if loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	a, err := newAnalysis(t, opt)
	if err != nil {
		return nil, err
	}
	if err := a.run(); err != nil {
		return nil, err
	}
	var sum tally
	for _, t := range a.tallies {
		sum.merge(t)
	}
	if sum.carried != 0 {
		return nil, fmt.Errorf("krd: %w: all accesses together weigh 2^64 bytes or more, "+
			"expected less", ErrTooLarge)
	}
	r := a.report()
	r.Discarded, r.LossUnknown = loss.Total(), loss.UnknownWorkers() > 0
	for _, w := range Doubts(t) {
		r.warn(w.Code, w.Args...)
	}
	if opt.Engine.Approximate() {
		r.warn(ApproximateEngine, opt.Engine.String())
	}
	return r, nil
}

// analysis is one call of Analyze.
type analysis struct {
	trace   *loi.Trace
	opt     Options
	sizes   []uint64 // of the registered blocks
	atoms   *atoms.Map
	nodes   []int   // those that have workers, ascending
	workers [][]int // of each
	tallies []*tally
	cores   []*tally // by worker; nil: nobody asks
	models  []*smith.Model
	causes  []*causes.Counter // by node; nil: nobody asks
	paths   []*paths          // likewise
	prog    *loi.Progress
	dense   bool // all that is asked is the distances of registered blocks
}

// A consumer takes the kernels of one node, or of all, in order.
type consumer interface {
	kernel(*loi.Event) error
	flush() error
}

func newAnalysis(t *loi.Trace, opt Options) (a *analysis, err error) {
	a = &analysis{trace: t, opt: opt}
	if a.sizes, err = blockSizes(t); err != nil {
		return nil, err
	}
	a.dense = !opt.Coherence && opt.Causes == nil && !opt.Engine.Approximate()
	spans := false
	for i := range t.Header.Registry.Objects {
		k := t.Header.Registry.Objects[i].Kind
		a.dense = a.dense && k == loi.Partition
		spans = spans || k == loi.Span
	}
	if err := opt.Engine.Suits(&t.Header); err != nil {
		return nil, err
	}
	passes := 1
	if opt.Cores {
		passes = 2
	}
	if spans {
		passes++
	}
	a.prog = loi.NewProgress(t, passes, opt.Progress)
	if spans {
		if a.atoms, err = cut(t, opt.Coherence, a.prog); err != nil {
			return nil, err
		}
	}
	for _, c := range opt.Caches {
		m, err := smith.NewModel(c)
		if err != nil {
			return nil, fmt.Errorf("krd: %w", err)
		}
		a.models = append(a.models, m)
	}
	a.nodes, a.workers = workersByNode(&t.Header)
	if opt.Cores {
		for range t.Header.Workers {
			t := a.newTally()
			t.core = true
			a.cores = append(a.cores, t)
		}
	}
	for range a.nodes {
		c := a.newTally()
		for _, m := range a.models {
			c.misses = append(c.misses, smith.NewPredictor(m))
		}
		a.tallies = append(a.tallies, c)
	}
	if err := a.newCauses(); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *analysis) newTally() *tally {
	h := &a.trace.Header
	return &tally{
		l2: h.L2Bytes, llc: h.LLCBytes, coherence: a.opt.Coherence,
		inclusive: a.opt.Distance == Inclusive, weighBytes: a.opt.Weight == WeightBytes,
	}
}

// workersByNode returns the nodes that have workers, ascending, and the workers of each.
func workersByNode(h *loi.Header) (nodes []int, workers [][]int) {
	by := make(map[int][]int)
	for i, w := range h.Workers {
		by[w.Node] = append(by[w.Node], i)
	}
	for n := range h.Nodes {
		if ws := by[n]; len(ws) > 0 {
			nodes = append(nodes, n)
			workers = append(workers, ws)
		}
	}
	return nodes, workers
}

// A group is the workers whose accesses make one stack.
type group struct {
	workers []int
	tally   *tally
	causes  *causes.Counter // nil: nobody asks
	paths   *paths          // likewise
	alone   bool            // there is no other group
}

// levels returns the groups of each level: the nodes, and the cores if they are asked for.
func (a *analysis) levels() [][]group {
	var nodes, cores []group
	for i, t := range a.tallies {
		g := group{workers: a.workers[i], tally: t, alone: len(a.tallies) == 1 && a.cores == nil}
		if a.opt.Causes != nil {
			g.causes = a.causes[i]
		}
		if a.paths != nil {
			g.paths = a.paths[i]
		}
		nodes = append(nodes, g)
	}
	if a.cores == nil {
		return [][]group{nodes}
	}
	for w, t := range a.cores {
		cores = append(cores, group{workers: []int{w}, tally: t})
	}
	return [][]group{nodes, cores}
}

// run analyses all groups: those of a level together where they affect each other, otherwise side
// by side.
func (a *analysis) run() error {
	var tasks []func() error
	for _, level := range a.levels() {
		if a.opt.Coherence {
			tasks = append(tasks, func() error { return a.together(level) })
			continue
		}
		for i := range level {
			tasks = append(tasks, func() error { return a.apart(&level[i]) })
		}
	}
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, task := range tasks {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = task()
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// together analyses the groups of a level, whose writes invalidate each other's copies.
func (a *analysis) together(level []group) error {
	u, err := newNumbering(a.trace, a.sizes, a.atoms)
	if err != nil {
		return err
	}
	all := make([]int, len(a.trace.Header.Workers))
	groupOf := make([]int, len(all))
	var tallies []*tally
	for i, g := range level {
		tallies = append(tallies, g.tally)
		for _, w := range g.workers {
			groupOf[w] = i
		}
	}
	for w := range all {
		all[w] = w
	}
	return a.consume(all, newCoherent(u, groupOf, tallies))
}

// apart analyses one group.
func (a *analysis) apart(g *group) error {
	if a.dense {
		return a.consume(g.workers, newDenseNode(a.sizes, len(g.workers), g.tally))
	}
	if a.atoms == nil && a.opt.Causes == nil && !a.opt.Engine.Approximate() &&
		len(g.workers) <= maxTags {
		cores := 1
		if g.alone {
			cores = 0 // no other needs them
		}
		return a.consume(g.workers, newKeyedNode(a.trace, g.workers, cores, g.tally))
	}
	u, err := newNumbering(a.trace, a.sizes, a.atoms)
	if err != nil {
		return err
	}
	n := &unitNode{units: u, tally: g.tally, causes: g.causes, paths: g.paths}
	if g.paths != nil {
		if err := g.paths.begin(a.trace, g.workers); err != nil {
			return err
		}
	}
	if a.opt.Engine.Name == EngineScaleTree {
		if n.tree, err = approx.NewScaleTree(a.opt.Engine.Accuracy); err != nil {
			return fmt.Errorf("krd: %w", err)
		}
	} else {
		n.online = stack.NewOnline()
	}
	return a.consume(g.workers, n)
}

// consume hands the executions of some workers to c, and the events to one that wants them.
func (a *analysis) consume(workers []int, c consumer) error {
	n, ok := c.(*unitNode)
	for x, err := range a.trace.Ordered(loi.Order{Workers: workers, AllowLoss: true,
		Events: ok && n.paths != nil, Progress: a.prog}) {
		if err != nil {
			return err
		}
		if err := c.kernel(x); err != nil {
			return err
		}
	}
	return c.flush()
}
