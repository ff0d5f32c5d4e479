package app

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/sweep"
	"krdlab/krd/doc"
)

// sweepStatus is `krdlab sweep status DIR`.
func (a *app) sweepStatus() *cobra.Command {
	return withJSON(&cobra.Command{
		Use:   "status DIR",
		Short: "How far a sweep is: done, failed and why, in flight, missing, time left",
		Args:  exactly("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := sweep.NewStatus(args[0])
			if err != nil {
				return err
			}
			return a.answer(c, s, func(p *doc.Page) error { return writeStatus(p, s) })
		},
	})
}

func writeStatus(p *doc.Page, s *sweep.Status) error {
	fmt.Fprintf(p, "%d of %d cells are done", len(s.Done), s.Cells)
	for _, part := range []struct {
		n    int
		what string
	}{{len(s.InFlight), "in flight"}, {len(s.Failed), "failed"}, {len(s.Damaged), "damaged"},
		{len(s.Partial), "unfinished"}, {len(s.Missing), "missing"}} {
		if part.n > 0 {
			fmt.Fprintf(p, ", %d %s", part.n, part.what)
		}
	}
	fmt.Fprintln(p)
	if s.Sweeping != nil {
		fmt.Fprintf(p, "a sweep is at work: %s\n", s.Sweeping)
	}
	for _, c := range s.InFlight {
		fmt.Fprintf(p, "in flight   %s: %s\n", c.ID, c.Holder)
	}
	for _, f := range s.Failed {
		fmt.Fprintf(p, "failed      %s: %s (exit code %d)\n", f.ID, f.Error, f.ExitCode)
	}
	for _, d := range s.Damaged {
		fmt.Fprintf(p, "damaged     %s: %s; remove its folder to run it anew\n", d.ID,
			d.Error)
	}
	for _, id := range s.Partial {
		fmt.Fprintf(p, "unfinished  %s: the process that began it is gone\n", id)
	}
	for _, id := range s.Missing {
		fmt.Fprintf(p, "missing     %s\n", id)
	}
	if s.Complete() {
		return p.Close()
	}
	if s.SecondsLeft.Known() {
		fmt.Fprintf(p, "about %s left for one process\n",
			roundTime(time.Duration(s.SecondsLeft.Float()*float64(time.Second))))
	}
	p.Line("go on with: krdlab sweep resume %s", s.Dir)
	return p.Close()
}

// sweepCollect is `krdlab sweep collect DIR...`.
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
			a.sayProblems(e, dataset.Missing, dataset.Partial, dataset.Failed, dataset.Unreadable,
				dataset.Interrupted)
			if err = a.printSweep(dir, e); err == nil && views {
				err = a.sweepViews(c.Context(), e)
			}
			return allUsed(err, e)
		},
	}
	c.Flags().StringVar(&out, "out", "", "new folder `DIR` to merge into")
	viewVar(c.Flags(), &views, "")
	return c
}
