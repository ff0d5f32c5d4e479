// Package fib computes Fibonacci numbers by plain recursion, every call above fib(1) a fork of two:
// the micro-kernel for the cost of a spawn and a join. It has no cut-off and no kernels.
package fib

import (
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "fib",
	Summary: "Fibonacci numbers by plain recursion, no cut-off: the cost of a spawn",
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 32, 0, 60, "which number; each step takes 1.6 times as long"),
	},
	Plan: func(p kernel.Params) (kernel.Plan, error) { return kernel.Plan{Resolved: p}, nil },
	New: func(p kernel.Params, _ kernel.Env) (kernel.Instance, error) {
		return &instance{n: p.Int("n")}, nil
	},
	Small: []kernel.Params{{"n": 0}, {"n": 1}, {"n": 2}, {"n": 18}},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"n": 20}},
		{Name: "large", Params: kernel.Params{"n": 40}}},
}

// number computes fib(n) by addition.
func number(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

type instance struct {
	n, out int
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Regions: []loi.Region{{Name: "fib", Kind: loi.Function,
		Parent: loi.NoRegion}}}
}

func (in *instance) Reset(bool)   { in.out = -1 }
func (in *instance) Close() error { return nil }

func (in *instance) Check() kernel.Check {
	return kernel.Exact("by addition", in.out, number(in.n))
}

// call is fib(n), n >= 2.
type call struct {
	runtimes.Frame
	n   int
	out *int
	sub [2]int // fib(n-1) and fib(n-2)
}

func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	if in.n < 2 {
		in.out = in.n
		return nil
	}
	return fork(w, in.n, &in.out)
}

func fork(w *runtimes.Worker, n int, out *int) *runtimes.Frame {
	c, _ := w.Spare(0).(*call)
	if c == nil {
		c = runtimes.New[call](w, 0)
	}
	c.n, c.out = n, out
	return c.Fork(2)
}

func (c *call) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	n := c.n - 1 - i
	if n < 2 {
		c.sub[i&1] = n
		return nil
	}
	return fork(w, n, &c.sub[i&1])
}

// Region implements [runtimes.Regioned].
func (c *call) Region(int) loi.RegionID { return 0 }

func (c *call) Next(*runtimes.Worker, int) int {
	*c.out = c.sub[0] + c.sub[1]
	return 0
}
