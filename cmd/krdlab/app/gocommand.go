package app

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/goprogram"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi/front/build"
)

// The parts that `krdlab go` shows, the values of --show.
const (
	showReuse       = "reuse"
	showWaits       = "waits"
	showFootprint   = goprogram.Footprint
	showDependences = goprogram.Dependences
)

var showable = []string{showReuse, showWaits, showFootprint, showDependences}

// shownApart are those for which the program runs again: a datum is another there.
var shownApart = map[string]string{showFootprint: "regions", showDependences: "dependences"}

// takes is about how many times its own time a program takes for what is to be shown, in the middle of
// fourteen (docs/locality-of-programs.md).
var takes = map[string]int{showReuse: 20, showWaits: 20, showFootprint: 40, showDependences: 400}

// sampledTakes is likewise with --sample.
const sampledTakes = 6

// sayPrice prints on a terminal, beforehand, about how long the program takes.
func (a *app) sayPrice(r *goprogram.Request, show []string) {
	if !a.terminal {
		return
	}
	if r.Build.Sample {
		fmt.Fprintf(a.stderr, "a sample: about %d times the program's time\n", sampledTakes)
		return
	}
	var words []string
	for _, s := range show {
		words = append(words, fmt.Sprintf("%s: about %d", s, takes[s]))
	}
	fmt.Fprintf(a.stderr, "%s times the program's time; --sample, reuse alone: %d\n", strings.Join(words, ", "),
		sampledTakes)
}

// goCommand returns the command `krdlab go`.
func (a *app) goCommand() *cobra.Command {
	r := goprogram.Request{Unit: goprogram.Lines}
	var show []string
	var dir, pprof string
	var caches given
	c := &cobra.Command{
		Use:   ofProgram,
		Short: "Data reuse and waits of a Go program, by line, the most important first",
		Long: "Build a Go program, or with `go test` the tests of a package, run it once, and answer: which " +
			"functions, loops and fields reuse data beyond which cache, and which goroutines wait for what.\n" +
			"Findings come first, each with function and line; then what is farthest by function, loop, " +
			"type and field. --json has all, and krdlab trace go prints the reuse distances.\n" +
			"The program takes about 20 times its time (2 to 60), 6 with --sample (1.5 to 13), which shows " +
			"reuse alone. " +
			"Sources are rewritten beside the module, which is only read.",
		Example: "  krdlab go ./cmd/server --for 30s -- -port 8080\n" +
			"  krdlab go test ./tree -- -test.run Insert\n" +
			"  krdlab go test ./...\n" +
			"  krdlab go . --sample\n" +
			"  krdlab go . --show reuse,footprint,dependences",
		RunE: func(c *cobra.Command, args []string) error {
			several := severalTests(c, args)
			if several == nil {
				if err := program(c, args, &r); err != nil {
					return err
				}
			}
			for i, s := range show {
				if !slices.Contains(showable, s) || slices.Contains(show[:i], s) {
					return usageError("%s: --show %s: expected each once, of %s", c.CommandPath(),
						strings.Join(show, ","), strings.Join(showable, ", "))
				}
			}
			if r.Out = dir; dir != "" {
				if err := newFile("dir", dir); err != nil {
					return err
				}
			}
			if r.For < 0 {
				return usageError("%s: --for %v: expected a time such as 30s", c.CommandPath(), r.For)
			}
			if several != nil {
				if c.Flags().Changed("show") || asJSON(c) || pprof != "" {
					return usageError("%s: --show, --json and --pprof are of one package; leave them out, or name one",
						c.CommandPath())
				}
				return a.goTests(c, &r, several, caches)
			}
			return a.showGo(c, &r, show, caches, pprof)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&show, "show", []string{showReuse, showWaits}, "`WHAT`, separated by commas: "+
		strings.Join(showable, ", ")+"; reuse and waits take one run, each of the others one more")
	f.DurationVar(&r.For, "for", 0, "interrupt the program after this `TIME`, such as 30s, and show what there is")
	f.StringVar(&dir, "dir", "", "the run `FOLDER`, which must not exist (default a new one under "+
		"krdlab-runs)")
	f.StringVar(&pprof, "pprof", "", "write a profile to this `FILE` for go tool pprof: by line, "+
		"accesses, cold ones, those beyond each cache, bytes that these move, and time waited")
	f.BoolVar(&r.Build.Regions, "calls", false, "tell accesses apart by the calls that led to them, in profiles and on "+
		"the page; it takes about twice as long where calls are many")
	sourceFlags(c, &r.Build)
	sampleFlags(c, &r)
	cachesVar(f, &caches)
	f.Bool("json", false, "print the result of reuse and waits as one JSON document")
	f.SortFlags = false
	return c
}

// severalTests returns the patterns of packages whose tests are to be run, nil if that is one package or none.
func severalTests(c *cobra.Command, args []string) []string {
	if at := c.ArgsLenAtDash(); at >= 0 {
		args = args[:at]
	}
	if len(args) < 2 || args[0] != "test" {
		return nil
	}
	some := func(s string) bool { return strings.Contains(s, "...") }
	if len(args) == 2 && !some(args[1]) {
		return nil
	}
	return args[1:]
}

// goTests runs the tests of several packages, prints what was found in each, and all in one table.
func (a *app) goTests(c *cobra.Command, r *goprogram.Request, patterns []string, caches given) error {
	if at := c.ArgsLenAtDash(); at >= 0 {
		r.Args = c.Flags().Args()[at:]
	}
	r.Build.Test, r.Build.Dir, r.Waits = true, ".", !r.Build.Sample
	paths, err := build.Tested(c.Context(), r.Build, patterns)
	if err != nil {
		return err
	}
	var docs []*goprogram.Document
	var failed error
	for i, path := range paths {
		one := *r
		one.Build.Path = path
		if r.Out != "" {
			one.Out = filepath.Join(r.Out, strings.ReplaceAll(path, "/", "_"))
		}
		fmt.Fprintf(a.stderr, "%d of %d: %s\n", i+1, len(paths), path)
		d, err := a.observed(c, &one, caches)
		switch {
		case c.Context().Err() != nil:
			return err
		case d == nil && errors.Is(err, build.ErrPackage) && len(paths) > 1:
			fmt.Fprintf(a.stderr, "warning: %s is left out: %v\n", path, err)
		case d == nil:
			return err
		default:
			failed = cmp.Or(failed, err)
		}
		if docs = append(docs, d); d == nil {
			continue
		}
		answers, _ := d.Apart()
		page := a.page()
		for _, s := range answers {
			page.Line("%s: %s", path, s)
		}
		if err := page.Close(); err != nil {
			return err
		}
	}
	all := &doc.Doc{}
	all.Add(goprogram.Summary(paths, docs))
	all.Say("The rows of one package: krdlab report FOLDER")
	page := a.page()
	return errors.Join(all.Text(page), page.Close(), failed)
}

// showGo runs a program as often as what is to be shown needs.
func (a *app) showGo(c *cobra.Command, r *goprogram.Request, show []string, caches given, pprof string) error {
	one := slices.DeleteFunc(slices.Clone(show), func(s string) bool { return shownApart[s] != "" })
	apart := slices.DeleteFunc(slices.Clone(show), func(s string) bool { return shownApart[s] == "" })
	if len(apart) > 0 && asJSON(c) {
		return usageError("%s: --json is of reuse and waits; type krdlab %s go %s --json", c.CommandPath(),
			shownApart[apart[0]], r.Build.Path)
	}
	for _, name := range []string{"sample", "overhead", "for"} {
		if len(apart) > 0 && c.Flags().Changed(name) {
			return usageError("%s: --%s is of reuse and waits; leave %s out of --show", c.CommandPath(), name,
				strings.Join(apart, " and "))
		}
	}
	if pprof != "" {
		if r.Build.Sample || len(one) == 0 {
			return usageError("%s: --pprof takes all accesses of reuse; leave --sample out, and reuse in --show",
				c.CommandPath())
		}
		if err := derivable("pprof", pprof); err != nil {
			return err
		}
	}
	r.Waits = slices.Contains(show, showWaits)
	switch alone := !slices.Contains(show, showReuse); {
	case alone && r.Native != nil:
		return usageError("%s: --show waits takes reuse too; leave --show out", c.CommandPath())
	case alone && r.Waits:
		return usageError("%s: waits alone take less time by krdlab graph go %s --sync --no-accesses", c.CommandPath(),
			r.Build.Path)
	case r.Build.Sample && c.Flags().Changed("show") && r.Waits:
		return usageError("%s: --sample shows reuse alone; leave waits out of --show", c.CommandPath())
	case r.Build.Sample:
		r.Waits = false
	}
	a.sayPrice(r, show)
	if n := len(apart) + min(1, len(one)); n > 1 {
		fmt.Fprintf(a.stderr, "the program runs %d times: %s in one run; %s count data of another size\n", n,
			strings.Join(one, " and "), strings.Join(apart, " and "))
	}
	var folder string
	var err error
	if len(one) > 0 {
		folder, err = a.runGo(c, r, caches, nil, pprof)
		if err != nil && !errors.Is(err, goprogram.ErrProgram) {
			return err
		}
	}
	defer func() { a.keep = nil }()
	for _, s := range apart {
		fmt.Fprintf(a.stdout, "\n%s\n\n", s)
		again, _, find := c.Root().Find([]string{shownApart[s], goProgram})
		if find != nil {
			return find
		}
		words := []string{r.Build.Path}
		if r.Build.Test {
			words = []string{"test", r.Build.Path}
		}
		c.Flags().Visit(func(f *pflag.Flag) {
			if again.Flags().Lookup(f.Name) != nil && f.Name != "json" {
				words = append(words, "--"+f.Name+"="+strings.Trim(f.Value.String(), "[]"))
			}
		})
		if parse := again.ParseFlags(slices.Concat(words, []string{"--"}, r.Args)); parse != nil {
			return parse
		}
		again.SetContext(c.Context())
		if folder != "" {
			a.keep = func(r analysis.Result) error { return goprogram.Keep(folder, s, r) }
		}
		err = cmp.Or(again.RunE(again, again.Flags().Args()), err)
		if err != nil && !errors.Is(err, goprogram.ErrProgram) {
			return err
		}
	}
	return err
}
