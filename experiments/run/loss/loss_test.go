package loss

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A planting is a cause that is put into a run.
type planting struct {
	name      string
	kernel    string
	params    kernel.Params
	scheduler string
	numa      request.NUMAPolicy // of both
	lines     bool               // caches hold lines
	into      func(m *machine.Machine, r *request.Request)
	group     int
}

// parallelism stands behind the groups.
const parallelism = 5

var plantings = []planting{
	{"prices of the runtime times 20", "matmul", kernel.Params{"n": 256}, "workfirst", request.NUMADealt, false,
		func(m *machine.Machine, _ *request.Request) { runtimeTimes(m, 20) }, 0},
	{"hand-over of locks times 30", "matmul", kernel.Params{"n": 256}, "central-lifo", request.NUMADealt, false,
		func(m *machine.Machine, _ *request.Request) {
			priced(m, func(c *machine.Costs) { c.LockHandoverPS *= 30 })
		}, 1},
	{"a layout that shares lines", "cells", kernel.Params{}, "static", request.NUMADealt, true,
		func(_ *machine.Machine, r *request.Request) { r.Params["apart"] = 8 }, 3},
	{"a task that takes 40 times as long", "cells", kernel.Params{"rounds": 20}, "static", request.NUMADealt, false,
		func(_ *machine.Machine, r *request.Request) { r.Params["long"] = 40 }, parallelism},
	{"an LLC of a twelfth", "spmv", kernel.Params{}, "static", request.NUMADealt, false,
		func(m *machine.Machine, _ *request.Request) { m.LLC.Bytes /= 12 }, 2},
	{"remote latency times 6", "matmul", kernel.Params{"n": 512}, "static", request.NUMANode0, false,
		func(m *machine.Machine, _ *request.Request) {
			for a, row := range m.Memory.RemotePS {
				for b := range row {
					if a != b {
						m.Memory.RemotePS[a][b] *= 6
					}
				}
			}
		}, 4},
	{"pages on node 0", "fft", kernel.Params{}, "numa-ws", request.NUMADealt, false,
		func(_ *machine.Machine, r *request.Request) { r.NUMA = request.NUMANode0 }, 4},
}

// priced changes the prices of all families of runtimes.
func priced(m *machine.Machine, change func(c *machine.Costs)) {
	change(&m.Costs)
	for f, c := range m.Families {
		change(&c)
		m.Families[f] = c
	}
}

func runtimeTimes(m *machine.Machine, n uint64) {
	priced(m, func(c *machine.Costs) {
		for _, p := range []*uint64{&c.SpawnPS, &c.PopPS, &c.StealLocalPS, &c.StealRemotePS, &c.StealFailedPS,
			&c.MailPS, &c.JoinPS, &c.LockPS, &c.RestPS} {
			*p = max(1000, *p*n)
		}
	})
}

func plantedRun(t *testing.T, p *planting, planted bool) timed {
	t.Helper()
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	m.Ranges = nil // of what was
	k, ok := kernels.ByName(p.kernel)
	if p.kernel == cells.Name {
		k, ok = &cells, true
		runtimeTimes(m, 0)
		priced(m, func(c *machine.Costs) { c.LockHandoverPS = 0 })
	}
	if !ok {
		t.Fatal(p.kernel)
	}
	r := request.New(k)
	for name, v := range p.params {
		r.Params[name] = v
	}
	x, ok := runtimes.SchedulerByName(p.scheduler)
	if !ok {
		t.Fatal(p.scheduler)
	}
	r.Machine, r.Cores, r.Schedulers, r.NUMA = m, 24, []runtimes.Scheduler{x}, p.numa
	if p.lines {
		r.CacheModel = request.CacheLines
	}
	if planted {
		p.into(m, &r)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	one, err := timeSerial(t.Context(), &r, topo, 0)
	if err != nil {
		t.Fatal(err)
	}
	serial := one
	one, err = timeOne(t.Context(), &r, topo, p.scheduler, 0)
	if err != nil {
		t.Fatal(err)
	}
	one.serial, one.serialAll = serial.time, serial.serialAll
	return one
}

// A planted cause is the largest group, and taking it away alone gives back what it added, within 10 %.
// Others change by less than 2 % of the time unless they share a cost with it.
func TestPlanted(t *testing.T) {
	for i := range plantings {
		p := &plantings[i]
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			before, after := plantedRun(t, p, false), plantedRun(t, p, true)
			costs := func(r *timed) []float64 {
				shares := r.shapley()
				return append(shares[:], max(0, r.span-r.serialAll/24))
			}
			shares := costs(&after)
			for g, ps := range shares {
				if g != p.group && ps >= shares[p.group] {
					t.Errorf("cause %d costs %.3g of %.3g ms, the planted one %.3g, expected less", g, ps/1e9, after.time/1e9,
						shares[p.group]/1e9)
				}
			}
			alone := func(r *timed, g int) float64 {
				if g == parallelism {
					return costs(r)[g]
				}
				return r.time - r.without[1<<g]
			}
			for g := range groups {
				if p.group == parallelism || g == p.group {
					continue
				}
				both := after.time - after.without[1<<g|1<<p.group]
				apart := math.Abs(alone(&after, g)+alone(&after, p.group)-both) < 0.01*after.time
				if changed := alone(&after, g) - alone(&before, g); apart && math.Abs(changed) > 0.02*after.time {
					t.Errorf("%s costs %.3g ms more, of %.3g, and shares no cost with %s", groups[g].key, changed/1e9,
						after.time/1e9, groups[p.group].key)
				}
			}
			added, back := after.time-before.time, alone(&after, p.group)-alone(&before, p.group)
			if math.Abs(back-added) > 0.1*added {
				t.Errorf("taking cause %d away gives back %.4g ms of the %.4g that were added", p.group, back/1e9, added/1e9)
			}
		})
	}
}

// Shares are the mean over all orders of taking groups away, one by one, and make the whole.
func TestShapley(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var x timed
	for s := range x.without {
		x.without[s] = r.Float64()
	}
	var want [5]float64
	orders := 0
	var visit func(taken int, order []int)
	visit = func(taken int, order []int) {
		if len(order) == len(groups) {
			orders++
			set := 0
			for _, g := range order {
				want[g] += x.without[set] - x.without[set|1<<g]
				set |= 1 << g
			}
			return
		}
		for g := range groups {
			if taken>>g&1 == 0 {
				visit(taken|1<<g, append(order, g))
			}
		}
	}
	visit(0, nil)
	total := 0.0
	for g, got := range x.shapley() {
		total += got
		if math.Abs(got-want[g]/float64(orders)) > 1e-12 {
			t.Errorf("group %d: %g, expected %g, the mean over %d orders", g, got, want[g]/float64(orders), orders)
		}
	}
	if whole := x.without[0] - x.without[31]; math.Abs(total-whole) > 1e-12 {
		t.Errorf("shares make %g, expected %g", total, whole)
	}
}

// A run that takes another time than its folder has is doubted, and one that takes the same is not.
func TestNotRepeated(t *testing.T) {
	of := func(ns int64) []string {
		var r Report
		x := &result.Result{Scheduler: "one", Repetitions: []result.Repetition{{TimeNS: 1e9}, {TimeNS: ns}}}
		r.compare(&dataset.Experiment{Cells: []dataset.Cell{{Result: x}}}, "one", []timed{{time: 1e12}, {time: 1e12}})
		return r.Warnings
	}
	if got := of(1e9); len(got) != 0 {
		t.Errorf("%q of repetitions that take the same", got)
	}
	const want = "repetition 2 takes 1.00 s now and took 2.00 s"
	if got := of(2e9); len(got) != 1 || !strings.Contains(strings.ReplaceAll(got[0], "\u00a0", " "), want) {
		t.Errorf("%q, expected that repetition 2 took 2.00 s", got)
	}
}

// Parts that were measured natively make the time; unmeasured ones are unknown.
func TestMeasured(t *testing.T) {
	ns := func(v int64) *int64 { return &v }
	rep := result.Repetition{TimeNS: 100, WorkNS: ns(130), Workers: []result.Worker{
		{WorkNS: ns(80), IdleNS: ns(5), SchedNS: ns(15)}, {WorkNS: ns(50), IdleNS: ns(40), SchedNS: ns(10)}}}
	x := &result.Result{Scheduler: "one", Substrate: loi.Native, Repetitions: []result.Repetition{rep},
		Serial: result.Serial{Repetitions: []result.Repetition{{TimeNS: 120, WorkNS: ns(110)}}}}
	of := func() *Report {
		r, err := Of(t.Context(), &dataset.Experiment{Cells: []dataset.Cell{{Result: x}}}, nil, 6, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := of()
	if len(r.Losses) != 1 {
		t.Fatalf("%+v", r)
	}
	l := &r.Losses[0]
	sum := l.IdealNS.Median.Float()/100 - l.Serial.Share.Median.Float()
	for i, want := range []float64{0.225, 0.125, 0.1} {
		got := l.Groups[i].Share.Median.Float()
		if sum += got; math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, expected %g", l.Groups[i].Key, got, want)
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("ideal and shares make %g of the time", sum)
	}
	text := strings.Join(r.Warnings, "\n")
	if !strings.Contains(text, "measured, and not split") || strings.Contains(text, "stamped") {
		t.Errorf("%q", text)
	}
	x.Repetitions[0].WorkNS = nil
	if text := strings.Join(of().Warnings, "\n"); !strings.Contains(text, "serial run's was not stamped") {
		t.Errorf("%q of a run without stamps", text)
	}
}
