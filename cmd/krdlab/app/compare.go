package app

import (
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"krdlab/experiments/read/compare"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/result"
)

// compareCommand returns the command `krdlab compare`.
func (a *app) compareCommand() *cobra.Command {
	why := false
	c := &cobra.Command{
		Use:   "compare [A B]",
		Short: "Differences between two experiments, and which of them are more than chance",
		Long: "Compare two experiments, or two run directories. Configurations are matched by " +
			"kernel, parameters, substrate, machine,\nscheduler and core count; seeds are pooled. " +
			"Each quantity is tested by Mann-Whitney's U over the repetitions; changes that hold " +
			"after Holm's correction for the number of tests are marked. Simulated and measured " +
			"numbers are never compared.\n\nTwo results of one Go program, one of them a sample " +
			"(krdlab trace go --sample --json, or its run directory), are compared by bins of " +
			"distances: do they agree within the errors of the sample, all bins together?\n\nTwo traces of one " +
			"program, by any runtimes, are compared by the order of their leaves, the children that changed " +
			"their worker, and bins of reuse distances, and where neither or both are simulated by work and " +
			"time.\n\nWithout " +
			"arguments it takes the two latest of the folder " + result.RunsDir +
			", and prints their names.",
		Example: "  krdlab compare before after\n  krdlab compare before after --json\n" +
			"  krdlab compare sample.json exact.json\n" +
			"  krdlab compare tbb.loi helpfirst.loi",
		Args: orNone("A", "B"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 && compare.AreTraces(args[0], args[1]) {
				r, err := compare.OfTraces(args[0], args[1])
				if err != nil {
					return err
				}
				return a.answer(c, r, r.View().Text)
			}
			if len(args) == 2 && compare.AreTraced(args[0], args[1]) {
				r, err := compare.OfSamples(args[0], args[1])
				if err != nil {
					return err
				}
				return a.answer(c, r, r.View().Text)
			}
			return a.experiments(c, args, []string{"A", "B"}, func(e []*dataset.Experiment) error {
				if one, err := os.Stat(e[0].Dir); err == nil {
					if other, err := os.Stat(e[1].Dir); err == nil && os.SameFile(one, other) {
						fmt.Fprintf(a.stderr, "A and B are the same folder, %s: nothing can differ\n",
							e[0].Dir)
					}
				}
				if why {
					return a.compareCauses(c, e[0], e[1])
				}
				r, err := compare.Of(e[0], e[1])
				if err != nil {
					return err
				}
				return a.answer(c, r, r.View().Text)
			})
		},
		ValidArgsFunction: folders,
	}
	includeDisturbed(c)
	c.Flags().BoolVar(&why, "why", false, "compare what each cause costs (krdlab why), of two simulated runs")
	return withJSON(c)
}

// compareCauses compares what each cause costs in two runs.
func (a *app) compareCauses(c *cobra.Command, one, other *dataset.Experiment) error {
	var reports [2]*loss.Report
	for i, e := range []*dataset.Experiment{one, other} {
		show, done := a.progress()
		r, err := loss.Of(c.Context(), e, nil, math.MaxInt, false, show)
		if done(); err != nil {
			return err
		}
		if r.Measured {
			return fmt.Errorf("%s: %w", e.Dir, measure.ErrNoPast)
		}
		reports[i] = r
	}
	r, err := loss.Compare(reports[0], reports[1])
	if err != nil {
		return err
	}
	return a.answer(c, r, r.View().Text)
}
