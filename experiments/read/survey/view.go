package survey

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Tables are the names of [Report.Table].
var Tables = []string{"rows", "schedulers"}

func (p *Place) title() string {
	words := []string{p.Machine}
	if p.Substrate == loi.Simulated {
		words[0] += ", SIMULATED"
	}
	if p.Pages != "" {
		words = append(words, p.Pages)
	}
	return strings.Join(append(words, units.Count(p.Cores, "core")), ", ")
}

// head names prices, which nobody has natively.
func (p *Place) head(i int) string {
	switch name := p.Prices[i].Name; {
	case p.Substrate != loi.Simulated:
		return "best"
	case name == "":
		return "own prices"
	default:
		return "prices of " + name
	}
}

// View returns what people read of the report: for each place the best of each kernel by prices,
// and how all schedulers compare.
func (r *Report) View() *doc.Doc {
	answers, limits := r.Apart()
	d := &doc.Doc{Warnings: limits}
	if len(answers) > 0 {
		d.Add(doc.Paragraph(answers))
	}
	for i := range r.Places {
		p := &r.Places[i]
		of := &doc.Doc{Title: p.title()}
		of.Add(p.winners())
		of.Add(p.shares())
		d.Add(of)
	}
	d.Add(doc.Paragraph{fmt.Sprintf("best: the least median time, with its speed-up; +N <x %%: a tie "+
		"with N others, from which a difference of x %% would have been seen; +N?: too few repetitions to tell it "+
		"from N others (largest p of the tests against all others, Holm's correction over the "+
		"rows of a column, limit %.2f). told: from all others; stays: told, and the same, under "+
		"all prices. far: accesses with "+
		"a finite distance beyond the LLC, the least and the most of all schedulers.",
		estimate.Alpha), "of the best: geometric mean of the best's time over the " +
		"scheduler's, over the rows that all schedulers have; worst: the least of these; first: rows that it is told to be the best of."})
	return d
}

func (p *Place) winners() *doc.Table {
	t := doc.NewTable(1, "kernel")
	for i := range p.Prices {
		t.Columns = append(t.Columns, doc.Column{Head: p.head(i)})
	}
	stays := "stays"
	if len(p.Prices) == 1 {
		stays = "told"
	}
	t.Columns = append(t.Columns, doc.Column{Head: stays},
		doc.Column{Head: "far, %", Kind: doc.Real})
	count := map[string]int{}
	for _, h := range p.Held {
		count[h.Kernel]++
	}
	for _, held := range p.Held {
		name := held.Kernel
		if count[name] > 1 {
			name = held.changed
		}
		cells := []any{name}
		var far any
		for i := range p.Prices {
			row := p.Prices[i].row(held.Kernel, held.Params)
			if row == nil {
				cells = append(cells, "")
				continue
			}
			if row.MostFar.Known() && far == nil {
				far = percent(row.LeastFar.Float()) + " to " + percent(row.MostFar.Float())
			}
			cells = append(cells, row.text())
		}
		t.Row(append(cells, held.Best, far)...)
	}
	return t
}

func percent(v float64) string { return units.Digits(100*v, 2) }

// text returns the best of a row with its speed-up.
func (r *Row) text() string {
	s := r.Best
	if r.Speedup.Median.Known() {
		s += " " + units.Digits(r.Speedup.Median.Float(), 3)
	}
	if len(r.Tied) > 0 {
		s += fmt.Sprintf(" +%d", len(r.Tied))
		if r.Seen.Known() {
			s += " <" + percent(r.Seen.Float()) + " %"
		}
	}
	if len(r.Few) > 0 {
		s += fmt.Sprintf(" +%d?", len(r.Few))
	}
	return s
}

const unlike = "no row has all schedulers"

// known returns a number of a cell, or why there is none.
func known(n doc.Number) any {
	if !n.Known() {
		return doc.Missing(unlike)
	}
	return n
}

func (p *Place) shares() *doc.Table {
	t := doc.NewTable(1, "scheduler")
	for i := range p.Prices {
		head := p.head(i) + ":\nof the best"
		if p.Substrate != loi.Simulated {
			head = "of the\nbest"
		}
		t.Columns = append(t.Columns, doc.Column{Head: head, Kind: doc.Real},
			doc.Column{Head: "\nworst"}, doc.Column{Head: "\nfirst", Kind: doc.Whole})
	}
	var names []string
	for i := range p.Prices {
		for _, s := range p.Prices[i].Schedulers {
			if !slices.Contains(names, s.Scheduler) {
				names = append(names, s.Scheduler)
			}
		}
	}
	for _, name := range names {
		cells := []any{name}
		for i := range p.Prices {
			list := p.Prices[i].Schedulers
			j := slices.IndexFunc(list, func(s Share) bool { return s.Scheduler == name })
			if j < 0 {
				cells = append(cells, nil, nil, nil)
				continue
			}
			s := &list[j]
			worst := any(doc.Missing(unlike))
			if s.Rows > 0 {
				worst = units.Digits(s.Worst.Float(), 2) + " " + s.WorstOf
			}
			cells = append(cells, known(s.Mean), worst, int64(s.Best))
		}
		t.Row(cells...)
	}
	return t
}

// Table returns a table as data, by its name, one of [Tables].
func (r *Report) Table(name string) *doc.Table {
	place := func(p *Place, v *Prices) []any {
		return []any{p.Substrate, p.Machine, p.Settings, p.Pages, int64(p.Cores), v.Name}
	}
	text := func(keys ...string) (list []doc.Column) {
		for _, k := range keys {
			list = append(list, doc.Column{Key: k, Head: k})
		}
		return list
	}
	number := func(kind doc.Kind, keys ...string) (list []doc.Column) {
		for _, k := range keys {
			list = append(list, doc.Column{Key: k, Head: k, Kind: kind})
		}
		return list
	}
	t := &doc.Table{Name: name, Columns: slices.Concat(text("substrate", "machine", "settings",
		"pages"), number(doc.Whole, "cores"), text("prices"))}
	if name == "schedulers" {
		t.Columns = slices.Concat(t.Columns, text("scheduler"), number(doc.Whole, "rows"),
			number(doc.Real, "geometric_mean", "worst"), text("worst_kernel"),
			number(doc.Whole, "best"))
	} else {
		t.Columns = slices.Concat(t.Columns, text("kernel", "params", "best"), []doc.Column{
			{Key: "speedup", Head: "speedup", Kind: doc.Real, Ends: true},
			{Key: "wti", Head: "wti", Kind: doc.Real, Ends: true}}, text("second"),
			number(doc.Real, "lead", "p", "p_holm"), number(doc.Truth, "told"),
			text("tied"), number(doc.Real, "seen"), text("too_few", "stays"), number(doc.Real, "least_far", "most_far"),
			text("most_far_under"))
	}
	for i := range r.Places {
		p := &r.Places[i]
		for j := range p.Prices {
			v := &p.Prices[j]
			if name == "schedulers" {
				for _, s := range v.Schedulers {
					t.Row(append(place(p, v), s.Scheduler, int64(s.Rows), s.Mean, s.Worst,
						s.WorstOf, int64(s.Best))...)
				}
				continue
			}
			for _, row := range v.Rows {
				stays := p.held(row).Best
				t.Row(append(place(p, v), row.Kernel, row.Params, row.Best, row.Speedup, row.WTI,
					row.Second, row.Lead, row.P, row.HolmP, row.Told, strings.Join(row.Tied, " "),
					row.Seen, strings.Join(row.Few, " "), stays, row.LeastFar, row.MostFar, row.FarUnder)...)
			}
		}
	}
	return t
}
