package kernelreuse

import (
	"fmt"
	"strings"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
)

// A term is a number that a claim is about: of a kernel under a scheduler on so many cores, or made
// out of such. The kernel is "" where it is of this computer.
type term struct {
	kernel, where, name string
	decimals            int
	of                  func(v *view) result.Quantity
	base                float64 // 1: a ratio near 1
}

// baseOf returns that of a quantity.
func baseOf(q quantity) float64 {
	switch q.id {
	case qWTI.id, qOVR.id, qM2L.id:
		return 1
	}
	return 0
}

// program is the kernel's name in texts.
var program = map[string]string{"matmul": "matmul", "fmm": "FMM"}

// on returns a simulated number of a scheduler.
func on(m quantity, kernel string, cores int, scheduler string) term {
	return term{kernel: kernel,
		where: program[kernel] + " on " + units.Count(cores, "core"),
		name:  short[scheduler], decimals: m.decimals, base: baseOf(m),
		of: func(v *view) result.Quantity { return v.value(m, kernel, cores, scheduler) }}
}

// each returns on for several schedulers.
func each(m quantity, kernel string, cores int, schedulers ...string) (list []term) {
	for _, s := range schedulers {
		list = append(list, on(m, kernel, cores, s))
	}
	return list
}

// called returns t with a name of its own behind the scheduler's.
func called(t term, name string) term {
	t.name += " " + name
	return t
}

// over returns a/b.
func over(a, b term, decimals int) term {
	return term{kernel: a.kernel, where: a.where, name: a.name + " over " + b.name,
		decimals: decimals, base: a.base,
		of: func(v *view) result.Quantity { return ratio(a.of(v), b.of(v)) }}
}

// growth returns the number of a scheduler on many cores over that on few.
func growth(m quantity, kernel string, few, many int, scheduler string) term {
	t := over(on(m, kernel, many, scheduler), on(m, kernel, few, scheduler), 3)
	t.where = fmt.Sprintf("%s, %d cores over %d", program[kernel], many, few)
	t.name = short[scheduler]
	return t
}

// is states that t passes the test.
func is(t term, test claims.Test) part {
	name := t.name
	if t.where != "" {
		name = t.where + " " + t.name
	}
	return part{name, []term{t}, t.of, test}
}

// ranks states that a is below b.
func ranks(a, b term) part {
	name := a.where + ": " + a.name + " < " + b.name
	if a.where != b.where {
		name = a.where + " " + a.name + " < " + b.where + " " + b.name
	}
	return part{name, []term{a, b}, func(v *view) result.Quantity {
		return gap(a.of(v), b.of(v), a.base)
	}, claims.Order()}
}

// lowest states that a is below each of the others, pair by pair.
func lowest(a term, others ...term) (list []part) {
	for _, o := range others {
		list = append(list, ranks(a, o))
	}
	return list
}

// highest states that a is above each of the others.
func highest(a term, others ...term) (list []part) {
	for _, o := range others {
		list = append(list, ranks(o, a))
	}
	return list
}

// ascending states that each is below the next.
func ascending(list ...term) (parts []part) {
	for i := 1; i < len(list); i++ {
		parts = append(parts, ranks(list[i-1], list[i]))
	}
	return parts
}

// with returns t with a rising function of its values, which are not near 1.
func (t term) with(decimals int, f func(float64) float64) term {
	of := t.of
	t.decimals, t.of = decimals, func(v *view) result.Quantity { return mapped(of(v), f) }
	t.base = 0
	return t
}

// printed states that t is the number that the paper prints, whose last digit has the unit.
func printed(t term, value, unit float64) part {
	return is(t, claims.Printed(value, value, unit, t.base))
}

// means returns the only meaning of a claim, that all of these hold.
func means(parts ...[]part) []meaning { return []meaning{{parts: concat(parts...)}} }

func concat(parts ...[]part) (list []part) {
	for _, p := range parts {
		list = append(list, p...)
	}
	return list
}

// ours returns the values of the meaning, each once, and the parts that do not hold.
func (m *meaning) ours(v *view, found []study.Part) string {
	var where []string
	named := map[string]bool{}
	texts := map[string][]string{}
	for _, p := range m.parts {
		for _, t := range p.terms {
			if named[t.where+"\n"+t.name] {
				continue
			}
			named[t.where+"\n"+t.name] = true
			if texts[t.where] == nil {
				where = append(where, t.where)
			}
			texts[t.where] = append(texts[t.where], join2(" ", t.name, show(t.of(v), t.decimals)))
		}
	}
	var list []string
	for _, w := range where {
		list = append(list, join(w, strings.Join(texts[w], ", ")))
	}
	if len(found) > 1 {
		list = append(list, notAgreeing(found, claims.Disagree, "not so")...)
		list = append(list, notAgreeing(found, claims.CannotTell, "cannot tell")...)
	}
	return strings.Join(list, between)
}

// notAgreeing returns the names of the parts with a verdict that not all have.
func notAgreeing(found []study.Part, verdict claims.Verdict, word string) []string {
	var names []string
	for _, p := range found {
		if p.Verdict == verdict {
			names = append(names, p.Name)
		}
	}
	switch len(names) {
	case 0:
		return nil
	case len(found):
		return []string{word + ": any"}
	}
	return []string{word + ": " + strings.Join(names, ", ")}
}

// ours returns the readings of a claim, each with its verdict. Values of the same runs in an
// earlier one are not repeated.
func ours(list []study.Reading) string {
	if len(list) == 1 {
		return list[0].Ours
	}
	var texts []string
	said := map[string]bool{}
	for _, r := range list {
		var fresh []string
		for _, s := range strings.Split(r.Ours, between) {
			if !said[s] {
				fresh = append(fresh, s)
			}
			said[s] = true
		}
		if len(fresh) == 0 {
			fresh = []string{"the same"}
		}
		texts = append(texts, fmt.Sprintf("[%s: %s] %s", r.Name, r.Verdict,
			strings.Join(fresh, between)))
	}
	return strings.Join(texts, " ")
}

// between what is said of one program and of the next.
const between = "; "

func join(a, b string) string { return join2(": ", a, b) }

// join2 leaves out what is empty.
func join2(between, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
