package kernelreuse

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// drawSizes are the programs of a draw by scale, and by what it is fitted.
var drawSizes = map[study.Scale]struct {
	fit, seeds int // n of matmul
	near       float64
	matmul     int // n
	fmm        kernel.Params
}{
	study.Smoke: {1024, 6, 0.006, 64, kernel.Params{"bodies": 200}},
	study.Quick: {2048, 3, 0.005, 4096, kernel.Params{"bodies": 100_000}},
	study.Paper: {4096, 1, 0.004, 4096, kernel.Params{"bodies": 1_000_000}},
}

// drawCores are those of a draw's cells.
var drawCores = map[string][]int{"matmul": {1, 6, 12, 24}, "fmm": {24}}

// leaves are the shapes of matmul's leaf that the paper's text allows; the first is draw 0's.
var leaves = []string{"32x32x64", "32x64x32"}

// thetas are those of FMM that exaFMM had when the paper was written (docs/fmm.md); the first is
// draw 0's.
var thetas = []string{"0.5", "0.49", "0.48", "0.47", "0.46", "0.45", "0.44", "0.43", "0.42", "0.41",
	"0.4"}

// leafOf returns the leaf of a draw; thetaOf, its theta.
func leafOf(draw int) string  { return choice(draw, "leaf", leaves) }
func thetaOf(draw int) string { return choice(draw, "theta", thetas) }

// choice draws one of the values that an input may have. Draw 0 has the first.
func choice(draw int, input string, values []string) string {
	if draw == 0 {
		return values[0]
	}
	h := fnv.New64a()
	io.WriteString(h, input)
	return values[rand.New(rand.NewPCG(uint64(draw), h.Sum64())).IntN(len(values))]
}

// drawDir returns the name of a draw's step and of its folder.
func drawDir(draw int) string { return fmt.Sprintf("draw-%03d", draw) }

// DrawPlan draws a machine and fits it, in a folder within dir that it removes, and returns the
// requests of the draw. Draw 0 is m, and is not fitted.
func DrawPlan(ctx context.Context, m *machine.Machine, scale study.Scale, draw int, dir string,
	argv []string) ([]request.Request, error) {
	size, err := sized(drawSizes, scale)
	if err != nil {
		return nil, err
	}
	drawn, err := m.Draw(draw)
	if err != nil {
		return nil, err
	}
	product := func(n int) kernel.Params {
		p := asPaper(n)
		p["leaf"] = leafOf(draw)
		return p
	}
	if draw > 0 {
		if err := Fit(ctx, drawn, product(size.fit), size.seeds, size.near, dir, argv); err != nil {
			return nil, err
		}
	}
	var plan requests
	for _, cores := range drawCores["matmul"] {
		plan.add("matmul", product(size.matmul), drawn, cores, 1, schedulers(papers))
	}
	for _, cores := range drawCores["fmm"] {
		plan.add("fmm", kernel.Params{"bodies": size.fmm["bodies"], "theta": thetaOf(draw)}, drawn,
			cores, 1, schedulers(papers))
	}
	return plan, nil
}

// drawnOf returns the values of a draw; those that are not known are left out.
func drawnOf(e *dataset.Experiment, draw int) (rows []drawn) {
	for i := range e.Cells {
		r := e.Cells[i].Result
		hash := simulatedOn(r)
		if hash == "" {
			continue
		}
		for _, m := range drawnQuantities {
			if q := m.value(r); q.Median.Known() {
				rows = append(rows, drawn{draw, r.Kernel, dataset.ParamsText(r), r.Cores,
					r.Scheduler, m.id, q.Median.Float(), m.unit, hash})
			}
		}
	}
	return rows
}

// draws are how many draws a scale has beside draw 0.
var draws = map[study.Scale]int{study.Smoke: 1, study.Quick: 5, study.Paper: 20}

// drawStep runs a draw and keeps its values.
func drawStep(scale study.Scale, draw int) study.Step {
	name := drawDir(draw)
	return study.Step{Name: name, Do: func(ctx context.Context, w *study.Worker) (any, error) {
		dir, err := w.Sweep(ctx, name, func() ([]request.Request, error) {
			m, err := machine.ByName(request.DefaultMachine)
			if err != nil {
				return nil, err
			}
			return DrawPlan(ctx, m, scale, draw, w.Folder.Dir, w.Command)
		})
		if err != nil {
			return nil, err
		}
		e, err := dataset.Load(dir)
		if err != nil {
			return nil, err
		}
		for _, problem := range e.Problems {
			return nil, failure.Errorf(failure.Data, "%s: %s", dir, problem)
		}
		return drawnOf(e, draw), nil
	}}
}

// table returns the bands: for each program, cores and measure a row a scheduler, and how often
// their order is that of draw 0.
func (b *Bands) table() *doc.Table {
	t := doc.NewTable(4, "program", "cores", "measure", "scheduler", "draw 0", "median", "lowest",
		"highest", "order as draw 0")
	for i := range t.Columns {
		t.Columns[i].Key = strings.ReplaceAll(t.Columns[i].Head, " ", "_")
	}
	t.Name, t.Keys = "bands", 4
	t.Title = fmt.Sprintf("Draw 0 (%s) and %d draws of the machine's guesses", frozenText(b.MachineHash),
		b.Draws-1)
	var seen []bandKey
	for _, r := range b.rows {
		k := bandKey{r.Kernel, r.Cores, "", r.Measure}
		if slices.Contains(seen, k) {
			continue
		}
		seen = append(seen, k)
		same, of := b.sameOrder(k.kernel, k.cores, k.measure)
		name := strings.TrimSuffix(k.measure+", "+r.Unit, ", ")
		for _, k.sched = range papers {
			if list := b.sorted(k); len(list) > 0 {
				zero := result.Quantity{}
				if v, ok := b.At(0, k.kernel, k.cores, k.sched, k.measure); ok {
					zero = claims.Exactly(v)
				}
				t.Row(k.kernel, k.cores, name, k.sched, zero, claims.Exactly(estimate.Median(list)),
					claims.Exactly(list[0]), claims.Exactly(list[len(list)-1]), fmt.Sprintf("%d of %d", same, of))
			}
		}
	}
	t.Remarks = []string{fmt.Sprintf("Each draw draws the guessed numbers of the machine within their "+
		"ranges, matmul's leaf (%s) and FMM's theta (%s to %s), is fitted anew to the serial time and the "+
		"OVRs, and runs one seed.", strings.Join(leaves, " or "), thetas[len(thetas)-1], thetas[0])}
	return t
}

// sameOrder counts the draws but draw 0 in which the paper's schedulers, by a measure, are in the
// order that they have in draw 0, and those in which all are known.
func (b *Bands) sameOrder(kernel string, cores int, measure string) (same, of int) {
	order := func(draw int) (list []string) {
		values := map[string]float64{}
		for _, s := range papers {
			v, ok := b.At(draw, kernel, cores, s, measure)
			if !ok {
				return nil
			}
			values[s] = v
		}
		list = slices.Clone(papers)
		slices.SortStableFunc(list, func(x, y string) int {
			return cmp.Compare(values[x], values[y])
		})
		return list
	}
	zero := order(0)
	for draw := 1; draw < b.Draws; draw++ {
		if now := order(draw); zero != nil && now != nil {
			of++
			if slices.Equal(now, zero) {
				same++
			}
		}
	}
	return same, of
}
