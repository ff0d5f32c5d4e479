// Package skadu redoes the evaluation of the skadu paper ("Skadu: Efficient Vector Shadow Memories
// for Poly-Scopic Program Analysis", CGO 2013, section 6) with Go programs and kernels of krdlab:
// of the footprint profiler (figure 7 and table 2), and of hierarchical critical path analysis
// (figure 8 and table 3).
//
//	scale -> plan -> study.Folder.Run -> a file for each step -> outcomeOf
//
// A step is a plain run of a program, which is timed, or one that is profiled by one technique
// (package shadow).
package skadu

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/papers/study"
	"krdlab/krd/analysis/shadow"
)

// A technique is a variant of the shadow memory, as the figures and 6.3 name it.
type technique struct {
	name, title string
	validation  shadow.Validation
	compress    bool
	iterations  bool // the iterations of loops are regions too
	// The paper's results: means over its programs, of the memory expansion, of its reduction and
	// of the speed-up over the baseline, of the slowdown; 0: it has none.
	expansion, reduction, speedup, slowdown float64
}

// A profiler is one of the two of the paper.
type profiler struct {
	prefix     string      // of names
	title      string      // a word or two
	figure     int         // of the paper
	paths      bool        // it finds critical paths, not footprints
	techniques []technique // that are compared, in the paper's order
}

// baseline and slim are indices of techniques.
const (
	baseline = iota
	slim
)

var (
	footprints = profiler{title: "Footprints", figure: 7, techniques: []technique{
		{name: "baseline", title: "baseline", validation: shadow.Baseline, expansion: 17.8, reduction: 1,
			speedup: 1},
		{name: "slim", title: "SlimTV", validation: shadow.Slim, reduction: 6.6, speedup: 3.1},
		{name: "bulk", title: "SlimTV + BulkTV", validation: shadow.Bulk, expansion: 1.4,
			reduction: 13.0, slowdown: 12.3},
		{name: "compressed", title: "with compression", validation: shadow.Bulk, compress: true,
			expansion: 1.3, reduction: 14.2},
	}}
	// of critical paths: the cache stands before the storage with BulkTV
	hcpa = profiler{prefix: "paths_", title: "Critical paths", figure: 8, paths: true, techniques: []technique{
		{name: "paths-baseline", title: "baseline", validation: shadow.Baseline, expansion: 59.0,
			reduction: 1, speedup: 1},
		{name: "paths-slim", title: "SlimTV", validation: shadow.Slim, reduction: 1.7},
		{name: "paths-bulk", title: "SlimTV + BulkTV + GC", validation: shadow.Bulk, expansion: 7.1,
			reduction: 8.3},
		{name: "paths-compressed", title: "with compression", validation: shadow.Bulk, compress: true,
			expansion: 5.2, reduction: 11.4},
	}}
	profilers = []*profiler{&footprints, &hcpa}
)

// measured returns the order of measuring: the memory of SlimTV determines that of the baseline.
func (p *profiler) measured() []*technique {
	t := p.techniques
	return []*technique{&t[slim], &t[2], &t[3], &t[baseline]}
}

// deepest counts the levels of functions, loops and iterations, at the inputs of scale smoke: in
// inputs like these a program nests as in others.
var deepest = technique{name: "iterations", validation: shadow.Bulk, iterations: true}

// A program is one of the page.
type program struct {
	name   string
	source string // of its code
	args   string // of a Go program before its inputs
	// inputs are arguments, by scale: of a kernel its parameters, NAME=VALUE; as footprints are
	// counted, and as critical paths are found. Without, the program is not profiled so.
	footprint, paths inputs
}

type inputs struct{ smoke, quick, paper string }

func (s *inputs) of(scale study.Scale) string {
	switch scale {
	case study.Smoke:
		return s.smoke
	case study.Paper:
		return s.paper
	}
	return s.quick
}

// The sources of programs.
const (
	scimark = "SciMark"
	nas     = "NAS"
	modules = "module"
	kernels = "kernel"
)

// Critical paths take longer: 400 to 3 000 times as long as the program. At scale paper they are of SciMark's
// large class and of class W of the NAS benchmarks, of IS of class A; all iterations but of LU, whose shadow
// memory is as large after one as after all, and which would take three hours for each technique.
var programs = []program{
	{"fft", scimark, "fft", inputs{"-n 256", "-n 131072", "-n 2097152"},
		inputs{"-n 256", "-n 16384", "-n 1048576"}},
	{"lu", scimark, "lu", inputs{"-n 32", "-n 400", "-n 1200"},
		inputs{"-n 32", "-n 150", "-n 1000"}},
	{"sor", scimark, "sor", inputs{"-n 32", "-n 800", "-n 4000"},
		inputs{"-n 32", "-n 200", "-n 1000"}},
	{"sparse", scimark, "sparse -iterations 10", inputs{"-n 200 -nz 4000", "-n 50000 -nz 1000000",
		"-n 400000 -nz 8000000"}, inputs{"-n 200 -nz 4000", "-n 5000 -nz 100000",
		"-n 100000 -nz 1000000"}},
	{"nas-cg", nas, "cg", inputs{"--class S --iterations 1", "--class W --iterations 3",
		"--class A"}, inputs{"--class S --iterations 1", "--class S --iterations 1", "--class W"}},
	{"nas-ft", nas, "ft", inputs{"--class S --iterations 1", "--class W", "--class A"},
		inputs{"", "--class S --iterations 1", "--class W"}},
	{"nas-is", nas, "is", inputs{"--class S --iterations 1", "--class W", "--class A"},
		inputs{"--class S --iterations 1", "--class S", "--class A"}},
	{"nas-lu", nas, "lu", inputs{"--class S --iterations 1", "--class W --iterations 5",
		"--class A --iterations 5"}, inputs{"--class S --iterations 1", "--class S --iterations 3",
		"--class W --iterations 10"}},
	{"nas-mg", nas, "mg", inputs{"--class S --iterations 1", "--class W", "--class A"},
		inputs{"--class S --iterations 1", "--class S", "--class W"}},
	{"flate", modules, "flate", inputs{"-n 4000", "-n 4000000", "-n 20000000"},
		inputs{"-n 4000", "-n 200000", "-n 8000000"}},
	{"toml", modules, "toml", inputs{"-n 20", "-n 5000", "-n 100000"},
		inputs{"-n 20", "-n 500", "-n 20000"}},
	{"table", modules, "table", inputs{"-n 20", "-n 5000", "-n 100000"},
		inputs{"-n 20", "-n 500", "-n 20000"}},
	{name: "matmul", source: kernels, footprint: inputs{"n=128", "n=2048", "n=4096"}},
	{name: "cholesky", source: kernels, footprint: inputs{"n=256", "n=2048", "n=4096"}},
	{name: "heat", source: kernels, footprint: inputs{"n=256", "n=2048", "n=4096"}},
	{name: "fmm", source: kernels, footprint: inputs{"class=small bodies=500", "class=small",
		"class=small"}},
}

// programsAt returns the programs of a scale: of smoke one of each source, as each is built several
// times.
func programsAt(scale study.Scale) []program {
	if scale != study.Smoke {
		return programs
	}
	return slices.DeleteFunc(slices.Clone(programs), func(p program) bool {
		return !slices.Contains([]string{"fft", "nas-is", "flate", "matmul"}, p.name)
	})
}

// has reports whether a program is profiled so at a scale: a block is a datum of a kernel, which
// has few.
func (p *profiler) has(x *program, scale study.Scale) bool { return x.input(p, scale) != "" }

// input returns the input of a program, as it is profiled.
func (x *program) input(p *profiler, scale study.Scale) string {
	if p.paths {
		return x.paths.of(scale)
	}
	return x.footprint.of(scale)
}

// arguments returns those of a Go program.
func (x *program) arguments(p *profiler, scale study.Scale) []string {
	return strings.Fields(x.args + " " + x.input(p, scale))
}

func nativeName(p *profiler, x *program) string {
	return x.name + "-" + strings.ReplaceAll(p.prefix, "_", "-") + "native"
}

func measuredName(x *program, t *technique) string { return x.name + "-" + t.name }

// longest are the programs that take longest at scale paper, in the order of that.
var longest = []string{"nas-mg", "lu", "nas-lu"}

// plan lists the steps of a scale for some programs, with the plain runs first: nothing else runs
// beside them. Those that take longest are last, so that most results are there early.
func plan(scale study.Scale, programs []program) (list []study.Step) {
	add := func(name string, do func(context.Context, *study.Worker) (any, error)) {
		list = append(list, study.Step{Name: name, Do: do})
	}
	programs = slices.Clone(programs)
	slices.SortStableFunc(programs, func(a, b program) int {
		return slices.Index(longest, a.name) - slices.Index(longest, b.name)
	})
	each := func(do func(*profiler, *program)) {
		for _, p := range slices.Backward(profilers) {
			for i := range programs {
				if x := &programs[i]; p.has(x, scale) {
					do(p, x)
				}
			}
		}
	}
	each(func(p *profiler, x *program) {
		add(nativeName(p, x), func(ctx context.Context, w *study.Worker) (any, error) {
			return native(ctx, w, p, x, scale)
		})
	})
	each(func(p *profiler, x *program) {
		for _, t := range p.measured() {
			add(measuredName(x, t), func(ctx context.Context, w *study.Worker) (any, error) {
				return measure(ctx, w, p, x, t, scale)
			})
		}
		if !p.paths && x.source != kernels {
			add(measuredName(x, &deepest), func(ctx context.Context, w *study.Worker) (any, error) {
				return measure(ctx, w, p, x, &deepest, study.Smoke)
			})
		}
	})
	return list
}

// Study is the evaluation of the paper.
var Study = &study.Study{
	Name:  "skadu",
	Paper: "Skadu: Efficient Vector Shadow Memories for Poly-Scopic Program Analysis, CGO 2013",
	Short: "Redo figures 7 and 8 of the skadu paper and compare its numbers with the results",
	Long: "Redo figures 7 and 8 and tables 2 and 3 of \"Skadu: Efficient Vector Shadow Memories for " +
		"Poly-Scopic Program Analysis\" with Go programs and krdlab's kernels: the memory and time " +
		"that it takes, by technique, to count the footprint of every function and loop at once and " +
		"to find their critical paths.\n\nThree of the programs that it builds are public libraries, " +
		"so it needs the Go toolchain, and the network or a module cache; what cannot be built is " +
		"left out. Programs are timed on this computer, which should have nothing else to do. ",
	Takes: "smoke (four tiny programs that say nothing about the paper), quick (12 minutes) or paper (programs " +
		"of up to some hundred MB; hours)",
	Steps: func(scale study.Scale) ([]study.Step, error) { return plan(scale, programsAt(scale)), nil },
	Of:    outcomeOf,
}

// leftOut returns the error of a program that others can do without.
func leftOut(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", study.ErrLeft, err)
}
