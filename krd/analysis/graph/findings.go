package graph

import (
	"fmt"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// nothingBefore: operations, which.
	nothingBefore doc.Code = "nothing_before"
	// backInTime: dependences.
	backInTime doc.Code = "back_in_time"
	// startedTwice: starts.
	startedTwice doc.Code = "started_twice"
	// orphans, unstarted, untold: goroutines.
	orphans   doc.Code = "orphans"
	unstarted doc.Code = "unstarted"
	untold    doc.Code = "untold"
	// raced: blocks, the first two kernels.
	raced doc.Code = "race"
	// deadlock: no argument. lockCircle, waitCircle: its steps.
	deadlock   doc.Code = "deadlock"
	lockCircle doc.Code = "circle_of_locks"
	waitCircle doc.Code = "circle_of_waits"
	// slowedDown, thisRunsOrder: no argument.
	slowedDown    doc.Code = "slowed_down"
	thisRunsOrder doc.Code = "this_runs_order"
)

func init() {
	counted := func(what, words string) func(doc.Args) string {
		return func(a doc.Args) string { return units.Count(a.Whole(0), what) + " " + words }
	}
	one := []any{1}
	doc.Catalogue(map[doc.Code]doc.Entry{
		raced: {Level: doc.Fault, Example: []any{2, "fill", "add"}, Say: func(a doc.Args) string {
			return fmt.Sprintf("%s and %s touch it, nothing orders them, and one writes; %s in all", a.Text(1), a.Text(2),
				units.Count(a.Whole(0), "block"))
		}},
		deadlock: {Level: doc.Fault, Words: "a deadlock: every goroutine that had not ended was waiting"},
		lockCircle: {Level: doc.Fault, Example: []any{"main waits for a lock that f holds; f for one that main holds"},
			Words: "a circle of locks: %v"},
		waitCircle: {Level: doc.Doubt, Example: []any{"main waits for f; f for main"}, Words: "a " +
			"circle, among the waits that are known: %v"},
		nothingBefore: {Level: doc.Doubt, Example: []any{1, "receive"}, Say: func(a doc.Args) string {
			return units.Count(a.Whole(0), "operation") + ` "` + a.Text(1) + `" without the operation that must ` +
				"have come before: taken as not waiting"
		}},
		backInTime: {Level: doc.Doubt, Example: one, Say: counted("dependence", "left out: events "+
			"contradict each other, and it would close a circle")},
		startedTwice: {Level: doc.Doubt, Example: one, Say: counted("start", "of a goroutine that had been started; "+
			"only the first counts")},
		orphans: {Level: doc.Doubt, Example: one, Say: counted("goroutine", "taken to begin at once: "+
			"the trace does not record their start")},
		unstarted: {Level: doc.Doubt, Example: one, Say: counted("goroutine", "that the trace has "+
			"nothing of except who started them")},
		untold: {Level: doc.Limit, Example: one, Say: counted("goroutine", "had not ended when the "+
			"trace did, which does not record its state")},
		slowedDown: {Level: doc.Doubt, Next: "krdlab graph --unit kernels", Words: "the program " +
			"recorded its accesses, which takes much longer than the accesses; krdlab graph --unit " +
			"kernels counts accesses instead of time"},
		thisRunsOrder: {Level: doc.Note, Words: "the span holds for the order of locks and atomic " +
			"variables in this run"},
	})
}
