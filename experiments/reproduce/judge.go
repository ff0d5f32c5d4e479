package reproduce

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/result"
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

// interval is a quantity as the judges see it.
type interval struct {
	mid, low, high float64
	n              int
	known          bool // there is a median
	sure           bool // and an interval
}

func of(q result.Quantity) interval {
	v := interval{mid: q.Median.Float(), n: q.N, known: q.Median.Known()}
	v.low, v.high, v.sure = q.Bounds()
	v.sure = v.sure && v.known
	return v
}

// ratio is a/b, as far apart as the intervals allow: wider than 95 %. Unknown where b is 0.
func ratio(a, b interval) interval {
	ends := []float64{a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}
	r := interval{a.mid / b.mid, slices.Min(ends), slices.Max(ends), min(a.n, b.n), a.known &&
		b.known, a.sure && b.sure && b.low > 0}
	return r.finite()
}

// finite is v without what is no number.
func (v interval) finite() interval {
	is := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	v.known = v.known && is(v.mid)
	v.sure = v.known && v.sure && is(v.low) && is(v.high)
	return v
}

// minus is a - b, likewise.
func minus(a, b interval) interval {
	return interval{a.mid - b.mid, a.low - b.high, a.high - b.low, min(a.n, b.n), a.known &&
		b.known, a.sure && b.sure}
}

// plus adds a constant.
func (v interval) plus(c float64) interval {
	v.mid, v.low, v.high = v.mid+c, v.low+c, v.high+c
	return v
}

// times multiplies with a positive constant.
func (v interval) times(c float64) interval {
	v.mid, v.low, v.high = float64(v.mid*c), float64(v.low*c), float64(v.high*c)
	return v
}

// show writes v with a number of decimals, as 21.99 (21.90-22.05).
func (v interval) show(decimals int) string {
	switch {
	case !v.known:
		return "n/a"
	case !v.sure:
		return fmt.Sprintf("%.*f", decimals, v.mid)
	case math.Abs(v.high-v.low) < math.Pow(10, -float64(decimals))/2:
		return fmt.Sprintf("%.*f", decimals, v.mid)
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", decimals, v.mid, decimals, v.low, decimals, v.high)
}

// within says whether v lies in [low, high]: its whole interval, none of it, or neither.
func within(v interval, low, high float64) Verdict {
	switch {
	case !v.known:
		return NotRun
	case !v.sure:
		return CannotTell
	case low <= v.low && v.high <= high:
		return Agree
	case v.high < low || high < v.low:
		return Disagree
	}
	return CannotTell
}

// less says whether a is below b.
func less(a, b interval) Verdict {
	switch {
	case !a.known || !b.known:
		return NotRun
	case !a.sure || !b.sure:
		return CannotTell
	case a.high < b.low:
		return Agree
	case b.high < a.low:
		return Disagree
	}
	return CannotTell
}

// below says whether a is below each of the others.
func below(a interval, others ...interval) Verdict {
	var verdicts []Verdict
	for _, o := range others {
		verdicts = append(verdicts, less(a, o))
	}
	return all(verdicts...)
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
