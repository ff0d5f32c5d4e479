package machine

import (
	"testing"

	"pgregory.net/rapid"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		d    *dimension
		text string
		want uint64
		back string
	}{
		{sizes, "18MiB", 18 << 20, "18MiB"}, {sizes, "1.5 MiB", 3 << 19, "1536KiB"}, {sizes, "64B", 64, "64B"}, {sizes, "1025B", 1025, "1025B"},
		{times, "0.5ns", 500, "500ps"}, {times, "1.075us", 1_075_000, "1.075us"}, {times, "40 cycles + 67ns", 88_505, "88.505ns"},
		{times, "4 cycles", 2151, "2.151ns"}, {times, "1 cycle", 538, "538ps"}, {times, "0ps", 0, "0ns"}, {times, "1000ms", 1e12, "1000ms"},
		{clocks, "1.86GHz", 1_860_000_000, "1.86GHz"}, {clocks, "999999999Hz", 999_999_999, "999.999999MHz"},
		{bandwidths, "23.555GB/s", 23_555_000_000, "23.555GB/s"}, {flops, "7.703GFLOP/s", 7_703_000_000, "7.703GFLOP/s"},
	} {
		got, err := c.d.parse(c.text, 1_860_000_000)
		if err != nil || got != c.want {
			t.Errorf("%q is %d (%v), not %d", c.text, got, err, c.want)
		}
		if back := c.d.format(got); back != c.back {
			t.Errorf("%d is written %q, not %q", got, back, c.back)
		}
	}
	for _, text := range []string{"", "ns", "4", "4 ns ", "1e3ns", "1/3ns", "+4ns", ".5ns", "5.ns", "4NS", "0x4ns", "4ns+", "4  ns", "4\u00b5s", "1.2.3ns", "999999999999999999999ns", "4 Cycles"} {
		if v, err := times.parse(text, 1e9); err == nil {
			t.Errorf("%q was read as %d ps", text, v)
		}
	}
	if v, err := sizes.parse("4cycles", 1e9); err == nil {
		t.Errorf("a size in cycles was read as %d", v)
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	for _, d := range []*dimension{sizes, times, clocks, bandwidths, flops} {
		rapid.Check(t, func(t *rapid.T) {
			v := rapid.Uint64Range(0, d.max).Draw(t, "v")
			if got, err := d.parse(d.format(v), 0); err != nil || got != v {
				t.Fatalf("%d is written %q and read as %d (%v)", v, d.format(v), got, err)
			}
		})
	}
}
