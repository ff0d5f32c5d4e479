package runtimes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// The tests would see a broken deque and a broken join: they fail when such a fault is planted.
func TestPlantedFaultsAreSeen(t *testing.T) {
	t.Parallel()
	long.Only(t, "it builds three more test binaries")
	const lastOfFour = "return atomic.AddInt32(&f.join, n) == 0"
	const complete = "return f.steals+atomic.LoadInt32(&f.join) == f.n-1"
	for name, fault := range map[string]struct {
		file, old, new string
		tests          []string
	}{
		"the owner takes the last exposed entry without asking thieves": {
			"deque.go", "if h == b {", "if h == b && d.split < 0 {", []string{"TestDequeRaces"}},
		"a strand that is not the last goes on after the join": {
			"parentfirst.go", lastOfFour, lastOfFour + " || n < 0",
			// a hang, ended by the time limit, counts as seen
			[]string{"TestStepTree", "TestRunTree|TestRunFib|TestStressLastEntry"}},
		"a starter goes on before its children have reported": {
			"parentfirst.go", complete, complete + " || f.n > 0",
			[]string{"TestStepTree", "TestRunTree|TestRunFib|TestStressLastEntry"}},
	} {
		overlay := plant(t, fault.file, fault.old, fault.new)
		binary := overlay + ".test"
		if out, err := exec.Command("go", "test", "-c", "-o", binary, "-overlay", overlay,
			".").CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		for _, tests := range fault.tests {
			t.Run(name+"/"+tests, func(t *testing.T) {
				out, err := exec.Command(binary, "-test.failfast", "-test.timeout=20s",
					"-test.run", tests).CombinedOutput()
				if err == nil {
					t.Fatalf("the tests %s pass with the fault planted:\n%s", tests, out)
				}
				if s := string(out); !strings.Contains(s, "FAIL") &&
					!strings.Contains(s, "panic: test timed out") {
					t.Fatalf("the tests did not run: %v\n%s", err, out)
				}
				t.Log(firstLines(string(out), 6))
			})
		}
	}
}

// plant returns the overlay of a build in which a line of a file is another.
func plant(t *testing.T, file, old, new string) (overlay string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), old); n != 1 {
		t.Fatalf("%s has %q %d times, want once", file, old, n)
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	planted := filepath.Join(t.TempDir(), file)
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(planted, []byte(strings.Replace(string(src), old, new, 1)))
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: planted}})
	if err != nil {
		t.Fatal(err)
	}
	overlay = planted + ".json"
	write(overlay, text)
	return overlay
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
