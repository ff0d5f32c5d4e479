package app

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/experiments/show/over"
	"krdlab/experiments/sweep"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// printSweep prints a row for each scheduler and number of cores of an experiment, and where the
// tables are.
func (a *app) printSweep(dir string, c *sweep.Collected) error {
	e := c.Experiment
	a.sayNotes(e)
	p := a.page()
	groups := e.Groups()
	switch {
	case !c.Whole():
		p.Line("%d results are more than are summed up here: read the tables, or krdlab survey matrix %s",
			c.Results, dir)
		groups = nil
	case len(groups) > fewGroups:
		a.printMatrices(p, e)
		groups = nil
	}
	for _, g := range groups {
		substrate := g.Key.String()
		if g.Substrate == loi.Simulated {
			substrate = strings.Replace(substrate, loi.Simulated, "SIMULATED", 1)
		}
		if pages := g.Pages(); pages != "" {
			substrate += ", " + pages
		}
		p.Line("%s", substrate)
		list := g.Results()
		answers, limits := brief.Conclude(list).Apart()
		for _, s := range append(answers, strings.Join(append([]string{brief.Sampled(list)}, limits...), "; ")) {
			p.Brief(s)
		}
		p.Line("")
		brief.Summaries(p, list)
		p.Line("")
	}
	if c.Whole() {
		if err := a.printOver(p, dir, e); err != nil {
			return err
		}
	}
	p.Line("a row for each of %d repetitions is in %s/table.csv, .jsonl and .parquet; benchstat "+
		"reads %s/%s", c.Rows, dir, dir, sweep.BenchFile)
	return p.Close()
}

// printOver prints an experiment over its baseline, if it has one, and leaves that in its folder.
func (a *app) printOver(p *doc.Page, dir string, e *dataset.Experiment) error {
	if e.Info == nil || e.Info.Over == "" {
		return nil
	}
	x := over.Of(e, e.Info.Over)
	t, f := x.Table(), x.Figure()
	if len(t.Rows) == 0 {
		p.Line("nothing to set over %s", e.Info.Over)
		return nil
	}
	p.Table(t)
	p.Line("")
	err := result.Rewrite(filepath.Join(dir, "over.csv"), t.CSV)
	if err == nil && f != nil {
		err = result.Rewrite(filepath.Join(dir, "over.svg"), func(w io.Writer) error { return f.Write(w, "svg") })
	}
	return err
}

// fewGroups is of how many groups a sweep prints all: of more it prints a matrix.
const fewGroups = 6

// printMatrices prints the speed-ups of an experiment at its largest numbers of cores, a row for
// each scheduler and a column for each kernel, and prints how to get the rest.
func (a *app) printMatrices(p *doc.Page, e *dataset.Experiment) {
	for _, m := range figures.Matrices(e) {
		if !m.Headline {
			continue
		}
		f := &m.Figure
		p.Brief(fmt.Sprintf("%s: * the best, ~ what is not told from the best. %s", f.Title,
			f.Caption[0]))
		kernels, rows := f.Panels[0].Fields("%s *", "%s ~")
		head := []string{"scheduler"}
		for _, row := range rows {
			head = append(head, row[0])
		}
		t := doc.NewTable(1, head...)
		for i, name := range kernels[1:] {
			cells := []any{name}
			for _, row := range rows {
				cells = append(cells, row[1+i])
			}
			t.Row(cells...)
		}
		p.Line("")
		p.Table(t)
		p.Line("")
		p.Brief(strings.Join(doc.Sentences(m.Findings), "; "))
	}
	p.Brief(fmt.Sprintf("other numbers of cores, WTI and reuse: krdlab plot %s --figure %s "+
		"--format svg,%s; everything: krdlab report %s", e.Dir, figures.MatrixID,
		plot.Markdown, e.Dir))
	p.Line("")
}

// printPlan prints what a sweep would run.
func (a *app) printPlan(dir string, plan *sweep.Plan) error {
	head := []string{"cell", "schedulers", "cores", "seed", "reps", "where", "parameters"}
	var rows [][]string
	reps := 0
	for _, c := range plan.Cells {
		r := result.Result{Kernel: c.Kernel, Params: c.Params}
		where := c.Machine
		if where != dataset.Native {
			where += " (simulated)"
		}
		rows = append(rows, []string{c.ID, strings.Join(c.Schedulers, "\n"), fmt.Sprint(c.Cores),
			fmt.Sprint(c.Seed), fmt.Sprint(c.Settings.Reps), where, dataset.ParamsText(&r)})
		reps += c.Settings.Reps * (1 + len(c.Schedulers))
	}
	p := a.page()
	for i := len(head) - 2; i > 0 && len(rows) > 1; i-- { // what is the same everywhere is said once
		same := rows[0][i]
		if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != same }) {
			continue
		}
		p.Line("%s: %s", head[i], strings.ReplaceAll(same, "\n", ", "))
		head = slices.Delete(head, i, i+1)
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
	t := doc.Texts(1, head, rows)
	t.Prose(len(head) - 1)
	t.Most = doc.TextWidth
	p.Table(t)
	estimate := "how long it takes is not known before a first cell is done"
	if left := plan.Estimate(dir); left.Cells == 0 {
		estimate = "all are done there"
	} else if left.Known {
		estimate = fmt.Sprintf("about %s for what is not done, from the cells in %s that are",
			sweep.RoundTime(left.Time), dir)
	}
	p.Line("")
	p.Line("%s, %d repetitions with the serial ones, into %s; %s",
		units.Count(len(plan.Cells), "cell"), reps, dir, estimate)
	return p.Close()
}
