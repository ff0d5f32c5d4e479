package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/dataset"
	"krdlab/experiments/figures"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/krd/smith"
	"krdlab/loi"
)

type krdFlags struct {
	json, csv, allowLoss   bool
	plot, distance, weight string
	node                   int
	coherence              bool
	caches                 []string // of --llc
	given                  given
	engine, by, bins, per  string
	seed                   uint64
	replay, cacheModel     string
}

// The values of --per.
const (
	perNode = "node"
	perCore = "core"
)

var perWhat = []string{perNode, perCore}

// krdCommand is `krdlab krd`.
func (a *app) krdCommand() *cobra.Command {
	f := &krdFlags{}
	c := &cobra.Command{
		Use:   "krd [TRACE|RUNDIR]",
		Short: "Kernel reuse distances of a trace, or of each trace of a run directory",
		Long: "Compute the histograms of kernel reuse distances of a trace: for each node " +
			"(last-level cache) and summed.\n" +
			"A distance is the number of distinct bytes touched on the node since the last " +
			"access to the same block." + ofLatest,
		Example: "  krdlab krd krdlab-runs/20261120-180509-matmul-workfirst-c2-n4096\n  krdlab " +
			"krd workfirst.loi --plot krd.svg\n" +
			"  krdlab krd workfirst.loi --llc 18MiB:16 --coherence\n  krdlab krd workfirst.loi " +
			"--replay host\n  krdlab krd workfirst.loi --by object-pair --bins 32M-",
		Args: orNone("TRACE|RUNDIR"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args, err = a.orLatest(c, args, true, "TRACE|RUNDIR"); err != nil {
				return err
			}
			if !c.Flags().Changed("node") {
				f.node = -1
			} else if f.node < 0 {
				return &request.Error{Flag: "node", Got: fmt.Sprint(f.node),
					Want: "nodes are numbered from 0"}
			}
			return interruptible(c.Context(), func() error { return a.krd(c.Context(), f, args[0]) })
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	p := c.Flags()
	p.BoolVar(&f.json, "json", false,
		"print one JSON document, an array where there are several traces")
	p.BoolVar(&f.csv, "csv", false, "print bins as CSV: node, from_bytes, to_bytes, count; with "+
		"--per core a column worker, of several traces with a column trace")
	p.StringVar(&f.plot, "plot", "", "also draw a figure to this `FILE`: .svg, .png or .pdf")
	p.StringVar(&f.distance, "distance", "exclusive", "`CONVENTION`: exclusive, or inclusive: "+
		"the block itself counts too")
	p.StringVar(&f.weight, "weight", "count", "`WHAT` counts: count, or bytes: each access "+
		"weighs its bytes")
	p.BoolVar(&f.allowLoss, "allow-loss", false, "analyse a trace with discarded records too")
	p.BoolVar(&f.coherence, "coherence", false, "a write on one node invalidates the copies of "+
		"the others; such misses are counted apart")
	p.StringSliceVar(&f.caches, "llc", nil, "predict the misses of a cache `SIZE:WAYS[:LINE]` on "+
		"each node: 18MiB:16; without ways fully associative")
	cachesVar(p, &f.given)
	p.StringVar(&f.replay, "replay", "", "instead: LLC misses by simulating the caches of "+
		"`MACHINE` with the trace: host, a name or a TOML file")
	p.StringVar(&f.cacheModel, "cache-model", string(request.CacheBlocks),
		"`MODEL` of --replay: whole blocks (fast) or lines")
	p.StringVar(&f.engine, "engine", "exact", "`ENGINE`: "+strings.Join(krd.Engines, ", ")+
		"; all but the first are approximate")
	p.Uint64Var(&f.seed, "seed", 1, "`N` that chooses the blocks which shards follows")
	p.StringVar(&f.by, "by", "", "rank who causes --bins by `WHAT`: "+strings.Join(krd.Rankings,
		", "))
	p.StringVar(&f.bins, "bins", "", "`FROM-TO`: the distances to rank causes of, 32M- or 1M-32M "+
		"(default: from the size of the LLC on)")
	p.StringVar(&f.per, "per", perNode, "a histogram per `WHAT`: node, or core: beside the nodes' "+
		"those of each worker alone, and what L2 and LLC hold")
	p.IntVar(&f.node, "node", 0, "only node `N` (default all, and their sum)")
	p.SortFlags = false
	expects(p, "replay", "expected a machine: "+request.Host+
		", one of krdlab list machines, or a TOML file")
	expects(p, "engine", "choose one of "+strings.Join(krd.Engines, ", "))
	expects(p, "plot", "expected a file that ends in .svg, .png or .pdf")
	expects(p, "by", "choose one of "+strings.Join(krd.Rankings, ", "))
	expects(p, "bins", "expected FROM-TO in bytes, such as 32M-, 1MiB-32MiB or 0-64K")
	expects(p, "llc", "expected SIZE:WAYS[:LINE], such as 18MiB:16")
	if err := c.RegisterFlagCompletionFunc("per", cobra.FixedCompletions(perWhat,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func (a *app) krd(ctx context.Context, f *krdFlags, path string) error {
	if f.json && f.csv {
		return usageError("krdlab krd: --json and --csv exclude each other; choose one")
	}
	if f.csv && len(f.caches) > 0 {
		return usageError("krdlab krd: --csv has the bins only, not the misses of --llc; use " +
			"--json for both")
	}
	for _, o := range []struct {
		flag, got string
		there     []string
	}{
		{"distance", f.distance, []string{string(krd.Exclusive), string(krd.Inclusive)}},
		{"weight", f.weight, []string{string(krd.WeightCount), string(krd.WeightBytes)}},
		{"per", f.per, perWhat},
	} {
		if !slices.Contains(o.there, o.got) {
			return &request.Error{Flag: o.flag, Got: o.got,
				Want: request.Suggest(o.got, o.there, "")}
		}
	}
	opt, err := f.options()
	if err != nil {
		return err
	}
	traces, err := findTraces(path)
	if err != nil {
		return err
	}
	a.sayUnfinished(path)
	if !f.coherence {
		a.sayCoherent(path)
	}
	if f.plot != "" { // a name that cannot be is known before the work
		if _, err := plot.FormatOf(f.plot); err != nil {
			return usageError("--plot %w", err)
		}
		if err := derivable("plot", f.plot); err != nil {
			return err
		}
	}
	if f.replay != "" {
		return a.replay(ctx, f, opt, traces)
	} else if f.cacheModel != string(request.CacheBlocks) {
		return usageError("krdlab krd --cache-model %q: it is for --replay; add --replay host",
			f.cacheModel)
	}
	if opt.Engine.Sampling() {
		return a.sample(f, opt, traces)
	}
	var reports []*krd.Report
	var headers []loi.Header
	for _, trace := range traces {
		r, h, err := a.analyze(f, opt, trace)
		if err != nil {
			return err
		}
		reports, headers = append(reports, r), append(headers, h)
	}
	if f.plot != "" {
		if err := plotReports(f, reports, traces, headers); err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "figure: %s\n", f.plot)
	}
	if f.csv {
		return krd.Table(reports, traces).CSV(a.stdout)
	}
	if !f.json && f.by == "" && f.per == perNode && len(f.caches) == 0 && len(reports) > 1 {
		return a.besides(reports, traces, headers)
	}
	return printEach(a, f, traces, reports, func(r *krd.Report) *doc.Doc {
		if f.by != "" {
			return show.Ranking(r, f.by)
		}
		return show.KRD(r)
	})
}

// printEach prints what each trace came to: as text, under the trace's path if there are several,
// or with --json as a document, a list of them if there are several.
func printEach[R any](a *app, f *krdFlags, traces []string, reports []R,
	view func(R) *doc.Doc) error {
	switch {
	case f.json && len(reports) > 1:
		return writeJSON(a.stdout, reports)
	case f.json:
		return writeJSON(a.stdout, reports[0])
	}
	for i, r := range reports {
		if len(reports) > 1 {
			fmt.Fprintf(a.stdout, "%s\n", traces[i])
		}
		if err := view(r).Text(a.page()); err != nil {
			return err
		}
	}
	return nil
}

// besides prints one table with a column for each scheduler, of its first trace.
func (a *app) besides(reports []*krd.Report, traces []string, headers []loi.Header) error {
	var columns []show.KRDColumn
	for i, name := range schedulersOf(traces, headers) {
		k := slices.IndexFunc(columns, func(c show.KRDColumn) bool { return c.Name == name })
		if k < 0 {
			k = len(columns)
			columns = append(columns, show.KRDColumn{Name: name, Trace: traces[i], Report: reports[i]})
		}
		columns[k].Traces++
	}
	return show.KRDs(columns).Text(a.page())
}

// schedulersOf returns the scheduler of each trace, or the name of its file where it names none.
func schedulersOf(traces []string, headers []loi.Header) (schedulers []string) {
	for i, path := range traces {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		schedulers = append(schedulers, cmp.Or(headers[i].Scheduler, name))
	}
	return schedulers
}

// options reads the flags that do not depend on the trace.
func (f *krdFlags) options() (opt krd.Options, err error) {
	opt = krd.Options{Distance: krd.Distance(f.distance), Weight: krd.Weight(f.weight),
		AllowLoss: f.allowLoss, Coherence: f.coherence, Cores: f.per == perCore}
	for _, text := range f.caches {
		c, err := smith.Parse(text)
		if err != nil {
			return opt, usageError("--llc %s: %w", text, err)
		}
		opt.Caches = append(opt.Caches, c)
	}
	if opt.Engine, err = krd.ParseEngine(f.engine); err != nil {
		return opt, usageError("--engine %s: %w", f.engine, err)
	}
	if f.by != "" && !slices.Contains(krd.Rankings, f.by) {
		return opt, &request.Error{Flag: "by", Got: f.by, Want: request.Suggest(f.by,
			krd.Rankings, "see krdlab krd --help")}
	}
	if f.by == "" && f.bins != "" {
		return opt, usageError("--bins %s: it is for --by; add --by %s", f.bins,
			strings.Join(krd.Rankings, " or --by "))
	}
	if f.by != "" {
		if f.csv || f.plot != "" || opt.Engine.Sampling() || f.node >= 0 {
			return opt, usageError("krdlab krd --by %s: it goes with neither --csv, --plot, "+
				"--node nor shards; use --json for all rows", f.by)
		}
		if opt.Causes, err = parseBins(f.bins); err != nil {
			return opt, err
		}
		opt.Causes.Pairs = f.by == krd.ByObjectPair || f.by == krd.ByKernelPair
	}
	return opt, nil
}

// parseBins reads FROM-TO. "" is a range that begins at 0 for want of a better one: analyze puts
// the LLC there.
func parseBins(text string) (*krd.CauseOptions, error) {
	o := &krd.CauseOptions{ToBytes: causes.Unbounded}
	if text == "" {
		return o, nil
	}
	bad := &request.Error{Flag: "bins", Got: text, Want: "expected FROM-TO in bytes, " +
		"such as 32M-, 1MiB-32MiB or 0-64K"}
	from, to, ok := strings.Cut(text, "-")
	if !ok {
		return nil, bad
	}
	var err error
	if from != "" && from != "0" {
		if o.FromBytes, err = units.ParseBytes(from); err != nil {
			return nil, bad
		}
	}
	if to != "" {
		if o.ToBytes, err = units.ParseBytes(to); err != nil {
			return nil, bad
		}
	}
	return o, nil
}

// sample prints estimates.
func (a *app) sample(f *krdFlags, opt krd.Options, traces []string) error {
	if f.csv || f.plot != "" || f.node >= 0 || f.coherence || f.per != perNode ||
		f.weight != string(krd.WeightCount) || f.distance != string(krd.Exclusive) {
		return usageError("krdlab krd --engine %s: a sample gives estimates for far reuses and "+
			"misses only; it goes with --llc, --seed, --json and --allow-loss", f.engine)
	}
	var reports []*krd.SampleReport
	for _, path := range traces {
		t, err := f.given.open(path)
		if err != nil {
			return traceError(path, err)
		}
		show, done := a.analysisProgress()
		r, err := krd.Sample(t, krd.SampleOptions{Engine: opt.Engine, Seed: f.seed,
			Caches: opt.Caches, AllowLoss: f.allowLoss, Progress: show})
		done()
		t.Close()
		if err != nil {
			return analysisError(path, err)
		}
		reports = append(reports, r)
	}
	return printEach(a, f, traces, reports, show.Sample)
}

func analysisError(path string, err error) error {
	if errors.Is(err, krd.ErrLoss) {
		return fmt.Errorf("%s: %w; add --allow-loss to analyse what there is", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// analyze reads one trace, and says its scheduler, "" where it names none. Its errors say what to
// type instead.
func (a *app) analyze(f *krdFlags, opt krd.Options, path string) (r *krd.Report, h loi.Header,
	err error) {
	t, err := f.given.open(path)
	if err != nil {
		return nil, h, traceError(path, err)
	}
	defer t.Close()
	if c := opt.Causes; c != nil && f.bins == "" {
		if t.Header.LLCBytes == 0 {
			return nil, h, usageError("%s: --by %s needs --bins, as in --bins 32M-: the trace names "+
				"no LLC size", path, f.by)
		}
		c.FromBytes = t.Header.LLCBytes
	}
	show, done := a.analysisProgress()
	opt.Progress = show
	r, err = krd.Analyze(t, opt)
	done()
	if err != nil {
		return nil, h, analysisError(path, err)
	}
	h = t.Header
	if f.node < 0 || r.Only(f.node) {
		return r, h, nil
	}
	var there []string
	for _, n := range r.Nodes {
		there = append(there, fmt.Sprint(n.Node))
	}
	return nil, h, &request.Error{Flag: "node", Got: fmt.Sprint(f.node),
		Want: "the nodes with workers in " + path + " are " + strings.Join(there, ", ")}
}

// traceError adds what helps against an error of opening a trace.
func traceError(path string, err error) error {
	if errors.Is(err, loi.ErrNotTrace) {
		return fmt.Errorf("%w; a trace is a file that ends in .loi, and a run directory stands "+
			"for those in it", err)
	}
	if errors.Is(err, loi.ErrUnclean) {
		return fmt.Errorf("%w; try krdlab trace recover %s --out %s", err, path,
			strings.TrimSuffix(path, ".loi")+"-recovered.loi")
	}
	return err
}

// noTrace is the error of a trace or run directory that is not there.
func noTrace(path string) error {
	if path == "" {
		return usageError("krdlab: the name of a trace or run directory is empty; type . for " +
			"this folder")
	}
	if _, err := os.Stat(path + ".partial"); err == nil {
		return fmt.Errorf("%s: there is no such file or folder; but "+
			"%s.partial is there, of a run that did not finish", path, path)
	}
	return fmt.Errorf("%s: there is no such file or folder; expected a "+
		"trace or a run directory", path)
}

// findTraces returns path itself, or the traces of a run directory.
func findTraces(path string) (traces []string, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noTrace(path)
	} else if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	for _, name := range []string{"*.loi", "*.loi.zst"} {
		found, err := filepath.Glob(filepath.Join(globEscape(path), name))
		if err != nil {
			return nil, err
		}
		traces = append(traces, found...)
	}
	if _, err := os.Stat(filepath.Join(path, dataset.PlanFile)); err == nil && len(traces) == 0 {
		return nil, ofSweep(path)
	}
	if _, err := os.Stat(filepath.Join(path, result.ManifestFile)); err != nil &&
		len(traces) == 0 {
		return nil, fmt.Errorf("%s: it is no run directory and holds no trace (*.loi, *.loi.zst)",
			path)
	}
	if len(traces) == 0 {
		return nil, fmt.Errorf("run directory %s holds no trace (*.loi, *.loi.zst); %s", path,
			keepOne)
	}
	slices.Sort(traces)
	return traces, nil
}

// keepOne says how a run or a sweep comes to hold a trace.
const keepOne = "krdlab run and sweep keep their traces with --trace full"

// ofSweep is the error of a sweep's folder in the place of a trace: it names a cell with one.
func ofSweep(path string) error {
	for _, name := range []string{"*.loi", "*.loi.zst"} {
		found, err := filepath.Glob(filepath.Join(globEscape(path), dataset.CellsDir, "*", name))
		if err == nil && len(found) > 0 {
			return usageError("%s: it is the folder of a sweep; name the run directory of one of "+
				"its cells, such as %s", path, filepath.Dir(found[0]))
		}
	}
	return usageError("%s: it is the folder of a sweep, and no cell of it holds a trace; %s; "+
		"krdlab plot draws the reuse distances that the sweep has counted", path, keepOne)
}

// sayUnfinished warns where path is the directory of a run that did not finish.
func (a *app) sayUnfinished(path string) {
	dir, err := filepath.Abs(path)
	info, serr := os.Stat(path)
	if err != nil || serr != nil || !info.IsDir() || !strings.HasSuffix(dir, dataset.PartialSuffix) {
		return
	}
	for _, w := range show.Sentences([]result.Warning{result.Warn(result.UnfinishedRun, path)}) {
		fmt.Fprintf(a.stderr, "warning: %s\n", w)
	}
}

// sayCoherent warns where path is the directory of a run whose own reuse distances are coherent.
func (a *app) sayCoherent(path string) {
	e, err := dataset.Load(path)
	if err != nil { // a trace, or a folder of traces
		return
	}
	for i := range e.Cells {
		if e.Cells[i].Result.Settings.KRDCoherence {
			fmt.Fprintf(a.stderr, "warning: the results in %s have coherent distances, these are "+
				"not; type --coherence for the same\n", path)
			return
		}
	}
}

// globEscape quotes the characters that filepath.Glob would expand.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// plotReports draws one trace, with its nodes, or the sums of several in one figure. Schedulers
// look as in all other figures.
func plotReports(f *krdFlags, reports []*krd.Report, traces []string, headers []loi.Header) error {
	schedulers := schedulersOf(traces, headers)
	curves, name := plot.Nodes(reports[0], f.node < 0), filepath.Base(traces[0])
	if len(traces) > 1 {
		curves, name = nil, "Each line is one trace of "+filepath.Base(filepath.Dir(traces[0]))
		for i, r := range reports {
			curves = append(curves, plot.Curve{Name: filepath.Base(traces[i]),
				Histogram: &r.Histogram, Legend: schedulers[i]})
		}
	}
	if len(traces) > 1 || len(curves) == 1 && headers[0].Scheduler != "" {
		names := slices.Compact(slices.Sorted(slices.Values(schedulers)))
		looks := figures.SchedulerLooks(names)
		for i, scheduler := range schedulers {
			curves[i].Look = looks[slices.Index(names, scheduler)]
		}
		slices.SortStableFunc(curves, func(a, b plot.Curve) int {
			return cmp.Compare(a.Look, b.Look)
		})
	}
	figure, err := plot.Of(reports[0], curves, ran(&headers[0], name))
	if err != nil {
		return err
	}
	return writeFigure(f.plot, figure)
}

// writeFigure draws into a file in the format of its name.
func writeFigure(path string, figure *plot.Figure) error {
	format, err := plot.FormatOf(path)
	if err != nil {
		return err
	}
	return rederive(path, func(w io.Writer) error { return figure.Write(w, format) })
}

// ran is what a header tells of the run, behind the name of what was drawn.
func ran(h *loi.Header, name string) string {
	var parts []string
	if words := strings.Join(append([]string{h.Kernel}, pairs(h.Params)...), " "); words != "" {
		parts = append(parts, words)
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

func pairs(list []loi.KV) (words []string) {
	for _, p := range list {
		words = append(words, p.Key+"="+p.Value)
	}
	return words
}

// analysisProgress returns what shows how much of a trace has been read, nil where stderr is no
// terminal, and what clears it.
func (a *app) analysisProgress() (show func(done, total uint64), end func()) {
	bar, done := a.bytesProgress("reuse distances")
	if bar == nil {
		return nil, done
	}
	return func(n, total uint64) { bar(int64(n), int64(total)) }, done
}
