package planted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// mutants are rules of evidence without a part, and a truth that each of them fails.
var mutants = []struct{ name, file, is, was, group, truth string }{
	{"the correction of explains dropped", "experiments/read/model/noise.go", "t.StdP.Float()*float64(looks)",
		"t.StdP.Float()", "others", "a three-way interaction beside its parts"},
	{"residuals are doubted at any p", "experiments/read/model/residuals.go", "sureLevel = 0.001", "sureLevel = 1.1",
		"tables", "a row that is farther off, as chance has it"},
	{"no degrees of freedom are needed", "experiments/read/model/noise.go", "fewestDF = 10", "fewestDF = 0",
		"tables", "too few rows"},
	{"two repetitions are a sample", "experiments/run/estimate/estimate.go", "MinSample = 6", "MinSample = 2",
		"machines", "three repetitions of a smaller LLC"},
	{"machines are not compared", "experiments/read/compare/match.go", "p.Hash != q.Hash", "false",
		"machines", "a remote latency times three"},
	{"the plan does not ask the class of a loop", "krd/analysis/regions/plan.go", "*r.Class != loops.DoAll &&",
		"*r.Class == \"\" && *r.Class != loops.DoAll &&", "go", "a loop with a short chain beside much of its own"},
	{"spawns are free", "krd/analysis/regions/plan.go", "float64(opt.SpawnCost)\n", "float64(opt.SpawnCost) * 0\n",
		"go", "a loop too short to pay"},
}

// Each mutant fails its truth, which krdlab as it is does not fail.
func TestMutants(t *testing.T) {
	long.Only(t, "it builds krdlab for each mutant")
	k := built(t)
	for _, m := range mutants {
		t.Run(strings.ReplaceAll(m.name, " ", "-"), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, m.file))
			if n := strings.Count(string(text), m.is); err != nil || n != 1 {
				t.Fatalf("%s has %q %d times, expected once (%v)", m.file, m.is, n, err)
			}
			mutant := &krdlab{filepath.Join(t.TempDir(), "mutant"), k.levels}
			mutant.build(t, map[string]string{"cmd/krdlab/main.go": planter, m.file: strings.Replace(string(text), m.is, m.was, 1)})
			for i := range truths {
				if x := &truths[i]; x.group == m.group && x.name == m.truth {
					if wrong := k.wrong(t, x); wrong != nil {
						t.Errorf("krdlab as it is fails %s: %v", x.name, wrong)
					}
					if mutant.wrong(t, x) == nil {
						t.Errorf("the mutant passes %s, %s", x.group, x.name)
					}
					return
				}
			}
			t.Fatalf("there is no truth %s, %s", m.group, m.truth)
		})
	}
}
