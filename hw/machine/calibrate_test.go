package machine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/hwtest/long"
	"krdlab/hw/ops"
)

// A fake is a computer with a clock of its own: every load takes the truth's time for the size that
// is walked, every third sample is disturbed, and memory streams at the truth's bandwidth.
type fake struct {
	truth   *Machine
	size    uint64
	now     uint64
	samples int
	idle    map[int]bool           // nodes without usable cores
	round   int                    // from 1
	load    func(round int) uint64 // by which all times are multiplied; nil for 1
}

func (f *fake) most() uint64       { return f.size }
func (f *fake) conditions() string { return "a fake" }

func (f *fake) cores(node int) []int {
	var out []int
	for i := range f.truth.CoresPerNode {
		if !f.idle[node] {
			out = append(out, node*f.truth.CoresPerNode+i)
		}
	}
	return out
}

// sample advances the clock and returns what a stop-watch shows.
func (f *fake) sample(ps uint64) uint64 {
	f.samples++
	if f.samples%3 == 0 {
		ps *= 5 // another program ran
	}
	if f.load != nil {
		ps *= f.load(f.round)
	}
	start := f.now
	f.now += ps
	return f.now - start
}

func (f *fake) several(n int, ps uint64) []uint64 {
	var out []uint64
	for range n {
		out = append(out, f.sample(ps))
	}
	return out
}

func (f *fake) walk(core, domain int, bytes uint64, chains, loads, samples int) ([]uint64, error) {
	if bytes > f.size || bytes%uint64(f.truth.L1.LineBytes) != 0 {
		return nil, errors.New("asked for a wrong size")
	}
	m := f.truth
	ps := m.Memory.RemotePS[m.NodeOf(core)][domain*m.Memory.NodesPerDomain]
	switch {
	case bytes <= m.L1.Bytes:
		ps = m.L1.LatencyPS
	case bytes <= m.L2.Bytes:
		ps = m.L2.LatencyPS
	case bytes <= m.LLC.Bytes:
		ps = m.LLC.LatencyPS
	case bytes < 2*m.LLC.Bytes:
		ps = (ps + m.LLC.LatencyPS) / 2
	}
	return f.several(samples, ps*uint64(loads)*uint64(max(chains, m.Memory.GatherMisses))/uint64(
		m.Memory.GatherMisses)), nil
}

func (f *fake) rows(core, domain int, bytes uint64, samples int) ([]uint64, error) {
	m := f.truth
	ps := m.Memory.RemotePS[m.NodeOf(core)][domain*m.Memory.NodesPerDomain]
	return f.several(samples, ps*(bytes/uint64(m.L1.LineBytes))/uint64(m.Memory.OverlapMisses)), nil
}

func (f *fake) stream(cores []int, bytes uint64, times, samples int) ([]uint64, error) {
	all := bytes * uint64(len(cores))
	if all > f.size {
		return nil, errors.New("asked for too much")
	}
	x := f.truth.Memory
	if times > 1 {
		rate := f.truth.LLC.BytesPerSecond
		if bytes <= f.truth.L2.Bytes {
			rate = f.truth.L2.BytesPerSecond
		}
		return f.several(samples, bytes*uint64(times)*1000/(rate/1e9)), nil
	}
	nodes := map[int]bool{}
	for _, c := range cores {
		nodes[f.truth.NodeOf(c)] = true
	}
	rate := min(x.BytesPerSecond, uint64(len(cores))*x.CoreBytesPerSecond)
	if x.NodeBytesPerSecond != 0 {
		rate = min(rate, uint64(len(nodes))*x.NodeBytesPerSecond)
	}
	return f.several(samples, all*1000/(rate/1e9)), nil
}

func (f *fake) spin(core int, n uint64, samples int) ([]uint64, error) {
	return f.several(samples, n*1e12/f.truth.CoreHz), nil
}

// estimate calibrates with a fake, beginning with what Host makes of the truth's topology.
func estimate(t *testing.T, f *fake) (*Machine, []Step, error) {
	t.Helper()
	top, err := f.truth.Topology()
	if err != nil {
		t.Fatal(err)
	}
	var steps []Step
	c := calibration{ctx: t.Context(), p: f, progress: func(s Step) { steps = append(steps, s) },
		when: "2000-01-01", rounds: Rounds{}, need: 3, beside: 1}
	m, err := c.run(func() (*Machine, error) {
		f.round++
		return Host(top)
	})
	if err != nil {
		return nil, steps, err
	}
	return m, steps, m.Validate()
}

func near(a, b uint64) bool { return max(a, b)-min(a, b) <= max(a, b)/1000+1 }

// Calibration finds the numbers of the machine that it runs on, whatever disturbs a third of the
// samples.
func TestCalibrateFindsTheTruth(t *testing.T) {
	for _, name := range Names() {
		truth := named(t, name)
		m, steps, err := estimate(t,
			&fake{truth: truth, size: 2 * truth.LLC.Bytes * uint64(max(2,
				truth.Memory.NodesPerDomain))})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range []struct {
			path      string
			got, want uint64
		}{
			{"core.clock", m.CoreHz, truth.CoreHz}, {"l1.latency", m.L1.LatencyPS,
				truth.L1.LatencyPS}, {"l2.latency", m.L2.LatencyPS, truth.L2.LatencyPS},
			{"llc.latency", m.LLC.LatencyPS, truth.LLC.LatencyPS},
			{"memory.local", m.Memory.LocalPS, truth.Memory.LocalPS},
			{"memory.remote", m.Memory.RemotePS[0][m.Nodes-1], truth.Memory.RemotePS[0][m.Nodes-1]},
			{"l2.bandwidth", m.L2.BytesPerSecond, truth.L2.BytesPerSecond / 1e9 * 1e9},
			{"llc.bandwidth", m.LLC.BytesPerSecond, truth.LLC.BytesPerSecond / 1e9 * 1e9},
			{"memory.core_bandwidth", m.Memory.CoreBytesPerSecond,
				truth.Memory.CoreBytesPerSecond / 1e9 * 1e9},
			{"memory.gather", uint64(m.Memory.GatherMisses), uint64(truth.Memory.GatherMisses)},
			{"memory.bandwidth", m.Memory.BytesPerSecond, min(truth.Memory.BytesPerSecond,
				truth.Memory.CoreBytesPerSecond*
					uint64(truth.CoresPerNode*truth.Memory.NodesPerDomain)) / 1e9 * 1e9},
			{"memory.node_bandwidth", m.Memory.NodeBytesPerSecond,
				truth.Memory.NodeBytesPerSecond / 1e9 * 1e9},
			{"memory.overlap", uint64(m.Memory.OverlapMisses), uint64(truth.Memory.OverlapMisses)},
		} {
			if !near(c.got, c.want) {
				t.Errorf("%s: %s is %d, the truth is %d", name, c.path, c.got, c.want)
			}
			if f := c.path; (c.want != 0 && m.Guessed(f)) &&
				(f != remotePath || truth.Domains() > 1) {
				t.Errorf("%s: %s was measured, and its source is %q", name, f, m.Source(f))
			}
		}
		if !m.Guessed("costs.spawn") || !m.Guessed("llc.inclusive") || !m.Guessed("rates.fused") {
			t.Errorf("%s: what is not measured is said to be: %v", name, m.Sources)
		}
		last := steps[len(steps)-1]
		if last.Done != last.Total || last.Total != len(steps) {
			t.Errorf("%s: %d steps, the last is %d of %d", name, len(steps), last.Done, last.Total)
		}
	}
}

// Rounds that other programs disturbed do not count while two agree; where none do, in three times
// as many rounds, calibration is refused with the quantity, its values and the load.
func TestCalibrateBesideLoad(t *testing.T) {
	truth := named(t, "desktop")
	for name, x := range map[string]struct {
		load   func(round int) uint64
		rounds int
	}{
		"one bad round":            {func(r int) uint64 { return 1 + uint64(r)/2%2 }, 4},
		"the first rounds are bad": {func(r int) uint64 { return 1 << max(0, 5-r) }, 6},
	} {
		f := &fake{truth: truth, size: 4 * truth.LLC.Bytes, load: x.load}
		if m, _, err := estimate(t, f); err != nil || !near(m.CoreHz, truth.CoreHz) ||
			!near(m.Memory.LocalPS, truth.Memory.LocalPS) || f.round > x.rounds {
			t.Errorf("%s: %d rounds, %+v, %v", name, f.round, m, err)
		}
	}
	f := &fake{truth: truth, size: 4 * truth.LLC.Bytes,
		load: func(r int) uint64 { return 1 << r }}
	_, steps, err := estimate(t, f)
	e, ok := errors.AsType[*DisturbedError](err)
	if !ok || f.round != 3*MoreRounds || len(e.PS) != f.round ||
		failure.Of(err) != failure.Capability {
		t.Fatalf("%d rounds, %v", f.round, err)
	}
	for _, want := range []string{e.What + ": ", "the 9 rounds took ", "two of them within 50 %",
		"the load average is ", "stop what runs beside"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %q", err, want)
		}
	}
	if last := steps[len(steps)-1]; last.Done != last.Total || last.Total != len(steps) {
		t.Errorf("%d steps, the last is %d of %d", len(steps), last.Done, last.Total)
	}
}

// A quick calibration walks the sizes that stand for a level and no others.
func TestCalibrateQuick(t *testing.T) {
	truth := named(t, "westmere-ex-4s")
	sizes := sizesToWalk(truth, 4*truth.LLC.Bytes, true)
	levels := levelSizes(truth)
	if want := append(levels[:], 4*truth.LLC.Bytes); !slices.Equal(sizes, want) {
		t.Errorf("sizes %d, want %d", sizes, want)
	}
	if n := len(sizesToWalk(truth, 4*truth.LLC.Bytes, false)); n < 3*len(sizes) {
		t.Errorf("%d sizes, quick %d", n, len(sizes))
	}
}

// With little memory nothing beyond the caches is measured, and the other sources keep their mark.
func TestCalibrateLittleMemory(t *testing.T) {
	truth := named(t, "westmere-ex-4s")
	m, _, err := estimate(t, &fake{truth: truth, size: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"llc.latency", "memory.local", "memory.remote",
		"memory.bandwidth", "memory.overlap"} {
		if !m.Guessed(path) {
			t.Errorf("%s is said to be known: %q", path, m.Source(path))
		}
	}
	if m.Guessed("l2.latency") || m.L2.LatencyPS != truth.L2.LatencyPS {
		t.Errorf("l2.latency is %d: %q", m.L2.LatencyPS, m.Source("l2.latency"))
	}
}

// A memory without cores that may be used cannot be measured; the guess for it stays and is said to
// be one.
func TestCalibrateIdleNode(t *testing.T) {
	truth := named(t, "westmere-ex-4s")
	m, _, err := estimate(t, &fake{truth: truth, size: 4 * truth.LLC.Bytes,
		idle: map[int]bool{0: true, 2: true}})
	if err != nil {
		t.Fatal(err)
	}
	if !near(m.Memory.RemotePS[1][3], truth.Memory.RemotePS[1][3]) || !m.Guessed(remotePath) ||
		m.Guessed("memory.local") {
		t.Errorf("%v from %q", m.Memory.RemotePS, m.Source(remotePath))
	}
	if _, _, err := estimate(t, &fake{truth: truth, size: 4 * truth.LLC.Bytes,
		idle: map[int]bool{0: true, 1: true, 2: true, 3: true}}); err == nil ||
		!strings.Contains(err.Error(), "no core of any node") {
		t.Errorf("the error is %v", err)
	}
}

func TestInterpretNoise(t *testing.T) {
	levels, memory := interpret([]Point{{16, 900}, {32, 1000}, {64, 950}, {128, 800}, {256, 5000},
		{1024, 4000}}, [3]uint64{16, 64, 128}, 512)
	if levels != [3]uint64{900, 950, 950} || memory != 4000 {
		t.Errorf("%v and %d", levels, memory)
	}
	levels, memory = interpret([]Point{{16, 900}, {32, 1000}}, [3]uint64{16, 64, 128}, 512)
	if levels != [3]uint64{900, 0, 0} || memory != 0 {
		t.Errorf("%v and %d", levels, memory)
	}
}

// The walk visits every line once before it comes back.
func TestCycle(t *testing.T) {
	for _, lines := range []int{1, 2, 3, 64, 1000} {
		words := make([]uint64, lines*8)
		cycle(words, 8, nil)
		seen := map[uint64]bool{}
		at := uint64(0)
		for range lines {
			if seen[at] || at%8 != 0 {
				t.Fatalf("%d lines: word %d again or not at a line", lines, at)
			}
			seen[at] = true
			at = chase(words, at, 1)
		}
		if at != 0 || chase(words, 0, lines) != 0 {
			t.Errorf("%d lines: the walk ends at word %d", lines, at)
		}
	}
}

func TestRates(t *testing.T) {
	if r := perSecond(3, 1e12); r != 3 {
		t.Error(r)
	}
	if r := perSecond(1<<63, 1); r != 0 {
		t.Error(r)
	}
	if r := perSecond(1, 0); r != 0 {
		t.Error(r)
	}
}

// On the computer of the test: every number is there, and ordered as on any computer. How fast it
// is does not matter.
func TestCalibrateHere(t *testing.T) {
	top, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	latencies := map[uint64]bool{}
	m, err := Calibrate(t.Context(), top, CalibrateOptions{Quick: !long.Tests, Beside: 1}, func(s Step) {
		if s.What == "latency" {
			latencies[s.Bytes] = true
		}
	})
	if n := len(latencies); (n == 0) != errors.Is(err, ErrNotKnown) || n > 4 && !long.Tests {
		t.Errorf("latencies of %d sizes, error %v", n, err)
	}
	if _, refused := errors.AsType[*DisturbedError](err); refused || errors.Is(err, ErrNotKnown) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if m.CoreHz < 1e8 || m.CoreHz > 2e10 {
		t.Errorf("a clock of %d Hz", m.CoreHz)
	}
	if m.L1.LatencyPS < 50 || m.L1.LatencyPS > m.L2.LatencyPS || m.L2.LatencyPS > m.LLC.LatencyPS ||
		m.LLC.LatencyPS > m.Memory.LocalPS {
		t.Errorf("latencies %d, %d, %d, %d ps", m.L1.LatencyPS, m.L2.LatencyPS, m.LLC.LatencyPS,
			m.Memory.LocalPS)
	}
	if !m.Guessed("memory.local") && m.Memory.LocalPS < 2*m.L1.LatencyPS {
		t.Errorf("memory answers in %d ps, L1 in %d", m.Memory.LocalPS, m.L1.LatencyPS)
	}
	if m.Guessed("l1.latency") || m.Guessed("core.clock") {
		t.Errorf("sources %v", m.Sources)
	}
}

func TestCalibrateStops(t *testing.T) {
	top, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	_, err = Calibrate(ctx, top, CalibrateOptions{}, func(Step) { n++; stop() })
	if errors.Is(err, ErrNotKnown) {
		t.Skip(err)
	}
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d measurements after the stop, error %v", n, err)
	}
}

func TestSetMeasured(t *testing.T) {
	m, err := Parse("good.toml", []byte(good(t)))
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]uint64{"costs.spawn": 7, "costs.lock_delay": 0,
		"families.massivethreads.pop": 1003, "rates.fused": 5e9}
	for _, path := range slices.Sorted(maps.Keys(measured)) {
		if err := m.SetMeasured(path, measured[path], "benchmarks"); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	w := m.CostsOf("massivethreads")
	if m.Costs.SpawnPS != 7 || m.Costs.PopPS != 5_000 || w.PopPS != 1003 || w.SpawnPS != 7 ||
		m.Rates[ops.Fused] != 5e9 {
		t.Errorf("%+v, %+v", m.Costs, w)
	}
	if s := m.CostsOf("qthreads-socket"); s.SpawnPS != 7 || s.LockPS != 50_000 {
		t.Errorf("the other family's: %+v", s)
	}
	for path := range measured {
		if m.Source(path) != "benchmarks" || m.Guessed(path) {
			t.Errorf("%s is from %q", path, m.Source(path))
		}
	}
	if !m.Guessed("costs.pop") {
		t.Error("costs.pop was not measured")
	}
	for _, path := range []string{"costs.sleep", "families.p.sleep", "name",
		"memory.remote"} {
		err := named(t, "desktop").SetMeasured(path, 1, "x")
		if want := "set a measured number: " + path + ": no such number"; err == nil ||
			err.Error() != want {
			t.Errorf("the error is %v, not %s", err, want)
		}
	}
}

func TestDigits(t *testing.T) {
	for x, want := range map[uint64]uint64{0: 0, 9: 9, 9999: 9999, 12344: 12340, 12345: 12350,
		99995: 100_000, 99994: 99_990, 4_484_329_632: 4_484_000_000,
		1<<64 - 1: 18_440_000_000_000_000_000} {
		if got := Digits(x); got != want {
			t.Errorf("%d becomes %d, want %d", x, got, want)
		}
	}
}

// Numbers are those that a file has, and their values those of the machine.
func TestNumbers(t *testing.T) {
	m, err := Parse("good.toml", []byte(good(t)))
	if err != nil {
		t.Fatal(err)
	}
	paths := m.Paths()
	seen := map[string]Number{}
	for i, n := range m.Numbers() {
		if i >= len(paths) || n.Path != paths[i] {
			t.Fatalf("number %d is %s, want the paths %v", i, n.Path, paths)
		}
		if n.Guessed != m.Guessed(n.Path) || n.Source != m.Source(n.Path) {
			t.Errorf("%+v is from %q", n, m.Source(n.Path))
		}
		seen[n.Path] = n
	}
	if len(seen) != len(paths) {
		t.Fatalf("%d numbers, want %d", len(seen), len(paths))
	}
	for path, want := range map[string]struct {
		value uint64
		unit  string
	}{
		"nodes": {uint64(m.Nodes), ""}, "core.clock": {m.CoreHz, "Hz"},
		"l2.latency": {m.L2.LatencyPS, "ps"}, "llc.size": {m.LLC.Bytes, "B"},
		"l1.line": {uint64(m.L1.LineBytes), "B"}, "memory.bandwidth": {m.Memory.BytesPerSecond,
			"B/s"}, "costs.spawn": {m.Costs.SpawnPS, "ps"},
		"families.qthreads-socket.lock": {50_000, "ps"},
		"rates.integer":                 {3e9, "op/s"},
	} {
		if n := seen[path]; n.Value == nil || *n.Value != want.value || n.Unit != want.unit {
			t.Errorf("%s is %+v, want %d %s", path, n, want.value, want.unit)
		}
	}
	if n := seen["llc.inclusive"]; n.Value != nil || n.Text != "false" && n.Text != "true" {
		t.Errorf("%+v", n)
	}
}
