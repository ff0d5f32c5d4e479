package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/runtimes"
)

// errNoise records that a time came out as nothing or less.
var errNoise = failure.New(failure.Capability,
	"no more than noise: other programs run, or the clock is too coarse")

// bench is the computer under measurement.
type bench struct {
	ctx     context.Context
	clock   hw.Clock
	tickPS  float64
	stamp   float64 // ticks that two stamps in a row show
	cpus    []int   // of the workers; -1 where threads cannot be pinned
	samples int
	rounds  int // of a sample
}

// pinned runs f on a thread of a CPU, if it is one.
func (b *bench) pinned(cpu int, f func()) error {
	if cpu >= 0 {
		return hw.OnCPU(cpu, f)
	}
	f()
	return nil
}

// canPin reports whether threads can be bound to CPUs here.
func canPin(cpu int) (bool, error) {
	err := hw.OnCPU(cpu, func() {})
	if errors.Is(err, hw.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}

// stamps measures what two stamps in a row show.
func (b *bench) stamps() error {
	ticks := make([]uint64, 20_000)
	err := b.pinned(b.cpus[0], func() {
		for i := range ticks {
			t := stamp()
			ticks[i] = stamp() - t
		}
	})
	b.stamp = midmean(ticks)
	return err
}

// run executes a program on workers on the first CPUs, with the given nodes.
func (b *bench) run(p runtimes.Policy, nodes []int, prog runtimes.Program) error {
	// A duel that hangs would hang the calibration: nothing here takes a tenth of this.
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	_, err := runtimes.Run(ctx, runtimes.Config{Policy: p, CPUs: b.cpus[:len(nodes)], Nodes: nodes,
		Seed: 1, Clock: b.clock}, prog)
	if errors.Is(err, runtimes.ErrStopped) {
		if cause := b.ctx.Err(); cause != nil {
			return cause
		}
		return fmt.Errorf("two workers took more than 20 s for milliseconds' work: %w", err)
	}
	return err
}

// stamp returns a time stamp that waits for earlier instructions: others are taken while a cache
// line of another core is still awaited.
func stamp() uint64 {
	t, _ := hw.TSCP()
	return t
}

// midmean returns the mean of the middle four fifths, 0 for nothing: interrupted samples do not
// count, and the steps of a coarse counter average out, as they do not in a median. It sorts x.
func midmean(x []uint64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	tenth := len(x) / 10
	var sum float64
	middle := x[tenth : len(x)-tenth]
	for _, v := range middle {
		sum += float64(v)
	}
	return sum / float64(len(middle))
}
