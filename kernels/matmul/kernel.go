package matmul

import (
	"fmt"
	"unsafe"

	"krdlab/hw"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "matmul",
	Summary: "dense matrix multiply, C += A B in single precision, divide and conquer",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		{Name: "n", Kind: kernel.IntParam, Default: 4096, Min: 1, Max: 1 << 17,
			Help: "rows and columns of each matrix; any size"},
		{Name: "leaf", Kind: kernel.WordParam, Default: "32x32x64", Choices: presets(),
			Parse: parseLeaf,
			Help: "largest leaf as rows of C x columns of C x inner dimension (32x32x64), or " +
				"one of " + describePresets()},
		{Name: "layout", Kind: kernel.WordParam, Default: "tiled", Choices: dense.Layouts(),
			Help: "how matrices lie in memory: row (row-major) or tiled (leaf-sized tiles one " +
				"after the other)"},
		{Name: "isa", Kind: kernel.WordParam, Default: "auto", Choices: isa.Names(),
			Help: "instruction set of the leaf; auto takes the best that this CPU has"},
		{Name: "inputs", Kind: kernel.WordParam, Default: "integers", Choices: []string{"integers",
			"uniform"},
			Help: "integers in [-8, 8], whose product is exact and is checked exactly, or " +
				"uniform in [-1, 1), checked to a statistical bound"},
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{
		{"n": 1}, {"n": 33}, {"n": 256}, {"n": 200, "leaf": "16x48x32", "layout": "row"},
	},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1024}},
		{Name: "large", Params: kernel.Params{"n": 8192}},
	},
}

func presets() []string {
	var names []string
	for _, p := range dense.Presets() {
		names = append(names, p.Name)
	}
	return names
}

func describePresets() string {
	s := ""
	for i, p := range dense.Presets() {
		if i > 0 {
			s += "; "
		}
		s += fmt.Sprintf("%s (%v: %s)", p.Name, p.Leaf, p.About)
	}
	return s
}

func parseLeaf(s string) error {
	_, err := dense.ParseShape(s)
	return err
}

// settings are the parameters, read.
type settings struct {
	n      int
	leaf   dense.Shape
	layout dense.Layout
	isa    isa.Set
	dist   dense.Dist
}

func read(p kernel.Params) (s settings, err error) {
	bad := func(name string, err error) error {
		return &kernel.ParamError{Name: name, Got: fmt.Sprint(p[name]), Want: err.Error()}
	}
	s.n = p.Int("n")
	if s.leaf, err = dense.ParseShape(p.Word("leaf")); err != nil {
		return s, bad("leaf", err)
	}
	if s.layout, err = dense.ParseLayout(p.Word("layout")); err != nil {
		return s, bad("layout", err)
	}
	if s.isa, err = isa.Parse(p.Word("isa")); err != nil {
		return s, bad("isa", err)
	}
	if s.isa, err = s.isa.Resolve(); err != nil {
		return s, bad("isa", err)
	}
	if s.dist, err = dense.ParseDist(p.Word("inputs")); err != nil {
		return s, bad("inputs", err)
	}
	return s, nil
}

func blocks(n, leaf int) uint64 { return uint64(n+leaf-1) / uint64(leaf) }

func plan(p kernel.Params) (kernel.Plan, error) {
	s, err := read(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	out := kernel.Plan{Resolved: kernel.Params{}, Args: 3}
	for name, v := range p {
		out.Resolved[name] = v
	}
	out.Resolved["leaf"] = s.leaf.String()
	out.Resolved["isa"] = s.isa.String()
	rows, cols, inner := blocks(s.n, s.leaf.M), blocks(s.n, s.leaf.N), blocks(s.n, s.leaf.K)
	out.Executions = rows * cols * inner
	out.Blocks = rows*inner + inner*cols + rows*cols
	// Three matrices with up to 32 floats of padding a row, and the vectors of the check.
	n := uint64(s.n)
	out.Bytes = 3*4*n*(n+32) + 4*64*n
	return out, nil
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	in, err := build(p, env)
	if err != nil {
		return nil, err // and not a nil *instance
	}
	return in, nil
}

func build(p kernel.Params, env kernel.Env) (_ *instance, err error) {
	s, err := read(p)
	if err != nil {
		return nil, err
	}
	in := &instance{n: s.n, shape: s.leaf, dry: env.Dry}
	if l := s.leaf; s.n%l.M == 0 && s.n%l.N == 0 && s.n%l.K == 0 {
		in.work = 2 * uint64(l.M) * uint64(l.N) * uint64(l.K)
	}
	defer func() {
		if err != nil {
			for _, m := range []*dense.Matrix{in.a, in.b, in.c} {
				if m != nil {
					m.Free()
				}
			}
		}
	}()
	for _, m := range []struct {
		name       string
		to         **dense.Matrix
		rows, cols int
	}{{"A", &in.a, s.leaf.M, s.leaf.K}, {"B", &in.b, s.leaf.K, s.leaf.N},
		{"C", &in.c, s.leaf.M, s.leaf.N}} {
		if *m.to, err = dense.New(s.n, s.n, m.rows, m.cols, s.layout); err != nil {
			return nil, err
		}
		in.Add(m.name, *m.to)
		if env.Interleave != nil {
			data := (*m.to).Data
			if err = hw.Interleave(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data)),
				env.Interleave); err != nil {
				return nil, fmt.Errorf("interleave pages over NUMA nodes %v: %w", env.Interleave,
					err)
			}
		}
	}
	if env.Dry { // memory that nobody touches costs nothing
		in.Reset(false)
		return in, nil
	}
	in.a.Fill(env.Seed, s.dist)
	in.b.Fill(env.Seed+1, s.dist)
	if in.mul, err = dense.NewMultiplier(in.a, in.b, in.c, s.isa); err != nil {
		return nil, err
	}
	if in.check, err = dense.NewChecker(in.a, in.b, in.c, env.Seed+2); err != nil {
		return nil, err
	}
	in.Reset(false)
	return in, nil
}
