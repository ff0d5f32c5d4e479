package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/dataset"
	"krdlab/experiments/report"
)

// reportFile is the page that is made unless --out says otherwise, in the folder of the experiment.
const reportFile = "report.html"

// reportCommand is `krdlab report`.
func (a *app) reportCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report EXP",
		Short: "One HTML page of an experiment or run: findings, figures, tables, environment",
		Long: "Make one self-contained HTML page of an experiment (the folder of a sweep) or of " +
			"a single run: what was found and\n" +
			"whether it can be trusted, figures, tables, the environment, warnings, links to the " +
			"data, and the command that does\n" +
			"it again. The page needs no network and no JavaScript.",
		Example: "  krdlab report krdlab-runs/20261120-180509-matmul-workfirst-c2-n4096\n  " +
			"krdlab report sweep --out page.html",
		Args: exactly("EXP"),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := reportable(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(e.Dir, reportFile)
			}
			a.sayNotes(e)
			for _, p := range e.Problems {
				fmt.Fprintf(a.stderr, "warning: %s\n", p)
			}
			if _, err := os.Lstat(out); err != nil { // what is there is told below
				if err := newFile("out", out); err != nil {
					return err
				}
			}
			if err := writeReport(e, out); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.stdout, out)
			return allUsed(err, e)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	c.Flags().StringVar(&out, "out", "", "write this new `FILE` (default EXP/"+reportFile+")")
	return c
}

// writeReport writes the page into the new file out. A file that cannot be written whole is
// removed.
func writeReport(e *dataset.Experiment, out string) error {
	f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return usageError("krdlab report: %s exists already and is not overwritten; remove it, "+
			"or choose another with --out", out)
	}
	if err != nil {
		return err
	}
	err = errors.Join(report.Write(f, e, out), f.Close())
	if err != nil {
		err = errors.Join(err, os.Remove(out))
	}
	return err
}

// reportable reads an experiment of which there may be nothing to use: the page then says why.
func reportable(dir string) (*dataset.Experiment, error) {
	if dir == "" {
		return loadExperiment(dir)
	}
	e, err := dataset.Load(dir)
	if err != nil {
		return loadExperiment(dir) // the same error, with its exit code
	}
	return e, nil
}
