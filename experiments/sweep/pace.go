package sweep

import (
	"strings"
	"time"
)

// pace is how long the cells took whose time is known.
type pace struct {
	cells int
	spent time.Duration

	longest time.Duration
}

// learn enters the time of a cell.
func (p *pace) learn(took time.Duration) {
	p.cells++
	p.spent += took
	p.longest = max(p.longest, took)
}

// A Left is how long the cells that are not done take one process, each the mean of those that are.
type Left struct {
	Cells int // that are not done
	Time  time.Duration
	Known bool // the time of some cell is known
}

// left estimates the rest, when a part of a cell is done, 0 to 1.
func (w *work) left(part float64) Left {
	l := Left{Cells: len(w.plan.Cells) - w.settled(), Known: w.pace.cells > 0}
	if l.Known {
		mean := float64(w.pace.spent) / float64(w.pace.cells)
		l.Time = time.Duration(mean * max(float64(l.Cells)-part, 0))
	}
	return l
}

// settled returns how many cells are done or have failed.
func (w *work) settled() (n int) {
	for i := range w.plan.Cells {
		if w.done[i] || w.failed[i] {
			n++
		}
	}
	return n
}

// Estimate returns how long what is not done of the plan takes one process, from the cells that are
// finished in dir.
func (p *Plan) Estimate(dir string) Left { return newWork(dir, p).left(0) }

// Longest returns how long the longest of the cells took that are finished in dir, 0 if that is not
// known.
func (p *Plan) Longest(dir string) time.Duration { return newWork(dir, p).pace.longest }

// RoundTime returns d with two or three digits.
func RoundTime(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
