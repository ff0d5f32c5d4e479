package correlate

import (
	"encoding/csv"
	"io"
	"strconv"

	"krdlab/experiments/result"
)

// The tables that are written as CSV.
const (
	CellsTable        = "cells"
	CoefficientsTable = "coefficients"
)

// Tables lists them.
var Tables = []string{CellsTable, CoefficientsTable}

var familyColumns = []string{"kernel", "params", "size", "substrate", "machine", "settings"}

func (f *Family) columns(size string) []string {
	return []string{f.Kernel, f.Params, size, f.Substrate, f.Machine, f.Settings}
}

// WriteCells writes CSV: a row for each quantity of each configuration. Shares are fractions of 1.
// What is not known is empty.
func (r *Report) WriteCells(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{append(append([]string{}, familyColumns...), "scheduler", "cores", "seeds",
		"llc_source", "quantity", "median", "low", "high", "confidence", "n", "reason",
		"miss_source", "disturbed")}
	for i := range r.Families {
		f := &r.Families[i]
		for j := range f.Configurations {
			x := &f.Configurations[j]
			source, from := "", ""
			if x.LLCSource != nil {
				source, from = *x.LLCSource, *x.MissSource
			}
			add := func(name string, q result.Quantity) {
				rows = append(rows, append(f.columns(x.Size), x.Scheduler, strconv.Itoa(x.Cores),
					strconv.Itoa(len(x.Seeds)), source, name,
					number(q.Median), number(q.Low), number(q.High), number(q.Confidence),
					strconv.Itoa(q.N), string(q.Reason), from,
					strconv.FormatBool(x.Disturbed)))
			}
			add("time_ns", x.TimeNS)
			add("speedup", x.Speedup)
			add("ovr", x.OVR)
			add("wti", x.WTI)
			add("kernel_ns", x.KernelNS)
			add("llc_misses_per_core", x.LLCMissesPerCore)
			add("llc_misses_per_access", x.LLCMissesPerAccess)
			add("llc_misses_excess", x.MissExcess)
			for p := range f.Points {
				add("krd "+f.Points[p].Name, x.Shares[p])
			}
		}
	}
	return flush(c, rows)
}

// WriteCoefficients writes CSV: a row for each coefficient, and one for each outcome that has none
// because it follows from the trace. What is not known or not defined is empty.
func (r *Report) WriteCoefficients(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"kernel", "params", "substrate", "machine", "settings", "scope_kind",
		"scope", "outcome", "llc_source", "krd_share", "coefficient",
		"value", "low", "high", "p", "p_method", "n", "units", "why", "miss_source",
		"llc_misses_excess_least", "llc_misses_excess_most"}}
	for i := range r.Families {
		f := &r.Families[i]
		for j := range f.Scopes {
			s := &f.Scopes[j]
			for k := range s.Associations {
				rows = append(rows, f.coefficientRows(s, &s.Associations[k])...)
			}
		}
	}
	return flush(c, rows)
}

func (f *Family) coefficientRows(s *Scope, a *Association) (rows [][]string) {
	source, from := "", ""
	if a.LLCSource != nil {
		source, from = *a.LLCSource, *a.MissSource
	}
	add := func(point, name string, c *Coefficient) {
		rows = append(rows, []string{f.Kernel, f.Params, f.Substrate, f.Machine, f.Settings,
			string(s.Kind), s.Name, string(a.Outcome), source, point, name, number(c.Value),
			number(c.Low), number(c.High), number(c.P), a.PMethod, strconv.Itoa(a.N),
			strconv.Itoa(a.Units), c.Why, from, number(a.ExcessLeast), number(a.ExcessMost)})
	}
	if a.ByConstruction {
		add("", "", &Coefficient{Why: equalByConstruction})
	}
	for i := range a.Coefficients {
		x := &a.Coefficients[i]
		add(x.Point, "pearson", &x.Pearson)
		add(x.Point, "spearman", &x.Spearman)
	}
	return rows
}

func flush(c *csv.Writer, rows [][]string) error {
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return c.Error()
}

func number(n result.Number) string {
	if !n.Known() {
		return ""
	}
	return strconv.FormatFloat(n.Float(), 'g', -1, 64)
}
