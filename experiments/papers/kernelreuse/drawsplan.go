package kernelreuse

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// MaxDraws is how many draws can be asked for.
const MaxDraws = 1000

// drawSizes are the programs of a draw by scale, and by what it is fitted.
var drawSizes = map[steps.Scale]struct {
	fit, seeds int // n of matmul
	near       float64
	matmul     int // n
	fmm        kernel.Params
}{
	steps.Smoke: {1024, 6, 0.006, 64, kernel.Params{"bodies": 200}},
	steps.Quick: {2048, 3, 0.005, 4096, kernel.Params{"bodies": 100_000}},
	steps.Paper: {4096, 1, 0.004, 4096, kernel.Params{"bodies": 1_000_000}},
}

// drawCores are those of a draw's cells.
var drawCores = map[string][]int{"matmul": {1, 6, 12, 24}, "fmm": {24}}

// leaves are the shapes of matmul's leaf that the paper's text allows; the first is draw 0's.
var leaves = []string{"32x32x64", "32x64x32"}

// thetas are those of FMM that exaFMM had when the paper was written (docs/fmm.md); the first is
// draw 0's.
var thetas = []string{"0.5", "0.49", "0.48", "0.47", "0.46", "0.45", "0.44", "0.43", "0.42", "0.41",
	"0.4"}

// leafOf is the leaf of a draw, thetaOf its theta.
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

// DrawDir is the name of a draw's folder in that of the study.
func DrawDir(draw int) string { return fmt.Sprintf("draw-%03d", draw) }

// DrawNote says in a draw's experiment what it is a draw of.
func DrawNote(m *machine.Machine, scale steps.Scale, draw int) string {
	return fmt.Sprintf("draw %d of %s, %s, scale %s", draw, m.Name, m.Hash(), scale)
}

// DrawPlan draws a machine and fits it, in a folder within dir that it removes, and returns the
// requests of the draw. Draw 0 is m, and is not fitted.
func DrawPlan(ctx context.Context, m *machine.Machine, scale steps.Scale, draw int, dir string,
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

// drawnOf are the values of a draw; those that are not known are left out.
func drawnOf(e *dataset.Experiment, scale steps.Scale, draw int) (rows []drawn) {
	for i := range e.Cells {
		r := e.Cells[i].Result
		hash := simulatedOn(r)
		if hash == "" {
			continue
		}
		for _, m := range drawnQuantities {
			if q := m.value(r); q.Median.Known() {
				rows = append(rows, drawn{draw, r.Kernel, dataset.ParamsText(r), r.Cores,
					r.Scheduler, m.id, q.Median.Float(), m.unit, scale, hash})
			}
		}
	}
	return rows
}

// WriteDraws writes the values and bands of the experiments of draws 0, 1, ... into dir, shows p the
// bands, and returns the names of the files. Errors: an experiment in which cells are missing; of
// writing.
func WriteDraws(p *doc.Page, dir string, scale steps.Scale, draws []*dataset.Experiment) (
	[]string, error) {
	var rows []drawn
	for i, e := range draws {
		for _, problem := range e.Problems {
			return nil, failure.Errorf(failure.Data, "%s: %s", filepath.Join(dir, DrawDir(i)), problem)
		}
		rows = append(rows, drawnOf(e, scale, i)...)
	}
	b, err := newBands(rows)
	if err != nil {
		return nil, err
	}
	o := outcome{name: "draws", text: b.text(), tables: []*doc.Table{drawnTable(rows)}}
	return o.write(p, dir)
}

// text is the bands: for each program, cores and measure a line a scheduler, and how often their
// order is that of draw 0.
func (b *Bands) text() *doc.Doc {
	d := &doc.Doc{}
	d.Say("SIMULATED. Scale %s, draw 0 and %d draws. Draw 0: %s", b.Scale, b.Draws-1,
		frozenText(b.MachineHash))
	t := doc.NewTable(4, "program", "cores", "measure", "scheduler", "draw 0", "median", "lowest",
		"highest", "order as draw 0")
	t.Keys = 4
	var seen []bandKey
	for _, r := range b.rows {
		k := bandKey{r.kernel, r.cores, "", r.measure}
		if slices.Contains(seen, k) {
			continue
		}
		seen = append(seen, k)
		same, of := b.sameOrder(k.kernel, k.cores, k.measure)
		name := strings.TrimSuffix(k.measure+", "+r.unit, ", ")
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
	d.Add(t)
	d.Say("Each draw draws the guessed numbers of the machine within their ranges, matmul's leaf "+
		"(%s) and FMM's theta (%s to %s), is fitted anew to the serial time and the OVRs, and runs "+
		"one seed.", strings.Join(leaves, " or "), thetas[len(thetas)-1], thetas[0])
	return d
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
