package app

import (
	"fmt"
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/levels"
	"krdlab/experiments/request"
	"krdlab/krd/plot"
)

// levels is `krdlab correlate --levels`.
func (a *app) levels(f *correlateFlags, dirs []string) error {
	switch {
	case f.json && f.csv != "":
		return usageError("krdlab correlate: --json and --csv exclude each other; choose one")
	case f.all:
		return usageError("krdlab correlate --levels: it has no more to print with --all; leave it " +
			"out")
	case f.csv != "" && !slices.Contains(levels.Tables, f.csv):
		return &request.Error{Flag: "csv", Got: f.csv, Want: request.Suggest(f.csv, levels.Tables,
			"")}
	}
	if f.plot != "" { // a name that cannot be is known before the work
		if _, err := plot.FormatOf(f.plot); err != nil {
			return usageError("--plot %w", err)
		}
		if err := derivable("plot", f.plot); err != nil {
			return err
		}
	}
	var list []*dataset.Experiment
	for _, dir := range dirs {
		e, err := a.loadUndisturbed(dir, f.disturbed)
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	r, err := levels.Of(list, f.exclude)
	if err != nil {
		return err
	}
	if err := a.levelsFigure(r, f.plot); err != nil {
		return err
	}
	switch {
	case f.csv != "":
		err = r.Table(f.csv).CSV(a.stdout)
	case f.json:
		err = writeJSON(a.stdout, r)
	default:
		err = r.View().Text(a.page())
	}
	return allUsed(err, list...)
}

// levelsFigure draws what was found to path, if there is one; what cannot be told has no figure.
func (a *app) levelsFigure(r *levels.Report, path string) error {
	if path == "" {
		return nil
	}
	figure := r.Figure()
	if len(figure.Panels) == 0 {
		fmt.Fprintf(a.stderr, "%s: not drawn: nothing could be predicted\n", path)
		return nil
	}
	if err := writeFigure(path, figure); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "figure: %s\n", path)
	return nil
}
