package kernelreuse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/figures"
	"krdlab/krd/doc"
)

// Study is the evaluation of the paper.
var Study = &study.Study{
	Name:  "krd",
	Paper: "The KRD paper: the data reuse of task-parallel runtimes by kernel reuse distance",
	Words: "The paper's MTH is the scheduler " + mth + ", TBB " + tbb + ", QTH/Core " + qtc +
		", QTH/Socket " + qts + ". Readings: near=1 has Qthreads' victims by distance, overrun=1 as Qthreads 1.9 built with hwloc leaves " +
		"them; exafmm makes FMM's tasks as exaFMM does.",
	Short: "Redo the evaluation of the KRD paper and compare its claims with the results",
	Long: "Redo the KRD paper's figures 1, 2, 4, 5, 6 and table I: on its machine, simulated, and on this " +
		"computer with the cores that it has. Then the guessed numbers of the simulated machine are drawn " +
		"within their ranges, and each claim is judged with the intervals over seeds and draws. Thresholds " +
		"are fixed in the program.\n\n" +
		"The cells are an experiment of their own, DIR/" + evaluation + ", for krdlab plot, report and " +
		"correlate.",
	Takes: "smoke (seconds: programs so small that they say nothing about the claims), quick (8 minutes: " +
		"6 seeds, a small FMM, 5 draws) or paper (its sizes, 20 seeds, 20 draws; the better part of an hour)",
	Steps: plan,
	Of:    outcomeOf,
}

// evaluation is the step of the paper's runs, and their folder.
const evaluation = "evaluation"

// plan lists the steps: the evaluation, before all else, as a part of it is timed; then the draws.
func plan(scale study.Scale) ([]study.Step, error) {
	if _, err := sized(sizes, scale); err != nil {
		return nil, err
	}
	list := []study.Step{{Name: evaluation, Do: func(ctx context.Context, w *study.Worker) (any, error) {
		_, err := w.Sweep(ctx, evaluation, func() ([]request.Request, error) {
			return Plan(scale, request.AllCores(w.Host, false))
		})
		return nil, err
	}}}
	for draw := range draws[scale] + 1 {
		list = append(list, drawStep(scale, draw))
	}
	return list, nil
}

// outcomeOf judges the claims by the cells that are there, with the draws that are there.
func outcomeOf(f *study.Folder) (*study.Outcome, error) {
	e, err := dataset.Load(filepath.Join(f.Dir, evaluation))
	if err != nil {
		return nil, err
	}
	var rows []drawn
	for draw := range draws[f.Scale] + 1 {
		list, err := study.Load[[]drawn](f, drawDir(draw))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, *list...)
	}
	var bands *Bands
	o := &study.Outcome{Scale: f.Scale, Tiny: true, Title: fmt.Sprintf("The KRD paper's evaluation, scale %s", f.Scale)}
	if len(rows) > 0 {
		if bands, err = newBands(rows); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", f.Dir, study.ErrStep, err)
		}
	}
	o.Cells = e
	o.Conclude()
	for _, p := range e.Problems {
		o.Conclude(doc.Find(doc.Uncoded, p))
	}
	o.Claims, o.Says = Judge(e, bands), says(machineHash(e))
	o.More = map[string]any{"machine_hash": machineHash(e), "frozen": machineHash(e) == Frozen}
	o.Tables = append([]*doc.Table{listsTable(o.Claims)}, Tables(e)...)
	if bands != nil {
		o.Tables = append(o.Tables, bands.table())
		o.Data = append(o.Data, drawnTable(rows))
	}
	for name, list := range groupsNamed(e) {
		drawn, _ := figures.All(list)
		for i := range drawn {
			o.Figures = append(o.Figures, study.Figure{Name: name + "-" + drawn[i].ID, Title: drawn[i].Title,
				Drawn: study.Drawing{Figure: &drawn[i]}})
		}
	}
	for i := range o.Claims {
		c := &o.Claims[i]
		if !slices.ContainsFunc(o.Figures, func(x study.Figure) bool { return x.Name == c.Figure }) {
			c.Figure = "" // small programs have no far reuse to draw
		}
	}
	return o, nil
}

// says explains the claims, which were simulated on the machine with that hash.
func says(hash string) []string {
	return []string{"Ours: medians and 95 % intervals over seeds, of the simulated machine unless a claim " +
		"says otherwise; the verdict is by the wider interval over seeds and draws. In brackets: " +
		"readings, near=1 with Qthreads' victims sorted by distance, overrun=1 with them as Qthreads 1.9 " +
		"sorts them, and exafmm with FMM's tasks by the rule of exaFMM; a claim agrees if it does under all. " +
		"A value agrees within 10 % of the print, of a ratio near 1 of what exceeds 1, an order by more " +
		"than 10 %. Seen: it had been seen when a " +
		"parameter or rule was changed.", frozenText(hash)}
}

// groupsNamed goes through the groups of an experiment with the names of their figures: KERNEL-WHERE,
// numbered where groups have that in common. Figures are the paper's: what a reading changes of a
// scheduler is in none.
func groupsNamed(e *dataset.Experiment) func(yield func(string, *dataset.Group) bool) {
	return func(yield func(string, *dataset.Group) bool) {
		seen := map[string]int{}
		for _, g := range e.Groups() {
			name := g.Kernel + "-" + g.Substrate
			if seen[name]++; seen[name] > 1 {
				name = fmt.Sprintf("%s-%d", name, seen[name])
			}
			g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool {
				_, _, changed := strings.Cut(c.Result.Scheduler, ":")
				return changed
			})
			if !yield(name, &g) {
				return
			}
		}
	}
}
