package krd

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/hw/hwtest"
	"krdlab/krd/stack"
	"krdlab/krd/stack/stacktest"
	"krdlab/loi"
)

// execution is one kernel execution of a test trace: the blocks of object 0, explicit or by the
// signature.
type execution struct {
	worker int
	start  uint64 // by the worker's clock
	blocks []uint32
}

// testHeader has kernels of 0, 1, 2 and 3 parameters over an object of 1-, 3- and 64-byte blocks.
func testHeader(workers []loi.Worker) loi.Header {
	h := loi.Header{Workers: workers, Substrate: loi.Native, L2Bytes: 64, LLCBytes: 200}
	h.Registry.Objects = []loi.Object{
		{Name: "pad", Blocks: []loi.SizeRun{{Count: 5, Bytes: 1000}}},
		{Name: "data", Blocks: []loi.SizeRun{{Count: 4, Bytes: 1}, {Count: 4, Bytes: 3},
			{Count: 4, Bytes: 64}}},
	}
	for n := range 4 {
		h.Registry.Kernels = append(h.Registry.Kernels, loi.Kernel{
			Name:   fmt.Sprint("kernel", n),
			Params: slices.Repeat([]loi.Param{{Object: 1, Mode: loi.InOut}}, n)})
	}
	return h
}

func testSize(block uint32) uint64 { return []uint64{1, 3, 64}[block/4] }

// write makes a trace file of the executions, each worker's in the order given, and opens it.
func write(t testing.TB, h loi.Header, opt loi.Options, run []execution) *loi.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.loi")
	opt.NoBackground = true
	w, err := loi.Create(path, h, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range run {
		r := w.Recorder(x.worker)
		if n := len(x.blocks); n < 4 && x.start%2 == 0 {
			r.Kernel(loi.KernelID(n), x.start, x.start+1, x.blocks...)
			continue
		}
		var list []loi.Access
		for _, b := range x.blocks {
			list = append(list, loi.Access{Object: 1, Block: uint64(b), Mode: loi.In})
		}
		r.Accesses(0, 0, x.start, x.start+1, list)
		r.Event(loi.EventIdle, x.start+1, 2)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// expect computes a report's counts the slow way: sort, then an LRU list for each node.
func expect(h loi.Header, run []execution, inclusive, weigh bool) map[string]uint64 {
	type merged struct {
		start int64
		execution
	}
	var all []merged
	for _, x := range run {
		all = append(all, merged{int64(x.start) - h.Workers[x.worker].TSCOffset, x})
	}
	slices.SortStableFunc(all, func(a, b merged) int {
		if a.start != b.start {
			return int(a.start - b.start)
		}
		return a.worker - b.worker
	})
	sizes := make([]uint64, 12)
	for b := range sizes {
		sizes[b] = testSize(uint32(b))
	}
	want := make(map[string]uint64)
	engines := make(map[int]*stacktest.Naive)
	lastBy := make(map[[2]int]int)
	for _, m := range all {
		n := h.Workers[m.worker].Node
		if engines[n] == nil {
			engines[n] = stacktest.NewNaive(sizes)
		}
		for _, b := range m.blocks {
			var d [1]uint64
			engines[n].Distances([]uint32{b}, d[:])
			weight := uint64(1)
			if weigh {
				weight = sizes[b]
			}
			for _, prefix := range []string{"", fmt.Sprint("node", n, " ")} {
				want[prefix+"accesses"] += weight
				if d[0] == stack.Cold {
					want[prefix+"cold"] += weight
					continue
				}
				if lastBy[[2]int{n, int(b)}] != m.worker {
					want[prefix+"shared"] += weight
				}
				switch full := d[0] + sizes[b]; {
				case full <= h.L2Bytes:
					want[prefix+"close"] += weight
				case full <= h.LLCBytes:
					want[prefix+"near"] += weight
				default:
					want[prefix+"far"] += weight
				}
				shown := d[0]
				if inclusive {
					shown += sizes[b]
				}
				from := uint64(0)
				for edge := uint64(1); edge <= shown; edge *= 2 {
					from = edge
				}
				want[prefix+fmt.Sprint("from ", from)] += weight
			}
			lastBy[[2]int{n, int(b)}] = m.worker
		}
	}
	return want
}

func counts(r *Report) map[string]uint64 {
	got := make(map[string]uint64)
	put := func(prefix string, h *Histogram) {
		for name, n := range map[string]uint64{"accesses": h.Accesses, "cold": h.Cold,
			"shared": *h.Shared, "close": *h.Close, "near": *h.Near, "far": *h.Far} {
			if n > 0 {
				got[prefix+name] = n
			}
		}
		for _, b := range h.Bins {
			if b.Count > 0 {
				got[prefix+fmt.Sprint("from ", b.FromBytes)] = b.Count
			}
		}
	}
	put("", &r.Histogram)
	for i := range r.Nodes {
		put(fmt.Sprint("node", r.Nodes[i].Node, " "), &r.Nodes[i].Histogram)
	}
	return got
}

// TestAnalyzeRandom: random executions of workers on several nodes with clock offsets, against
// sorting and a list.
func TestAnalyzeRandom(t *testing.T) {
	outer := t
	rapid.Check(t, func(t *rapid.T) {
		var workers []loi.Worker
		for range rapid.IntRange(1, 7).Draw(t, "workers") {
			workers = append(workers, loi.Worker{
				Node:      rapid.IntRange(0, 3).Draw(t, "node"),
				TSCOffset: rapid.Int64Range(-20, 20).Draw(t, "offset"),
			})
		}
		h := testHeader(workers)
		clock := slices.Repeat([]uint64{100}, len(workers))
		var run []execution
		for range rapid.IntRange(0, 120).Draw(t, "kernels") {
			w := rapid.IntRange(0, len(workers)-1).Draw(t, "worker")
			clock[w] += rapid.Uint64Range(0, 4).Draw(t, "pause")
			run = append(run, execution{w, clock[w], rapid.SliceOfN(rapid.Uint32Range(0, 11), 0,
				5).Draw(t, "blocks")})
		}
		opt := Options{
			Distance: rapid.SampledFrom([]Distance{"", Exclusive, Inclusive}).Draw(t, "distance"),
			Weight:   rapid.SampledFrom([]Weight{"", WeightCount, WeightBytes}).Draw(t, "weight"),
		}
		r, err := Analyze(write(outer, h, loi.Options{}, run), opt)
		if err != nil {
			t.Fatal(err)
		}
		want := expect(h, run, opt.Distance == Inclusive, opt.Weight == WeightBytes)
		if got := counts(r); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	})
}

func TestAnalyzeRefusesLoss(t *testing.T) {
	h := testHeader([]loi.Worker{{}, {}})
	var run []execution
	for i := range 60000 {
		run = append(run, execution{1, uint64(2 * i), []uint32{uint32(i % 12)}})
	}
	trace := write(t, h, loi.Options{MaxBytes: 256 << 10}, run)
	missing := trace.Discarded()[1]
	if missing == 0 {
		t.Fatal("the test trace has no losses")
	}
	_, err := Analyze(trace, Options{})
	var loss *loi.LossError
	if !errors.As(err, &loss) || !errors.Is(err, loi.ErrLoss) || loss.Total() != missing ||
		!slices.Equal(loss.Discarded, []uint64{0, missing}) {
		t.Fatalf("error %v, want a LossError of %d records of worker 1", err, missing)
	}
	if want := fmt.Sprintf("%d records of 1 of its 2 workers", missing); !strings.Contains(
		err.Error(), want) {
		t.Errorf("error %q does not say %q", err, want)
	}
	r, err := Analyze(trace, Options{AllowLoss: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Discarded != missing || r.AccessCount != 60000-missing || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], fmt.Sprint(missing)) {
		t.Errorf("%d discarded, %d accesses, warnings %q; want %d, %d and one warning", r.Discarded,
			r.AccessCount, r.Warnings, missing, 60000-missing)
	}
}

func TestAnalyzeOrder(t *testing.T) {
	run := []execution{{0, 10, []uint32{0}}, {1, 20, []uint32{8}}, {1, 14, []uint32{0}},
		{0, 16, []uint32{0}}}
	h := testHeader([]loi.Worker{{}, {}})
	_, err := Analyze(write(t, h, loi.Options{}, run), Options{})
	var order *loi.OrderError
	if !errors.As(err, &order) || *order != (loi.OrderError{Worker: 1, Record: 1, Start: 14,
		Previous: 20}) {
		t.Fatalf("error %v, want an OrderError of worker 1, execution 1, tick 14 after 20", err)
	}
	h.Unordered = true
	r, err := Analyze(write(t, h, loi.Options{}, run), Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Sorted: 0 (cold), 0 (by the other worker), 0 (by the first again), 8 (cold).
	if got, want := fmt.Sprint(counts(r)), fmt.Sprint(expect(h, run, false, false)); got != want ||
		*r.Shared != 2 || r.Cold != 2 {
		t.Errorf("got %s, want %s with 2 shared and 2 cold", got, want)
	}
	// worker 1's 14 is now 17, after worker 0's 16: one reuse of its own, one shared
	h.Workers[1].TSCOffset = -3
	if r, err = Analyze(write(t, h, loi.Options{}, run), Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(counts(r)), fmt.Sprint(expect(h, run, false, false)); got != want ||
		*r.Shared != 1 {
		t.Errorf("with an offset: got %s, want %s with 1 shared", got, want)
	}
}

func TestAnalyzeOptions(t *testing.T) {
	trace := write(t, testHeader([]loi.Worker{{}}), loi.Options{}, nil)
	for _, opt := range []Options{{Distance: "both"}, {Weight: "pages"}} {
		if _, err := Analyze(trace, opt); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: error %v, want ErrOption", opt, err)
		}
	}
}

// TestAnalyzeRecovered: a trace that was recovered is analysed, with a warning.
func TestAnalyzeRecovered(t *testing.T) {
	trace := write(t, testHeader([]loi.Worker{{}}), loi.Options{}, []execution{{0, 2, []uint32{1}}})
	trace.Recovered = true
	trace.Header.Synthetic = true
	r, err := Analyze(trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "recovered") ||
		!strings.Contains(r.Warnings[1], "imposed") {
		t.Errorf("warnings %q, want that it was recovered and that its map was imposed", r.Warnings)
	}
}

// TestAnalyzeLost: what the program did and the trace lacks is a doubt about any analysis of it, if it is
// anything.
func TestAnalyzeLost(t *testing.T) {
	for lost, doubts := range map[string]int{"0": 0, "3": 1} {
		h := testHeader([]loi.Worker{{}})
		h.Meta = []loi.KV{{Key: loi.LostKey, Value: lost}}
		r, err := Analyze(write(t, h, loi.Options{}, []execution{{0, 2, []uint32{1}}}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Warnings) != doubts || doubts > 0 && !strings.Contains(r.Warnings[0], "(3 times at least)") {
			t.Errorf("%s lost: warnings %q", lost, r.Warnings)
		}
	}
}

const wantJSON = `{
 "schema_version": 1,
 "distance": "exclusive",
 "weight": "count",
 "engine": "exact",
 "coherence": false,
 "l2_bytes": 64,
 "llc_bytes": null,
 "accesses": 5,
 "access_count": 5,
 "cold": 3,
 "shared": 1,
 "close": 1,
 "near": null,
 "far": null,
 "invalidated": null, "beyond_bytes": null,
 "bins": [{"from_bytes": 0, "to_bytes": 1, "count": 1}, {"from_bytes": 1, "to_bytes": 2, "count": 0},
  {"from_bytes": 2, "to_bytes": 4, "count": 0}, {"from_bytes": 4, "to_bytes": 8, "count": 0},
  {"from_bytes": 8, "to_bytes": 16, "count": 0}, {"from_bytes": 16, "to_bytes": 32, "count": 0},
  {"from_bytes": 32, "to_bytes": 64, "count": 0}, {"from_bytes": 64, "to_bytes": 128, "count": 1}],
 "nodes": [{
  "node": 2, "workers": [0, 1],
  "accesses": 5, "access_count": 5, "cold": 3, "shared": 1, "close": 1, "near": null, "far": null, "invalidated": null, "beyond_bytes": null,
  "bins": [{"from_bytes": 0, "to_bytes": 1, "count": 1}, {"from_bytes": 1, "to_bytes": 2, "count": 0},
   {"from_bytes": 2, "to_bytes": 4, "count": 0}, {"from_bytes": 4, "to_bytes": 8, "count": 0},
   {"from_bytes": 8, "to_bytes": 16, "count": 0}, {"from_bytes": 16, "to_bytes": 32, "count": 0},
   {"from_bytes": 32, "to_bytes": 64, "count": 0}, {"from_bytes": 64, "to_bytes": 128, "count": 1}]}],
 "discarded": 0,
 "atoms": null,
 "misses": [],
 "causes": null,
 "warnings": ["the trace names no LLC size: near and far are unknown"],
 "warning_codes": [{"code": "no_llc_size", "args": []}]
}`

func smallReport(t *testing.T) *Report {
	h := testHeader([]loi.Worker{{Node: 2}, {Node: 2}})
	h.LLCBytes = 0
	r, err := Analyze(write(t, h, loi.Options{}, []execution{
		{0, 2, []uint32{8, 0, 0}}, {1, 3, []uint32{9, 8}},
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReportJSON(t *testing.T) {
	got, err := json.Marshal(smallReport(t))
	if err != nil {
		t.Fatal(err)
	}
	// Byte for byte but for white space: the order of the fields is part of the form that people
	// read.
	var want strings.Builder
	for line := range strings.Lines(wantJSON) {
		want.WriteString(strings.Trim(line, " \n"))
	}
	compact := strings.NewReplacer(`": `, `":`, `, "`, `,"`, `}, {`, `},{`, `[0, 1]`,
		`[0,1]`).Replace(want.String())
	if string(got) != compact {
		t.Errorf("got  %s\nwant %s", got, compact)
	}
	empty, err := json.Marshal(
		(&analysis{trace: &loi.Trace{Header: loi.Header{L2Bytes: 1, LLCBytes: 1}}}).report())
	if err != nil || !strings.Contains(string(empty),
		`"bins":[],"nodes":[],"discarded":0,"atoms":null,"misses":[],"causes":null,"warnings":[]`) {
		t.Errorf("a report of nothing is %s (%v), want empty arrays", empty, err)
	}
}

func TestReportCSV(t *testing.T) {
	var b strings.Builder
	if err := Table([]*Report{smallReport(t)}, []string{""}).CSV(&b); err != nil {
		t.Fatal(err)
	}
	want := "node,from_bytes,to_bytes,count\n2,0,1,1\n2,1,2,0\n2,2,4,0\n2,4,8,0\n2,8,16,0\n2,16,32,0\n2,32,64,0\n2,64,128,1\n2,inf,inf,3\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestMatmulFile: the multiplication's trace, whole and dealt to six workers of one node, gives one
// histogram; dealt to two nodes, the parts add up to the whole and more accesses are cold.
func TestMatmulFile(t *testing.T) {
	hwtest.SkipRace(t)
	analyze := func(nodes, workers int) *Report {
		trace, err := loi.Open(matmulFile(t, nodes, workers))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Analyze(trace, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	whole, shared, apart := analyze(1, 1), analyze(1, 6), analyze(2, 6)
	tail, err := whole.AtLeast(32 << 20)
	if err != nil || whole.Accesses != 3145728 || whole.Cold != 32768 || tail.Finite != 49144 ||
		*whole.Shared != 0 {
		t.Errorf("%d accesses, %d cold, %d of at least 32 MiB (%v), %d shared; want 3145728, "+
			"32768, 49144, 0",
			whole.Accesses, whole.Cold, tail.Finite, err, *whole.Shared)
	}
	if got, want := fmt.Sprint(shared.Bins), fmt.Sprint(whole.Bins); got != want ||
		shared.Cold != whole.Cold || *shared.Shared == 0 {
		t.Errorf("six workers: bins %s, %d cold, %d shared; want %s, %d and some", got, shared.Cold,
			*shared.Shared, want, whole.Cold)
	}
	if apart.Accesses != whole.Accesses || apart.Cold <= whole.Cold || len(apart.Nodes) != 2 ||
		apart.Nodes[0].Accesses+apart.Nodes[1].Accesses != apart.Accesses || *apart.Close+
		*apart.Near+*apart.Far+apart.Cold != apart.Accesses {
		t.Errorf("two nodes: %d accesses, %d cold, %d + %d on the nodes; close, near, far and "+
			"cold do not add up or too few are cold",
			apart.Accesses, apart.Cold, apart.Nodes[0].Accesses, apart.Nodes[1].Accesses)
	}
}
