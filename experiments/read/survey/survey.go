// Package survey finds the best scheduler for each kernel, whether its lead exceeds the
// uncertainty, and whether it stays the best when the operations of runtimes have other prices.
//
// The best has the least median time; [estimate.Rank] tells it from the others, where Holm's
// correction is over the rows of a place and its prices.
package survey

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/doc"
)

// SchemaVersion is that of the JSON form of a [Report].
const SchemaVersion = 1

// A Report is the document of `krdlab survey --json`.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Experiments   []string `json:"experiments"`
	Alpha         float64  `json:"alpha"`
	Places        []Place  `json:"places"`
	doc.Concluded
}

// A Place is a number of cores of a machine, with its pages placed in one way.
type Place struct {
	Substrate string   `json:"substrate"`
	Machine   string   `json:"machine"` // without its prices
	Settings  string   `json:"settings"`
	Pages     string   `json:"pages"` // where those of the data are; "" natively
	Cores     int      `json:"cores"`
	Prices    []Prices `json:"prices"`
	Held      []Held   `json:"held"` // a row each
}

// Prices are the rows of one place where the operations of a runtime cost the same.
type Prices struct {
	Name       string  `json:"name"` // of a family or a machine; "" for the machine's own
	Rows       []Row   `json:"rows"`
	Schedulers []Share `json:"schedulers"`

	times [][]timed          // of each row
	ranks []estimate.Ranking // likewise, of times
}

// A Row is one kernel.
type Row struct {
	Kernel string `json:"kernel"`
	Params string `json:"params"`
	// Best has the least median time of all schedulers.
	Best    string          `json:"best"`
	Speedup result.Quantity `json:"speedup"`
	WTI     result.Quantity `json:"wti"`
	// Second is the next, and takes so many times as long.
	Second string        `json:"second"`
	Lead   result.Number `json:"lead"`
	P      result.Number `json:"p"`      // null: not tested
	HolmP  result.Number `json:"p_holm"` // over the rows of these prices
	Told   bool          `json:"told"`   // the best is told from all others
	// Tied are those that it is not told from, best first, though a difference of the part Seen of its
	// time would have been. Few are those that no difference would tell it from: repetitions are too few.
	Tied []string      `json:"tied"`
	Seen result.Number `json:"seen"` // null: there is no tie
	Few  []string      `json:"too_few"`
	// the least and the most of the accesses that are far: a finite distance beyond the LLC
	LeastFar result.Number `json:"least_far"`
	MostFar  result.Number `json:"most_far"`
	// of whom
	FarUnder string `json:"most_far_under"`

	changed string // the kernel with the parameters that are not its defaults
}

// A Held is a kernel whose best is told, and the same, under all prices of a place; "" if not.
type Held struct {
	Kernel string `json:"kernel"`
	Params string `json:"params"`
	Best   string `json:"best"`

	changed string
}

// A Share is how a scheduler compares with the best of each row.
type Share struct {
	Scheduler string        `json:"scheduler"`
	Rows      int           `json:"rows"`           // that all schedulers have under all prices
	Mean      result.Number `json:"geometric_mean"` // over these, of the best's time over its own; null: none
	Worst     result.Number `json:"worst"`
	WorstOf   string        `json:"worst_kernel"`
	Best      int           `json:"best"` // rows that it is told to be the best of

	logs float64
}

// A NothingError reports that no kernel was run under two schedulers.
type NothingError struct{ Experiments []string }

func (e *NothingError) Error() string {
	return strings.Join(e.Experiments, ", ") + ": no kernel was run under two schedulers on the " +
		"same cores: nothing can be the best"
}

// Class implements [failure.Classed].
func (*NothingError) Class() failure.Class { return failure.Data }

// Of computes the report. Cells that differ in the prices of their machine alone are one place.
// Error: a [*NothingError]. Cost: a bootstrap for each configuration.
func Of(experiments []*dataset.Experiment) (*Report, error) {
	r := &Report{SchemaVersion: SchemaVersion, Experiments: []string{}, Alpha: estimate.Alpha,
		Places: []Place{}}
	r.Conclude()
	for _, e := range experiments {
		r.Experiments = append(r.Experiments, e.Name)
		r.Conclude(e.Doubts(e.Name)...)
		groups := e.Groups()
		pages := "" // of programs without data, too: an experiment has one placement
		for i := range groups {
			pages = cmp.Or(pages, groups[i].Pages())
		}
		for i := range groups {
			r.add(&groups[i], cmp.Or(groups[i].Pages(), pages))
		}
	}
	r.Places = slices.DeleteFunc(r.Places, func(p Place) bool { return len(p.Prices) == 0 })
	if len(r.Places) == 0 {
		return nil, &NothingError{r.Experiments}
	}
	slices.SortStableFunc(r.Places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Substrate, b.Substrate), -cmp.Compare(a.Machine, b.Machine),
			cmp.Compare(a.Settings, b.Settings), cmp.Compare(a.Pages, b.Pages),
			cmp.Compare(a.Cores, b.Cores))
	})
	for i := range r.Places {
		r.Places[i].finish()
	}
	r.conclude()
	return r, nil
}

// add takes the rows of a group, whose pages are placed so.
func (r *Report) add(g *dataset.Group, pages string) {
	name, prices := machine.Unpriced(g.Machine)
	for _, cores := range g.Cores() {
		row, times := rowOf(g, cores)
		if row == nil {
			continue
		}
		at := Place{Substrate: g.Substrate, Machine: name, Settings: g.Place().Settings,
			Pages: pages, Cores: cores}
		i := slices.IndexFunc(r.Places, func(p Place) bool {
			return p.Substrate == at.Substrate && p.Machine == at.Machine &&
				p.Settings == at.Settings && p.Cores == at.Cores && p.Pages == at.Pages
		})
		if i < 0 {
			i = len(r.Places)
			r.Places = append(r.Places, at)
		}
		p := &r.Places[i]
		j := slices.IndexFunc(p.Prices, func(v Prices) bool { return v.Name == prices })
		if j < 0 {
			j = len(p.Prices)
			p.Prices = append(p.Prices, Prices{Name: prices, Rows: []Row{}, Schedulers: []Share{}})
		}
		if p.Prices[j].row(row.Kernel, row.Params) != nil {
			r.Conclude(doc.Find(severalHave).About(row.changed + ", " + p.title()))
			continue
		}
		p.Prices[j].Rows = append(p.Prices[j].Rows, *row)
		p.Prices[j].times = append(p.Prices[j].times, times)
	}
}

// timed is a scheduler with its median time.
type timed struct {
	name   string
	ns     float64
	result *result.Result
}

// rowOf returns the row of a kernel, before correction, and all times, the least first; nil where
// fewer than two schedulers have one.
func rowOf(g *dataset.Group, cores int) (*Row, []timed) {
	var times []timed
	row := &Row{Kernel: g.Kernel, Params: g.Params, changed: g.Changed()}
	for _, s := range g.Schedulers() {
		cells := slices.DeleteFunc(slices.Clone(g.Cells), func(c *dataset.Cell) bool {
			return c.Result.Scheduler != s || c.Result.Cores != cores
		})
		if s == request.SerialScheduler().Name || len(cells) == 0 {
			continue
		}
		pooled := dataset.Pool(cells).Result
		q := pooled.Summary.TimeNS
		if !q.Median.Known() {
			continue
		}
		times = append(times, timed{s, q.Median.Float(), pooled})
		far := stats.FarShare.Of(pooled).Median
		if far.Known() && (!row.MostFar.Known() || far.Float() > row.MostFar.Float()) {
			row.MostFar, row.FarUnder = far, s
		}
		if far.Known() && (!row.LeastFar.Known() || far.Float() < row.LeastFar.Float()) {
			row.LeastFar = far
		}
	}
	if len(times) < 2 {
		return nil, nil
	}
	slices.SortStableFunc(times, func(a, b timed) int { return cmp.Compare(a.ns, b.ns) })
	best := &times[0].result.Summary
	row.Best, row.Second = times[0].name, times[1].name
	row.Lead = result.Some(times[1].ns / times[0].ns)
	row.Speedup, row.WTI = best.Speedup, best.WTI
	return row, times
}

// share compares schedulers over the rows that all have.
func (p *Prices) share(common func(*Row) bool) {
	for i := range p.Rows {
		row, best := &p.Rows[i], p.times[i][0].ns
		for _, t := range p.times[i] {
			j := slices.IndexFunc(p.Schedulers, func(s Share) bool { return s.Scheduler == t.name })
			if j < 0 {
				j = len(p.Schedulers)
				p.Schedulers = append(p.Schedulers, Share{Scheduler: t.name})
			}
			s, v := &p.Schedulers[j], best/t.ns
			if row.Told && row.Best == t.name {
				s.Best++
			}
			if !common(row) {
				continue
			}
			s.logs += math.Log(v)
			if s.Rows++; !s.Worst.Known() || v < s.Worst.Float() {
				s.Worst, s.WorstOf = result.Some(v), row.Kernel
			}
		}
	}
	for i := range p.Schedulers {
		if s := &p.Schedulers[i]; s.Rows > 0 {
			s.Mean = result.Some(math.Exp(s.logs / float64(s.Rows)))
		}
	}
	slices.SortStableFunc(p.Schedulers, func(a, b Share) int {
		return -cmp.Compare(a.Mean.Float(), b.Mean.Float())
	})
}

// all reports whether a row is there under all prices, with all schedulers that they have.
func (p *Place) all(row *Row) bool {
	for i := range p.Prices {
		v, most := &p.Prices[i], map[string]bool{}
		for _, times := range v.times {
			for _, t := range times {
				most[t.name] = true
			}
		}
		j := slices.IndexFunc(v.Rows, func(r Row) bool { return r.Kernel == row.Kernel && r.Params == row.Params })
		if j < 0 || len(v.times[j]) < len(most) {
			return false
		}
	}
	return true
}

// finish corrects and sums up.
func (p *Place) finish() {
	for i := range p.Prices {
		p.Prices[i].finish()
		p.Prices[i].share(p.all)
	}
	for i := range p.Prices {
		for _, row := range p.Prices[i].Rows {
			if !slices.ContainsFunc(p.Held, func(h Held) bool {
				return h.Kernel == row.Kernel && h.Params == row.Params
			}) {
				p.Held = append(p.Held, p.held(row))
			}
		}
	}
}

// held reports whether the best of a row is so under all prices.
func (p *Place) held(row Row) Held {
	h := Held{row.Kernel, row.Params, row.Best, row.changed}
	for i := range p.Prices {
		if r := p.Prices[i].row(row.Kernel, row.Params); r == nil || !r.Told || r.Best != row.Best {
			h.Best = ""
		}
	}
	return h
}

// row returns that of a kernel, nil where there is none.
func (p *Prices) row(kernel, params string) *Row {
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Kernel == kernel && r.Params == params {
			return r
		}
	}
	return nil
}

func (p *Prices) finish() {
	rows := make([][]estimate.Sample, len(p.Rows))
	for i, times := range p.times {
		for _, t := range times {
			rows[i] = append(rows[i], stats.Time.Sample(t.result))
		}
	}
	p.ranks = estimate.Rank(rows)
	for i, rank := range p.ranks {
		r := &p.Rows[i]
		r.P, r.HolmP, r.Told = result.Some(rank.P), result.Some(rank.HolmP), rank.Told
		r.Tied, r.Few, r.Seen = []string{}, []string{}, result.Some(rank.Seen)
		for _, j := range rank.Tied {
			r.Tied = append(r.Tied, p.times[i][j].name)
		}
		for _, j := range rank.Few {
			r.Few = append(r.Few, p.times[i][j].name)
		}
	}
}
