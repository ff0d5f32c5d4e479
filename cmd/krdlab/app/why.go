package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
)

// whyCommand returns the command `krdlab why`.
func (a *app) whyCommand() *cobra.Command {
	reps, free := loss.DefaultReps, false
	c := &cobra.Command{
		Use:   "why [RUN [SCHEDULER...]]",
		Short: "Split the time of each scheduler into causes, by taking them away one after the other",
		Long: "Take causes away from a simulated run, with its schedule unchanged, and divide the " +
			"time among them: the runtime's\nprices, the locks of queues, the capacity of caches, " +
			"coherence, the distance of memories; then too little\nparallelism, and imbalance. Each " +
			"is the mean over all orders in which the causes can be taken away; parts of\na cause, " +
			"and objects of the program, are taken away one at a time.\n\nRepetitions are simulated " +
			"again from the run's own seeds." + ofLatest,
		Example: "  krdlab why runs/matmul\n  krdlab why runs/matmul helpfirst --reps 1 --json",
		RunE: func(c *cobra.Command, args []string) error {
			var schedulers []string
			if len(args) > 1 {
				args, schedulers = args[:1], args[1:]
			}
			return a.experiments(c, args, []string{"RUN"}, func(e []*dataset.Experiment) error {
				show, done := a.progress()
				r, err := loss.Of(c.Context(), e[0], schedulers, reps, free, show)
				done()
				if err != nil {
					return err
				}
				return a.answer(c, r, r.View().Text)
			})
		},
		ValidArgsFunction: folders,
	}
	c.Flags().IntVar(&reps, "reps", reps, "repetitions that are timed, at most those of the run; intervals need 6")
	c.Flags().BoolVar(&free, "free", false, "also run without each cause, with the scheduler free to "+
		"decide otherwise")
	return withJSON(c)
}
