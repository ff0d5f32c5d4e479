package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/loi"
)

// A level says how much a finding about validity weighs.
type level string

const (
	fine  level = "ok"
	plain level = "note"  // to be known, and no fault
	doubt level = "doubt" // numbers may be off
	fault level = "fault" // something is missing or wrong
)

// A judgement is a line of the banner.
type judgement struct {
	Level   level
	Subject string
	Text    string
}

// validity returns what may be wrong with the numbers, and what is right.
func validity(e *dataset.Experiment) []judgement {
	if len(e.Cells) == 0 {
		return []judgement{cells(e)}
	}
	list := []judgement{substrates(e), origins(e), cells(e), repetitions(e)}
	for _, f := range []func(*dataset.Experiment) (judgement, bool){guesses, fitted, checked, misses,
		reuses, losses, disturbed, load, frequency, virtual, imposed, revision} {
		if j, ok := f(e); ok {
			list = append(list, j)
		}
	}
	return list
}

// verdict is the sentence that sums up a banner.
func verdict(e *dataset.Experiment, list []judgement) string {
	var s string
	switch subs := e.Substrates(); {
	case len(subs) == 0:
		return "There is nothing to be trusted."
	case len(subs) > 1:
		s = "Some of the numbers are measured and some simulated; they are never mixed below, " +
			"and each figure and table says which they are."
	case subs[0] == loi.Simulated:
		s = "All numbers are SIMULATED: they say what a model predicts, and nothing was measured."
	case slices.ContainsFunc(e.Cells, func(c dataset.Cell) bool { return c.Result.LLCModel != nil }):
		s = "Times were measured on a real machine, LLC misses were not: a model counted them."
	default:
		s = "The numbers were measured on a real machine."
	}
	n := map[level]int{}
	for _, j := range list {
		n[j.Level]++
	}
	switch {
	case n[fault]+n[doubt] == 0:
		return s + " Nothing that was looked at speaks against them."
	case n[fault] == 0:
		return s + " There is reason to doubt some of them: see below."
	}
	return s + " Something is missing or went wrong: see below."
}

func substrates(e *dataset.Experiment) judgement {
	var words []string
	machines := map[string]bool{}
	for _, g := range e.Groups() {
		w := "measured natively on " + g.Machine
		if g.Substrate == loi.Simulated {
			w = "SIMULATED on " + g.Machine
			if m := g.Cells[0].Result.Settings.CacheModel; m != "" {
				w += ", caches modelled by " + string(m)
			}
		}
		if !machines[w] {
			machines[w] = true
			words = append(words, w)
		}
	}
	return judgement{plain, "Substrate", strings.Join(words, "; ")}
}

// origins returns which numbers were measured, which modelled, and which follow from others.
func origins(e *dataset.Experiment) judgement {
	var measured, modelled []string
	for _, sub := range e.Substrates() {
		if sub == loi.Simulated {
			modelled = append(modelled, "simulated times, work and steals")
		} else {
			measured = append(measured, "times, work and steals")
		}
	}
	byConstruction, sources := false, map[string]bool{}
	for _, c := range e.Cells {
		byConstruction = byConstruction || c.Result.MissesByConstruction()
		if s := c.Result.MissesFrom(); s != "" {
			sources[s] = s == hw.SourcePerf
		}
	}
	for _, s := range sorted(sources) {
		if sources[s] {
			measured = append(measured, "LLC misses ("+s+")")
		} else {
			modelled = append(modelled, "LLC misses ("+strings.TrimPrefix(s, "model: ")+")")
		}
	}
	derived := "speed-up, OVR and WTI from times and work; reuse distances from traces, whose order " +
		"is that of the times"
	if byConstruction {
		derived += "; the modelled misses of native runs from the same traces, so that they agree " +
			"with reuse distances by construction"
	}
	var parts []string
	for _, p := range []struct {
		what string
		list []string
	}{{"measured: ", measured}, {"modelled: ", modelled}, {"derived: ", []string{derived}}} {
		if len(p.list) > 0 {
			parts = append(parts, p.what+units.List(p.list))
		}
	}
	return judgement{plain, "Where numbers are from", strings.Join(parts, ". ")}
}

// fitted names the numbers that a simulated machine was fitted to: they are no predictions.
func fitted(e *dataset.Experiment) (judgement, bool) {
	var words []string
	known := false
	for _, c := range e.Cells {
		m := c.Result.Machine.Model
		known = known || m != nil && m.Parameters > 0
		if m == nil {
			continue
		}
		for _, q := range m.Fitted {
			w := "OVR of " + where(&c)
			if q == machine.FitSerialTime {
				w = "the serial time of " + c.Result.Kernel
			}
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	text := "no number here is one that a machine was fitted to"
	if len(words) > 0 {
		text = "not predicted, the machine was fitted to them: " + units.List(words)
	}
	return judgement{plain, "Fitted numbers", text}, known
}

func cells(e *dataset.Experiment) judgement {
	if len(e.Plan) == 0 && len(e.Problems) == 0 {
		return judgement{fine, "Cells", "a single run of " + plural(len(e.Cells), "scheduler")}
	}
	used := map[string]bool{}
	for _, c := range e.Cells {
		used[c.ID] = true
	}
	text := fmt.Sprintf("%d of %d planned cells could be used", len(used), len(e.Plan))
	if len(e.Plan) == 0 {
		text = plural(len(e.Cells), "scheduler") + " of a single run could be used"
	}
	kinds := map[dataset.ProblemKind]int{}
	for _, p := range e.Problems {
		kinds[p.Kind]++
	}
	for _, k := range []dataset.ProblemKind{dataset.Missing, dataset.Partial, dataset.Failed,
		dataset.Unreadable, dataset.Interrupted} {
		if kinds[k] > 0 {
			text += fmt.Sprintf(", %d %s", kinds[k], k)
		}
	}
	if len(e.Problems) > 0 {
		return judgement{fault, "Cells", text}
	}
	return judgement{fine, "Cells", text}
}

// samples returns how many f each scheduler has at each core count, runs with several seeds
// together.
func samples(e *dataset.Experiment, f func(*result.Result) int) (ns []int) {
	for _, g := range e.Groups() {
		sums := map[string]int{}
		for _, c := range g.Cells {
			sums[where(c)] += f(c.Result)
		}
		for _, w := range slices.Sorted(maps.Keys(sums)) {
			ns = append(ns, sums[w])
		}
	}
	return ns
}

func repetitions(e *dataset.Experiment) judgement {
	var drawn []int
	fixed, names, on := 0, []string{}, map[string]map[int]bool{}
	for _, g := range e.Groups() {
		sums := map[string]int{}
		for _, c := range g.Cells {
			if r := c.Result; r.Deterministic {
				fixed++
				if on[r.Scheduler] == nil {
					names, on[r.Scheduler] = append(names, r.Scheduler), map[int]bool{}
				}
				on[r.Scheduler][r.Cores] = true
			} else {
				sums[where(c)] += c.Result.Summary.TimeNS.N
			}
		}
		for _, n := range sums {
			drawn = append(drawn, n)
		}
	}
	slices.Sort(drawn)
	var exact string
	if fixed > 0 {
		var where []string
		for _, name := range names {
			where = append(where, fmt.Sprintf("%s on %s", name, units.List(texts(on[name]))))
		}
		exact = fmt.Sprintf("deterministic, with one value and no interval: %s, by scheduler and "+
			"cores %s", plural(fixed, "result"), strings.Join(where, "; "))
	}
	if len(drawn) == 0 {
		return judgement{fine, "Repetitions", exact}
	}
	text := "n = " + sample(drawn) + " for each scheduler and core count"
	if exact != "" {
		text += " that draws at random"
	}
	l := fine
	if drawn[0] < estimate.MinSample {
		l = doubt
		text += fmt.Sprintf("; below %d there is no interval of 95 %%", estimate.MinSample)
	} else {
		text += ", enough for intervals of 95 %"
	}
	if exact != "" {
		text += "; " + exact
	}
	return judgement{l, "Repetitions", text}
}

// texts are the numbers of a set, ascending.
func texts(set map[int]bool) (words []string) {
	for _, n := range slices.Sorted(maps.Keys(set)) {
		words = append(words, fmt.Sprint(n))
	}
	return words
}

// guesses tells how much of the simulated machines nobody measured or published.
func guesses(e *dataset.Experiment) (judgement, bool) {
	var words []string
	for _, f := range machineFiles(e) {
		switch {
		case f.Error != "":
			words = append(words, f.Name+": its file is not known")
		case f.Guesses > 0:
			words = append(words, fmt.Sprintf("%s: guesses among its numbers: %d, marked in its "+
				"file below", f.Name, f.Guesses))
		default:
			words = append(words, f.Name+": no number is a guess")
		}
	}
	return judgement{plain, "Simulated machine", strings.Join(words, "; ")}, len(words) > 0
}

func checked(e *dataset.Experiment) (judgement, bool) {
	passed, failed, computed := 0, []string{}, false
	for _, c := range e.Cells {
		if k := c.Result.Check; k != nil {
			computed = true
			if k.Passed {
				passed++
			} else {
				failed = append(failed, where(&c))
			}
		}
	}
	switch {
	case len(failed) > 0:
		return judgement{fault, "Numerical check", "FAILED for " + units.List(failed)}, true
	case computed:
		return judgement{fine, "Numerical check", fmt.Sprintf("passed, %s",
			plural(passed, "result"))}, true
	}
	return judgement{plain, "Numerical check", "none: nothing was computed"}, true
}

// where names a cell in a sentence.
func where(c *dataset.Cell) string {
	return fmt.Sprintf("%s %s", c.Result.Scheduler, onCores(c.Result.Cores))
}

func misses(e *dataset.Experiment) (judgement, bool) {
	sources, reasons := map[string]int{}, map[string]bool{}
	for _, c := range e.Cells {
		r := c.Result
		switch {
		case r.LLCSource == nil || !r.Summary.LLCMissesPerCore.Median.Known():
			sources[""]++
			if r.LLCReason != nil {
				reasons[*r.LLCReason] = true
			}
		case r.LLCModel != nil && r.LLCModel.Replayed:
			sources["the cache model of "+r.LLCModel.Machine+
				", which replayed the traces ("+r.MissesFrom()+")"]++
		case *r.LLCSource == result.LLCSourceModel:
			sources["the simulated machine's caches ("+r.MissesFrom()+")"]++
		default:
			sources["hardware counters ("+*r.LLCSource+")"]++
		}
	}
	none := sources[""]
	delete(sources, "")
	text, because := "counted by "+units.List(sorted(keys(sources))), ""
	if len(reasons) > 0 {
		because = ": " + strings.Join(sorted(reasons), "; ")
	}
	switch {
	case len(sources) == 0:
		return judgement{doubt, "LLC misses", "not counted" + because}, true
	case none > 0:
		return judgement{doubt, "LLC misses", fmt.Sprintf("%s; not counted in %d of %d results%s",
			text, none, len(e.Cells), because)}, true
	case len(sources) > 1:
		return judgement{plain, "LLC misses", text + "; the two are never set against each other"},
			true
	}
	return judgement{fine, "LLC misses", text}, true
}

func reuses(e *dataset.Experiment) (judgement, bool) {
	all := samples(e, func(r *result.Result) int { return len(r.Histograms()) })
	ns := slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n == 0 })
	without, reasons := len(all)-len(ns), map[string]bool{}
	for _, c := range e.Cells {
		if len(c.Result.Histograms()) == 0 {
			reasons[stats.WhyNoKRD(c.Result)] = true
		}
	}
	switch why := strings.Join(sorted(reasons), "; "); {
	case len(ns) == 0:
		return judgement{plain, "Reuse distances", "none: " + why}, true
	case without > 0:
		return judgement{doubt, "Reuse distances", fmt.Sprintf("of %s traced repetitions each; "+
			"%d of %d schedulers and core counts have none: %s", sample(ns), without, len(all),
			why)}, true
	case slices.Min(ns) == 1 && slices.Max(ns) == 1:
		return judgement{plain, "Reuse distances", "of one traced repetition each: no intervals"},
			true
	}
	return judgement{fine, "Reuse distances", "of " + sample(ns) + " traced repetitions each"}, true
}

func losses(e *dataset.Experiment) (judgement, bool) {
	var records, lost int64
	traced := false
	for _, c := range e.Cells {
		if t := c.Result.Trace; t != nil {
			traced = true
			records += t.Records
			lost += t.Discarded
		}
	}
	switch {
	case !traced:
		return judgement{}, false
	case lost > 0:
		return judgement{fault, "Trace losses", fmt.Sprintf("%s records of %s were lost",
			count(lost), count(lost+records))}, true
	}
	return judgement{fine, "Trace losses", "none of " + count(records) + " records"}, true
}

func revision(e *dataset.Experiment) (judgement, bool) {
	revisions, modified := map[string]bool{}, false
	for _, c := range e.Cells {
		if c.Manifest == nil {
			continue
		}
		b := &c.Manifest.Build
		if b.Revision == nil {
			revisions["unknown"] = true
		} else {
			revisions[*b.Revision] = true
		}
		modified = modified || b.Modified != nil && *b.Modified
	}
	text := "krdlab of revision " + units.List(sorted(revisions))
	switch {
	case len(revisions) > 1:
		return judgement{doubt, "Program", text + ": cells of different programs"}, true
	case modified:
		return judgement{plain, "Program", text + " with changes that were not committed"}, true
	case revisions["unknown"]:
		return judgement{plain, "Program", "its revision is not known: the build was not stamped"},
			true
	case len(revisions) == 0:
		return judgement{doubt, "Program", "not known: no manifest could be read"}, true
	}
	return judgement{fine, "Program", text}, true
}
