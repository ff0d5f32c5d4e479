package experiments

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// SchedulerNames returns the names of the table of schedulers, serial first.
func SchedulerNames() []string {
	names := make([]string, len(runtimes.Schedulers))
	for i, s := range runtimes.Schedulers {
		names[i] = s.Name
	}
	return names
}

// FindScheduler returns the scheduler of that name, or a [*ConfigError] that suggests the nearest.
func FindScheduler(name string) (*runtimes.Scheduler, error) {
	for i := range runtimes.Schedulers {
		if runtimes.Schedulers[i].Name == name {
			return &runtimes.Schedulers[i], nil
		}
	}
	return nil, &ConfigError{"sched", name, "there is no such scheduler; " + Suggest(name, append(SchedulerNames(), "all"))}
}

// KernelNames returns the names of the table of kernels.
func KernelNames() []string {
	names := make([]string, len(kernels.Table))
	for i, k := range kernels.Table {
		names[i] = k.Name
	}
	return names
}

// FindKernel returns the kernel of that name, or a [*ConfigError] that suggests the nearest.
func FindKernel(name string) (*kernel.Kernel, error) {
	if k, ok := kernels.ByName(name); ok {
		return k, nil
	}
	return nil, &ConfigError{"kernel", name, "there is no such kernel; " + Suggest(name, KernelNames())}
}

// checkParams returns a [*ConfigError] for the first of k's parameters whose value in p is missing or not allowed, or for a name that k
// does not have.
func checkParams(k *kernel.Kernel, p kernel.Params) error {
	for i := range k.Params {
		d := &k.Params[i]
		v, ok := p[d.Name]
		if !ok {
			return &ConfigError{d.Name, "(none)", k.Name + " needs it"}
		}
		if err := d.Check(v); err != nil {
			return paramError(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.ContainsFunc(k.Params, func(d kernel.Param) bool { return d.Name == name }) {
			return &ConfigError{name, fmt.Sprint(p[name]), k.Name + " has no such parameter"}
		}
	}
	return nil
}

// paramError makes a [*ConfigError] of a kernel's complaint about a parameter.
func paramError(err error) error {
	if pe, ok := errors.AsType[*kernel.ParamError](err); ok {
		return &ConfigError{pe.Name, pe.Got, pe.Want}
	}
	return err
}

// Describe returns the parameters in the order of k's declaration, as n=4096 leaf=32x32x64.
func Describe(k *kernel.Kernel, p kernel.Params) string {
	parts := make([]string, 0, len(k.Params))
	for _, d := range k.Params {
		v := p[d.Name]
		if f, ok := v.(float64); ok && f == math.Trunc(f) { // read back from JSON
			v = strconv.FormatFloat(f, 'f', 0, 64)
		}
		parts = append(parts, fmt.Sprintf("%s=%v", d.Name, v))
	}
	return strings.Join(parts, " ")
}

// ParseSchedulers reads the value of --sched: names separated by commas, or "all" for every scheduler but serial, which is always
// run for comparison. Names are checked by [Config.Validate].
func ParseSchedulers(s string) []string {
	if s == "all" {
		return SchedulerNames()[1:]
	}
	var names []string
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
