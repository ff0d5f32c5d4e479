package runtimes

import (
	"sync"

	"krdlab/loi"
)

// halvesProg goes over its blocks several times, and each time halves them down to one, which is a
// kernel. Its hints are exact: one unit of work and blockBytes for each block.
type halvesProg struct {
	blocks, sweeps int

	mu    sync.Mutex
	begin func(w *Worker, t *halvesTask, n int) // a child of t begins, of n blocks
	end   func(t *halvesTask)
	leaf  func(w *Worker, sweep, block int)
}

const blockBytes = 100

type halvesTask struct {
	Frame
	p             *halvesProg
	lo, hi, sweep int
	all           bool // the root, whose phases are the sweeps
	node          int  // of tests: where it was begun
}

var halvesKernels = []loi.Kernel{{Name: "block", Params: []loi.Param{{Mode: loi.In}}}}

func (p *halvesProg) Root(w *Worker) *Frame {
	return p.task(w, 0, p.blocks, 0, true).Fork(2)
}

func (p *halvesProg) task(w *Worker, lo, hi, sweep int, all bool) *halvesTask {
	t := New[halvesTask](w, 0)
	t.p, t.lo, t.hi, t.sweep, t.all, t.node = p, lo, hi, sweep, all, w.node
	return t
}

func (t *halvesTask) half(i int) (lo, hi int) {
	if mid := (t.lo + t.hi) / 2; i == 0 {
		return t.lo, mid
	} else {
		return mid, t.hi
	}
}

func (t *halvesTask) Hint(_ *Worker, i int) Hint {
	lo, hi := t.half(i)
	return Hint{Work: uint64(hi - lo), Bytes: uint64(hi-lo) * blockBytes}
}

func (t *halvesTask) Run(w *Worker, i int) *Frame {
	p := t.p
	lo, hi := t.half(i)
	p.mu.Lock()
	if p.begin != nil {
		p.begin(w, t, hi-lo)
	}
	if hi-lo == 1 && p.leaf != nil {
		p.leaf(w, t.sweep, lo)
	}
	p.mu.Unlock()
	if hi-lo > 1 {
		return p.task(w, lo, hi, t.sweep, false).Fork(2)
	}
	w.End(0, w.Begin(0), uint32(lo))
	return nil
}

func (t *halvesTask) Next(*Worker, int) int {
	if t.sweep++; t.all && t.sweep < t.p.sweeps {
		return 2
	}
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	if t.p.end != nil {
		t.p.end(t)
	}
	return 0
}

// noisy are costs under which a block takes from 90 to 110 % of 1000 in a run, drawn by seed.
func noisy(seed uint64) Costs {
	return Costs{Kernel: func(_ int, _ uint64, _ loi.KernelID, blocks []uint32) uint64 {
		return 900 + mix(seed<<32+uint64(blocks[0])+1)%201
	}}
}
