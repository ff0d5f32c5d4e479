package hw

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Facts are the settings of a machine that measurements depend on. Unknown ones are nil or "".
type Facts struct {
	KernelVersion string `json:"kernel_version,omitempty"`
	CPUModel      string `json:"cpu_model,omitempty"`
	Microcode     string `json:"microcode,omitempty"`
	// of all CPUs, each once: performance, powersave, ...
	Governors         []string    `json:"governors,omitempty"`
	Boost             *bool       `json:"boost"`         // the clock may rise above its base
	SMT               string      `json:"smt,omitempty"` // on, off, notsupported, ...
	PerfEventParanoid *int        `json:"perf_event_paranoid"`
	LoadAverage       *[3]float64 `json:"load_average"` // 1, 5, 15 minutes
	ConstantTSC       *bool       `json:"constant_tsc"` // one rate at every clock frequency
	NonstopTSC        *bool       `json:"nonstop_tsc"`  // in deep sleep too
	Clocksource       string      `json:"clocksource,omitempty"`
	Clocksources      []string    `json:"clocksources_available,omitempty"`
	// by the processor's flag, a hypervisor is there
	Virtual *bool `json:"virtual"`
	// its name, or what DMI calls the machine, where Virtual
	Hypervisor    string `json:"hypervisor,omitempty"`
	HugePages     string `json:"transparent_hugepages,omitempty"`
	NUMABalancing *bool  `json:"numa_balancing"`
	// CPUs' worth of time that the cgroup may use; nil: no limit is known
	CPUQuota *float64 `json:"cpu_quota"`
}

// ReadFacts reads the facts of the machine whose root fsys is. It does not fail: facts that cannot
// be read are not known.
func ReadFacts(fsys fs.FS) Facts {
	var f Facts
	text := func(name string) string {
		s, _ := readText(fsys, name)
		return s
	}
	f.KernelVersion = text("proc/sys/kernel/osrelease")
	if f.KernelVersion == "" { // "Linux version 6.1.0 (...)"
		if words := strings.Fields(text("proc/version")); len(words) > 2 {
			f.KernelVersion = words[2]
		}
	}
	f.CPUModel, _ = cpuinfoField(fsys, "model name")
	f.CPUModel = strings.Join(strings.Fields(f.CPUModel), " ")
	f.Microcode, _ = cpuinfoField(fsys, "microcode")
	f.Governors = governors(fsys)
	f.Boost = boost(fsys)
	f.SMT = text(cpuDir + "/smt/control")
	f.HugePages = chosen(text("sys/kernel/mm/transparent_hugepage/enabled"))
	if n, ok := readInt(fsys, "proc/sys/kernel/perf_event_paranoid"); ok {
		f.PerfEventParanoid = &n
	}
	if n, ok := readInt(fsys, "proc/sys/kernel/numa_balancing"); ok {
		f.NUMABalancing = ptr(n != 0)
	}
	f.LoadAverage = loadAverage(text("proc/loadavg"))
	tsc := readTSCFacts(fsys)
	f.Clocksource, f.Clocksources = tsc.Current, tsc.Available
	if tsc.Flags != nil {
		f.ConstantTSC = ptr(slices.Contains(tsc.Flags, "constant_tsc"))
		f.NonstopTSC = ptr(slices.Contains(tsc.Flags, "nonstop_tsc"))
		f.Virtual = ptr(slices.Contains(tsc.Flags, "hypervisor"))
	}
	if f.Virtual != nil && *f.Virtual {
		f.Hypervisor = text("sys/hypervisor/type")
		for _, name := range []string{"sys_vendor", "product_name"} {
			if f.Hypervisor == "" {
				f.Hypervisor = text("sys/class/dmi/id/" + name)
			}
		}
	}
	f.CPUQuota = cpuQuota(fsys)
	return f
}

// HostFacts returns ReadFacts of this machine.
func HostFacts() Facts { return ReadFacts(os.DirFS("/")) }

func ptr[T any](v T) *T { return &v }

func governors(fsys fs.FS) []string {
	var out []string
	names, _ := fs.Glob(fsys, cpuDir+"/cpu[0-9]*/cpufreq/scaling_governor")
	for _, name := range names {
		if g, ok := readText(fsys, name); ok && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	slices.Sort(out)
	return out
}

func boost(fsys fs.FS) *bool {
	if n, ok := readInt(fsys, cpuDir+"/intel_pstate/no_turbo"); ok {
		return ptr(n == 0)
	}
	if n, ok := readInt(fsys, cpuDir+"/cpufreq/boost"); ok {
		return ptr(n != 0)
	}
	return nil
}

// chosen returns the word in brackets of "always [madvise] never".
func chosen(s string) string {
	_, s, _ = strings.Cut(s, "[")
	s, _, _ = strings.Cut(s, "]")
	return s
}

func loadAverage(s string) *[3]float64 {
	words := strings.Fields(s)
	if len(words) < 3 {
		return nil
	}
	var load [3]float64
	for i := range load {
		x, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return nil
		}
		load[i] = x
	}
	return &load
}

// cpuQuota returns the tightest CPU bandwidth limit among the cgroups of the process and their
// parents.
func cpuQuota(fsys fs.FS) *float64 {
	s := &sysfs{FS: fsys}
	var least *float64
	for _, g := range s.cgroups("cpu") {
		for at := range g.upward {
			var words []string // quota and period in microseconds
			if g.v2 {
				text, _ := readText(fsys, path.Join(at, "cpu.max"))
				words = strings.Fields(text)
			} else {
				quota, _ := readText(fsys, path.Join(at, "cpu.cfs_quota_us"))
				period, _ := readText(fsys, path.Join(at, "cpu.cfs_period_us"))
				words = []string{quota, period}
			}
			if len(words) == 2 {
				quota, err1 := strconv.ParseFloat(words[0], 64)
				period, err2 := strconv.ParseFloat(words[1], 64)
				if err1 == nil && err2 == nil && quota > 0 && period > 0 &&
					(least == nil || quota/period < *least) {
					least = ptr(quota / period)
				}
			}
		}
	}
	return least
}
