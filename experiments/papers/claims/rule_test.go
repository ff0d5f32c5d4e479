package claims

import (
	"math"
	"testing"

	"krdlab/experiments/run/result"
)

// between is a quantity with an interval, guess one without.
func between(low, high float64) result.Quantity {
	return result.Quantity{Median: result.Some((low + high) / 2), Low: result.Some(low),
		High: result.Some(high), N: 10}
}

func guess(v float64) result.Quantity { return result.Quantity{Median: result.Some(v), N: 3} }

// Of each test an input is right and one is just beyond: planted truths.
func TestRule(t *testing.T) {
	for _, test := range []struct {
		what       string
		test       Test
		first, end float64 // the last that agree
	}{
		{"a speed-up of 21", Printed(21, 21, 1, 0), 18.9, 23.1},
		{"few digits", Printed(4, 4, 1, 0), 3.5, 4.5},
		{"a ratio near 1", Printed(1.3, 1.3, 0.01, 1), 1.27, 1.33},
		{"one of few digits", Printed(1.1, 1.1, 0.1, 1), 1.05, 1.15},
		{"one below 1", Printed(0.8, 0.8, 0.01, 1), 0.78, 0.82},
		{"3 to 4 times", Printed(3, 4, 1, 0), 2.5, 4.5},
		{"30 to 40", Printed(30, 40, 1, 0), 27, 44},
		{"at most 3 %", NoMore(3, 1, 0), math.Inf(-1), 3.5},
		{"less than 5 % more", NoMore(1.05, 0.001, 1), math.Inf(-1), 1.055},
		{"at least 20", NoLess(20, 1, 0), 18, math.Inf(1)},
		{"identical", Held(0, 0), 0, 0},
		{"a word", Held(0.9, 1), 0.9, 1},
	} {
		const step = 1e-9
		low, high := max(test.first, -1e3), min(test.end, 1e3)
		for _, x := range []struct {
			from, to float64
			want     Verdict
		}{
			{low + step, high - step, Agree},
			{low - step, high + step, CannotTell},
			{low - 1, low + step, CannotTell}, {low - 1, low - step, Disagree},
			{high - step, high + 1, CannotTell}, {high + step, high + 1, Disagree},
		} {
			if low+step > high-step && x.want == Agree {
				x.from, x.to = low, high
			}
			if math.IsInf(test.first, 0) && x.from < low || math.IsInf(test.end, 0) && x.to > high {
				continue
			}
			if got := test.test.Of(between(x.from, x.to)); got != x.want {
				t.Errorf("%s, from %v to %v: %s, expected %s", test.what, x.from, x.to, got, x.want)
			}
		}
		if v := test.test.Of(guess(low)); v != CannotTell {
			t.Errorf("%s, no interval: %s", test.what, v)
		}
		if v := test.test.Of(result.Quantity{}); v != NotRun {
			t.Errorf("%s, nothing: %s", test.what, v)
		}
	}
}

// A pair has an order, or the reverse, by more than 10 % of the lesser.
func TestOrder(t *testing.T) {
	for _, test := range []struct {
		a, b float64
		want Verdict
	}{
		{1, 1.1001, Agree}, {1, 1.0999, CannotTell}, {1, 1, CannotTell}, {0, 0, CannotTell},
		{1.0999, 1, CannotTell}, {1.1001, 1, Disagree}, {0.02, 0.0219, CannotTell},
		{0.02, 0.0221, Agree}, {-0.01, 0.002, Agree}, {0.002, -0.01, Disagree},
		{-0.011, -0.0101, CannotTell}, {-0.0112, -0.0101, Agree}, {0, 1e-6, Agree},
		{1e6, 2e6, Agree},
	} {
		if got := Order().Of(Exactly(Gap(test.a, test.b))); got != test.want {
			t.Errorf("%v < %v: %s, expected %s", test.a, test.b, got, test.want)
		}
	}
	for _, test := range []struct {
		low, high float64
		want      Verdict
	}{{0.05, 0.3, Agree}, {0.047, 0.3, CannotTell}, {-0.3, -0.05, Disagree},
		{-0.3, -0.047, CannotTell}, {-0.3, 0.3, CannotTell}} {
		if got := Order().Of(between(test.low, test.high)); got != test.want {
			t.Errorf("gaps from %v to %v: %s, expected %s", test.low, test.high, got, test.want)
		}
	}
}

// A quantity that only bounds a claim can refute it, and never confirms it.
func TestRefuted(t *testing.T) {
	for v, want := range map[float64]Verdict{1: Disagree, 2: CannotTell, 3: CannotTell, 4: CannotTell, 5: Disagree} {
		if got := Refuted(2, 4).Of(Exactly(v)); got != want {
			t.Errorf("%v: %s, expected %s", v, got, want)
		}
	}
	if got := Refuted(2, 4).Of(between(3, 6)); got != CannotTell {
		t.Errorf("3 to 6: %s", got)
	}
}

// Verdicts on parts and readings become one.
func TestTogether(t *testing.T) {
	for i, test := range []struct{ got, want Verdict }{
		{Same(true), Agree}, {Same(false), Disagree},
		{All(Agree, NotRun, Disagree), NotRun}, {All(), Agree},
		{All(Agree, CannotTell), CannotTell}, {All(CannotTell, Disagree), Disagree},
		{All(Disagree, OtherSize), OtherSize},
		{Readings(Agree), Agree}, {Readings(Agree, Agree), Agree},
		{Readings(Agree, Disagree), Depends}, {Readings(CannotTell, Agree), Depends},
		{Readings(Disagree, Disagree), Disagree}, {Readings(Disagree, CannotTell), CannotTell},
		{Readings(CannotTell, CannotTell), CannotTell},
		{All(Agree, Depends), Depends}, {All(Depends, CannotTell), CannotTell},
		{Readings(Depends, Disagree), Depends}, {Readings(Agree, NotRun), NotRun}, {Readings(Agree, OtherSize), OtherSize},
	} {
		if test.got != test.want {
			t.Errorf("%d: %s, expected %s", i, test.got, test.want)
		}
	}
	c := Counts{}
	for _, v := range []Verdict{Agree, Agree, Disagree, Depends, CannotTell, NotRun} {
		c.Add(v)
	}
	if s := c.String(); c.Judged() != 5 || s != "2 agree, 1 disagree, 1 depend on the reading and 1 "+
		"cannot be told" {
		t.Errorf("%d: %s", c.Judged(), s)
	}
}
