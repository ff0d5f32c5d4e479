package experiments

import (
	"io/fs"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"time"

	"krdlab/hw"
)

// A Manifest says what a run was and on what: the document manifest.json of a run directory. What the system does not tell is null.
type Manifest struct {
	SchemaVersion int        `json:"schema_version"`
	Argv          []string   `json:"argv"`
	Seed          uint64     `json:"seed"`
	Kernel        string     `json:"kernel"`
	Params        Params     `json:"params"`
	Schedulers    []string   `json:"schedulers"`
	Cores         int        `json:"cores"`
	Settings      Settings   `json:"settings"`
	Started       time.Time  `json:"started"`
	Finished      *time.Time `json:"finished"` // null: the run was killed
	Error         *string    `json:"error"`    // why it did not finish
	Build         Build      `json:"build"`
	System        System     `json:"system"`
	Clock         hw.Clock   `json:"clock"`

	Machine  hw.Machine   `json:"machine"`
	Topology *hw.Topology `json:"topology"`
	Tracer   []TracerCost `json:"tracer"` // by scheduler; empty without a trace
}

// A Build says which program it was.
type Build struct {
	Revision   *string           `json:"vcs_revision"` // null: the build was not stamped (go run, or no repository)
	Modified   *bool             `json:"vcs_modified"`
	Time       *string           `json:"vcs_time"`
	GoVersion  string            `json:"go_version"`
	OS         string            `json:"goos"`
	Arch       string            `json:"goarch"`
	Flags      map[string]string `json:"flags"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	GOGC       *int64            `json:"gogc_percent"` // null: collection is off
	MemLimit   *int64            `json:"gomemlimit_bytes"`
}

// A System says what state the machine was in when the run began.
type System struct {
	Kernel        *string   `json:"kernel_release"`
	CPUModel      *string   `json:"cpu_model"`
	Governors     []string  `json:"governors"` // the different ones among the CPUs; empty: none is shown
	Boost         *bool     `json:"boost"`     // the clock may go beyond its nominal frequency
	ClockSource   *string   `json:"clock_source"`
	ClockSources  *string   `json:"clock_sources_available"`
	TSCFlags      []string  `json:"tsc_flags"`
	PerfParanoid  *int64    `json:"perf_event_paranoid"`
	LoadAverage   []float64 `json:"load_average"` // over 1, 5 and 15 minutes
	MemTotalBytes *int64    `json:"memory_total_bytes"`
	MemFreeBytes  *int64    `json:"memory_available_bytes"`
	HugePages     *string   `json:"transparent_huge_pages"`
	NUMABalancing *int64    `json:"numa_balancing"`
	SMT           *string   `json:"smt_control"`
	Hypervisor    bool      `json:"hypervisor"` // the CPU says that it is virtual
}

// A TracerCost is what tracing cost one scheduler's run, and what it lost.
type TracerCost struct {
	Scheduler string `json:"scheduler"`
	Trace
}

// NewManifest describes a run of c that begins now. argv is the command as typed; fsys is rooted at "/".
func NewManifest(c *Config, argv []string, t *hw.Topology, clock hw.Clock, fsys fs.FS, now time.Time) *Manifest {
	return &Manifest{
		SchemaVersion: SchemaVersion, Argv: argv, Seed: c.Seed, Kernel: c.Kernel, Params: c.Params, Schedulers: c.Schedulers,
		Cores: c.Cores, Settings: c.settings(), Started: now.UTC().Truncate(time.Millisecond),
		Build: ReadBuild(), System: ReadSystem(fsys), Clock: clock, Machine: t.Machine(), Topology: t, Tracer: []TracerCost{},
	}
}

// finish adds what is known at the end. err is nil for a run that did all it was asked.
func (m *Manifest) finish(results []Result, err error, now time.Time) {
	now = now.UTC().Truncate(time.Millisecond)
	m.Finished = &now
	if err != nil {
		s := err.Error()
		m.Error = &s
	}
	for i := range results {
		if t := results[i].Trace; t != nil {
			m.Tracer = append(m.Tracer, TracerCost{results[i].Scheduler, *t})
		}
	}
}

// ReadBuild returns what the running program says of itself.
func ReadBuild() Build {
	b := Build{GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Flags: map[string]string{}, GOMAXPROCS: runtime.GOMAXPROCS(0)}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = &s.Value
			case "vcs.time":
				b.Time = &s.Value
			case "vcs.modified":
				modified := s.Value == "true"
				b.Modified = &modified
			case "-compiler", "vcs", "GOOS", "GOARCH":
			default:
				b.Flags[s.Key] = s.Value
			}
		}
	}
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
	metrics.Read(sample)
	known := func(s metrics.Sample, none int64) *int64 {
		if s.Value.Kind() != metrics.KindUint64 {
			return nil
		}
		v := int64(s.Value.Uint64())
		if v == none {
			return nil
		}
		return &v
	}
	b.GOGC = known(sample[0], -1)          // debug.SetGCPercent(-1)
	b.MemLimit = known(sample[1], 1<<63-1) // no limit
	return b
}

// ReadSystem reads the state of a Linux system from /proc and /sys under fsys. Elsewhere, all but a few fields are null.
func ReadSystem(fsys fs.FS) System {
	r := reader{fsys}
	s := System{
		Kernel:        r.text("proc/sys/kernel/osrelease"),
		ClockSource:   r.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		ClockSources:  r.text("sys/devices/system/clocksource/clocksource0/available_clocksource"),
		PerfParanoid:  r.number("proc/sys/kernel/perf_event_paranoid"),
		HugePages:     r.chosen("sys/kernel/mm/transparent_hugepage/enabled"),
		NUMABalancing: r.number("proc/sys/kernel/numa_balancing"),
		SMT:           r.text("sys/devices/system/cpu/smt/control"),
		Governors:     r.governors(),
		TSCFlags:      []string{},
		LoadAverage:   []float64{},
	}
	if v := r.number("sys/devices/system/cpu/cpufreq/boost"); v != nil {
		s.Boost = new(*v == 1)
	} else if v := r.number("sys/devices/system/cpu/intel_pstate/no_turbo"); v != nil {
		s.Boost = new(*v == 0)
	}
	for _, field := range first(strings.Fields(deref(r.text("proc/loadavg"))), 3) {
		if v, err := strconv.ParseFloat(field, 64); err == nil {
			s.LoadAverage = append(s.LoadAverage, v)
		}
	}
	for line := range strings.Lines(deref(r.text("proc/meminfo"))) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kib, err := strconv.ParseInt(f[1], 10, 53)
		switch {
		case err != nil:
		case f[0] == "MemTotal:":
			s.MemTotalBytes = new(kib << 10)
		case f[0] == "MemAvailable:":
			s.MemFreeBytes = new(kib << 10)
		}
	}
	for line := range strings.Lines(deref(r.text("proc/cpuinfo"))) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "model name":
			s.CPUModel = new(strings.TrimSpace(value))
		case "flags":
			for _, flag := range strings.Fields(value) {
				if strings.Contains(flag, "tsc") {
					s.TSCFlags = append(s.TSCFlags, flag)
				}
				s.Hypervisor = s.Hypervisor || flag == "hypervisor"
			}
			return s // the first CPU stands for all
		}
	}
	return s
}

// A reader reads small files of /proc and /sys.
type reader struct{ fs.FS }

// text returns a file without the white space around it, nil if it cannot be read.
func (r reader) text(name string) *string {
	b, err := fs.ReadFile(r, name)
	if err != nil {
		return nil
	}
	return new(strings.TrimSpace(string(b)))
}

func (r reader) number(name string) *int64 {
	v, err := strconv.ParseInt(deref(r.text(name)), 10, 64)
	if err != nil {
		return nil
	}
	return &v
}

// chosen returns the word in brackets of a file such as "always [madvise] never".
func (r reader) chosen(name string) *string {
	_, rest, found := strings.Cut(deref(r.text(name)), "[")
	word, _, closed := strings.Cut(rest, "]")
	if !found || !closed {
		return nil
	}
	return &word
}

// governors returns the different frequency governors of the CPUs.
func (r reader) governors() []string {
	names, _ := fs.Glob(r, "sys/devices/system/cpu/cpu[0-9]*/cpufreq")
	found := []string{}
	for _, dir := range names {
		if g := r.text(path.Join(dir, "scaling_governor")); g != nil && !slices.Contains(found, *g) {
			found = append(found, *g)
		}
	}
	return found
}

// Root is the file system that [NewManifest] and [ReadSystem] read on a live machine.
func Root() fs.FS { return os.DirFS("/") }

func first[T any](v []T, n int) []T { return v[:min(n, len(v))] }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
