package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/show/figures"
	"krdlab/krd/plot"
)

type plotFlags struct {
	figures, formats []string
	out              string
}

// figuresDir is the folder of figures without --out, in the folder of the experiment.
const figuresDir = "figures"

// plotCommand returns the command `krdlab plot`.
func (a *app) plotCommand() *cobra.Command {
	f := &plotFlags{}
	ids, about := figures.Families()
	var list strings.Builder
	for i, id := range ids {
		fmt.Fprintf(&list, "  %-12s %s\n", id, about[i])
	}
	c := &cobra.Command{
		Use:   "plot [EXP]",
		Short: "Figures of an experiment or run: speed-up, overhead, reuse distances, misses",
		Long: "Draw the figures of an experiment (the folder of a sweep) or of a single run, for " +
			"print: those of the KRD paper, whose\nnumbers stand in brackets, and others. Figures " +
			"without numbers are left out, and named with the reason.\n\n" + strings.TrimSuffix(list.String(), "\n") +
			ofLatest,
		Example: "  krdlab plot exp\n  krdlab plot exp --figure speedup,ovr,krd --format svg,pdf " +
			"--out paper/figures",
		Args: orNone("EXP"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, format := range f.formats {
				if !slices.Contains(plot.Formats, format) {
					return &request.Error{Flag: "format", Got: format,
						Want: request.Suggest(format, plot.Formats, "")}
				}
			}
			return a.experiments(c, args, []string{"EXP"}, func(list []*dataset.Experiment) error {
				return a.plot(c.Context(), f, list[0])
			})
		},
		ValidArgsFunction: folders,
	}
	p := c.Flags()
	p.StringSliceVar(&f.figures, "figure", nil, "only these: `ID`s of figures or of their "+
		"families, separated by commas (default all)")
	p.StringSliceVar(&f.formats, "format", []string{"svg"}, "`FORMAT`s, separated by commas: "+
		strings.Join(plot.Formats, ", "))
	p.Lookup("format").DefValue = "svg"
	p.StringVar(&f.out, "out", "", "write into this `DIR` (default EXP/"+figuresDir+
		"); only figures of krdlab's are written over")
	p.SortFlags = false
	expects(p, "format", request.Suggest("", plot.Formats, ""))
	expects(p, "figure", request.Suggest("", ids, ""))
	complete(c, "figure", ids...)
	complete(c, "format", plot.Formats...)
	return c
}

// A drawing is a figure and the files, without extension, that it goes into.
type drawing struct {
	path   string
	figure plot.Figure
}

func (a *app) plot(ctx context.Context, f *plotFlags, e *dataset.Experiment) error {
	slices.Sort(f.formats)
	f.formats = slices.Compact(f.formats)
	if f.out == "" {
		f.out = filepath.Join(e.Dir, figuresDir)
	}
	if info, err := os.Stat(f.out); err == nil && !info.IsDir() {
		return usageError("--out %s: it is a file; expected a folder for figures", f.out)
	}
	if err := outFolder(f.out); err != nil {
		return err
	}
	var list []drawing
	var skipped []string
	if err := interruptible(ctx, func() (err error) {
		list, skipped, err = choose(e, f)
		return err
	}); err != nil {
		return err
	}
	a.sayDoubts(e)
	for _, s := range skipped {
		fmt.Fprintf(a.stderr, "not drawn: %s\n", s)
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return err
	}
	for _, d := range list {
		for _, format := range f.formats {
			if err := ctx.Err(); err != nil {
				return err
			}
			path := d.path + "." + format
			if err := rederive(path, func(w io.Writer) error {
				return d.figure.Write(w, format)
			}); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(a.stdout, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose makes the figures that are asked for and returns the ones that cannot be drawn, as
// sentences. It is an error if nothing can, if an ID is none, and if a file of someone else is
// there already.
func choose(e *dataset.Experiment, f *plotFlags) (list []drawing, skipped []string, err error) {
	groups := e.Groups()
	names := figures.GroupNames(groups)
	known, _ := figures.Families()
	found := map[string]bool{} // asked for, and drawn or said why not
	asked := func(is func(id string) bool) bool {
		any := len(f.figures) == 0
		for _, id := range f.figures {
			if is(id) {
				any, found[id] = true, true
			}
		}
		return any
	}
	whole := figures.Matrices(e)
	for _, m := range whole {
		known = append(known, m.ID)
		if asked(figures.Means(m.ID)) {
			list = append(list, drawing{filepath.Join(f.out, m.Prefix+m.ID), m.Figure})
		}
	}
	if len(whole) == 0 && slices.Contains(f.figures, figures.MatrixID) {
		found[figures.MatrixID] = true
		skipped = append(skipped, figures.MatrixID+": it is of at least two kernels under at least "+
			"two schedulers")
	}
	for i := range groups {
		prefix, where := "", ""
		if names[i] != "" {
			prefix, where = names[i]+"-", names[i]+": "
		}
		figs, out := figures.Of(&groups[i], f.figures)
		for _, fig := range figs {
			known = append(known, fig.ID)
			if asked(figures.Means(fig.ID)) {
				list = append(list, drawing{filepath.Join(f.out, prefix+fig.ID), fig})
			}
		}
		for _, s := range out {
			if asked(func(id string) bool {
				return figures.Means(s.ID)(id) || strings.HasPrefix(id, s.ID+"-")
			}) {
				skipped = append(skipped, where+s.String())
			}
		}
	}
	for _, id := range f.figures {
		if !found[id] {
			slices.Sort(known)
			return nil, nil, &request.Error{Flag: "figure", Got: id,
				Want: "there is no such figure; " + request.Suggest(id, slices.Compact(known),
					"see krdlab plot --help")}
		}
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: nothing can be drawn: %s", e.Dir,
			strings.Join(skipped, "; "))
	}
	for _, d := range list {
		for _, format := range f.formats {
			if err := ownOrNone(d.path + "." + format); err != nil {
				return nil, nil, err
			}
		}
	}
	return list, skipped, nil
}
