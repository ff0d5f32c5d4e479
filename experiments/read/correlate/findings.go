package correlate

import (
	"slices"

	"krdlab/experiments/run/result"
)

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
