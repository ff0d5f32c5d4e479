package experiments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/hwtest/caches"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/runtimes"
)

// promised are the fields of the document of a run, and what a value may be: n a number, s a
// string, b a boolean, [] an array, {} an object, 0 null. Paths go through every element of an
// array.
var promised = strings.Fields(`
	schema_version:n kernel:s params:{} params.n:n scheduler:s cores:n seed:n substrate:s
	machine.name:s machine.nodes:n machine.cores_per_node:n machine.l2_bytes:n0 machine.llc_bytes:n0
	serial.time_ns:n serial.work_ns:n0 repetitions:[]
	repetitions.time_ns:n repetitions.work_ns:n0 repetitions.tasks:n repetitions.kernels:n repetitions.llc_misses_per_core:n0
	repetitions.workers:[] repetitions.workers.cpu:n repetitions.workers.node:n repetitions.workers.work_ns:n0
	repetitions.workers.sched_ns:n0 repetitions.workers.idle_ns:n0 repetitions.workers.spawns:n0
	repetitions.workers.steals_local:n0 repetitions.workers.steals_remote:n0 repetitions.workers.steals_failed:n0
	summary.time_ns:Q summary.speedup:Q summary.ovr:Q summary.wti:Q summary.kernel_ns:Q summary.llc_misses_per_core:Q
	kernels:[] kernels.name:s kernels.count:n kernels.mean_ns:n kernels.wti:n0
	llc_source:s0 llc_reason:s0 krd:K0 check:{}0 check.passed:b check.error:n check.tolerance:n
	trace:{}0 trace.path:s trace.records:n trace.discarded:n trace.overhead_ns_per_kernel:n0 warnings:[] findings:[]`)

var promisedQuantity = strings.Fields("median:n0 low:n0 high:n0 confidence:n0 n:n")

var promisedHistogram = strings.Fields(`accesses:n cold:n shared:n close:n0 near:n0 far:n0 invalidated:n0
	bins:[] bins.from_bytes:n bins.to_bytes:n bins.count:n`)

var promisedKRD = append(strings.Fields("schema_version:n distance:s weight:s nodes:[] "+
	"nodes.node:n nodes.workers:[] warnings:[]"), promisedHistogram...)

// at returns all values at a path of a document; nothing below null and empty arrays. A key that is
// missing is an error.
func at(v any, path string) ([]any, error) {
	if list, ok := v.([]any); ok && path != "" {
		var all []any
		for _, e := range list {
			sub, err := at(e, path)
			if err != nil {
				return nil, err
			}
			all = append(all, sub...)
		}
		return all, nil
	}
	if path == "" || v == nil {
		return []any{v}, nil
	}
	key, rest, _ := strings.Cut(path, ".")
	m, _ := v.(map[string]any)
	sub, ok := m[key]
	if !ok {
		return nil, fmt.Errorf("there is no %q", key)
	}
	if sub == nil && rest != "" {
		return nil, nil
	}
	return at(sub, rest)
}

// departures checks a document against a list of promised fields.
func departures(doc any, list []string) (wrong []string) {
	for _, field := range list {
		path, kind, _ := strings.Cut(field, ":")
		values, err := at(doc, path)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", path, err))
		}
		for _, v := range values {
			ok := false
			switch v := v.(type) {
			case nil:
				ok = strings.HasSuffix(kind, "0")
			case float64:
				ok = kind[0] == 'n'
			case string:
				ok = kind[0] == 's'
			case bool:
				ok = kind[0] == 'b'
			case []any:
				ok = strings.HasPrefix(kind, "[]")
			case map[string]any:
				ok = kind[0] == '{' || kind[0] == 'Q' || kind[0] == 'K'
				below := map[byte][]string{'Q': promisedQuantity, 'K': promisedKRD}[kind[0]]
				for _, d := range departures(v, below) {
					wrong = append(wrong, path+"."+d)
				}
				if kind[0] == 'K' {
					for _, node := range v["nodes"].([]any) {
						wrong = append(wrong, departures(node, promisedHistogram)...)
					}
				}
			}
			if !ok {
				wrong = append(wrong, fmt.Sprintf("%s is %v, which is not of kind %s", path, v,
					kind))
			}
		}
	}
	return wrong
}

// schedulers returns those of a list of names.
func schedulers(names string) []runtimes.Scheduler {
	list, err := request.ParseSchedulers(names)
	if err != nil {
		panic(err)
	}
	return list
}

// nativeRun runs a kernel here and returns the results and their documents, as they are printed.
func nativeRun(t *testing.T, change func(*request.Request), kernelName string,
	params kernel.Params) ([]result.Result, []any) {
	t.Helper()
	host, err := hw.Host()
	if err != nil {
		t.Skip(err)
	}
	caches.Give(host)
	k, err := request.FindKernel(kernelName)
	if err != nil {
		t.Fatal(err)
	}
	c := request.New(k)
	c.Params, c.Cores, c.Oversubscribe, c.Reps, c.Warmup = k.With(params), 2, true, 1, 0
	c.Out = filepath.Join(t.TempDir(), "run")
	change(&c)
	out, err := Run(t.Context(), &c, []string{"test"}, host, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(out.Document())
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	docs, several := doc.([]any)
	if several != (len(c.Schedulers) > 1) {
		t.Errorf("%d schedulers, and an array: %v", len(c.Schedulers), several)
	}
	if !several {
		docs = []any{doc}
	}
	return out.Results, docs
}

// The document of a run has every field that was promised, and null exactly where there is no
// measurement.
func TestDocument(t *testing.T) {
	matmul, fib := kernel.Params{"n": 64}, kernel.Params{"n": 8}
	for _, test := range []struct {
		name, kernel string
		params       kernel.Params
		change       func(*request.Request)
		null, known  string
	}{
		{"default", "matmul", matmul, func(c *request.Request) {},
			"summary.time_ns.low summary.time_ns.confidence", "summary.ovr.median " +
				"summary.wti.median krd trace check repetitions.work_ns serial.work_ns " +
				"repetitions.workers.sched_ns krd.accesses"},
		{"off", "matmul", matmul, func(c *request.Request) { c.Trace = request.TraceOff },
			"summary.ovr.median summary.wti.median summary.kernel_ns.median krd trace " +
				"repetitions.work_ns serial.work_ns repetitions.workers.work_ns " +
				"repetitions.workers.sched_ns",
			"summary.speedup.median repetitions.workers.idle_ns repetitions.kernels check"},
		{"profile", "matmul", matmul, func(c *request.Request) { c.Trace = request.TraceProfile },
			"krd trace",
			"summary.ovr.median"},
		{"full", "matmul", matmul, func(c *request.Request) { c.Trace = request.TraceFull }, "",
			"krd trace summary.ovr.median"},
		{"lossy", "matmul", kernel.Params{"n": 64, "leaf": "8x8x8"},
			func(c *request.Request) { c.TraceLimit = 24 << 10 }, "krd",
			"trace summary.ovr.median"},
		{"one that is serial", "matmul", matmul,
			func(c *request.Request) { c.Schedulers = schedulers("serial") }, "",
			"krd repetitions.workers.steals_local"},
		{"fib", "fib", fib, func(c *request.Request) {},
			"summary.ovr.median summary.wti.median summary.kernel_ns.median krd trace " +
				"repetitions.work_ns", "summary.speedup.median check"},
		{"fib, full", "fib", fib, func(c *request.Request) { c.Trace = request.TraceFull },
			"krd trace", "check"},
		{"several", "matmul", matmul, func(c *request.Request) {
			c.Schedulers = schedulers("serial,go,shepherd-socket")
		}, "", "krd trace"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, docs := nativeRun(t, test.change, test.kernel, test.params)
			for _, doc := range docs {
				for _, d := range departures(doc, promised) {
					t.Error(d)
				}
				for i, list := range []string{test.null, test.known} {
					for _, path := range strings.Fields(list) {
						values, err := at(doc, path)
						if err != nil || slices.ContainsFunc(values,
							func(v any) bool { return (v == nil) == (i == 1) }) || i == 1 &&
							len(values) == 0 {
							if i == 1 && doc.(map[string]any)["scheduler"] == "go" &&
								strings.Contains(path, ".workers.") {
								continue
							}
							t.Errorf("%s: %v, %v; want null: %v", path, values, err, i == 0)
						}
					}
				}
				if _, err := at(doc, "repetitions.workers.nobody"); err == nil &&
					doc.(map[string]any)["scheduler"] != "go" {
					t.Error("a field that there is not was found")
				}
				words := doc.(map[string]any)["warnings"].([]any)
				codes, _ := doc.(map[string]any)["warning_codes"].([]any)
				if len(codes) != len(words) {
					t.Errorf("warnings %v with the codes %v", words, codes)
				}
				misses, _ := at(doc, "summary.llc_misses_per_core.median")
				source, _ := at(doc, "llc_source")
				reason, _ := at(doc, "llc_reason")
				if known := misses[0] != nil; known != (source[0] != nil) ||
					(source[0] == hw.SourcePerf) != (reason[0] == nil) {
					t.Errorf("LLC misses %v from %v, because %v", misses, source, reason)
				}
			}
		})
	}
}

// Under the scheduler go there are no workers, and what is not counted is not 0.
func TestDocumentGo(t *testing.T) {
	results, docs := nativeRun(t, func(c *request.Request) { c.Schedulers = schedulers("go") },
		"matmul",
		kernel.Params{"n": 64})
	for _, rep := range results[0].Repetitions {
		if rep.Workers == nil || len(rep.Workers) != 0 {
			t.Errorf("workers %v, want []", rep.Workers)
		}
		if rep.Tasks == nil || rep.WorkNS == nil || rep.FlaggedKernels == nil {
			t.Errorf("tasks %v, work %v, flagged %v: want them known", rep.Tasks, rep.WorkNS,
				rep.FlaggedKernels)
		}
	}
	if workers, err := at(docs[0], "repetitions.workers.cpu"); err != nil || len(workers) != 0 {
		t.Errorf("%v, %v", workers, err)
	}
	var table bytes.Buffer
	if err := brief.WriteTable(doc.NewPage(&table, 1000), results); err != nil {
		t.Fatal(err)
	}
	if row := tableRow(t, table.String(), "go"); row[len(row)-2] != "n/a" {
		t.Errorf("steals of go are printed as %q", row)
	}
}

// tableRow returns the words of the first row of a scheduler, without the mark of a disturbed one.
func tableRow(t *testing.T, table, scheduler string) []string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + scheduler + `( ~)? +[0-9.]+ +[0-9.]+ +.*$`).FindString(table)
	if m == "" {
		t.Fatalf("no row of %s in\n%s", scheduler, table)
	}
	return strings.Fields(strings.Replace(m, scheduler+" ~", scheduler, 1))
}

// Speed-up = N / (OVR x WTI) holds for what is printed, to the rounding of what is printed (KRD
// paper, I-A).
func TestPrintedIdentity(t *testing.T) {
	check := func(t *testing.T, results []result.Result, roughest float64) {
		t.Helper()
		var table bytes.Buffer
		if err := brief.WriteTable(doc.NewPage(&table, 1000), results); err != nil {
			t.Fatal(err)
		}
		for i := range results {
			r := &results[i]
			// scheduler, time, speed-up, OVR, WTI
			row := tableRow(t, table.String(), r.Scheduler)
			product, slack := 1.0, 0.0
			for _, word := range row[2:5] {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil || v <= 0 {
					t.Fatalf("%q in %q", word, row)
				}
				product *= v
				_, decimals, _ := strings.Cut(word, ".")
				slack += 0.5 * math.Pow10(-len(decimals)) / v
			}
			if n := float64(r.Cores); math.Abs(product/n-1) > 1.1*slack || slack > roughest {
				t.Errorf("%s: speed-up x OVR x WTI = %v, want %v within %.2g\n%s", r.Scheduler,
					product, n, slack, &table)
			}
			if s := r.Summary; math.Abs(s.Speedup.Median.Float()*s.OVR.Median.Float()*s.WTI.Median.Float()/float64(r.Cores)-1) > 1e-12 {
				t.Errorf("%s: the document has %v", r.Scheduler, s)
			}
			for _, rep := range r.Repetitions { // work + scheduling + idle = time
				for _, w := range rep.Workers {
					if d := *w.WorkNS + *w.SchedNS + *w.IdleNS - rep.TimeNS; d < -3 || d > 3 {
						t.Errorf("%s: the times of a worker and of its run differ by %d ns",
							r.Scheduler, d)
					}
				}
			}
		}
	}
	t.Run("measured", func(t *testing.T) {
		results, _ := nativeRun(t, func(c *request.Request) {
			c.Schedulers, c.Reps, c.Trace = runtimes.Schedulers, 6, request.TraceProfile
		}, "matmul", kernel.Params{"n": 128})
		check(t, results, 0.16) // two digits each, where intervals leave no more
	})
	t.Run("far from 1", func(t *testing.T) {
		for _, factor := range []float64{0.004, 0.07, 0.5, 3, 40, 900} {
			m := measured(7)
			for i := range m.Repetitions {
				r := &m.Repetitions[i]
				r.TimeNS = int64(float64(r.TimeNS) * factor)
				*r.WorkNS = int64(float64(*r.WorkNS) * math.Sqrt(factor))
			}
			c := twoCores(t, 7)
			check(t, []result.Result{result.Summarise(c.Asked(), m)}, 0.02)
		}
	})
}
