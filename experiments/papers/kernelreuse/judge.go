package kernelreuse

import (
	"slices"

	"krdlab/experiments/run/result"
)

// A Verdict is what became of a claim.
type Verdict string

// The verdicts.
const (
	Agree      Verdict = "agree"
	Disagree   Verdict = "disagree"
	CannotTell Verdict = "cannot tell" // intervals overlap, or there are none
	// it agrees in some readings of the claim, and not in others
	Depends Verdict = "depends on the reading"
	NotRun  Verdict = "not run" // the experiment lacks what the claim is about
	// it was run on another size than the paper's, and says nothing about the claim
	OtherSize Verdict = "other size"
)

// within reports whether v lies in [low, high]: its whole interval, none of it, or neither.
func within(q result.Quantity, low, high float64) Verdict {
	from, to, sure := q.Bounds()
	switch {
	case !q.Median.Known():
		return NotRun
	case !sure:
		return CannotTell
	case low <= from && to <= high:
		return Agree
	case to < low || high < from:
		return Disagree
	}
	return CannotTell
}

// less reports whether a is below b.
func less(a, b result.Quantity) Verdict {
	aLow, aHigh, sure := a.Bounds()
	bLow, bHigh, ok := b.Bounds()
	switch {
	case !a.Median.Known() || !b.Median.Known():
		return NotRun
	case !sure || !ok:
		return CannotTell
	case aHigh < bLow:
		return Agree
	case bHigh < aLow:
		return Disagree
	}
	return CannotTell
}

// all is the verdict on statements that must hold together.
func all(verdicts ...Verdict) Verdict {
	for _, v := range []Verdict{NotRun, OtherSize, Disagree, CannotTell} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return Agree
}

// readings is the verdict on a claim out of those of its readings: it depends on them if some but
// not all agree.
func readings(verdicts ...Verdict) Verdict {
	out := all(verdicts...)
	if out == Agree || out == NotRun || out == OtherSize {
		return out
	}
	if slices.Contains(verdicts, Agree) {
		return Depends
	}
	if slices.Contains(verdicts, CannotTell) {
		return CannotTell
	}
	return Disagree
}
