package app

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The command at its smallest scale, and again with nothing left to do: the same document.
func TestReproduceSkadu(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	if testing.Short() {
		t.Skip("it rewrites and builds three libraries")
	}
	argv := []string{"krdlab", "reproduce", "skadu", "--scale", "smoke", "--json", "--caches",
		"32KiB,1MiB,32MiB", "--out", filepath.Join(t.TempDir(), "s")}
	var first string
	for _, again := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		if code := newApp(&stdout, &stderr).main(argv); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if has := strings.Contains(stderr.String(), "toml-bulk"); has == again {
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
		if len(d.Techniques) != 44 {
			t.Errorf("%d rows", len(d.Techniques))
		}
		last := 0.0
		for i, x := range d.Techniques {
			if x.Shadow == nil || x.Expansion == nil || *x.Expansion <= 1 || x.Whole == nil {
				t.Fatalf("%+v", x)
			}
			switch i % 4 { // as techniques are listed
			case 1:
				last = *x.Shadow
			case 3:
				if *x.Shadow < 10*last {
					t.Errorf("%s: %v bytes, BulkTV %v", x.Program, *x.Shadow, last)
				}
			}
		}
		if again && stdout.String() != first {
			t.Errorf("another document: %s\nexpected %s", &stdout, first)
		}
		first = stdout.String()
	}
}
