package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/papers"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/krd/doc"
)

// reproduceFlags are those of a paper, or of all.
type reproduceFlags struct {
	scale, out string
	caches     given
}

func (f *reproduceFlags) define(c *cobra.Command, takes, out string) {
	p := c.Flags()
	p.StringVar(&f.scale, "scale", string(study.Quick), "`HOW` much: "+takes)
	p.StringVar(&f.out, "out", "", "experiment folder `DIR` (default "+out+"-SCALE in "+result.RunsDir+")")
	cachesVar(p, &f.caches)
	p.SortFlags = false
	var names []string
	for _, s := range study.Scales {
		names = append(names, string(s))
	}
	complete(c, "scale", names...)
}

// folder returns the folder of what is redone, name, at a scale.
func (f *reproduceFlags) folder(name string) (dir string, scale study.Scale, err error) {
	if scale, err = study.ParseScale(f.scale); err != nil {
		return "", "", err
	}
	if dir = f.out; dir == "" {
		dir = filepath.Join(result.RunsDir, name+"-"+f.scale)
	}
	return dir, scale, outFolder(dir)
}

// replacedStudies are the flags that reproduce once had, and the commands in their place.
var replacedStudies = []struct{ flag, by string }{
	{"ablation", "krdlab sweep ablation"}, {"machines", "krdlab sweep machines"},
	{"validate", "krdlab machine calibrate --out calibrated.toml, then krdlab sweep validation"},
	{"draws", "krdlab reproduce krd, which draws"}, {"bands", "krdlab reproduce krd, which draws"},
}

// reproduceCommand returns the command `krdlab reproduce`.
func (a *app) reproduceCommand() *cobra.Command {
	c := withJSON(&cobra.Command{
		Use:   "reproduce",
		Short: "Redo the evaluations of papers and compare their claims with the results",
		Long: "Without a paper: list those whose evaluations are redone, and how far each is in " +
			result.RunsDir + ".\n" +
			"A paper is redone in steps, kept in a folder, so that after an interrupt the same command goes " +
			"on. It ends with a table of the paper's claims: its value, ours with its interval, and whether " +
			"they agree. Text, page, JSON, tables and figures are left in the folder.",
		Example: "  krdlab reproduce krd\n  krdlab reproduce krd --scale paper --out evaluation\n" +
			"  krdlab reproduce all",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			for _, r := range replacedStudies {
				if c.Flags().Changed(r.flag) {
					return usageError("krdlab reproduce: --%s is no more; type %s", r.flag, r.by)
				}
			}
			return a.listPapers(c)
		},
	})
	for _, r := range replacedStudies {
		c.Flags().String(r.flag, "", "")
		c.Flags().Lookup(r.flag).NoOptDefVal, c.Flags().Lookup(r.flag).Hidden = "yes", true
	}
	for _, s := range papers.Table {
		c.AddCommand(a.reproducePaper(s))
	}
	c.AddCommand(a.reproduceAll())
	return c
}

// listPapers prints the papers, and how far they are redone in the default folders.
func (a *app) listPapers(c *cobra.Command) error {
	t := doc.NewTable(3, "name", "paper", "done")
	for i, key := range []string{"name", "paper", "done"} {
		t.Columns[i].Key = key
	}
	t.Name, t.Keys, t.Most = "papers", 1, doc.TextWidth
	t.Prose(1, 2)
	for _, s := range papers.Table {
		var states []string
		for _, scale := range study.Scales {
			dir := filepath.Join(result.RunsDir, s.Name+"-"+string(scale))
			if f, err := s.Find(dir, scale); err == nil {
				done, all := f.Done()
				states = append(states, fmt.Sprintf("%s: %d of %d steps", scale, done, all))
			}
		}
		t.Row(s.Name, s.Paper, strings.Join(states, ", "))
	}
	return a.answer(c, t, func(p *doc.Page) error {
		p.Table(t)
		return p.Close()
	})
}

// reproducePaper returns the command `krdlab reproduce PAPER`.
func (a *app) reproducePaper(s *study.Study) *cobra.Command {
	f := &reproduceFlags{}
	name := "krdlab reproduce " + s.Name
	c := withJSON(&cobra.Command{
		Use: s.Name, Short: s.Short, Args: exactly(),
		Long: s.Long + " Text, page, figures and tables are left in the folder. After an interrupt the same " +
			"command goes on.",
		Example: "  " + name + "\n  " + name + " --scale paper --out " + s.Name,
	})
	f.define(c, s.Takes, s.Name)
	c.RunE = func(c *cobra.Command, _ []string) error {
		dir, scale, err := f.folder(s.Name)
		if err != nil {
			return err
		}
		o, err := a.redo(c.Context(), s, scale, dir, f.caches)
		if o == nil {
			return err
		}
		if werr := a.answer(c, o, o.View().Text); werr != nil {
			return errors.Join(err, werr)
		}
		fmt.Fprintf(a.stderr, "in %s: %s, %s, %s/\n", dir, study.ReportHTML, study.ResultJSON,
			study.FiguresDir)
		return err
	}
	return c
}

// redo does the steps of a paper that are not done, and writes and returns what they come to; nil where
// that cannot be told, with the error.
func (a *app) redo(ctx context.Context, s *study.Study, scale study.Scale, dir string, caches given) (
	*study.Outcome, error) {
	t, err := a.sized(ctx, caches)
	if err != nil {
		return nil, err
	}
	opt, err := a.sweepOptions()
	if err != nil {
		return nil, err
	}
	opt.Host = t
	f, created, err := s.Open(dir, scale)
	if err != nil {
		return nil, fmt.Errorf("krdlab reproduce %s: %w; choose another --out", s.Name, err)
	}
	if !created {
		fmt.Fprintf(a.stderr, "going on with %s\n", dir)
	}
	show, end := a.progress()
	cells := a.newSweepProgress()
	opt.Progress, opt.Finished = cells.progress, cells.finished
	err = f.Run(ctx, opt, func(done, all int, next string) {
		if cells.end(); show == nil { // no terminal
			fmt.Fprintf(a.stderr, "%d/%d %s\n", done+1, all, next)
			return
		}
		show(done, all, next)
	})
	cells.end()
	end()
	if ctx.Err() != nil {
		done, all := f.Done()
		return nil, failure.Errorf(failure.Interrupted, "interrupted; %d of %d steps are done; go on with: %s",
			done, all, typed(a.argv))
	}
	o, oerr := s.Of(f)
	if oerr == nil {
		oerr = f.Write(o)
	}
	switch {
	case errors.Is(oerr, fs.ErrNotExist) && err != nil: // a step that failed is missing
		return nil, err
	case oerr != nil:
		return nil, errors.Join(err, oerr)
	case err != nil:
		err = fmt.Errorf("%w; to run it again: %s", err, typed(a.argv))
	case o.Cells != nil:
		err = allUsed(nil, o.Cells)
	}
	return o, err
}

// reproduceAll returns the command `krdlab reproduce all`.
func (a *app) reproduceAll() *cobra.Command {
	f := &reproduceFlags{}
	c := &cobra.Command{
		Use: "all", Short: "Redo all papers, and make an index of their claims", Args: exactly(),
		Long: "Redo the evaluations of all papers, each in a folder of DIR, and leave in DIR an index of " +
			"their claims: " + study.IndexHTML + ", " + study.IndexCSV + ". Each claim has its verdict, the " +
			"figure that shows it, the command, the version and the seeds. After an interrupt the same " +
			"command goes on.",
		Example: "  krdlab reproduce all --scale smoke\n  krdlab reproduce all --out evaluations",
	}
	f.define(c, "smoke (small programs, mostly too small to test the claims), quick or paper "+
		"(hours); the help of each paper has what it takes", "all")
	c.RunE = func(c *cobra.Command, _ []string) error {
		dir, scale, err := f.folder("all")
		if err != nil {
			return err
		}
		x := &study.Index{Scale: scale, Build: result.ReadBuild()}
		var failed []error
		for _, s := range papers.Table {
			fmt.Fprintf(a.stderr, "%s\n", s.Name)
			o, err := a.redo(c.Context(), s, scale, filepath.Join(dir, s.Name), f.caches)
			if c.Context().Err() != nil {
				return err
			}
			if x.Add(s, o); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
			}
		}
		if err := x.Write(dir); err != nil {
			return errors.Join(append(failed, err)...)
		}
		p := a.page()
		p.Table(x.Papers())
		p.Line("in %s: %s, %s", dir, study.IndexHTML, study.IndexCSV)
		return errors.Join(append(failed, p.Close())...)
	}
	return c
}

// typed quotes a command as a shell reads it.
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
