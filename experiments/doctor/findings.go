package doctor

import (
	"fmt"
	"strings"

	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// allGood: how many checks. someLimited: checks that are ok, of how many, the names of the limited
	// and of the missing.
	allGood     doc.Code = "all_can_be_measured"
	someLimited doc.Code = "some_limited"

	sizesUnknown doc.Code = "cache_sizes_unknown"
	// affinity: the CPUs that there are.
	affinity doc.Code = "affinity_mask"
	// cpuQuota: CPUs' worth of time, whole CPUs of it.
	cpuQuota doc.Code = "cpu_quota"
	// noTSC, unpinned, noHardwareCounters, noSystemCounters, noInterleave, memoryUnknown, noFile,
	// noTrace: why.
	noTSC              doc.Code = "no_tsc"
	unordered          doc.Code = "clocks_not_ordered"
	unpinned           doc.Code = "not_pinned"
	noHardwareCounters doc.Code = "no_hardware_counters"
	noSystemCounters   doc.Code = "no_system_counters"
	noVectors          doc.Code = "no_vector_instructions"
	noGovernor         doc.Code = "no_governor"
	governorMoves      doc.Code = "governor_moves"
	boostOn            doc.Code = "boost_on"
	loadUnknown        doc.Code = "load_unknown"
	loaded             doc.Code = "loaded"
	noHugePages        doc.Code = "no_huge_pages"
	noInterleave       doc.Code = "no_interleave"
	numaBalancing      doc.Code = "numa_balancing"
	memoryUnknown      doc.Code = "memory_unknown"
	littleMemory       doc.Code = "little_memory"
	writtenTwice       doc.Code = "written_twice"
	noFile             doc.Code = "no_file_here"
	noTrace            doc.Code = "no_trace_here"
	unmapped           doc.Code = "files_not_mapped"
)

func init() {
	limit := func(next, words string, example ...any) doc.Entry {
		return doc.Entry{Level: doc.Limit, Words: words, Next: next, Example: example}
	}
	const why, elsewhere = "operation not permitted", "another folder, with --out"
	entries := map[doc.Code]doc.Entry{
		allGood: {Level: doc.Answer, Words: "everything can be measured: %v of %[1]v checks are ok",
			Example: []any{15}},
		someLimited: {Level: doc.Answer, Example: []any{12, 15, "load, clock frequency", "hardware counters"},
			Say: func(a doc.Args) string {
				s := fmt.Sprintf("%d of %d checks are ok", a.Whole(0), a.Whole(1))
				for i, what := range []string{"; limited: ", "; missing: "} {
					if names := a.Text(2 + i); names != "" {
						s += what + names
					}
				}
				return s
			}},
		sizesUnknown: limit("--caches", "close, near and far reuses cannot be told apart without the cache sizes"),
		affinity: limit("taskset -c %v krdlab ..., or a larger cpuset",
			"an affinity mask or cpuset allows only some of CPUs %v", "0-3"),
		cpuQuota: {Level: doc.Limit, Next: "--cores %[2]v, or a larger cpu.max", Example: []any{1.5, 1},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("a cgroup grants %.3g CPUs' worth of time: workers are stopped when it is used up",
					a.Number(0))
			}},
		noTSC: limit("a machine or VM that shows constant_tsc and nonstop_tsc in /proc/cpuinfo",
			"%v; a stamp then costs more, so that small kernels look longer", "no constant_tsc"),
		unordered: limit("", "%v; the order of kernels on different CPUs may be wrong", why),
		unpinned:  limit("", "%v; workers then wander, and per-node results mean little", why),
		noHardwareCounters: limit("bare metal, or a VM with a virtual PMU",
			"%v; without LLC misses there is no measurement to compare KRD with", why),
		noSystemCounters: limit("", "%v; disturbances of a run are not seen", why),
		noVectors:        limit("", "matmul runs its portable leaf, which is several times slower"),
		noGovernor:       limit("", "whether the frequency changes during a run is not known"),
		governorMoves: limit("sudo cpupower frequency-set -g performance",
			"the frequency follows the load, and so does work time"),
		boostOn: limit("echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost (or 1 > intel_pstate/no_turbo)",
			"one busy core runs faster than many, which looks like work time inflation"),
		loadUnknown: limit("", "other programs may disturb a run"),
		loaded:      limit("wait, or stop them", "other programs are running and will disturb a run"),
		noHugePages: limit("echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
			"large matrices cost more TLB misses"),
		noInterleave: limit("a container needs CAP_SYS_NICE, or a seccomp profile that allows mbind",
			"--numa interleave does not work: %v", why),
		numaBalancing: limit("sudo sysctl kernel.numa_balancing=0",
			"the kernel moves pages between nodes while a kernel runs"),
		memoryUnknown: limit("", "%v; whether a run fits is not checked before it starts", why),
		littleMemory:  limit("krdlab run matmul --n 1024", "matmul's default of n = 4096 needs 192 MiB"),
		writtenTwice: limit("Linux, and a folder on ext4, XFS, Btrfs or tmpfs, with --out",
			"traces are written twice: zeros first"),
		noFile:  limit(elsewhere, "no file can be made in the current folder: %v", why),
		noTrace: limit(elsewhere, "a trace cannot be written in the current folder: %v", why),
		unmapped: limit(elsewhere, "files cannot be mapped here: a killed run would lose more than the last "+
			"record of each worker"),
	}
	doc.Catalogue(entries)
}

// conclude counts the checks, and adds what limits them.
func (d *Diagnosis) conclude() {
	by := map[Status][]string{}
	for _, c := range d.Checks {
		by[c.Status] = append(by[c.Status], c.Name)
	}
	if n := len(by[Good]); n == len(d.Checks) {
		d.Find(allGood, n)
	} else {
		d.Find(someLimited, n, len(d.Checks), strings.Join(by[Limited], ", "), strings.Join(by[Missing], ", "))
	}
	for _, c := range d.Checks {
		for _, f := range c.limits {
			d.Conclude(f.About(c.Name))
		}
	}
}

// limit sets the status of c, its limit, and the remedy.
func (c *Check) limit(s Status, code doc.Code, args ...any) {
	f := doc.Find(code, args...)
	c.Status, c.limits = s, append(c.limits, f)
	if next := f.Next(); next != "" {
		c.Help = next
	}
}
