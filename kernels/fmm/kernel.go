package fmm

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
)

// maxBodies keeps bodies, cells and leaves within 32 bits.
const maxBodies = 1 << 28

const splitDefault = 5000

// params is what Kernel takes; apart from it, for read refers to it.
var params = []kernel.Param{
	{Name: "bodies", Kind: kernel.IntParam, Default: 1000000, Min: 1, Max: maxBodies,
		Help: "how many bodies; not with --input"},
	{Name: "dist", Kind: kernel.WordParam, Default: plummer, Choices: distributions,
		Help: "where they are: plummer (a star cluster), sphere (uniform in a ball), cube (uniform)"},
	{Name: "radius", Kind: kernel.WordParam, Default: "1", Parse: within(1e-30, 1e30),
		Help: "scale radius of plummer"},
	{Name: "cut", Kind: kernel.WordParam, Default: "10", Parse: within(1e-3, 1e30),
		Help: "radius beyond which plummer has no bodies, in scale radii"},
	{Name: "input", Kind: kernel.WordParam, Default: "", Parse: anything,
		Help: "CSV `FILE` of bodies x,y,z,q to use instead"},
	{Name: "output", Kind: kernel.WordParam, Default: "", Parse: anything,
		Help: "new CSV `FILE` for x,y,z,q,potential,ax,ay,az in the order of the input"},
	{Name: "ncrit", Kind: kernel.IntParam, Default: 32, Min: 1, Max: 4096,
		Help: "most bodies in a leaf"},
	{Name: "order", Kind: kernel.IntParam, Default: 5, Min: laplace.MinOrder, Max: laplace.MaxOrder,
		Help: "order of the expansions; above 6 M2L has no SIMD and takes some 7 times as long"},
	{Name: "theta", Kind: kernel.WordParam, Default: "0.5", Parse: within(0.1, 0.9),
		Help: "how large heavy cells may be for their distance when expansions meet: less is " +
			"more exact and slower"},
	{Name: "cutoff", Kind: kernel.IntParam, Default: 300, Min: 0, Max: math.MaxInt32,
		Help: "a pair of subtrees with fewer bodies in all is one task"},
	{Name: "split", Kind: kernel.IntParam, Default: splitDefault, Min: 0, Max: math.MaxInt32,
		Help: "of a pair of cells with as many bodies in all both are opened, of one with fewer " +
			"the larger"},
	{Name: "tasks", Kind: kernel.WordParam, Default: coarse, Choices: []string{coarse, exafmm},
		Help: "what is a task: coarse, a pair of ranges below the cutoff or with nothing to open; " +
			"exafmm, as exaFMM had it in 2013: ranges are halved and spawned down to single cells, " +
			"and the cutoff takes the place of --split"},
	{Name: "layout", Kind: kernel.WordParam, Default: arrays, Choices: []string{arrays, together},
		Help: "where expansions lie: arrays, those of all cells one after the other, on cache " +
			"lines of their own; cell, a cell's header, multipoles and locals side by side, so " +
			"that lines that are read hold what is written"},
	{Name: "mutual", Kind: kernel.WordParam, Default: "true", Choices: []string{"true", "false"},
		Help: "one evaluation of a pair serves both sides; false: each side has its own"},
	{Name: "isa", Kind: kernel.WordParam, Default: "auto", Choices: isa.Names(),
		Help: "instruction set of the kernels; auto takes the best that this CPU has"},
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

// within accepts numbers from lo to hi.
func within(lo, hi float64) func(string) error {
	return func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= lo && v <= hi) {
			return fmt.Errorf("it must be a number from %g to %g", lo, hi)
		}
		return nil
	}
}

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
	}
	for i := range params { // whoever calls New directly has not checked them
		if err := params[i].Check(p[params[i].Name]); err != nil {
			return s, err
		}
	}
	for name, to := range map[string]*float64{"radius": &s.radius, "cut": &s.cut,
		"theta": &s.theta} {
		*to, _ = strconv.ParseFloat(p.Word(name), 64) // checked
	}
	if s.exafmm { // one number is both
		if s.split != splitDefault && s.split != s.cutoff {
			return s, &kernel.ParamError{Name: "split", Got: strconv.Itoa(s.split),
				Want: "with --tasks exafmm the cutoff is this number too; leave it out"}
		}
		s.split = s.cutoff
	}
	if s.isa, err = isa.Parse(p.Word("isa")); err != nil {
		return s, &kernel.ParamError{Name: "isa", Got: p.Word("isa"), Want: err.Error()}
	}
	k, err := laplace.New(laplace.Options{Order: s.order, ISA: s.isa})
	if err != nil {
		return s, &kernel.ParamError{Name: "isa", Got: p.Word("isa"), Want: err.Error()}
	}
	s.isa = k.ISA()
	if s.output != "" {
		if _, err := os.Lstat(s.output); err == nil {
			return s, &kernel.ParamError{Name: "output", Got: s.output,
				Want: "it exists already, and is not overwritten; name a new file"}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return s, &kernel.ParamError{Name: "output", Got: s.output, Want: err.Error()}
		}
		if dir, err := os.Stat(filepath.Dir(s.output)); err != nil || !dir.IsDir() {
			return s, &kernel.ParamError{Name: "output", Got: s.output,
				Want: "there is no such folder; name a new file in one that exists"}
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
		return nil, &kernel.ParamError{Name: "output", Got: s.output,
			Want: "kernels are not computed on a simulated machine; leave it out, or add " +
				"--machine native"}
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
