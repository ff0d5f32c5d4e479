package units

import (
	"strings"
	"testing"
)

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]uint64{
		"1": 1, "64": 64, "64B": 64, "64b": 64, "32K": 32 << 10, "32k": 32 << 10, "32KB": 32 << 10,
		"32KiB": 32 << 10, "32kib": 32 << 10, "32 K": 32 << 10, "1.5 MiB": 3 << 19, "0.5K": 512,
		"3g": 3 << 30,
		"2T": 2 << 40, "2TiB": 2 << 40, "9223372036854775807": 1<<63 - 1,
		"8388607TiB": 8388607 << 40,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %d (%v), not %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0K", "-1", "+1", "K", "iB", "64i", "64iB", "12X", "1P",
		"1KK",
		"1 K B", "1  K", "9B9", "1BiB", "9000000000G", "0.3", "0.0001K", "1e3", "0x40",
		"9223372036854775808", "8388608TiB", "1KiBB",
		"99999999999999999999999K", "1.5"} {
		got, err := ParseBytes(text)
		if err == nil {
			t.Errorf("%q was read as %d", text, got)
		} else if !strings.Contains(err.Error(), "expected a size such as") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
