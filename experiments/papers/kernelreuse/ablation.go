package kernelreuse

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/runtimes"
)

// ablationSizes are the runs of an ablation by scale: the matrix product on the machine of the
// paper, and on more and smaller caches.
var ablationSizes = map[steps.Scale]struct {
	params kernel.Params
	seeds  int
	on     []onCores
}{
	steps.Smoke: {asPaper(256), 6, []onCores{{request.DefaultMachine, 12}}},
	steps.Quick: {asPaper(2048), 6, []onCores{{request.DefaultMachine, 12},
		{request.DefaultMachine, 24}}},
	steps.Paper: {asPaper(4096), 20, []onCores{{request.DefaultMachine, 12},
		{request.DefaultMachine, 24}, {"epyc-2s", 96}}},
}

type onCores struct {
	machine string
	cores   int
}

// AblationPlan returns the requests of an ablation: the paper's schedulers, and each with one of
// its rules changed at a time, as its parameters allow. All else, prices too, stays the same.
func AblationPlan(scale steps.Scale) ([]request.Request, error) {
	size, err := sized(ablationSizes, scale)
	if err != nil {
		return nil, err
	}
	var all []runtimes.Scheduler
	for _, base := range schedulers(papers) {
		all = append(append(all, base), base.Variants()...)
	}
	var plan requests
	for _, on := range size.on {
		m, err := machine.ByName(on.machine)
		if err != nil {
			return nil, err
		}
		plan.add("matmul", size.params, m, on.cores, size.seeds, all)
	}
	return plan, nil
}

// A change is a scheduler, or one with a rule changed, on so many cores of a machine.
type change struct {
	group        *dataset.Group
	machine      string
	cores        int
	base, rule   string // rule is "" of the base itself, else "near=1"
	of, baseline *result.Result
}

// over is the time over that of the base, as far apart as the intervals allow.
func (c *change) over() result.Quantity {
	return ratio(stats.Time.Of(c.of), stats.Time.Of(c.baseline))
}

// changes are those of an experiment, the base first: machine by machine, by cores.
func changes(e *dataset.Experiment) (list []change) {
	groups := e.Groups()
	for i := range groups {
		g := &groups[i]
		for _, cores := range g.Cores() {
			for _, base := range schedulers(papers) {
				r := g.At(base.Name, cores)
				if r == nil {
					continue
				}
				c := change{g, g.Cells[0].MachineName(), cores, base.Name, "", r, r}
				list = append(list, c)
				for _, v := range base.Variants() {
					if c.of = g.At(v.Name, cores); c.of != nil {
						_, c.rule, _ = strings.Cut(v.Name, ":")
						list = append(list, c)
					}
				}
			}
		}
	}
	return list
}

// ablation is a table and a figure of what each rule of a scheduler is worth.
func ablation(e *dataset.Experiment) (*outcome, error) {
	list := changes(e)
	d, t := &doc.Doc{}, &doc.Table{Name: "ablation", Keys: 4}
	shown := append(slices.Clone(measures), beyond32)
	t.Columns = slices.Concat([]doc.Column{{Key: "machine", Head: "machine"},
		{Key: "cores", Head: "cores", Kind: doc.Whole}}, named(2, "base", "rule", "n"),
		columnsOf(shown...), []doc.Column{ratioColumn("time_over_base", "time / base")})
	for i := range list {
		c := &list[i]
		if i == 0 || c.group != list[i-1].group {
			d.Say("%s", c.group.Key)
		}
		t.Row(slices.Concat([]any{c.machine, c.cores, c.base, c.rule, c.of.Summary.TimeNS.N},
			cellsOf(c.of, shown...), []any{c.over()})...)
	}
	d.Add(t)
	said := map[string]bool{}
	for _, base := range schedulers(papers) {
		for _, rule := range base.Params {
			if line := rule.Name + "=" + rule.Help; !said[line] {
				said[line] = true
				d.Say("%s: %s", base.Name, line)
			}
		}
	}
	d.Add(doc.Paragraph{"Simulated: medians and 95 % intervals over seeds; the interval of time / " +
		"base is as far from it as those of both allow. A variant has the prices of its base's " +
		"family."})
	o := &outcome{name: "ablation", text: d, tables: []*doc.Table{t}}
	if len(list) > 0 {
		o.figure = ablationFigure(list)
	}
	return o, nil
}

// ablationFigure is the time of each variant over that of its base: a panel for each base, a series
// for each machine and number of cores.
func ablationFigure(list []change) *plot.Figure {
	var points []placed
	for i := range list {
		if c := &list[i]; c.rule != "" {
			base, _ := runtimes.SchedulerByName(c.base)
			points = append(points, placed{c.base + " (" + base.Paper + ")", c.rule,
				fmt.Sprintf("%s, %d cores", c.machine, c.cores), c.over()})
		}
	}
	return places("ablation", "What a rule is worth: time with one rule changed", "time / base",
		"no difference", "SIMULATED: "+list[0].group.Key.String()+" and the other machines of the "+
			"legend. Time over that of the unchanged scheduler. Below 1 the change makes the run "+
			"faster. Bars: as far as the 95 % intervals of both allow.", points, 0.12,
		func(series []string) (looks []int) {
			for i := range series {
				looks = append(looks, i+1)
			}
			return looks
		})
}
