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
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A judgement is a line of the banner: a finding with its subject.
type judgement struct{ doc.Finding }

// Level returns the level that the catalogue has of it.
func (j judgement) Level() doc.Level {
	e, _ := j.Code.In()
	return e.Level
}

// Text returns its words.
func (j judgement) Text() string { return j.About("").Sentence() }

// looks are the checks, in the order of the banner. A finding without a code is left out; of an
// experiment without cells there is the one of cells alone.
var looks = []struct {
	subject string
	at      func(*dataset.Experiment) doc.Finding
}{
	{"Substrate", substrates}, {"Where numbers are from", origins}, {"Cells", cells},
	{"Repetitions", repetitions}, {"Simulated machine", guesses}, {"Fitted numbers", fitted},
	{"Numerical check", checked}, {"LLC misses", misses}, {"Reuse distances", reuses},
	{"Trace losses", losses}, {"Disturbed repetitions", disturbed}, {"Load", load},
	{"Clock frequency", frequency}, {"Host", virtual}, {"Topology", imposed}, {"Program", revision},
}

// validity returns what may be wrong with the numbers, and what is right.
func validity(e *dataset.Experiment) (list []judgement) {
	for _, look := range looks {
		if len(e.Cells) == 0 && look.subject != "Cells" {
			continue
		}
		if f := look.at(e); f.Code != "" {
			list = append(list, judgement{f.About(look.subject)})
		}
	}
	return list
}

// verdict returns the sentence that sums up a banner.
func verdict(e *dataset.Experiment, list []judgement) string {
	if len(e.Cells) == 0 {
		return doc.Find(nothingThere).Sentence()
	}
	code := allMeasured
	switch subs := e.Substrates(); {
	case len(subs) > 1:
		code = bothSubstrates
	case subs[0] == loi.Simulated:
		code = allSimulated
	case slices.ContainsFunc(e.Cells, func(c dataset.Cell) bool { return c.Result.LLCModel != nil }):
		code = missesModelled
	}
	n := map[doc.Level]int{}
	for _, j := range list {
		n[j.Level()]++
	}
	sum := doc.Find(nothingAgainst, n[doc.Good])
	switch {
	case n[doc.Fault] > 0:
		sum = doc.Find(somethingWrong)
	case n[doc.Doubt] > 0:
		sum = doc.Find(someDoubt)
	}
	return strings.Join(doc.Sentences([]doc.Finding{doc.Find(code), sum}), " ")
}

func substrates(e *dataset.Experiment) doc.Finding {
	measured, simulated := map[string]bool{}, map[string]bool{}
	for _, g := range e.Groups() {
		w := g.Machine
		if g.Substrate != loi.Simulated {
			measured[w] = true
			continue
		}
		if m := g.Cells[0].Result.Settings.Modelled(); m != "" {
			w += ", caches modelled by " + m
		}
		simulated[w] = true
	}
	return doc.Find(substrate, strings.Join(sorted(measured), "; "), strings.Join(sorted(simulated), "; "))
}

// origins returns which numbers were measured, which modelled, and which follow from others.
func origins(e *dataset.Experiment) doc.Finding {
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
	return doc.Find(origin, units.List(measured), units.List(modelled), byConstruction)
}

// fitted names the numbers that a simulated machine was fitted to: they are no predictions.
func fitted(e *dataset.Experiment) doc.Finding {
	words, known := map[string]bool{}, false
	for _, c := range e.Cells {
		m := c.Result.Machine.Model
		known = known || m != nil && m.Parameters > 0
		if m == nil {
			continue
		}
		for _, q := range m.Fitted {
			if q == machine.FitSerialTime {
				words["the serial time of "+c.Result.Kernel] = true
			} else {
				words["OVR of "+where(&c)] = true
			}
		}
	}
	switch {
	case !known:
		return doc.Finding{}
	case len(words) == 0:
		return doc.Find(notFitted)
	}
	return doc.Find(fittedTo, units.List(sorted(words)))
}

func cells(e *dataset.Experiment) doc.Finding {
	used := map[string]bool{}
	for _, c := range e.Cells {
		used[c.ID] = true
	}
	n, kinds := len(used), map[dataset.ProblemKind]int{}
	if len(e.Plan) == 0 {
		n = len(e.Cells)
	}
	for _, p := range e.Problems {
		kinds[p.Kind]++
	}
	var wrong []string
	for _, k := range []dataset.ProblemKind{dataset.Missing, dataset.Partial, dataset.Failed,
		dataset.Unreadable, dataset.Interrupted} {
		if kinds[k] > 0 {
			wrong = append(wrong, fmt.Sprintf("%d %s", kinds[k], k))
		}
	}
	if len(e.Problems) > 0 {
		return doc.Find(cellsWrong, n, len(e.Plan), strings.Join(wrong, ", "))
	}
	return doc.Find(cellsUsed, n, len(e.Plan))
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

func repetitions(e *dataset.Experiment) doc.Finding {
	fixed := 0
	for _, c := range e.Cells {
		if c.Result.Deterministic {
			fixed++
		}
	}
	drawn := slices.DeleteFunc(samples(e, func(r *result.Result) int {
		if r.Deterministic {
			return 0
		}
		return r.Summary.TimeNS.N
	}), func(n int) bool { return n == 0 })
	switch {
	case len(drawn) == 0:
		return doc.Find(exactOnly, fixed)
	case slices.Min(drawn) < estimate.MinSample:
		return doc.Find(repetitionsFew, sample(drawn), estimate.MinSample, fixed)
	}
	return doc.Find(repetitionsEnough, sample(drawn), fixed)
}

// guesses counts the numbers of the simulated machines that were neither measured nor published.
func guesses(e *dataset.Experiment) doc.Finding {
	var unknown, guessed, sure []string
	for _, f := range machineFiles(e) {
		switch {
		case f.Error != "":
			unknown = append(unknown, f.Name)
		case f.Guesses > 0:
			guessed = append(guessed, fmt.Sprintf("%s: %d", f.Name, f.Guesses))
		default:
			sure = append(sure, f.Name)
		}
	}
	if unknown == nil && guessed == nil && sure == nil {
		return doc.Finding{}
	}
	return doc.Find(guessedNumbers, units.List(guessed), units.List(sure), units.List(unknown))
}

func checked(e *dataset.Experiment) doc.Finding {
	passed, failed := 0, []string{}
	for _, c := range e.Cells {
		if k := c.Result.Check; k != nil && k.Passed {
			passed++
		} else if k != nil {
			failed = append(failed, where(&c))
		}
	}
	switch {
	case len(failed) > 0:
		return doc.Find(checksFailed, units.List(failed))
	case passed > 0:
		return doc.Find(checksPassed, passed)
	}
	return doc.Find(nothingChecked)
}

// where names a cell in a sentence.
func where(c *dataset.Cell) string {
	return fmt.Sprintf("%s on %s", c.Result.Scheduler, plural(c.Result.Cores, "core"))
}

func misses(e *dataset.Experiment) doc.Finding {
	sources, reasons, none := map[string]bool{}, map[string]bool{}, 0
	for _, c := range e.Cells {
		r := c.Result
		switch {
		case r.LLCSource == nil || !r.Summary.LLCMissesPerCore.Median.Known():
			none++
			if r.LLCReason != nil {
				reasons[*r.LLCReason] = true
			}
		case r.LLCModel != nil && r.LLCModel.Replayed:
			sources["the cache model of "+r.LLCModel.Machine+
				", which replayed the traces ("+r.MissesFrom()+")"] = true
		case *r.LLCSource == result.LLCSourceModel:
			sources["the simulated machine's caches ("+r.MissesFrom()+")"] = true
		default:
			sources["hardware counters ("+*r.LLCSource+")"] = true
		}
	}
	by, why := units.List(sorted(sources)), strings.Join(sorted(reasons), "; ")
	switch {
	case none > 0:
		return doc.Find(missesUncounted, none, len(e.Cells), by, why)
	case len(sources) > 1:
		return doc.Find(missesOfSeveral, by)
	}
	return doc.Find(missesCounted, by)
}

func reuses(e *dataset.Experiment) doc.Finding {
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
		return doc.Find(notTraced, why)
	case without > 0:
		return doc.Find(someTraced, sample(ns), without, len(all), why)
	case slices.Max(ns) == 1:
		return doc.Find(tracedOnce)
	}
	return doc.Find(tracedOften, sample(ns))
}

func losses(e *dataset.Experiment) doc.Finding {
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
		return doc.Finding{}
	case lost > 0:
		return doc.Find(recordsLost, lost, lost+records)
	}
	return doc.Find(noRecordsLost, records)
}

func revision(e *dataset.Experiment) doc.Finding {
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
	names := units.List(sorted(revisions))
	switch {
	case len(revisions) > 1:
		return doc.Find(severalPrograms, names)
	case modified:
		return doc.Find(programModified, names)
	case revisions["unknown"]:
		return doc.Find(programUnstamped)
	case len(revisions) == 0:
		return doc.Find(programUnknown)
	}
	return doc.Find(program, names)
}
