package levels

import (
	"fmt"
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

// View returns what people read of the report: for each group a sentence, the held-out R2 of each
// scope, the slopes, and each scheduler left out.
func (r *Report) View() *doc.Doc {
	d := &doc.Doc{Warnings: r.Warnings}
	for i := range r.Groups {
		d.Add(r.Groups[i].view())
	}
	if len(r.Groups) > 1 {
		d.Say("The %d parts above differ in substrate, machine or settings; nothing is pooled "+
			"across them.", len(r.Groups))
	}
	if len(r.Excluded) > 0 {
		d.Say("left out: %s", strings.Join(r.Excluded, ", "))
	}
	return d
}

func (g *Group) view() *doc.Doc {
	d := &doc.Doc{}
	d.Say("%s: L2 %s a core, LLC %s a node", g, units.Bytes(uint64(g.L2Bytes)),
		units.Bytes(uint64(g.LLCBytes)))
	if g.Substrate == loi.Simulated {
		d.Say("SIMULATED: times and misses are those of a model, no measurement")
	}
	d.Say("%s%s", units.Count(len(g.Configurations), "configuration"), g.left())
	if g.MissSource != "" {
		d.Say("LLC misses from %s", g.MissSource)
	}
	if g.Identical > 0 && g.Substrate == loi.Simulated {
		d.Say("IDENTITY: in %d of %s the modelled misses are the lines beyond the LLC, to the "+
			"last one. What predicts WTI there is what the model charges.", g.Identical,
			units.Count(len(g.Configurations), "configuration"))
	}
	if m := g.Implied; m != nil {
		d.Say("By the file of the machine a line beyond the L2 costs %s ns in short rows and %s "+
			"in streams, and one beyond the LLC %s to %s (the farthest memory) and %s besides, "+
			"with nobody else at the memory.", units.Digits(m.RowL2, 2),
			units.Digits(m.StreamL2, 2), units.Digits(m.RowLLC, 2),
			units.Digits(m.RowRemote, 2), units.Digits(m.StreamLLC, 2))
	}
	several := len(g.distinct(func(c *Configuration) string { return c.Kernel })) > 2
	last := ""
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Comparison != Between || !g.best(s) || s.Kernel != "" && several {
			continue
		}
		if text := s.String(); text != last { // what cannot be told is so in each unit
			d.Say("%s", text)
			last = text
		}
	}
	for _, q := range questions {
		if t := g.table(q); len(t.Rows) > 0 {
			d.Add(t)
		}
	}
	if t := g.schedulersLeft(); len(t.Rows) > 0 {
		d.Add(t)
	}
	return d
}

// best reports whether no other unit predicts the outcome of s better.
func (g *Group) best(s *Scope) bool {
	return !slices.ContainsFunc(g.Scopes, func(o Scope) bool {
		return o.Kernel == s.Kernel && o.LeaveOut == s.LeaveOut && o.Comparison == s.Comparison &&
			o.Outcome == s.Outcome && o.Why == "" && s.Why == "" &&
			o.Fits[2].HeldOut.Value.Float() > s.Fits[2].HeldOut.Value.Float()
	})
}

// left returns what was left out.
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
	switch {
	case s.LeaveOut == Kernels:
		return "all, a kernel left out"
	case s.Kernel == "":
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
	others := "schedulers"
	if s.LeaveOut == Kernels {
		others = "kernels"
	}
	return fmt.Sprintf("Fitted to the other %s, the %s beyond L2 and LLC predict %s "+
		"with an R2 of %s, those beyond L2 alone with %s, beyond LLC alone with %s (%s, n = %d; "+
		"95 %% of a bootstrap over %d settings): %s.", others, s.Unit, what, s.Fits[2].HeldOut,
		s.Fits[0].HeldOut, s.Fits[1].HeldOut, s.name(), s.N, s.Settings, verdict)
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
func (g *Group) table(q question) *doc.Table {
	t := doc.NewTable(2, q.String(), "of", "n", "held-out R2\nL2 alone", "\nLLC alone", "\nboth",
		"both\nadd", "slopes of both\nbeyond L2", "\nbeyond LLC")
	t.Keys = 2
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Outcome != q.outcome || s.Unit != q.unit {
			continue
		}
		if s.Why != "" {
			t.Row(string(s.Comparison), s.name(), s.N, doc.Missing(s.Why), nil, nil, nil, nil, nil)
			continue
		}
		f := &s.Fits[2]
		t.Row(string(s.Comparison), s.name(), s.N, s.Fits[0].HeldOut, s.Fits[1].HeldOut, f.HeldOut,
			s.Gain, slope(f.L2), slope(f.LLC))
	}
	return t
}

func slope(n result.Number) string {
	if !n.Known() {
		return doc.NotAvailable
	}
	return strconv.FormatFloat(n.Float(), 'g', 3, 64)
}

// schedulersLeft has a row for each scheduler of each kernel: how well what its WTI is beside the
// others' is predicted, in the unit that does best.
func (g *Group) schedulersLeft() *doc.Table {
	t := doc.NewTable(2, "WTI between schedulers", "left out", "R2\nL2 alone", "\nLLC alone",
		"\nboth", "RMSE\nboth")
	t.Keys = 2
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Outcome != WTI || s.Comparison != Between || s.Why != "" || !g.best(s) ||
			s.Kernel == "" && s.LeaveOut != Kernels {
			continue
		}
		for k := range s.Fits[0].Left {
			t.Row(s.name()+", "+string(s.Unit), s.Fits[0].Left[k].Of, two(s.Fits[0].Left[k].R2),
				two(s.Fits[1].Left[k].R2), two(s.Fits[2].Left[k].R2), slope(s.Fits[2].Left[k].RMSE))
		}
	}
	return t
}

// Table returns the table of a name as data. Cells has a row for each configuration, fits one for
// each fit of each scope. Shares are fractions of 1; what is not known is empty.
func (r *Report) Table(name string) *doc.Table {
	if name == FitsTable {
		return r.fits()
	}
	t := doc.NewData(CellsTable, "substrate", "machine", "settings", "kernel", "params", "cores",
		"scheduler", "beyond_l2", "beyond_llc", "wti", "lines_beyond_l2_per_serial_work_ns",
		"lines_beyond_llc_per_serial_work_ns", "llc_misses_per_line", "miss_source")
	for i := range r.Groups {
		g := &r.Groups[i]
		for j := range g.Configurations {
			c := &g.Configurations[j]
			t.Row(g.Substrate, g.Machine, g.Settings, c.Kernel, c.Params, c.Cores, c.Scheduler,
				c.BeyondL2, c.BeyondLLC, c.WTI, c.LinesL2, c.LinesLLC, c.LLCMissesPerLine, c.from)
		}
	}
	return t
}

func (r *Report) fits() *doc.Table {
	t := doc.NewData(FitsTable, "substrate", "machine", "settings", "kernel", "comparison",
		"outcome", "unit", "leave_out", "predictors", "n", "bootstrap_units", "held_out_r2",
		"low", "high", "in_sample_r2", "intercept", "l2_slope", "llc_slope", "why")
	for i := range r.Groups {
		g := &r.Groups[i]
		for j := range g.Scopes {
			s := &g.Scopes[j]
			row := func(predictors Predictors, f Fit, why string) {
				t.Row(g.Substrate, g.Machine, g.Settings, s.Kernel, string(s.Comparison),
					string(s.Outcome), string(s.Unit), string(s.LeaveOut), string(predictors), s.N,
					s.Settings, f.HeldOut.Value, f.HeldOut.Low, f.HeldOut.High, f.InSample,
					f.Intercept, f.L2, f.LLC, why)
			}
			if s.Why != "" {
				row("", Fit{}, s.Why)
			}
			for k := range s.Fits {
				row(s.Fits[k].Predictors, s.Fits[k], "")
			}
		}
	}
	return t
}
