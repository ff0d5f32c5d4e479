// Package app runs the commands of krdlab: one file for each subcommand turns its flags into a call
// and the result into output and an exit code.
//
// A module of its own adds schedulers, kernels and analyses without a change to krdlab. Its main is
//
//	func main() {
//		os.Exit(app.Main(os.Args, app.Tables{
//			Schedulers: append(runtimes.Schedulers, mine),
//			Kernels:    append(kernels.Table, &myKernel),
//			Analyses:   append(analyses.Table, &myAnalysis),
//		}))
//	}
//
// and they are in every command, list and figure from then on. See docs/outside.md.
//
// # Rejected
//
// Handing the tables through every function: a dozen packages would carry an argument for what
// never changes in a process. They are variables that Main checks and sets before anything runs.
package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/analyses"
	"krdlab/runtimes"
)

// Tables are the schedulers, kernels and analyses of the program, in the order in which they are
// listed. A nil table is krdlab's own. The first scheduler is the serial one.
type Tables struct {
	Schedulers []runtimes.Scheduler
	Kernels    []*kernel.Kernel
	Analyses   []*analysis.Analysis
}

// Main runs the command line argv, program name first, and returns the exit code. It is called once
// a process: t becomes [runtimes.Schedulers], [kernels.Table] and [analyses.Table], and nothing
// writes to them after.
func Main(argv []string, t Tables) int {
	return t.run(newApp(os.Stdout, os.Stderr), argv)
}

// leastMemory is the memory without which no command begins.
const leastMemory = 8 << 20

func (t Tables) run(a *app, argv []string) int {
	hw.ExitFatally()
	if free, err := hw.FreeMemory(); err == nil {
		if free.FreeBytes < leastMemory && free.LimitedBy != "" {
			fmt.Fprintf(os.Stderr, "krdlab: %s of memory are left under the limit in %s, expected at "+
				"least %s\n", units.Bytes(uint64(free.FreeBytes)), free.LimitedBy,
				units.Bytes(leastMemory))
			return exitFailed
		}
		hw.LimitHeap(free.FreeBytes / 4 * 3)
	}
	if err := t.install(); err != nil {
		fmt.Fprintln(os.Stderr, "krdlab:", err)
		return exitFailed
	}
	return a.main(argv)
}

// lineName matches the names that an analysis may have, since it is a command.
var lineName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// install checks the tables and puts them in place of krdlab's own.
func (t Tables) install() error {
	if t.Schedulers == nil {
		t.Schedulers = runtimes.Schedulers
	}
	if t.Kernels == nil {
		t.Kernels = kernels.Table
	}
	seen := map[string]bool{}
	schedulers := slices.Clone(t.Schedulers)
	for i := range schedulers {
		s := &schedulers[i]
		if s.Name == "" || s.Name == request.AllSchedulers || strings.ContainsAny(s.Name, ":, ") ||
			seen[s.Name] {
			return fmt.Errorf("table of schedulers: line %d: %q is no name, or is there twice",
				i+1, s.Name)
		}
		if s.Policy == nil && s.Make != nil {
			given := runtimes.Params{}
			for _, p := range s.Params {
				given[p.Name] = p.Default
			}
			s.Policy = s.Make(given)
		}
		if s.Policy == nil {
			return fmt.Errorf("table of schedulers: %s has no policy", s.Name)
		}
		if err := s.Validate(); err != nil {
			return fmt.Errorf("table of schedulers: %w", err)
		}
		if s.Serial() != (i == 0) {
			return fmt.Errorf("table of schedulers: %s: the first is serial, and no other", s.Name)
		}
		seen[s.Name] = true
	}
	clear(seen)
	for i, k := range t.Kernels {
		switch {
		case k == nil || k.Name == "" || k.Name == request.AllKernels || k.Name == goProgram ||
			strings.ContainsAny(k.Name, "./, ") || seen[k.Name]:
			return fmt.Errorf("table of kernels: line %d has no name, one that means something "+
				"else, or is there twice", i+1)
		case k.Plan == nil || k.New == nil:
			return fmt.Errorf("table of kernels: %s has no Plan or no New", k.Name)
		}
		seen[k.Name] = true
	}
	if t.Analyses == nil {
		t.Analyses = analyses.Table
	}
	own := Tables{runtimes.Schedulers, kernels.Table, analyses.Table}
	if err := t.checkFlags(own); err != nil {
		runtimes.Schedulers, kernels.Table, analyses.Table = own.Schedulers, own.Kernels, own.Analyses
		return err
	}
	runtimes.Schedulers, kernels.Table, analyses.Table = schedulers, t.Kernels, t.Analyses
	return nil
}

// probe is the name of a line that stands for others.
const probe = "probe"

// checkFlags returns what is wrong with the names of analyses that are not own, since they are
// commands, with their options, and with the parameters of such kernels, since they are flags of
// commands that have others. It changes the tables.
func (t Tables) checkFlags(own Tables) error {
	if !slices.Equal(t.Analyses, own.Analyses) {
		analyses.Table = []*analysis.Analysis{{Name: probe, New: func() any { return &struct{}{} }}}
		root := newApp(io.Discard, io.Discard).root()
		names, flags := map[string]bool{"help": true}, flagsOf(root)
		delete(flags, unitFlag) // see analyseGo
		for _, c := range root.Commands() {
			names[c.Name()] = c.Name() != probe
		}
		for i, x := range t.Analyses {
			if x == nil || !lineName.MatchString(x.Name) || names[x.Name] {
				return fmt.Errorf("table of analyses: line %d has no name of small letters and -, or "+
					"there is such a command already", i+1)
			}
			if names[x.Name] = true; slices.Contains(own.Analyses, x) {
				continue
			}
			if err := checkAnalysis(x, flags); err != nil {
				return fmt.Errorf("table of analyses: %s: %w", x.Name, err)
			}
		}
	}
	analyses.Table = t.Analyses
	var flags map[string]string
	for _, k := range t.Kernels {
		if slices.Contains(own.Kernels, k) {
			continue
		}
		if flags == nil {
			kernels.Table = append(slices.Clip(own.Kernels), &kernel.Kernel{Name: probe})
			flags = flagsOf(newApp(io.Discard, io.Discard).root())
		}
		seen := map[string]bool{}
		for _, p := range k.Params {
			if of := flags[p.Name]; of != "" || seen[p.Name] || !lineName.MatchString(p.Name) {
				return fmt.Errorf("table of kernels: %s: the parameter %q is no name of small letters "+
					"and -, is there twice, or is a flag already%s", k.Name, p.Name, of)
			}
			seen[p.Name] = true
		}
	}
	return nil
}

// checkAnalysis returns what is wrong with a line beside flags that there are.
func checkAnalysis(x *analysis.Analysis, flags map[string]string) error {
	if x.Summary == "" || x.Long == "" || x.New == nil {
		return errors.New("it has no Summary, no Long, or no New")
	}
	options := x.New()
	v, seen := reflect.Indirect(reflect.ValueOf(options)), map[string]bool{}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		f := v.Type().Field(i)
		name := f.Tag.Get("flag")
		if of := flags[name]; seen[name] || of != "" {
			return fmt.Errorf("its option --%s is there twice, or is a flag already%s", name, of)
		}
		seen[name] = true
	}
	if err := optionFlags(&cobra.Command{}, options); err != nil {
		return err
	}
	return analysis.Fault(options)
}

// flagsOf returns, by flag, the command in brackets of each flag of the command [probe] and of
// those below it.
func flagsOf(root *cobra.Command) map[string]string {
	flags := map[string]string{"help": " (of every command)"}
	var walk func(c *cobra.Command, in bool)
	walk = func(c *cobra.Command, in bool) {
		if in = in || c.Name() == probe; in {
			add := func(f *pflag.Flag) { flags[f.Name] = " (of " + c.CommandPath() + ")" }
			c.LocalFlags().VisitAll(add)
			c.InheritedFlags().VisitAll(add)
		}
		for _, sub := range c.Commands() {
			walk(sub, in)
		}
	}
	walk(root, false)
	return flags
}
