package krd

import (
	"fmt"
	"runtime"
	"sync"

	"krdlab/loi"
)

// Keys and values of the notes in a trace's header that the analysis heeds.
const (
	// MetaScheduler is the key under which [loi.Header.Meta] names the scheduler.
	MetaScheduler = "scheduler"
	// SchedulerGo is Go's own scheduler, whose recorders belong to CPUs and may be out of order.
	SchedulerGo = "go"
)

// Analyze computes the KRD histograms of a trace: one for every node that has workers, and their sum.
//
// A trace with discarded records gives a [*LossError] unless opt.AllowLoss; a worker whose records are not in the order of
// their starts gives an [*OrderError], but under Go's own scheduler they are sorted; what the trace's reader finds wrong is passed
// on ([loi.FormatError]). Nodes are analysed side by side, as many as GOMAXPROCS allows. t must stay open and is not changed.
//
// Cost: O(log64 of the live blocks) an access; memory in proportion to the number of blocks, for each node at work.
func Analyze(t *loi.Trace, opt Options) (*Report, error) {
	if err := opt.resolve(); err != nil {
		return nil, err
	}
	loss := &LossError{Discarded: t.Discarded()}
	if loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	l, err := newLayout(t)
	if err != nil {
		return nil, err
	}
	nodes, workers := workersByNode(&t.Header)
	tallies, err := eachNode(t, l, opt, workers)
	if err != nil {
		return nil, err
	}
	r := newReport(opt, t.Header.L2Bytes, t.Header.LLCBytes, nodes, workers, tallies)
	r.Discarded = loss.Total()
	if r.Discarded > 0 {
		r.warn("%d records were discarded while tracing: distances across the gaps are wrong", r.Discarded)
	}
	if t.Recovered {
		r.warn("the trace had no clean end and was recovered: the last kernel of each worker may be missing")
	}
	if t.Header.Synthetic {
		r.warn("the worker-to-node map was imposed and is not the machine's")
	}
	return r, nil
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

// eachNode analyses every node.
func eachNode(t *loi.Trace, l *layout, opt Options, workers [][]int) ([]*tally, error) {
	tallies := make([]*tally, len(workers))
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, ws := range workers {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			tallies[i] = &tally{
				sizes:      l.sizes,
				l2:         t.Header.L2Bytes,
				llc:        t.Header.LLCBytes,
				inclusive:  opt.Distance == Inclusive,
				weighBytes: opt.Weight == WeightBytes,
			}
			errs[i] = analyzeNode(t, l, ws, tallies[i])
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

func analyzeNode(t *loi.Trace, l *layout, workers []int, counts *tally) error {
	sources := make([]source, len(workers))
	for i, w := range workers {
		x := &expanded{cursor: t.Cursor(w), layout: l, worker: w, offset: t.Header.Workers[w].TSCOffset}
		sources[i] = x
		if underGo(&t.Header) {
			s, err := newSorted(x)
			if err != nil {
				return fmt.Errorf("krd: %w", err)
			}
			sources[i] = s
		}
	}
	n := newNode(l.sizes, len(workers), counts)
	if err := merge(sources, workers, n.kernel); err != nil {
		return err
	}
	n.flush()
	return nil
}

func underGo(h *loi.Header) bool {
	for _, kv := range h.Meta {
		if kv.Key == MetaScheduler && kv.Value == SchedulerGo {
			return true
		}
	}
	return false
}
