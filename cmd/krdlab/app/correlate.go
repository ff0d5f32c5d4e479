package app

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/correlate"
	"krdlab/experiments/dataset"
	"krdlab/experiments/levels"
	"krdlab/experiments/request"
)

type correlateFlags struct {
	all, levels bool
	csv, plot   string
	exclude     []string
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
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args); err != nil {
				return err
			}
			return a.experiments(c, args, []string{"EXP"}, func(list []*dataset.Experiment) error {
				if f.levels {
					return a.levels(c, f, list)
				}
				r := correlate.Of(list[0])
				if f.csv != "" {
					return r.Table(f.csv).CSV(a.stdout)
				}
				return a.answer(c, r, r.View(f.all).Text)
			})
		},
		ValidArgsFunction: folders,
	}
	p := c.Flags()
	withJSON(c)
	p.StringVar(&f.csv, "csv", "", "print one `TABLE` as CSV: "+strings.Join(correlate.Tables,
		", ")+"; with --levels "+strings.Join(levels.Tables, ", "))
	p.BoolVar(&f.all, "all", false, "print the tables of all configurations, shares and scopes")
	p.BoolVar(&f.levels, "levels", false, "instead: what the reuse of cores and nodes predicts of a "+
		"scheduler left out; of several EXP together")
	p.StringSliceVar(&f.exclude, "exclude", nil, "`SCHED,...` that --levels does not use")
	figureFlag(c, &f.plot, "also draw what --levels finds")
	includeDisturbed(c)
	p.SortFlags = false
	tables := slices.Compact(slices.Sorted(slices.Values(slices.Concat(correlate.Tables,
		levels.Tables))))
	expects(p, "csv", request.Suggest("", tables, ""))
	complete(c, "csv", tables...)
	return c
}

// check returns an error where the flags do not go together.
func (f *correlateFlags) check(c *cobra.Command, args []string) error {
	tables := correlate.Tables
	switch {
	case f.levels:
		tables = levels.Tables
	case len(args) > 1:
		return usageError("krdlab correlate: %d experiments; expected one, or add --levels, which "+
			"takes several together", len(args))
	}
	if f.csv != "" && !slices.Contains(tables, f.csv) {
		return &request.Error{Flag: "csv", Got: f.csv, Want: request.Suggest(f.csv, tables, "")}
	}
	return cmp.Or(exclude(c, f.levels, "--levels", "it prints all", "all"),
		exclude(c, asJSON(c), "--json", "it has everything", "csv", "all"),
		exclude(c, f.csv != "", "--csv "+f.csv, "tables are whole", "all"),
		onlyWith(c, "levels", "--levels", "exclude", "plot"), figureFile(f.plot))
}
