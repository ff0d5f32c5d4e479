package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"krdlab/experiments/dataset"
	"krdlab/experiments/levels"
)

// levels is `krdlab correlate --levels`.
func (a *app) levels(c *cobra.Command, f *correlateFlags, list []*dataset.Experiment) error {
	r, err := levels.Of(list, f.exclude)
	if err != nil {
		return err
	}
	if f.plot != "" {
		if figure := r.Figure(); len(figure.Panels) == 0 {
			fmt.Fprintf(a.stderr, "%s: not drawn: nothing could be predicted\n", f.plot)
		} else if err := a.drawn(f.plot, figure); err != nil {
			return err
		}
	}
	if f.csv != "" {
		return r.Table(f.csv).CSV(a.stdout)
	}
	return a.answer(c, r, r.View().Text)
}
