package runtimes

import (
	"os/exec"
	"strings"
	"testing"
)

// The tests would see a broken deque and a broken join: test builds with such a fault planted fail.
func TestPlantedFaultsAreSeen(t *testing.T) {
	if brokenDeque || brokenJoin {
		t.Skip("this is such a build")
	}
	if testing.Short() {
		t.Skip("builds two more test binaries")
	}
	for _, fault := range []struct{ tag, tests string }{
		{"krdlab_broken_deque", "TestDequeRaces"},
		{"krdlab_broken_join", "TestStepTree"},
		{"krdlab_broken_join", "TestRunTree|TestRunFib|TestStressLastEntry"}, // a hang, ended by the time limit, counts as seen
	} {
		t.Run(fault.tag+"/"+fault.tests, func(t *testing.T) {
			out, err := exec.Command("go", "test", "-count=1", "-failfast", "-timeout=20s", "-tags", fault.tag, "-run", fault.tests, ".").CombinedOutput()
			if err == nil {
				t.Fatalf("the tests %s pass with the fault planted:\n%s", fault.tests, out)
			}
			if !strings.Contains(string(out), "FAIL") || strings.Contains(string(out), "[build failed]") {
				t.Fatalf("the tests did not run: %v\n%s", err, out)
			}
			t.Log(firstLines(string(out), 6))
		})
	}
}

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
