package view

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/loi"
)

// A shape describes a made trace.
type shape struct {
	seed                       uint64
	workers, nodes, executions int
	blocks                     int // of each partition
	hz                         float64
	bytes                      uint64 // largest size of its file; 0: no limit
	plain                      bool   // registered blocks alone, and no events of the runtime
	spread                     bool   // workers of a node do not follow each other
	tasks                      bool   // some executions have the stamps of a task of several
	window                     scene.Span
}

// markup is a name that is not to become a part of the page.
const markup = `<img src=x onerror="krdlab.broken=1">&amp;'`

// made is a run of random executions: what a worker touches is mostly near what it touched before.
func made(t testing.TB, s shape) *scene.Run {
	t.Helper()
	r := rand.New(rand.NewPCG(s.seed, 0))
	h := loi.Header{L2Bytes: 16 << 10, LLCBytes: 128 << 10, Substrate: loi.Native, Grain: "kernel",
		Clock: loi.Clock{Source: "tsc", Hz: s.hz}, Scheduler: markup, Registry: loi.Registry{
			Objects: []loi.Object{{Name: "A", Blocks: []loi.SizeRun{{Count: uint32(s.blocks), Bytes: 512}}},
				{Name: markup, Blocks: []loi.SizeRun{{Count: uint32(s.blocks), Bytes: 1024}}},
				{Name: "keys", Kind: loi.Keyed}, {Name: "space", Kind: loi.Span}},
			Kernels: []loi.Kernel{{Name: "multiply"}, {Name: markup}, {Name: "add"}}}}
	mode := loi.In
	if s.tasks { // of two blocks of one size, nodes have written as much
		h.Registry.Objects[0].Blocks[0].Bytes, mode = 1024, loi.InOut
	}
	for w := range s.workers {
		node := w * s.nodes / s.workers
		if s.spread {
			node = w % s.nodes
		}
		h.Workers = append(h.Workers, loi.Worker{CPU: w, Node: node})
	}
	path := filepath.Join(t.TempDir(), "made.loi")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true, MaxBytes: s.bytes})
	if err != nil {
		t.Fatal(err)
	}
	clock, place := make([]uint64, s.workers), make([]int, s.workers)
	var list []loi.Access
	for k := range s.executions {
		of := k % s.workers
		rec := w.Recorder(of)
		if r.IntN(20) == 0 {
			place[of] = r.IntN(s.blocks)
			if !s.plain {
				rec.Event(loi.EventIdle, 1000+clock[of])
				clock[of] += uint64(r.IntN(4000))
				victim := uint32(r.IntN(s.workers))
				rec.Event(loi.EventSteal, 1000+clock[of], victim, 1, 1)
				rec.Event(loi.EventBusy, 1000+clock[of])
			}
		}
		near := func() uint64 { return uint64(place[of]+r.IntN(7)) % uint64(s.blocks) }
		list = append(list[:0], loi.Access{Block: near(), Mode: mode}, loi.Access{Object: 1,
			Block: near(), Mode: loi.InOut})
		if !s.plain {
			switch r.IntN(6) {
			case 0:
				list = append(list, loi.Access{Object: 2, Block: near() << 30, Bytes: 256, Mode: loi.Out})
			case 1:
				list = append(list, loi.Access{Object: 3, Block: 64 * near(), Bytes: uint64(1 + r.IntN(200)),
					Mode: loi.InOut})
			case 2:
				list = list[:0]
			}
		}
		clock[of] += uint64(r.IntN(300))
		d := uint64(200 + r.IntN(3000))
		if s.tasks { // many last as long
			d = 200 + d%3*700
		}
		rec.Accesses(loi.KernelID(r.IntN(3)), 0, 1000+clock[of], 1000+clock[of]+d, list)
		if s.tasks && r.IntN(3) == 0 {
			for range 1 + r.IntN(3) {
				rec.Accesses(loi.KernelID(r.IntN(3)), 0, 1000+clock[of], 1000+clock[of]+d, list)
			}
			clock[of]++ // so that no other has its stamps
		}
		clock[of] += d
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	read := func() (*scene.Run, error) { return scene.Read(trace, s.bytes > 0) }
	if s.window != (scene.Span{}) {
		read = func() (*scene.Run, error) { return scene.ReadWindow(trace, s.window, false) }
	}
	run, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if s.tasks {
		run.Task = make([]bool, len(run.Start))
		for _, l := range run.ByWorker() {
			for i := 1; i < len(l); i++ {
				if a, b := l[i-1], l[i]; run.Start[a] == run.Start[b] && run.End[a] == run.End[b] {
					run.Task[a], run.Task[b] = true, true
				}
			}
		}
	}
	return run
}

// small are two runs of a page, one of them with everything that a trace may tell.
func small(t testing.TB) []Run {
	return []Run{{Name: markup, Run: made(t, shape{seed: 1, workers: 6, nodes: 3, executions: 3000,
		blocks: 300, hz: 2.5e9}), NoTasks: "none " + markup},
		{Name: "second", Run: made(t, shape{seed: 2, workers: 4, nodes: 2, executions: 2000, blocks: 300,
			hz: 1e9, plain: true}), NoTasks: "none"}}
}

// page writes a page of runs, and returns its address.
func page(t testing.TB, runs []Run) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "view.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := Write(f, "runs of "+markup, runs); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}
