package hw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	perf "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// attributes are the kernel's descriptions of the events that perf_event counts.
var attributes = map[Event]unix.PerfEventAttr{
	LLCMisses: perf.CacheMissEventAttr(),
	LLReadMisses: perf.LLCacheEventAttr(unix.PERF_COUNT_HW_CACHE_OP_READ,
		unix.PERF_COUNT_HW_CACHE_RESULT_MISS),
	Instructions:    perf.CPUInstructionsEventAttr(),
	Cycles:          perf.CPUCyclesEventAttr(),
	TaskClock:       perf.CPUTaskClockEventAttr(),
	PageFaults:      perf.PageFaultsEventAttr(),
	ContextSwitches: perf.ContextSwitchesEventAttr(),
	Migrations:      perf.CPUMigrationsEventAttr(),
}

// A group is events that the kernel counts together; the first fd leads.
type group struct {
	events []Event
	fds    []int
	base   groupTimes // at the start
}

// groupTimes is how long a group was wanted and how long it was on the counters, ns since it was
// opened.
type groupTimes struct{ enabled, ran uint64 }

// threadCounters implements Counters. Hardware events are one group, so that all were counted for
// the same time. Each software event is a group of its own: they cannot be multiplexed, and a
// task-clock that leads page-faults makes Linux 6.18 report 0 page faults as if it had counted them
// (seen with PERF_IOC_FLAG_GROUP; TestCountersLive).
type threadCounters struct {
	tid     int
	events  []Event
	errs    [numEvents]error // why an event is not counted
	source  [numEvents]string
	groups  []*group
	running bool
	base    usage   // at the start
	counts  []Count // as Stop read them
}

// OpenThread opens counters for the calling thread, which the caller holds. An event that cannot be
// counted does not hinder the others: its Count has the reason. The error is about the request: an
// unknown event or the same twice. Cost: one file and some microseconds for each event.
//
// The library's own openers are not used: they count kernel mode, lose the errno that distinguishes
// a missing PMU from a missing right, and its group profiler replaces a package-wide buffer pool;
// its descriptions of the events are.
func OpenThread(events ...Event) (Counters, error) {
	c := &threadCounters{tid: unix.Gettid(), events: slices.Clone(events)}
	for i, e := range events {
		if e >= numEvents || slices.Contains(events[:i], e) {
			return nil, fmt.Errorf("open counters: %v is unknown or asked for twice", e)
		}
	}
	for _, e := range events {
		c.source[e] = SourcePerf
		err := c.open(e)
		if err != nil && hasRusage(e) {
			c.source[e], err = SourceRusage, nil
		}
		c.errs[e] = err
	}
	return c, nil
}

// open adds e to its group.
func (c *threadCounters) open(e Event) error {
	attr, ok := attributes[e]
	if !ok {
		return fmt.Errorf("count %v: %w", e, ErrUnsupported)
	}
	attr.Bits = 0
	leader := -1
	var g *group
	if e.Hardware() {
		attr.Bits = unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
		for _, other := range c.groups {
			if other.events[0].Hardware() {
				g, leader = other, other.fds[0]
			}
		}
	}
	if g == nil {
		attr.Bits |= unix.PerfBitDisabled
	}
	attr.Read_format = unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING
	fd, err := unix.PerfEventOpen(&attr, c.tid, -1, leader, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return classify(e, err, paranoid())
	}
	if !countsLLC(e) {
		return errors.Join(fmt.Errorf("count %v: %w", e, ErrNotLLC), unix.Close(fd))
	}
	if g == nil {
		g = new(group)
		c.groups = append(c.groups, g)
	}
	g.fds = append(g.fds, fd)
	g.events = append(g.events, e)
	return nil
}

// classify gives an errno of perf_event_open its meaning (perf_event_open(2), ERRORS).
func classify(e Event, err error, paranoid int) error {
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		needed := 2 // user mode only
		if !e.Hardware() {
			needed = 1 // kernel mode as well: without it switches and migrations would count as 0
		}
		return &PermissionError{Event: e, Paranoid: paranoid, Needed: needed, Err: err}
	case e.Hardware() && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENODEV) || errors.Is(err, unix.ENXIO)):
		return fmt.Errorf("count %v: %w (%w)", e, ErrNoPMU, err)
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("count %v: this kernel has no perf_event_open: %w (%w)", e,
			ErrUnsupported, err)
	case errors.Is(err, unix.EINVAL):
		return fmt.Errorf("count %v: not countable together with the events opened before it: %w",
			e, err)
	}
	return fmt.Errorf("count %v: %w", e, err)
}

// paranoid returns kernel.perf_event_paranoid.
func paranoid() int {
	if n, ok := readInt(os.DirFS("/"), "proc/sys/kernel/perf_event_paranoid"); ok {
		return n
	}
	return unknownParanoid
}

func (c *threadCounters) onThread(what string) error {
	if tid := unix.Gettid(); tid != c.tid {
		return fmt.Errorf("%s counters: called on thread %d, opened on thread %d (is the "+
			"goroutine locked to its thread?)", what, tid, c.tid)
	}
	return nil
}

// control does one ioctl for each group.
func (c *threadCounters) control(what string, req uint) error {
	for _, g := range c.groups {
		if err := unix.IoctlSetInt(g.fds[0], req, unix.PERF_IOC_FLAG_GROUP); err != nil {
			return fmt.Errorf("%s counters: %w", what, err)
		}
	}
	return nil
}

// Start implements Counters. The kernel's reset leaves the times of a group as they are, hence
// their base.
func (c *threadCounters) Start() error {
	if err := c.onThread("start"); err != nil {
		return err
	}
	if err := c.control("start", unix.PERF_EVENT_IOC_DISABLE); err != nil {
		return err
	}
	if err := c.control("start", unix.PERF_EVENT_IOC_RESET); err != nil {
		return err
	}
	for _, g := range c.groups {
		base, _, err := g.read()
		if err != nil {
			return err
		}
		g.base = base
	}
	base, err := threadUsage()
	if err != nil {
		return err
	}
	c.base, c.counts, c.running = base, nil, true
	return c.control("start", unix.PERF_EVENT_IOC_ENABLE)
}

// Stop implements Counters.
func (c *threadCounters) Stop() error {
	if err := c.onThread("stop"); err != nil {
		return err
	}
	if !c.running {
		return errors.New("stop counters: not started")
	}
	if err := c.control("stop", unix.PERF_EVENT_IOC_DISABLE); err != nil {
		return err
	}
	counts, err := c.read()
	c.counts, c.running = counts, false
	return err
}

// Read implements Counters.
func (c *threadCounters) Read() ([]Count, error) {
	if !c.running {
		if c.counts == nil {
			return nil, errors.New("read counters: not started")
		}
		return slices.Clone(c.counts), nil
	}
	if err := c.onThread("read"); err != nil {
		return nil, err
	}
	return c.read()
}

// Close implements Counters.
func (c *threadCounters) Close() error {
	var err error
	for _, g := range c.groups {
		for _, fd := range g.fds {
			err = errors.Join(err, unix.Close(fd))
		}
	}
	c.groups, c.running = nil, false
	return err
}

// read returns the times of a group and the values of its events.
func (g *group) read() (times groupTimes, values []uint64, err error) {
	// struct read_format: nr, time_enabled, time_running, then a value for each event in the order
	// of opening
	buf := make([]byte, 8*(3+len(g.fds)))
	n, err := unix.Read(g.fds[0], buf)
	if err != nil {
		return groupTimes{}, nil, fmt.Errorf("read counters: %w", err)
	}
	if n != len(buf) {
		return groupTimes{}, nil, fmt.Errorf("read counters: the kernel gave %d bytes, expected %d",
			n, len(buf))
	}
	for i := 3; i < len(buf)/8; i++ {
		values = append(values, binary.NativeEndian.Uint64(buf[8*i:]))
	}
	return groupTimes{binary.NativeEndian.Uint64(buf[8:]), binary.NativeEndian.Uint64(buf[16:])},
		values, nil
}

func (c *threadCounters) read() ([]Count, error) {
	now, err := threadUsage()
	if err != nil {
		return nil, err
	}
	var values [numEvents]uint64
	errs := c.errs
	for _, g := range c.groups {
		times, counted, err := g.read()
		if err != nil {
			return nil, err
		}
		for j, e := range g.events {
			values[e] = counted[j]
			errs[e] = partial(e, times.enabled-g.base.enabled, times.ran-g.base.ran)
		}
	}
	out := make([]Count, 0, len(c.events))
	for _, e := range c.events {
		n := Count{Event: e, Err: errs[e]}
		if n.Err == nil {
			n.N, n.Source = values[e], c.source[e]
			if n.Source == SourceRusage {
				n.N = now.of(e) - c.base.of(e)
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// partial returns a *MultiplexedError for an event that did not run all the time that it was
// enabled.
func partial(e Event, enabledNS, ranNS uint64) error {
	if ranNS < enabledNS {
		return &MultiplexedError{Event: e, EnabledNS: enabledNS, RanNS: ranNS}
	}
	return nil
}
