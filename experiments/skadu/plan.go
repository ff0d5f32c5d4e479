// Package skadu redoes the evaluation of the footprint profiler of the skadu paper ("Skadu:
// Efficient Vector Shadow Memories for Poly-Scopic Program Analysis", CGO 2013, section 6.1):
// figure 7 and table 2, with Go programs and kernels of krdlab.
//
//	scale -> plan -> steps.Folder.Run -> a file for each step -> ResultOf -> steps.Folder.Write
//
// A step is a plain run of a program, which is timed, or one with its footprints counted by one
// technique (package shadow).
package skadu

import (
	"context"
	"fmt"
	"strconv"

	"krdlab/experiments/reproduce"
	"krdlab/experiments/steps"
	"krdlab/krd/shadow"
)

// A technique is a variant of the shadow memory, as figure 7 and 6.3 name it.
type technique struct {
	name, title string
	validation  shadow.Validation
	compress    bool
	iterations  bool // the iterations of loops are regions too
	// What the paper found: means over its programs, of the memory expansion, of its reduction and of
	// the speed-up over the baseline, of the slowdown; 0: it does not tell.
	expansion, reduction, speedup, slowdown float64
}

// techniques are those that are compared, in the paper's order.
var techniques = []technique{
	{name: baseline, title: "baseline", validation: shadow.Baseline, expansion: 17.8, reduction: 1,
		speedup: 1},
	{name: "slim", title: "SlimTV", validation: shadow.Slim, reduction: 6.6, speedup: 3.1},
	{name: "bulk", title: "SlimTV + BulkTV", validation: shadow.Bulk, expansion: 1.4, reduction: 13.0,
		slowdown: 12.3},
	{name: "compressed", title: "with compression", validation: shadow.Bulk, compress: true,
		expansion: 1.3, reduction: 14.2},
}

// measured is their order of measuring: what SlimTV takes tells what the baseline would take.
var measured = []*technique{&techniques[slim], &techniques[2], &techniques[3], &techniques[0]}

// slim is the index of SlimTV in techniques.
const slim = 1

// deepest counts the levels of functions, loops and iterations, at the inputs of scale smoke: in
// inputs like these a program nests as in others.
var deepest = technique{name: "iterations", validation: shadow.Bulk, iterations: true}

// A program is one of the page.
type program struct {
	name   string
	source string // of its code: see sources
	// args are those of a Go program before its size, or a class of a kernel
	args []string
	flag string // of the size
	size sizes
}

// sizes are those of a program, by scale.
type sizes struct{ smoke, quick, paper int }

func (s *sizes) of(scale reproduce.Scale) int {
	switch scale {
	case reproduce.Smoke:
		return s.smoke
	case reproduce.Paper:
		return s.paper
	}
	return s.quick
}

// The sources of programs.
const (
	scimark = "SciMark"
	modules = "module"
	kernels = "kernel"
)

// each is how many elements a row of sparse has.
const each = 20

var programs = []program{
	{"fft", scimark, nil, "-n", sizes{1 << 8, 1 << 17, 1 << 21}},
	{"lu", scimark, nil, "-n", sizes{32, 400, 1200}},
	{"sor", scimark, nil, "-n", sizes{32, 800, 4000}},
	{"sparse", scimark, []string{"-iterations", "10"}, "-n", sizes{200, 50_000, 400_000}},
	{"flate", modules, nil, "-n", sizes{4000, 4e6, 2e7}},
	{"toml", modules, nil, "-n", sizes{20, 5000, 1e5}},
	{"table", modules, nil, "-n", sizes{20, 5000, 1e5}},
	{"matmul", kernels, nil, "n", sizes{128, 2048, 4096}},
	{"cholesky", kernels, nil, "n", sizes{256, 2048, 4096}},
	{"heat", kernels, nil, "n", sizes{256, 2048, 4096}},
	{"fmm", kernels, []string{"small"}, "bodies", sizes{500, 0, 0}}, // 0: of the class
}

// arguments of a Go program.
func (p *program) arguments(scale reproduce.Scale) []string {
	n := p.size.of(scale)
	list := append([]string{p.name}, p.args...)
	if p.source == scimark && p.name == "sparse" {
		list = append(list, "-nz", strconv.Itoa(each*n))
	}
	return append(list, p.flag, strconv.Itoa(n))
}

func nativeName(p *program) string                 { return p.name + "-native" }
func measuredName(p *program, t *technique) string { return p.name + "-" + t.name }

// plan lists the steps of a scale, with the plain runs first: nothing else runs beside them.
func plan(scale reproduce.Scale) (list []steps.Step) {
	for i := range programs {
		p := &programs[i]
		list = append(list, steps.Step{Name: nativeName(p),
			Do: func(ctx context.Context, w *steps.Worker) (any, error) {
				return native(ctx, w, p, scale)
			}})
	}
	for i := range programs {
		p := &programs[i]
		add := func(t *technique, scale reproduce.Scale) {
			list = append(list, steps.Step{Name: measuredName(p, t),
				Do: func(ctx context.Context, w *steps.Worker) (any, error) {
					return measure(ctx, w, p, t, scale)
				}})
		}
		for _, t := range measured {
			add(t, scale)
		}
		if p.source != kernels {
			add(&deepest, reproduce.Smoke)
		}
	}
	return list
}

// Kind is the experiment's word.
const Kind = "skadu"

// Open makes the folder dir, or finds what it did of the same scale: see [steps.Open].
func Open(dir string, scale reproduce.Scale) (f *steps.Folder, created bool, err error) {
	return steps.Open(dir, Kind, scale, plan(scale))
}

// leftOut is the error of a program that others can do without.
func leftOut(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", steps.ErrLeft, err)
}
