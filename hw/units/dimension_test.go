package units

import (
	"testing"

	"pgregory.net/rapid"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		d    *Dimension
		text string
		want uint64
		back string
	}{
		{Sizes, "18MiB", 18 << 20, "18MiB"}, {Sizes, "1.5 MiB", 3 << 19, "1536KiB"},
		{Sizes, "64B", 64, "64B"}, {Sizes, "1025B", 1025, "1025B"},
		{Times, "0.5ns", 500, "500ps"}, {Times, "1.075us", 1_075_000, "1.075us"},
		{Times, "40 cycles + 67ns", 88_505, "88.505ns"},
		{Times, "4 cycles", 2151, "2.151ns"}, {Times, "1 cycle", 538, "538ps"},
		{Times, "0ps", 0, "0ns"}, {Times, "1000ms", 1e12, "1000ms"},
		{Clocks, "1.86GHz", 1_860_000_000, "1.86GHz"}, {Clocks, "999999999Hz", 999_999_999,
			"999.999999MHz"},
		{Bandwidths, "23.555GB/s", 23_555_000_000, "23.555GB/s"}, {Rates, "7.703Gop/s",
			7_703_000_000, "7.703Gop/s"},
		{Rates, "30Mop/s", 30_000_000, "30Mop/s"},
	} {
		got, err := c.d.Parse(c.text, 1_860_000_000)
		if err != nil || got != c.want {
			t.Errorf("%q is %d (%v), not %d", c.text, got, err, c.want)
		}
		if back := c.d.Format(got); back != c.back {
			t.Errorf("%d is written %q, not %q", got, back, c.back)
		}
	}
	for _, text := range []string{"", "ns", "4", "4 ns ", "1e3ns", "1/3ns", "+4ns", ".5ns", "5.ns",
		"4NS", "0x4ns", "4ns+", "4  ns", "4\u00b5s", "1.2.3ns", "999999999999999999999ns",
		"4 Cycles"} {
		if v, err := Times.Parse(text, 1e9); err == nil {
			t.Errorf("%q was read as %d ps", text, v)
		}
	}
	if v, err := Sizes.Parse("4cycles", 1e9); err == nil {
		t.Errorf("a size in cycles was read as %d", v)
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	for _, d := range []*Dimension{Sizes, Times, Clocks, Bandwidths, Rates} {
		rapid.Check(t, func(t *rapid.T) {
			v := rapid.Uint64Range(0, d.Max).Draw(t, "v")
			if got, err := d.Parse(d.Format(v), 0); err != nil || got != v {
				t.Fatalf("%d is written %q and read as %d (%v)", v, d.Format(v), got, err)
			}
		})
	}
}
