package app

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"krdlab/experiments/gotrace"
	"krdlab/experiments/request"
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
	expects(p, "replay", "expected a machine: "+request.Host+
		", one of krdlab list machines, or a TOML file")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := cmp.Or(onlyWith(c, "replay", "--replay host", "cache-model"),
			exclude(c, f.on != "", "--replay "+f.on, "it simulates caches and knows no distances", "csv",
				"plot", "html", "node", "coherence", "per", "by", "bins", "llc", "engine", "weight",
				"distance")); err != nil {
			return err
		}
		if f.on == "" {
			if len(args) == 1 {
				if file := programResult(args[0]); file != "" {
					return a.ofProgram(c, file)
				}
			}
			return distances(c, args)
		}
		args, err := a.orLatest(c, args, true, "TRACE|RUNDIR")
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

// programResult is the file of the result of krdlab trace go that path names or, as a run directory,
// holds; "" if there is none.
func programResult(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, gotrace.KRDFile)
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() || filepath.Ext(path) != ".json" {
		return ""
	}
	return path
}

// ofProgram prints the result of krdlab trace go once more, or a ranking of it.
func (a *app) ofProgram(c *cobra.Command, file string) error {
	if err := exclude(c, true, file, "it is the result of krdlab trace go, and no trace", "csv", "plot",
		"html", "node", "coherence", "per", "llc", "engine", "weight", "distance"); err != nil {
		return err
	}
	text, err := os.Open(file)
	if err != nil {
		return err
	}
	defer text.Close()
	d, err := gotrace.Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	k := ranking{c.Flags().Lookup("by").Value.String(), c.Flags().Lookup("bins").Value.String()}
	if err := k.check(c, false); err != nil {
		return err
	}
	if err := k.of(d); err != nil {
		return err
	}
	return a.answer(c, d, d.View().Text)
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
