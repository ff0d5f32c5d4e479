package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/over"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// A list is a flag that may have several values, separated by commas or each with the flag before
// it. The first argument of Set replaces the default.
type list struct {
	given []string // as given, commas and all
	set   bool
	of    string // what it is a list of, for messages
}

// Set adds s.
func (l *list) Set(s string) error {
	if !l.set {
		l.given, l.set = nil, true
	}
	l.given = append(l.given, s)
	return nil
}

func (l *list) String() string { return strings.Join(l.given, ",") }

// Type names the values for messages.
func (l *list) Type() string { return "list of " + l.of }

// split returns the values. Those that whole accepts are not taken apart at their commas.
func (l *list) split(flag string, whole func(string) bool) ([]string, error) {
	var values []string
	for _, s := range l.given {
		if whole != nil && whole(s) {
			values = append(values, s)
			continue
		}
		for v := range strings.SplitSeq(s, ",") {
			values = append(values, strings.TrimSpace(v))
		}
	}
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		switch {
		case v == "" && (whole == nil || !whole(v)):
			return nil, &request.Error{Flag: flag, Got: l.String(),
				Want: "a value of the list is empty"}
		case seen[v]:
			return nil, &request.Error{Flag: flag, Got: l.String(),
				Want: v + " is named twice"}
		}
		seen[v] = true
	}
	return values, nil
}

// sweepFlags are the flags of a sweep of one kernel: those of a run (some may have several values)
// and the kernel's own.
type sweepFlags struct {
	runFlags
	set             *pflag.FlagSet
	kernel          *kernel.Kernel // nil: only the common flags
	coreList, seeds list
	machines        list
	params          map[string]*list
	class           *string
	nativeOnly      []string // kernels and schedulers that simulated cells of a sweep of all lack
	dry, write      bool
	view            bool
	over            string // baseline, see package over
}

// newSweepFlags defines the flags on set, those of k first.
func newSweepFlags(set *pflag.FlagSet, k *kernel.Kernel) *sweepFlags {
	f := &sweepFlags{set: set, kernel: k, params: map[string]*list{}}
	set.SortFlags = false
	if k != nil {
		for _, p := range k.Params {
			l := &list{given: []string{fmt.Sprint(p.Default)}, of: "values"}
			f.params[p.Name] = l
			set.Var(l, p.Name, p.Help+"; a `LIST`")
		}
		f.class = classFlag(set, k.ClassNames())
	} else {
		f.class = classFlag(set, kernel.ClassNames)
		for _, k := range kernels.Table { // --fmm.bodies, of a sweep of several
			for _, p := range k.Params {
				name := k.Name + "." + p.Name
				set.Var(&list{given: []string{fmt.Sprint(p.Default)}, of: "values"}, name, p.Help)
				set.Lookup(name).Hidden = true
			}
		}
	}
	f.coreList.of, f.seeds.of, f.machines.of = "whole numbers", "whole numbers", "machines"
	f.seeds.given, f.machines.given = []string{"1"}, []string{request.Auto}
	one := pflag.NewFlagSet("run", pflag.ContinueOnError)
	one.SortFlags = false
	f.runFlags.define(one)
	one.VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "follow": // a schedule is of one size and number of cores
		case "cores":
			set.Var(&f.coreList, "cores", "`LIST` of numbers of workers, such as 1,2,4-6, or of node, half "+
				"and all: the cores of a node, of half of the nodes, of all (default 1, powers of two up to "+
				"the cores of a node, and each whole node)")
		case "seed":
			set.Var(&f.seeds, "seed", "`LIST` of seeds of inputs, of victims and of the bootstrap")
		case "machine":
			set.Var(&f.machines, "machine", "`LIST` of native, names or TOML files of machines "+
				"to simulate, or auto: native for the numbers of cores that this machine has, "+
				request.DefaultMachine+" simulated for others")
		case "trace":
			flag.Usage += "; a sweep's simulated cells have krd by default"
			set.AddFlag(flag)
		case "out":
			flag.Usage = "experiment folder `DIR`; one with the same plan is gone on with " +
				"(default one in " + result.RunsDir + ", named after the plan)"
			set.AddFlag(flag)
		default:
			flag.Hidden = k != nil && slices.Contains(unusable(k), flag.Name)
			set.AddFlag(flag)
		}
	})
	set.BoolVar(&f.dry, "dry-run", false, "print the plan, and how long it takes if that is "+
		"known; run and write nothing")
	set.BoolVar(&f.write, "plan-only", false, "write the experiment folder and run nothing, for "+
		"krdlab sweep submit")
	set.StringVar(&f.over, "over", "", "print results relative to a baseline, `WHAT`: a scheduler; "+
		over.Base+", the scheduler without a changed rule; "+over.Simulated+", of native runs the "+
		"simulated ones")
	viewVar(set, &f.view, "; without --trace simulated cells then keep the trace of each repetition, "+
		"native ones one trace, and these have tasks")
	return f
}

// whole reads the values of a list of whole numbers, 0 or more.
func (l *list) whole(flag string) ([]uint64, error) {
	words, err := l.split(flag, nil)
	if err != nil {
		return nil, err
	}
	var list []uint64
	for _, w := range words {
		n, err := strconv.ParseUint(w, 0, 64)
		numbers := []uint64{n}
		if err != nil {
			if numbers, err = span(w); err != nil {
				return nil, &request.Error{Flag: flag, Got: w, Want: err.Error()}
			}
		}
		for _, n := range numbers {
			if slices.Contains(list, n) {
				return nil, &request.Error{Flag: flag, Got: l.String(),
					Want: fmt.Sprint(n, " is named twice")}
			}
			list = append(list, n)
		}
	}
	return list, nil
}

// longest is how many numbers a span may have.
const longest = 1024

// span returns the numbers of FROM-TO.
func span(text string) ([]uint64, error) {
	from, to, ok := strings.Cut(text, "-")
	first, err := strconv.ParseUint(from, 0, 64)
	last, lerr := strconv.ParseUint(to, 0, 64)
	switch {
	case !ok || err != nil || lerr != nil:
		return nil, errors.New("it must be a whole number, 0 or more, or a span of them such as 1-4")
	case last < first || last-first >= longest:
		return nil, fmt.Errorf("a span goes upwards, and over at most %d numbers", longest)
	}
	var list []uint64
	for n := first; ; n++ {
		if list = append(list, n); n == last {
			return list, nil
		}
	}
}

// paramSets lists the combinations of the kernel's parameters, the first parameter changing
// slowest.
func (f *sweepFlags) paramSets() ([]kernel.Params, error) {
	sets := []kernel.Params{{}}
	class, err := request.InClass(f.kernel, *f.class)
	if err != nil {
		return nil, err
	}
	for i := range f.kernel.Params {
		d := &f.kernel.Params[i]
		if l := f.params[d.Name]; !l.set {
			l.given = []string{fmt.Sprint(class[d.Name])}
		}
		words, err := f.params[d.Name].split(d.Name,
			func(s string) bool { return d.Kind == kernel.WordParam && d.Check(s) == nil })
		if err != nil {
			return nil, err
		}
		var next []kernel.Params
		for _, set := range sets {
			for _, w := range words {
				p := maps.Clone(set)
				p[d.Name] = w
				if d.Kind == kernel.IntParam {
					n, err := strconv.ParseInt(w, 0, 0)
					if err != nil {
						return nil, &request.Error{Flag: d.Name, Got: w,
							Want: "it must be a whole number, or a list of them such as 64,128"}
					}
					p[d.Name] = int(n)
				}
				next = append(next, p)
			}
		}
		sets = next
	}
	return sets, nil
}

// requests returns a request for each cell.
func (f *sweepFlags) requests(ctx context.Context, machines *request.Machines) ([]request.Request,
	error) {
	d, err := f.draft(f.set, f.kernel)
	if err != nil {
		return nil, err
	}
	traced := f.set.Changed("trace")
	if f.view {
		if err := keepTraces(d, traced, f.trace); err != nil {
			return nil, err
		}
	}
	s := request.Sweep{Draft: *d, Elsewhere: f.write}
	if !traced {
		s.SimulatedTrace = request.TraceKRD
		if f.view { // tracing takes no virtual time, and the median one is known at the end
			s.SimulatedTrace = request.TraceFull
		}
	}
	if s.Places, err = f.machines.split("machine", nil); err != nil {
		return nil, err
	}
	if s.Params, err = f.paramSets(); err != nil {
		return nil, err
	}
	if s.Seeds, err = f.seeds.whole("seed"); err != nil {
		return nil, err
	}
	if f.set.Changed("cores") {
		cores := f.coreList
		cores.given = nil
		for _, word := range strings.Split(f.coreList.String(), ",") {
			if word = strings.TrimSpace(word); request.IsPart(word) {
				s.Parts = append(s.Parts, word)
			} else {
				cores.given = append(cores.given, word)
			}
		}
		if s.Cores, err = cores.whole("cores"); err != nil {
			return nil, err
		}
	}
	if f.over != "" {
		if err := over.Check(f.over); err != nil {
			return nil, err
		}
	}
	return s.Requests(ctx, machines)
}
