package app

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/correlate"
	"krdlab/experiments/dataset"
	"krdlab/experiments/levels"
	"krdlab/experiments/request"
	"krdlab/hw/failure"
)

type correlateFlags struct {
	json, all, disturbed bool
	csv, plot            string
	levels               bool
	exclude              []string
}

// correlateCommand is `krdlab correlate`.
func (a *app) correlateCommand() *cobra.Command {
	f := &correlateFlags{}
	c := &cobra.Command{
		Use:   "correlate [EXP...]",
		Short: "KRD against LLC misses and work time inflation: an answer, tables, coefficients",
		Long: "Which KRD share goes best with LLC misses and with WTI, between schedulers at " +
			"equal size and cores,\n" +
			"and across sizes and cores; how sure that is, and whether the runs can tell.\n\n" +
			"With --all also the tables: time, misses, WTI, OVR and KRD shares of each " +
			"configuration (the KRD\n" +
			"paper's table I), and the coefficients of all shares in all scopes.\n\n" +
			"n is the number of configurations and not of repetitions; see docs/correlation.md.\n\n" +
			"With --levels: how well the shares beyond the L2 of a core and the LLC of a node predict " +
			"WTI and\nmisses under a scheduler that was left out of the fit; experiments swept with " +
			"--trace krd,cores." + ofLatest,
		Example: "  krdlab correlate exp\n  krdlab correlate exp --csv coefficients > " +
			"coefficients.csv\n  krdlab correlate exp --json\n" +
			"  krdlab correlate exp --levels --plot levels.svg",
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args, err = a.orLatest(c, args, false, "EXP"); err != nil {
				return err
			}
			return interruptible(c.Context(), func() error {
				if f.levels {
					return a.levels(f, args)
				}
				return a.correlate(f, args)
			})
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	p := c.Flags()
	p.BoolVar(&f.json, "json", false, "print one JSON document")
	p.StringVar(&f.csv, "csv", "", "print one `TABLE` as CSV: "+strings.Join(correlate.Tables,
		", ")+"; with --levels "+strings.Join(levels.Tables, ", "))
	p.BoolVar(&f.all, "all", false, "print the tables of all configurations, shares and scopes")
	p.BoolVar(&f.levels, "levels", false, "instead: what the reuse of cores and nodes predicts of a "+
		"scheduler left out; of several EXP together")
	p.StringSliceVar(&f.exclude, "exclude", nil, "`SCHED,...` that --levels does not use")
	p.StringVar(&f.plot, "plot", "",
		"also draw what --levels finds to this `FILE`: .svg, .png or .pdf")
	includeDisturbed(c, &f.disturbed)
	p.SortFlags = false
	tables := slices.Compact(slices.Sorted(slices.Values(slices.Concat(correlate.Tables,
		levels.Tables))))
	expects(p, "csv", request.Suggest("", tables, ""))
	expects(p, "plot", "expected a file that ends in .svg, .png or .pdf")
	if err := c.RegisterFlagCompletionFunc("csv", cobra.FixedCompletions(tables,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return c
}

func (a *app) correlate(f *correlateFlags, args []string) error {
	switch {
	case len(args) > 1:
		return usageError("krdlab correlate: %d experiments; expected one, or add --levels, which "+
			"takes several together", len(args))
	case len(f.exclude) > 0 || f.plot != "":
		return usageError("krdlab correlate: --exclude and --plot are for --levels; add it")
	}
	if f.json && f.csv != "" {
		return usageError("krdlab correlate: --json and --csv exclude each other; choose one")
	}
	if (f.json || f.csv != "") && f.all {
		return usageError("krdlab correlate: --all is for the text; --json and --csv have " +
			"everything")
	}
	if f.csv != "" && !slices.Contains(correlate.Tables, f.csv) {
		return &request.Error{Flag: "csv", Got: f.csv, Want: request.Suggest(f.csv,
			correlate.Tables, "")}
	}
	e, err := a.loadUndisturbed(args[0], f.disturbed)
	if err != nil {
		return err
	}
	r := correlate.Of(e)
	switch {
	case f.json:
		err = writeJSON(a.stdout, r)
	case f.csv != "":
		err = r.Table(f.csv).CSV(a.stdout)
	default:
		err = r.View(f.all).Text(a.page())
	}
	return allUsed(err, e)
}

// loadExperiment reads an experiment, or a run, to compute with. What is not as it should be, but
// can be read, is in its Problems.
func loadExperiment(dir string) (*dataset.Experiment, error) {
	if dir == "" {
		return nil, usageError("krdlab: the name of an experiment or run is empty; type . for " +
			"this folder")
	}
	e, err := dataset.Load(dir)
	switch {
	case err == nil && len(e.Cells) == 0:
		what := fmt.Sprintf("none of the %d cells of its plan can be used", len(e.Plan))
		if len(e.Plan) == 1 {
			what = "the only cell of its plan cannot be used"
		}
		return nil, fmt.Errorf("%s: %s: %s; type krdlab sweep status %s",
			dir, what, firstProblem(e), dir)
	case err == nil:
		return e, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	return nil, failure.As(failure.Data, err)
}

// firstProblem is that of a cell, if one has any.
func firstProblem(e *dataset.Experiment) string {
	if i := slices.IndexFunc(e.Problems,
		func(p dataset.Problem) bool { return p.Cell != "" }); i >= 0 {
		return e.Problems[i].String()
	}
	return "the plan is empty"
}
