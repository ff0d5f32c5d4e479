package request

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

func draft(t *testing.T, change func(*Draft)) *Draft {
	t.Helper()
	d := &Draft{Request: valid(t), Place: Auto}
	if change != nil {
		change(d)
	}
	return d
}

// Where a request is run, with how many cores, repetitions and schedulers.
func TestDraft(t *testing.T) {
	all, err := ParseSchedulers(AllSchedulers)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*Draft)
		want   string
	}{
		"there is room": {nil, "native 2 cores 10 reps 1 warm-up 1"},
		"all": {func(d *Draft) { d.AllCores = true },
			"native 2 cores 10 reps 1 warm-up 1"},
		"no room": {func(d *Draft) { d.Cores = 12 }, DefaultMachine +
			" 12 cores 10 reps 0 warm-up 1"},
		"told to be real": {func(d *Draft) { d.Cores, d.Place = 12, Native },
			"native 12 cores 10 reps 1 warm-up 1"},
		"pinned": {func(d *Draft) { d.Cores, d.Pinned = 12, true },
			"native 12 cores 10 reps 1 warm-up 1"},
		"a list": {func(d *Draft) {
			d.AllCores, d.Bind = true, hw.Binding{List: []int{0, 1, 2}}
		}, "native 3 cores 10 reps 1 warm-up 1"},
		"nodes": {func(d *Draft) { d.AllCores, d.Topology = true, "2x3" },
			"native 6 cores 10 reps 1 warm-up 1"},
		"all schedulers": {func(d *Draft) {
			d.Place, d.AllCores, d.AllSchedulers, d.Schedulers = DefaultMachine, true, true, all
		}, fmt.Sprintf("%s 24 cores 10 reps 0 warm-up %d", DefaultMachine, len(all)-1)},
	} {
		d := draft(t, test.change)
		c, err := d.Resolve(&Machines{Host: testHost})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		where := Native
		if c.Machine != nil {
			where = c.Machine.Name
		}
		if got := fmt.Sprintf("%s %d cores %d reps %d warm-up %d", where, c.Cores, c.Reps, c.Warmup,
			len(c.Schedulers)); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
		if tooFew := d.Place == Auto && c.Machine != nil; (c.TooFew == 2) != tooFew {
			t.Errorf("%s: TooFew is %d", name, c.TooFew)
		}
	}
	for name, change := range map[string]func(*Draft){
		"more than any":   func(d *Draft) { d.Cores = 25 },
		"no such machine": func(d *Draft) { d.Place = "westmere" },
		"a folder":        func(d *Draft) { d.Place = "." },
	} {
		var wrong *Error
		if _, err := draft(t, change).Resolve(&Machines{Host: testHost}); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The cells of a sweep come machine by machine, then by parameters, seeds and cores.
func TestSweepOrder(t *testing.T) {
	s := Sweep{Draft: *draft(t, nil), Places: []string{Native, DefaultMachine},
		Params: []kernel.Params{valid(t).Params, valid(t).Params}, Seeds: []uint64{3, 1},
		SimulatedTrace: TraceKRD}
	s.Params[1]["n"] = 64
	list, err := s.Requests(context.Background(), &Machines{Host: testHost})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		if r.Machine == nil && r.Trace != TraceDefault || r.Machine != nil && r.Trace != TraceKRD {
			t.Errorf("%+v is traced as %s", r.Machine, r.Trace)
		}
		got = append(got, fmt.Sprintf("%v/%v/%d/%d", r.Machine != nil, r.Params["n"], r.Seed,
			r.Cores))
	}
	var want []string
	for i, cores := range [][]int{{1, 2}, {1, 2, 4, 6, 12, 18, 24}} {
		for _, n := range []int{4096, 64} {
			for _, seed := range []int{3, 1} {
				for _, c := range cores {
					want = append(want, fmt.Sprintf("%v/%d/%d/%d", i == 1, n, seed, c))
				}
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := s.Requests(ctx, &Machines{Host: testHost}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// Pages are where the machine puts them unless asked for. A placement without an effect is refused.
func TestPlacement(t *testing.T) {
	two := *testHost
	two.NUMA = []hw.NUMANode{{ID: 0, Bytes: 1 << 30}, {ID: 2, Bytes: 1 << 30}, {ID: 3}}
	if got := two.Memories(); !slices.Equal(got, []int{0, 2}) {
		t.Fatalf("memories %v", got)
	}
	for name, test := range map[string]struct {
		kernel, place string
		host          *hw.Topology
		refused       bool
	}{
		"native":           {"matmul", Native, &two, false},
		"one memory":       {"matmul", Native, testHost, true},
		"not placed":       {"fmm", Native, &two, true},
		"no data":          {"fib", Native, &two, true},
		"simulated":        {"fmm", DefaultMachine, testHost, false},
		"simulated, alone": {"matmul", "desktop", testHost, true},
		"nothing to place": {"fib", DefaultMachine, testHost, true},
	} {
		k, err := FindKernel(test.kernel)
		if err != nil {
			t.Fatal(err)
		}
		d := &Draft{Request: New(k), Place: test.place}
		d.Cores, d.NUMA = 2, NUMAInterleave
		c, err := d.Resolve(&Machines{Host: test.host})
		if err != nil {
			t.Fatal(err)
		}
		var wrong *Error
		if err := c.Validate(c.Topology); errors.As(err, &wrong) != test.refused ||
			test.refused && wrong.Flag != "numa" {
			t.Errorf("%s: %v", name, err)
		}
		for _, unasked := range []bool{false, true} {
			d.NUMA, d.DefaultNUMA = NUMANode0, unasked
			machines := &Machines{Host: test.host}
			if test.place != Native {
				m, err := machines.Find(test.place)
				if err != nil {
					t.Fatal(err)
				}
				changed := *m
				changed.Memory.Placement = machine.Interleave
				machines.found[test.place] = &changed
			}
			c, err := d.Resolve(machines)
			if err != nil {
				t.Fatal(err)
			}
			if want := c.Machine != nil && unasked; (c.NUMA == NUMAInterleave) != want {
				t.Errorf("%s, not asked: %v: %s", name, unasked, c.NUMA)
			}
			if err := c.Validate(c.Topology); err != nil {
				t.Errorf("%s: the machine's own: %v", name, err)
			}
		}
	}
}

// Schedulers that divide ranges of workers are left out of all where there are too many workers, and
// refused where they are named.
func TestTooManyWorkers(t *testing.T) {
	host, err := hw.Synthetic("16x64")
	if err != nil {
		t.Fatal(err)
	}
	for cores, want := range map[int]bool{1023: true, 1024: false} {
		d := Draft{Place: Native, AllSchedulers: true}
		d.Cores, d.Schedulers = cores, runtimes.Schedulers
		c, err := d.Resolve(&Machines{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		var places []string
		for _, s := range c.Schedulers {
			if s.Rules().Place {
				places = append(places, s.Name)
			}
		}
		if (len(places) > 0) != want || len(c.Schedulers) < 2 {
			t.Errorf("%d workers: %v of %d schedulers divide ranges", cores, places, len(c.Schedulers))
		}
		r := valid(t)
		r.Cores = cores
		if r.Schedulers, err = FindSchedulers([]string{"workfirst", "static"}); err != nil {
			t.Fatal(err)
		}
		if err = r.Validate(host); want != (err == nil) ||
			!want && !strings.Contains(err.Error(), ": static cannot have 1024 workers") {
			t.Errorf("%d workers: %v", cores, err)
		}
	}
}
