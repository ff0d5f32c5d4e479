package compare

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// stepped returns a trace of a kernel in Go on one worker, with its tasks.
func stepped(t *testing.T, name string, n int, s runtimes.Policy) string {
	t.Helper()
	k, _ := kernels.ByName(name)
	in, err := k.New(k.With(kernel.Params{"n": n}), kernel.Env{Seed: 1, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(t.TempDir(), "go.loi")
	w, err := loi.Create(path, loi.Header{Registry: in.Registry(), Workers: []loi.Worker{{CPU: -1}},
		Clock: loi.Clock{Hz: 1e9}, Substrate: loi.Simulated, Grain: "kernel"}, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.Reset(false)
	_, err = runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: []int{0}, Dry: true,
		Structure: runtimes.Structure{Tasks: true}, Kernels: in.Registry().Kernels,
		Recorders: []*loi.Recorder{w.Recorder(0)}}, in)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The programs of examples/native compute what they should, and write traces with the leaves of the kernels
// in Go: without a runtime in the same order.
func TestRuntimes(t *testing.T) {
	tried := 0
	for runtime, needs := range map[string][]string{"serial": {"g++"}, "libgomp": {"g++"},
		"libomp": {"clang++", "-fopenmp"}, "tbb": {"g++", "-ltbb"}} {
		dir := t.TempDir()
		probe := exec.Command(needs[0], append([]string{"-x", "c++", "-", "-o", filepath.Join(dir, "probe")},
			needs[1:]...)...)
		probe.Stdin = strings.NewReader("int main() {}")
		if out, err := probe.CombinedOutput(); err != nil {
			t.Logf("%s: %v\n%s", runtime, err, out)
			continue
		}
		tried++
		build := exec.Command("../../../examples/native/build.sh", dir, runtime)
		build.Env = append(build.Environ(), "CXXFLAGS=-O1")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", runtime, err, out)
		}
		for _, c := range []struct {
			name      string
			n, leaves int
		}{{"matmul", 256, 256}, {"fib", 12, 233}} {
			serial := stepped(t, c.name, c.n, runtimes.Serial{})
			for _, workers := range []int{1, 2} {
				path := filepath.Join(dir, fmt.Sprint(c.name, workers, ".loi"))
				out, err := exec.Command(filepath.Join(dir, runtime), c.name, fmt.Sprint(c.n), fmt.Sprint(workers),
					path).CombinedOutput()
				if err != nil {
					t.Fatalf("%s %s: %v\n%s", runtime, c.name, err, out)
				}
				if _, err := loi.Verify(path); err != nil {
					t.Error(err)
				}
				r, err := OfTraces(serial, path)
				if err != nil {
					t.Fatalf("%s %s: %v", runtime, c.name, err)
				}
				if r.A.Leaves != uint64(c.leaves) || r.B.Leaves != r.A.Leaves || r.B.Moved == nil ||
					workers == 1 && *r.B.Moved+*r.B.Joins != 0 {
					t.Errorf("%s %s: %+v, expected %d leaves", runtime, c.name, r, c.leaves)
				}
				if runtime == "serial" && r.First != nil {
					t.Errorf("%s: leaf %d is %s, in Go %s", c.name, *r.First, r.LeafB, r.LeafA)
				}
			}
		}
	}
	if tried == 0 {
		t.Skip("no compiler of C++")
	}
}
