package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/sweep"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
)

// reproduceDraws is `krdlab reproduce --draws`: draw 0 and n more, an experiment each in a folder
// of dir, and their bands. What is there is gone on with.
func (a *app) reproduceDraws(ctx context.Context, scale steps.Scale, n int, dir string) error {
	if err := drawsFolder(dir); err != nil {
		return err
	}
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		return err
	}
	opt, err := a.sweepOptions()
	if err != nil {
		return err
	}
	var draws []*dataset.Experiment
	for i := range n + 1 {
		sub := filepath.Join(dir, kernelreuse.DrawDir(i))
		plan, err := a.planOfDraw(ctx, m, scale, i, sub)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stderr, "draw %d of %d\n", i, n)
		if err := a.sweepCells(ctx, sub, plan, opt, typed(a.argv)); err != nil {
			return err
		}
		e, err := sweep.WriteTables(sub)
		if err != nil {
			return err
		}
		draws = append(draws, e)
	}
	p := a.page()
	files, err := kernelreuse.WriteDraws(p, dir, scale, draws)
	if err != nil {
		return err
	}
	p.Line("in %s: %s", dir, strings.Join(files, ", "))
	return p.Close()
}

// drawName matches the folder of a draw, and that of one that was being made.
var drawName = regexp.MustCompile(`^\.?draw-[0-9]{3}`)

// drawsFolder is an error unless dir is missing, empty or of draws.
func drawsFolder(dir string) error {
	wrong := func(what string) error {
		return usageError("krdlab reproduce --draws: %s %s, expected a new folder or one of draws; "+
			"choose another --out", dir, what)
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err == nil && !info.IsDir() {
		return wrong("is a file")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("krdlab reproduce --draws: %w; choose another --out", err)
	}
	has := func(is func(name string) bool) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return is(e.Name()) })
	}
	switch {
	case has(func(name string) bool { return name == dataset.PlanFile }):
		return wrong("holds an experiment")
	case len(entries) > 0 && !has(drawName.MatchString):
		return wrong("is not empty and holds no draws")
	}
	return nil
}

// planOfDraw is the plan of a draw: that in its folder, or a new one, for which the draw is fitted.
func (a *app) planOfDraw(ctx context.Context, m *machine.Machine, scale steps.Scale, draw int,
	dir string) (*sweep.Plan, error) {
	note := kernelreuse.DrawNote(m, scale, draw)
	there, err := dataset.Load(dir)
	switch {
	case err == nil && (there.Info == nil || !slices.Contains(there.Info.Notes, note)):
		found := []string{"no note"}
		if there.Info != nil && len(there.Info.Notes) > 0 {
			found = there.Info.Notes
		}
		return nil, usageError("krdlab reproduce --draws: %s holds %s, expected %s; choose another "+
			"--out", dir, found[0], note)
	case err == nil:
		return sweep.Read(dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, createError(err)
	}
	if draw > 0 {
		fmt.Fprintf(a.stderr, "fitting draw %d\n", draw)
	}
	configs, err := kernelreuse.DrawPlan(ctx, m, scale, draw, filepath.Dir(dir), a.argv)
	if err != nil && ctx.Err() != nil {
		return nil, failure.Errorf(failure.Interrupted, "interrupted while draw %d was fitted; go "+
			"on with: %s", draw, typed(a.argv))
	} else if err != nil {
		return nil, err
	}
	plan, err := sweep.NewPlan(configs)
	if err != nil {
		return nil, err
	}
	info := a.sweepInfo()
	info.Kind, info.Notes = "draw", []string{note}
	if _, err = sweep.Create(dir, plan, info); err != nil {
		return nil, createError(err)
	}
	return plan, nil
}
