package fmm

import (
	"path/filepath"
	"runtime"
	"testing"

	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// settle returns the settings of the default parameters with p over them.
func settle(t testing.TB, p kernel.Params) settings {
	t.Helper()
	s, err := read(Kernel.With(p))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// of returns an instance of bodies, ready to run.
func of(t testing.TB, p kernel.Params, bodies []body) *instance {
	t.Helper()
	in, err := newInstanceOf(settle(t, p), bodies, 5)
	if err != nil {
		t.Fatal(err)
	}
	in.Reset(false)
	return in
}

// call is a kernel execution with its arguments.
type call struct {
	kernel loi.KernelID
	args   [2]uint32
}

// run runs in serially in virtual time and returns its kernels in order, as a trace has them.
func run(t testing.TB, in *instance) []call {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.loi")
	w, err := loi.Create(path, loi.Header{
		Registry: in.Registry(), Workers: []loi.Worker{{CPU: -1}}, Substrate: loi.Simulated,
		Grain: "kernel",
	}, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = runtimes.Step(runtimes.StepConfig{
		Policy: runtimes.Serial{}, Nodes: []int{0}, Kernels: in.Registry().Kernels,
		Recorders: []*loi.Recorder{w.Recorder(0)},
	}, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	var calls []call
	for c := trace.Cursor(0); c.Next(); {
		r := c.Record()
		k := call{kernel: r.Kernel}
		copy(k.args[:], r.Args)
		calls = append(calls, k)
	}
	return calls
}

// replay does calls but the one numbered skip; whom cells meet is noted down for that one too.
func replay(in *instance, calls []call, skip int) {
	in.Reset(false)
	for n, c := range calls {
		i, j := int32(c.args[0]), int32(c.args[1])
		if c.kernel != kernM2L {
			i, j = in.leaves[i], in.leaves[j]
		}
		a, b := &in.cells[i], &in.cells[j]
		if c.kernel == kernSelf {
			in.met[i] += in.ids[i]
		} else {
			in.meet(i, j)
		}
		if n == skip {
			continue
		}
		switch c.kernel {
		case kernM2L:
			in.ops.M2LMutual(in.exp, int(i), int(j))
		case kernP2P:
			in.ops.P2PMutual(in.soa, int(a.lo), int(a.hi), int(b.lo), int(b.hi))
		case kernSelf:
			in.ops.P2PSelf(in.soa, int(a.lo), int(a.hi))
		}
	}
}

// scattered returns inputs that have little in common, by name.
func scattered() map[string][]body {
	m := map[string][]body{
		"plummer": generate(plummer, 700, 1, 10, 1),
		"sphere":  generate(sphere, 500, 0, 0, 2),
		"cube":    generate(cube, 600, 0, 0, 3),
		"one":     generate(cube, 1, 0, 0, 3),
		"two":     generate(cube, 2, 0, 0, 3),
	}
	point := make([]body, 300)
	for i := range point {
		point[i] = body{3, -4, 5, 1}
	}
	m["point"] = point
	m["point and one"] = append(append([]body(nil), point...), body{4, -4, 5, 2})

	// Two clusters, so far apart that neither single precision nor a Morton code of the whole
	// separates their bodies.
	far := generate(plummer, 400, 1, 10, 4)
	for i := range far {
		if i%2 == 1 {
			far[i].x += 1e7
		}
	}
	m["clusters"] = far

	line := generate(cube, 400, 0, 0, 5)
	for i := range line {
		line[i].y, line[i].z = 2*line[i].x, 1-line[i].x
	}
	m["line"] = line

	huge := generate(sphere, 300, 0, 0, 6)
	tiny := append([]body(nil), huge...)
	for i := range huge {
		huge[i].x, huge[i].y, huge[i].z = huge[i].x*1e55, huge[i].y*1e55, huge[i].z*1e55
		tiny[i].x, tiny[i].y, tiny[i].z = tiny[i].x*1e-55, tiny[i].y*1e-55, tiny[i].z*1e-55
	}
	m["huge"], m["tiny"] = huge, tiny

	signs := generate(cube, 800, 0, 0, 7)
	zeros := append([]body(nil), signs...)
	for i := range signs {
		if i%3 == 0 {
			signs[i].q = -signs[i].q
		}
		if i%2 == 0 {
			zeros[i].q = 0
		}
	}
	m["signs"], m["test particles"] = signs, zeros
	nothing := append([]body(nil), signs...)
	for i := range nothing {
		nothing[i].q = 0
	}
	m["no charge"] = nothing

	grid := make([]body, 0, 512)
	for i := range 512 {
		grid = append(grid, body{float64(i & 7), float64(i >> 3 & 7), float64(i >> 6), 1})
	}
	m["grid"] = grid
	return m
}

// newInstanceOf builds the tree and the multipoles of bodies, which it keeps.
func newInstanceOf(s settings, bodies []body, seed uint64) (*instance, error) {
	return newInstanceWith(s, bodies, seed, runtime.GOMAXPROCS(0), false)
}
