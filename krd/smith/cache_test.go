package smith

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Cache{
		"18MiB:16":            {18 << 20, 16, 64},
		"32KiB:8:64":          {32 << 10, 8, 64},
		"32k:8:32":            {32 << 10, 8, 32},
		"18MiB":               {18 << 20, 0, 64},
		"18 MB":               {18 << 20, 0, 64},
		"18m":                 {18 << 20, 0, 64},
		"2G:16:128":           {2 << 30, 16, 128},
		"1gib:32":             {1 << 30, 32, 64},
		"49152:12":            {48 << 10, 12, 64}, // 64 sets
		"36MiB:12":            {36 << 20, 12, 64}, // 49152 sets, no power of two
		"64":                  {64, 0, 64},
		"16KiB:1024:16":       {16 << 10, 1024, 16},
		"4611686018427387904": {1 << 62, 0, 64},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v; expected %+v", text, got, err, want)
			continue
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("Parse(%q) = %+v, %v; expected what %q gave, %+v", got.String(), again, err,
				text, got)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, say := range map[string]string{
		"":                         "expected a size",
		"18X":                      "KiB",
		"-1":                       "expected a size",
		"0":                        "expected a size",
		"18MiB:":                   "ways \"\"",
		"18MiB:0":                  "fully associative",
		"18MiB:x":                  "ways \"x\"",
		"32KiB:8:48":               "power of two",
		"32KiB:8:64:1":             "4 parts",
		"32KiB:8:":                 "line",
		"100":                      "lines of 64 bytes",
		"32KiB:7":                  "448 bytes (7 ways x 64 bytes)",
		"32KiB:1024":               "65536 bytes",
		"32KiB:288230376151711744": "more than the cache",
		"1025G:16":                 "1099511627776 bytes and 1048576 ways",
		"256M:2097152":             "1099511627776 bytes and 1048576 ways",
		"8589934592G":              "2^63",
		"18446744073709551616":     "2^63",
	} {
		c, err := Parse(text)
		if !errors.Is(err, ErrCache) || !strings.Contains(err.Error(), say) ||
			!strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("Parse(%q) = %+v, %v; expected an error that wraps ErrCache, quotes the "+
				"text and says %q", text, c, err, say)
		}
	}
	for _, c := range []Cache{{}, {Bytes: 100}, {Bytes: 128, Ways: 3}, {Bytes: 96, LineBytes: 48},
		{Bytes: 1 << 63}} {
		if _, err := NewModel(c); !errors.Is(err, ErrCache) {
			t.Errorf("NewModel(%+v): %v, expected an error that wraps ErrCache", c, err)
		}
	}
	if m, err := NewModel(Cache{Bytes: 4096, Ways: 4}); err != nil || m.Cache().LineBytes != 64 ||
		m.Sets() != 16 {
		t.Errorf("NewModel without a line: %v, expected lines of 64 bytes and 16 sets", err)
	}
}
