package request

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// AllSchedulers stands for every scheduler but the serial one, which is always run for comparison.
const AllSchedulers = "all"

// AllKernels stands for every kernel of the table, each in a class of size.
const AllKernels = "all"

// AllKernelsReps is how many repetitions a sweep of all kernels has unless told otherwise.
const AllKernelsReps = 3

// InClass returns the parameters of k in a class of size. Errors: an [*Error] that names the classes
// which k has.
func InClass(k *kernel.Kernel, class string) (kernel.Params, error) {
	p, ok := k.InClass(class)
	if !ok {
		return nil, &Error{"class", class, fmt.Sprintf("%s has no such class; %s", k.Name,
			Suggest(class, k.ClassNames(), ""))}
	}
	return p, nil
}

// SerialScheduler returns the first line of the table: what all others are set against.
func SerialScheduler() runtimes.Scheduler { return runtimes.Schedulers[0] }

// DefaultScheduler returns the scheduler of a run that names none: the first parallel one.
func DefaultScheduler() runtimes.Scheduler {
	return runtimes.Schedulers[min(1, len(runtimes.Schedulers)-1)]
}

// SchedulerNames returns the names of the table of schedulers, serial first.
func SchedulerNames() []string { return Names(runtimes.Schedulers) }

// ownName returns the text of a scheduler with our name in place of the KRD paper's.
func ownName(text string) string {
	name, params, more := strings.Cut(text, ":")
	for _, s := range runtimes.Schedulers {
		if s.Paper != "" && strings.EqualFold(s.Paper, name) {
			if name = s.Name; more {
				name += ":" + params
			}
			return name
		}
	}
	return text
}

// findScheduler returns the scheduler of that name, or of that name in the KRD paper, with
// parameters as [runtimes.ParseScheduler] reads them, or an [*Error] that suggests the nearest.
func findScheduler(name string) (runtimes.Scheduler, error) {
	s, err := runtimes.ParseScheduler(ownName(name))
	if wrong, ok := errors.AsType[*runtimes.SchedulerError](err); ok {
		if wrong.Field == "" {
			list := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("+;/| ", r) })
			if len(list) > 1 && !slices.ContainsFunc(list, func(x string) bool {
				return !slices.Contains(SchedulerNames(), x)
			}) {
				return s, &Error{"sched", name, "several are separated by commas: " + strings.Join(list, ",")}
			}
			return s, &Error{"sched", name, "there is no such scheduler; " +
				Suggest(wrong.Found, append(SchedulerNames(), AllSchedulers),
					"krdlab list schedulers has all")}
		}
		return s, &Error{"sched", name, fmt.Sprintf("%s: found %q, expected %s", wrong.Field,
			wrong.Found, wrong.Want)}
	}
	return s, err
}

// ParseSchedulers reads the value of --sched: names separated by commas, or [AllSchedulers].
// Errors: an [*Error] for a name that is none, or one beside all. That there is a name, and each
// once, is found by [Request.Validate].
func ParseSchedulers(s string) ([]runtimes.Scheduler, error) {
	if strings.TrimSpace(s) == AllSchedulers {
		return slices.Clone(runtimes.Schedulers[1:]), nil
	}
	var names []string
	for name := range strings.SplitSeq(s, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return FindSchedulers(names)
}

// FindSchedulers returns the schedulers of those names, with parameters as
// [runtimes.ParseScheduler] reads them. Errors: an [*Error] that suggests the nearest.
func FindSchedulers(names []string) ([]runtimes.Scheduler, error) {
	var list []runtimes.Scheduler
	for _, name := range names {
		if name == AllSchedulers {
			return nil, &Error{"sched", strings.Join(names, ","),
				"all means every scheduler: name it alone, or leave it out"}
		}
		s, err := findScheduler(name)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// KernelNames returns the names of the table of kernels.
func KernelNames() []string {
	names := make([]string, len(kernels.Table))
	for i, k := range kernels.Table {
		names[i] = k.Name
	}
	return names
}

// FindKernel returns the kernel of that name, or an [*Error] that suggests the nearest.
func FindKernel(name string) (*kernel.Kernel, error) {
	if k, ok := kernels.ByName(name); ok {
		return k, nil
	}
	return nil, &Error{"kernel", name, "there is no such kernel; " + Suggest(name, KernelNames(),
		"krdlab list kernels has all")}
}

// ParamList returns the parameters in the order of k's declaration, as a trace's header has them;
// without those that p lacks, as documents from before there was a parameter do.
func ParamList(k *kernel.Kernel, p kernel.Params) []loi.KV {
	var list []loi.KV
	for _, d := range k.Params {
		v, there := p[d.Name]
		if !there {
			continue
		}
		if f, ok := v.(float64); ok && f == math.Trunc(f) { // read back from JSON
			v = strconv.FormatFloat(f, 'f', 0, 64)
		}
		list = append(list, loi.KV{Key: d.Name, Value: fmt.Sprint(v)})
	}
	return list
}

// Describe returns the parameters in the order of k's declaration, as n=4096 leaf=32x32x64.
func Describe(k *kernel.Kernel, p kernel.Params) string {
	list := ParamList(k, p)
	parts := make([]string, len(list))
	for i, kv := range list {
		parts[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(parts, " ")
}
