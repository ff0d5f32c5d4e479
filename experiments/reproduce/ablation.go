package reproduce

import (
	"encoding/csv"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/figures"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/runtimes"
)

// Names of what WriteAblation leaves in the folder of the experiment.
const (
	AblationText   = "ablation.txt"
	AblationCSV    = "ablation.csv"
	AblationFigure = "ablation"
)

// ablationSizes are the runs of an ablation by scale: the matrix product on the machine of the
// paper, and on more and smaller caches.
var ablationSizes = map[Scale]struct {
	params kernel.Params
	seeds  int
	on     []onCores
}{
	Smoke: {kernel.Params{"n": 256}, 6, []onCores{{request.DefaultMachine, 12}}},
	Quick: {kernel.Params{"n": 2048}, 6, []onCores{{request.DefaultMachine, 12},
		{request.DefaultMachine, 24}}},
	Paper: {kernel.Params{"n": 4096}, 20, []onCores{{request.DefaultMachine, 12},
		{request.DefaultMachine, 24}, {"epyc-2s", 96}}},
}

type onCores struct {
	machine string
	cores   int
}

// AblationPlan returns the requests of an ablation: the paper's schedulers, and each with one of
// its rules changed at a time, as its parameters allow. All else, prices too, stays the same.
func AblationPlan(scale Scale) ([]request.Request, error) {
	size, ok := ablationSizes[scale]
	if !ok {
		return nil, fmt.Errorf("there is no scale %q", scale)
	}
	k, err := request.FindKernel("matmul")
	if err != nil {
		return nil, err
	}
	var all []runtimes.Scheduler
	for _, base := range bases() {
		all = append(append(all, base), base.Variants()...)
	}
	var plan []request.Request
	for _, on := range size.on {
		c := request.New(k)
		for name, v := range size.params {
			c.Params[name] = v
		}
		if c.Machine, err = machine.ByName(on.machine); err != nil {
			return nil, err
		}
		c.Cores, c.Schedulers, c.Reps, c.Trace = on.cores, all, size.seeds, request.TraceKRD
		c.Warmup = 0
		plan = append(plan, c)
	}
	return plan, nil
}

// bases are the paper's schedulers.
func bases() (list []runtimes.Scheduler) {
	for _, name := range papers {
		if s, ok := runtimes.SchedulerByName(name); ok {
			list = append(list, s)
		}
	}
	return list
}

// A change is a scheduler, or one with a rule changed, on so many cores of a machine.
type change struct {
	group        *dataset.Group
	machine      string
	cores        int
	base, rule   string // rule is "" of the base itself, else "near=1"
	of, baseline *result.Result
}

// over is a measure over that of the base, as far apart as the intervals allow.
func (c *change) over(m measure) interval { return ratio(m(c.of), m(c.baseline)) }

// changes are those of an experiment, the base first: machine by machine, by cores.
func changes(e *dataset.Experiment) (list []change) {
	groups := e.Groups()
	for i := range groups {
		g := &groups[i]
		for _, cores := range g.Cores() {
			for _, base := range bases() {
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

// ablationColumns are the numbers of an ablation.
var ablationColumns = []struct {
	head, key string
	of        measure
}{
	{"time, ms", "time_ms", milliseconds},
	{"OVR", "ovr", ovr},
	{"WTI", "wti", wti},
	{"LLC misses per core, M", "llc_misses_per_core_millions", misses},
	{">= 32 MiB, %", "beyond_32mib_percent", beyond(far)},
}

// WriteAblation writes, from the cells of the experiment, a table, a CSV and a figure of what each
// rule of a scheduler is worth. p is shown the table as well.
func WriteAblation(p *doc.Page, e *dataset.Experiment) error {
	list := changes(e)
	if err := ablationTable(p, list); err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(e.Dir, name) }
	if err := result.Rewrite(file(AblationText), func(w io.Writer) error {
		return ablationTable(doc.NewPage(w, 0), list)
	}); err != nil {
		return err
	}
	if err := result.Rewrite(file(AblationCSV), func(w io.Writer) error {
		return ablationCSV(w, list)
	}); err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	return result.Rewrite(file(AblationFigure+".svg"), func(w io.Writer) error {
		return ablationFigure(list).Write(w, "svg")
	})
}

// ablationTable is a table for each machine and number of cores, and what the rules are.
func ablationTable(p *doc.Page, list []change) error {
	var t *doc.Table
	flush := func() {
		if t != nil {
			p.Table(t)
			p.Line("")
		}
	}
	for i := range list {
		c := &list[i]
		if i == 0 || c.group != list[i-1].group || c.cores != list[i-1].cores {
			flush()
			p.Line("%s, %d cores", c.group.Key, c.cores)
			head := []string{"scheduler", "rule", "time / base"}
			for _, col := range ablationColumns {
				head = append(head, col.head)
			}
			t = doc.NewTable(2, head...)
		}
		row := []any{c.base, "", ""}
		if c.rule != "" {
			row = []any{"", c.rule, c.over(milliseconds).compact()}
		}
		for _, col := range ablationColumns {
			row = append(row, col.of(c.of).compact())
		}
		t.Row(row...)
	}
	flush()
	var said []string
	for _, base := range bases() {
		for _, rule := range base.Params {
			if line := rule.Name + "=" + rule.Help; !slices.Contains(said, line) {
				said = append(said, line)
				p.Line("%s: %s", base.Name, line)
			}
		}
	}
	p.Line("\nSimulated: medians and 95 %% intervals over seeds; the interval of time / base is as " +
		"far from it as those of both allow. A variant has the prices of its base's family.")
	return p.Close()
}

// ablationCSV has a line for each change; what is not known is empty.
func ablationCSV(w io.Writer, list []change) error {
	c := csv.NewWriter(w)
	head := []string{"machine", "cores", "base", "rule", "n"}
	for _, col := range ablationColumns {
		head = append(head, col.key, col.key+"_low", col.key+"_high")
	}
	rows := [][]string{append(head, "time_over_base", "time_over_base_low", "time_over_base_high")}
	for i := range list {
		x := &list[i]
		row := []string{x.machine, strconv.Itoa(x.cores), x.base, x.rule,
			strconv.Itoa(x.of.Summary.TimeNS.N)}
		for _, col := range ablationColumns {
			row = append(row, col.of(x.of).fields()...)
		}
		rows = append(rows, append(row, x.over(milliseconds).fields()...))
	}
	return c.WriteAll(rows)
}

// fields are the median and the ends of the interval; "" for what is not known.
func (v interval) fields() []string {
	list := make([]string, 3)
	for i, x := range []float64{v.mid, v.low, v.high} {
		if i == 0 && v.known || i > 0 && v.sure {
			list[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return list
}

// ablationFigure is the time of each variant over that of its base: a panel for each base, a series
// for each machine and number of cores.
func ablationFigure(list []change) *figures.Figure {
	const spread = 0.12 // between series at one place
	type where struct {
		machine string
		cores   int
	}
	var wheres []where
	for i := range list {
		if w := (where{list[i].machine, list[i].cores}); !slices.Contains(wheres, w) {
			wheres = append(wheres, w)
		}
	}
	var panels []figures.Panel
	for _, base := range bases() {
		variants := base.Variants()
		p := figures.Panel{Title: base.Name + " (" + base.Paper + ")",
			X: figures.Axis{Label: "", Max: float64(len(variants)) + 0.5, Min: 0.5}}
		var rules []string
		for i, v := range variants {
			_, rule, _ := strings.Cut(v.Name, ":")
			rules = append(rules, rule)
			p.X.Ticks = append(p.X.Ticks, figures.Tick{Value: float64(i + 1), Label: rule})
		}
		for i, w := range wheres {
			s := figures.NumberedSeries(fmt.Sprintf("%s, %d cores", w.machine, w.cores), i+1)
			s.Apart = true
			for j := range list {
				c := &list[j]
				at := slices.Index(rules, c.rule)
				v := c.over(milliseconds)
				if c.base != base.Name || at < 0 || c.machine != w.machine || c.cores != w.cores ||
					!v.known {
					continue
				}
				x := float64(at+1) + spread*(float64(i)-float64(len(wheres)-1)/2)
				point := figures.Point{X: x, At: c.rule, Y: result.Some(v.mid), N: v.n}
				if v.sure {
					point.Low, point.High = result.Some(v.low), result.Some(v.high)
				}
				s.Points = append(s.Points, point)
			}
			if len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return figures.Places(AblationFigure, "What a rule is worth: time with one rule changed",
		"time / base", "no difference", []string{
			"SIMULATED: " + list[0].group.Key.String() + " and the other machines of the legend. " +
				"Time over that of the unchanged scheduler. " +
				"Below 1 the change makes the run faster. Bars: as far as the 95 % intervals of " +
				"both allow."}, panels)
}
