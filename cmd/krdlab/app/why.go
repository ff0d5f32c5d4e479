package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
)

// whyCommand is `krdlab why`.
func (a *app) whyCommand() *cobra.Command {
	reps, free := loss.DefaultReps, false
	c := &cobra.Command{
		Use:   "why [RUN [SCHEDULER...]]",
		Short: "What the time of each scheduler is made of: causes taken away, one after the other",
		Long: "Take causes away from a simulated run, its schedule as it was, and divide the time among them: the " +
			"runtime's\n" +
			"prices, the locks of queues, the capacity of caches, coherence, the distance of memories; then too little\n" +
			"parallelism, and imbalance. Each is the mean over all orders in which the causes can be taken away; parts of\n" +
			"a cause, and objects of the program, are taken away one at a time.\n\n" +
			"Repetitions are simulated again from the run's own seeds." + ofLatest,
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
	c.Flags().BoolVar(&free, "free", false, "also what a run without each cause gives, whose scheduler does as it likes")
	return withJSON(c)
}
