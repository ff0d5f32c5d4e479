// Package nqueens counts the ways to place n queens on a board of n x n so that none attacks
// another, row by row.
//
// It is the search of BOTS (bsc-pm/bots, omp-tasks/nqueens, commit 2607a69), after Cilk's. There a
// board is an array that each task copies; here it is three sets of bits, for columns and both
// diagonals, which travel in the task. An execution therefore touches no shared data but the
// element that its count is written to. Below the cut-off the search is serial, as it is there.
package nqueens

import (
	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/kernels/search"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "nqueens",
	Summary: "ways to place n queens that do not attack each other: irregular, hardly any data",
	Work:    true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 14, 1, len(solutions),
			"queens, and rows of the board; each more takes some 6 times as long"),
		kernel.Int("cutoff", 3, 0, 5, "rows in which each queen that can be placed is a task; "+
			"below them the search is serial, one kernel execution"),
	},
	Plan: func(p kernel.Params) (kernel.Plan, error) {
		n := uint64(problem(p).Subtrees())
		return kernel.Plan{Resolved: p, Bytes: 64 * n, Blocks: n, Executions: n, Args: 1}, nil
	},
	New: func(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
		return &instance{search.New(problem(p), env.Dry), p.Int("n")}, nil
	},
	Small: []kernel.Params{{"n": 1}, {"n": 3, "cutoff": 5}, {"n": 6, "cutoff": 0}, {"n": 8}},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 12}},
		{Name: "large", Params: kernel.Params{"n": 16}},
		{Name: "bots", Params: kernel.Params{"n": 14}},
	},
}

// solutions are the known counts, from n = 1 (OEIS A000170; BOTS has those up to 14).
var solutions = [...]int64{1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184,
	14772512, 95815104, 666090624}

// visits are the operations of a hundred queens that are placed: a call with its loop, and whether
// another column is free, which nothing foretells half of the time. Estimated.
var visits = ops.Count{ops.Integer: 3000, ops.Branch: 50}

type instance struct {
	*search.Instance[board]
	n int
}

func (in *instance) Check() kernel.Check {
	return in.Verdict(solutions[in.n-1], "against the known number of solutions")
}

// A board is the attacked columns of the next row, a bit for each column: from above, and along the
// two diagonals.
type board struct{ column, left, right uint32 }

// place returns the board after a queen at bit.
func (b board) place(bit uint32) board {
	return board{b.column | bit, (b.left | bit) << 1, (b.right | bit) >> 1}
}

func problem(p kernel.Params) *search.Problem[board] {
	n := p.Int("n")
	all := uint32(1)<<n - 1
	return &search.Problem[board]{
		Depth: min(p.Int("cutoff"), n),
		Expand: func(b board, emit func(board)) {
			for free := b.free(all); free != 0; free &= free - 1 {
				emit(b.place(free & -free))
			}
		},
		Search: func(b board) (int64, uint64) { return count(all, b) },
		Merge:  func(a, b int64) int64 { return a + b },
		Ops:    visits,
		Kernel: "queens", Result: "counts",
	}
}

func (b board) free(all uint32) uint32 { return all &^ (b.column | b.left | b.right) }

// count returns the solutions below b, and how many boards there are, b included.
func count(all uint32, b board) (n int64, visits uint64) {
	if b.column == all {
		return 1, 1
	}
	visits = 1
	for free := b.free(all); free != 0; free &= free - 1 {
		m, v := count(all, b.place(free&-free))
		n, visits = n+m, visits+v
	}
	return n, visits
}
