// Package reuse implements the analysis `krd`: it reports reuse distances by node or core, the
// misses expected of given caches, and the kernels and objects behind a range of distances. The
// engines are those of package krd.
package reuse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/krd/smith"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "krd",
	Summary: "Kernel reuse distances of a trace, or of each trace of a run directory",
	Long: "Compute the histograms of kernel reuse distances of a trace: for each node (last-level " +
		"cache) and summed.\n" +
		"A distance is the number of distinct bytes touched on the node since the last access to " +
		"the same block.",
	Example: "  krdlab krd krdlab-runs/20261120-180509-matmul-workfirst-c2-n4096\n" +
		"  krdlab krd workfirst.loi --plot krd.svg\n" +
		"  krdlab krd workfirst.loi --coherence --llc 18MiB:16\n" +
		"  krdlab krd workfirst.loi --replay host\n" +
		"  krdlab krd workfirst.loi --by object-pair --bins 32M-",
	Needs: analysis.Needs{Accesses: true},
	New:   func() any { return defaults() },
}

func defaults() *Options {
	return &Options{Distance: string(krd.Exclusive), Weight: string(krd.WeightCount),
		Engine: krd.EngineExact, Seed: 1, Per: perNode}
}

// Options are the flags.
type Options struct {
	Distance  string   `flag:"distance" choice:"exclusive,inclusive" help:"CONVENTION: exclusive, or inclusive: the block itself counts too"`
	Weight    string   `flag:"weight" choice:"count,bytes" help:"WHAT counts: count, or bytes: each access weighs its bytes"`
	Coherence bool     `flag:"coherence" help:"a write on one node invalidates the copies of the others; such misses are counted apart"`
	LLC       []string `flag:"llc" want:"expected SIZE:WAYS[:LINE], such as 18MiB:16" help:"predict the misses of a cache SIZE:WAYS[:LINE] on each node: 18MiB:16; without ways fully associative"`
	Engine    string   `flag:"engine" want:"choose one of exact, scale-tree[:ACCURACY], shards[:RATE], shards-keys[:COUNT]" help:"ENGINE: exact, scale-tree[:ACCURACY], shards[:RATE], shards-keys[:COUNT]; all but the first are approximate"`
	Seed      uint64   `flag:"seed" help:"N that chooses the blocks which shards follows"`
	By        string   `flag:"by" choice:"kernel,object,object-pair,kernel-pair,stack,function,loop,type,field,site" help:"rank the causes of --bins by WHAT: kernel, object, object-pair, kernel-pair, stack (path of calls); of a Go program by function, loop, type, field or site of allocation"`
	Bins      string   `flag:"bins" with:"by kernel" want:"expected FROM-TO in bytes, such as 32M-, 1MiB-32MiB or 0-64K" help:"FROM-TO: the distances to rank causes of, 32M- or 1M-32M (default: from the size of the LLC on)"`
	Per       string   `flag:"per" choice:"node,core" help:"a histogram per WHAT: node, or core: beside the nodes' those of each worker alone, and what L2 and LLC hold"`
	SavePprof string   `flag:"save-pprof" want:"expected the name of a file" help:"of --by stack: write a profile to this FILE, for go tool pprof"`
	Node      string   `flag:"node" not:"by" want:"expected the number of a node" help:"only node N (default all, and their sum)"`
}

// The values of Options.Per.
const (
	perNode = "node"
	perCore = "core"
)

// wrong returns the error of a wrong option, of class Request.
func wrong(format string, args ...any) error {
	return failure.Errorf(failure.Request, format, args...)
}

// Records implements [analysis.Recorded].
func (o *Options) Records() (regions, iterations bool) { return o.By == krd.ByStack, false }

// Sections implements [analysis.Sectioned]: beside distances the paths to those beyond the LLC.
func (*Options) Sections(t *loi.Trace) []any {
	list := []any{defaults()}
	if t.Header.LLCBytes > 0 && t.Tells(loi.EventRegion) {
		o := defaults()
		o.By = krd.ByStack
		list = append(list, o)
	}
	return list
}

// Check implements [analysis.Checked].
func (o *Options) Check() error {
	_, err := o.resolve()
	return err
}

// resolve reads what does not depend on the trace.
func (o *Options) resolve() (opt krd.Options, err error) {
	opt = krd.Options{Distance: krd.Distance(o.Distance), Weight: krd.Weight(o.Weight),
		AllowLoss: true, Coherence: o.Coherence, Cores: o.Per == perCore}
	for _, text := range o.LLC {
		cache, err := smith.Parse(text)
		if err != nil {
			return opt, wrong("--llc %s: %w", text, err)
		}
		opt.Caches = append(opt.Caches, cache)
	}
	if opt.Engine, err = krd.ParseEngine(o.Engine); err != nil {
		return opt, wrong("--engine %s: %w", o.Engine, err)
	}
	if o.Node != "" {
		if n, err := strconv.Atoi(o.Node); err != nil || n < 0 {
			return opt, wrong("--node %s: nodes are numbered from 0", o.Node)
		}
	}
	if o.By != "" {
		if opt.Causes, err = ParseBins(o.Bins); err != nil {
			return opt, err
		}
		opt.Causes.Paths = o.By == krd.ByStack
		opt.Causes.Pairs = o.By == krd.ByObjectPair || o.By == krd.ByKernelPair
	}
	both := func(holds bool, what, flag, why string) error {
		if !holds {
			return nil
		}
		return wrong("krdlab krd: %s and --%s exclude each other; %s", what, flag, why)
	}
	const estimates = "a sample gives estimates for far reuses and misses only"
	engine, sampling := "--engine "+o.Engine, opt.Engine.Sampling()
	if o.SavePprof != "" && o.By != krd.ByStack {
		return opt, wrong("krdlab krd: --save-pprof is for --by stack; add it")
	}
	return opt, cmp.Or(
		both(o.By != "" && sampling, "--by "+o.By, "engine", "a sample has no causes"),
		both(sampling && o.Node != "", engine, "node", estimates),
		both(sampling && o.Coherence, engine, "coherence", estimates),
		both(sampling && o.Per != perNode, engine, "per", estimates),
		both(sampling && o.Weight != string(krd.WeightCount), engine, "weight", estimates),
		both(sampling && o.Distance != string(krd.Exclusive), engine, "distance", estimates))
}

// ParseBins reads FROM-TO in bytes. "" is a range that begins at 0 for want of a better one: look
// puts the LLC there.
func ParseBins(text string) (*krd.CauseOptions, error) {
	o := &krd.CauseOptions{ToBytes: causes.Unbounded}
	if text == "" {
		return o, nil
	}
	from, to, ok := strings.Cut(text, "-")
	var err, toErr error
	if from != "" && from != "0" {
		o.FromBytes, err = units.ParseBytes(from)
	}
	if to != "" {
		o.ToBytes, toErr = units.ParseBytes(to)
	}
	if !ok || err != nil || toErr != nil {
		return nil, wrong("--bins %s: expected FROM-TO in bytes, such as 32M-, 1MiB-32MiB or 0-64K",
			text)
	}
	if to != "" && o.ToBytes < o.FromBytes {
		return nil, wrong("--bins %s: a range goes upwards; type --bins %s-%s", text, to, from)
	}
	return o, nil
}

// Suits implements [analysis.Suited].
func (o *Options) Suits(h *loi.Header) error {
	opt, err := o.resolve()
	if err == nil {
		err = opt.Engine.Suits(h)
	}
	if err == nil && slices.Contains(krd.ProgramRankings, o.By) {
		err = krd.InTraces(o.By, h.Goroutines())
	}
	if err != nil {
		return err
	}
	if o.By == krd.ByStack && len(h.Registry.Regions) == 0 {
		return o.needsRegions()
	}
	if o.By != "" && o.Bins == "" && h.LLCBytes == 0 {
		return wrong("--by %s needs --bins, as in --bins 32M-: the trace names no LLC size", o.By)
	}
	var there []int
	for _, w := range h.Workers {
		there = append(there, w.Node)
	}
	slices.Sort(there)
	there = slices.Compact(there)
	if n, err := strconv.Atoi(o.Node); err == nil && !slices.Contains(there, n) {
		return wrong("--node %d: the nodes with workers in the trace are %s", n,
			strings.Trim(strings.ReplaceAll(fmt.Sprint(there), " ", ", "), "[]"))
	}
	return nil
}

func (o *Options) needsRegions() error {
	return &analysis.NeedError{Analysis: "krd --by " + o.By, What: "events of regions",
		Flag: "full,regions, or of a Go program with krdlab trace go --regions"}
}

// Formats implements [analysis.Formatted].
func (o *Options) Formats() []string {
	opt, err := o.resolve()
	if err != nil || o.By == krd.ByStack || o.By == "" && !opt.Engine.Sampling() {
		return []string{"svg", "png", "pdf"}
	}
	return nil
}

// Trace implements [analysis.OverTrace].
func (o *Options) Trace(_ context.Context, t *loi.Trace, in *analysis.Input) (analysis.Result, error) {
	opt, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if opt.Engine.Sampling() {
		r, err := krd.Sample(t, krd.SampleOptions{Engine: opt.Engine, Seed: o.Seed,
			Caches: opt.Caches, AllowLoss: true, Progress: in.Progress})
		return sampled{r}, err
	}
	if opt.Causes != nil && o.Bins == "" {
		opt.Causes.FromBytes = t.Header.LLCBytes
	}
	if o.By == krd.ByStack && !t.Tells(loi.EventRegion) {
		return nil, o.needsRegions()
	}
	opt.Progress = in.Progress
	r, err := krd.Analyze(t, opt)
	if err != nil {
		return nil, err
	}
	if slices.Contains(krd.ProgramRankings, o.By) {
		if err := r.Program(o.By); err != nil {
			return nil, err
		}
	}
	if n, err := strconv.Atoi(o.Node); err == nil {
		r.Only(n) // it is there: see suits
	}
	x := &result{Report: r, opt: o, header: &t.Header, path: t.Info().Path, looks: in.Looks}
	switch {
	case o.By == krd.ByStack && r.Causes.Accesses > 0:
		return flames{byPath{x}}, nil
	case o.By == krd.ByStack:
		return byPath{x}, nil
	case r.Accesses > 0 && o.By == "":
		return drawn{x}, nil
	}
	return x, nil
}

// ReadDistances implements [analysis.OverDistances].
func (o *Options) ReadDistances(r io.Reader) (analysis.Result, error) {
	opt, err := o.resolve()
	if err != nil {
		return nil, err
	}
	for _, x := range []struct {
		flag  string
		given bool
	}{{"node", o.Node != ""}, {"coherence", o.Coherence}, {"per", o.Per != perNode},
		{"llc", len(o.LLC) > 0}, {"engine", o.Engine != krd.EngineExact},
		{"weight", o.Weight != string(krd.WeightCount)},
		{"distance", o.Distance != string(krd.Exclusive)}} {
		if x.given {
			return nil, wrong("--%s is for traces; these distances were counted before", x.flag)
		}
	}
	report, parts, err := krd.Read(r)
	if err != nil {
		return nil, err
	}
	x := &result{Report: report, opt: o, header: &loi.Header{}}
	if o.By == "" {
		return drawn{x}, nil
	}
	in := opt.Causes
	if o.Bins == "" {
		in = nil
	}
	return x, report.Rank(parts, o.By, in)
}

// sampled is an estimate.
type sampled struct{ r *krd.SampleReport }

func (s sampled) Document() any  { return s.r }
func (s sampled) View() *doc.Doc { return Sample(s.r) }

// A result is a report with what it is of.
type result struct {
	*krd.Report
	opt    *Options
	header *loi.Header
	path   string
	looks  func([]string) []int
}

// Document implements [analysis.Result].
func (r *result) Document() any { return r.Report }

// View implements [analysis.Result].
func (r *result) View() *doc.Doc {
	if r.opt.By != "" {
		return Ranking(r.Report, r.opt.By)
	}
	return View(r.Report)
}

// TableNames implements [analysis.Tabled].
func (o *Options) TableNames() []string {
	switch o.By {
	case "":
		return []string{"bins", "misses"}
	case krd.ByStack:
		return []string{"paths"}
	}
	return []string{}
}

// Tables implements [analysis.Data].
func (r *result) Tables() []*doc.Table {
	if r.opt.By != "" {
		return nil
	}
	list := []*doc.Table{krd.Table([]*krd.Report{r.Report}, []string{r.path})}
	if len(r.Misses) > 0 {
		list = append(list, missTable(r.Report))
	}
	return list
}

// missTable returns the misses expected of each cache as data: on each node, and of all.
func missTable(r *krd.Report) *doc.Table {
	t := doc.NewData("misses", "cache", "node", "line_misses_per_core", "line_misses", "cold_lines",
		"lines")
	for _, c := range r.Misses {
		row := func(node any, m smith.Prediction, perCore float64) {
			t.Row(c.Cache.String(), node, perCore, m.AllLineMisses(), m.ColdLines, m.Lines)
		}
		for _, n := range c.Nodes {
			row(n.Node, n.Prediction, n.LineMissesPerCore)
		}
		row("all", c.Prediction, c.LineMissesPerCore)
	}
	return t
}

// scheduler names the scheduler, or the file where the trace names none.
func (r *result) scheduler() string {
	return cmp.Or(r.header.Scheduler, strings.TrimSuffix(filepath.Base(r.path),
		filepath.Ext(r.path)))
}

// drawn is a result that has something to draw.
type drawn struct{ *result }

// Draw implements [analysis.Drawn]: the histogram with those of the nodes.
func (d drawn) Draw(w io.Writer, format string) error {
	curves := distances.Nodes(d.Report, d.opt.Node == "")
	if len(curves) == 1 && d.header.Scheduler != "" && d.looks != nil {
		curves[0].Look = d.looks([]string{d.header.Scheduler})[0]
	}
	f, err := distances.Of(d.Report, curves, d.ran(filepath.Base(d.path)))
	if err != nil {
		return err
	}
	return f.Write(w, format)
}

// ran returns the header's facts of the run, behind the name of the drawing.
func (r *result) ran(name string) string {
	h := r.header
	words := []string{h.Kernel}
	for _, p := range h.Params {
		words = append(words, p.Key+"="+p.Value)
	}
	var parts []string
	if all := strings.Join(words, " "); all != "" {
		parts = append(parts, all)
	}
	if h.Cores > 0 {
		parts = append(parts, units.Count(h.Cores, "core"))
	}
	if h.Machine != "" {
		parts = append(parts, h.Machine)
	}
	if h.Substrate == loi.Simulated {
		parts = append(parts, "SIMULATED, not measured")
	}
	if parts == nil {
		return name + "."
	}
	return name + ": " + strings.Join(parts, "; ") + "."
}

// beside is the results of several traces of a run.
type beside []*result

// Together implements [analysis.Joined]: nil where they are no histograms.
func (*Options) Together(list []analysis.Result) analysis.Result {
	var all beside
	for _, x := range list {
		switch r := x.(type) {
		case drawn:
			all = append(all, r.result)
		case flames:
			all = append(all, r.result)
		case byPath:
			all = append(all, r.result)
		case *result:
			all = append(all, r)
		default:
			return nil
		}
	}
	return all
}

// Document implements [analysis.Result].
func (b beside) Document() any { return nil }

// View implements [analysis.Result]: a column for each scheduler, of its first trace; nil where
// more is asked for than a table has room for.
func (b beside) View() *doc.Doc {
	if o := b[0].opt; o.By != "" || o.Per != perNode || len(o.LLC) > 0 {
		return nil
	}
	var columns []Column
	for _, r := range b {
		name := r.scheduler()
		k := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
		if k < 0 {
			k = len(columns)
			columns = append(columns, Column{Name: name, Trace: r.path, Report: r.Report})
		}
		columns[k].Traces++
	}
	return Beside(columns)
}

// Draw implements [analysis.Drawn]: a line for each trace. Schedulers look as in all other figures.
func (b beside) Draw(w io.Writer, format string) error {
	if b[0].opt.By != "" {
		return errors.New("a ranking has no picture")
	}
	var names []string
	for _, r := range b {
		names = append(names, r.scheduler())
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var looks []int
	if b[0].looks != nil {
		looks = b[0].looks(names)
	}
	var curves []distances.Curve
	for _, r := range b {
		c := distances.Curve{Name: filepath.Base(r.path), Histogram: &r.Histogram, Legend: r.scheduler()}
		if looks != nil {
			c.Look = looks[slices.Index(names, c.Legend)]
		}
		curves = append(curves, c)
	}
	slices.SortStableFunc(curves, func(a, b distances.Curve) int { return cmp.Compare(a.Look, b.Look) })
	about := b[0].ran("Each line is one trace of " + filepath.Base(filepath.Dir(b[0].path)))
	f, err := distances.Of(b[0].Report, curves, about)
	if err != nil {
		return err
	}
	return f.Write(w, format)
}
