package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/goprogram"
	"krdlab/krd/analysis/components"
)

// sizePlace is where the size goes in the arguments of a program.
const sizePlace = "{}"

// predictGoCommand returns the command `krdlab predict go`.
func (a *app) predictGoCommand() *cobra.Command {
	f := &predictFlags{}
	r := goprogram.Request{}
	var sizes []string
	var dir string
	var check bool
	var caches given
	c := withJSON(&cobra.Command{
		Use:   "go PACKAGE --size SIZES --at SIZE -- ARGS with " + sizePlace,
		Short: "Which functions and fields of a Go program leave which cache with a large input",
		Long: "Run a Go program, or with `go test` the tests of a package, with two sizes of its input or more, " +
			"and predict the reuse distances of each function and field, and of the whole, at another size: how " +
			"much is beyond L2 and LLC, and at which size it crosses them.\n" +
			"The size takes the place of " + sizePlace + " in the program's arguments. Three sizes, each twice the one " +
			"before, tell more than two.",
		Example: "  krdlab predict go . --size 1000,2000,4000 --at 64000 -- -n {}\n" +
			"  krdlab predict go ./examples/scimark --size 64,128,256 --at 1024 -- lu -n {}",
		RunE: func(c *cobra.Command, args []string) error {
			if err := program(c, args, &r); err != nil {
				return err
			}
			return a.predictGo(c, f, &r, sizes, dir, check, caches)
		},
	})
	p := c.Flags()
	p.SortFlags = false
	p.StringSliceVar(&sizes, "size", nil, "run the program with these `SIZES`, separated by commas")
	f.define(c)
	p.BoolVar(&check, "check", false, "also run it with the predicted size, to say how wrong the prediction is")
	p.StringVar(&dir, "dir", "", "the `FOLDER` of the run directories, which must not exist; each has its size "+
		"for a name (default new ones under krdlab-runs)")
	choiceVar(c, (*string)(&r.Unit), "unit", goprogram.Units[0], goprogram.Units, "what one datum is, "+
		"`WHAT`: line (of 64 bytes, each object beginning on its own) or datum (a variable, field or element)")
	sourceFlags(c, &r.Build)
	cachesVar(p, &caches)
	return c
}

// predictGo runs a program with several sizes and predicts another.
func (a *app) predictGo(c *cobra.Command, f *predictFlags, r *goprogram.Request, sizes []string, dir string,
	check bool, caches given) error {
	q, err := f.question(c)
	if err != nil {
		return err
	}
	if len(sizes) < 2 {
		return usageError("%s: --size: expected at least two sizes, such as --size 1000,2000,4000", c.CommandPath())
	}
	if !(f.at > 0) {
		return usageError("%s: --at is missing, or not more than 0; type %s", c.CommandPath(), typeThis(c))
	}
	args := r.Args
	if !slices.ContainsFunc(args, func(s string) bool { return strings.Contains(s, sizePlace) }) {
		return usageError("%s: found no %s in the program's arguments; expected the place of the size, as in "+
			"-- -n %[2]s", c.CommandPath(), sizePlace)
	}
	for _, s := range sizes {
		n, err := strconv.ParseFloat(s, 64)
		if err != nil || !(n > 0) {
			return usageError("%s: --size %s: expected numbers above 0", c.CommandPath(), strings.Join(sizes, ","))
		}
		if slices.ContainsFunc(q.Small, func(x components.Sized) bool { return x.Size == n }) {
			return usageError("%s: --size %s: expected each size once", c.CommandPath(), strings.Join(sizes, ","))
		}
		q.Small = append(q.Small, components.Sized{Name: "size " + s, Size: n})
	}
	if dir != "" {
		if err := newFile("dir", dir); err != nil {
			return err
		}
	}
	remove, err := a.goBuild(c.Context(), r)
	if err != nil {
		return err
	}
	defer remove()
	run := func(size string) (*goprogram.Document, error) {
		r.Args = nil
		for _, s := range args {
			r.Args = append(r.Args, strings.ReplaceAll(s, sizePlace, size))
		}
		if dir != "" {
			r.Out = filepath.Join(dir, size)
		}
		d, err := a.observed(c, r, caches)
		switch {
		case errors.Is(err, goprogram.ErrProgram):
			return nil, fmt.Errorf("with size %s: %w", size, err)
		case d == nil || err != nil:
			return nil, err
		case d.KRD == nil || d.Stopped:
			return nil, fmt.Errorf("with size %s: %w: it was stopped before its end", size, goprogram.ErrProgram)
		}
		fmt.Fprintf(a.stderr, "size %s: run directory: %s\n", size, d.Dir)
		return d, nil
	}
	for i := range q.Small {
		d, err := run(sizes[i])
		if err != nil {
			return err
		}
		q.Small[i].Report, q.Small[i].Parts = d.KRD, &d.Parts
	}
	if check {
		d, err := run(strconv.FormatFloat(f.at, 'f', -1, 64))
		if err != nil {
			return err
		}
		q.Actual, q.Counted = d.KRD, &d.Parts
	}
	return a.asked(c, f, q)
}
