package doctor

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/scratch"
	"krdlab/hw/units"
	"krdlab/loi"
)

func checkTopology(t *hw.Topology) Finding {
	m := t.Machine()
	f := Finding{Name: "topology", Status: Good, Found: m.Caches()}
	why := slices.Clone(t.Warnings)
	if m.L2Bytes == 0 || m.LLCBytes == 0 {
		why = append(why, "close, near and far reuses cannot be told apart without the cache sizes")
	}
	if why != nil {
		f.Status, f.Why = Limited, strings.Join(why, "; ")
	}
	return f
}

func checkCPUs(t *hw.Topology, facts *hw.Facts) Finding {
	allowed := t.Allowed()
	f := Finding{Name: "CPUs", Status: Good, Found: fmt.Sprintf("this process may use %d of %d: %s",
		len(allowed), len(t.CPUs), hw.FormatCPUList(allowed))}
	if len(allowed) < len(t.CPUs) {
		f.Status, f.Why, f.Help = Limited, "an affinity mask or cpuset keeps it from the others",
			"taskset -c "+hw.FormatCPUList(ids(t))+" krdlab ..., or a larger cpuset"
	}
	if q := facts.CPUQuota; q != nil && *q < float64(len(allowed)) {
		f.Status, f.Why = Limited, fmt.Sprintf("a cgroup grants %.3g CPUs' worth of time: "+
			"workers are stopped when it is used up", *q)
		f.Help = fmt.Sprintf("--cores %d, or a larger cpu.max", max(1, int(*q)))
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

func checkClock(c hw.Clock) Finding {
	f := Finding{Name: "time stamps", Status: Good,
		Found: fmt.Sprintf("%s, %.6g MHz within %.2g ppm", c.Source, c.Hz/1e6, c.ErrorPPM)}
	if c.Source != hw.SourceTSC {
		f.Status, f.Found = Limited, "the monotonic clock"
		f.Why = c.Reason + "; a stamp then costs more, so that small kernels look longer"
		f.Help = "a machine or VM that shows constant_tsc and nonstop_tsc in /proc/cpuinfo"
	}
	return f
}

func checkOffsets(t *hw.Topology, c hw.Clock) Finding {
	f := Finding{Name: "clocks of the CPUs", Status: Good}
	cpus := t.Allowed()
	if len(cpus) < 2 || c.Source != hw.SourceTSC {
		f.Found = "one clock: nothing to compare"
		return f
	}
	offsets, err := hw.Offsets(cpus)
	if err != nil {
		f.Status, f.Found = Limited, "could not be compared"
		f.Why = err.Error() + "; the order of kernels on different CPUs may be wrong"
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

func checkPinning(t *hw.Topology) Finding {
	f := Finding{Name: "pinning", Status: Good}
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
		f.Status, f.Why = Limited, oneLine(failed)+
			"; workers then wander, and per-node results mean little"
		if n == 0 {
			f.Status = Missing
		}
	}
	return f
}

// checkCounters counts a little work with every event.
func checkCounters() []Finding {
	hardware := []hw.Event{hw.LLCMisses, hw.Instructions, hw.Cycles}
	software := []hw.Event{hw.TaskClock, hw.PageFaults, hw.ContextSwitches, hw.InvoluntarySwitches,
		hw.Migrations}
	counts, err := tryCounters(append(slices.Clone(hardware), software...))
	pick := func(events []hw.Event) []hw.Count {
		return slices.DeleteFunc(slices.Clone(counts),
			func(c hw.Count) bool { return !slices.Contains(events, c.Event) })
	}
	return []Finding{
		judgeCounters("hardware counters", len(hardware), pick(hardware), err,
			"without LLC misses, KRD has nothing measured to be set against"),
		judgeCounters("system counters", len(software), pick(software), err,
			"what disturbed a run cannot be told"),
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

func judgeCounters(name string, asked int, counts []hw.Count, err error, loss string) Finding {
	f := Finding{Name: name, Status: Good}
	var names, reasons []string
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
			f.Help = p.Command()
		} else if errors.Is(c.Err, hw.ErrNoPMU) {
			f.Help = "bare metal, or a VM with a virtual PMU"
		}
	}
	if err != nil {
		reasons = append(reasons, oneLine(err))
	}
	f.Found = fmt.Sprintf("%d of %d", len(names), asked)
	if len(names) > 0 {
		f.Found += ": " + strings.Join(names, ", ")
	}
	switch {
	case len(names) == 0:
		f.Status = Missing
	case len(names) < asked:
		f.Status = Limited
	}
	if f.Status != Good {
		f.Why = strings.Join(append(reasons, loss), "; ")
	}
	return f
}

func checkVector(x hw.CPUFeatures) Finding {
	f := Finding{Name: "vector instructions", Status: Good, Found: "AVX-512"}
	switch {
	case x.AVX512F:
	case x.AVX2 && x.FMA:
		f.Found = "AVX2 and FMA"
	default:
		f.Status, f.Found, f.Why = Limited, "none that krdlab uses", "matmul runs its portable "+
			"leaf, which is several times slower"
	}
	return f
}

func checkFrequency(facts *hw.Facts) Finding {
	f := Finding{Name: "clock frequency", Status: Good, Found: "governor " +
		strings.Join(facts.Governors, ", ")}
	switch {
	case len(facts.Governors) == 0:
		f.Status, f.Found, f.Why = Limited, "no governor is shown",
			"whether the frequency changes during a run is not known"
	case !slices.Equal(facts.Governors, []string{"performance"}):
		f.Status, f.Why, f.Help = Limited, "the frequency follows the load, and so does work time",
			"sudo cpupower frequency-set -g performance"
	}
	if facts.Boost != nil && *facts.Boost {
		f.Found += ", boost on"
		if f.Status == Good {
			f.Status, f.Why = Limited, "one busy core runs faster than many, which looks like "+
				"work time inflation"
			f.Help = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost (or 1 > " +
				"intel_pstate/no_turbo)"
		}
	}
	return f
}

func checkLoad(facts *hw.Facts, t *hw.Topology) Finding {
	f := Finding{Name: "load", Status: Good}
	if facts.LoadAverage == nil {
		f.Status, f.Found, f.Why = Limited, "not known", "other programs may disturb a run"
		return f
	}
	f.Found = fmt.Sprintf("%.2f over the last minute, %d CPUs", facts.LoadAverage[0], len(t.CPUs))
	if facts.LoadAverage[0] > 0.25*float64(len(t.CPUs)) {
		f.Status, f.Why, f.Help = Limited, "other programs are running and will disturb a run",
			"wait, or stop them"
	}
	return f
}

func checkHugePages(facts *hw.Facts) Finding {
	f := Finding{Name: "huge pages", Status: Good, Found: "transparent: " + facts.HugePages}
	switch facts.HugePages {
	case "":
		f.Status, f.Found, f.Why = Missing, "the kernel shows none",
			"large matrices cost more TLB misses"
	case "never":
		f.Status, f.Why = Missing, "large matrices cost more TLB misses"
		f.Help = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
	}
	return f
}

func checkNUMA(t *hw.Topology, facts *hw.Facts) Finding {
	f := Finding{Name: "NUMA", Status: Good}
	nodes := t.Memories()
	f.Found = units.Count(len(nodes), "node") + " with memory"
	if len(nodes) == 1 {
		f.Found += ": placement makes no difference"
	}
	if err := tryInterleave(nodes); err != nil {
		f.Status, f.Why, f.Help = Limited, "--numa interleave does not work: "+oneLine(err),
			"a container needs CAP_SYS_NICE, or a seccomp profile that allows mbind"
	} else if facts.NUMABalancing != nil && *facts.NUMABalancing && len(nodes) > 1 {
		f.Status, f.Why = Limited, "the kernel moves pages between nodes while a kernel runs"
		f.Help = "sudo sysctl kernel.numa_balancing=0"
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

func checkMemory() Finding {
	m, err := hw.FreeMemory()
	if err != nil {
		return Finding{Name: "memory", Status: Limited, Found: "not known", Why: oneLine(err) +
			"; whether a run fits is not checked before it starts"}
	}
	f := Finding{Name: "memory", Status: Good, Found: units.Bytes(uint64(m.FreeBytes)) +
		" free"}
	if m.LimitedBy != "" {
		f.Found += " under the limit in " + m.LimitedBy
	}
	if m.FreeBytes < 3*64<<20 {
		f.Status, f.Why, f.Help = Limited, "matmul's default of n = 4096 needs 192 MiB",
			"krdlab run matmul --n 1024"
	}
	return f
}

// checkTrace writes a small trace in folder and reads it back.
func checkTrace(folder string) Finding {
	f := Finding{Name: "trace here", Status: Good}
	fail := func(err error) Finding {
		f.Status, f.Found, f.Why, f.Help = Missing,
			"a trace cannot be written in the current folder", oneLine(err),
			"another folder, with --out"
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
		f.Status, f.Why, f.Help = Limited, "files cannot be mapped here: a killed run would lose "+
			"more than the last record of each worker", "another folder, with --out"
	}
	return f
}
