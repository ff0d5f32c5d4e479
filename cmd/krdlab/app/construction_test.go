package app

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/caches"
)

// Without hardware counters the misses of a native run are a replay of the traces that its reuse
// distances are computed from. They agree by construction: correlate prints so, with the difference
// that was found, and gives no coefficient and no p of them.
func TestMissesByConstruction(t *testing.T) {
	host, err := hw.Host()
	if err != nil {
		t.Skip(err)
	}
	caches.Give(host)
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		a := newApp(&stdout, &stderr)
		a.topology = func() (*hw.Topology, error) { return host, nil }
		if code := a.main(append([]string{"krdlab"}, args...)); code != 0 {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, &stdout, &stderr)
		}
		return stdout.String()
	}
	run("run", "matmul", "--n", "256", "--sched", "workfirst,helpfirst,shepherd-core,shepherd-socket",
		"--cores", "2", "--oversubscribe", "--trace", "krd", "--reps", "6", "--out", "native")
	document, err := os.ReadFile("native/result.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(document), `"llc_source": "perf_event"`) {
		t.Skip("this machine counts LLC misses")
	}
	if !strings.Contains(string(document), `"miss_source": "model: fully associative, blocks"`) {
		t.Error("the document does not say what counted the misses")
	}
	text := strings.Join(strings.Fields(run("correlate", "native", "--include-disturbed")), " ")
	if !regexp.MustCompile(`equal by construction.*[0-9] %`).MatchString(text) {
		t.Errorf("nothing is equal by construction:\n%s", text)
	}
	if regexp.MustCompile(`LLC misses per [a-z]+ \([^)]*\): [^-]*(Pearson|Spearman|; p )`).
		MatchString(text) {
		t.Errorf("misses have a coefficient:\n%s", text)
	}
	for line := range strings.Lines(run("correlate", "native", "--include-disturbed", "--csv",
		"coefficients")) {
		if strings.Contains(line, "llc_misses") && regexp.MustCompile(`,0\.[0-9]+,`).
			MatchString(line) {
			t.Errorf("misses have a coefficient in the CSV: %s", line)
		}
	}
}
