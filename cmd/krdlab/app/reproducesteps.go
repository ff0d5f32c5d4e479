package app

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
)

// stepwise is an experiment of steps, a command of reproduce.
type stepwise struct {
	kind  string
	scale string // help of --scale
	open  func(dir string, scale steps.Scale) (f *steps.Folder, created bool, err error)
	// result makes what the steps came to.
	result func(*steps.Folder) (steps.Report, error)

	name, dir string // flags
	caches    given
}

// reproduceSteps completes the command c of x with its flags.
func (a *app) reproduceSteps(c *cobra.Command, x *stepwise) *cobra.Command {
	c = withJSON(c)
	c.Use, c.Args = x.kind, exactly()
	c.RunE = func(c *cobra.Command, _ []string) error { return a.steps(c, x) }
	p := c.Flags()
	p.StringVar(&x.name, "scale", string(steps.Quick), x.scale)
	p.StringVar(&x.dir, "out", "", "experiment folder `DIR` (default "+x.kind+"-SCALE in "+
		result.RunsDir+")")
	cachesVar(p, &x.caches)
	p.SortFlags = false
	completeScale(c)
	return c
}

// completeScale completes --scale.
func completeScale(c *cobra.Command) {
	var names []string
	for _, s := range steps.Scales {
		names = append(names, string(s))
	}
	if err := c.RegisterFlagCompletionFunc("scale", cobra.FixedCompletions(names,
		cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined
	}
}

func (a *app) steps(c *cobra.Command, x *stepwise) error {
	dir := x.dir
	ctx := c.Context()
	scale, err := steps.ParseScale(x.name)
	if err != nil {
		return err
	}
	if dir == "" {
		dir = filepath.Join(result.RunsDir, x.kind+"-"+x.name)
	}
	if err := outFolder(dir); err != nil {
		return err
	}
	t, err := a.sized(ctx, x.caches)
	if err != nil {
		return err
	}
	f, created, err := x.open(dir, scale)
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
	r, err := x.result(f)
	if err != nil {
		return err
	}
	if err := f.Write(r); err != nil {
		return err
	}
	if err := a.answer(c, r, r.View().Text); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "in %s: %s, %s, %s/\n", dir, steps.ReportHTML, steps.ResultJSON,
		steps.FiguresDir)
	return nil
}
