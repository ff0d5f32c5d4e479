package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"krdlab/experiments/request"
	"krdlab/krd/doc"
	"krdlab/krd/interleave"
	"krdlab/krd/interleave/text"
)

// exploreFlags are those of krdlab explore.
type exploreFlags struct {
	exact, enumerate, reached bool
	guarantee                 bool
	samplers                  []string
	depths                    []int
	runs                      int
	seed                      uint64
	memory                    size
	csv                       string
}

// exploreCommand is `krdlab explore`.
func (a *app) exploreCommand() *cobra.Command {
	f := &exploreFlags{}
	c := withJSON(&cobra.Command{
		Use:   "explore PROGRAM",
		Short: "Reuse distances over all interleavings of a program's threads",
		Long: "Compute which distances the accesses to each object can have over all interleavings of " +
			"the threads of a program, how many interleavings and accesses have each, and its " +
			"probability; exactly, or with --sampler of runs that are drawn. A PROGRAM is a text:\n\n" +
			"  shared x = 0; input y in {1, 2}\n" +
			"  thread 1: r A; lock L; a = x; x = a + 1; unlock L\n" +
			"  thread 2: b = y; if b > 1 { w A } else { w B }; barrier C\n\n" +
			"Its grammar is that of `go doc krdlab/krd/interleave/text`.",
		Example: "  krdlab explore prog.txt --reached\n" +
			"  krdlab explore prog.txt --sampler uniform,pct --depth 3,5 --runs 1000 --json",
		Args: exactly("PROGRAM"),
		RunE: func(c *cobra.Command, args []string) error {
			return interruptible(c.Context(), func() error { return a.explore(c, f, args[0]) })
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	})
	p := c.Flags()
	p.SortFlags = false
	p.BoolVar(&f.exact, "exact", false, "count exactly, by a dynamic program (the default without "+
		"--sampler)")
	p.BoolVar(&f.enumerate, "enumerate", false, "count exactly, by going through every interleaving")
	p.BoolVar(&f.reached, "reached", false, "count the interleavings that have each distance at least "+
		"once, too")
	p.BoolVar(&f.guarantee, "guarantee", false, "find how many orderings of steps guarantee each "+
		"distance, too (at most, where there are more than 20 000 interleavings), the bound of PCT for "+
		"that, and from which depth on PCT has it")
	p.StringSliceVar(&f.samplers, "sampler", nil, "draw runs with these `SAMPLERS`: "+
		fmt.Sprintf("%v", interleave.Samplers))
	p.IntSliceVar(&f.depths, "depth", []int{5}, "`DEPTHS` of pct and pct-distinct")
	p.IntVar(&f.runs, "runs", 1000, "`N` runs to draw")
	p.Uint64Var(&f.seed, "seed", 1, "`N`, the seed of what is drawn")
	p.Var(&f.memory, "memory", "largest `SIZE` of memory for the states, such as 4G (default 1 GiB)")
	csvFlag(p, &f.csv)
	expects(p, "depth", "expected whole numbers from 1 on")
	var names []string
	for _, s := range interleave.Samplers {
		names = append(names, string(s))
	}
	complete(c, "sampler", names...)
	return c
}

func (a *app) explore(c *cobra.Command, f *exploreFlags, path string) error {
	if err := excludeCSV(c, f.csv); err != nil {
		return err
	}
	if f.samplers == nil {
		if err := onlyWith(c, "sampler", "--sampler uniform", "depth", "runs", "seed"); err != nil {
			return err
		}
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: there is no such file; expected a program of threads", path)
	} else if err != nil {
		return err
	}
	defer file.Close()
	p, err := text.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	opt := interleave.Options{MemoryBytes: uint64(f.memory), Reached: f.reached}
	var results []*interleave.Result
	add := func(r *interleave.Result, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		results = append(results, r)
		return nil
	}
	if f.exact || f.samplers == nil && !f.enumerate {
		r, err := interleave.Exact(p, opt)
		if err == nil && f.guarantee {
			err = r.Guarantee(p)
		}
		if err := add(r, err); err != nil {
			return err
		}
	} else if f.guarantee {
		return usageError("%s: --guarantee is for the exact result; add --exact", c.CommandPath())
	}
	if f.enumerate {
		if err := add(interleave.Enumerate(p, opt)); err != nil {
			return err
		}
	}
	for _, name := range f.samplers {
		s := interleave.Sampler(name)
		if !slices.Contains(interleave.Samplers, s) {
			return &request.Error{Flag: "sampler", Got: name, Want: fmt.Sprintf("there are %v",
				interleave.Samplers)}
		}
		depths := f.depths
		if s != interleave.PCT && s != interleave.PCTDistinct {
			depths = []int{0}
		}
		for _, depth := range depths {
			if err := add(interleave.Sample(p, interleave.SampleOptions{Sampler: s, Runs: f.runs,
				Depth: depth, Seed: f.seed, MemoryBytes: uint64(f.memory)})); err != nil {
				return err
			}
		}
	}
	if f.csv != "" {
		if len(results) > 1 {
			return usageError("%s: --csv prints one table, and there are %d results; ask for one",
				c.CommandPath(), len(results))
		}
		t, err := chosenTable(f.csv, []*doc.Table{results[0].Table()}, c.Name())
		if err != nil {
			return err
		}
		return t.CSV(a.stdout)
	}
	if len(results) == 1 {
		return a.answer(c, results[0], results[0].View().Text)
	}
	return a.answer(c, results, func(p *doc.Page) error {
		d := &doc.Doc{}
		for _, r := range results {
			d.Add(r.View())
		}
		return d.Text(p)
	})
}
