package main

import (
	"strings"
	"testing"
)

// Each library on a small input, and what is asked wrongly.
func TestRun(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"flate -n 1000", "flate: n 1000: 410 bytes compressed"},
		{"toml -n 3", "toml: n 3: 537 bytes written"},
		{"table -n 3", "table: n 3: 386 bytes rendered, sum 86133"},
		{"table 3", `"3" is no flag`},
		{"toml -n 0", "-n must be at least 1"},
		{"", "expected flate, toml or table"},
	} {
		got, err := run(strings.Fields(c.args))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %q, expected %q", c.args, got, c.want)
		}
	}
}

// The check sees another result.
func TestSame(t *testing.T) {
	if same([]byte("ab"), []byte("ac")) == nil || same(1, 2) == nil {
		t.Error("no error")
	}
	if err := same(records{[]record{{Name: "a"}}}, records{[]record{{Name: "a"}}}); err != nil {
		t.Error(err)
	}
}
