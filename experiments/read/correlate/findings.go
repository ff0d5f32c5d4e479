package correlate

import (
	"fmt"
	"slices"

	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of what coefficients lack; the examples are their arguments.
const (
	leftOut        doc.Code = "pairs_left_out"
	constantUnits  doc.Code = "constant_units_left_out"
	byConstruction doc.Code = "equal_by_construction"
	noCoefficient  doc.Code = "too_few_for_coefficient"
	pTooLarge      doc.Code = "too_few_for_p"
	fewUnits       doc.Code = "too_few_units"
	constantX      doc.Code = "share_constant"
	constantY      doc.Code = "outcome_constant"
	cachesUnknown  doc.Code = "caches_unknown"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		leftOut: {Level: doc.Note, Example: []any{2}, Say: func(a doc.Args) string {
			return units.Count(a.Whole(0), "configuration") + " without KRD or without this outcome left out"
		}},
		constantUnits: {Level: doc.Note, Example: []any{2}, Say: func(a doc.Args) string {
			return units.Count(a.Whole(0), "unit") + " left out: the values of each are all equal"
		}},
		byConstruction: {Level: doc.Note, Example: []any{"0.1 to 2 %"}, Say: func(a doc.Args) string {
			s := equalByConstruction + ": the misses are computed from the same trace as the KRD, so " +
				"no coefficient is given"
			if r := a.Text(0); r != "" {
				s += "; they differ from the lines that are far or cold by " + r
			}
			return s
		}},
		noCoefficient: {Level: doc.Limit, Example: []any{2}, Words: "n = %v is too small for any coefficient"},
		pTooLarge: {Level: doc.Limit, Example: []any{4, 0.083}, Say: func(a doc.Args) string {
			return fmt.Sprintf("n = %d is too small: the smallest two-sided p that Spearman's coefficient can have "+
				"is %.3f", a.Whole(0), a.Number(1))
		}},
		fewUnits: {Level: doc.Limit, Example: []any{4, 8}, Words: "no interval for Spearman's " +
			"coefficient, and no best point: %v independent units, and the bootstrap needs %v"},
		constantX:     {Level: doc.Limit, Words: "this share is the same everywhere"},
		constantY:     {Level: doc.Limit, Words: "the outcome is the same everywhere"},
		cachesUnknown: {Level: doc.Limit, Words: "the cache sizes of this machine are not known"},
	})
}

// limits returns what limits the coefficients of the tables of a family, the same of several once.
func (f *Family) limits() (list []doc.Finding) {
	for i := range f.Scopes {
		for j := range f.Scopes[i].Associations {
			list = append(list, f.Scopes[i].Associations[j].Findings...)
		}
	}
	return doc.Once("tables", list)
}

// doubts returns what limits the coefficients of a family as a whole.
func (f *Family) doubts() (list []result.Warning) {
	all := len(f.Configurations)
	if all == 1 {
		list = append(list, result.Warn(result.OneConfiguration))
	}
	sources := map[string]bool{}
	untraced, single := 0, 0
	for i := range f.Configurations {
		c := &f.Configurations[i]
		if c.LLCSource != nil {
			sources[*c.MissSource] = true
		}
		switch {
		case len(c.hist) == 0:
			untraced++
		case len(c.hist) == 1 && !c.Deterministic:
			single++
		}
	}
	if len(sources) > 1 {
		list = append(list, result.Warn(result.SeveralSources))
	}
	if len(sources) == 0 {
		list = append(list, result.Warn(result.NoMisses))
	}
	for _, some := range []struct {
		code result.Code
		n    int
	}{{result.WithoutKRD, untraced}, {result.OneTrace, single},
		{result.SameShares, f.coinciding()}} {
		if some.n > 0 {
			list = append(list, result.Warn(some.code, some.n, all))
		}
	}
	return list
}

// coinciding counts the configurations whose shares are all equal to those of an earlier one of the
// same size and cores.
func (f *Family) coinciding() int {
	n := 0
	for i := range f.Configurations {
		a := &f.Configurations[i]
		if len(a.hist) > 0 && slices.ContainsFunc(f.Configurations[:i], func(b Configuration) bool {
			if b.Size != a.Size || b.Cores != a.Cores || len(b.hist) == 0 {
				return false
			}
			for p := range a.Shares {
				if a.Shares[p].Median != b.Shares[p].Median {
					return false
				}
			}
			return true
		}) {
			n++
		}
	}
	return n
}
