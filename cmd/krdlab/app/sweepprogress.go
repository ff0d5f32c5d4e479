package app

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"krdlab/experiments/sweep"
	"krdlab/hw/units"
)

// sweepProgress is a bar on a terminal. Elsewhere it is a line when the first cell begins and when
// each ends, and each minute in cells that take long.
type sweepProgress struct {
	a     *app
	bar   *progressbar.ProgressBar
	now   func() time.Time
	spoke time.Time // when a line was last printed; zero: never
}

func (a *app) newSweepProgress() *sweepProgress { return &sweepProgress{a: a, now: time.Now} }

// barSteps is the length of the bar.
const barSteps = 10_000

// untilNext is how long nothing is printed elsewhere than on a terminal.
const untilNext = time.Minute

func (s *sweepProgress) progress(p sweep.Progress) {
	if !s.a.terminal {
		s.line(p)
		return
	}
	if s.bar == nil {
		s.bar = s.a.newBar(barSteps)
	}
	s.bar.Describe(fit(fmt.Sprintf("cell %d of %d, %s: %s c%d, %d/%d %s", p.Done+1, p.Cells,
		leftText(p.Left), p.Cell.Kernel, p.Cell.Cores, p.Reps, p.OfReps, p.Scheduler), s.a.stderr))
	// a terminal that cannot be written to is no reason to stop
	_ = s.bar.Set(int(p.Share * barSteps))
}

// line prints how far a sweep is, if it is time to.
func (s *sweepProgress) line(p sweep.Progress) {
	switch {
	case s.spoke.IsZero():
		of, left := "", leftText(p.Left)
		if p.Left.Cells < p.Cells {
			of = fmt.Sprintf(" of %d", p.Cells)
		} else {
			left = "an estimate follows the first"
		}
		s.say("%d%s %s to run, %s", p.Left.Cells, of, units.Noun(p.Cells, "cell"), left)
	case s.now().Sub(s.spoke) >= untilNext:
		s.say("%s: %d of %d repetitions; %d of %d cells, %s", p.Cell.ID, p.Reps, p.OfReps,
			p.Done, p.Cells, leftText(p.Left))
	}
}

func (s *sweepProgress) say(format string, args ...any) {
	s.spoke = s.now()
	fmt.Fprintf(s.a.stderr, format+"\n", args...)
}

func (s *sweepProgress) finished(f sweep.Finished) {
	s.end()
	if f.Err != nil {
		s.say("%s failed after %s: %s", f.Cell.ID, sweep.RoundTime(f.Took), oneLine(f.Err))
	} else if !s.a.terminal {
		rest := ""
		if f.Left.Cells > 0 {
			rest = ", " + leftText(f.Left)
		}
		s.say("%s done in %s; %d of %d cells%s", f.Cell.ID, sweep.RoundTime(f.Took), f.Done,
			f.Cells, rest)
	}
}

// end clears the bar.
func (s *sweepProgress) end() {
	if s.bar != nil {
		_ = s.bar.Finish()
		s.bar = nil
	}
}

// fit cuts a text so that it leaves room for a percentage and a small bar in a line of the terminal
// w: a longer line would wrap, and each time it is drawn leave another behind.
func fit(text string, w io.Writer) string {
	f, ok := w.(*os.File)
	if !ok {
		return text
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return text
	}
	return fitWidth(text, width)
}

// barRoom is for "  100% |    |  ".
const barRoom = 15

func fitWidth(text string, width int) string {
	if letters := []rune(text); width > barRoom && len(letters) > width-barRoom {
		return string(letters[:width-barRoom])
	}
	return text
}

func leftText(l sweep.Left) string {
	switch {
	case !l.Known:
		return "no estimate yet"
	case l.Time < time.Second:
		return "less than 1s left"
	}
	return "about " + sweep.RoundTime(l.Time) + " left"
}
