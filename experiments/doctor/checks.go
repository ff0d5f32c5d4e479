package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/scratch"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

func checkTopology(t *hw.Topology) Check {
	m := t.Machine()
	f := Check{Name: "topology", Status: Good, Found: m.Caches()}
	for _, w := range t.Warnings {
		f.limit(Limited, doc.Uncoded, w)
	}
	if m.L2Bytes == 0 || m.LLCBytes == 0 {
		f.limit(Limited, sizesUnknown)
	}
	return f
}

func checkCPUs(t *hw.Topology, facts *hw.Facts) Check {
	allowed := t.Allowed()
	f := Check{Name: "CPUs", Status: Good, Found: fmt.Sprintf("this process may use %d of %d: %s",
		len(allowed), len(t.CPUs), hw.FormatCPUList(allowed))}
	if len(allowed) < len(t.CPUs) {
		f.limit(Limited, affinity, hw.FormatCPUList(ids(t)))
	}
	if q := facts.CPUQuota; q != nil && *q < float64(len(allowed)) {
		f.limit(Limited, cpuQuota, *q, max(1, int(*q)))
	}
	return f
}

func ids(t *hw.Topology) []int {
	var all []int
	for _, c := range t.CPUs {
		all = append(all, c.ID)
	}
	return all
}

func checkClock(c hw.Clock) Check {
	f := Check{Name: "time stamps", Status: Good,
		Found: fmt.Sprintf("%s, %.6g MHz within %.2g ppm", c.Source, c.Hz/1e6, c.ErrorPPM)}
	if c.Source != hw.SourceTSC {
		f.Found = "the monotonic clock"
		f.limit(Limited, noTSC, c.Reason)
	}
	return f
}

func checkOffsets(t *hw.Topology, c hw.Clock) Check {
	f := Check{Name: "clocks of the CPUs", Status: Good}
	cpus := t.Allowed()
	if len(cpus) < 2 || c.Source != hw.SourceTSC {
		f.Found = "one clock: nothing to compare"
		return f
	}
	offsets, err := hw.Offsets(cpus)
	if err != nil {
		f.Found = "could not be compared"
		f.limit(Limited, unordered, err.Error())
		return f
	}
	var seen, bound float64
	for _, o := range offsets {
		bound = max(bound, c.Nanoseconds(o.Bound))
		if o.Seen() {
			seen = max(seen, c.Nanoseconds(uint64(max(o.Ticks, -o.Ticks))))
		}
	}
	f.Found = fmt.Sprintf("no offset seen, known within %.0f ns", bound)
	if seen > 0 {
		f.Found = fmt.Sprintf("offsets of up to %.0f ns, known within %.0f ns and taken into "+
			"account", seen, bound)
	}
	return f
}

func checkPinning(t *hw.Topology) Check {
	f := Check{Name: "pinning", Status: Good}
	var failed error
	done := make(chan int)
	go func() {
		runtime.LockOSThread() // and ends so: the thread is retired whatever happened to its mask
		n := 0
		for _, cpu := range t.Allowed() {
			restore, err := hw.Pin(cpu)
			if err == nil {
				n++
				err = restore()
			}
			failed = errors.Join(failed, err)
		}
		done <- n
	}()
	n := <-done
	f.Found = fmt.Sprintf("threads can be pinned to %d of %d CPUs", n, len(t.Allowed()))
	if failed != nil {
		status := Limited
		if n == 0 {
			status = Missing
		}
		f.limit(status, unpinned, oneLine(failed))
	}
	return f
}

// checkCounters counts a little work with every event.
func checkCounters() []Check {
	hardware := []hw.Event{hw.LLCMisses, hw.Instructions, hw.Cycles}
	software := []hw.Event{hw.TaskClock, hw.PageFaults, hw.ContextSwitches, hw.InvoluntarySwitches,
		hw.Migrations}
	counts, err := tryCounters(append(slices.Clone(hardware), software...))
	pick := func(events []hw.Event) []hw.Count {
		return slices.DeleteFunc(slices.Clone(counts),
			func(c hw.Count) bool { return !slices.Contains(events, c.Event) })
	}
	return []Check{
		judgeCounters("hardware counters", len(hardware), pick(hardware), err, noHardwareCounters),
		judgeCounters("system counters", len(software), pick(software), err, noSystemCounters),
	}
}

// tryCounters counts events on a thread of its own while it does a little work.
func tryCounters(events []hw.Event) (counts []hw.Count, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // not unlocked: the thread ends
		var c hw.Counters
		if c, err = hw.OpenThread(events...); err != nil {
			return
		}
		if err = c.Start(); err == nil {
			page := make([]byte, 1<<20)
			for i := range page {
				page[i] = byte(i)
			}
			runtime.KeepAlive(page)
			err = c.Stop()
		}
		var rerr error
		counts, rerr = c.Read()
		err = errors.Join(err, rerr, c.Close())
	}()
	<-done
	return counts, err
}

func judgeCounters(name string, asked int, counts []hw.Count, err error, code doc.Code) Check {
	f := Check{Name: name, Status: Good}
	var names, reasons []string
	help := ""
	for _, c := range counts {
		if c.Err == nil {
			names = append(names, c.Event.String())
			continue
		}
		reason := strings.TrimPrefix(oneLine(c.Err), "count "+c.Event.String()+": ")
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		if p, ok := errors.AsType[*hw.PermissionError](c.Err); ok {
			help = p.Command()
		}
	}
	if err != nil {
		reasons = append(reasons, oneLine(err))
	}
	f.Found = fmt.Sprintf("%d of %d", len(names), asked)
	if len(names) > 0 {
		f.Found += ": " + strings.Join(names, ", ")
	}
	if len(names) < asked {
		status := Limited
		if len(names) == 0 {
			status = Missing
		}
		f.limit(status, code, strings.Join(reasons, "; "))
		f.Help = cmp.Or(help, f.Help)
	}
	return f
}

func checkVector(x hw.CPUFeatures) Check {
	f := Check{Name: "vector instructions", Status: Good, Found: "AVX-512"}
	switch {
	case x.AVX512F:
	case x.AVX2 && x.FMA:
		f.Found = "AVX2 and FMA"
	default:
		f.Found = "none that krdlab uses"
		f.limit(Limited, noVectors)
	}
	return f
}

func checkFrequency(facts *hw.Facts) Check {
	f := Check{Name: "clock frequency", Status: Good, Found: "governor " +
		strings.Join(facts.Governors, ", ")}
	switch {
	case len(facts.Governors) == 0:
		f.Found = "no governor is shown"
		f.limit(Limited, noGovernor)
	case !slices.Equal(facts.Governors, []string{"performance"}):
		f.limit(Limited, governorMoves)
	}
	if facts.Boost != nil && *facts.Boost {
		f.Found += ", boost on"
		if f.Status == Good {
			f.limit(Limited, boostOn)
		}
	}
	return f
}

func checkLoad(facts *hw.Facts, t *hw.Topology) Check {
	f := Check{Name: "load", Status: Good}
	if facts.LoadAverage == nil {
		f.Found = "not known"
		f.limit(Limited, loadUnknown)
		return f
	}
	f.Found = fmt.Sprintf("%.2f over the last minute, %d CPUs", facts.LoadAverage[0], len(t.CPUs))
	if facts.LoadAverage[0] > 0.25*float64(len(t.CPUs)) {
		f.limit(Limited, loaded)
	}
	return f
}

func checkHugePages(facts *hw.Facts) Check {
	f := Check{Name: "huge pages", Status: Good, Found: "transparent: " + facts.HugePages}
	switch facts.HugePages {
	case "":
		f.Found = "the kernel shows none"
		fallthrough
	case "never":
		f.limit(Missing, noHugePages)
	}
	return f
}

func checkNUMA(t *hw.Topology, facts *hw.Facts) Check {
	f := Check{Name: "NUMA", Status: Good}
	nodes := t.Memories()
	f.Found = units.Count(len(nodes), "node") + " with memory"
	if len(nodes) == 1 {
		f.Found += ": placement makes no difference"
	}
	if err := tryInterleave(nodes); err != nil {
		f.limit(Limited, noInterleave, oneLine(err))
	} else if facts.NUMABalancing != nil && *facts.NUMABalancing && len(nodes) > 1 {
		f.limit(Limited, numaBalancing)
	}
	return f
}

func tryInterleave(nodes []int) error {
	if len(nodes) == 0 {
		return errors.New("no NUMA node with memory is shown")
	}
	b, err := hw.Map(1 << 16)
	if err != nil {
		return err
	}
	return errors.Join(hw.Interleave(b, nodes), hw.Unmap(b))
}

func checkMemory() Check {
	m, err := hw.FreeMemory()
	if err != nil {
		f := Check{Name: "memory", Found: "not known"}
		f.limit(Limited, memoryUnknown, oneLine(err))
		return f
	}
	f := Check{Name: "memory", Status: Good, Found: units.Bytes(uint64(m.FreeBytes)) +
		" free"}
	if m.LimitedBy != "" {
		f.Found += " under the limit in " + m.LimitedBy
	}
	if m.FreeBytes < 3*64<<20 {
		f.limit(Limited, littleMemory)
	}
	return f
}

// checkTrace writes a small trace in folder and reads it back.
func checkTrace(folder string) Check {
	f := Check{Name: "trace here", Status: Good}
	fail := func(err error) Check {
		f.Found = "none can be written"
		f.limit(Missing, noTrace, oneLine(err))
		return f
	}
	dir, err := scratch.Make(folder, ".krdlab-doctor-")
	if err != nil {
		return fail(err)
	}
	defer dir.Remove()
	path := filepath.Join(dir.Path, "try.loi")
	w, err := loi.Create(path, loi.Header{
		Registry: loi.Registry{Objects: []loi.Object{{Name: "o",
			Blocks: []loi.SizeRun{{Count: 1, Bytes: 64}}}},
			Kernels: []loi.Kernel{{Name: "k", Params: []loi.Param{{Object: 0, Mode: loi.In}}}}},
		Clock: loi.Clock{Source: hw.SourceTSC, Hz: 1e9}, Workers: []loi.Worker{{}},
		Substrate: loi.Native, Grain: "kernel",
	}, loi.Options{})
	if err != nil {
		return fail(err)
	}
	const records = 1000
	for i := range uint64(records) {
		w.Recorder(0).Kernel1(0, i, i+1, 0)
	}
	stats, err := w.Close()
	if err != nil {
		return fail(err)
	}
	if n := stats.Records[0]; n != records {
		return fail(fmt.Errorf("%d of %d records found room: %w", n, records, stats.Full))
	}
	t, err := loi.Open(path)
	if err != nil {
		return fail(err)
	}
	defer t.Close()
	f.Found = "written and read back"
	if free, err := hw.FreeDisk(folder); err == nil {
		f.Found += fmt.Sprintf("; %s free", units.Bytes(uint64(max(free, 0))))
	}
	if t.Buffered {
		f.limit(Limited, unmapped)
	}
	return f
}
