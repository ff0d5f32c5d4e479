package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"krdlab/experiments/compare"
	"krdlab/experiments/result"
)

// compareCommand is `krdlab compare`.
func (a *app) compareCommand() *cobra.Command {
	var asJSON, disturbed bool
	c := &cobra.Command{
		Use:   "compare [A B]",
		Short: "What changed from one experiment to another, and whether it is more than chance",
		Long: "Compare two experiments, or two run directories. Configurations are matched by " +
			"kernel, parameters, substrate, machine,\n" +
			"scheduler and core count; seeds are pooled. Each quantity is tested by " +
			"Mann-Whitney's U over the repetitions, and what holds\n" +
			"after Holm's correction for the number of tests is told apart. Simulated and " +
			"measured numbers are never compared.\n\n" +
			"Without arguments it takes the two latest of the folder " + result.RunsDir +
			", and says which.",
		Example: "  krdlab compare before after\n  krdlab compare before after --json",
		Args:    orNone("A", "B"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if args, err = a.orLatest(c, args, false, "A", "B"); err != nil {
				return err
			}
			return interruptible(c.Context(), func() error {
				return a.compare(args[0], args[1], asJSON, disturbed)
			})
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	includeDisturbed(c, &disturbed)
	return c
}

func (a *app) compare(before, after string, asJSON, disturbed bool) error {
	x, err := a.loadUndisturbed(before, disturbed)
	if err != nil {
		return err
	}
	y, err := a.loadUndisturbed(after, disturbed)
	if err != nil {
		return err
	}
	if one, err := os.Stat(before); err == nil {
		if other, err := os.Stat(after); err == nil && os.SameFile(one, other) {
			fmt.Fprintf(a.stderr, "A and B are the same folder, %s: nothing can differ\n", before)
		}
	}
	r, err := compare.Of(x, y)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(a.stdout, r)
	} else {
		err = r.View().Text(a.page())
	}
	return allUsed(err, x, y)
}
