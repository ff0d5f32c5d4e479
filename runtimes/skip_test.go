package runtimes

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// Skipping steps of searches, and doing operations early that wait for a lock, changes nothing, to
// the last count and the last byte of the trace. Kernels have prices that depend on when and in
// which order they begin, so that a difference does not stay small.
func TestSkip(t *testing.T) {
	t.Parallel()
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo || p.Rules().Spawn == SpawnCall {
			continue
		}
		for _, s := range [][2]int{{1, 1}, {1, 2}, {1, 6}, {4, 6}, {3, 25}} {
			t.Run(fmt.Sprintf("%s/%dx%d", p.Name, s[0], s[1]), func(t *testing.T) {
				t.Parallel() // the disk is waited for
				for seed := range treeSeeds() {
					plain, plainTrace := skipRun(t, p, s, seed, true)
					skipping, trace := skipRun(t, p, s, seed, false)
					if !reflect.DeepEqual(plain, skipping) {
						t.Fatalf("seed %d: %+v without skipping, %+v with", seed, plain, skipping)
					}
					if !bytes.Equal(plainTrace, trace) {
						t.Fatalf("seed %d: the traces differ: %d bytes without skipping, %d with",
							seed, len(plainTrace), len(trace))
					}
				}
			})
		}
	}
}

// skipRun runs a tree in virtual time, and returns its trace as well.
func skipRun(t *testing.T, p Policy, shape [2]int, seed uint64, plain bool) (*Result, []byte) {
	t.Helper()
	c := pricedConfig(p, shape, seed, plain)
	trace := recordStep(t, &c)
	r := stepTree(t, c, 5)
	return r, trace()
}

// A limit of steps is met by the same runs whether steps are skipped or not.
func TestSkipCountsSteps(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo || p.Rules().Spawn == SpawnCall {
			continue
		}
		for _, s := range [][2]int{{1, 2}, {4, 6}} {
			for seed := range long.Or[uint64](1, 3) {
				ends := func(limit int, plain bool) bool {
					c := pricedConfig(p, s, seed, plain)
					c.MaxSteps = uint64(limit)
					prog := newTree(seed, 4)
					prog.kernel = func(w *Worker, _ uint64) { w.End(0, w.Begin(0), 0) }
					_, err := Step(c, prog)
					return err == nil
				}
				least := 1 + sort.Search(1<<24, func(n int) bool { return ends(n+1, true) })
				if ends(least-1, false) || !ends(least, false) {
					t.Errorf("%s, %v, seed %d: %d steps are needed; with skipping it ends "+
						"within %d: %v, within %d: %v", p.Name, s, seed, least, least-1,
						ends(least-1, false), least, ends(least, false))
				}
			}
		}
	}
}

// stepTree runs a tree in virtual time.
func stepTree(t *testing.T, c StepConfig, depth int) *Result {
	t.Helper()
	prog := newTree(c.Seed, depth)
	prog.kernel = func(w *Worker, _ uint64) { w.End(0, w.Begin(0), 0) }
	r, err := Step(c, prog)
	if err != nil {
		t.Fatal(err)
	}
	checkTree(t, prog)
	return r
}

// pricedConfig has prices that depend on the seed, those of kernels on when and in which order they
// begin.
func pricedConfig(p Policy, shape [2]int, seed uint64, plain bool) StepConfig {
	c := stepConfig(p, shape[0], shape[1], seed)
	c.plain = plain
	var previous uint64
	c.Costs = Costs{
		Spawn: 3 + seed%5, Pop: 2, Lock: 4 + seed%9, Handover: seed % 6, Push: seed % 3,
		StealLocal: 5, StealRemote: 1 + seed%20,
		StealFailed: 1 + seed%7, Mail: 2, Join: 3, Rest: 1 + seed%30, Call: seed % 4,
		Kernel: func(worker int, now uint64, _ loi.KernelID, _ []uint32) uint64 {
			previous = previous*6364136223846793005 + now*64 + uint64(worker)
			return 1 + previous>>33%(50+50*(seed%4))
		},
	}
	return c
}

// recordStep makes the workers of c record to a file; trace closes and reads it.
func recordStep(t *testing.T, c *StepConfig) (trace func() []byte) {
	t.Helper()
	h := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "o", Blocks: []loi.SizeRun{{Count: 1, Bytes: 1}}}},
			Kernels: []loi.Kernel{{Name: "leaf", Params: []loi.Param{{Object: 0, Mode: loi.In}}}},
		},
		Clock: loi.Clock{Source: "virtual", Hz: 1e9, Invariant: true}, Substrate: loi.Simulated,
		Grain: "kernel",
	}
	for _, node := range c.Nodes {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1, Node: node})
	}
	path := filepath.Join(t.TempDir(), "skip.loi")
	w, err := loi.Create(path, h, loi.Options{FirstChunkBytes: 8192, ChunkBytes: 8192,
		NoBackground: true}) // few records; large chunks took most of the time
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.Workers {
		c.Recorders = append(c.Recorders, w.Recorder(i))
	}
	return func() []byte {
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}
