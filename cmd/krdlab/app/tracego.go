package app

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/krd"
	"krdlab/krd/analysis/reuse"
	"krdlab/loi/agent"
	"krdlab/loi/front/build"
)

// traceGo returns the command `krdlab trace go`.
func (a *app) traceGo() *cobra.Command {
	var r goprogram.Request
	var out, dir, agentDir string
	var caches given
	var rank ranking
	c := &cobra.Command{
		Use:   "go [test] PACKAGE [-- ARGS]",
		Short: "Reuse distances of a Go program's own data, by virtual identity",
		Long: "Build a Go program, or with `go test` the tests of a package, so that it records " +
			"which data it accesses, run it, and analyse the accesses while it runs: reuse distances " +
			"by function, loop, type and field, and by the place where the data were allocated.\n" +
			"Sources are rewritten beside the module, which is only read. Objects are told apart by " +
			"their allocation, never by their address. Local variables are not observed.",
		Example: "  krdlab trace go ./cmd/server -- -port 8080\n" +
			"  krdlab trace go . --unit datum --json\n" +
			"  krdlab trace go test ./tree -- -test.run Insert\n" +
			"  krdlab trace go . --out program.loi && krdlab krd program.loi\n" +
			"  krdlab trace go --agent ../krdagent",
		RunE: func(c *cobra.Command, args []string) error {
			if agentDir != "" {
				return a.layOutAgent(agentDir, args)
			}
			if err := program(c, args, &r); err != nil {
				return err
			}
			if out != "" {
				if err := newFile("out", out); err != nil {
					return err
				}
				r.Trace = out
			}
			if r.Out = dir; dir != "" {
				if err := newFile("dir", dir); err != nil {
					return err
				}
			}
			if err := cmp.Or(valuesOf(c, &r), iterationsOf(c, &r.Build)); err != nil {
				return err
			}
			if _, err := reuse.ParseBins(rank.bins); err != nil {
				return err
			}
			if err := sampleFits(c, &r); err != nil {
				return err
			}
			_, err := a.runGo(c, &r, caches, &rank, "")
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "", "write the accesses to this trace `FILE` instead of analysing "+
		"them; it must not exist")
	f.StringVar(&dir, "dir", "", "the run `FOLDER`, which must not exist (default a new one under "+
		"krdlab-runs)")
	programFlags(c, &r, unitFlag)
	sampleFlags(c, &r)
	f.BoolVar(&r.Apart, "load-store", false, "count an update (x op= y) as a load and a store, as Java's "+
		"byte code has it, and not as one access")
	excludes(c, "values", "load-store")
	for _, name := range []string{"sample", "overhead"} {
		excludes(c, name, "load-store", "out", "regions", "sync", "no-accesses")
	}
	needs(f, "out", "--out FILE.loi", "regions", "values", "sync", "no-accesses",
		"trace-limit")
	rank.define(c)
	f.StringVar(&agentDir, "agent", "", "write the agent for instrumentation by hand to this "+
		"`FOLDER`, as a Go module, and do nothing else; it must not exist")
	cachesVar(f, &caches)
	f.Bool("json", false, "print the whole result as one JSON document")
	f.SortFlags = false
	return c
}

// unitFlag is the name of the flag for the unit of a datum; noIterationsFlag, of the flag that
// leaves out the regions of iterations.
const (
	unitFlag         = "unit"
	noIterationsFlag = "no-iterations"
)

// iterationsOf checks and completes a request for the regions of iterations; unless a flag asks for
// less, they are recorded with regions.
func iterationsOf(c *cobra.Command, b *build.Request) error {
	without, _ := c.Flags().GetBool(noIterationsFlag)
	switch {
	case without && b.Values:
		return usageError("%s: --values needs iterations; leave --no-iterations out", c.CommandPath())
	case without && !b.Regions:
		return usageError("%s: --no-iterations leaves out some of the regions; add --regions",
			c.CommandPath())
	}
	b.Iterations = b.Regions && !without
	return nil
}

// programFlags defines the flags of how a Go program is observed; unit is the name of that of what
// a datum is; without it, those alone of what is built.
func programFlags(c *cobra.Command, r *goprogram.Request, unit string) {
	f := c.Flags()
	if unit == "" {
		sourceFlags(c, &r.Build)
		return
	}
	choiceVar(c, (*string)(&r.Unit), unit, goprogram.Units[0], goprogram.Units, "what one datum is, "+
		"`WHAT`: line (of 64 bytes, each object beginning on its own) or datum (a variable, field or "+
		"element)")
	f.BoolVar(&r.Build.Regions, "regions", false, "record functions, loops and iterations as "+
		"regions; they are in the trace of --out")
	f.Bool(noIterationsFlag, false, "with --regions, record functions and loops alone")
	f.BoolVar(&r.Build.Values, "values", false, "record the flow of values, in the trace of --out, "+
		"for krdlab dependences; with --unit datum, --regions and --stack")
	f.BoolVar(&r.Build.Sync, "sync", false, "record what goroutines wait for: who starts whom, "+
		"channels, locks, wait groups, atomic operations; it is in the trace of --out")
	f.BoolVar(&r.Build.Plain, "no-accesses", false, "rewrite nothing: with --sync, what goroutines "+
		"wait for alone, without atomic operations, in nearly the time of the plain program")
	traceLimitVar(f, &r.TraceLimit, "")
	sourceFlags(c, &r.Build)
}

// sourceFlags defines the flags of what of a Go program is built and rewritten.
func sourceFlags(c *cobra.Command, b *build.Request) {
	f := c.Flags()
	f.BoolVar(&b.Stack, "stack", false, "observe the stack too: variables that pointers reach and "+
		"the compiler keeps there, and maps; it costs time")
	f.StringSliceVar(&b.Include, "include", nil, "rewrite packages whose import path matches "+
		"`PATTERN`, which may end in ...: of the module these only (default all), of its dependencies "+
		"these too, and of the standard library those behind std: (std:encoding/json)")
	f.StringSliceVar(&b.Exclude, "exclude", nil, "do not rewrite these, `PATTERN`s as for "+
		"--include")
	f.StringVar(&b.Tags, "tags", "", "build `TAGS`, separated by commas")
}

// valuesOf checks and completes a request with --values: a datum is then a datum.
func valuesOf(c *cobra.Command, r *goprogram.Request) error {
	if !r.Build.Values {
		return nil
	}
	if u := c.Flags().Lookup(unitFlag); u != nil && u.Changed && r.Unit != goprogram.Data {
		return usageError("%s: --values needs --unit datum", c.CommandPath())
	}
	r.Unit = goprogram.Data
	return nil
}

// A ranking is who causes a range of distances in a Go program.
type ranking struct{ by, bins string }

func (k *ranking) define(c *cobra.Command) {
	choiceVar(c, &k.by, "by", "", krd.ProgramRankings, "instead of tables of all, rank the causes of "+
		"--bins by `WHAT`: "+strings.Join(krd.ProgramRankings, ", "))
	c.Flags().StringVar(&k.bins, "bins", "", "`FROM-TO`: the distances to rank causes of, powers of "+
		"two such as 32K- or 1M-32M (default: from the size of the LLC on)")
	needs(c.Flags(), "by", "--by function", "bins")
	excludes(c, "out", "by", "bins") // it analyses nothing
}

// of makes the ranking of a document, if there is one to make.
func (k *ranking) of(d *goprogram.Document) error {
	if k.by == "" {
		return nil
	}
	var in *krd.CauseOptions
	if k.bins != "" {
		var err error
		if in, err = reuse.ParseBins(k.bins); err != nil {
			return err
		}
	}
	return d.KRD.Rank(&d.Parts, k.by, in)
}

// program reads the arguments [test] PACKAGE [-- ARGS] of c.
func program(c *cobra.Command, args []string, r *goprogram.Request) error {
	n := len(args)
	if at := c.ArgsLenAtDash(); at >= 0 {
		n, r.Args = at, args[at:]
	}
	words := args[:n]
	if len(words) == 2 && words[0] == "test" {
		r.Build.Test, words = true, words[1:]
	}
	switch b := &r.Build; {
	case b.Plain && b.Values:
		return usageError("%s: --no-accesses leaves no values to be recorded; leave --values out",
			c.CommandPath())
	case b.Plain && b.Regions:
		return usageError("%s: --no-accesses leaves no regions to be recorded; leave --regions out",
			c.CommandPath())
	case b.Plain && !b.Sync:
		return usageError("%s: --no-accesses leaves nothing to be recorded; add --sync", c.CommandPath())
	}
	if len(words) != 1 {
		hint := ""
		if len(words) > 0 {
			hint = withEquals(c, words[0])
		}
		return usageError("%s: expected PACKAGE, found %d arguments; the program's own follow --: "+
			"%s . -- ARGS%s", c.CommandPath(), len(words), c.CommandPath(), hint)
	}
	r.Build.Path, r.Build.Dir = words[0], "."
	return nil
}

// layOutAgent runs `krdlab trace go --agent DIR`.
func (a *app) layOutAgent(dir string, args []string) error {
	if len(args) > 0 {
		return usageError("krdlab trace go --agent: %q is not expected beside it", args)
	}
	if err := newFile("agent", dir); err != nil {
		return err
	}
	if err := agent.Layout(dir); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "module %s in %s; to use it:\n  go mod edit -require=%s@v0.0.0 "+
		"-replace=%s=%s\n", agent.Module, dir, agent.Module, agent.Module, dir)
	return nil
}

// runGo runs a Go program as asked for and prints the result. rank may ask for a ranking, pprof for a
// profile in that file; nil and "": neither. It returns the run directory; "": there is none.
func (a *app) runGo(c *cobra.Command, r *goprogram.Request, caches given, rank *ranking, pprof string) (
	dir string, err error) {
	d, err := a.observed(c, r, caches)
	if d == nil {
		return "", err
	}
	if d.Trace != nil && !asJSON(c) {
		a.sayProgram(d)
		fmt.Fprintf(a.stderr, "trace: %s\n", *d.Trace)
		return "", err
	}
	if d.Dir != "" && !asJSON(c) {
		fmt.Fprintf(a.stderr, "run directory: %s\n", d.Dir)
	}
	if pprof != "" && d.KRD != nil {
		failed := rederive(pprof, d.WriteProfile)
		if failed == nil && !asJSON(c) {
			fmt.Fprintf(a.stderr, "profile: go tool pprof -http=: %s\n", pprof)
		}
		err = errors.Join(failed, err)
	}
	if d.KRD != nil && rank != nil {
		err = errors.Join(rank.of(d), err)
	}
	return d.Dir, errors.Join(a.answer(c, d, d.View(rank == nil).Text), err)
}

// sayProgram prints what is doubtful about a traced program.
func (a *app) sayProgram(d *goprogram.Document) {
	_, doubts := d.Apart()
	for _, s := range doubts {
		fmt.Fprintf(a.stderr, "warning: %s\n", s)
	}
}

// observed runs a Go program as asked for, on the caches of the flags.
func (a *app) observed(c *cobra.Command, r *goprogram.Request, caches given) (*goprogram.Document, error) {
	t, err := a.sized(c.Context(), caches)
	if err != nil {
		return nil, err
	}
	r.Caches = t.Machine()
	r.Stdin, r.Stdout, r.Stderr = os.Stdin, a.stdout, a.stderr
	if f, ok := a.stdout.w.(*os.File); ok { // the program's own, without a pipe between
		r.Stdout = f
	}
	if asJSON(c) || c.Flags().Changed("csv") {
		r.Stdout = a.stderr
	}
	if r.Trace != "" {
		until := "the disk is full"
		if r.TraceLimit > 0 {
			until = "--trace-limit"
		}
		show, done := bytesProgress[uint64](a, "trace until "+until)
		defer done()
		r.TraceProgress = show
	}
	a.patient.Store(true) // a server ends in its own time
	return a.goRun(c.Context(), r, a.argv, t)
}
