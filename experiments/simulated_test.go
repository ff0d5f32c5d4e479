package experiments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// simulated runs matmul on the paper's machine.
func simulated(t *testing.T, change func(*request.Request)) *Outcome {
	t.Helper()
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	c := request.New(k)
	c.Machine, c.Cores, c.Reps, c.Warmup = m, 12, 6, 0
	c.Schedulers, err = request.ParseSchedulers("serial,workfirst,helpfirst," +
		"helpfirst-locality,shepherd-core,shepherd-socket")
	if err != nil {
		t.Fatal(err)
	}
	c.Params["n"] = 512
	c.Out = filepath.Join(t.TempDir(), "run")
	change(&c)
	out, err := Run(context.Background(), &c, nil, topo, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// digest is a hash of the numbers of all repetitions, serial ones too, each once where several in a
// row are equal: as where nothing is drawn and one stands for all.
func digest(t *testing.T, out *Outcome) string {
	t.Helper()
	type worker struct {
		CPU, Node                                                               int
		Work, Sched, Idle, Spawns, Local, Remote, Failed, RemoteFailed, Kernels *int64
		From                                                                    []int64
	}
	type numbers struct {
		Time                 int64
		Work, Tasks, Kernels *int64
		Misses               *result.LLCMisses
		Workers              []worker
		Kernel               []result.KernelTime
		KRD                  any
	}
	hash := sha256.New()
	add := func(name string, reps []result.Repetition) {
		var last string
		for i := range reps {
			p := &reps[i]
			x := numbers{Time: p.TimeNS, Work: p.WorkNS, Tasks: p.Tasks, Kernels: p.Kernels,
				Misses: p.LLCModel, Kernel: p.KernelTimes}
			if i == 0 && p.KRD != nil {
				x.KRD = []any{p.KRD.Accesses, p.KRD.Cold, p.KRD.Close, p.KRD.Near, p.KRD.Far,
					p.KRD.Shared, p.KRD.Bins}
			}
			for _, w := range p.Workers {
				x.Workers = append(x.Workers, worker{w.CPU, w.Node, w.WorkNS, w.SchedNS, w.IdleNS,
					w.Spawns, w.StealsLocal, w.StealsRemote, w.StealsFailed, w.StealsRemoteFailed,
					w.Kernels, w.StealsFrom})
			}
			text, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				fmt.Fprintf(hash, "%s %s", name, text)
				x.KRD = nil
				text, _ = json.Marshal(x)
			} else if string(text) != last {
				hash.Write(text)
			}
			last = string(text)
		}
	}
	for i := range out.Results {
		r := &out.Results[i]
		add("serial run", r.Serial.Repetitions)
		add(r.Scheduler, r.Repetitions)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// A simulated run gives the same bits on every computer, at either granularity of the caches;
// another seed gives another run.
func TestSimulationIsReproducible(t *testing.T) {
	hwtest.SkipRace(t)
	for model, want := range map[request.CacheModel]string{request.CacheBlocks: goldenBlocks,
		request.CacheLines: goldenLines} {
		first := digest(t, simulated(t, func(c *request.Request) { c.CacheModel = model }))
		if first != want {
			t.Errorf("%s: results have the digest %s, want %s: a change of the model, the "+
				"machine or a policy changes it; anything else must not", model, first, want)
		}
		if again := digest(t, simulated(t,
			func(c *request.Request) { c.CacheModel = model })); again != first {
			t.Errorf("%s: digests %s and %s of the same run", model, first, again)
		}
		if other := digest(t, simulated(t, func(c *request.Request) {
			c.CacheModel, c.Seed = model,
				2
		})); other == first {
			t.Errorf("%s: seed 2 gave the same results", model)
		}
	}
}

// Where nothing is drawn, one repetition stands for all, and its numbers have no interval; beside
// it others have theirs.
func TestDeterministicRepetitions(t *testing.T) {
	out := simulated(t, func(c *request.Request) { c.Params["n"] = 256 })
	for i := range out.Results {
		r := &out.Results[i]
		fixed := r.Scheduler == "serial" || r.Scheduler == "shepherd-socket" // on two nodes
		reps, n, reason := 6, 6, result.Reason("")
		if fixed {
			reps, n, reason = 1, 1, result.Deterministic
		}
		if r.Deterministic != fixed || len(r.Repetitions) != reps ||
			!r.Serial.Deterministic || len(r.Serial.Repetitions) != 1 {
			t.Errorf("%s: deterministic %v, %d repetitions, %d serial ones", r.Scheduler,
				r.Deterministic, len(r.Repetitions), len(r.Serial.Repetitions))
		}
		for _, q := range []result.Quantity{r.Summary.TimeNS, r.Summary.Speedup, r.Summary.OVR,
			r.Summary.WTI, r.Summary.KernelNS, r.Summary.LLCMissesPerCore,
			r.LLCModel.Nodes[0].MissesPerCore} {
			if q.N != n || q.Reason != reason || q.Low.Known() == fixed {
				t.Errorf("%s: %+v", r.Scheduler, q)
			}
		}
		if r.Interrupted || len(r.Warnings) > 0 {
			t.Errorf("%s: interrupted %v, %q", r.Scheduler, r.Interrupted, r.Warnings)
		}
		if !sameAgain(t, r) {
			t.Errorf("%s: summarised again it differs", r.Scheduler)
		}
	}
	// Pages lie where the seed has them.
	for _, r := range simulated(t, func(c *request.Request) {
		c.Params["n"], c.CacheModel, c.Cores = 256, request.CacheLines, 1
	}).Results {
		if r.Deterministic || r.Serial.Deterministic || len(r.Repetitions) != 6 {
			t.Errorf("%s, by lines: deterministic", r.Scheduler)
		}
	}
}

// sameAgain reports whether a result that is written, read and summarised again is the same.
func sameAgain(t *testing.T, r *result.Result) bool {
	t.Helper()
	doc, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again result.Result
	if err := json.Unmarshal(doc, &again); err != nil {
		t.Fatal(err)
	}
	again.SummariseAgain()
	docAgain, err := json.Marshal(again)
	return err == nil && bytes.Equal(doc, docAgain)
}

// Where no kernel accesses data a model counts no misses, and the work cannot differ from the
// serial run's: there is neither 0 nor 1.
func TestKernelsWithoutData(t *testing.T) {
	hwtest.SkipRace(t)
	for _, name := range []string{"fib", "uts"} {
		k, _ := kernels.ByName(name)
		for _, r := range simulated(t, func(c *request.Request) {
			c.Kernel, c.Params = k, k.With(k.Small[0])
		}).Results {
			s := &r.Summary
			if s.OVR.Median.Known() != k.Work || s.WTI.N != 0 || s.LLCMissesPerCore.N != 0 ||
				!r.NoData || r.LLCSource != nil || r.LLCReason == nil || r.LLCModel != nil {
				t.Errorf("%s, %s: OVR %+v, WTI %+v, misses %+v", name, r.Scheduler, s.OVR, s.WTI,
					s.LLCMissesPerCore)
			}
			for _, k := range r.Kernels {
				if k.WTI.Known() || !k.MeanNS.Known() {
					t.Errorf("%s, %s: %+v", name, r.Scheduler, k)
				}
			}
			if !sameAgain(t, &r) {
				t.Errorf("%s, %s: summarised again it differs", name, r.Scheduler)
			}
		}
	}
}

// A simulated result lists the numbers that the machine was fitted to, and its folder has the
// machine.
func TestFittedQuantities(t *testing.T) {
	hwtest.SkipRace(t)
	out := simulated(t, func(c *request.Request) {
		c.Params["n"], c.Params["layout"] = 4096, "row"
		c.Trace, c.Reps = request.TraceProfile, 1
		c.Schedulers = c.Schedulers[:4]
	})
	for i, want := range [][]string{{machine.FitSerialTime}, {machine.FitSerialTime, machine.FitOVR},
		{machine.FitSerialTime, machine.FitOVR}, {machine.FitSerialTime}} {
		r := &out.Results[i]
		if m := r.Machine.Model; m == nil || !slices.Equal(m.Fitted, want) || m.Guessed == 0 ||
			m.Guessed >= m.Parameters {
			t.Errorf("%s: %+v, want %q", r.Scheduler, m, want)
		}
	}
	m, err := machine.Load(filepath.Join(out.Dir, result.MachinesDir, "westmere-ex-4s.toml"))
	if err != nil || m.Hash() != out.Results[0].Machine.Model.Hash {
		t.Errorf("the machine in the folder: %v", err)
	}
	for _, f := range m.Fits {
		if _, ok := runtimes.SchedulerByName(f.Scheduler); !ok && f.Scheduler != "" {
			t.Errorf("a fit to the unknown scheduler %q", f.Scheduler)
		}
	}
}

// The bytes of a simulated trace of many chunks do not depend on how many threads there are.
func TestSimulatedTracesAreReproducible(t *testing.T) {
	var first []byte
	for _, threads := range []int{1, 4} {
		procs := runtime.GOMAXPROCS(threads)
		out := simulated(t, func(c *request.Request) {
			c.Trace, c.Params["n"], c.Cores = request.TraceFull, 1024, 24
			c.Schedulers = c.Schedulers[1:2]
		})
		runtime.GOMAXPROCS(procs)
		trace, err := os.ReadFile(filepath.Join(out.Dir, "workfirst.1.loi"))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = trace
		}
		if !bytes.Equal(trace, first) {
			t.Errorf("%d threads: %d bytes that differ from the %d of one thread", threads,
				len(trace), len(first))
		}
	}
}

// The digests of TestSimulationIsReproducible.
const (
	goldenBlocks = "bda0599fff748fe0"
	goldenLines  = "fabd8cdd43196521"
)

// nearFirst is a newcomer: work-first, that steals from the nearest.
type nearFirst struct{}

func (nearFirst) Rules() runtimes.Rules { return runtimes.Rules{Spawn: runtimes.SpawnChild} }

func (nearFirst) Look(s *runtimes.Search) runtimes.Move {
	if s.Step++; s.Step%4 == 0 || len(s.Victims) == 0 {
		return runtimes.Rest
	}
	return runtimes.Move{Kind: runtimes.MoveSteal, Victim: s.Victims[s.Rand.N(s.Groups[0])]}
}

// A new scheduler pays what the schedulers of its family pay: on one core a work-first one takes
// exactly the time of workfirst. One without a family has other prices, and the results say so.
func TestNewSchedulersArePriced(t *testing.T) {
	run := func(family string) (*Outcome, *result.Result, *result.Result) {
		out := simulated(t, func(c *request.Request) {
			first, err := runtimes.ParseScheduler("workfirst")
			if err != nil {
				t.Fatal(err)
			}
			if family == "that of workfirst" {
				family = first.Family
			}
			c.Schedulers = []runtimes.Scheduler{first, {Name: "near", Family: family,
				Policy: nearFirst{}}}
			c.Cores = 1
		})
		return out, &out.Results[0], &out.Results[1]
	}
	_, first, near := run("that of workfirst")
	for i := range first.Repetitions {
		if a, b := first.Repetitions[i].TimeNS, near.Repetitions[i].TimeNS; a != b {
			t.Errorf("repetition %d: %d ns for workfirst and %d for another like it", i, a, b)
		}
	}
	if len(near.WarningCodes) != 0 {
		t.Errorf("warnings %q", near.Warnings)
	}
	for _, family := range []string{"", "cilk"} {
		_, first, near = run(family)
		if near.Repetitions[0].TimeNS >= first.Repetitions[0].TimeNS {
			t.Errorf("family %q: the prices are those of workfirst, or higher", family)
		}
		for _, r := range []*result.Result{first, near} {
			if len(r.WarningCodes) != 1 || r.WarningCodes[0].Code != result.MixedPrices {
				t.Errorf("family %q: %s has the warnings %q", family, r.Scheduler, r.Warnings)
			}
		}
	}
}

// One core sees the serial order under every policy but for its mirror: the same misses of caches
// that do not care, the work of the serial run, no steals; and
// the document has the substrate and the sources of misses and time.
func TestSimulatedOneCore(t *testing.T) {
	out := simulated(t, func(c *request.Request) { c.Cores = 1 })
	for _, r := range out.Results {
		if r.Substrate != loi.Simulated || r.LLCSource == nil ||
			*r.LLCSource != result.LLCSourceModel ||
			r.Check != nil || r.Machine.TimeSource != "virtual" {
			t.Errorf("%s: substrate %s, misses from %v, check %v, time %s", r.Scheduler,
				r.Substrate, r.LLCSource, r.Check, r.Machine.TimeSource)
		}
		if r.KRD == nil || r.KRD.Accesses != 3*16*16*8 || len(r.WarningCodes) != 0 ||
			len(r.Warnings) != 0 {
			t.Errorf("%s: KRD %+v, warnings %q", r.Scheduler, r.KRD, r.Warnings)
		}
		for _, p := range r.Repetitions {
			if s := p.Workers[0].StealsLocal; *s != 0 {
				t.Errorf("%s: %d steals on one core", r.Scheduler, *s)
			}
			if w := p.Workers[0]; *w.WorkNS+*w.SchedNS+*w.IdleNS != p.TimeNS {
				t.Errorf("%s: work %d, scheduling %d and idle %d of %d ns", r.Scheduler, *w.WorkNS,
					*w.SchedNS, *w.IdleNS, p.TimeNS)
			}
		}
	}
}

// With TraceKRD every repetition has its KRD, the first one that of a default run, and no trace is
// left. Native runs too.
func TestTraceKRD(t *testing.T) {
	first := simulated(t, func(*request.Request) {})
	each := simulated(t, func(c *request.Request) { c.Trace = request.TraceKRD })
	for i, r := range each.Results {
		want := first.Results[i]
		if !reflect.DeepEqual(r.KRD, want.KRD) || !reflect.DeepEqual(r.Repetitions[0].KRD,
			want.Repetitions[0].KRD) || r.Repetitions[0].KRD == nil {
			t.Errorf("%s: KRD %+v, of a default run %+v", r.Scheduler, r.KRD, want.KRD)
		}
		for n, p := range r.Repetitions {
			if p.KRD == nil || p.KRD.Accesses != 3*16*16*8 ||
				p.TimeNS != want.Repetitions[n].TimeNS {
				t.Errorf("%s, repetition %d: %d ns, KRD %+v", r.Scheduler, n, p.TimeNS, p.KRD)
			}
			if n > 0 && want.Repetitions[n].KRD != nil {
				t.Errorf("%s: a default run has a KRD of repetition %d", r.Scheduler, n)
			}
		}
		if r.Trace.Path != "" || r.Trace.Records == 0 {
			t.Errorf("%s: trace %+v", r.Scheduler, r.Trace)
		}
	}
	if files, err := filepath.Glob(filepath.Join(each.Dir, "*")); err != nil || len(files) != 3 {
		t.Errorf("files %q, %v; expected the machine, the manifest and the result", files, err)
	}
}

// Asked for cores, a run has their reuse too, and nothing else changes; with coherence, misses that
// are neither cold nor far.
func TestTraceCores(t *testing.T) {
	plain := simulated(t, func(c *request.Request) { c.Trace = request.TraceKRD })
	cores := simulated(t, func(c *request.Request) {
		c.Trace, c.Reuse.Cores = request.TraceKRD, true
	})
	coherent := simulated(t, func(c *request.Request) {
		c.Trace, c.Reuse = request.TraceKRD, request.Reuse{Cores: true, Coherence: true}
	})
	lost := uint64(0)
	for i, r := range cores.Results {
		want := plain.Results[i]
		for n, p := range r.Repetitions {
			q := coherent.Results[i].Repetitions[n]
			if p.TimeNS != want.Repetitions[n].TimeNS || q.TimeNS != p.TimeNS ||
				!reflect.DeepEqual(p.KRD, want.Repetitions[n].KRD) ||
				want.Repetitions[n].KRDCores != nil {
				t.Errorf("%s, repetition %d differs from that without cores", r.Scheduler, n)
			}
			if l, ok := krd.LevelsOf(p.KRDCores, p.KRD); !ok || l.L2 <= 0 || l.Beyond <= 0 {
				t.Errorf("%s, repetition %d: levels %+v", r.Scheduler, n, l)
			}
			if p.KRDCores.Invalidated != nil || q.KRDCores.Invalidated == nil {
				t.Errorf("%s, repetition %d: invalidated of cores %v, asked for: %v", r.Scheduler,
					n, p.KRDCores.Invalidated, q.KRDCores.Invalidated)
			} else {
				lost += *q.KRDCores.Invalidated
			}
		}
		if r.KRD.PerCore == nil || len(r.KRD.PerCore.Cores) != r.Cores {
			t.Errorf("%s: cores %+v", r.Scheduler, r.KRD.PerCore)
		}
	}
	if lost == 0 {
		t.Error("no write took a block from another core")
	}
}

// Tasks and regions change nothing in a run but its traces, whose graphs have each child once. A
// program without kernels has a trace with them, too.
func TestTraceTasks(t *testing.T) {
	structure := runtimes.Structure{Tasks: true, Regions: true}
	plain := simulated(t, func(c *request.Request) { c.Reps = 1 })
	told := simulated(t, func(c *request.Request) { c.Reps, c.Structure = 1, structure })
	for i, r := range told.Results {
		want := plain.Results[i]
		if r.Trace.Records <= want.Trace.Records || !r.Settings.Tasks ||
			!reflect.DeepEqual(r.Repetitions, want.Repetitions) {
			t.Errorf("%s: %+v, trace %+v; without tasks %+v, %+v", r.Scheduler, r.Repetitions[0],
				r.Trace, want.Repetitions[0], want.Trace)
		}
		g := graphIn(t, filepath.Join(told.Dir, r.Trace.Path))
		var children, kernels uint64
		for i := range g.Tasks {
			for _, ph := range g.Tasks[i].Phases {
				children += uint64(len(ph.Children))
				for _, c := range ph.Children {
					kernels += c.Piece.Kernels
				}
			}
		}
		var tasks int64
		for _, w := range r.Repetitions[0].Workers {
			tasks += *w.Tasks
		}
		if int64(children) != tasks || kernels != 16*16*8 || int64(g.Span()) > g.End() {
			t.Errorf("%s: %d children, %d kernels; the run had %d", r.Scheduler, children, kernels,
				tasks)
		}
	}
	fib, _ := kernels.ByName("fib")
	out := simulated(t, func(c *request.Request) {
		c.Kernel, c.Params, c.Structure = fib, fib.With(kernel.Params{"n": 10}), structure
		c.Trace, c.Reps, c.Schedulers = request.TraceFull, 1, c.Schedulers[1:2]
	})
	r := out.Results[0]
	if g := graphIn(t, filepath.Join(out.Dir, r.Trace.Path)); len(g.Tasks) != 89 || g.Work() != 0 ||
		r.KRD != nil {
		t.Errorf("fib(10) has %d tasks, work %d, KRD %v", len(g.Tasks), g.Work(), r.KRD)
	}
}

func graphIn(t *testing.T, path string) *dag.Graph {
	t.Helper()
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := dag.Build(trace, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The identity of the measures holds in simulated results too, and more cores are faster.
func TestSimulatedMeasures(t *testing.T) {
	for _, r := range simulated(t, func(*request.Request) {}).Results {
		s := r.Summary
		if got := float64(r.Cores) / (s.OVR.Median.Float() * s.WTI.Median.Float()); math.Abs(
			got/s.Speedup.Median.Float()-1) > 1e-9 {
			t.Errorf("%s: N/(OVR x WTI) = %v, speed-up %v", r.Scheduler, got,
				s.Speedup.Median.Float())
		}
		if r.Scheduler != "serial" && s.Speedup.Median.Float() < 4 {
			t.Errorf("%s: speed-up %v on 12 cores", r.Scheduler, s.Speedup.Median.Float())
		}
		if r.Scheduler != "serial" && s.WTI.Median.Float() < 1 {
			t.Errorf("%s: WTI %v; data from another socket cannot be nearer", r.Scheduler,
				s.WTI.Median.Float())
		}
	}
}

func TestSimulatedRefusals(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	for flag, change := range map[string]func(*request.Request){
		"sched":       func(c *request.Request) { c.Schedulers = runtimes.Schedulers },
		"counters":    func(c *request.Request) { c.Counters = request.CountersPerf },
		"topology":    func(c *request.Request) { c.Topology = "2x2" },
		"machine":     func(c *request.Request) { c.SMT = true },
		"cache-model": func(c *request.Request) { c.CacheModel = "bits" },
		"cores":       func(c *request.Request) { c.Cores = 25 },
	} {
		c := request.New(k)
		c.Machine, c.Cores = m, 4
		change(&c)
		var e *request.Error
		if err := c.Validate(topo); !errors.As(err, &e) || e.Flag != flag {
			t.Errorf("%s: error %v, want one of --%s", flag, err, flag)
		}
	}
}

// FMM's workers carry out tasks of many kernels in one step, and so ask memories for data ahead of
// each other. That must not make kernels wait: no kernel of a run that asks for little of the
// bandwidth is much slower than in the serial run.
func TestTasksOfManyKernels(t *testing.T) {
	hwtest.SkipRace(t)
	for _, r := range simulated(t, func(c *request.Request) {
		k, _ := kernels.ByName("fmm")
		made := request.New(k)
		made.Machine, made.Cores, made.Reps, made.Warmup, made.Out = c.Machine, 12, 1, 0, c.Out
		made.Params["bodies"] = 20000
		made.Schedulers = slices.DeleteFunc(c.Schedulers, func(s runtimes.Scheduler) bool {
			return !slices.Contains([]string{"workfirst", "helpfirst", "shepherd-socket"}, s.Name)
		})
		*c = made
	}).Results {
		for _, k := range r.Kernels {
			if wti := k.WTI.Float(); !(wti >= 0.99 && wti < 1.5) {
				t.Errorf("%s, %s: WTI %v", r.Scheduler, k.Name, wti)
			}
		}
		if len(r.Kernels) != 3 {
			t.Errorf("%s: %d kernels, want 3", r.Scheduler, len(r.Kernels))
		}
	}
}
