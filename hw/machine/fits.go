package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fields returns those of a table [[fits]], in the order of a file.
func (f *Fit) fields() []*field {
	return []*field{{path: "quantity", at: &f.Quantity, words: FitQuantities},
		{path: "kernel", at: &f.Kernel}, {path: "params", at: &f.Params, optional: true},
		{path: "cores", at: &f.Cores}, {path: "scheduler", at: &f.Scheduler, optional: true},
		{path: "target", at: &f.Target, optional: true}}
}

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
		var fit Fit
		var names []string
		wrong := len(r.wrong)
		for _, f := range fit.fields() {
			names = append(names, f.path)
			if v, ok := table[f.path]; ok {
				r.set(f, v)
			} else if !f.optional {
				r.fail(f.path, "nothing", f.want())
			}
		}
		for _, k := range slices.Sorted(maps.Keys(table)) {
			if !slices.Contains(names, k) {
				r.fail(k, "an unknown field", "one of "+strings.Join(names, ", "))
			}
		}
		for _, e := range r.wrong[wrong:] {
			e.Field, e.Found = "fits", fmt.Sprintf("%s as %s of table %d", e.Found, e.Field, i+1)
		}
		if len(r.wrong) == wrong {
			r.m.Fits = append(r.m.Fits, fit)
		}
	}
}

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
