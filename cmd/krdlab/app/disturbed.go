package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"krdlab/experiments/dataset"
	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// includeDisturbed defines the flag of commands that leave disturbed results out.
func includeDisturbed(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "include-disturbed", false,
		"use results that other programs disturbed, too")
}

// loadUndisturbed is loadExperiment without disturbed results, unless they are asked for, and says
// on stderr how many it leaves out.
func (a *app) loadUndisturbed(dir string, include bool) (*dataset.Experiment, error) {
	e, err := loadExperiment(dir)
	if err != nil || include {
		return e, err
	}
	clean, n := e.Undisturbed()
	switch {
	case n > 0 && len(clean.Cells) == 0:
		return nil, failure.As(failure.Data, fmt.Errorf("%s: other programs disturbed all of its "+
			"%s; --include-disturbed uses them", dir, units.Count(n, "result")))
	case n > 0:
		fmt.Fprintf(a.stderr, "krdlab: %s: %d of %d results are left out, as other programs "+
			"disturbed them; --include-disturbed uses them\n", dir, n, len(e.Cells))
	}
	return clean, nil
}
