package app

import (
	"fmt"
	"os"
	"runtime"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// boom is a kernel for tests: 64 executions in parallel. One of them panics, starts a goroutine
// that does, ends its goroutine or the process, asks for more memory than an address space holds,
// never ends, is left out, done twice or not ended, names too few blocks or one that there is not
// or, with --panics none, has its result lost, so that the check fails. With --panics right nothing
// is wrong; with check, the fifth check never ends; with leave, it ends its goroutine.
var boom = kernel.Kernel{
	Name: "boom", Summary: "panics", Work: true,
	Params: []kernel.Param{{Name: "panics", Kind: kernel.WordParam, Default: "fuse",
		Choices: []string{"fuse", "goroutine", "memory", "never", "none", "check",
			"right", "leave", "goexit", "exit", "skip", "twice", "open", "few", "beyond"},
		Help: "in which kernel"}},
	Plan: func(p kernel.Params) (kernel.Plan, error) {
		return kernel.Plan{Resolved: p, Executions: 64, Args: 1}, nil
	},
	New: func(p kernel.Params, _ kernel.Env) (kernel.Instance, error) {
		return &boomInstance{panics: p.Word("panics")}, nil
	},
}

type boomInstance struct {
	panics string
	checks int
}

func (in *boomInstance) Registry() loi.Registry {
	return loi.Registry{
		Objects: []loi.Object{{Name: "o", Blocks: []loi.SizeRun{{Count: 64, Bytes: 8}}}},
		Kernels: []loi.Kernel{{Name: "fuse", Params: []loi.Param{{Object: 0, Mode: loi.In}}}},
	}
}
func (in *boomInstance) Reset(bool) {}
func (in *boomInstance) Check() kernel.Check {
	if in.checks++; in.panics != "none" {
		switch {
		case in.panics == "leave":
			runtime.Goexit()
		case in.panics == "check" && in.checks == 5:
			fmt.Fprintln(os.Stderr, "waiting")
			select {}
		}
		return kernel.Check{Passed: true}
	}
	return kernel.Check{Passed: false, Error: 1, Method: "none", Detail: "block 41 is wrong"}
}
func (in *boomInstance) Close() error { return nil }
func (in *boomInstance) Work(loi.KernelID, []uint32) ops.Count {
	return ops.Count{}
}
func (in *boomInstance) Place(_ loi.ObjectID, block uint32) kernel.Extent {
	return kernel.Extent{Base: 1<<20 + 8*uint64(block), Bytes: 8, Rows: 1}
}

func (in *boomInstance) Root(*runtimes.Worker) *runtimes.Frame {
	t := &boomTask{in: in}
	t.Bind(t, 0)
	return t.Fork(64)
}

type boomTask struct {
	runtimes.Frame
	in *boomInstance
}

func (b *boomTask) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	if i == 41 && b.in.panics == "skip" {
		return nil
	}
	start := w.Begin(0)
	if i == 41 {
		switch b.in.panics {
		case "goexit":
			runtime.Goexit()
		case "exit":
			os.Exit(0)
		case "twice":
			w.End(0, start, uint32(i))
			start = w.Begin(0)
		case "open":
			return nil
		case "few":
			w.End(0, start)
			return nil
		case "beyond":
			i = 64
		case "fuse":
			lightFuse(i)
		case "goroutine":
			go lightFuse(i)
			select {}
		case "memory":
			hoard = make([]byte, 1<<47)
		case "never":
			fmt.Fprintln(os.Stderr, "waiting")
			select {}
		}
	}
	w.End(0, start, uint32(i))
	return nil
}

var hoard []byte

func lightFuse(i int) { panic(fmt.Sprintf("fuse %d is lit", i)) }

func (b *boomTask) Next(*runtimes.Worker, int) int { return 0 }
