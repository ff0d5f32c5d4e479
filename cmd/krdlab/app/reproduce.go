package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/figures"
	"krdlab/experiments/sweep"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
)

type reproduceFlags struct {
	scale, out, machines string
	json, ablation       bool
	validate, drawn      bool // drawn: --draws was given
	draws                int
	caches               given
	bands                string // a folder of draws
}

// reproduceCommand is `krdlab reproduce`.
func (a *app) reproduceCommand() *cobra.Command {
	f := &reproduceFlags{}
	c := &cobra.Command{
		Use:   "reproduce",
		Short: "Redo the evaluation of the KRD paper and set its claims beside what comes out",
		Long: "Redo the KRD paper's figures 1, 2, 4, 5, 6 and table I: on its machine, " +
			"simulated, and on this computer with the cores\n" +
			"that it has. Ends with a table of the paper's claims: its value, ours with its " +
			"interval, and whether they agree.\n" +
			"Thresholds are fixed in the program. Figures, tables, correlations and a page are " +
			"left in the folder. After an\n" +
			"interrupt the same command goes on.\n\n" +
			"With --ablation, --machines, --validate or --draws it does that study instead, in a " +
			"folder of its own.\n\n" +
			"Exit codes: those of krdlab sweep; 5 where a file of draws or a cell of one is bad.",
		Example: "  krdlab reproduce\n  krdlab reproduce --scale paper --out evaluation\n" +
			"  krdlab reproduce --draws 20 --out draws\n  krdlab reproduce --bands draws",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			f.drawn = c.Flags().Changed("draws")
			return a.reproduce(c.Context(), f)
		},
	}
	p := c.Flags()
	p.StringVar(&f.scale, "scale", string(steps.Quick), "`HOW` much: smoke (seconds: "+
		"programs so small that they say nothing about the claims), quick (minutes: 6 seeds, a "+
		"small FMM) or paper (its sizes, 20 seeds; half an hour)")
	p.StringVar(&f.out, "out", "", "experiment folder `DIR` (default reproduce-SCALE in "+
		result.RunsDir+", of a study its name and SCALE, such as draws-paper)")
	p.StringVar(&f.bands, "bands", "", "judge the claims against the draws of the guessed "+
		"parameters in `DIR` too, which --draws left")
	p.BoolVar(&f.ablation, "ablation", false, "instead, change one rule of each of the paper's "+
		"schedulers at a time (simulated matmul)")
	p.StringVar(&f.machines, "machines", "", "instead, ask the paper's conclusions of these "+
		"simulated machines: all, or a `LIST` of names and files")
	p.BoolVar(&f.validate, "validate", false, "instead, measure this computer as a machine, and set "+
		"native runs beside simulated ones")
	p.IntVar(&f.draws, "draws", 0, "instead, draw the guesses of the paper's machine `N` times "+
		"within their ranges, and give the bands (scale paper: 10 minutes for 20)")
	cachesVar(p, &f.caches)
	p.BoolVar(&f.json, "json", false, "print the claims as JSON instead of tables")
	p.SortFlags = false
	if err := c.RegisterFlagCompletionFunc("machines", cobra.FixedCompletions(append(machine.Names(),
		"all"), cobra.ShellCompDirectiveDefault)); err != nil {
		panic(err) // the flag is defined above
	}
	completeScale(c)
	c.AddCommand(a.reproduceVirda(), a.reproduceSkadu(), a.reproduceDisconpro())
	return c
}

func (a *app) reproduce(ctx context.Context, f *reproduceFlags) error {
	scale, err := steps.ParseScale(f.scale)
	if err != nil {
		return err
	}
	study, err := a.study(ctx, f)
	if err != nil {
		return err
	}
	bands, err := f.loadBands(scale, study == nil)
	if err != nil {
		return err
	}
	opt, err := a.sweepOptions()
	if err != nil {
		return err
	}
	kind := "reproduce"
	if study != nil {
		kind = study.name()
	}
	dir := f.out
	if dir == "" {
		dir = filepath.Join(result.RunsDir, kind+"-"+f.scale)
	}
	if err := outFolder(dir); err != nil {
		return err
	}
	var configs []request.Request
	switch {
	case study == nil:
		configs, err = kernelreuse.Plan(scale, request.AllCores(opt.Host, false))
	case study.Study == nil:
		return a.reproduceDraws(ctx, scale, f.draws, dir)
	default:
		configs, err = study.plan(scale, dir)
	}
	if err != nil {
		return err
	}
	plan, err := sweep.NewPlan(configs)
	if err != nil {
		return err
	}
	info := a.sweepInfo()
	info.Kind, info.Notes = kind, []string{scaleNote(f.scale)}
	created, err := sweep.Create(dir, plan, info)
	if err != nil {
		if other := (*sweep.DifferentPlanError)(nil); errors.As(err, &other) {
			return usageError("krdlab reproduce: %s holds %s; choose another --out", dir,
				f.otherPlan(dir, kind, other))
		}
		return createError(err)
	}
	if !created {
		fmt.Fprintf(a.stderr, "going on with %s\n", dir)
	}
	again := typed(a.argv)
	if runErr := a.sweepCells(ctx, dir, plan, opt, again); runErr != nil {
		if ctx.Err() != nil {
			return runErr
		}
		err = runErr // the claims of the cells that are there are judged all the same
	}
	e, lerr := sweep.WriteTables(dir)
	if lerr != nil {
		return bothErrors(err, lerr)
	}
	a.sayNotes(e)
	for _, p := range e.Problems {
		fmt.Fprintf(a.stderr, "warning: %s\n", p)
	}
	if study != nil {
		p := a.page()
		files, werr := study.Write(p, e)
		if werr != nil {
			return bothErrors(err, werr)
		}
		p.Line("in %s: %s", dir, strings.Join(files, ", "))
		return allUsed(errors.Join(err, p.Close()), e)
	}
	findings, werr := kernelreuse.Write(e, bands, func(g dataset.Key, s figures.Skipped) {
		fmt.Fprintf(a.stderr, "not drawn for %s: %s\n", g, s)
	})
	if werr != nil {
		return errors.Join(err, werr)
	}
	if f.json {
		return allUsed(errors.Join(err, writeJSON(a.stdout, findings)), e)
	}
	p := a.page()
	if scale == steps.Smoke {
		p.Line("%s.", kernelreuse.CountOf(findings))
		p.Line("All of it works; no claim can be judged at --scale %s: type --scale %s or %s. "+
			"Tables and claims are in %s and %s.", scale, steps.Quick, steps.Paper,
			kernelreuse.TablesText, kernelreuse.ClaimsText)
	} else {
		if werr := kernelreuse.Tables(e).Text(p); werr != nil {
			return werr
		}
		p.Line("")
		if werr := kernelreuse.Text(findings).Text(p); werr != nil {
			return werr
		}
	}
	p.Line("in %s: %s, %s, %s/, %s", dir, kernelreuse.ReportHTML, kernelreuse.Correlation,
		kernelreuse.FiguresDir, strings.Join(sweep.Tables, ", "))
	return allUsed(errors.Join(err, p.Close()), e)
}

// otherPlan returns what dir holds and what is expected: another study or scale, or what is
// different in the plan.
func (f *reproduceFlags) otherPlan(dir, kind string, other *sweep.DifferentPlanError) string {
	e, err := dataset.Load(dir)
	switch {
	case err != nil || e.Info == nil:
	case e.Info.Kind != kind:
		return fmt.Sprintf("an experiment of the kind %s, expected %s", e.Info.Kind, kind)
	case len(e.Info.Notes) > 0 && e.Info.Notes[0] != scaleNote(f.scale):
		return fmt.Sprintf("the %s, expected %s", e.Info.Notes[0], scaleNote(f.scale))
	}
	return fmt.Sprintf("another plan than that of --scale %s (%s)", f.scale,
		strings.Join(other.What, "; "))
}

// scaleNote is what an experiment notes of its scale.
func scaleNote(scale string) string { return "scale " + scale }

// loadBands reads the draws that --bands names, nil without it; claims says that they are judged.
func (f *reproduceFlags) loadBands(scale steps.Scale, claims bool) (*kernelreuse.Bands, error) {
	switch {
	case f.bands == "":
		return nil, nil
	case !claims:
		return nil, usageError("krdlab reproduce: --bands is for claims; found a study that " +
			"judges none")
	}
	b, err := kernelreuse.LoadBands(f.bands)
	if err != nil {
		return nil, fmt.Errorf("krdlab reproduce: --bands: %w", err)
	}
	if err := b.ForClaims(scale); err != nil {
		return nil, fmt.Errorf("krdlab reproduce: --bands %s: %w", f.bands, err)
	}
	return b, nil
}

// typed is a command as a shell reads it.
func typed(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if words[i] = w; w == "" || plainWord.FindString(w) != w {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`[A-Za-z0-9_./=,:@%+-]+`)

// sweepCells works through a plan; again is the command that goes on where it ended.
func (a *app) sweepCells(ctx context.Context, dir string, plan *sweep.Plan, opt sweep.Options,
	again string) error {
	show := a.newSweepProgress()
	opt.Progress, opt.Finished = show.progress, show.finished
	sum, err := sweep.Run(ctx, dir, plan, opt)
	show.end()
	done := len(sum.Before) + len(sum.Done)
	switch {
	case ctx.Err() != nil:
		return failure.Errorf(failure.Interrupted,
			"interrupted; %d of %d cells are done; go on with: %s", done,
			len(plan.Cells), again)
	case err != nil:
		return howFar(err, sum, plan, again)
	case len(sum.Failures) > 0:
		first := sum.Failures[0]
		return &codeError{first.ExitCode, fmt.Errorf("%d of %d cells failed, the first, %s, "+
			"with: %s; to run them again: %s",
			len(sum.Failures), len(plan.Cells), first.ID, oneLine(errors.New(first.Error)), again)}
	}
	return nil
}
