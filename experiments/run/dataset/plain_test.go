package dataset

import (
	"encoding/json"
	"testing"
)

// Texts lose what steers terminals, and nothing else; the document stays JSON.
func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": "\u001b[31mred\u0007"}`: `{"a": " [31mred "}`, `"\n\t\"\\n\/"`: `"  \"\\n\/"`,
		"\"\u009b1m\u202e\"":      `" 1m "`,
		"{\r\n\t\"a\": 1\n}\n":    "{\r\n\t\"a\": 1\n}\n",
		`"üñ€\u00fc\ud83d\ude00"`: `"üñ€\u00fc\ud83d\ude00"`, `"\uFFFF\u202E"`: `"  "`,
		`"\`: `"\`, `"\u00`: `"\u00`, `\uzzzz`: `\uzzzz`, "": "", "\xff\xfe": "\xff\xfe",
		"\x7f": " ",
	} {
		if got := string(plain([]byte(in), false)); got != want {
			t.Errorf("%q became %q, expected %q", in, got, want)
		}
	}
	if got := string(plain([]byte(`"a\nb\r\u001b"`), true)); got != `"a\nb  "` {
		t.Errorf("lines are not kept: %q", got)
	}
}

// JSON stays JSON, without control characters.
func FuzzPlain(f *testing.F) {
	f.Add(`{"a": "\u001b[31m\\\n"}`)
	f.Fuzz(func(t *testing.T, doc string) {
		was := json.Valid([]byte(doc))
		out := plain([]byte(doc), false)
		if was && !json.Valid(out) {
			t.Fatalf("%q became %q", doc, out)
		}
		var s string
		if json.Unmarshal(out, &s) == nil {
			for _, r := range s {
				if control(r) {
					t.Fatalf("%q became %q with %U", doc, s, r)
				}
			}
		}
	})
}
