package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis/interleave/tasks"
)

// TestNativeKernelsInRange computes the range over the schedules of kernels from one run under go, and
// checks that 50 other runs lie in it: reuses beyond the cache, of each object and of all.
func TestNativeKernelsInRange(t *testing.T) {
	long.Only(t, "it runs four kernels 51 times each")
	for _, kernel := range []string{"matmul --n 256", "heat --n 256 --steps 4", "fmm --bodies 2000",
		"triad --n 65536 --sweeps 2"} {
		t.Run(kernel, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			run := func(args ...string) string {
				t.Helper()
				code, out, message := krdlab(args...)
				if code != 0 {
					t.Fatalf("krdlab %s: exit code %d\n%s", strings.Join(args, " "), code, message)
				}
				return out
			}
			run(append(append([]string{"run"}, strings.Fields(kernel)...), "--sched", "go", "--cores", "2", "--trace",
				"full,tasks", "--reps", "51", "--out", dir)...)
			type found struct {
				Object string
				Beyond struct{ Minimum, Maximum uint64 }
			}
			type document struct {
				Stacks []struct {
					Groups []struct {
						Kind    tasks.Kind
						Total   found
						Objects []found
						Runs    []any
					}
				}
			}
			explore := func(args ...string) (d document) {
				t.Helper()
				if err := json.Unmarshal([]byte(run(append([]string{"explore", "--llc", "1/8", "--json"}, args...)...)),
					&d); err != nil {
					t.Fatal(err)
				}
				return d
			}
			all := explore(dir, "--runs", "1", "--search", "1")
			list, err := filepath.Glob(filepath.Join(dir, "*.loi"))
			if err != nil || len(list) != 51 {
				t.Fatalf("%d traces, %v", len(list), err)
			}
			for _, other := range list[1:] {
				if err := os.Remove(other); err != nil {
					t.Fatal(err)
				}
			}
			one := explore(list[0])
			ranges := map[string][]struct{ Minimum, Maximum uint64 }{}
			for _, g := range one.Stacks[0].Groups {
				for _, f := range append(g.Objects, g.Total) {
					ranges[f.Object] = append(ranges[f.Object], f.Beyond)
				}
			}
			numbers, outside := 0, 0
			for _, g := range all.Stacks[0].Groups {
				if g.Kind != tasks.KindGiven {
					continue
				}
				for _, f := range append(g.Objects, g.Total) {
					low, high := ranges[f.Object][0].Minimum, ranges[f.Object][0].Maximum
					for _, r := range ranges[f.Object] {
						low, high = min(low, r.Minimum), max(high, r.Maximum)
					}
					numbers++
					t.Logf("%q: %v to %v of %v to %v, %d schedules", f.Object, f.Beyond.Minimum, f.Beyond.Maximum, low,
						high, len(g.Runs))
					if f.Beyond.Minimum < low || f.Beyond.Maximum > high {
						outside++
						t.Errorf("%q is beyond the range", f.Object)
					}
				}
			}
			if numbers == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}
