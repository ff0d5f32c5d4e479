package units

import (
	"math"
	"testing"
)

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 48 << 10: "48 KiB",
		100000: "97.7 KiB", 18 << 20: "18 MiB", 1 << 40: "1 TiB", math.MaxUint64: "16.0 EiB",
		1 << 63: "8 EiB", 1<<20 + 1: "1.0 MiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	if got := Count(1, "core") + ", " + Count(0, "node") + ", " + Count(uint64(24), "core"); got !=
		"1 core, 0 nodes, 24 cores" {
		t.Error(got)
	}
}

func TestOrdinal(t *testing.T) {
	got := ""
	for _, n := range []int{1, 2, 3, 4, 10, 11, 12, 13, 20, 21, 102, 111, 1013} {
		got += Ordinal(n) + " "
	}
	const want = "1st 2nd 3rd 4th 10th 11th 12th 13th 20th 21st 102nd 111th 1013th "
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestList(t *testing.T) {
	got := List(nil) + "|" + List([]string{"a"}) + "|" + List([]string{"a", "b"}) + "|" +
		List([]string{"a", "b", "c"})
	if got != "|a|a and b|a, b and c" {
		t.Error(got)
	}
}

func TestShorten(t *testing.T) {
	for width, want := range map[int]string{2: "ä…", 3: "ä…ü", 6: "äbc…eü", 7: "äbc…deü", 8: "äbcddeüx"} {
		name := "äbccddeü"
		if width == 8 {
			name = want
		}
		if got := Shorten(name, width); got != want {
			t.Errorf("%s to %d letters: %s, expected %s", name, width, got, want)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{{-0.004, "0.00"}, {0.004, "0.00"}, {-0.006, "-0.01"}, {10, "10.00"}, {-100.5, "-100.50"}} {
		if got := Fixed(c.v, 2); got != c.want {
			t.Errorf("%v is %s, expected %s", c.v, got, c.want)
		}
	}
}
