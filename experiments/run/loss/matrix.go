package loss

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A Largest is the largest cause of what a scheduler loses in one configuration.
type Largest struct {
	Kernel    string     `json:"kernel"`
	Params    string     `json:"params"`
	Cores     int        `json:"cores"`
	Machine   string     `json:"machine"`
	Scheduler string     `json:"scheduler"`
	Cause     string     `json:"cause"` // "": none takes one per cent
	Share     doc.Number `json:"share"`
	Lost      doc.Number `json:"lost_share"`
}

// A Matrix is the largest causes of all simulated cells of experiments, of one repetition each.
type Matrix struct {
	Largest []Largest `json:"largest"`
	Left    int       `json:"left_out"` // cells that were not simulated
}

// MatrixOf computes the largest causes of the simulated cells of experiments. progress may be nil. Errors: those
// of [Of]; cells that are native, or of schedulers without a past, are left out and counted.
func MatrixOf(ctx context.Context, list []*dataset.Experiment, progress func(done, total int, next string)) (*Matrix,
	error) {
	m := &Matrix{Largest: []Largest{}}
	var configurations []*dataset.Experiment
	for _, e := range list {
		at := map[string]int{}
		for i := range e.Cells {
			c := &e.Cells[i]
			n, there := at[c.Dir]
			if !there {
				n = len(configurations)
				at[c.Dir] = n
				one := *e
				one.Cells = nil
				configurations = append(configurations, &one)
			}
			configurations[n].Cells = append(configurations[n].Cells, *c)
		}
	}
	for n, e := range configurations {
		x := e.Cells[0].Result
		if progress != nil {
			progress(n, len(configurations), x.Kernel)
		}
		r, err := Of(ctx, e, nil, 1, false, nil)
		if errors.Is(err, measure.ErrNoPast) || err == nil && r.Measured {
			m.Left += len(e.Cells)
			continue
		}
		if err != nil {
			return nil, err
		}
		for i := range r.Losses {
			l := &r.Losses[i]
			cause := l.causes()
			one := Largest{Kernel: x.Kernel, Params: parameters(x), Cores: x.Cores, Machine: x.Machine.Name,
				Scheduler: l.Scheduler, Lost: l.Lost.Median}
			if len(cause) > 0 {
				one.Cause, one.Share = cause[0].Key, cause[0].Share.Median
			}
			m.Largest = append(m.Largest, one)
		}
	}
	return m, nil
}

// parameters returns those of the kernel of x, as people write them.
func parameters(x *result.Result) string {
	k, err := request.FindKernel(x.Kernel)
	if err != nil {
		return fmt.Sprint(x.Params)
	}
	return request.Describe(k, x.Params)
}

// causes returns those that take a per cent of the time or more, the largest first.
func (l *Loss) causes() []Part {
	all := append(append(slices.Clone(l.Groups), l.Parallel), l.Rest.Parts...)
	all = slices.DeleteFunc(all, func(p Part) bool { return !(p.Share.Median.Float() >= leastNamed) })
	slices.SortStableFunc(all, func(a, b Part) int { return cmp.Compare(b.Share.Median.Float(), a.Share.Median.Float()) })
	return all
}

// View returns a table of schedulers and kernels for each machine and number of cores.
func (m *Matrix) View() *doc.Doc {
	d := &doc.Doc{Title: "The largest cause of what each loses, and its share of the time in %"}
	type place struct {
		machine string
		cores   int
	}
	var places []place
	for i := range m.Largest {
		if p := (place{m.Largest[i].Machine, m.Largest[i].Cores}); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	for _, p := range places {
		t := doc.NewTable(1, "scheduler")
		rows := map[string][]any{}
		var columns []*Largest
		var schedulers []string
		for i := range m.Largest {
			x := &m.Largest[i]
			if (place{x.Machine, x.Cores}) != p {
				continue
			}
			k := slices.IndexFunc(columns, func(c *Largest) bool { return c.Kernel == x.Kernel && c.Params == x.Params })
			if k < 0 {
				k, columns = len(columns), append(columns, x)
				t.Columns = append(t.Columns, doc.Column{Head: x.Kernel})
			}
			if rows[x.Scheduler] == nil {
				schedulers = append(schedulers, x.Scheduler)
				rows[x.Scheduler] = []any{x.Scheduler}
			}
			for len(rows[x.Scheduler]) <= k+1 {
				rows[x.Scheduler] = append(rows[x.Scheduler], "")
			}
			cell := "-"
			if x.Cause != "" {
				cell = fmt.Sprintf("%s %.0f", short(x.Cause), math.Round(100*x.Share.Float()))
			}
			if rows[x.Scheduler][k+1] == "" { // the first of several seeds
				rows[x.Scheduler][k+1] = cell
			}
		}
		for k, c := range columns { // sizes of one kernel: what not all of them have
			for _, word := range strings.Fields(c.Params) {
				if slices.ContainsFunc(columns, func(o *Largest) bool {
					return o.Kernel == c.Kernel && !slices.Contains(strings.Fields(o.Params), word)
				}) {
					t.Columns[k+1].Head += "\n" + word
				}
			}
		}
		for _, name := range schedulers {
			t.Row(rows[name]...)
		}
		t.Title = fmt.Sprintf("%s, SIMULATED, %d cores, one repetition of each", p.machine, p.cores)
		d.Add(t)
	}
	if m.Left > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("%s left out: causes are taken away from simulated runs alone",
			units.Count(m.Left, "result")))
	}
	d.Add(doc.Paragraph{"run: the runtime's prices; lock: locks of queues; cap: capacity of caches; " +
		"coh: coherence; dist: distance of memories; par: too little parallelism; idle: imbalance; cold: what each " +
		"core and node fetches for itself; -: no cause takes 1 %."})
	return d
}

// short returns the name of a cause in a matrix.
func short(key string) string {
	switch key {
	case "imbalance":
		return "idle"
	case "runtime", "capacity", "coherence", "parallelism":
		return key[:3]
	case "locks", "distance":
		return key[:4]
	}
	return key
}
