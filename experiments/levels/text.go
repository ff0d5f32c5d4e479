package levels

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// The tables that are written as CSV.
const (
	CellsTable = "cells"
	FitsTable  = "fits"
)

// Tables lists them.
var Tables = []string{CellsTable, FitsTable}

// WriteText writes the report for a person at a terminal: for each group a sentence, the held-out
// R2 of each scope, the slopes, and each scheduler left out.
func (r *Report) WriteText(p *doc.Page) error {
	for i := range r.Groups {
		if i > 0 {
			p.Line("")
		}
		r.Groups[i].write(p)
	}
	if len(r.Groups) > 1 {
		p.Line("")
		p.Line("The %d parts above differ in substrate, machine or settings; nothing is pooled "+
			"across them.", len(r.Groups))
	}
	if len(r.Excluded) > 0 {
		p.Line("left out: %s", strings.Join(r.Excluded, ", "))
	}
	for _, w := range r.Warnings {
		p.Brief("warning: " + w)
	}
	return p.Close()
}

func (g *Group) write(p *doc.Page) {
	p.Line("%s: L2 %s a core, LLC %s a node", g, units.Bytes(uint64(g.L2Bytes)),
		units.Bytes(uint64(g.LLCBytes)))
	if g.Substrate == loi.Simulated {
		p.Line("SIMULATED: times and misses are those of a model, no measurement")
	}
	p.Line("%s%s", units.Count(len(g.Configurations), "configuration"), g.left())
	if g.MissSource != "" {
		p.Line("LLC misses from %s", g.MissSource)
	}
	last := ""
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Comparison != Between || s.Kernel == "" || !g.best(s) {
			continue
		}
		if text := s.String(); text != last { // what cannot be told is so in each unit
			p.Line("%s", text)
			last = text
		}
	}
	for _, q := range questions {
		g.table(p, q)
	}
	g.schedulersLeft(p)
}

// best says whether no other unit predicts the outcome of s better.
func (g *Group) best(s *Scope) bool {
	return !slices.ContainsFunc(g.Scopes, func(o Scope) bool {
		return o.Kernel == s.Kernel && o.Comparison == s.Comparison && o.Outcome == s.Outcome &&
			o.Why == "" && s.Why == "" &&
			o.Fits[2].HeldOut.Value.Float() > s.Fits[2].HeldOut.Value.Float()
	})
}

// left says what was left out.
func (g *Group) left() string {
	text := ""
	if g.OneCore > 0 {
		text += fmt.Sprintf("; %d on one core, where WTI is 1, left out", g.OneCore)
	}
	if g.Unknown > 0 {
		text += fmt.Sprintf("; %d without reuse distances of cores or WTI left out", g.Unknown)
	}
	return text
}

func (o Outcome) String() string {
	if o == Misses {
		return "LLC misses per line accessed"
	}
	return "WTI"
}

// String names the question; shares go without saying.
func (q question) String() string {
	if q.unit == Shares {
		return q.outcome.String()
	}
	return q.outcome.String() + ", " + string(q.unit)
}

func (s *Scope) name() string {
	if s.Kernel == "" {
		return "all kernels"
	}
	return s.Kernel
}

// String is what the scope says, in a sentence.
func (s *Scope) String() string {
	what := s.Outcome.String()
	if s.Comparison == Between {
		what = "the differences in " + what + " between schedulers"
	}
	if s.Why != "" {
		return fmt.Sprintf("How well reuse predicts %s cannot be told (%s): %s.", what, s.name(),
			s.Why)
	}
	verdict := "that both levels are needed is not shown"
	if low := s.Gain.Low; low.Known() && low.Float() > 0 {
		verdict = fmt.Sprintf("both levels are needed, and add %s to the better one", s.Gain)
	}
	return fmt.Sprintf("Fitted to the other schedulers, the %s beyond L2 and LLC predict %s "+
		"with an R2 of %s, those beyond L2 alone with %s, beyond LLC alone with %s (%s, n = %d; "+
		"95 %% of a bootstrap over %d settings): %s.", s.Unit, what, s.Fits[2].HeldOut, s.Fits[0].HeldOut,
		s.Fits[1].HeldOut, s.name(), s.N, s.Settings, verdict)
}

// String is the value with its interval.
func (e Estimate) String() string {
	if !e.Low.Known() {
		return two(e.Value)
	}
	return two(e.Value) + " (" + two(e.Low) + " to " + two(e.High) + ")"
}

func two(n result.Number) string {
	if !n.Known() {
		return doc.NotAvailable
	}
	return strings.Replace(strconv.FormatFloat(n.Float(), 'f', 2, 64), "-0.00", "0.00", 1)
}

// table has a row for each scope of a question.
func (g *Group) table(p *doc.Page, q question) {
	t := doc.NewTable(2, q.String(), "of", "n", "held-out R2\nL2 alone", "\nLLC alone", "\nboth",
		"both\nadd", "slopes of both\nbeyond L2", "\nbeyond LLC")
	t.Keys = 2
	rows := 0
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Outcome != q.outcome || s.Unit != q.unit {
			continue
		}
		rows++
		if s.Why != "" {
			t.Row(string(s.Comparison), s.name(), s.N, doc.NotAvailable, doc.NotAvailable,
				doc.NotAvailable, doc.NotAvailable, doc.NotAvailable, doc.NotAvailable)
			continue
		}
		f := &s.Fits[2]
		t.Row(string(s.Comparison), s.name(), s.N, s.Fits[0].HeldOut, s.Fits[1].HeldOut, f.HeldOut,
			s.Gain, slope(f.L2), slope(f.LLC))
	}
	if rows > 0 {
		p.Line("")
		p.Table(t)
	}
}

func slope(n result.Number) string {
	if !n.Known() {
		return doc.NotAvailable
	}
	return strconv.FormatFloat(n.Float(), 'g', 3, 64)
}

// schedulersLeft has a row for each scheduler of each kernel: how well what its WTI is beside the
// others' is predicted, in the unit that does best.
func (g *Group) schedulersLeft(p *doc.Page) {
	t := doc.NewTable(2, "WTI between schedulers", "left out", "R2\nL2 alone", "\nLLC alone",
		"\nboth", "RMSE\nboth")
	t.Keys = 2
	rows := 0
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Outcome != WTI || s.Comparison != Between || s.Kernel == "" || s.Why != "" ||
			!g.best(s) {
			continue
		}
		for k, name := range s.Schedulers {
			rows++
			t.Row(s.Kernel+", "+string(s.Unit), name, two(s.Fits[0].Left[k].R2),
				two(s.Fits[1].Left[k].R2), two(s.Fits[2].Left[k].R2), slope(s.Fits[2].Left[k].RMSE))
		}
	}
	if rows > 0 {
		p.Line("")
		p.Table(t)
	}
}

// WriteCells writes CSV: a row for each configuration. Shares are fractions of 1; what is not known
// is empty.
func (r *Report) WriteCells(w io.Writer) error {
	rows := [][]string{{"substrate", "machine", "settings", "kernel", "params", "cores", "scheduler",
		"beyond_l2", "beyond_llc", "wti", "lines_per_serial_work_ns", "llc_misses_per_line",
		"miss_source"}}
	for i := range r.Groups {
		g := &r.Groups[i]
		for j := range g.Configurations {
			c := &g.Configurations[j]
			rows = append(rows, []string{g.Substrate, g.Machine, g.Settings, c.Kernel, c.Params,
				strconv.Itoa(c.Cores), c.Scheduler, number(c.BeyondL2), number(c.BeyondLLC),
				number(c.WTI), number(c.LinesPerNS), number(c.LLCMissesPerLine), c.from})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// WriteFits writes CSV: a row for each fit of each scope.
func (r *Report) WriteFits(w io.Writer) error {
	rows := [][]string{{"substrate", "machine", "settings", "kernel", "comparison", "outcome",
		"unit", "predictors", "n", "bootstrap_units", "held_out_r2", "low", "high", "in_sample_r2",
		"intercept", "l2_slope", "llc_slope", "why"}}
	for i := range r.Groups {
		g := &r.Groups[i]
		for j := range g.Scopes {
			s := &g.Scopes[j]
			row := []string{g.Substrate, g.Machine, g.Settings, s.Kernel, string(s.Comparison),
				string(s.Outcome), string(s.Unit)}
			n := []string{strconv.Itoa(s.N), strconv.Itoa(s.Settings)}
			if s.Why != "" {
				rows = append(rows, append(append(append(row, ""), n...), "", "", "", "", "", "", "",
					s.Why))
			}
			for k := range s.Fits {
				f := &s.Fits[k]
				rows = append(rows, append(append(append(row[:len(row):len(row)],
					string(f.Predictors)), n...), number(f.HeldOut.Value), number(f.HeldOut.Low),
					number(f.HeldOut.High), number(f.InSample), number(f.Intercept), number(f.L2),
					number(f.LLC), ""))
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func number(n result.Number) string {
	if !n.Known() {
		return ""
	}
	return strconv.FormatFloat(n.Float(), 'g', -1, 64)
}
