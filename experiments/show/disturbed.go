package show

import (
	"slices"

	"krdlab/experiments/result"
)

// DisturbedMark stands behind the scheduler of a result that other programs disturbed.
const DisturbedMark = "~"

// DisturbedNote explains the mark, below a table that has one.
const DisturbedNote = DisturbedMark + " other programs, or the machine, disturbed repetitions or " +
	"the serial run"

// SchedulerOf names the scheduler of r, marked where r was disturbed.
func SchedulerOf(r *result.Result) string {
	if r.Disturbed() {
		return r.Scheduler + " " + DisturbedMark
	}
	return r.Scheduler
}

// noteDisturbed returns the line below a table of results, "" where none was disturbed.
func noteDisturbed(results []*result.Result) string {
	if !slices.ContainsFunc(results, (*result.Result).Disturbed) {
		return ""
	}
	return DisturbedNote + "\n"
}
