// Package virda redoes the evaluation of the virda paper ("Virtual reuse distance analysis of
// SPECjvm2008 data locality", sections 4.2 and 4.3.1 to 4.3.4) with SciMark's kernels in Go, and
// sets its numbers beside ours.
//
//	scale -> plan -> study.Folder.Run -> a file for each step -> outcomeOf
//
// A step is a traced program, one in simulated caches or a simulated run (package study). Verdicts
// are by the rule of package claims.
package virda

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/kernels/kernel"
)

// A program is a kernel of SciMark, and what the paper found of it.
type program struct {
	kernel  string
	section string
	shifts  []float64 // of the paper's components, by bin
	error   float64   // of its prediction of LARGE, in %
	large   int       // LARGE
	mpki    float64   // of LARGE, table 2
	cycles  int       // of what causes are found in
	updates bool      // elements (x op= y)
	causes  []cause
}

// A cause is a function that the paper names for a component that moves by shift bins.
type cause struct {
	component string
	shift     float64
	theirs    string // function
	ours      string
	share     float64 // of the component; 0: in words only
	words     string
}

// The words of causes: more than what is not from it, and all of it.
const (
	mostly = "mostly"
	fromIt = "from it"
)

var programs = []program{
	{"fft", "4.3.1", []float64{0, 0, 1}, 6.0, 1 << 21, 42.16, 32, true, []cause{
		{"third", 1, "transform_internal", "main.transform", 0.917, ""}}},
	{"lu", "4.3.2", []float64{0, 1, 2}, 1.7, 2048, 19.18, 8, true, []cause{
		{"second", 1, "factor", "main.factor", 0.977, ""},
		{"third", 2, "factor", "main.factor", 0.944, ""}}},
	{"sparse", "4.3.3", []float64{0, 1}, 1.7, 200_000, 18.64, 100, false, []cause{
		{"second", 1, "matmult", "main.multiply", 0, mostly}}},
	{"sor", "4.3.4", []float64{0, 0, 1, 2}, 3.0, 2048, 7.92, 200, false, []cause{
		{"third", 1, "execute", "main.relax", 0, fromIt},
		{"fourth", 2, "execute", "main.relax", 0, fromIt}}},
}

// others are the programs of table 2 that are not run.
var others = []struct {
	name string
	mpki float64
}{{"derby", 4.65}, {"compiler.compiler", 2.06}, {"compiler.sunflow", 1.69}, {"serial", 1.23}}

// inputs are those of a kernel: the two that components are found in, and those predicted.
type inputs struct{ small, targets []int }

// apart returns those that run with updates as a load and a store, too.
func (in inputs) apart(p *program) []int {
	if !p.updates {
		return nil
	}
	return in.small
}

// size holds the inputs of a scale.
type size struct {
	of          map[string]inputs // by kernel
	iterations  int               // of sor and sparse
	interchange []int             // complex numbers of FFT, by lines
	arrays      []int             // likewise, in the simulated caches
	table2      map[string]int
	simulated   []simulated
}

// simulated is a kernel of krdlab, and sizes that double.
type simulated struct {
	kernel, scimark string
	params          kernel.Params
	sizes           []int
}

// each is how many elements a row of sparse has: LARGE has 4 million in 200 000 rows.
const each = 20

// The machine of the simulated runs.
const (
	simulatedMachine = "westmere-ex-4s"
	simulatedCores   = 12
)

// The schedulers of the simulated runs.
var schedulers = []string{"workfirst", "shepherd-socket"}

func powers(from, to int) (list []int) {
	for k := from; k <= to; k++ {
		list = append(list, 1<<k)
	}
	return list
}

func ours(lu, fft, sor, spmv []int) []simulated {
	return []simulated{
		{"fft", "fft", nil, fft},
		{"lu", "lu", kernel.Params{"block": 64}, lu},
		{"spmv", "sparse", kernel.Params{"degree": each}, spmv},
		{"sor", "sor", kernel.Params{"order": "sweep", "sweeps": 10}, sor},
	}
}

var quick = size{
	of: map[string]inputs{
		"fft": {powers(12, 13), []int{1 << 17}},
		"lu":  {[]int{64, 128}, []int{512}},
		// 200 000/128, /64 and /8, but for a row, so that sizes double
		"sparse": {[]int{1562, 3124}, []int{24992}},
		"sor":    {[]int{128, 256}, []int{1024}},
	},
	iterations: 10,
	// the paper's arrays of 65 536 and 131 072 doubles
	interchange: powers(15, 16), arrays: powers(15, 20),
	// LARGE, but for FFT and LU, which take too long
	table2: map[string]int{"fft": 1 << 20, "lu": 1024, "sparse": 200_000, "sor": 2048},
	simulated: ours([]int{1024, 2048, 4096}, powers(18, 20), []int{1024, 2048, 4096},
		[]int{100_000, 200_000, 400_000}),
}

// sizes returns the sizes of a scale.
func sizes(scale study.Scale) size {
	s := quick
	switch scale {
	case study.Smoke:
		s.of = map[string]inputs{"fft": {powers(8, 9), powers(10, 10)}, "lu": {[]int{16, 32}, []int{64}},
			"sparse": {[]int{200, 400}, []int{800}}, "sor": {[]int{16, 32}, []int{64}}}
		s.iterations, s.interchange, s.arrays = 3, powers(9, 9), powers(9, 9)
		s.table2 = map[string]int{"fft": 1 << 9, "lu": 32, "sparse": 400, "sor": 32}
		s.simulated = ours([]int{128, 256}, powers(12, 13), []int{128, 256}, []int{20_000, 40_000})
	case study.Paper:
		s.of = maps.Clone(quick.of)
		s.table2, s.arrays = map[string]int{}, powers(15, 22)
		for _, p := range programs {
			in := s.of[p.kernel]
			in.targets = append(slices.Clip(in.targets), p.large)
			s.of[p.kernel], s.table2[p.kernel] = in, p.large
		}
	}
	return s
}

// The names of steps.
func tracedName(kernel, loops string, n int, unit goprogram.Unit) string {
	if loops != original {
		kernel += "-" + loops
	}
	return fmt.Sprintf("%s-%d-%s", kernel, n, unit)
}
func apartName(kernel string, n int) string  { return tracedName(kernel, original, n, "apart") }
func cycledName(kernel string, n int) string { return tracedName(kernel, original, n, "cycles") }
func cachedName(kernel, loops string, n int) string {
	return tracedName(kernel, loops, n, "cache")
}
func simulatedName(kernel, scheduler string, n int) string {
	return fmt.Sprintf("simulated-%s-%s-%d", kernel, scheduler, n)
}

// The orders of FFT's loops.
const (
	original     = "original"
	interchanged = "interchanged"
)

// dataBytes returns about the size of a kernel's data.
func dataBytes(kernel string, n int) uint64 {
	switch x := uint64(n); kernel {
	case "fft": // what is transformed, and what it is compared with
		return 2 * 16 * x
	case "sparse":
		return (12*each + 32) * x
	default:
		return (8*x + 128) * x
	}
}

// arguments returns those of a traced program.
func arguments(kernel, loops string, n, iterations int) []string {
	args := []string{kernel, "-n", strconv.Itoa(n), "-iterations", strconv.Itoa(iterations)}
	switch kernel {
	case "fft":
		args = append(args, "-loops", loops)
	case "sparse":
		args = append(args, "-nz", strconv.Itoa(each*n))
	}
	return args
}

// cachedCycles are those of FFT in the simulated caches.
const cachedCycles = 2

// plan lists the steps of a scale.
func plan(scale study.Scale) (list []study.Step) {
	s := sizes(scale)
	step := func(name string, do func(context.Context, *study.Worker) (any, error)) {
		list = append(list, study.Step{Name: name, Do: do})
	}
	iterations := func(kernel string) int {
		if kernel == "fft" || kernel == "lu" {
			return 1
		}
		return s.iterations
	}
	add := func(kernel, loops string, n int, unit goprogram.Unit) {
		args := arguments(kernel, loops, n, iterations(kernel))
		step(tracedName(kernel, loops, n, unit),
			func(ctx context.Context, w *study.Worker) (any, error) { return trace(ctx, w, args, unit, false) })
	}
	cached := func(kernel, loops string, n, iterations int) {
		args := arguments(kernel, loops, n, iterations)
		step(cachedName(kernel, loops, n), func(ctx context.Context, w *study.Worker) (any, error) {
			return misses(ctx, w, args, dataBytes(kernel, n))
		})
	}
	for _, n := range s.arrays {
		cached("fft", original, n, cachedCycles)
		cached("fft", interchanged, n, cachedCycles)
	}
	for _, p := range programs[1:] {
		cached(p.kernel, original, s.table2[p.kernel], iterations(p.kernel))
	}
	for _, p := range programs {
		in := s.of[p.kernel]
		for _, n := range slices.Concat(in.small, in.targets) {
			add(p.kernel, original, n, goprogram.Data)
		}
		for _, n := range in.apart(&p) {
			args := arguments(p.kernel, original, n, iterations(p.kernel))
			step(apartName(p.kernel, n), func(ctx context.Context, w *study.Worker) (any, error) {
				return trace(ctx, w, args, goprogram.Data, true)
			})
		}
		args := arguments(p.kernel, original, in.small[1], p.cycles)
		step(cycledName(p.kernel, in.small[1]), func(ctx context.Context, w *study.Worker) (any, error) {
			return trace(ctx, w, args, goprogram.Data, false)
		})
	}
	for _, n := range s.interchange {
		add("fft", original, n, goprogram.Lines)
		add("fft", interchanged, n, goprogram.Lines)
	}
	for _, k := range s.simulated {
		for _, scheduler := range schedulers {
			for _, n := range k.sizes {
				step(simulatedName(k.kernel, scheduler, n),
					func(ctx context.Context, w *study.Worker) (any, error) {
						return simulate(ctx, w, &k, scheduler, n)
					})
			}
		}
	}
	return list
}

// Study is the evaluation of the paper.
var Study = &study.Study{
	Name:  "virda",
	Paper: "Virtual reuse distance analysis of SPECjvm2008 data locality",
	Short: "Redo the evaluation of the virda paper and compare its numbers with the results",
	Long: "Redo sections 4.2 and 4.3.1 to 4.3.4 of \"Virtual reuse distance analysis of SPECjvm2008 data " +
		"locality\" with SciMark's kernels in Go: how components move with the input and what is predicted " +
		"of a larger one, which functions cause them, FFT with its loops interchanged, and krdlab's own " +
		"kernels beside SciMark's.\n\n" +
		"It builds SciMark, so it needs the Go toolchain. What the paper timed, FFT's loops, and counted, " +
		"misses, is simulated: caches of its computer's sizes.",
	Takes: "smoke (tiny programs that say nothing about the paper), quick (minutes) or paper (its LARGE " +
		"inputs too; hours)",
	Steps: func(scale study.Scale) ([]study.Step, error) { return plan(scale), nil },
	Of:    outcomeOf,
}
