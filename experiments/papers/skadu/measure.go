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
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"krdlab/examples"
	"krdlab/experiments"
	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/hw/failure"
	table "krdlab/kernels"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/regions"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
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

// A Sample is a program profiled by a technique.
type Sample struct {
	// NotRunBytes is the memory that the baseline would take, which was not run for that reason;
	// all else is 0 then.
	NotRunBytes *uint64 `json:"not_run_bytes"`
	Depth       int     `json:"depth"`      // levels of regions
	DataBytes   float64 `json:"data_bytes"` // that all regions touched; 0 of critical paths
	PeakBytes   uint64  `json:"peak_bytes"` // of the shadow memory
	// TagBytes, VersionBytes and TableBytes are those of tags, of versions, and of what leads to
	// tables, at most.
	TagBytes     uint64  `json:"tag_bytes"`
	VersionBytes uint64  `json:"version_bytes"`
	TableBytes   uint64  `json:"table_bytes"`
	RSSBytes     *uint64 `json:"rss_bytes"` // of the process that held it, at most; null: not known
	// OwnNS is CPU time, of the shadow memory; of critical paths that of reading what the program does
	// and of the analysis. null: not apart from the rest
	OwnNS   *float64 `json:"own_ns"`
	WholeNS float64  `json:"whole_ns"` // of the whole run, or of the analysis of a kernel's trace
	// Observed is the share of the program's accesses that were counted: others are to the stack, or
	// where nothing is recorded. null: all are.
	Observed *float64 `json:"observed"`
	doc.Concluded
}

// included are the packages of others that are observed, beside the program that calls them.
var included = []string{"github.com/klauspost/compress/...", "github.com/pelletier/go-toml/v2/...",
	"github.com/jedib0t/go-pretty/v6/..."}

// native runs the plain program.
func native(ctx context.Context, w *study.Worker, p *profiler, x *program, scale study.Scale) (
	any, error) {
	if x.source == kernels {
		return nativeKernel(ctx, w, x, scale)
	}
	n, err := nativeProgram(ctx, w, x, x.arguments(p, scale))
	return n, leftOut(err)
}

// sources returns the folder of a Go program.
func (p *program) sources(w *study.Worker) (string, error) {
	switch p.source {
	case scimark:
		return w.SciMark()
	case nas:
		return w.Sources("nas", examples.NAS, map[string]string{"go.mod": "module nas\n\ngo 1.24\n"})
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

func nativeProgram(ctx context.Context, w *study.Worker, p *program, arguments []string) (*Native,
	error) {
	dir, err := p.sources(w)
	if err != nil {
		return nil, err
	}
	binary, err := w.Native(ctx, dir)
	if err != nil {
		return nil, err
	}
	beside, err := w.Sources("rusage", examples.RUsage, map[string]string{
		"go.mod": "module rusage\n\ngo 1.24\n"})
	if err != nil {
		return nil, err
	}
	start, err := w.Native(ctx, beside)
	if err != nil {
		return nil, err
	}
	x, file := &Native{}, filepath.Join(beside, "out")
	for range nativeRuns {
		args := append([]string{file, binary}, arguments...)
		if out, err := exec.CommandContext(ctx, start, args...).CombinedOutput(); err != nil {
			return nil, failure.OfContext(ctx, failure.Errorf(failure.Failed, "%s: %w: %s", p.name, err,
				out))
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
func (p *program) request(scale study.Scale) (q *request.Request, err error) {
	k, ok := table.ByName(p.name)
	if !ok {
		return nil, fmt.Errorf("%s is no kernel", p.name)
	}
	r := request.New(k)
	for _, word := range strings.Fields(p.footprint.of(scale)) {
		name, value, _ := strings.Cut(word, "=")
		if some, ok := k.InClass(value); ok && name == "class" {
			maps.Copy(r.Params, some)
		} else if r.Params[name], err = strconv.Atoi(value); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

func nativeKernel(ctx context.Context, w *study.Worker, p *program, scale study.Scale) (any,
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

// measure profiles a program by a technique.
func measure(ctx context.Context, w *study.Worker, by *profiler, p *program, t *technique,
	scale study.Scale) (any, error) {
	if t == &by.techniques[baseline] {
		beside, err := study.Load[Sample](w.Folder, measuredName(p, &by.techniques[slim]))
		if err != nil {
			return nil, leftOut(fmt.Errorf("SlimTV was left out, and its size is not known: %w", err))
		}
		if n := beside.baselineBytes(by); n > baselineLimit {
			return &Sample{NotRunBytes: &n}, nil
		}
	}
	o := regions.Analysis.New().(*regions.Options)
	o.Count, o.Memory, o.Iterations = "data", true, t.iterations
	o.Validation, o.Compress = t.validation.String(), t.compress
	if p.source == kernels {
		return ofKernel(ctx, w, p, o, scale)
	}
	x, err := ofProgram(ctx, w, by, p, o, scale)
	return x, leftOut(err)
}

// baselineBytes computes what the baseline takes from what SlimTV did: of footprints as many
// versions at each level, up to the deepest, where a thread with several outermost regions may have
// less; of critical paths, whose tags are as long as versions, a version for each.
func (s *Sample) baselineBytes(by *profiler) uint64 {
	if by.paths {
		return 2*s.TagBytes + s.TableBytes
	}
	return s.VersionBytes*uint64(s.Depth) + s.TableBytes
}

// observe runs a Go program, rewritten by the request; own is the CPU time of this process meanwhile.
func observe(ctx context.Context, w *study.Worker, p *program, r *goprogram.Request) (
	d *goprogram.Document, own time.Duration, err error) {
	dir, err := p.sources(w)
	if err != nil {
		return nil, 0, err
	}
	b := &r.Build
	if b.Dir, b.Path, b.Regions = dir, ".", true; p.source == modules {
		b.Include = included
	}
	name := fmt.Sprintf("%s-%v-%v", filepath.Base(dir), b.Iterations, b.Values)
	if r.Built, err = w.Rewritten(ctx, name, *b); err != nil {
		return nil, 0, err
	}
	var out bytes.Buffer
	r.Caches, r.Stdout, r.Stderr = w.Host.Machine(), &out, &out
	busy := cpuTime()
	if d, err = goprogram.Run(ctx, r, w.Command, w.Host); err != nil {
		return nil, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	return d, cpuTime() - busy, nil
}

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0 // it has no other error than of its arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ofProgram follows a Go program while it runs. Critical paths with the dependences of reductions are
// found alone, so that there is one tag for each level.
func ofProgram(ctx context.Context, w *study.Worker, by *profiler, p *program, o *regions.Options,
	scale study.Scale) (*Sample, error) {
	r := &goprogram.Request{Args: p.arguments(by, scale), Unit: goprogram.Lines,
		Build: build.Request{Options: front.Options{Iterations: o.Iterations}},
		Live: func(h *loi.Header) (analysis.Live, error) {
			return o.Live(&analysis.Input{Header: h})
		}}
	if by.paths {
		o.Count, o.Paths, o.Iterations = "none", true, true
		r.Unit, r.Build.Iterations, r.Build.Values = goprogram.Data, true, true
	}
	rss := rssPeak()
	d, own, err := observe(ctx, w, p, r)
	if err != nil {
		return nil, err
	}
	if !by.paths {
		own = time.Duration(d.ObserverNs)
	}
	x := sampleOf(d.Result.(*regions.Document))
	ns := float64(own)
	x.OwnNS, x.WholeNS, x.RSSBytes = &ns, float64(d.TracedNs), rss()
	x.notObserved(d)
	return x, nil
}

// notObserved notes what of a program is not.
func (x *Sample) notObserved(d *goprogram.Document) {
	observed := float64(d.Accounts.Analysed) / float64(max(d.Accounts.All(), 1))
	x.Observed = &observed
	for _, left := range d.LeftFiles {
		x.Find(goprogram.NotObserved, left)
	}
	for _, f := range d.Failed {
		x.Find(goprogram.NotObserved, fmt.Sprintf("package %s: %s", f.Package, f.Why))
	}
}

// ofKernel looks at the trace of a simulated run.
func ofKernel(ctx context.Context, w *study.Worker, p *program, o *regions.Options,
	scale study.Scale) (*Sample, error) {
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
	x := &Sample{PeakBytes: d.Memory.PeakBytes, TagBytes: d.Memory.Tags.Peak,
		VersionBytes: d.Memory.Versions.Peak,
		TableBytes:   d.Memory.Tables.Peak}
	x.Conclude(d.Findings...)
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
