package machine

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fits reads the array of tables [[fits]], each with the fields of a [Fit].
func (r *reader) fits(v any) {
	list, ok := v.([]any)
	if !ok {
		r.fail("fits", show(v), "tables [[fits]]")
		return
	}
	for i, v := range list {
		table, ok := v.(map[string]any)
		if !ok {
			r.fail("fits", show(v), "a table [[fits]]")
			continue
		}
		var f Fit
		texts := map[string]*string{"quantity": &f.Quantity, "kernel": &f.Kernel,
			"params": &f.Params, "scheduler": &f.Scheduler}
		wrong := len(r.wrong)
		for _, k := range slices.Sorted(maps.Keys(table)) {
			at := fmt.Sprintf("%s of table %d", k, i+1)
			text, isText := table[k].(string)
			n, isInt := table[k].(int64)
			switch {
			case texts[k] != nil && isText && oneLine(text):
				*texts[k] = text
			case texts[k] != nil:
				r.fail("fits", show(table[k])+" as "+at, "one line of text")
			case k == "target" && isTarget(table[k]):
				f.Target = targetOf(table[k])
			case k == "target":
				r.fail("fits", show(table[k])+" as "+at, "a number above 0")
			case k == "cores" && isInt && 1 <= n && n <= maxCount:
				f.Cores = int(n)
			case k == "cores":
				r.fail("fits", show(table[k])+" as "+at, "a whole number of cores")
			default:
				r.fail("fits", "the unknown field "+at,
					"quantity, kernel, params, cores, scheduler or target")
			}
		}
		switch {
		case len(r.wrong) > wrong:
		case !slices.Contains(FitQuantities, f.Quantity):
			r.fail("fits", fmt.Sprintf("the quantity %q in table %d", f.Quantity, i+1),
				strings.Join(FitQuantities, " or "))
		case f.Kernel == "" || f.Cores == 0:
			r.fail("fits", fmt.Sprintf("table %d without kernel or cores", i+1), "both")
		default:
			r.m.Fits = append(r.m.Fits, f)
		}
	}
}

// targetOf is a number of a TOML text, 0 where it is none.
func targetOf(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func isTarget(v any) bool {
	x := targetOf(v)
	return x > 0 && !math.IsInf(x, 1)
}

// targetText is a target as a file has it: a whole number has no decimals.
func targetText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// FittedTo returns the quantities of a run that the machine was fitted to, with that kernel and
// params (as n=4096 leaf=32x32x64) and under a scheduler.
func (m *Machine) FittedTo(kernel, params string, cores int, scheduler string) []string {
	var list []string
	has := strings.Fields(params)
	for _, f := range m.Fits {
		missing := func(p string) bool { return !slices.Contains(has, p) }
		serial := f.Quantity == FitSerialTime // whatever runs beside it
		if f.Kernel == kernel && !slices.ContainsFunc(strings.Fields(f.Params), missing) &&
			(serial || f.Cores == cores && f.Scheduler == scheduler) {
			list = append(list, f.Quantity)
		}
	}
	return list
}
