package experiments

import (
	"errors"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A Manifest says what a run was and on what: the document manifest.json of a run directory. What the system does not tell is null.
type Manifest struct {
	SchemaVersion int            `json:"schema_version"`
	Argv          []string       `json:"argv"`
	Seed          uint64         `json:"seed"`
	Kernel        string         `json:"kernel"`
	Params        kernel.Params  `json:"params"`
	Schedulers    []string       `json:"schedulers"`
	Cores         int            `json:"cores"`
	Settings      Settings       `json:"settings"`
	Started       time.Time      `json:"started"`
	Finished      *time.Time     `json:"finished"` // null: the run was killed
	Error         *string        `json:"error"`    // why it did not finish
	Stack         *string        `json:"stack"`    // of a task that panicked
	Build         Build          `json:"build"`
	System        hw.Facts       `json:"system"` // in what state the machine was when the run began
	Clock         hw.Clock       `json:"clock"`
	Memory        *hw.Memory     `json:"memory"`
	Features      hw.CPUFeatures `json:"cpu_features"`

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

// A TracerCost is what tracing cost one scheduler's run, and what it lost.
type TracerCost struct {
	Scheduler string `json:"scheduler"`
	Trace
}

// NewManifest describes a run of c that begins now, on the machine that krdlab runs on. argv is the command as typed.
func NewManifest(c *Config, argv []string, t *hw.Topology, now time.Time) *Manifest {
	m := &Manifest{
		SchemaVersion: SchemaVersion, Argv: argv, Seed: c.Seed, Kernel: c.Kernel, Params: c.Params, Schedulers: c.Schedulers,
		Cores: c.Cores, Settings: c.settings(), Started: now.UTC().Truncate(time.Millisecond),
		Build: ReadBuild(), System: hw.HostFacts(), Clock: hw.CalibrateClock(), Features: hw.Features(),
		Machine: t.Machine(), Topology: t, Tracer: []TracerCost{},
	}
	if free, err := hw.FreeMemory(); err == nil {
		m.Memory = &free
	}
	return m
}

// finish adds what is known at the end. err is nil for a run that did all it was asked.
func (m *Manifest) finish(results []Result, err error, now time.Time) {
	now = now.UTC().Truncate(time.Millisecond)
	m.Finished = &now
	if err != nil {
		s := err.Error()
		m.Error = &s
		if p, ok := errors.AsType[*runtimes.PanicError](err); ok {
			stack := string(p.Stack)
			m.Stack = &stack
		}
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
