package app

import (
	"os"

	"github.com/spf13/cobra"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/interleave"
	"krdlab/krd/analysis/interleave/text"
)

// interleavings is the name of the command.
const interleavings = "interleavings"

func (a *app) interleavingsCommand() *cobra.Command {
	o := interleave.NewThreads()
	x := &analyser{app: a, line: &analysis.Analysis{Name: interleavings, New: func() any { return o }},
		options: o}
	c := &cobra.Command{
		Use:   interleavings + " TEXT",
		Short: "Reuse distances over all interleavings of threads",
		Long: "Compute which distances the accesses to each object can have, and how likely they " +
			"are, over all interleavings of the threads of a program that is a text:\n\n  shared x = " +
			"0; input y in {1, 2}\n  thread 1: r A; lock L; a = x; x = a + 1; unlock L\n  thread 2: " +
			"b = y; if b > 1 { w A } else { w B }; barrier C\n\nIts grammar is that of `go doc " +
			"krdlab/krd/analysis/interleave/text`. For task programs use krdlab explore.",
		Example: "  krdlab interleavings prog.txt --reached\n" +
			"  krdlab interleavings prog.txt --sampler uniform,pct --depth 3,5 --runs 1000 --json",
		Args: exactly("TEXT"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := x.check(c); err != nil {
				return err
			}
			if info, err := os.Stat(args[0]); isTrace(args[0]) || err == nil && info.IsDir() {
				return usageError("%s: it takes a program of threads, and %s is none; type krdlab %s %s",
					c.CommandPath(), args[0], interleave.Analysis.Name, args[0])
			}
			return interruptible(c.Context(), func() error { return x.read(c, args[0], o.Read) })
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	}
	x.define(c)
	return c
}

// ofThreads reports whether path is a file that begins as a program of threads does.
func ofThreads(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || isTrace(path) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return text.Begins(f)
}
