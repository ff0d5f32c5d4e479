package sweep

import (
	"fmt"
	"time"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// cellsDone: cells that are done, of how many, in flight, failed, damaged, unfinished, missing.
	cellsDone doc.Code = "cells_done"
	// atWork: who sweeps.
	atWork doc.Code = "sweep_at_work"
	// timeLeft: seconds; goOn: the folder.
	timeLeft doc.Code = "sweep_time_left"
	goOn     doc.Code = "sweep_goes_on"

	// Of a cell. inFlight: who works on it; failed: why, the exit code; damaged: why.
	inFlight doc.Code = "cell_in_flight"
	failed   doc.Code = "cell_failed"
	damaged  doc.Code = "cell_damaged"
	partial  doc.Code = "cell_unfinished"
	missing  doc.Code = "cell_missing"

	// ended: elements of an array, cells that they did not finish, state and exit code, the last line
	// that the first printed.
	ended doc.Code = "element_ended"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		cellsDone: {Level: doc.Answer, Example: []any{3, 12, 1, 2, 0, 1, 5}, Say: func(a doc.Args) string {
			s := fmt.Sprintf("%d of %d cells are done", a.Whole(0), a.Whole(1))
			for i, what := range []string{"in flight", "failed", "damaged", "unfinished", "missing"} {
				if n := a.Whole(2 + i); n > 0 {
					s += fmt.Sprintf(", %d %s", n, what)
				}
			}
			return s
		}},
		atWork: {Level: doc.Answer, Words: "a sweep is at work: %v", Example: []any{"process 42 on host"}},
		timeLeft: {Level: doc.Answer, Example: []any{90.0}, Say: func(a doc.Args) string {
			left := time.Duration(a.Number(0) * float64(time.Second))
			return fmt.Sprintf("about %s left for one process", RoundTime(left))
		}},
		goOn: {Level: doc.Answer, Words: "go on with: krdlab sweep resume %v", Example: []any{"DIR"},
			Next: "krdlab sweep resume %v"},
		inFlight: {Level: doc.Note, Words: "in flight: %v", Example: []any{"process 42 on host"}},
		failed:   {Level: doc.Doubt, Words: "failed: %v (exit code %v)", Example: []any{"no memory", 1}},
		damaged: {Level: doc.Doubt, Words: "damaged: %v; remove its folder to run it anew",
			Example: []any{"result.json: unexpected end"}},
		partial: {Level: doc.Limit, Words: "unfinished: the process that began it is gone"},
		missing: {Level: doc.Limit, Words: "missing"},
		ended: {Level: doc.Doubt, Example: []any{3, 12, "FAILED, exit code 127", "krdlab: not found"},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("%s of Slurm ended without %s (state: %v); the first printed last: %v",
					units.Count(a.Whole(0), "element"), units.Count(a.Whole(1), "cell"), a.Text(2), a.Text(3))
			}},
	})
}

// conclude adds the progress of the sweep, then the state of each cell that is not done.
func (s *Status) conclude() {
	s.Find(cellsDone, len(s.Done), s.Cells, len(s.InFlight), len(s.Failed), len(s.Damaged), len(s.Partial),
		len(s.Missing))
	if s.Sweeping != nil {
		s.Find(atWork, s.Sweeping.String())
	}
	if !s.Complete() {
		if s.SecondsLeft.Known() {
			s.Find(timeLeft, s.SecondsLeft)
		}
		s.Find(goOn, s.Dir)
	}
	for _, c := range s.InFlight {
		s.Conclude(doc.Find(inFlight, c.Holder.String()).About(c.ID))
	}
	for _, f := range s.Failed {
		s.Conclude(doc.Find(failed, f.Error, f.ExitCode).About(f.ID))
	}
	for _, d := range s.Damaged {
		s.Conclude(doc.Find(damaged, d.Error).About(d.ID))
	}
	for _, id := range s.Partial {
		s.Conclude(doc.Find(partial).About(id))
	}
	for _, id := range s.Missing {
		s.Conclude(doc.Find(missing).About(id))
	}
}
