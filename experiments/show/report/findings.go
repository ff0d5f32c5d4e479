package report

import (
	"fmt"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings on what may be wrong with the numbers; the examples are their arguments.
const (
	nothingThere   doc.Code = "report_nothing"
	allMeasured    doc.Code = "report_measured"
	allSimulated   doc.Code = "report_simulated"
	bothSubstrates doc.Code = "report_mixed"
	missesModelled doc.Code = "report_misses_modelled"
	nothingAgainst doc.Code = "report_nothing_against"
	someDoubt      doc.Code = "report_doubts"
	somethingWrong doc.Code = "report_faults"

	substrate          doc.Code = "substrates"
	origin             doc.Code = "where_numbers_are_from"
	notFitted          doc.Code = "nothing_fitted"
	fittedTo           doc.Code = "fitted_to"
	cellsUsed          doc.Code = "cells_used"
	cellsWrong         doc.Code = "cells_unusable"
	exactOnly          doc.Code = "all_exact"
	repetitionsFew     doc.Code = "repetitions_few"
	repetitionsEnough  doc.Code = "repetitions_enough"
	guessedNumbers     doc.Code = "guessed_numbers"
	checksFailed       doc.Code = "checks_failed"
	checksPassed       doc.Code = "checks_passed"
	nothingChecked     doc.Code = "nothing_checked"
	missesUncounted    doc.Code = "misses_not_counted"
	missesOfSeveral    doc.Code = "llc_misses_of_several"
	missesCounted      doc.Code = "misses_counted"
	notTraced          doc.Code = "not_traced"
	someTraced         doc.Code = "some_traced"
	tracedOnce         doc.Code = "traced_once"
	tracedOften        doc.Code = "traced_often"
	recordsLost        doc.Code = "trace_records_lost"
	noRecordsLost      doc.Code = "no_trace_records_lost"
	severalPrograms    doc.Code = "several_programs"
	programModified    doc.Code = "program_modified"
	programUnstamped   doc.Code = "program_unstamped"
	programUnknown     doc.Code = "program_unknown"
	program            doc.Code = "program"
	disturbedResults   doc.Code = "disturbed_results"
	flaggedRepetitions doc.Code = "flagged_repetitions"
	undisturbed        doc.Code = "undisturbed"
	calm               doc.Code = "load_low"
	othersRan          doc.Code = "load_high"
	frequencyFixed     doc.Code = "frequency_constant"
	frequencyFree      doc.Code = "frequency_may_change"
	frequencyUnknown   doc.Code = "frequency_unknown"
	virtualMachine     doc.Code = "virtual_machine"
	imposedNodes       doc.Code = "topology_imposed"
)

func init() {
	at := func(l doc.Level, words string, example ...any) doc.Entry {
		return doc.Entry{Level: l, Words: words, Example: example}
	}
	say := func(l doc.Level, say func(doc.Args) string, example ...any) doc.Entry {
		return doc.Entry{Level: l, Say: say, Example: example}
	}
	const revision = "0123456789ab"
	loadOf := func(end string) func(doc.Args) string {
		return func(a doc.Args) string {
			return fmt.Sprintf("load average %.2f before the first run, on %s%s", a.Number(0),
				plural(a.Whole(1), "CPU"), end)
		}
	}
	doc.Catalogue(map[doc.Code]doc.Entry{
		nothingThere: at(doc.Note, "There are no results."),
		allMeasured:  at(doc.Note, "The numbers were measured on a real machine."),
		allSimulated: at(doc.Note, "All numbers are SIMULATED: a model predicts them; nothing was measured."),
		bothSubstrates: at(doc.Note, "Some of the numbers are measured and some simulated; they are "+
			"never mixed below, and each figure and table is labelled with its kind."),
		missesModelled: at(doc.Note, "Times were measured on a real machine; LLC misses were counted "+
			"by a model."),
		nothingAgainst: at(doc.Good, "All %v checks passed.", 9),
		someDoubt:      at(doc.Doubt, "Some of them are doubtful: see below."),
		somethingWrong: at(doc.Fault, "Something is missing or went wrong: see below."),

		substrate: say(doc.Note, parts("; ", "measured natively on ", "SIMULATED on "), "AMD EPYC", "westmere-ex-4s"),
		origin: say(doc.Note, func(a doc.Args) string {
			s := parts(". ", "measured: ", "modelled: ")(a) + ". derived: speed-up, OVR and WTI from times and work; reuse distances from traces, in the order of the times"
			if by, _ := a.At(2).(bool); by {
				s += "; misses modelled from the same traces agree by construction"
			}
			return s
		}, "times, work and steals", "LLC misses (blocks)", true),
		notFitted: at(doc.Note, "no machine was fitted to a number here"),
		fittedTo:  at(doc.Note, "no prediction, since the machine was fitted to it: %v", "the serial time of matmul"),
		cellsUsed: say(doc.Good, usedCells, 12, 12),
		cellsWrong: say(doc.Fault, func(a doc.Args) string { return usedCells(a) + ", " + a.Text(2) }, 10, 12,
			"1 missing, 1 failed"),
		exactOnly: say(doc.Good, func(a doc.Args) string { return exact(a.Whole(0)) }, 4),
		repetitionsFew: say(doc.Doubt, func(a doc.Args) string {
			return fmt.Sprintf("n = %s for each scheduler and core count; below %d there is no interval of 95 %%%s",
				a.Text(0), a.Whole(1), behind(exact(a.Whole(2))))
		}, "3", 6, 2),
		repetitionsEnough: say(doc.Good, func(a doc.Args) string {
			return "n = " + a.Text(0) + " for each scheduler and core count, enough for intervals of 95 %" +
				behind(exact(a.Whole(1)))
		}, "10", 2),
		guessedNumbers: say(doc.Note, parts("; ", "guesses among its numbers, marked in its file below: ",
			"no number is a guess: ", "its file is not known: "), "westmere-ex-4s: 30", "", ""),
		checksFailed:   at(doc.Fault, "FAILED for %v", "one on 24 cores"),
		checksPassed:   at(doc.Good, "passed, results: %v", 12),
		nothingChecked: at(doc.Note, "none: nothing was computed"),
		missesUncounted: say(doc.Doubt, func(a doc.Args) string {
			s := fmt.Sprintf("not counted in %d of %d results", a.Whole(0), a.Whole(1))
			if a.Text(3) != "" {
				s += ": " + a.Text(3)
			}
			return s + behind(strings.TrimSuffix("the others by "+a.Text(2), "the others by "))
		}, 2, 12, "hardware counters (perf_event)", "no PMU"),
		missesOfSeveral: at(doc.Note, "counted by %v; the two are never compared",
			"hardware counters (perf_event) and the simulated machine's caches"),
		missesCounted: at(doc.Good, "counted by %v", "hardware counters (perf_event)"),
		notTraced:     at(doc.Note, "none: %v", "no trace was taken"),
		someTraced: at(doc.Doubt, "of %v traced repetitions each; %v of %v schedulers and core counts have none: %v",
			"6", 1, 4, "no trace was taken"),
		tracedOnce:  at(doc.Note, "of one traced repetition each: no intervals"),
		tracedOften: at(doc.Good, "of %v traced repetitions each", "6 to 8"),
		recordsLost: say(doc.Fault, func(a doc.Args) string {
			return fmt.Sprintf("%s records of %s were lost", count(int64(a.Whole(0))), count(int64(a.Whole(1))))
		}, 24, 1024),
		noRecordsLost: say(doc.Good, func(a doc.Args) string {
			return "none of " + count(int64(a.Whole(0))) + " records"
		}, 1024),
		severalPrograms:  at(doc.Doubt, "krdlab of revision %v: cells of different programs", revision+" and unknown"),
		programModified:  at(doc.Note, "krdlab of revision %v with changes that were not committed", revision),
		programUnstamped: at(doc.Note, "its revision is not known: the build was not stamped"),
		programUnknown:   at(doc.Doubt, "not known: no manifest could be read"),
		program:          at(doc.Good, "krdlab of revision %v", revision),
		disturbedResults: say(doc.Doubt, func(a doc.Args) string {
			return fmt.Sprintf("in %d of %d results other programs, or the machine, disturbed repetitions or the "+
				"serial run; these results are marked ~%s", a.Whole(0), a.Whole(1), again(a.Whole(2)))
		}, 2, 12, 3),
		flaggedRepetitions: at(doc.Doubt, "%v of %v, serial ones counted: %v", 1, 256, "lost N records"),
		undisturbed: say(doc.Good, func(a doc.Args) string {
			s := fmt.Sprintf("none of %d stays disturbed, serial ones counted%s", a.Whole(0), again(a.Whole(1)))
			if n := a.Whole(2); n > 0 {
				s += "; not looked for in " + plural(n, "result")
			}
			return s
		}, 256, 2, 1),
		calm:             say(doc.Good, loadOf(""), 0.3, 24),
		othersRan:        say(doc.Doubt, loadOf(": other programs ran"), 14.0, 24),
		frequencyFixed:   at(doc.Good, "governor %v, boost %v: constant", "performance", "off"),
		frequencyFree:    at(doc.Doubt, "governor %v, boost %v: it may have changed during the runs", "powersave", "on"),
		frequencyUnknown: at(doc.Doubt, "governor %v, boost %v: whether it changed during the runs cannot be told", "not known", "not known"),
		virtualMachine: at(doc.Note, "a virtual machine (%v): others on the same host may have taken "+
			"time unseen", "kvm"),
		imposedNodes: at(doc.Note, "the map of workers to nodes, %v, was imposed (synthetic); steals between nodes "+
			"and reuse distances are those of the map, times are the machine's", "2x2"),
	})
}

// parts joins the arguments that are not empty, each behind its name.
func parts(between string, names ...string) func(doc.Args) string {
	return func(a doc.Args) string {
		var list []string
		for i, name := range names {
			if s := a.Text(i); s != "" {
				list = append(list, name+s)
			}
		}
		return strings.Join(list, between)
	}
}

// usedCells counts the planned cells with results, or the schedulers of a single run.
func usedCells(a doc.Args) string {
	if a.Whole(1) == 0 {
		return "a single run of " + plural(a.Whole(0), "scheduler")
	}
	return fmt.Sprintf("%d of %d planned cells could be used", a.Whole(0), a.Whole(1))
}

// exact counts results that are deterministic; "": none.
func exact(n int) string {
	if n == 0 {
		return ""
	}
	return units.Count(n, "result") + " are deterministic, one value without an interval"
}

// again counts what was set aside; "": nothing.
func again(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + plural(n, "repetition") + " done again and set aside"
}

// behind puts a clause behind others.
func behind(s string) string {
	if s == "" {
		return ""
	}
	return "; " + s
}
