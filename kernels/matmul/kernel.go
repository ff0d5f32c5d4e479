package matmul

import (
	"fmt"
	"maps"
	"unsafe"

	"krdlab/kernels/blocked"
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
		kernel.Int("n", 4096, 1, 1<<17, "rows and columns of each matrix; any size"),
		{Name: "leaf", Kind: kernel.WordParam, Default: "32x32x64", Choices: presets(),
			Parse: parseLeaf,
			Help: "largest leaf as rows of C x columns of C x inner dimension (32x32x64), or " +
				"one of " + describePresets()},
		kernel.Word("layout", "tiled", dense.Layouts(), "how matrices lie in memory: row "+
			"(row-major) or tiled (leaf-sized tiles one after the other)"),
		kernel.ISA("the leaf"),
		kernel.Word("inputs", "integers", []string{"integers", "uniform"}, "integers in [-8, 8], "+
			"whose product is exact and is checked exactly, or uniform in [-1, 1), checked to a "+
			"statistical bound"),
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
	s.n = p.Int("n")
	if s.leaf, err = dense.ParseShape(p.Word("leaf")); err != nil {
		return s, p.Errorf("leaf", "%v", err)
	}
	if s.layout, err = dense.ParseLayout(p.Word("layout")); err != nil {
		return s, p.Errorf("layout", "%v", err)
	}
	if s.dist, err = dense.ParseDist(p.Word("inputs")); err != nil {
		return s, p.Errorf("inputs", "%v", err)
	}
	s.isa, err = p.ISA()
	return s, err
}

func blocks(n, leaf int) uint64 { return uint64(n+leaf-1) / uint64(leaf) }

func plan(p kernel.Params) (kernel.Plan, error) {
	s, err := read(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	out := kernel.Plan{Resolved: maps.Clone(p), Args: 3}
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

func newInstance(p kernel.Params, env kernel.Env) (_ kernel.Instance, err error) {
	s, err := read(p)
	if err != nil {
		return nil, err
	}
	in := &instance{Space: blocked.Space{Env: env}, n: s.n, shape: s.leaf}
	if l := s.leaf; s.n%l.M == 0 && s.n%l.N == 0 && s.n%l.K == 0 {
		in.work = 2 * uint64(l.M) * uint64(l.N) * uint64(l.K)
	}
	defer func() {
		if err != nil {
			in.Close()
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
		data := (*m.to).Data
		if err = blocked.Interleave(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data)),
			env); err != nil {
			return nil, err
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
