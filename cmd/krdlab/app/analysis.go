package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/figures"
	"krdlab/hw/scratch"
	"krdlab/hw/textfile"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/interleave"
	"krdlab/krd/analysis/regions"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// An analyser is the command of a line of the table of analyses.
type analyser struct {
	*app
	line            *analysis.Analysis
	options         any // of line.New, set by flags
	allowLoss       bool
	csv, plot, html string
	caches          given
	// further, if not nil, completes the results of traces before they are shown.
	further func(analysis.Result) error
}

func (a *app) analyser(line *analysis.Analysis) *analyser {
	return &analyser{app: a, line: line, options: line.New()}
}

// is reports whether options have a contract of package analysis.
func is[T any](options any) bool {
	_, ok := options.(T)
	return ok
}

// ofProgram is the form of the command for a Go program; its first word stands where the name of a
// kernel may.
const ofProgram = "go [test] PACKAGE [-- ARGS]"

var goProgram, _, _ = strings.Cut(ofProgram, " ")

// firstTable is --csv without the name of a table.
const firstTable = "first"

// analysisCommand returns the command of an analysis: of a trace, a run directory or a Go program.
func (a *app) analysisCommand(line *analysis.Analysis) *cobra.Command {
	x := a.analyser(line)
	c := &cobra.Command{
		Use:   line.Name + " [TRACE|RUNDIR|go PACKAGE]",
		Short: line.Summary,
		Long: line.Long + "\n\n`go PACKAGE` builds, runs and records a Go program, as krdlab trace " +
			"go does; a file or folder named go comes before it." + ofLatest,
		Example:     line.Example,
		Args:        orNone("TRACE|RUNDIR"),
		Annotations: map[string]string{takesFile: "TRACE"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(x.misnamed(c), x.check(c)); err != nil {
				return err
			}
			args, err := a.orLatest(c, args, x.latest(), "TRACE|RUNDIR")
			if err != nil {
				return err
			}
			return interruptible(c.Context(), func() error { return x.folder(c, args[0]) })
		},
		ValidArgsFunction: cobra.FixedCompletions([]string{goProgram}, cobra.ShellCompDirectiveDefault),
	}
	x.define(c)
	x.ofTrace(c)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return cmp.Or(x.misnamed(c), flagError(c, err))
	})
	c.AddCommand(a.analyseGo(line))
	return c
}

// latest returns the latest runs that have the records that the analysis needs.
func (x *analyser) latest() latest {
	l := withTrace
	switch n := x.line.Needs; {
	case n.Operations:
		l.needs, l.makes = "a trace with operations", "krdlab "+x.line.Name+" go PACKAGE"
	case n.Tasks || n.Scopes:
		l.needs = "a trace with task events"
	case n.Regions:
		l.needs = "a trace with regions"
	}
	if !x.line.Needs.Operations {
		l.makes = "krdlab run matmul --trace " + x.records(true)
	}
	l.fits = func(path string) error {
		if x.readable(path) != "" {
			return nil
		}
		traces, err := findTraces(path)
		if err != nil {
			return err
		}
		t, err := x.opened(traces[0], "")
		if err != nil {
			return nil // what is wrong with it is to be seen
		}
		defer t.Close()
		return x.line.Lacks(t)
	}
	return l
}

// records returns the value of --trace for a run whose traces the analysis takes; of kernels
// without work there is a trace of tasks or none.
func (x *analyser) records(work bool) string {
	words := "full"
	if x.line.Needs.Tasks || x.line.Needs.Scopes || !work {
		words += ",tasks"
	}
	if x.line.WantsRegions(x.options) {
		words += ",regions"
	}
	return words
}

// ofTrace defines the flags of every analysis of a trace.
func (x *analyser) ofTrace(c *cobra.Command) {
	c.Flags().BoolVar(&x.allowLoss, "allow-loss", false, "analyse a trace with discarded records too")
	cachesVar(c.Flags(), &x.caches)
}

// define defines the flags of every analysis, and those of its options.
func (x *analyser) define(c *cobra.Command) {
	p := c.Flags()
	p.SortFlags = false
	if err := optionFlags(c, x.options); err != nil {
		panic(fmt.Sprintf("%s: %v", x.line.Name, err)) // the table is checked
	}
	p.Bool("json", false, "print one JSON document, an array where there are several traces")
	csvFlag(c, &x.csv)
	p.StringVar(&x.html, "html", "", "also write a page to this `FILE`")
	if f := x.line.Formats(); f != nil {
		p.StringVar(&x.plot, "plot", "", "also draw it to this `FILE`: ."+strings.Join(f, ", ."))
		expects(p, "plot", "expected a file that ends in ."+strings.Join(f, ", ."))
	}
}

// valueWord is the word of a flag's help that stands for its value.
var valueWord = regexp.MustCompile(`\bN\b|\b[A-Z]{2,}(?:[-:\[\]A-Z]*[A-Z\]])?`)

// optionFlags defines a flag of c for each field of a struct: see [analysis.Analysis].New. The
// error is of what is no option.
func optionFlags(c *cobra.Command, options any) error {
	v := reflect.ValueOf(options)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("its options are a %T: expected a pointer to a struct", options)
	}
	v = v.Elem()
	var after []func() error
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, help := f.Tag.Get("flag"), f.Tag.Get("help")
		if !f.IsExported() || !lineName.MatchString(name) || help == "" {
			return fmt.Errorf("its option %s has the flag %q and the help %q: expected an exported "+
				"field with both", f.Name, name, help)
		}
		if at := valueWord.FindStringIndex(help); at != nil && v.Field(i).Kind() != reflect.Bool {
			help = help[:at[0]] + "`" + help[at[0]:at[1]] + "`" + help[at[1]:]
		}
		p := c.Flags()
		switch to := v.Field(i).Addr().Interface().(type) {
		case *string:
			if list := f.Tag.Get("choice"); list != "" {
				choiceVar(c, to, name, *to, strings.Split(list, ","), help)
			} else {
				p.StringVar(to, name, *to, help)
			}
		case *bool:
			p.BoolVar(to, name, *to, help)
		case *int:
			p.IntVar(to, name, *to, help)
		case *uint64:
			p.Uint64Var(to, name, *to, help)
		case *float64:
			p.Float64Var(to, name, *to, help)
		case *[]string:
			p.StringSliceVar(to, name, *to, help)
		default:
			return fmt.Errorf("its option %s is of type %v: expected string, bool, int, uint64, "+
				"float64 or []string", f.Name, f.Type)
		}
		if with, not := f.Tag.Get("with"), f.Tag.Get("not"); with+not != "" {
			after = append(after, func() error {
				flag, _, _ := strings.Cut(with, " ")
				if other := cmp.Or(not, flag); p.Lookup(other) == nil {
					return fmt.Errorf("its option %s goes with, or not with, %q: expected a flag", f.Name, other)
				}
				if with != "" {
					needs(p, flag, "--"+with, name)
				}
				if not != "" {
					excludes(c, name, not)
				}
				return nil
			})
		}
		if want := f.Tag.Get("want"); want != "" {
			expects(p, name, want)
		}
	}
	for _, f := range after {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// analyseGo returns the command of an analysis of a Go program.
func (a *app) analyseGo(line *analysis.Analysis) *cobra.Command {
	x := a.analyser(line)
	var r goprogram.Request
	var tries int
	recordings, control, only := 1, false, controlFlags{}
	c := &cobra.Command{
		Use:    ofProgram,
		Short:  line.Summary + ", of a Go program",
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && here(goProgram, true) {
				a.sayHere(goProgram, "command")
				return cmp.Or(x.check(c), interruptible(c.Context(), func() error {
					return x.folder(c, goProgram)
				}))
			}
			if line.Needs.Tasks && !line.Needs.Goroutines {
				return usageError("%s: a Go program has goroutines, and %s takes tasks; type krdlab graph "+
					"go PACKAGE for who waits for whom, or krdlab run KERNEL --trace full,tasks", c.CommandPath(),
					line.Name)
			}
			r.Build.Sync = r.Build.Sync || line.Needs.Tasks
			o, explores := x.options.(*interleave.Options)
			if control = control && explores; control {
				only.samplers, o.Samplers = o.Samplers, nil
			}
			err := cmp.Or(x.check(c), program(c, args, &r))
			if err == nil && tries < 0 {
				err = usageError("%s: --try %d: expected 0 or more", c.CommandPath(), tries)
			}
			if err == nil && recordings < 1 {
				err = usageError("%s: --recordings %d: expected 1 or more", c.CommandPath(), recordings)
			}
			if err != nil {
				return err
			}
			if control {
				return x.controlled(c, &r, o, &only)
			}
			if live, ok := x.options.(analysis.OverProgram); ok && !r.Build.Values {
				return x.live(c, &r, live)
			}
			dir, err := scratch.Make("", "krdlab-analysis-")
			if err != nil {
				return err
			}
			defer dir.Remove()
			r.Trace = filepath.Join(dir.Path, "program.loi")
			if r.Build.Values = r.Build.Values || line.Needs.Operations; r.Build.Values {
				r.Unit = goprogram.Data
			}
			r.Build.Regions = r.Build.Regions || line.WantsRegions(x.options)
			if err := iterationsOf(c, &r.Build); err != nil {
				return err
			}
			r.Build.Control = only.under != ""
			if recordings > 1 || r.Build.Control {
				remove, err := a.goBuild(c.Context(), &r)
				if err != nil {
					return err
				}
				defer remove()
			}
			next, end, err := x.under(c, &r, &only)
			if err != nil {
				return err
			}
			defer end()
			next(0)
			d, err := a.observed(c, &r, x.caches)
			if d == nil {
				return err
			}
			a.sayProgram(d)
			if recordings > 1 && err == nil {
				return x.again(c, &r, recordings, next)
			}
			if tries > 0 && err == nil {
				x.further = func(of analysis.Result) error { return tryLoops(c.Context(), &r, tries, of) }
			}
			return errors.Join(x.folder(c, r.Trace), err) // of one that failed, up to its end
		},
	}
	x.define(c)
	unit := unitFlag
	if c.Flags().Lookup(unit) != nil { // it is an option of the analysis
		unit = "datum"
	}
	over, live := x.options.(analysis.OverProgram)
	if live {
		unit = "" // places are in bytes, and what is recorded follows from the line
	}
	if live && over.Values() != "" {
		c.Flags().BoolVar(&r.Build.Values, "values", false, over.Values())
		traceLimitVar(c.Flags(), &r.TraceLimit, "")
		c.Flags().IntVar(&tries, "try", 0, "have the program itself execute each of the plan's first `N` "+
			"loops in other orders: one whose output differs is struck. The program runs 4 N + 2 times more, "+
			"without standard input")
		needs(c.Flags(), "values", "--values", "trace-limit", "try")
	}
	if again, ok := x.options.(analysis.Repeated); ok {
		c.Flags().IntVar(&recordings, "recordings", again.Recordings(), "take what `N` runs do together; those behind "+
			"the first have no standard input, and their output is dropped")
		expects(c.Flags(), "recordings", "expected a whole number from 1 on")
		c.Flags().BoolVar(&control, "control", false, "run the program many times, one goroutine at a time, and show "+
			"how it ends: deadlocks, panics, other outputs")
		only.define(c)
	}
	programFlags(c, &r, unit)
	x.ofTrace(c)
	return c
}

// again records further runs of a program, calls next before each, and analyses the traces of all together.
func (x *analyser) again(c *cobra.Command, r *goprogram.Request, recordings int, next func(int)) error {
	traces := []string{r.Trace}
	t, err := x.sized(c.Context(), x.caches)
	if err != nil {
		return err
	}
	for n := 2; n <= recordings; n++ {
		r.Trace = filepath.Join(filepath.Dir(traces[0]), fmt.Sprintf("program-%d.loi", n))
		r.Stdin, r.Stdout, r.Stderr = nil, io.Discard, io.Discard
		next(n - 1)
		if _, err := x.goRun(c.Context(), r, x.argv, t); err != nil {
			return fmt.Errorf("recording %d of %d: %w", n, recordings, err)
		}
		traces = append(traces, r.Trace)
	}
	of, err := x.together(c.Context(), traces)
	if err != nil {
		return analysisError(r.Trace, err)
	}
	return x.show(c, r.Trace, traces[:1], []analysis.Result{of})
}

// tryLoops tries the first loops of a plan.
func tryLoops(ctx context.Context, r *goprogram.Request, n int, of analysis.Result) error {
	d, ok := of.Document().(*regions.Document)
	if !ok {
		return nil
	}
	list, err := goprogram.Try(ctx, r, d.Plan[:min(n, len(d.Plan))])
	if err == nil {
		d.Try(list)
	}
	return err
}

// live analyses a Go program while it runs, and prints what came out: of one that failed, up to its
// end.
func (x *analyser) live(c *cobra.Command, r *goprogram.Request, over analysis.OverProgram) error {
	r.Unit, r.Build.Regions = goprogram.Data, x.line.WantsRegions(x.options)
	if recorded, ok := x.options.(analysis.Recorded); ok && r.Build.Regions {
		_, r.Build.Iterations = recorded.Records()
	}
	if f, ok := x.options.(analysis.Follower); ok {
		r.Build.Values = f.Follows()
	}
	r.Live = func(h *loi.Header) (analysis.Live, error) {
		return over.Live(&analysis.Input{Header: h, Looks: figures.SchedulerLooks})
	}
	d, err := x.observed(c, r, x.caches)
	if d == nil {
		return err
	}
	x.sayProgram(d)
	return errors.Join(x.show(c, d.Package, []string{d.Package}, []analysis.Result{d.Result}), err)
}

// check returns what is wrong with the flags, before any work.
func (x *analyser) check(c *cobra.Command) error {
	if tabled, ok := x.options.(analysis.Tabled); ok {
		if err := noTable(x.csv, tabled.TableNames(), x.line.Name); err != nil {
			return err
		}
	}
	if checked, ok := x.options.(analysis.Checked); ok {
		if err := checked.Check(); err != nil {
			return err
		}
	}
	if x.plot != "" {
		formats := x.line.Formats()
		if !slices.Contains(formats, strings.TrimPrefix(filepath.Ext(x.plot), ".")) {
			return &request.Error{Flag: "plot", Got: x.plot,
				Want: "expected a file that ends in ." + strings.Join(formats, ", .")}
		}
		if err := derivable("plot", x.plot); err != nil {
			return err
		}
	}
	if x.html != "" {
		if err := derivable("html", x.html); err != nil {
			return err
		}
	}
	var err error
	c.Flags().Visit(func(f *pflag.Flag) { // see [analysis.Saved]
		if !strings.HasPrefix(f.Name, savePrefix) {
			return
		}
		file := f.Value.String()
		if file == x.html || file == x.plot {
			err = usageError("--%s %s: another flag has the same file", f.Name, file)
		}
		err = cmp.Or(err, derivable(f.Name, file))
	})
	return err
}

// savePrefix begins the names of flags that name a file for an analysis.
const savePrefix = "save-"

// folder analyses a trace, or those of a run directory, and prints what came out.
func (x *analyser) folder(c *cobra.Command, path string) error {
	if file := x.readable(path); file != "" {
		return x.read(c, file, x.options.(analysis.OverDistances).ReadDistances)
	}
	traces, err := findTraces(path)
	if err != nil {
		return fmt.Errorf("%w%s", err, withEquals(c, path))
	}
	x.sayUnfinished(path)
	if f := c.Flags().Lookup("coherence"); f != nil && !f.Changed {
		x.sayCoherent(path)
	}
	if err := x.refused(c, path, traces); err != nil {
		return err
	}
	var results []analysis.Result
	if is[analysis.OverTraces](x.options) && len(traces) > 1 {
		r, err := x.together(c.Context(), traces)
		if err != nil {
			return analysisError(path, err)
		}
		return x.show(c, path, traces[:1], []analysis.Result{r})
	}
	for _, trace := range traces {
		r, err := x.trace(c.Context(), trace)
		if err != nil {
			return analysisError(trace, err)
		}
		if x.further != nil {
			if err := x.further(r); err != nil {
				return err
			}
		}
		results = append(results, r)
	}
	return x.show(c, path, traces, results)
}

// refused returns an error where the flags and the headers of traces exclude a result, before the
// rest of them is read. Errors of a file are found when it is opened.
func (x *analyser) refused(c *cobra.Command, path string, traces []string) (err error) {
	if formatted, ok := x.options.(analysis.Formatted); ok && x.plot != "" && formatted.Formats() == nil {
		return x.drawsNothing()
	}
	if len(traces) > 1 && !is[analysis.OverTraces](x.options) {
		c.Flags().Visit(func(f *pflag.Flag) {
			if strings.HasPrefix(f.Name, savePrefix) ||
				!is[analysis.Joined](x.options) && (f.Name == "plot" || f.Name == "html") {
				err = x.ofOne(c, f.Name, path, traces)
			}
		})
	}
	for _, trace := range traces {
		h, herr := loi.ReadHeader(trace)
		if err != nil || herr != nil {
			continue
		}
		if err = cmp.Or(x.caches.describe(h), x.line.Refuses(x.options, h)); err != nil {
			err = analysisError(trace, err)
		}
	}
	return err
}

// ofOne returns the error of a flag that is of one trace.
func (x *analyser) ofOne(c *cobra.Command, flag, path string, traces []string) error {
	return usageError("%s: --%s is of one trace, and %s has %d: name one of %s", c.CommandPath(),
		flag, path, len(traces), firstOf(traces))
}

func (x *analyser) drawsNothing() error {
	return usageError("--plot %s: %s has nothing to draw of this, with these flags", x.plot,
		x.line.Name)
}

// readable returns the file of reuse distances that path names or holds, "" where the analysis
// takes none.
func (x *analyser) readable(path string) string {
	if !is[analysis.OverDistances](x.options) {
		return ""
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, goprogram.KRDFile)
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() || filepath.Ext(path) != ".json" {
		return ""
	}
	return path
}

// read analyses a file by reading it.
func (x *analyser) read(c *cobra.Command, file string,
	by func(io.Reader) (analysis.Result, error)) error {
	text, err := textfile.Open(file)
	if err != nil {
		return err
	}
	defer text.Close()
	r, err := by(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return x.show(c, file, []string{file}, []analysis.Result{r})
}

// show prints and draws the results of traces of path.
func (x *analyser) show(c *cobra.Command, path string, traces []string,
	results []analysis.Result) error {
	for _, r := range results {
		if x.keep != nil {
			if err := x.keep(r); err != nil {
				return err
			}
		}
	}
	all := results[0] // what people see of all traces; nil: each is seen by itself
	if len(results) > 1 {
		all = nil
		if joined, ok := x.options.(analysis.Joined); ok {
			all = joined.Together(results)
		}
	}
	if x.plot != "" || x.html != "" {
		if all == nil || x.html != "" && all.View() == nil {
			flag := "html"
			if x.plot != "" {
				flag = "plot"
			}
			return x.ofOne(c, flag, path, traces)
		}
		if err := x.derive(all); err != nil {
			return err
		}
	}
	if saved, ok := results[0].(analysis.Saved); ok {
		if flag, file, _ := saved.Save(); file != "" && len(results) > 1 {
			return x.ofOne(c, flag, path, traces)
		}
		if err := x.save(saved); err != nil {
			return err
		}
	}
	if x.csv != "" {
		return x.table(results, traces)
	}
	if len(results) > 1 && all != nil && !asJSON(c) {
		if view := all.View(); view != nil {
			return view.Text(x.page())
		}
	}
	var list []document
	for _, r := range results {
		list = append(list, document{r})
	}
	return printEach(x.app, c, traces, list, func(r document) *doc.Doc { return r.View() })
}

// save writes what a flag asks to be saved.
func (x *analyser) save(r analysis.Saved) error {
	flag, file, write := r.Save()
	if file == "" {
		return nil
	}
	if err := rederive(file, write); err != nil {
		return err
	}
	fmt.Fprintf(x.stderr, "%s: %s\n", strings.TrimPrefix(flag, savePrefix), file)
	return nil
}

// document is a result that marshals to its document.
type document struct{ analysis.Result }

// MarshalJSON implements [json.Marshaler].
func (p document) MarshalJSON() ([]byte, error) { return json.Marshal(p.Document()) }

// together analyses traces as one.
func (x *analyser) together(ctx context.Context, paths []string) (analysis.Result, error) {
	var list []*loi.Trace
	for _, path := range paths {
		t, err := x.opened(path, x.caches)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		list = append(list, t)
	}
	show, done := x.bar()
	defer done()
	return analysis.RunAll(ctx, list, analysis.Asked{Analysis: x.line, Options: x.options},
		analysis.Options{AllowLoss: x.allowLoss, Progress: show, Looks: figures.SchedulerLooks})
}

// bar shows progress: in bytes of the trace, or in whatever an analysis of all counts.
func (x *analyser) bar() (show func(done, total uint64), end func()) {
	if is[analysis.OverTraces](x.options) {
		return countProgress[uint64](x.app, x.line.Name)
	}
	return bytesProgress[uint64](x.app, x.line.Name)
}

// trace analyses one trace.
func (x *analyser) trace(ctx context.Context, path string) (analysis.Result, error) {
	t, err := x.opened(path, x.caches)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	show, done := x.bar()
	defer done()
	list, err := analysis.Run(ctx, t, []analysis.Asked{{Analysis: x.line, Options: x.options}},
		analysis.Options{AllowLoss: x.allowLoss, Progress: show, Looks: figures.SchedulerLooks})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// derive writes the picture and the page.
func (x *analyser) derive(r analysis.Result) error {
	drawn, _ := r.(analysis.Drawn)
	if x.plot != "" {
		if drawn == nil {
			return x.drawsNothing()
		}
		if err := x.drawFile(x.plot, drawn); err != nil {
			return err
		}
	}
	if x.html == "" {
		return nil
	}
	view := r.View()
	if drawn != nil {
		view.Add(&doc.Figure{ID: "figure", Title: view.Title, Paper: true,
			Draw: func(w io.Writer) error { return drawn.Draw(w, "svg") }})
	}
	err := rederive(x.html, view.Standalone)
	if err == nil {
		fmt.Fprintf(x.stderr, "page: %s\n", x.html)
	}
	return err
}

// table prints the table of --csv, with a last column trace if there are several.
func (x *analyser) table(results []analysis.Result, traces []string) error {
	var out *doc.Table
	for i, r := range results {
		found, err := chosenTable(x.csv, tablesOf(r), x.line.Name)
		if err != nil {
			return err
		}
		if len(results) > 1 {
			found.Columns = append(slices.Clip(found.Columns), doc.Column{Key: "trace", Data: true})
			for k, row := range found.Rows {
				found.Rows[k] = append(slices.Clip(row), traces[i])
			}
		}
		if out == nil {
			out = found
			continue
		}
		same := func(a, b doc.Column) bool { return a.Key == b.Key }
		if !slices.EqualFunc(out.Columns, found.Columns, same) {
			return usageError("--csv: the table %s of %s has other columns than that of %s: name one "+
				"of them", found.Name, traces[i], traces[0])
		}
		out.Rows = append(out.Rows, found.Rows...)
	}
	return out.CSV(x.stdout)
}

// csvFlag defines --csv, whose value is the name of a table or [firstTable].
func csvFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, "csv", "", "print a `TABLE` as CSV: --csv the first, --csv=NAME another")
	c.Flags().Lookup("csv").NoOptDefVal = firstTable
	c.MarkFlagsMutuallyExclusive("json", "csv")
}

// chosenTable returns the table that --csv names among those of a command.
func chosenTable(csv string, list []*doc.Table, command string) (*doc.Table, error) {
	var there []string
	for _, t := range list {
		if csv == firstTable || csv == t.Name {
			return t, nil
		}
		there = append(there, t.Name)
	}
	return nil, noTable(csv, there, command)
}

// noTable returns the error of a --csv that names none of the tables that are there.
func noTable(csv string, there []string, command string) error {
	if csv == "" || len(there) > 0 && csv == firstTable || slices.Contains(there, csv) {
		return nil
	}
	want := command + " has no table as data"
	if len(there) > 0 {
		want = request.Suggest(csv, there, "")
	}
	return &request.Error{Flag: "csv", Got: csv, Want: want}
}

// drawFile draws into path, in the format that it ends in, and prints its name to stderr.
func (a *app) drawFile(path string, x analysis.Drawn) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	err := rederive(path, func(w io.Writer) error { return x.Draw(w, format) })
	if err == nil {
		fmt.Fprintf(a.stderr, "figure: %s\n", path)
	}
	return err
}

// tablesOf returns the tables of a result that are data.
func tablesOf(r analysis.Result) (list []*doc.Table) {
	if d, ok := r.(analysis.Data); ok {
		return d.Tables()
	}
	for _, p := range r.View().Parts {
		if t, ok := p.(*doc.Table); ok && t.Name != "" {
			list = append(list, t)
		}
	}
	return list
}
