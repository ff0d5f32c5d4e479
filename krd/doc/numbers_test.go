package doc

import (
	"fmt"
	"strings"
	"testing"
)

// Digits follow from the intervals, and points stand below each other.
func TestDigits(t *testing.T) {
	q := func(low, median, high float64) Quantity {
		return Quantity{Median: Some(median), Low: Some(low),
			High: Some(high), N: 6}
	}
	exact := Quantity{Median: Some(1.5), N: 1, Reason: Deterministic}
	for _, test := range []struct {
		column []Quantity
		scale  float64
		reach  bool
		want   string
	}{
		{[]Quantity{q(1.9, 2, 2.1), q(119, 120, 121.4), {}}, 1, true,
			"[2.00±5%]|[120.0 ±2%]|[n/a]"},
		{[]Quantity{q(1.9, 2, 2.1), exact}, 1, true, "[2.00 ±5%]|[1.500=  ]"},
		{[]Quantity{{Median: Some(1234.5), N: 2, Reason: TooFew}}, 1, true,
			"[1234]"},
		{[]Quantity{q(0.0002, 0.0005, 0.0009)}, 100, false, "[0.050]"},
		{[]Quantity{q(3, 3, 3)}, 1, true, "[3.000±1%]"},
		{[]Quantity{q(3, 25, 136)}, 1, true, "[25±>100%]"},
	} {
		var cells []string
		for _, c := range (style{scale: test.scale, reach: test.reach}).print(test.column) {
			cells = append(cells, fmt.Sprintf("[%s]", c.text))
		}
		if got := strings.Join(cells, "|"); got != test.want { // the table aligns to the right
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestCount(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 97312: "97312", 898779: "898.8k",
		1190000: "1.190M", 3.2e9: "3.200G"} {
		if got := Count(Some(v)); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Time(Some(1.6421e9)), "1.642 s"},
		{Time(Some(17441)), "17.44 us"},
		{Time(Some(0.5)), "0.5000 ns"},
		{Time(Some(0)), "0.000 ns"},
		{Time(Number{}), "n/a"},
		{Digits(97312.4, 4), "97312"},
		{Digits(1.00049, 4), "1.000"},
		{Count(Some(999999)), "1.000M"},
		{Count(Some(1829000)), "1.829M"},
		{Count(Some(3e12)), "3000G"},
		{Count(Number{}), "n/a"},
		{Percent(49144, 3145728), "1.56 %"}, {Percent(1, 1e6), "<0.01 %"}, {Percent(0, 7), "0.00 %"},
		{Percent(7, 7), "100.00 %"}, {Percent(1, 0), "n/a"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// A number in a sentence has its unit and its interval.
func TestSentence(t *testing.T) {
	q := func(m, l, h float64) Quantity {
		return Quantity{Median: Some(m), Low: Some(l),
			High: Some(h)}
	}
	for _, c := range []struct{ got, want string }{
		{Sentence(q(21.934, 21.8, 22.01), Plain), "21.93 (21.80–22.01)"},
		{Sentence(q(1.0766, 0.9, 1.2), Plain), "1.08 (0.90–1.20)"},
		{Sentence(q(0.01234, 0.01, 0.02), Plain), "0.012 (0.010–0.020)"},
		{Sentence(q(3.5e6, 9e5, 1.2e7), Nanoseconds), "3.5\u00a0ms (0.9–12.0)"},
		{Sentence(q(0.1143, 0.114, 0.1145), Fraction), "11.43\u00a0% (11.40–11.45)"},
		{Sentence(q(0.00001234, 0, 0.00002), Fraction), "0.0012\u00a0% (0.0000–0.0020)"},
		{Sentence(q(1234567.4, 999, 2e6), Events), "1.2M (0.0–2.0)"},
		{Sentence(Quantity{Median: Some(2)}, Plain), "2.00"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}
