package measure

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
)

// countedEvents are read around every repetition, on each worker's thread.
var countedEvents = []hw.Event{
	hw.LLCMisses, hw.TaskClock, hw.PageFaults, hw.ContextSwitches, hw.InvoluntarySwitches,
	hw.Migrations,
}

// threadCounters are the counters of one repetition, one set a worker.
type threadCounters struct {
	off    string // why nothing is counted, or ""
	mu     sync.Mutex
	totals map[hw.Event]uint64
	errs   map[hw.Event]error
}

func (n *native) newCounters(s *schedule) *threadCounters {
	c := &threadCounters{totals: map[hw.Event]uint64{}, errs: map[hw.Event]error{}}
	switch {
	case n.asked.Counters == request.CountersOff:
		c.off = "--counters off"
	case s.ThreadsOnly():
		c.off = "goroutines have no threads of their own"
	}
	return c
}

// attach counts on the calling thread from now until detach.
func (c *threadCounters) attach(int) (detach func(), err error) {
	if c.off != "" {
		return func() {}, nil
	}
	t, err := hw.OpenThread(countedEvents...)
	if err != nil {
		return nil, fmt.Errorf("open the counters of a thread: %w", err)
	}
	if err := t.Start(); err != nil {
		t.Close()
		return nil, fmt.Errorf("start the counters of a thread: %w", err)
	}
	return func() {
		defer t.Close()
		err := t.Stop()
		counts, rerr := t.Read()
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, e := range countedEvents {
			switch {
			case err != nil || rerr != nil:
				c.errs[e] = errors.Join(err, rerr)
			case counts[i].Err != nil:
				c.errs[e] = counts[i].Err
			default:
				c.totals[e] += counts[i].N
			}
		}
	}, nil
}

// of returns the sum of an event over the workers, or why there is none.
func (c *threadCounters) of(e hw.Event) result.Count {
	if c.off != "" {
		return result.Count{Reason: c.off}
	}
	if err := c.errs[e]; err != nil {
		return result.Count{Reason: strings.TrimPrefix(err.Error(), "count "+e.String()+": ")}
	}
	v := int64(c.totals[e])
	return result.Count{Value: &v}
}

func (c *threadCounters) sum() result.Counters {
	return result.Counters{
		LLCMisses: c.of(hw.LLCMisses), TaskClockNS: c.of(hw.TaskClock),
		PageFaults:          c.of(hw.PageFaults),
		ContextSwitches:     c.of(hw.ContextSwitches),
		InvoluntarySwitches: c.of(hw.InvoluntarySwitches), Migrations: c.of(hw.Migrations),
	}
}

// demandCounters returns an error if counters were demanded and there are none.
func (n *native) demandCounters() error {
	if n.asked.Counters != request.CountersPerf {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := &threadCounters{totals: map[hw.Event]uint64{}, errs: map[hw.Event]error{}}
	detach, err := c.attach(0)
	if err != nil {
		return fmt.Errorf("--counters perf: %w: %w", ErrCapability, err)
	}
	detach()
	if err := c.errs[hw.LLCMisses]; err != nil {
		return fmt.Errorf("--counters perf: %w: %w", ErrCapability, err)
	}
	return nil
}
