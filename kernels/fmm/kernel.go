package fmm

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
)

// maxBodies keeps bodies, cells and leaves within 32 bits.
const maxBodies = 1 << 28

const splitDefault = 5000

// params are the parameters of Kernel; apart from it, for read refers to it.
var params = []kernel.Param{
	kernel.Int("bodies", 1000000, 1, maxBodies, "how many bodies; not with --input"),
	kernel.Word("dist", plummer, distributions,
		"where they are: plummer (a star cluster), sphere (uniform in a ball), cube (uniform)"),
	kernel.Real("radius", "1", 1e-30, 1e30, "scale radius of plummer"),
	kernel.Real("cut", "10", 1e-3, 1e30,
		"radius beyond which plummer has no bodies, in scale radii"),
	{Name: "input", Kind: kernel.WordParam, Default: "", Parse: anything,
		Help: "CSV `FILE` of bodies x,y,z,q to use instead"},
	{Name: "output", Kind: kernel.WordParam, Default: "", Parse: anything,
		Help: "new CSV `FILE` for x,y,z,q,potential,ax,ay,az in the order of the input"},
	kernel.Int("ncrit", 32, 1, 4096, "most bodies in a leaf"),
	kernel.Int("order", 5, laplace.MinOrder, laplace.MaxOrder,
		"order of the expansions; above 6 M2L has no SIMD and takes some 7 times as long"),
	kernel.Real("theta", "0.5", 0.1, 0.9, "how large heavy cells may be for their distance when "+
		"expansions meet: less is more exact and slower"),
	kernel.Int("cutoff", 300, 0, math.MaxInt32,
		"a pair of subtrees with fewer bodies in all is one task"),
	kernel.Int("split", splitDefault, 0, math.MaxInt32, "of a pair of cells with as many bodies "+
		"in all both are opened, of one with fewer the larger"),
	kernel.Word("tasks", coarse, []string{coarse, exafmm}, "what is a task: coarse, a pair of "+
		"ranges below the cutoff or with nothing to open; exafmm, as exaFMM had it in 2013: "+
		"ranges are halved and spawned down to single cells, and the cutoff takes the place of "+
		"--split"),
	kernel.Word("layout", arrays, []string{arrays, together}, "where expansions lie: arrays, "+
		"those of all cells one after the other, on cache lines of their own; cell, a cell's "+
		"header, multipoles and locals side by side, so that lines that are read hold what is "+
		"written"),
	kernel.Word("mutual", "true", []string{"true", "false"},
		"one evaluation of a pair serves both sides; false: each side has its own"),
	kernel.ISA("the kernels"),
}

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:      "fmm",
	Summary:   "fast multipole method, potential and acceleration of N bodies, dual tree traversal",
	Work:      true,
	TaskGrain: true,
	Size:      "bodies",
	Params:    params,
	Plan:      plan,
	New:       newInstance,
	Small: []kernel.Params{
		{"bodies": 1}, {"bodies": 2, "dist": cube},
		{"bodies": 300, "dist": sphere, "cutoff": 0, "ncrit": 8, "isa": "portable"},
		{"bodies": 1000, "cutoff": 100, "split": 150},
		{"bodies": 1000, "dist": cube, "mutual": "false", "theta": "0.7", "order": 3},
		{"bodies": 1000, "tasks": exafmm, "cutoff": 100, "layout": together},
		{"bodies": 1000, "dist": cube, "tasks": exafmm, "mutual": "false", "cutoff": 0},
	},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"bodies": 8000, "ncrit": 96,
		"mutual": "false", "split": 1200}}},
}

// The rules for tasks, and the layouts.
const (
	coarse   = "coarse"
	exafmm   = "exafmm"
	arrays   = "arrays"
	together = "cell"
)

func anything(string) error { return nil }

// settings are the parameters, read.
type settings struct {
	dist          string
	n             int
	radius, cut   float64 // of plummer; cut in the units of radius
	input, output string
	ncrit         int
	order         int
	theta         float64
	cutoff, split int
	exafmm        bool // the rule for tasks
	packed        bool // the layout
	mutual        bool
	isa           isa.Set
}

func read(p kernel.Params) (s settings, err error) {
	s = settings{
		dist: p.Word("dist"), n: p.Int("bodies"), input: p.Word("input"), output: p.Word("output"),
		ncrit: p.Int("ncrit"), order: p.Int("order"), cutoff: p.Int("cutoff"),
		split: p.Int("split"), exafmm: p.Word("tasks") == exafmm,
		packed: p.Word("layout") == together, mutual: p.Word("mutual") == "true",
		radius: p.Real("radius"), cut: p.Real("cut"), theta: p.Real("theta"),
	}
	for i := range params { // whoever calls New directly has not checked them
		if err := params[i].Check(p[params[i].Name]); err != nil {
			return s, err
		}
	}
	if s.exafmm { // one number is both
		if s.split != splitDefault && s.split != s.cutoff {
			return s, p.Errorf("split", "with --tasks exafmm the cutoff is this number too; leave "+
				"it out")
		}
		s.split = s.cutoff
	}
	if s.isa, err = p.ISA(); err != nil {
		return s, err
	}
	if s.output != "" {
		if _, err := os.Lstat(s.output); err == nil {
			return s, p.Errorf("output", "it exists already, and is not overwritten; name a new "+
				"file")
		} else if !errors.Is(err, fs.ErrNotExist) {
			return s, p.Errorf("output", "%v", err)
		}
		if dir, err := os.Stat(filepath.Dir(s.output)); err != nil || !dir.IsDir() {
			return s, p.Errorf("output", "there is no such folder; name a new file in one that "+
				"exists")
		}
	}
	return s, nil
}

// plan reads the input, to know how many bodies there are and before anything is run. It does not
// know the number of executions, which depends on where the bodies are: the instance does.
func plan(p kernel.Params) (kernel.Plan, error) {
	s, err := read(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	if s.input != "" {
		bodies, err := readBodies(s.input)
		if err != nil {
			return kernel.Plan{}, err
		}
		s.n = len(bodies)
	}
	out := kernel.Plan{Resolved: maps.Clone(p), Args: 2}
	out.Resolved["bodies"] = s.n
	out.Resolved["isa"] = s.isa.String()
	out.Resolved["split"] = s.split
	terms, err := laplace.TermsOf(s.order)
	if err != nil {
		return kernel.Plan{}, err
	}
	// Bodies as given, normalised, and in single precision with their fields; keys while the tree
	// is built. Leaves are mostly a quarter full or more.
	const aBody, single, aCell = 32 + 32 + 4 + 32, 32, 64 + 8 + 8 + 16
	n, cells := uint64(s.n), uint64(1+6*s.n/s.ncrit)
	out.DryBytes = n*aBody + cells*aCell
	if s.packed {
		terms = terms.Pack()
	}
	out.Bytes = out.DryBytes + n*single + cells*uint64(terms.CellBytes())
	out.Blocks = 4 * cells // most are leaves
	return out, nil
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	s, err := read(p)
	if err != nil {
		return nil, err
	}
	if env.Dry && s.output != "" {
		return nil, p.Errorf("output", "kernels are not computed on a simulated machine; leave "+
			"it out, or add --machine native")
	}
	var bodies []body
	if s.input != "" {
		if bodies, err = readBodies(s.input); err != nil {
			return nil, err
		}
	} else {
		bodies = generate(s.dist, s.n, s.radius, s.radius*s.cut, env.Seed)
	}
	return newInstanceWith(s, bodies, env.Seed, runtime.GOMAXPROCS(0), env.Dry)
}
