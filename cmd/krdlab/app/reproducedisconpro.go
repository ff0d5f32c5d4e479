package app

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/papers/disconpro"
	"krdlab/experiments/run/result"
)

// reproduceDisconpro is `krdlab reproduce disconpro`.
func (a *app) reproduceDisconpro() *cobra.Command {
	var out string
	opt := disconpro.Options{}
	c := withJSON(&cobra.Command{
		Use:   "disconpro",
		Short: "Redo the evaluation of the disconpro paper with programs as text",
		Long: "Redo tables 5 and 6 of \"Memory Distance Measurement for Concurrent Programs\" with " +
			"programs given as text, and figures like its 2 and 3: the range of distances of each object " +
			"that a single run, random walks and PCT of several depths show, beside that over all " +
			"interleavings. Page, tables and figures are left in the folder.",
		Example: "  krdlab reproduce disconpro --out disconpro",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := outFolder(out); err != nil {
				return err
			}
			return interruptible(c.Context(), func() error {
				r, err := disconpro.Run(opt)
				if err != nil {
					return err
				}
				if err := r.Write(out); err != nil {
					return err
				}
				if err := a.answer(c, r.Document(), r.View().Text); err != nil {
					return err
				}
				fmt.Fprintf(a.stderr, "in %s: %s, and a figure for each program\n", out,
					disconpro.ReportHTML)
				return nil
			})
		},
	})
	p := c.Flags()
	p.StringVar(&out, "out", filepath.Join(result.RunsDir, "disconpro"), "folder `DIR`")
	p.Uint64Var(&opt.Seed, "seed", 1, "`N`, the seed of what is drawn")
	p.Float64Var(&opt.Enumerate, "enumerate", 1e9, "enumerate programs of at most `N` interleavings, to "+
		"time that")
	p.SortFlags = false
	return c
}
