package runtimes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
)

// loggedData are structures that count the lines that come from another worker.
type loggedData struct {
	bytes []uint64 // by number, from 1 on
	last  []int    // the worker that touched it last; -1: none
	moved []string // what another had touched: the worker and the bytes
	lines int
}

func (d *loggedData) Add(_ int, bytes uint64) uint32 {
	d.bytes, d.last = append(d.bytes, bytes), append(d.last, -1)
	return uint32(len(d.bytes))
}

func (d *loggedData) Touch(worker int, _ uint64, structure uint32, write bool) uint64 {
	last := &d.last[structure-1]
	if *last >= 0 && *last != worker {
		what := "reads"
		if write {
			what = "writes"
		}
		d.moved = append(d.moved, fmt.Sprintf("%d %s %d", worker, what, d.bytes[structure-1]))
		d.lines += int(d.bytes[structure-1] / lineBytes)
	}
	*last = worker
	return 0
}

// TestDataOfASteal compares the lines that move when one of two leaves is stolen with a count by
// hand, and those of a flat queue, where each of four sockets takes leaf after leaf.
func TestDataOfASteal(t *testing.T) {
	leaves := func(n int) *shapeProg {
		return &shapeProg{phases: func(int) []int { return []int{n} },
			leafAt: func(int, int, int) bool { return true },
			leaf:   func(w *Worker) { w.End(0, w.Begin(0)) }}
	}
	run := func(policy Policy, family string, workers, n int, kernel uint64) (*loggedData, *Result) {
		d := &loggedData{}
		a, ok := AnatomyOf(family)
		if !ok {
			t.Fatal(family)
		}
		c := StepConfig{Policy: policy, Seed: 1, Kernels: []loi.Kernel{{Name: "leaf"}},
			Costs: Costs{Data: d, Anatomy: a,
				Kernel: func(int, uint64, loi.KernelID, []uint32) uint64 { return kernel }}}
		for i := range workers {
			c.Nodes = append(c.Nodes, i)
		}
		r, err := Step(c, leaves(n))
		if err != nil {
			t.Fatal(err)
		}
		return d, r
	}
	for _, c := range []struct {
		name   string
		policy Policy
		family string
		want   []string
	}{
		{"work-first", WorkFirst{}, massiveThreads, []string{
			// worker 1 takes the rest of the parent: the deque's line and its pointer, the parent's record
			"1 writes 64", "1 writes 64", "1 writes 128",
			// worker 0 comes back, finds it gone, and ends at the join
			"0 writes 64", "0 writes 64", "0 writes 128",
			// worker 1, which ended before it, looks into its deque in vain
			"1 reads 64",
		}},
		{"help-first", &HelpFirst{}, tbb, []string{
			// worker 1 takes the child: the line of thieves, that of the owner, the pointer; then its record
			"1 writes 64", "1 reads 64", "1 writes 64", "1 writes 128",
			// it counts the end of the child in the parent
			"1 writes 128",
			// worker 0 goes on with the parent
			"0 writes 128",
		}},
	} {
		d, _ := run(c.policy, c.family, 2, 2, 1000)
		if !slices.Equal(d.moved, c.want) {
			t.Errorf("%s: what moves is\n%s\nexpected\n%s", c.name, strings.Join(d.moved, "\n"),
				strings.Join(c.want, "\n"))
		}
	}
	// A take of a flat queue moves the queue's line and the parent's record (2), always; the node, the
	// record (2), its word (2) and the word's table (2) in three of four cases, as one worker of four
	// had them last; and the parent reads the word (2) in its turn, also three of four: 9.75.
	const n = 4000
	flat, _ := run(Central{TakeOldest}, qthreadsSocket, 4, n, 1000)
	if again, _ := run(Central{TakeOldest}, qthreadsSocket, 4, n, 1000); !slices.Equal(again.moved, flat.moved) {
		t.Error("a second run moves other lines")
	}
	if per := float64(flat.lines) / n; per < 9.75*0.94 || per > 9.75*1.06 {
		t.Errorf("a flat queue moves %.2f lines a take, expected 9.75", per)
	}
	// A steal from a deque moves its line and the pointer; who was robbed writes both when he comes
	// back, and the parent's record (2) at the join: 6. He then steals himself, and the record moves
	// again (2) only if another was there in between.
	deque, r := run(WorkFirst{}, massiveThreads, 4, n, 1000)
	steals := 0.0
	for i := range r.Workers {
		steals += float64(r.Workers[i].Steals.Remote)
	}
	if per := float64(deque.lines) / steals; steals < n/2 || per < 6 || per > 8 {
		t.Errorf("deques move %.2f lines a steal, of %.0f, expected 6 to 8", per, steals)
	}
}
