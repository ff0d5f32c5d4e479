package app

import (
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
)

type correlateFlags struct {
	all bool
	csv string
}

// correlateCommand returns the command `krdlab correlate`.
func (a *app) correlateCommand() *cobra.Command {
	f := &correlateFlags{}
	c := &cobra.Command{
		Use:   "correlate [EXP]",
		Short: "KRD against LLC misses and work time inflation: an answer, tables, coefficients",
		Long: "Find the KRD share that correlates best with LLC misses and with WTI, between " +
			"schedulers at equal size and cores, and across sizes and cores; with intervals, and " +
			"whether the runs suffice for an answer.\n\nWith --all also the tables: time, misses, " +
			"WTI, OVR and KRD shares of each configuration (the KRD\npaper's table I), and the " +
			"coefficients of all shares in all scopes.\n\nn is the number of configurations and not " +
			"of repetitions; see docs/correlation.md." +
			ofLatest,
		Example: "  krdlab correlate exp\n  krdlab correlate exp --csv coefficients > " +
			"coefficients.csv\n  krdlab correlate exp --json",
		Args: orNone("EXP"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.experiments(c, args, []string{"EXP"}, func(list []*dataset.Experiment) error {
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
	choiceVar(c, &f.csv, "csv", "", correlate.Tables, "print one `TABLE` as CSV: "+
		strings.Join(correlate.Tables, ", "))
	p.BoolVar(&f.all, "all", false, "print the tables of all configurations, shares and scopes")
	c.MarkFlagsMutuallyExclusive("json", "csv", "all")
	includeDisturbed(c)
	p.SortFlags = false
	return c
}
