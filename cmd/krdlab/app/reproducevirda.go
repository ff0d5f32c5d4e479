package app

import (
	"github.com/spf13/cobra"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/papers/virda"
)

// reproduceVirda is `krdlab reproduce virda`.
func (a *app) reproduceVirda() *cobra.Command {
	return a.reproduceSteps(&cobra.Command{
		Short: "Redo the evaluation of the virda paper and set its numbers beside what comes out",
		Long: "Redo sections 4.2 and 4.3.1 to 4.3.4 of \"Virtual reuse distance analysis of " +
			"SPECjvm2008 data locality\" with SciMark's kernels in Go: how components move with the " +
			"input and what is predicted of a larger one, which functions cause them, FFT with its " +
			"loops interchanged, and krdlab's own kernels beside SciMark's.\n\n" +
			"It builds SciMark, so it needs the Go toolchain. FFT is timed on this computer, which " +
			"should have nothing else to do. Text, page, figures and tables are left in the folder. " +
			"After an interrupt the same command goes on.",
		Example: "  krdlab reproduce virda\n  krdlab reproduce virda --scale paper --out virda",
	}, &stepwise{
		kind: virda.Kind,
		scale: "`HOW` much: smoke (tiny programs that say nothing about the paper), quick (minutes) or " +
			"paper (its LARGE inputs too; an hour)",
		open:   virda.Open,
		result: func(f *steps.Folder) (steps.Report, error) { return virda.ResultOf(f) },
	})
}
