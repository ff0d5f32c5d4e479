package app

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/slurm"
	"krdlab/krd/doc"
)

// sweepStatus returns the command `krdlab sweep status DIR`.
func (a *app) sweepStatus() *cobra.Command {
	return withJSON(&cobra.Command{
		Use:   "status DIR",
		Short: "How far a sweep is: done, failed and why, in flight, missing, time left",
		Args:  exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := sweep.NewStatus(args[0])
			if err == nil {
				err = slurm.AddEnded(c.Context(), s)
			}
			if err != nil {
				return err
			}
			return a.answer(c, s, func(p *doc.Page) error { return writeStatus(p, s) })
		},
	})
}

func writeStatus(p *doc.Page, s *sweep.Status) error {
	answers, cells := s.Apart()
	for _, line := range append(answers, cells...) {
		p.Line("%s", line)
	}
	return p.Close()
}

// sweepCollect returns the command `krdlab sweep collect DIR...`.
func (a *app) sweepCollect() *cobra.Command {
	var out string
	views := false
	c := &cobra.Command{
		Use:   "collect DIR [DIR...]",
		Short: "Write the tables of an experiment anew, or merge several into one",
		Long: "Write table.csv, table.jsonl, table.parquet and bench.txt of an experiment folder " +
			"anew. With --out, experiments, of several\n" +
			"machines perhaps, are merged into a new folder; they stay as they are.",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError("%s: DIR is missing; type %s", c.CommandPath(), typeThis(c))
			case len(args) > 1 && out == "":
				return usageError("%s: %d folders are merged into a new one: name it with --out",
					c.CommandPath(), len(args))
			}
			dir := args[0]
			if out != "" {
				dir = filepath.Clean(out)
				if err := outFolder(dir); err != nil {
					return err
				}
				if err := sweep.Merge(c.Context(), args, dir, a.sweepInfo()); err != nil {
					return err
				}
			}
			e, err := sweep.WriteTables(dir)
			if err != nil {
				return err
			}
			a.sayProblems(e.Experiment, dataset.Missing, dataset.Partial, dataset.Failed, dataset.Unreadable,
				dataset.Interrupted)
			if err = a.printSweep(dir, e); err == nil && views {
				err = a.sweepViews(c.Context(), e)
			}
			return allUsed(err, e.Experiment)
		},
	}
	c.Flags().StringVar(&out, "out", "", "new folder `DIR` to merge into")
	viewVar(c.Flags(), &views, "")
	return c
}
