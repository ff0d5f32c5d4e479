package app

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// The command at its smallest scale, and again with nothing left to do: the same document.
func TestReproduceSkadu(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	long.Only(t, "the tests of experiments/papers/skadu run its steps; this builds and runs all programs")
	const measured = 4
	argv := []string{"krdlab", "reproduce", "skadu", "--scale", "smoke", "--json", "--caches",
		"32KiB,1MiB,32MiB", "--out", filepath.Join(t.TempDir(), "s")}
	var first string
	for _, again := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		if code := newApp(&stdout, &stderr).main(argv); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if has := strings.Contains(stderr.String(), "matmul-bulk"); has == again {
			t.Errorf("again %v: %s", again, &stderr)
		}
		var d struct {
			Techniques []struct {
				Program, Technique string
				Shadow             *float64 `json:"shadow_bytes"`
				Expansion          *float64
				Whole              *float64 `json:"whole_slowdown"`
			}
		}
		if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if len(d.Techniques) != 4*measured {
			t.Errorf("%d rows", len(d.Techniques))
		}
		n, baseline := 0, 0.0
		for i, x := range d.Techniques {
			n++
			if x.Shadow == nil || x.Expansion == nil || *x.Expansion <= 1 || x.Whole == nil {
				t.Fatalf("%+v", x)
			}
			switch i % 4 { // as techniques are listed
			case 0:
				baseline = *x.Shadow
			case 2:
				if baseline < 10**x.Shadow {
					t.Errorf("%s: %v bytes, BulkTV %v", x.Program, baseline, *x.Shadow)
				}
			}
		}
		if n != 4*measured {
			t.Errorf("%d rows were measured, expected those of %d programs", n, measured)
		}
		if again && stdout.String() != first {
			t.Errorf("another document: %s\nexpected %s", &stdout, first)
		}
		first = stdout.String()
	}
}
