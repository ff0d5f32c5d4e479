package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/request"
	"krdlab/krd/doc"
)

// replayFlags are those of krdlab krd that simulate caches in the place of counting distances.
type replayFlags struct {
	on, cacheModel string
	allowLoss      bool
	caches         given
}

// replayable gives the command of reuse distances the flag --replay.
func (a *app) replayable(c *cobra.Command) *cobra.Command {
	f, distances := &replayFlags{}, c.RunE
	p := c.Flags()
	p.StringVar(&f.on, "replay", "", "instead: LLC misses by simulating the caches of `MACHINE` with "+
		"the trace: host, a name or a TOML file")
	choiceVar(c, &f.cacheModel, "cache-model", string(request.CacheBlocks),
		[]string{string(request.CacheBlocks), string(request.CacheLines)},
		"`MODEL` of --replay: whole blocks (fast) or lines")
	needs(p, "replay", "--replay host", "cache-model")
	expects(p, "replay", "expected a machine: "+request.Host+
		", one of krdlab list machines, or a TOML file")
	excludes(c, "replay", "csv", "plot", "html", "node", "coherence", "per", "by", "bins", "llc",
		"engine", "weight", "distance") // it simulates caches and counts no distances
	c.RunE = func(c *cobra.Command, args []string) error {
		if f.on == "" {
			return distances(c, args)
		}
		args, err := a.orLatest(c, args, withTrace, "TRACE|RUNDIR")
		if err != nil {
			return err
		}
		f.allowLoss, _ = p.GetBool("allow-loss") // it is there
		f.caches = given(p.Lookup("caches").Value.String())
		return interruptible(c.Context(), func() error {
			traces, err := findTraces(args[0])
			if err != nil {
				return err
			}
			a.sayUnfinished(args[0])
			return a.replay(c, f, traces)
		})
	}
	return c
}

// printEach prints what each trace came to: as text, under the trace's path if there are several,
// or with --json as a document, a list of them if there are several.
func printEach[R any](a *app, c *cobra.Command, traces []string, reports []R,
	view func(R) *doc.Doc) error {
	if len(reports) == 1 {
		return a.answer(c, reports[0], view(reports[0]).Text)
	}
	return a.answer(c, reports, func(*doc.Page) error {
		for i, r := range reports {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			fmt.Fprintf(a.stdout, "%s\n", traces[i])
			if err := view(r).Text(a.page()); err != nil {
				return err
			}
		}
		return nil
	})
}
