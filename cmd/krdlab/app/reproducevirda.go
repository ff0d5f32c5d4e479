package app

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/reproduce"
	"krdlab/experiments/result"
	"krdlab/experiments/virda"
	"krdlab/hw/failure"
)

// reproduceVirda is `krdlab reproduce virda`.
func (a *app) reproduceVirda() *cobra.Command {
	var scale, out string
	var caches given
	c := withJSON(&cobra.Command{
		Use:   "virda",
		Short: "Redo the evaluation of the virda paper and set its numbers beside what comes out",
		Long: "Redo sections 4.2 and 4.3.1 to 4.3.4 of \"Virtual reuse distance analysis of " +
			"SPECjvm2008 data locality\" with SciMark's kernels in Go: how components move with the " +
			"input and what is predicted of a larger one, which functions cause them, FFT with its " +
			"loops interchanged, and krdlab's own kernels beside SciMark's.\n\n" +
			"It builds SciMark, so it needs the Go toolchain. FFT is timed on this computer, which " +
			"should have nothing else to do. Text, page, figures and tables are left in the folder. " +
			"After an interrupt the same command goes on.",
		Example: "  krdlab reproduce virda\n  krdlab reproduce virda --scale paper --out virda",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.virda(c, scale, out, caches)
		},
	})
	p := c.Flags()
	p.StringVar(&scale, "scale", string(reproduce.Quick), "`HOW` much: smoke (tiny programs that say "+
		"nothing about the paper), quick (minutes) or paper (its LARGE inputs too; an hour)")
	p.StringVar(&out, "out", "", "experiment folder `DIR` (default virda-SCALE in "+result.RunsDir+")")
	cachesVar(p, &caches)
	p.SortFlags = false
	completeScale(c)
	return c
}

// completeScale completes --scale.
func completeScale(c *cobra.Command) {
	var names []string
	for _, s := range reproduce.Scales {
		names = append(names, string(s))
	}
	if err := c.RegisterFlagCompletionFunc("scale", cobra.FixedCompletions(names,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined
	}
}

func (a *app) virda(c *cobra.Command, name, dir string, caches given) error {
	ctx := c.Context()
	scale, err := reproduce.ParseScale(name)
	if err != nil {
		return err
	}
	if dir == "" {
		dir = filepath.Join(result.RunsDir, "virda-"+name)
	}
	if err := outFolder(dir); err != nil {
		return err
	}
	t, err := a.sized(ctx, caches)
	if err != nil {
		return err
	}
	f, created, err := virda.Open(dir, scale)
	if err != nil {
		return fmt.Errorf("%s: %w; choose another --out", c.CommandPath(), err)
	}
	if !created {
		fmt.Fprintf(a.stderr, "going on with %s\n", dir)
	}
	show, end := a.progress()
	if show == nil { // no terminal
		show = func(done, all int, next string) {
			fmt.Fprintf(a.stderr, "%d/%d %s\n", done+1, all, next)
		}
	}
	err = f.Run(ctx, t, a.argv, show)
	end()
	if ctx.Err() != nil {
		done, all := f.Done()
		return failure.Errorf(failure.Interrupted, "interrupted; %d of %d steps are done; go on "+
			"with: %s", done, all, typed(a.argv))
	}
	if err != nil {
		return err
	}
	r, err := f.Result()
	if err != nil {
		return err
	}
	if err := f.Write(r); err != nil {
		return err
	}
	if err := a.answer(c, r, r.View().Text); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "in %s: %s, %s, %s/\n", dir, virda.ReportHTML, virda.ResultJSON,
		virda.FiguresDir)
	return nil
}
