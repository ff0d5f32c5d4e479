package goprogram

import (
	"fmt"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// replaced, noAccessSampled, noLongPhase, nothingRewritten: no argument.
	replaced         doc.Code = "program_replaced"
	noAccessSampled  doc.Code = "no_access_sampled"
	noLongPhase      doc.Code = "no_long_phase"
	nothingRewritten doc.Code = "nothing_rewritten"
	// leftRunning: processes.
	leftRunning doc.Code = "left_running"
	// fewSamples: phases.
	fewSamples doc.Code = "few_samples"
	// lateEvents, oddEvents, lostEvents: events.
	lateEvents doc.Code = "late_events"
	oddEvents  doc.Code = "odd_events"
	lostEvents doc.Code = "lost_events"
	// lostGoroutines: goroutines.
	lostGoroutines doc.Code = "lost_goroutines"
	// notBuilt: the package, why.
	notBuilt doc.Code = "package_not_built"
	// NotObserved: files or a package, and why.
	NotObserved doc.Code = "not_observed"
	// nothingAnalysed: accesses, those that are in no account, to the stack, left alone, lost.
	nothingAnalysed doc.Code = "nothing_analysed"
	// noAccesses: the packages.
	noAccesses doc.Code = "no_accesses"
	// noneMade: accesses in sources, the packages.
	noneMade doc.Code = "no_access_made"
	// onStack, unknownOrigin, leftAlone, undrawn: whether estimated, accesses, of how many, places.
	onStack       doc.Code = "accesses_on_stack"
	unknownOrigin doc.Code = "accesses_of_unknown_origin"
	leftAlone     doc.Code = "accesses_left_alone"
	undrawn       doc.Code = "accesses_undrawn"
	// falseSharing, trueSharing: twice a datum, its place and the goroutine; transfers, the share of all
	// accesses, and of falseSharing the bytes that part the data, and which of them comes first.
	falseSharing doc.Code = "false_sharing"
	trueSharing  doc.Code = "true_sharing"
	// uncountedPlaces: how many, which.
	uncountedPlaces doc.Code = "places_not_counted"
)

func init() {
	const nothing = "nothing was observed: "
	share := func(what string) doc.Entry {
		return doc.Entry{Level: doc.Limit, Example: []any{true, 20, 100, ": main.go:9: load of main.tree.left (about 20)"},
			Say: func(a doc.Args) string {
				estimated, _ := a.At(0).(bool)
				return fmt.Sprintf("%s%s of the accesses were %s%s", about(estimated),
					doc.Percent(a.Number(1), a.Number(2)), what, a.Text(3))
			}}
	}
	stack := share("to the stack of their goroutine or thread, and are not observed (--stack observes them)")
	stack.Next = "--stack"
	shared := func(what string, part func(doc.Args) string) doc.Entry {
		return doc.Entry{Level: doc.Answer, Needs: doc.Needs{N: fewestTransfers},
			Example: []any{"main.counts.a", "main.go:9", "by main.f", "main.counts.b", "main.go:13", "by main.g",
				20000, 0.5, 56, "main.counts.a"},
			Say: func(a doc.Args) string {
				at := func(i int) string { return fmt.Sprintf("%s (%s, %s)", a.Text(i), a.Text(i+1), a.Text(i+2)) }
				data := at(0) + " and " + at(3)
				if at(0) == at(3) {
					data = at(0) + ", in two goroutines or threads,"
				}
				return fmt.Sprintf("%s%s: up to %s transfers%s", data, what, units.Grouped(uint64(a.Whole(6))), part(a))
			}}
	}
	one := []any{1}
	doc.Catalogue(map[doc.Code]doc.Entry{
		replaced: {Level: doc.Limit, Words: "the program replaced itself by another (exec), which was not traced"},
		leftRunning: {Level: doc.Limit, Example: one, Words: "processes of the program that went on after its end, " +
			"and were not traced: %v"},
		noAccessSampled: {Level: doc.Limit, Words: "no access was sampled: the program ended before a burst had seen " +
			"enough"},
		noLongPhase: {Level: doc.Doubt, Words: "no phase was long enough to see far accesses; all were taken as near"},
		fewSamples: {Level: doc.Doubt, Example: []any{3}, Say: func(a doc.Args) string {
			return "few samples: " + units.Count(a.Whole(0), "phase") + "; the errors are not well known"
		}},
		lateEvents: {Level: doc.Doubt, Example: []any{7}, Words: "%v events came too late to be put in order with " +
			"those of others"},
		oddEvents:  {Level: doc.Doubt, Example: []any{7}, Words: "%v events made no sense"},
		lostEvents: {Level: doc.Doubt, Example: []any{7}, Words: "%v events were lost"},
		lostGoroutines: {Level: doc.Doubt, Example: []any{7}, Words: "%v goroutines or threads were not recorded, since there " +
			"were too many"},
		notBuilt: {Level: doc.Limit, Example: []any{"example.com/p", "a.go:1: undefined: x"}, Words: "package %v did " +
			"not build when rewritten, and was left as it is: %v"},
		NotObserved: {Level: doc.Limit, Example: []any{"a.go: it imports C"}, Words: "not observed: %v"},
		nothingAnalysed: {Level: doc.Limit, Example: []any{9, "local variables by their names", 9, 0, 0},
			Words: nothing + "of %v accesses that the rewritten packages made, but for %v, %v were to the stack, %v at places that are left alone and %v lost"},
		nothingRewritten: {Level: doc.Limit, Words: nothing + "no package was rewritten"},
		noAccesses: {Level: doc.Limit, Example: []any{"example.com/p"}, Words: nothing + "the rewritten packages have " +
			"no access to the heap in their sources: %v"},
		noneMade: {Level: doc.Limit, Example: []any{9, "example.com/p"}, Words: nothing + "none of the %v accesses in " +
			"the sources of %v was made"},
		onStack:       stack,
		unknownOrigin: share("to memory whose allocation was not seen: such data are told apart by address only"),
		leftAlone:     share("at places that are left alone, so that the program does what it did"),
		undrawn:       share("in loops that no draw saw: of the heap or of the stack"),
		falseSharing: shared(" share lines", func(a doc.Args) string {
			return fmt.Sprintf("; pad by %d bytes after %s", a.Whole(8), a.Text(9))
		}),
		trueSharing: shared(" are the same data", func(doc.Args) string { return "" }),
		uncountedPlaces: {Level: doc.Limit, Example: []any{1, ": main.go:9: load of main.x"}, Say: func(a doc.Args) string {
			be := " are"
			if a.Whole(0) == 1 {
				be = " is"
			}
			return units.Count(a.Whole(0), "place") + be + " left alone and not counted" + a.Text(1)
		}},
	})
}
