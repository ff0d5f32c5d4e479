package correlate

import (
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// The tables that are written as CSV.
const (
	CellsTable        = "cells"
	CoefficientsTable = "coefficients"
)

// Tables lists them.
var Tables = []string{CellsTable, CoefficientsTable}

// Table returns the table of a name as data. Cells has a row for each quantity of each
// configuration, coefficients one for each coefficient, and one for each outcome that has none
// because it follows from the trace. Shares are fractions of 1; what is not known or not defined is
// empty.
func (r *Report) Table(name string) *doc.Table {
	if name == CellsTable {
		return r.cells()
	}
	return r.coefficients()
}

func (r *Report) cells() *doc.Table {
	t := doc.NewData(CellsTable, "kernel", "params", "size", "substrate", "machine", "settings",
		"scheduler", "cores", "seeds", "llc_source", "quantity", "median", "low", "high",
		"confidence", "n", "reason", "miss_source", "disturbed")
	for i := range r.Families {
		f := &r.Families[i]
		for j := range f.Configurations {
			x := &f.Configurations[j]
			source, from := "", ""
			if x.LLCSource != nil {
				source, from = *x.LLCSource, *x.MissSource
			}
			add := func(name string, q result.Quantity) {
				t.Row(f.Kernel, f.Params, x.Size, f.Substrate, f.Machine, f.Settings, x.Scheduler,
					x.Cores, len(x.Seeds), source, name, q.Median, q.Low, q.High, q.Confidence, q.N,
					q.Reason, from, x.Disturbed)
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
	return t
}

func (r *Report) coefficients() *doc.Table {
	t := doc.NewData(CoefficientsTable, "kernel", "params", "substrate", "machine", "settings",
		"scope_kind", "scope", "outcome", "llc_source", "krd_share", "coefficient", "value", "low",
		"high", "p", "p_method", "n", "units", "why", "miss_source", "llc_misses_excess_least",
		"llc_misses_excess_most")
	for i := range r.Families {
		f := &r.Families[i]
		for j := range f.Scopes {
			s := &f.Scopes[j]
			for k := range s.Associations {
				a := &s.Associations[k]
				source, from := "", ""
				if a.LLCSource != nil {
					source, from = *a.LLCSource, *a.MissSource
				}
				add := func(point, name string, c *Coefficient) {
					t.Row(f.Kernel, f.Params, f.Substrate, f.Machine, f.Settings, s.Kind, s.Name,
						string(a.Outcome), source, point, name, c.Value, c.Low, c.High, c.P, a.PMethod, a.N,
						a.Units, c.Why, from, a.ExcessLeast, a.ExcessMost)
				}
				if a.ByConstruction {
					add("", "", &Coefficient{Why: equalByConstruction})
				}
				for i := range a.Coefficients {
					x := &a.Coefficients[i]
					add(x.Point, "pearson", &x.Pearson)
					add(x.Point, "spearman", &x.Spearman)
				}
			}
		}
	}
	return t
}
