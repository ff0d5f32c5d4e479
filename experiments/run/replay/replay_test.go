package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/loi"
)

// smallLLC returns the paper's machine with an LLC that is no larger than the L2s of its cores.
func smallLLC(t *testing.T) *machine.Machine {
	t.Helper()
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	m.LLC.Bytes = uint64(m.CoresPerNode) * m.L2.Bytes
	return m
}

func textTrace(t *testing.T, text string) *loi.Trace {
	t.Helper()
	trace, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// Blocks of 512 KiB pass through the L2s and fill a third of the LLC: 8192 lines each. The misses
// below are counted by hand.
const replayHead = `loi-text 4
substrate native
clock tsc 1e+09 invariant
nodes 2
object A 4x524288
kernel use A:in
kernel set A:out
`

func TestReplayOrder(t *testing.T) {
	const workers = "worker 0 cpu 0 node 0 offset 0\nworker 1 cpu 1 node 0 offset 1000\n"
	const apart = "worker 0 cpu 0 node 0 offset 0\nworker 1 cpu 6 node 1 offset 1000\n"
	const four = "0 100 101 use(0)\n0 130 131 use(1)\n0 160 161 use(2)\n0 190 191 use(3)\n"
	for _, test := range []struct {
		name, trace      string
		workers, kernels []int64 // blocks that miss
	}{
		{"before it is evicted", workers + four + "1 1145 1146 use(0)\n", []int64{4, 0},
			[]int64{4, 0}},
		{"after", workers + four + "1 1195 1196 use(0)\n", []int64{4, 1}, []int64{5, 0}},
		{"first", workers + four + "1 1050 1051 use(0)\n", []int64{3, 1}, []int64{4, 0}},
		{"ties go to the lower worker", workers + "0 100 101 use(0)\n1 1100 1101 set(0)\n",
			[]int64{1, 0}, []int64{1, 0}},
		{"a write on another node, between",
			apart + "0 100 101 use(0)\n0 120 121 use(0)\n1 1110 1111 set(0)\n", []int64{2, 1},
			[]int64{2, 1}},
		{"a write on another node, after",
			apart + "0 100 101 use(0)\n0 120 121 use(0)\n1 1130 1131 set(0)\n", []int64{1, 1},
			[]int64{1, 1}},
		{"go", "scheduler go\nunordered\n" + workers + "0 190 191 use(3)\n0 100 101 use(0)\n0 160 161 " +
			"use(2)\n0 130 131 use(1)\n1 1145 1146 use(0)\n", []int64{4, 0}, []int64{4, 0}},
	} {
		got, err := Misses(textTrace(t, strings.Replace(replayHead, "object", headOf(test.trace)+
			"object", 1)+recordsOf(test.trace)), smallLLC(t), Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		const lines = 512 << 10 / 64
		var kernels []int64
		for _, k := range got.Kernels {
			kernels = append(kernels, k.Misses/lines)
		}
		var nodes int64
		for _, n := range got.Nodes {
			nodes += n.Misses
		}
		if w := []int64{got.Workers[0] / lines, got.Workers[1] / lines}; !slices.Equal(w,
			test.workers) || !slices.Equal(kernels, test.kernels) ||
			got.Total != nodes || got.Total != got.Workers[0]+got.Workers[1] ||
			got.Total%lines != 0 {
			t.Errorf("%s: %+v; want blocks by worker %v and kernel %v", test.name, got,
				test.workers, test.kernels)
		}
	}
}

// headOf and recordsOf part the lines that belong to the header of a trace from its records.
func headOf(text string) string    { return text[:strings.Index(text, "\n0 ")+1] }
func recordsOf(text string) string { return text[strings.Index(text, "\n0 ")+1:] }

// Under go a CPU on which nothing ran is no worker: it would make the misses per core of its node
// fewer.
func TestReplayIdleCPU(t *testing.T) {
	const workers = "worker 0 cpu 0 node 0 offset 0\nworker 1 cpu 1 node 0 offset 0\nworker 2 " +
		"cpu 6 node 1 offset 0\n"
	for meta, want := range map[string][]result.NodeMisses{
		"scheduler go\nunordered\n": {{Node: 0, Workers: 1, Misses: 8192}},
		"scheduler workfirst\n": {{Node: 0, Workers: 2, Misses: 8192},
			{Node: 1, Workers: 1}},
	} {
		trace := textTrace(t, strings.Replace(replayHead, "object", meta+workers+"object", 1)+
			"1 1 2 use(0)\n")
		if got, err := Misses(trace, smallLLC(t), Options{}); err != nil ||
			!slices.Equal(got.Nodes, want) {
			t.Errorf("%s: %+v, %v; want %v", meta, got, err, want)
		}
	}
}

// Workers on the hardware threads of a core share its L2; those of an imposed map do not.
func TestReplayCores(t *testing.T) {
	const records = "0 1 2 use(0)\n1 1 2 use(0)\n2 1 2 use(0)\n"
	for _, test := range []struct {
		workers string
		coreOf  func(int) int
		want    []int
	}{
		{"worker 0 cpu 9 node 0 offset 0\nworker 1 cpu 4 node 0 offset 0\nworker 2 cpu 9 node 0 " +
			"offset 0\n", coreOf(nil), []int{1, 0, 1}},
		{"worker 0 cpu 9 node 0 offset 0\nworker 1 cpu 4 node 0 offset 0\nworker 2 cpu 5 node 1 " +
			"offset 0\n", coreOf(nil), []int{1, 0, 6}},
		{"worker 0 cpu 0 node 0 offset 0\nworker 1 cpu 1 node 0 offset 0\nworker 2 cpu 2 node 0 " +
			"offset 0\n", func(cpu int) int { return cpu / 2 }, []int{0, 0, 1}},
		{"worker 0 cpu -1 node 0 offset 0\nworker 1 cpu -1 node 0 offset 0\nworker 2 cpu 2 node " +
			"0 offset 0\n", coreOf(nil), []int{1, 0, 2}},
		{"synthetic\nworker 0 cpu 0 node 1 offset 0\nworker 1 cpu 0 node 1 offset 0\nworker 2 " +
			"cpu 0 node 0 offset 0\n", coreOf(nil), []int{7, 6, 0}},
	} {
		trace := textTrace(t, strings.Replace(replayHead, "object", test.workers+"object", 1)+
			records)
		active, err := activeWorkers(trace)
		if err != nil {
			t.Fatal(err)
		}
		got, err := placeWorkers(&trace.Header, smallLLC(t), active, test.coreOf)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: cores %v, %v; want %v", test.workers, got, err, test.want)
		}
	}
}

func TestReplayRefuses(t *testing.T) {
	const one, record = "worker 0 cpu 0 node 0 offset 0\n", "0 100 101 use(0)\n"
	of := func(workers, records string) *loi.Trace {
		return textTrace(t, strings.Replace(replayHead, "object", workers+"object", 1)+records)
	}
	lossy := of(one, "discarded 0 12 12\n"+record)
	var loss *loi.LossError
	if _, err := Misses(lossy, smallLLC(t), Options{}); !errors.As(err, &loss) ||
		loss.Total() != 12 {
		t.Errorf("a lossy trace: %v, want 12 records lost", err)
	}
	if got, err := Misses(lossy, smallLLC(t), Options{AllowLoss: true}); err != nil ||
		got.Total != 8192 {
		t.Errorf("a lossy trace that is allowed: %+v, %v", got, err)
	}
	var order *loi.OrderError
	if _, err := Misses(of(one, record+"0 50 60 use(1)\n"), smallLLC(t),
		Options{}); !errors.As(err, &order) || order.Record != 1 || order.Previous != 100 {
		t.Errorf("a trace out of order: %v", err)
	}
	seven := ""
	records := ""
	for i := range 7 {
		seven += fmt.Sprintf("worker %d cpu %d node 0 offset 0\n", i, i)
		records += fmt.Sprintf("%d 1 2 use(0)\n", i)
	}
	for name, test := range map[string]struct {
		trace *loi.Trace
		opt   Options
		want  string
	}{
		"node": {textTrace(t, strings.Replace(strings.Replace(replayHead, "nodes 2", "nodes 5", 1),
			"object", "worker 0 cpu 0 node 4 offset 0\nobject", 1)+record), Options{},
			"worker 0 is on node 4, and machine westmere-ex-4s has 4"},
		"cores": {of(seven, records), Options{},
			"7 cores on node 0, and machine westmere-ex-4s has 6"},
		"lines": {of(one, record), Options{CacheModel: request.CacheLines},
			"blocks can be replayed"},
		"keyed": {textTrace(t, "loi-text 4\nsubstrate native\nclock tsc 1e+09 invariant\nnodes 1\n"+
			one+"object K keyed\nkernel get\n0 1 2 get{K[7:64]:in}\n"), Options{},
			`object "K" has no registered blocks`},
	} {
		if _, err := Misses(test.trace, smallLLC(t), test.opt); !errors.Is(err, ErrUnsuitable) ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
