package brief

import (
	"slices"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// DisturbedMark stands behind the scheduler of a result that other programs disturbed.
const DisturbedMark = "~"

// DisturbedNote explains the mark, below a table that has one.
const DisturbedNote = DisturbedMark + " other programs, or the machine, disturbed repetitions or " +
	"the serial run"

// SchedulerOf names the scheduler of r, marked where r was disturbed.
func SchedulerOf(r *result.Result) string {
	return Marked(r.Scheduler, r.Disturbed())
}

// Marked returns a name, with the mark behind it if its result was disturbed.
func Marked(name string, disturbed bool) string {
	if disturbed {
		return name + " " + DisturbedMark
	}
	return name
}

// noteDisturbed writes the line below a table of results, where one was disturbed.
func noteDisturbed(p *doc.Page, results []*result.Result) {
	if slices.ContainsFunc(results, (*result.Result).Disturbed) {
		p.Line("%s", DisturbedNote)
	}
}
