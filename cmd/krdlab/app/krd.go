package app

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/figures"
	"krdlab/experiments/request"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis/reuse"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/krd/smith"
	"krdlab/loi"
)

type krdFlags struct {
	csv, allowLoss         bool
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
			if !c.Flags().Changed("node") {
				f.node = -1
			} else if f.node < 0 {
				return &request.Error{Flag: "node", Got: fmt.Sprint(f.node),
					Want: "nodes are numbered from 0"}
			}
			opt, err := f.options(c)
			if err != nil {
				return err
			}
			if args, err = a.orLatest(c, args, true, "TRACE|RUNDIR"); err != nil {
				return err
			}
			return interruptible(c.Context(), func() error { return a.krd(c, f, opt, args[0]) })
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	p := c.Flags()
	p.Bool("json", false, "print one JSON document, an array where there are several traces")
	p.BoolVar(&f.csv, "csv", false, "print bins as CSV: node, from_bytes, to_bytes, count; with "+
		"--per core a column worker, of several traces with a column trace")
	figureFlag(c, &f.plot, "also draw a figure")
	choiceVar(c, &f.distance, "distance", string(krd.Exclusive), []string{string(krd.Exclusive),
		string(krd.Inclusive)}, "`CONVENTION`: exclusive, or inclusive: the block itself counts too")
	choiceVar(c, &f.weight, "weight", string(krd.WeightCount), []string{string(krd.WeightCount),
		string(krd.WeightBytes)}, "`WHAT` counts: count, or bytes: each access weighs its bytes")
	p.BoolVar(&f.allowLoss, "allow-loss", false, "analyse a trace with discarded records too")
	p.BoolVar(&f.coherence, "coherence", false, "a write on one node invalidates the copies of "+
		"the others; such misses are counted apart")
	p.StringSliceVar(&f.caches, "llc", nil, "predict the misses of a cache `SIZE:WAYS[:LINE]` on "+
		"each node: 18MiB:16; without ways fully associative")
	cachesVar(p, &f.given)
	p.StringVar(&f.replay, "replay", "", "instead: LLC misses by simulating the caches of "+
		"`MACHINE` with the trace: host, a name or a TOML file")
	choiceVar(c, &f.cacheModel, "cache-model", string(request.CacheBlocks),
		[]string{string(request.CacheBlocks), string(request.CacheLines)},
		"`MODEL` of --replay: whole blocks (fast) or lines")
	p.StringVar(&f.engine, "engine", "exact", "`ENGINE`: "+strings.Join(krd.Engines, ", ")+
		"; all but the first are approximate")
	p.Uint64Var(&f.seed, "seed", 1, "`N` that chooses the blocks which shards follows")
	choiceVar(c, &f.by, "by", "", krd.Rankings, "rank who causes --bins by `WHAT`: "+
		strings.Join(krd.Rankings, ", "))
	p.StringVar(&f.bins, "bins", "", "`FROM-TO`: the distances to rank causes of, 32M- or 1M-32M "+
		"(default: from the size of the LLC on)")
	choiceVar(c, &f.per, "per", perNode, []string{perNode, perCore}, "a histogram per `WHAT`: node, or "+
		"core: beside the nodes' those of each worker alone, and what L2 and LLC hold")
	p.IntVar(&f.node, "node", 0, "only node `N` (default all, and their sum)")
	p.SortFlags = false
	expects(p, "replay", "expected a machine: "+request.Host+
		", one of krdlab list machines, or a TOML file")
	expects(p, "engine", "choose one of "+strings.Join(krd.Engines, ", "))
	expects(p, "bins", wantBins)
	expects(p, "llc", "expected SIZE:WAYS[:LINE], such as 18MiB:16")
	return c
}

func (a *app) krd(c *cobra.Command, f *krdFlags, opt krd.Options, path string) error {
	traces, err := findTraces(path)
	if err != nil {
		return err
	}
	a.sayUnfinished(path)
	if !f.coherence {
		a.sayCoherent(path)
	}
	if f.replay != "" {
		return a.replay(c, f, traces)
	}
	if opt.Engine.Sampling() {
		return a.sample(c, f, opt, traces)
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
		figure, err := plotReports(f, reports, traces, headers)
		if err == nil {
			err = a.drawn(f.plot, figure)
		}
		if err != nil {
			return err
		}
	}
	if f.csv {
		return krd.Table(reports, traces).CSV(a.stdout)
	}
	if !asJSON(c) && f.by == "" && f.per == perNode && len(f.caches) == 0 && len(reports) > 1 {
		return a.besides(reports, traces, headers)
	}
	return printEach(a, c, traces, reports, func(r *krd.Report) *doc.Doc {
		if f.by != "" {
			return reuse.Ranking(r, f.by)
		}
		return reuse.View(r)
	})
}

// printEach prints what each trace came to: as text, under the trace's path if there are several,
// or with --json as a document, a list of them if there are several.
func printEach[R any](a *app, c *cobra.Command, traces []string, reports []R,
	view func(R) *doc.Doc) error {
	if len(reports) == 1 {
		return a.answer(c, reports[0], view(reports[0]).Text)
	}
	return a.answer(c, reports, func(*doc.Page) error {
		for i, r := range reports {
			fmt.Fprintf(a.stdout, "%s\n", traces[i])
			if err := view(r).Text(a.page()); err != nil {
				return err
			}
		}
		return nil
	})
}

// besides prints one table with a column for each scheduler, of its first trace.
func (a *app) besides(reports []*krd.Report, traces []string, headers []loi.Header) error {
	var columns []reuse.Column
	for i, name := range schedulersOf(traces, headers) {
		k := slices.IndexFunc(columns, func(c reuse.Column) bool { return c.Name == name })
		if k < 0 {
			k = len(columns)
			columns = append(columns, reuse.Column{Name: name, Trace: traces[i], Report: reports[i]})
		}
		columns[k].Traces++
	}
	return reuse.Beside(columns).Text(a.page())
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
func (f *krdFlags) options(c *cobra.Command) (opt krd.Options, err error) {
	opt = krd.Options{Distance: krd.Distance(f.distance), Weight: krd.Weight(f.weight),
		AllowLoss: f.allowLoss, Coherence: f.coherence, Cores: f.per == perCore}
	for _, text := range f.caches {
		cache, err := smith.Parse(text)
		if err != nil {
			return opt, usageError("--llc %s: %w", text, err)
		}
		opt.Caches = append(opt.Caches, cache)
	}
	if opt.Engine, err = krd.ParseEngine(f.engine); err != nil {
		return opt, usageError("--engine %s: %w", f.engine, err)
	}
	if f.by != "" {
		if opt.Causes, err = parseBins(f.bins); err != nil {
			return opt, err
		}
		opt.Causes.Pairs = f.by == krd.ByObjectPair || f.by == krd.ByKernelPair
	}
	sampling := opt.Engine.Sampling()
	return opt, cmp.Or(
		exclude(c, f.csv, "--csv", "it has the bins only; use --json for all", "json", "llc"),
		exclude(c, f.replay != "", "--replay "+f.replay, "it simulates caches and knows no distances",
			"csv", "plot", "node", "coherence", "per", "by", "bins", "llc", "engine", "weight",
			"distance"),
		exclude(c, f.by != "", "--by "+f.by, "use --json for all rows", "csv", "plot", "node"),
		exclude(c, sampling && f.by != "", "--by "+f.by, "a sample has no causes", "engine"),
		exclude(c, sampling, "--engine "+f.engine, "a sample gives estimates for far reuses and "+
			"misses only", "csv", "plot", "node", "coherence", "per", "weight", "distance"),
		onlyWith(c, "by", "--by "+strings.Join(krd.Rankings, " or --by "), "bins"),
		onlyWith(c, "replay", "--replay host", "cache-model"),
		figureFile(f.plot))
}

const wantBins = "expected FROM-TO in bytes, such as 32M-, 1MiB-32MiB or 0-64K"

// parseBins reads FROM-TO. "" is a range that begins at 0 for want of a better one: analyze puts
// the LLC there.
func parseBins(text string) (*krd.CauseOptions, error) {
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
		return nil, &request.Error{Flag: "bins", Got: text, Want: wantBins}
	}
	return o, nil
}

// sample prints estimates.
func (a *app) sample(c *cobra.Command, f *krdFlags, opt krd.Options, traces []string) error {
	var reports []*krd.SampleReport
	for _, path := range traces {
		t, err := openTrace(path, f.given)
		if err != nil {
			return err
		}
		show, done := bytesProgress[uint64](a, "reuse distances")
		r, err := krd.Sample(t, krd.SampleOptions{Engine: opt.Engine, Seed: f.seed,
			Caches: opt.Caches, AllowLoss: f.allowLoss, Progress: show})
		done()
		t.Close()
		if err != nil {
			return analysisError(path, err)
		}
		reports = append(reports, r)
	}
	return printEach(a, c, traces, reports, reuse.Sample)
}

// analyze reads one trace, and says its scheduler, "" where it names none. Its errors say what to
// type instead.
func (a *app) analyze(f *krdFlags, opt krd.Options, path string) (r *krd.Report, h loi.Header,
	err error) {
	t, err := openTrace(path, f.given)
	if err != nil {
		return nil, h, err
	}
	defer t.Close()
	if c := opt.Causes; c != nil && f.bins == "" {
		if t.Header.LLCBytes == 0 {
			return nil, h, usageError("%s: --by %s needs --bins, as in --bins 32M-: the trace names "+
				"no LLC size", path, f.by)
		}
		c.FromBytes = t.Header.LLCBytes
	}
	show, done := bytesProgress[uint64](a, "reuse distances")
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

// plotReports is the figure of one trace, with its nodes, or of the sums of several. Schedulers look
// as in all other figures.
func plotReports(f *krdFlags, reports []*krd.Report, traces []string,
	headers []loi.Header) (*plot.Figure, error) {
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
	return plot.Of(reports[0], curves, ran(&headers[0], name))
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
