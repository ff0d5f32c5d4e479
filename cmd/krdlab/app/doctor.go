package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/doctor"
)

// doctorCommand returns the command `krdlab doctor`.
func (a *app) doctorCommand() *cobra.Command {
	var caches given
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check which measurements this machine allows, why others fail, and what would help",
		Long: "Check the features of this machine that measurements need: the time-stamp counter, " +
			"pinning, counters of the hardware and of the\nsystem, huge pages, NUMA placement, and a " +
			"trace in the current folder. The exit code is 0 whatever is found.",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			t, err := a.host(caches)
			if err != nil {
				return err
			}
			d := doctor.Examine(t, ".")
			return a.answer(c, d, d.WriteText)
		},
	}
	cachesVar(c.Flags(), &caches)
	return withJSON(c)
}
