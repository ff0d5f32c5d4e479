package app

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/show/report"
	"krdlab/krd/doc"
)

// reportFile is the page that is made without --out, in the folder of the experiment.
const reportFile = "report.html"

// reported are the latest experiments and runs, of Go programs too.
var reported = latest{func(path string) error {
	if d, err := goprogram.Read(path); err == nil && d != nil {
		return nil
	}
	return dataset.HasResults(path)
}, "results of krdlab run, sweep or go", "krdlab run matmul"}

// reportGo writes the page of a Go program.
func (a *app) reportGo(d *goprogram.Document, out string, err error) error {
	var page *doc.Doc
	if err == nil {
		page, err = d.Page()
	}
	if err == nil {
		err = rederive(out, page.Standalone)
	}
	if err == nil {
		_, err = fmt.Fprintln(a.stdout, out)
	}
	return err
}

// reportCommand returns the command `krdlab report`.
func (a *app) reportCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report [EXP]",
		Short: "One HTML page of an experiment or run: findings, figures, tables, environment",
		Long: "Make one self-contained HTML page of an experiment (the folder of a sweep), of " +
			"a single run, or of a Go program (krdlab go): what was found and\n" +
			"whether it can be trusted, figures, tables, the environment, warnings, links to the " +
			"data, and the command that does\n" +
			"it again. The page needs no network and no JavaScript." + ofLatest,
		Example: "  krdlab report krdlab-runs/20261120-180509-matmul-workfirst-c2-n4096\n  " +
			"krdlab report sweep --out page.html",
		Args: orNone("EXP"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args, err = a.orLatest(c, args, reported, "EXP"); err != nil {
				return err
			}
			if out != "" {
				if err := derivable("out", out); err != nil {
					return err
				}
			}
			placed := func(dir string) error {
				if out != "" {
					return nil
				}
				out = filepath.Join(dir, reportFile)
				return derivable("out", out)
			}
			if d, err := goprogram.Read(args[0]); err != nil || d != nil {
				if err == nil {
					err = placed(args[0])
				}
				return a.reportGo(d, out, err)
			}
			e, err := loadExperiment(args[0], true) // the page names what is wrong
			if err != nil {
				return err
			}
			err = placed(e.Dir)
			a.sayDoubts(e)
			if err == nil {
				err = rederive(out, func(w io.Writer) error { return report.Write(w, e, out) })
			}
			if err == nil {
				_, err = fmt.Fprintln(a.stdout, out)
			}
			return allUsed(err, e)
		},
		ValidArgsFunction: folders,
	}
	c.Flags().StringVar(&out, "out", "", "write this `FILE`, in place of a page of krdlab's (default EXP/"+
		reportFile+")")
	return c
}
