package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/papers/skadu"
	"krdlab/experiments/papers/steps"
)

// reproduceSkadu is `krdlab reproduce skadu`.
func (a *app) reproduceSkadu() *cobra.Command {
	return a.reproduceSteps(&cobra.Command{
		Short: "Redo figures 7 and 8 of the skadu paper and set its numbers beside what comes out",
		Long: "Redo figures 7 and 8 and tables 2 and 3 of \"Skadu: Efficient Vector Shadow Memories for " +
			"Poly-Scopic Program Analysis\" with Go programs and krdlab's kernels: what it takes in memory " +
			"and time to count the footprint of every function and loop at once, and to find their " +
			"critical paths, by technique.\n\n" +
			"It builds programs of which three are libraries of others, so it needs the Go toolchain, " +
			"and the network or a module cache; what cannot be built is left out. Programs are timed on " +
			"this computer, which should have nothing else to do. Traces of a few GB are in the folder for " +
			"temporary files meanwhile. Text, page, figures and tables are left in the folder. " +
			"After an interrupt the same command goes on.",
		Example: "  krdlab reproduce skadu\n  krdlab reproduce skadu --scale paper --out skadu",
	}, &stepwise{
		kind: skadu.Kind,
		scale: "`HOW` much: smoke (tiny programs that say nothing about the paper), quick (12 minutes) or " +
			"paper (programs of up to some hundred MB; hours)",
		open:   skadu.Open,
		result: func(f *steps.Folder) (steps.Report, error) { return skadu.ResultOf(f) },
	})
}
