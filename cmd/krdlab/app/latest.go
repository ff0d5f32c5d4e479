package app

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
)

// orNone is exactly for a command that does without arguments too, with [app.orLatest].
func orNone(what ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return exactly(what...)(c, args)
	}
}

// ofLatest is what the help of such a command says.
const ofLatest = "\n\nWithout an argument it takes the latest of the folder " + result.RunsDir +
	", and says which."

// orLatest returns the arguments of c, which what names, or where there are none, the latest
// experiments or runs; with runs, only those of krdlab run. It says which they are.
func (a *app) orLatest(c *cobra.Command, args []string, runs bool, what ...string) ([]string,
	error) {
	if len(args) > 0 {
		return args, nil
	}
	latest := dataset.Latest(result.RunsDir, len(what), runs)
	if len(latest) < len(what) {
		there := "nothing"
		if len(latest) > 0 {
			there = latest[0] + " only"
		}
		return nil, usageError("%s: %s is missing, and the folder %s, of which the latest would be "+
			"taken, has %s; type %s", c.CommandPath(), what[0], result.RunsDir, there, typeThis(c))
	}
	fmt.Fprintf(a.stderr, "latest: %s\n", strings.Join(latest, ", "))
	return latest, nil
}
