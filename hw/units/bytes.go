package units

import (
	"fmt"
	"math"
	"strings"
)

// typed describes the input of ParseBytes, its units spelt out.
var typed = &Dimension{"a size such as 64, 512K, 18MiB or 1.5G (K, M, G, T, KiB ... are binary), " +
	"from 1 byte to below 2^63", math.MaxInt64,
	[]unit{{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}}}

// ParseBytes reads a number of bytes, from 1 to below 2^63, as people type it: a decimal number,
// and perhaps K, M, G or T, which are binary, with or without iB or B, in any case. The error
// quotes s and names the expected form.
func ParseBytes(s string) (uint64, error) {
	t := strings.ToLower(s)
	if short, ok := strings.CutSuffix(t, "b"); ok {
		t = short
		if short, ok = strings.CutSuffix(t, "i"); ok && strings.ContainsAny(short, "kmgt") {
			t = short
		}
	}
	n, err := typed.Parse(t, 0)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q, expected %s", s, typed.What)
	}
	return n, nil
}
