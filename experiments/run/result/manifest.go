package result

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/kernels/kernel"
)

// A Manifest describes a run and its machine: the document manifest.json of a run directory. Values
// that the system does not report are null.
type Manifest struct {
	SchemaVersion int              `json:"schema_version"`
	Argv          []string         `json:"argv"`
	Seed          uint64           `json:"seed"`
	Kernel        string           `json:"kernel"`
	Params        kernel.Params    `json:"params"`
	Schedulers    []string         `json:"schedulers"`
	Cores         int              `json:"cores"`
	Settings      request.Settings `json:"settings"`
	Started       time.Time        `json:"started"`
	Finished      *time.Time       `json:"finished"` // null: the run was killed
	Error         *string          `json:"error"`    // why it did not finish
	Stack         *string          `json:"stack"`    // of a task that panicked
	// Element records that it was an element of a job array, on whichever computer the cluster gave
	// it.
	Element  bool           `json:"array_element,omitempty"`
	Build    Build          `json:"build"`
	System   hw.Facts       `json:"system"` // in what state the machine was when the run began
	Clock    hw.Clock       `json:"clock"`
	Memory   *hw.Memory     `json:"memory"`
	Features hw.CPUFeatures `json:"cpu_features"`

	Machine hw.Machine `json:"machine"`
	// ModelHash is that of all numbers of a simulated machine (machine.Machine.Hash).
	ModelHash string       `json:"model_hash,omitempty"`
	Topology  *hw.Topology `json:"topology"`
	Tracer    []TracerCost `json:"tracer"` // by scheduler; empty without a trace
	// ResultSHA256 is the [Checksum] of result.json; "" in the manifest of a run that was killed.
	ResultSHA256 string `json:"result_sha256,omitempty"`
}

// Checksum returns the SHA-256 of a JSON document, whatever white space it is laid out with, in
// hexadecimal digits.
func Checksum(doc []byte) string {
	compact := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		text := bytes.IndexByte(doc, '"')
		if text < 0 {
			text = len(doc)
		}
		for _, c := range doc[:text] {
			if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
				compact = append(compact, c)
			}
		}
		doc = doc[text:]
		end := 1
		for end < len(doc) && doc[end] != '"' {
			if doc[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(doc))
		compact, doc = append(compact, doc[:end]...), doc[end:]
	}
	return fmt.Sprintf("%x", sha256.Sum256(compact))
}

// A Build identifies the program.
type Build struct {
	// null: the build was not stamped (go run, or no repository)
	Revision   *string           `json:"vcs_revision"`
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

// A TracerCost holds the cost of tracing one scheduler's run, and the records lost.
type TracerCost struct {
	Scheduler string `json:"scheduler"`
	Trace
}

// NewManifest describes a run that begins now, on the machine that krdlab runs on. argv is the
// command as typed.
func NewManifest(a request.Asked, argv []string, t *hw.Topology, now time.Time) *Manifest {
	m := &Manifest{
		SchemaVersion: SchemaVersion, Argv: argv, Seed: a.Seed, Kernel: a.Kernel, Params: a.Params,
		Schedulers: a.Schedulers, Cores: a.Cores, Settings: a.Settings, Element: a.Element,
		Started: now.UTC().Truncate(time.Millisecond),
		Build:   ReadBuild(), System: hw.HostFacts(), Clock: hw.CalibrateClock(),
		Features: hw.Features(),
		Machine:  t.Machine(), Topology: t, Tracer: []TracerCost{},
	}
	if free, err := hw.FreeMemory(); err == nil {
		m.Memory = &free
	}
	return m
}

// ReadBuild returns the build information of the running program.
func ReadBuild() Build {
	b := Build{GoVersion: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Flags: map[string]string{}, GOMAXPROCS: runtime.GOMAXPROCS(0)}
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
