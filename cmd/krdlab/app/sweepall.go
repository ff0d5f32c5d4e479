package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/hw/failure"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// sweepAll returns the command `krdlab sweep all`.
func (a *app) sweepAll() *cobra.Command {
	c := &cobra.Command{
		Use:   request.AllKernels,
		Short: "Every kernel there is, each in a class of size",
		Long: fmt.Sprintf("Sweep all kernels in one class of size into one experiment folder, of "+
			"which krdlab report and plot --figure matrix make a\nmatrix of kernels and "+
			"schedulers. Flags with LIST may have several values: 1,2,4. Without --class the "+
			"class is %s,\nand without --reps there are %d repetitions; where nothing is drawn "+
			"at random one stands for all. What cannot be\nsimulated is left out of simulated "+
			"cells, and said; so are kernels that have no such class.", kernel.SmallClass, request.AllKernelsReps),
		Example: "  krdlab sweep all --sched all --cores 1,6,24 --machine " +
			request.DefaultMachine + " --class small\n  krdlab sweep all --sched all --cores 1,2 " +
			"--machine native",
		Args: exactly(),
	}
	defaults := map[string]string{"class": kernel.SmallClass,
		"reps": strconv.Itoa(request.AllKernelsReps)}
	var f *sweepFlags
	if a.asksFor(c.Name()) {
		f = newSweepFlags(c.Flags(), nil)
		for name, value := range defaults {
			c.Flags().Lookup(name).DefValue = value
		}
		c.Flags().Lookup("reps").Usage = "`N` timed repetitions; below 6 there are no intervals"
		completeRunFlags(c)
		complete(c, "class", kernel.ClassNames...)
	}
	c.SetFlagErrorFunc(kernelsOwnFlag)
	c.RunE = func(c *cobra.Command, _ []string) error {
		for name, value := range defaults {
			if flags := c.Flags(); !flags.Changed(name) {
				if err := flags.Set(name, value); err != nil {
					return err
				}
			}
		}
		configs, err := a.allRequests(c.Context(), f)
		if err != nil {
			return err
		}
		return a.sweepConfigs(c.Context(), configs, f)
	}
	return c
}

// kernelsOwnFlag explains, for a flag that only some kernels have, why it is none here.
func kernelsOwnFlag(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return flagError(c, err)
	}
	var names []string
	for _, k := range kernels.Table {
		if slices.ContainsFunc(k.Params, func(p kernel.Param) bool {
			return p.Name == unknown.GetSpecifiedName()
		}) {
			names = append(names, k.Name)
		}
	}
	if names == nil {
		return flagError(c, err)
	}
	return usageError("%s: --%s is a flag of %s alone: leave it out (--class sets the sizes of all), or "+
		"type --%s.%[2]s", c.CommandPath(), unknown.GetSpecifiedName(), strings.Join(names, ", "), names[0])
}

// severalRequests returns the requests of kernels whose names are separated by commas, in that order.
func (a *app) severalRequests(ctx context.Context, names string, f *sweepFlags) (
	all []request.Request, err error) {
	words, err := (&list{given: []string{names}}).split("sweep", nil)
	if err != nil {
		return nil, usageError("krdlab sweep %s: a kernel is missing, or named twice", names)
	}
	f.set.Visit(func(flag *pflag.Flag) {
		if of, _, dotted := strings.Cut(flag.Name, "."); dotted && err == nil &&
			!slices.Contains(words, of) {
			err = usageError("krdlab sweep %s --%s: %s is not swept", names, flag.Name, of)
		}
	})
	if err != nil {
		return nil, err
	}
	machines, err := a.machines(ctx, f.caches)
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		k, err := request.FindKernel(word)
		if err != nil {
			return nil, err
		}
		one := newSweepFlags(pflag.NewFlagSet(k.Name, pflag.ContinueOnError), k)
		if err := one.override(f, nil); err != nil {
			return nil, err
		}
		configs, err := one.requests(ctx, machines)
		if err != nil {
			return nil, failure.As(failure.Of(err), fmt.Errorf("%s: %w", k.Name, err))
		}
		all = append(all, configs...)
	}
	return all, nil
}

// allRequests returns the requests of every kernel, in the order of their table. Kernels that
// cannot be simulated are left out of simulated requests, which is printed and noted in f.
func (a *app) allRequests(ctx context.Context, f *sweepFlags) (all []request.Request, err error) {
	machines, err := a.machines(ctx, f.caches)
	if err != nil {
		return nil, err
	}
	simulated := false
	var lacking []string // the class
	for _, k := range kernels.Table {
		if _, ok := k.InClass(*f.class); !ok && slices.Contains(kernel.ClassNames, *f.class) {
			lacking = append(lacking, k.Name)
			continue
		}
		one := newSweepFlags(pflag.NewFlagSet(k.Name, pflag.ContinueOnError), k)
		if err := one.override(f, nil); err != nil {
			return nil, err
		}
		configs, err := one.requests(ctx, machines)
		if err != nil {
			return nil, failure.As(failure.Of(err), fmt.Errorf("%s: %w", k.Name, err))
		}
		kept, err := withoutUnpriced(configs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		if len(kept) < len(configs) {
			f.nativeOnly = append(f.nativeOnly, k.Name)
		}
		simulated = simulated || slices.ContainsFunc(configs, isSimulated)
		all = append(all, kept...)
	}
	if len(all) == 0 {
		return nil, usageError("%s: nothing is left to sweep in class %s on these machines: "+
			"type krdlab list kernels for the classes of each", "krdlab sweep "+request.AllKernels, *f.class)
	}
	if len(lacking) > 0 {
		fmt.Fprintf(a.stderr, "without a class %s, and left out: %s\n", *f.class,
			strings.Join(lacking, ", "))
	}
	if simulated && strings.TrimSpace(f.sched) == request.AllSchedulers {
		for _, s := range runtimes.Schedulers {
			if s.ThreadsOnly() {
				f.nativeOnly = append(f.nativeOnly, s.Name)
			}
		}
	}
	if len(f.nativeOnly) > 0 {
		fmt.Fprintf(a.stderr, "cannot be simulated, and left out of what is: %s\n",
			strings.Join(f.nativeOnly, ", "))
	}
	return all, nil
}

func isSimulated(r request.Request) bool { return r.Machine != nil }

// withoutUnpriced returns the requests of one kernel, which only its class has sized, without those
// that are simulated if its kernels have no price on a machine model or the class is too large for
// one.
func withoutUnpriced(list []request.Request) ([]request.Request, error) {
	i := slices.IndexFunc(list, isSimulated)
	if i < 0 {
		return list, nil
	}
	in, err := list[i].Kernel.New(list[i].Params, kernel.Env{Seed: list[i].Seed, Dry: true})
	if _, ok := errors.AsType[*kernel.ParamError](err); ok {
		return slices.DeleteFunc(slices.Clone(list), isSimulated), nil
	}
	if err != nil {
		return nil, err
	}
	if priced := kernel.Priced(in); priced {
		return list, in.Close()
	}
	return slices.DeleteFunc(slices.Clone(list), isSimulated), in.Close()
}
