package calibrate

import (
	"math"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/ops"
	"krdlab/kernels/calibrate/loops"
	"krdlab/loi"
	"krdlab/runtimes"
)

// loopPS is about how long a sample of a loop takes.
const loopPS = 1e9

// operations takes a sample of each kind of operation: the time of one.
func (c *calibration) operations(s series) error {
	for _, l := range loops.New() {
		ps, err := c.more(l)
		if err != nil {
			return err
		}
		s.Add(rateOf(l.Kind), ps/float64(l.Ops))
		c.how[l.Kind] = l.How
	}
	return nil
}

// more returns the time of a loop's operations: what it takes beyond the loop without them. Where
// other programs make that nothing or less it is measured again, and then [errNoise].
func (c *calibration) more(l loops.Loop) (ps float64, err error) {
	for range 5 {
		if ps, err = c.timed(l.Run); err == nil && l.Less != nil {
			var less float64
			less, err = c.timed(l.Less)
			ps -= less
		}
		if err != nil || ps > 0 {
			return ps, err
		}
	}
	return 0, errNoise
}

// rateOf names the samples of a kind.
func rateOf(k ops.Kind) string { return "rates." + k.String() }

// timed returns what a round of a loop takes on the first CPU, picoseconds: the least of three
// times about loopPS, or a tenth of it where the calibration is quick.
func (c *calibration) timed(run func(rounds int)) (ps float64, err error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	err = c.pinned(c.cpus[0], func() {
		took := func(rounds int) float64 {
			start := hw.TSC()
			run(rounds)
			return float64(hw.TSC()-start) * c.tickPS
		}
		aim, rounds := loopPS*float64(c.rounds)/4000, 1
		for took(rounds) < aim/10 { // warm up, and find out how many
			rounds *= 2
		}
		rounds = max(1, int(aim/took(rounds)*float64(rounds)))
		ps = math.Inf(1)
		for range 3 {
			ps = min(ps, took(rounds)/float64(rounds))
		}
	})
	return ps, err
}

// perSecond returns the rate of an operation that takes so long.
func perSecond(ps float64) uint64 { return machine.Digits(uint64(math.Round(1e12 / ps))) }

// stamped is a program whose root runs an empty kernel so many times in each of some phases.
type stamped struct {
	runtimes.Frame
	kernels, phases int
}

func (t *stamped) Root(*runtimes.Worker) *runtimes.Frame {
	t.Bind(t, 1)
	return t.Fork(1)
}

func (t *stamped) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	for i := range t.kernels {
		start := w.Begin(0)
		w.End(0, start, uint32(i), 0, 0)
	}
	return nil
}

func (t *stamped) Next(_ *runtimes.Worker, phase int) int { return min(1, t.phases-phase-1) }

// kernels takes a sample of what an execution takes beside the kernel: the time of a serial run of
// empty ones, stamped and added to the profile.
func (c *calibration) kernels(s series) error {
	p := &stamped{kernels: 1000, phases: max(c.rounds/20, 1)}
	r, err := runtimes.Run(c.ctx, runtimes.Config{Policy: runtimes.Serial{}, CPUs: c.cpus[:1],
		Nodes: []int{0}, Seed: 1, Clock: c.clock, Tracing: runtimes.TraceProfile,
		Kernels: []loi.Kernel{{Name: "empty"}}}, p)
	if err != nil {
		return err
	}
	s.Add(stamps, float64(r.TimeNS)*1e3/float64(p.kernels*p.phases))
	return nil
}

// stamps names the samples of kernels.
const stamps = "costs.kernel"
