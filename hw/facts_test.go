package hw

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"krdlab/hw/hwtest"
)

func TestFacts(t *testing.T) {
	f := files{
		"proc/version": "Linux version 6.1.0-13-amd64 (debian)",
		"proc/loadavg": "0.50 1.25 2.00 1/200 999",
		"proc/cpuinfo": "processor\t: 0\nmodel name\t: Some  " +
			"CPU\nmicrocode\t: 0x12\nflags\t\t: fpu constant_tsc hypervisor",
		"proc/sys/kernel/perf_event_paranoid":                               "-1",
		"proc/sys/kernel/numa_balancing":                                    "1",
		cpuDir + "/cpu0/cpufreq/scaling_governor":                           "powersave",
		cpuDir + "/cpu1/cpufreq/scaling_governor":                           "performance",
		cpuDir + "/cpu12/cpufreq/scaling_governor":                          "powersave",
		cpuDir + "/intel_pstate/no_turbo":                                   "0",
		cpuDir + "/smt/control":                                             "off",
		"sys/kernel/mm/transparent_hugepage/enabled":                        "always [madvise] never",
		"sys/class/dmi/id/sys_vendor":                                       "QEMU",
		"sys/devices/system/clocksource/clocksource0/current_clocksource":   "kvm-clock",
		"sys/devices/system/clocksource/clocksource0/available_clocksource": "kvm-clock tsc",
		"proc/self/cgroup":                                                  "0::/a/b",
		"proc/mounts":                                                       "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0",
		"sys/fs/cgroup/a/b/cpu.max":                                         "max 100000",
		"sys/fs/cgroup/a/cpu.max":                                           "150000 100000",
	}
	want := Facts{
		KernelVersion: "6.1.0-13-amd64", CPUModel: "Some CPU", Microcode: "0x12",
		Governors: []string{"performance", "powersave"}, Boost: ptr(true), SMT: "off",
		PerfEventParanoid: ptr(-1), LoadAverage: &[3]float64{0.5, 1.25, 2}, ConstantTSC: ptr(true),
		NonstopTSC: ptr(false), Clocksource: "kvm-clock",
		Clocksources: []string{"kvm-clock", "tsc"}, Virtual: ptr(true), Hypervisor: "QEMU",
		HugePages: "madvise", NUMABalancing: ptr(true), CPUQuota: ptr(1.5),
	}
	if got := ReadFacts(f.fs()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got := ReadFacts(fstest.MapFS{}); !reflect.DeepEqual(got, Facts{}) {
		t.Errorf("of an empty file system: %+v, want nothing", got)
	}
	f["proc/self/cgroup"], f["proc/mounts"] = "4:cpu,cpuacct:/x",
		"cgroup /cg cgroup rw,cpu,cpuacct 0 0"
	f["cg/x/cpu.cfs_quota_us"], f["cg/x/cpu.cfs_period_us"], f["cg/cpu.cfs_quota_us"],
		f["cg/cpu.cfs_period_us"] = "50000", "100000", "-1", "100000"
	if got := ReadFacts(f.fs()).CPUQuota; got == nil || *got != 0.5 {
		t.Errorf("v1 quota %v, want 0.5", got)
	}
}

func TestFactsOfSnapshot(t *testing.T) {
	f := ReadFacts(hwtest.Snapshot(t, "20em64t-hybrid-1p6c2t+2ca4co1t"))
	if f.KernelVersion != "6.1.0-13-amd64" || !strings.Contains(f.CPUModel, "i7-1370P") ||
		f.ConstantTSC == nil || !*f.ConstantTSC || f.Virtual == nil || *f.Virtual {
		t.Errorf("got %+v", f)
	}
}

func TestChooseClock(t *testing.T) {
	if !haveTSC {
		t.Skip("no TSC on " + runtime.GOARCH)
	}
	const dir = "sys/devices/system/clocksource/clocksource0/"
	cpuinfo := func(flags string) files { return files{"proc/cpuinfo": "flags\t: " + flags} }
	with := func(f files, available string) files {
		f[dir+"available_clocksource"] = available
		return f
	}
	for _, tt := range []struct {
		name, source, reason string
		invariant            bool
		files                files
	}{
		{"good", SourceTSC, "", true, with(cpuinfo("tsc constant_tsc nonstop_tsc"),
			"tsc hpet acpi_pm")},
		{"kvm", SourceTSC, "", true, with(cpuinfo("constant_tsc nonstop_tsc"),
			"kvm-clock acpi_pm")},
		{"container without clocksource files", SourceTSC, "", true,
			cpuinfo("constant_tsc nonstop_tsc")},
		{"stops in deep sleep", SourceMonotonic, "lacks nonstop_tsc", false,
			with(cpuinfo("tsc constant_tsc"), "tsc")},
		{"old", SourceMonotonic, "lacks constant_tsc and nonstop_tsc", false, cpuinfo("tsc")},
		{"found unstable", SourceMonotonic, "hpet, acpi_pm", true,
			with(cpuinfo("constant_tsc nonstop_tsc"), "hpet acpi_pm")},
		{"nothing known", SourceMonotonic, "no flags", false, files{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := chooseClock(tt.files.fs())
			if c.Source != tt.source || c.Invariant != tt.invariant || !strings.Contains(c.Reason,
				tt.reason) || (c.Reason == "") != (tt.reason == "") {
				t.Errorf("got %+v, want %s, invariant %v, reason with %q", c, tt.source,
					tt.invariant, tt.reason)
			}
			if c.Source == SourceMonotonic && c.Hz != 1e9 {
				t.Errorf("the monotonic clock has %v Hz, want 1e9", c.Hz)
			}
		})
	}
}
