package app

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/read/survey"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
	"krdlab/experiments/run/request"
)

// surveyCommand returns the command `krdlab survey`.
func (a *app) surveyCommand() *cobra.Command {
	var csv string
	var markdown, why bool
	c := &cobra.Command{
		Use:   "survey [EXP...]",
		Short: "Name the best scheduler of each kernel and machine, also under other prices",
		Long: "Name the best scheduler of each kernel on each machine and number of cores, and the " +
			"schedulers that tie with it (the tests of krdlab compare, Holm's correction over " +
			"kernels). Cells that differ\nin the prices of their machine alone (NAME:prices=OTHER) " +
			"stand side by side: a winner stays where it is the single best under all of them. At " +
			"least 6 repetitions; 10 where a scheduler without random choices may win." + ofLatest,
		Example: "  krdlab survey matrix\n  krdlab survey dealt node0 --csv rows > rows.csv",
		RunE: func(c *cobra.Command, args []string) error {
			if csv != "" && !slices.Contains(survey.Tables, csv) {
				return &request.Error{Flag: "csv", Got: csv,
					Want: request.Suggest(csv, survey.Tables, "")}
			}
			return a.experiments(c, args, []string{"EXP"}, func(list []*dataset.Experiment) error {
				if why {
					show, done := a.progress()
					m, err := loss.MatrixOf(c.Context(), list, show)
					if done(); err != nil {
						return err
					}
					if markdown {
						return m.View().Markdown(a.stdout, 2)
					}
					return a.answer(c, m, m.View().Text)
				}
				r, err := survey.Of(list)
				switch {
				case err != nil:
					return err
				case csv != "":
					return r.Table(csv).CSV(a.stdout)
				case markdown:
					return r.View().Markdown(a.stdout, 2)
				}
				return a.answer(c, r, r.View().Text)
			})
		},
		ValidArgsFunction: folders,
	}
	p := c.Flags()
	withJSON(c)
	p.StringVar(&csv, "csv", "", "print one `TABLE` as CSV: "+strings.Join(survey.Tables, ", "))
	p.BoolVar(&markdown, "markdown", false, "print the tables as Markdown")
	p.BoolVar(&why, "why", false, "print the largest cause of each scheduler's lost time, of one "+
		"repetition of each simulated cell")
	c.MarkFlagsMutuallyExclusive("json", "csv", "markdown")
	c.MarkFlagsMutuallyExclusive("csv", "why")
	includeDisturbed(c)
	p.SortFlags = false
	expects(p, "csv", request.Suggest("", survey.Tables, ""))
	complete(c, "csv", survey.Tables...)
	return c
}
