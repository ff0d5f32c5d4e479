package skadu

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"krdlab/examples"
	"krdlab/experiments"
	"krdlab/experiments/gotrace"
	"krdlab/experiments/reproduce"
	"krdlab/experiments/request"
	"krdlab/experiments/steps"
	"krdlab/hw/failure"
	table "krdlab/kernels"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/regions"
	"krdlab/loi"
	"krdlab/loi/gofront"
)

// nativeRuns is how often a plain program is run.
const nativeRuns = 3

// baselineLimit is how many bytes the baseline may take; where it takes more it is not run.
const baselineLimit = 4 << 30

// The machine, scheduler and cores of the simulated runs of kernels.
const (
	simulatedMachine   = "westmere-ex-4s"
	simulatedScheduler = "workfirst"
	simulatedCores     = 12
)

// A Native is plain runs of a program.
type Native struct {
	// PeakBytes is the most memory of a run (ru_maxrss), at least; of a kernel what its data take by
	// plan, since it runs within krdlab.
	PeakBytes uint64    `json:"peak_bytes"`
	TimesNS   []float64 `json:"times_ns"`
}

// A Sample is a run with footprints counted by a technique.
type Sample struct {
	// NotRunBytes is what the baseline would take, which was not run for that reason; all else is 0
	// then.
	NotRunBytes *uint64 `json:"not_run_bytes"`
	Depth       int     `json:"depth"`      // levels of regions
	DataBytes   float64 `json:"data_bytes"` // that all regions touched
	PeakBytes   uint64  `json:"peak_bytes"` // of the shadow memory
	// VersionBytes and TableBytes are those of versions, and of what leads to tables, at most.
	VersionBytes uint64   `json:"version_bytes"`
	TableBytes   uint64   `json:"table_bytes"`
	RSSBytes     *uint64  `json:"rss_bytes"` // of the process that held it, at most; null: not known
	OwnNS        *float64 `json:"own_ns"`    // of the shadow memory; null: not apart from the rest
	WholeNS      float64  `json:"whole_ns"`  // of the whole run, or of the analysis of a trace
	// Observed is the share of the program's accesses that were counted: others are to the stack, or
	// where nothing is recorded. null: all are.
	Observed *float64 `json:"observed"`
	Warnings []string `json:"warnings"`
}

// included are the packages of others that are observed, beside the program that calls them.
var included = []string{"github.com/klauspost/compress/...", "github.com/pelletier/go-toml/v2/...",
	"github.com/jedib0t/go-pretty/v6/..."}

// native runs the plain program.
func native(ctx context.Context, w *steps.Worker, p *program, scale reproduce.Scale) (any, error) {
	if p.source == kernels {
		return nativeKernel(ctx, w, p, scale)
	}
	x, err := nativeProgram(ctx, w, p, scale)
	return x, leftOut(err)
}

// sources returns the folder of a Go program.
func (p *program) sources(w *steps.Worker) (string, error) {
	if p.source == scimark {
		return w.SciMark()
	}
	others := map[string]string{}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := examples.Modules.ReadFile("modules/" + name + ".txt")
		if err != nil {
			return "", err
		}
		others[name] = string(text)
	}
	return w.Sources("modules", examples.Modules, others)
}

func nativeProgram(ctx context.Context, w *steps.Worker, p *program, scale reproduce.Scale) (
	*Native, error) {
	dir, err := p.sources(w)
	if err != nil {
		return nil, err
	}
	binary, err := w.Native(ctx, dir, "")
	if err != nil {
		return nil, err
	}
	beside, err := w.Sources("rusage", examples.RUsage, map[string]string{
		"go.mod": "module rusage\n\ngo 1.24\n"})
	if err != nil {
		return nil, err
	}
	start, err := w.Native(ctx, beside, "")
	if err != nil {
		return nil, err
	}
	x, file := &Native{}, filepath.Join(beside, "out")
	for range nativeRuns {
		args := append([]string{file, binary}, p.arguments(scale)...)
		if out, err := exec.CommandContext(ctx, start, args...).CombinedOutput(); err != nil {
			return nil, failure.Errorf(failure.Failed, "%s: %w: %s", p.name, err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var ns, bytes uint64
		if _, err := fmt.Sscan(string(text), &ns, &bytes); err != nil {
			return nil, err
		}
		x.TimesNS, x.PeakBytes = append(x.TimesNS, float64(ns)), max(x.PeakBytes, bytes)
	}
	return x, nil
}

// request asks for a kernel.
func (p *program) request(scale reproduce.Scale) (*request.Request, error) {
	k, ok := table.ByName(p.name)
	if !ok {
		return nil, fmt.Errorf("%s is no kernel", p.name)
	}
	r := request.New(k)
	for _, class := range p.args {
		some, _ := k.InClass(class)
		maps.Copy(r.Params, some)
	}
	if n := p.size.of(scale); n > 0 {
		r.Params[p.flag] = n
	}
	return &r, nil
}

func nativeKernel(ctx context.Context, w *steps.Worker, p *program, scale reproduce.Scale) (any,
	error) {
	r, err := p.request(scale)
	if err != nil {
		return nil, err
	}
	needs, err := r.Kernel.Plan(r.Params)
	if err != nil {
		return nil, err
	}
	r.Cores, r.Reps, r.Warmup, r.Trace, r.Out = 1, nativeRuns, 0, request.TraceOff, w.RunDir()
	if r.Schedulers, err = request.FindSchedulers([]string{"serial"}); err != nil {
		return nil, err
	}
	out, err := experiments.Run(ctx, r, w.Command, w.Host, nil, nil)
	if err != nil {
		return nil, err
	}
	x := &Native{PeakBytes: needs.Bytes}
	for i := range out.Results[0].Repetitions {
		x.TimesNS = append(x.TimesNS, float64(out.Results[0].Repetitions[i].TimeNS))
	}
	return x, nil
}

// measure runs a program and counts footprints by a technique.
func measure(ctx context.Context, w *steps.Worker, p *program, t *technique,
	scale reproduce.Scale) (any, error) {
	if t.name == baseline {
		beside, err := steps.Load[Sample](w.Folder, measuredName(p, &techniques[slim]))
		if err != nil {
			return nil, leftOut(fmt.Errorf("SlimTV was left out, and its size is not known: %w", err))
		}
		if n := beside.baselineBytes(); n > baselineLimit {
			return &Sample{NotRunBytes: &n, Warnings: []string{}}, nil
		}
	}
	o := regions.Analysis.Options().(*regions.Options)
	o.Count, o.Memory, o.Iterations = "data", true, t.iterations
	o.Validation, o.Compress = t.validation.String(), t.compress
	if p.source == kernels {
		return ofKernel(ctx, w, p, o, scale)
	}
	x, err := ofProgram(ctx, w, p, o, scale)
	return x, leftOut(err)
}

const baseline = "baseline"

// baselineBytes computes what the baseline takes from what SlimTV did: as many versions at each
// level, up to the deepest. Where a thread has several outermost regions it may be less.
func (s *Sample) baselineBytes() uint64 { return s.VersionBytes*uint64(s.Depth) + s.TableBytes }

// ofProgram follows a Go program while it runs.
func ofProgram(ctx context.Context, w *steps.Worker, p *program, o *regions.Options,
	scale reproduce.Scale) (*Sample, error) {
	dir, err := p.sources(w)
	if err != nil {
		return nil, err
	}
	build := gofront.BuildOptions{Dir: dir, Path: ".", Regions: true, Iterations: o.Iterations}
	if p.source == modules {
		build.Include = included
	}
	built, err := w.Rewritten(ctx, fmt.Sprintf("%s-%v", filepath.Base(dir), o.Iterations), build)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	rss := rssPeak()
	d, err := gotrace.Run(ctx, &gotrace.Request{Build: build, Built: built,
		Args: p.arguments(scale), Unit: gotrace.Lines, Caches: w.Host.Machine(),
		Stdout: &out, Stderr: &out,
		Live: func(h *loi.Header) (analysis.Live, error) {
			return regions.Analysis.Live(o, &analysis.Input{Header: h})
		}}, w.Command, w.Host)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	x := sampleOf(d.Result.(*regions.Document))
	own := float64(d.ObserverNs)
	x.OwnNS, x.WholeNS, x.RSSBytes = &own, float64(d.TracedNs), rss()
	observed := float64(d.Accounts.Analysed) / float64(max(d.Accounts.All(), 1))
	x.Observed = &observed
	for _, left := range d.LeftFiles {
		x.Warnings = append(x.Warnings, "not observed: "+left)
	}
	for _, f := range d.Failed {
		x.Warnings = append(x.Warnings, fmt.Sprintf("not observed: package %s: %s", f.Package, f.Why))
	}
	return x, nil
}

// ofKernel looks at the trace of a simulated run.
func ofKernel(ctx context.Context, w *steps.Worker, p *program, o *regions.Options,
	scale reproduce.Scale) (*Sample, error) {
	r, err := p.request(scale)
	if err != nil {
		return nil, err
	}
	r.Cores, r.Structure.Tasks, r.Structure.Regions = simulatedCores, true, true
	path, err := w.Simulate(ctx, r, simulatedScheduler, simulatedMachine)
	if err != nil {
		return nil, err
	}
	t, err := loi.Open(path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	rss, began := rssPeak(), time.Now()
	list, err := analysis.Run(ctx, t, []analysis.Asked{{Analysis: regions.Analysis, Options: o}},
		analysis.Options{})
	if err != nil {
		return nil, err
	}
	x := sampleOf(list[0].(*regions.Document))
	x.WholeNS, x.RSSBytes = float64(time.Since(began)), rss()
	return x, nil
}

func sampleOf(d *regions.Document) *Sample {
	x := &Sample{PeakBytes: d.Memory.PeakBytes, VersionBytes: d.Memory.Versions.Peak,
		TableBytes: d.Memory.Tables.Peak, Warnings: append([]string{}, d.Warnings...)}
	for i := range d.Regions {
		x.Depth = max(x.Depth, len(d.Regions[i].Path))
	}
	switch {
	case d.Program.FootprintBytes != nil:
		x.DataBytes = float64(*d.Program.FootprintBytes)
	case len(d.Regions) > 0 && d.Regions[0].FootprintBytes != nil: // the task that all others are in
		x.DataBytes = *d.Regions[0].FootprintBytes
	}
	return x
}

// rssPeak begins to look at the most memory of this process, and returns what ends it: nil is
// returned where the system does not tell.
func rssPeak() func() *uint64 {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil { // proc(5): the peak is now
		return func() *uint64 { return nil }
	}
	return func() *uint64 {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return nil
		}
		for line := range strings.Lines(string(text)) {
			var kB uint64
			if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kB); n == 1 {
				kB <<= 10
				return &kB
			}
		}
		return nil
	}
}
