package app

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/request"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis"
)

// policyReps is how often each scheduler is run, with a seed each, for an analysis of all.
const policyReps = 3

// misnamed returns the error of a command line of an analysis of traces whose argument is the name
// of a kernel, or a program of threads; nil of any other. The error quotes the commands to use.
func (x *analyser) misnamed(c *cobra.Command) error {
	for i, word := range x.argv {
		if i < 2 || !ofThreads(word) {
			continue
		}
		before := c.Flags().Lookup(strings.TrimLeft(x.argv[i-1], "-"))
		if before != nil && before.NoOptDefVal == "" {
			continue // it is a flag's value
		}
		return usageError("%s: it takes traces, and %s is a program of threads; type %s", c.CommandPath(),
			word, typed(slices.Concat([]string{"krdlab", interleavings}, x.argv[2:])))
	}
	return x.kernelNamed(c)
}

// kernelNamed returns the error of a command line whose one argument is the name of a kernel, nil
// of any other. It quotes the commands that run the kernel and analyse the run, with the flags that
// were typed: one that both have goes to the run, --json to the analysis, --seed to both, and one
// that neither has to the run, which refuses it.
func (x *analyser) kernelNamed(c *cobra.Command) error {
	at := slices.IndexFunc(x.argv, func(word string) bool {
		return slices.Contains(request.KernelNames(), word) && !here(word, true)
	})
	if at < 2 {
		return nil
	}
	k, _ := kernels.ByName(x.argv[at])
	run, _, err := c.Root().Find([]string{"run", k.Name})
	if err != nil {
		return err
	}
	first, then := []string{"krdlab", "run", k.Name}, []string{"krdlab", x.line.Name}
	given, n := map[string]string{}, 0
	for words := x.argv[2:]; len(words) > 0; words = words[n:] {
		name, value, whole := strings.Cut(strings.TrimLeft(words[0], "-"), "=")
		if n = 1; name == words[0] {
			if name != k.Name {
				return nil
			}
			continue
		}
		own, of := c.Flags().Lookup(name), run.Flag(name)
		if f := cmp.Or(of, own); !whole && len(words) > 1 && (f != nil && f.NoOptDefVal == "" ||
			f == nil && words[1] != k.Name && !strings.HasPrefix(words[1], "-")) {
			n, value = 2, words[1]
		}
		given[name] = value
		if own != nil && (of == nil || name == "json" || name == "seed") {
			then = append(then, words[:n]...)
		}
		if name != "json" && name != "trace" && (of != nil || own == nil) {
			first = append(first, words[:n]...)
		}
	}
	add := func(name, value string) {
		if _, ok := given[name]; !ok {
			given[name], first = value, append(first, "--"+name, value)
		}
	}
	_ = c.Flags().Parse(then[2:]) // what is behind the error, if one was found
	switch {
	case x.line.Needs.Operations:
		return usageError("%s: it takes operations, which Go programs have; type %s", c.CommandPath(),
			x.latest().makes)
	case x.line.Needs.Accesses && !k.Work:
		return usageError("%s: it needs what kernels access, and %s has no kernels that say it",
			c.CommandPath(), k.Name)
	case is[analysis.OverTraces](x.options):
		if given["follow"] == "" {
			add("sched", request.AllSchedulers)
		}
		add("class", kernel.SmallClass)
		add("machine", request.DefaultMachine)
		add("reps", strconv.Itoa(policyReps))
	}
	add("reps", "1")
	trace := x.records(k.Work)
	for word := range strings.SplitSeq(given["trace"], ",") {
		if mode, _, _, err := request.ParseTrace(word); err == nil && mode == request.TraceDefault &&
			!strings.Contains(trace, word) {
			trace += "," + word
		}
	}
	first = append(first, "--trace", trace)
	if out := given["out"]; out != "" {
		then = slices.Insert(then, 2, out)
	}
	return usageError("%s: it takes traces, and %s is a kernel; type %s; %s", c.CommandPath(), k.Name,
		typed(first), typed(then))
}
