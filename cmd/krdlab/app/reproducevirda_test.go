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
func TestReproduceVirda(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	long.Only(t, "TestSmoke of experiments/papers/virda runs the steps")
	argv := []string{"krdlab", "reproduce", "virda", "--scale", "smoke", "--json", "--caches",
		"32KiB,1MiB,32MiB", "--out", filepath.Join(t.TempDir(), "v")}
	var first string
	for _, again := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		if code := newApp(&stdout, &stderr).main(argv); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		if has := strings.Contains(stderr.String(), "going on with"); has != again {
			t.Errorf("again %v: %s", again, &stderr)
		}
		if has := strings.Contains(stderr.String(), "fft-1024-datum"); has == again {
			t.Errorf("again %v: %s", again, &stderr)
		}
		var d struct {
			Scale       string
			Claims      []any
			Judged      int
			Predictions []any
			Misses      []any
			Table2      []struct{ Size *string }
		}
		if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		if d.Scale != "smoke" || d.Judged != 0 || len(d.Claims) < 15 || len(d.Predictions) != 4 || len(d.Misses) != 1 ||
			len(d.Table2) != 8 || *d.Table2[1].Size != "32" || d.Table2[4].Size != nil {
			t.Errorf("%s", &stdout)
		}
		if again && stdout.String() != first {
			t.Errorf("another document: %s\nexpected %s", &stdout, first)
		}
		first = stdout.String()
	}
}
