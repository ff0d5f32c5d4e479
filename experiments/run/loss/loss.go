// Package loss splits the time of a simulated run into causes, by taking them away.
//
//	run -> the same operations, timed without each set of causes -> shares -> Doc
//
// v(S) is the time of the run without the causes S, its schedule unchanged ([measure.Past]);
// serial(S) is that of the serial run on the same machine. Then, with P workers,
//
//	v({}) - serial({})/P = [the shares of the five groups: v({}) - v(all)]
//	                     + [not enough parallelism: max(0, span(all) - serial(all)/P)]
//	                     + [the rest, with its sign: v(all) - max(serial(all)/P, span(all))]
//	                     - [what the memory costs the serial run too: (serial({}) - serial(all))/P]
//
// v({}) - v(all) is divided among the groups by the value of Shapley (A value for n-person games, 1953)
// over the 32 subsets: the mean, over all orders in which the groups can be taken away, of the time
// that goes with each. The rest is the data that each node and core fetches for itself, which the
// serial run fetches once (kernels then take longer, over P), and imbalance.
//
// Departures: calls of kernels and frames that a serial run has too are work, not runtime. Parts of a group
// and objects are taken away one at a time, and scaled to the share of the group.
package loss

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A cause is a part of the time that can be taken away, with its key and its words.
type cause struct {
	key, words string
	causes     measure.Causes
}

// A group is causes that are taken away together.
type group struct {
	cause
	parts  []cause
	memory bool // it has shares by object
}

var groups = []group{
	{cause{"runtime", "runtime", measure.Spawning | measure.Joining | measure.Stealing | measure.Searching}, []cause{
		{"spawn", "spawning", measure.Spawning}, {"join", "joining", measure.Joining},
		{"steal", "steals", measure.Stealing}, {"search", "looks in vain", measure.Searching}}, false},
	{cause{"locks", "locks of queues", measure.Locks}, nil, false},
	{cause{"capacity", "capacity", measure.L2 | measure.LLC}, []cause{
		{"l2", "L2", measure.L2}, {"llc", "LLC", measure.LLC}}, true},
	{cause{"coherence", "coherence", measure.Coherence}, nil, true},
	{cause{"distance", "distance", measure.Latency | measure.Bandwidth}, []cause{
		{"latency", "latency", measure.Latency}, {"bandwidth", "bandwidth", measure.Bandwidth}}, true},
}

const (
	// DefaultReps is how many repetitions are timed unless told otherwise: the least with an interval.
	DefaultReps = estimate.MinSample
	// mostObjects is how many objects are told apart in a share.
	mostObjects = 8
	// partsFrom is the share of the time from which a group is divided.
	partsFrom = 0.005
)

// A Part is the cost of a cause. Quantities are over repetitions, each against its own time.
type Part struct {
	Key   string       `json:"key"`
	Share doc.Quantity `json:"share"` // of the time of the run
	NS    doc.Quantity `json:"ns"`
	// Least and Most are the least and the largest gain of taking it away, over all orders; of a
	// group. Alone is the gain where it goes before all others.
	Least doc.Number `json:"least_share"`
	Most  doc.Number `json:"most_share"`
	Alone doc.Number `json:"alone_share"`
	// Free is the gain in a run without it whose scheduler is free to decide otherwise; absent
	// where it was not asked for.
	Free  *doc.Quantity `json:"free_share,omitempty"`
	Parts []Part        `json:"parts,omitempty"`
	// Objects are the parts of a group of the memory by object of the program, the largest first.
	Objects []Part `json:"objects,omitempty"`

	sample estimate.Sample // of NS
}

// Pair is two groups that share a cost: what both give together is less than what each gives alone.
type Pair struct {
	Groups [2]string    `json:"groups"`
	Shared doc.Quantity `json:"shared_share"` // alone + alone - together, of the time
}

// A Loss splits the time of one scheduler into causes.
type Loss struct {
	Scheduler string       `json:"scheduler"`
	Workers   int          `json:"workers"`
	TimeNS    doc.Quantity `json:"time_ns"`
	IdealNS   doc.Quantity `json:"serial_over_workers_ns"`
	Lost      doc.Quantity `json:"lost_share"`  // of the time: what is more than serial over workers
	Groups    []Part       `json:"groups"`      // in the order of the package comment
	Parallel  Part         `json:"parallelism"` // not enough
	Rest      Part         `json:"rest"`
	Serial    Part         `json:"serial_too"` // of the memory, in the serial run: subtracted
	Pairs     []Pair       `json:"pairs"`
}

// A Report is the losses of schedulers in one configuration.
type Report struct {
	SchemaVersion int           `json:"schema_version"`
	Kernel        string        `json:"kernel"`
	Params        kernel.Params `json:"params"`
	Cores         int           `json:"cores"`
	Machine       string        `json:"machine"`
	Repetitions   int           `json:"repetitions"` // at most, of each scheduler
	// Measured records that the run is native: the groups are idle, scheduling and inflation of work, and
	// there are no other parts.
	Measured bool   `json:"measured"`
	Losses   []Loss `json:"losses"`
	doc.Concluded
}

// timed is one repetition.
type timed struct {
	time, serial, serialAll, span float64 // ps
	work, serialWork              float64 // ps of all kernels, without any cause
	without                       [1 << 5]float64
	parts                         [][]float64 // by group: what each part gives alone
	objects                       [][]float64 // by group: what each object gives alone
	names                         []string    // of objects
	free                          []float64   // ps by group: without it, the scheduler as it likes
	drawn                         bool
}

// errSeveral is the error of an experiment with more than one configuration.
var errSeveral = failure.New(failure.Request, "it has several configurations, and causes are taken away from "+
	"one: name the folder of a cell")

// Of computes the losses of schedulers of e, all of them with none named, over at most reps repetitions. e
// has one configuration; of a native one it returns what is measured, of all repetitions. With free, what
// taking a group away gives where the scheduler then does as it likes is simulated too. progress may be nil.
//
// Errors: [measure.ErrNoPast]; [runtimes.ErrHistory]; that of the context. Cost: about
// 50 times that of the run, for each repetition of a scheduler.
func Of(ctx context.Context, e *dataset.Experiment, schedulers []string, reps int,
	free bool, progress func(done, total int, next string)) (*Report, error) {
	if err := oneConfiguration(e); err != nil {
		return nil, err
	}
	if e.Cells[0].Result.Substrate == loi.Native {
		return ofNative(e, schedulers)
	}
	r, topo, err := requestOf(e)
	if err != nil {
		return nil, err
	}
	report := &Report{SchemaVersion: result.SchemaVersion, Kernel: r.Kernel.Name, Params: r.Params, Cores: r.Cores,
		Machine: r.Machine.Name}
	for _, name := range schedulers {
		if !slices.Contains(request.Names(r.Schedulers), name) {
			return nil, &request.Error{Flag: "scheduler", Got: name,
				Want: request.Suggest(name, request.Names(r.Schedulers), "of the run")}
		}
	}
	if len(schedulers) == 0 {
		schedulers = request.Names(slices.DeleteFunc(slices.Clone(r.Schedulers),
			func(x runtimes.Scheduler) bool { return x.Serial() }))
	}
	if reps = min(reps, r.Reps); reps < 1 {
		return nil, &request.Error{Flag: "reps", Got: fmt.Sprint(reps), Want: "at least 1"}
	}
	report.Repetitions = reps
	all, err := timeAll(ctx, r, topo, schedulers, reps, free, progress)
	if err != nil {
		return nil, err
	}
	for i, name := range schedulers {
		report.Losses = append(report.Losses, sum(name, workersOf(r, name), all[i]))
		report.compare(e, name, all[i])
	}
	report.conclude()
	return report, nil
}

// The costs of computing the losses of a run, in ns on a core of 2025, and the length of a moment:
// operations are timed some forty times, and misses of the LLC are slow to simulate.
const (
	operationNS, missNS = 2000, 100
	momentNS            = 1_000_000_000
)

// Quick reports whether the losses of a run are computed in about a second. It depends on the run alone.
func Quick(results []result.Result) bool {
	n := int64(0)
	for i := range results {
		r := &results[i]
		if r.Substrate != loi.Simulated || r.Settings.Follow != "" || r.Interrupted {
			return false
		}
		for k := range r.Repetitions {
			x := &r.Repetitions[k]
			if x.Kernels == nil || x.Tasks == nil {
				return false
			}
			n += (*x.Kernels + *x.Tasks) * operationNS
			for k := range x.Workers {
				if tried := x.Workers[k].StealsFailed; tried != nil {
					n += *tried * operationNS
				}
			}
			if misses := x.Counters.LLCMisses.Value; misses != nil {
				n += *misses * missNS
			}
		}
	}
	return n <= momentNS
}

func workersOf(r *request.Request, name string) int {
	for i := range r.Schedulers {
		if r.Schedulers[i].Name == name && r.Schedulers[i].Serial() {
			return 1
		}
	}
	return r.Cores
}

func oneConfiguration(e *dataset.Experiment) error {
	if len(e.Cells) == 0 {
		return failure.As(failure.Data, fmt.Errorf("%s: there is no result", e.Dir))
	}
	for i := range e.Cells {
		if e.Cells[i].Dir != e.Cells[0].Dir {
			return fmt.Errorf("%s: %w, such as %s", e.Dir, errSeveral, e.Cells[0].Dir)
		}
	}
	return nil
}

// requestOf returns what the cells of e, which are of one configuration, asked for.
func requestOf(e *dataset.Experiment) (*request.Request, *hw.Topology, error) {
	var names []string
	for i := range e.Cells {
		names = append(names, e.Cells[i].Result.Scheduler)
	}
	x := e.Cells[0].Result
	r := &request.Request{Params: x.Params, Cores: x.Cores, Seed: x.Seed, Settings: x.Settings}
	var err error
	if r.Kernel, err = request.FindKernel(x.Kernel); err != nil {
		return nil, nil, err
	}
	if r.Schedulers, err = request.FindSchedulers(names); err != nil {
		return nil, nil, err
	}
	if r.Machine, err = machineOf(e, x); err != nil {
		return nil, nil, err
	}
	topo, err := r.Machine.Topology()
	return r, topo, err
}

func machineOf(e *dataset.Experiment, x *result.Result) (*machine.Machine, error) {
	if x.Machine.Model == nil {
		return nil, fmt.Errorf("%s: %w", e.Dir, measure.ErrNoPast)
	}
	m := e.MachineOf(x)
	if m == nil {
		return nil, failure.As(failure.Data, fmt.Errorf("%s: the machine file of %s is neither in the folder nor "+
			"built in with the numbers of the run", e.Dir, x.Machine.Name))
	}
	return m, nil
}

// timeAll times all repetitions, by scheduler, as many at a time as the host has cores.
func timeAll(ctx context.Context, r *request.Request, topo *hw.Topology, schedulers []string, reps int,
	free bool, progress func(done, total int, next string)) ([][]timed, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all := make([][]timed, len(schedulers))
	for i := range all {
		all[i] = make([]timed, reps)
	}
	serials := make([]timed, reps)
	var mu sync.Mutex
	done, total := 0, reps*(1+len(schedulers))
	var wg sync.WaitGroup
	next := make(chan func() error)
	for range min(runtime.GOMAXPROCS(0), total) {
		wg.Go(func() {
			for f := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := f(); err != nil {
					cancel(err)
				}
				mu.Lock()
				done++
				if progress != nil {
					progress(done, total, "")
				}
				mu.Unlock()
			}
		})
	}
	for rep := range reps {
		next <- func() (err error) {
			serials[rep], err = timeSerial(ctx, r, topo, rep)
			return err
		}
		for i, name := range schedulers {
			next <- func() (err error) {
				all[i][rep], err = timeOne(ctx, r, topo, name, rep)
				for g := range groups {
					if free && err == nil {
						var ps uint64
						ps, err = measure.Free(ctx, r, topo, name, rep, groups[g].causes)
						all[i][rep].free = append(all[i][rep].free, float64(ps))
					}
				}
				return err
			}
		}
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	for i := range all {
		for rep := range all[i] {
			t := &all[i][rep]
			t.serial, t.serialAll, t.serialWork = serials[rep].time, serials[rep].serialAll, serials[rep].serialWork
			t.drawn = t.drawn || serials[rep].drawn
		}
	}
	return all, nil
}

// timeSerial times the serial run, as it is and without all causes.
func timeSerial(ctx context.Context, r *request.Request, topo *hw.Topology, rep int) (t timed, err error) {
	p, err := measure.NewPast(ctx, r, topo, "", rep)
	if err != nil {
		return t, err
	}
	defer p.Close()
	all, err := p.Without(measure.AllCauses, nil)
	return timed{time: float64(p.TimePS), serialAll: float64(all), serialWork: float64(p.WorkPS()), drawn: p.Drawn}, err
}

// timeOne times one repetition of a scheduler without each set of groups, and divides the groups that
// matter.
func timeOne(ctx context.Context, r *request.Request, topo *hw.Topology, name string, rep int) (t timed, err error) {
	p, err := measure.NewPast(ctx, r, topo, name, rep)
	if err != nil {
		return t, err
	}
	defer p.Close()
	t.time, t.drawn = float64(p.TimePS), p.Drawn
	without := func(c measure.Causes, of []bool) float64 {
		if err == nil {
			err = ctx.Err()
		}
		var ps uint64
		if err == nil {
			ps, err = p.Without(c, of)
		}
		return float64(ps)
	}
	for s := range t.without {
		var c measure.Causes
		for i := range groups {
			if s>>i&1 != 0 {
				c |= groups[i].causes
			}
		}
		t.without[s] = without(c, nil)
	}
	t.span, t.work = float64(p.SpanPS()), float64(p.WorkPS()) // the last set is that of all
	t.parts, t.objects = make([][]float64, len(groups)), make([][]float64, len(groups))
	sets := t.nameObjects(p)
	for i, share := range t.shapley() {
		if share < partsFrom*t.time {
			continue
		}
		for _, part := range groups[i].parts {
			t.parts[i] = append(t.parts[i], t.time-without(part.causes, nil))
		}
		for _, of := range sets {
			if groups[i].memory {
				t.objects[i] = append(t.objects[i], t.time-without(groups[i].causes, of))
			}
		}
	}
	return t, err
}

// nameObjects names the objects that are told apart, the largest first, and returns which objects each
// name stands for.
func (t *timed) nameObjects(p *measure.Past) (sets [][]bool) {
	order := make([]int, len(p.Objects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Objects[b].Bytes(), p.Objects[a].Bytes()) })
	for n, o := range order {
		if n > mostObjects || n == mostObjects && len(order) > mostObjects+1 {
			t.names[n-1], sets[n-1][o] = "others", true
			break
		}
		of := make([]bool, len(p.Objects))
		of[o] = true
		t.names, sets = append(t.names, p.Objects[o].Name), append(sets, of)
	}
	return sets
}

// shapley returns what each group costs, in ps: together v({}) - v(all).
func (t *timed) shapley() (shares [5]float64) {
	n := len(groups)
	for i := range shares {
		for s := range t.without {
			if s>>i&1 == 0 {
				shares[i] += weight(bits.OnesCount(uint(s)), n) * (t.without[s] - t.without[s|1<<i])
			}
		}
	}
	return shares
}

// weight returns the share of the orders of n in which those before one are a given set of size k.
func weight(k, n int) float64 {
	w := 1 / float64(n)
	for i := range k { // 1 / (n * C(n-1, k))
		w *= float64(i+1) / float64(n-1-i)
	}
	return w
}

// ends returns the least and the most that taking group i away gives, over all orders.
func (t *timed) ends(i int) (least, most float64) {
	first := true
	for s := range t.without {
		if s>>i&1 != 0 {
			continue
		}
		d := t.without[s] - t.without[s|1<<i]
		if first {
			least, most, first = d, d, false
		}
		least, most = min(least, d), max(most, d)
	}
	return least, most
}
