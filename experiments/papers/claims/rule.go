// Package claims judges the statements of papers, of all papers by one rule.
//
// Ours is an interval, over seeds and draws. A value agrees if all of the interval is within the
// margin of what is printed, differs if none of it is, and else cannot be told. An order agrees if
// each pair has it by more than the margin, and differs if one is reversed by more.
package claims

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/run/result"
)

// A Verdict is the outcome of a claim.
type Verdict string

// The verdicts.
const (
	Agree      Verdict = "agree"
	Disagree   Verdict = "disagree"
	CannotTell Verdict = "cannot tell" // the interval is partly within, or there is none
	// it agrees in some readings of the claim, and not in others
	Depends Verdict = "depends on the reading"
	NotRun  Verdict = "not run" // the experiment lacks what the claim is about
	// it was run on another size than the paper's, which is no evidence on the claim
	OtherSize Verdict = "other size"
)

// margin is the relative deviation that agrees, for papers do not print how far their numbers vary.
const margin = 0.10

// A Test has the values that agree, from low to high, and those that differ, below and above.
type Test struct{ low, high, below, above float64 }

// Held returns a test by bounds, inclusive, of a statement in words.
func Held(low, high float64) Test { return Test{low, high, low, high} }

// Refuted returns a test by bounds, inclusive, of a quantity that bounds a claim only: beyond them
// the claim is refuted, and within them it stays open.
func Refuted(low, high float64) Test { return Test{math.Inf(1), math.Inf(-1), low, high} }

// Printed returns the test of numbers that a paper prints, from low to high, whose last digit has
// the unit: within half of that, or within the margin if that is more. The margin is of the excess
// over base, which is 1 for ratios near 1 and 0 for other numbers.
func Printed(low, high, unit, base float64) Test {
	return Held(low-max(unit/2, margin*math.Abs(low-base)), high+max(unit/2, margin*math.Abs(high-base)))
}

// NoMore returns the test of a printed upper bound: smaller numbers agree too.
func NoMore(value, unit, base float64) Test {
	t := Printed(value, value, unit, base)
	return Held(math.Inf(-1), t.high)
}

// NoLess returns the test of a printed lower bound: larger numbers agree too.
func NoLess(value, unit, base float64) Test {
	t := Printed(value, value, unit, base)
	return Held(t.low, math.Inf(1))
}

// Order returns the test of a [Gap].
func Order() Test {
	const least = margin / (2 + margin) // the gap of 1 and 1.1
	return Test{math.Nextafter(least, 1), math.Inf(1), -least, math.Inf(1)}
}

// Sign returns the test of a number that is to be above 0.
func Sign() Test { return Test{math.SmallestNonzeroFloat64, math.Inf(1), 0, math.Inf(1)} }

// Gap returns by how much a is below b, from -1 to 1; 0 where they are the same. It falls with a
// and rises with b. Ratios near 1 are given less 1.
func Gap(a, b float64) float64 {
	if a == b {
		return 0
	}
	return (b - a) / (math.Abs(a) + math.Abs(b))
}

// Of returns the verdict on a quantity.
func (t Test) Of(q result.Quantity) Verdict {
	from, to, sure := q.Bounds()
	switch {
	case !q.Median.Known():
		return NotRun
	case !sure:
		return CannotTell
	case t.low <= from && to <= t.high:
		return Agree
	case to < t.below || t.above < from:
		return Disagree
	}
	return CannotTell
}

// Same returns the verdict on a statement without a margin, such as a list or a count of cases.
func Same(same bool) Verdict {
	if same {
		return Agree
	}
	return Disagree
}

// Exactly returns v as a quantity that has no other value; unknown where v is not finite.
func Exactly(v float64) result.Quantity {
	return result.Sample{Values: []float64{v}, Fixed: true}.Quantity()
}

// All returns the verdict on statements that must hold together.
func All(verdicts ...Verdict) Verdict {
	for _, v := range []Verdict{NotRun, OtherSize, Disagree, CannotTell, Depends} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return Agree
}

// Readings returns the verdict on a claim out of those of its readings: it depends on them if some
// but not all agree.
func Readings(verdicts ...Verdict) Verdict {
	switch out := All(verdicts...); {
	case out == Agree, out == NotRun, out == OtherSize:
		return out
	case slices.Contains(verdicts, Agree), slices.Contains(verdicts, Depends):
		return Depends
	case slices.Contains(verdicts, CannotTell):
		return CannotTell
	}
	return Disagree
}

// Counts is how many claims have each verdict.
type Counts map[Verdict]int

// Add counts a verdict and returns it.
func (c Counts) Add(v Verdict) Verdict {
	c[v]++
	return v
}

// Judged returns how many claims were judged.
func (c Counts) Judged() int { return c[Agree] + c[Disagree] + c[Depends] + c[CannotTell] }

func (c Counts) String() string {
	return fmt.Sprintf("%d agree, %d disagree, %d depend on the reading and %d cannot be told",
		c[Agree], c[Disagree], c[Depends], c[CannotTell])
}
