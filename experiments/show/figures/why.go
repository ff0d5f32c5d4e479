package figures

import (
	"context"
	"errors"
	"fmt"
	"math"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

const whyID = "why"

// leastWritten is the share of the time, in %, from which it is written at its bar.
const leastWritten = 0.05

// errCauses is the error of a group without a scheduler whose time can be divided.
var errCauses = errors.New("no scheduler of several workers whose work was stamped")

// losses computes what the time of each scheduler is made of.
//
// Errors: those of [loss.Of]; [Skipped] where it takes long and nobody asked.
func (s *subject) losses() (*loss.Report, error) {
	e := &dataset.Experiment{Dir: s.Cells[0].Dir}
	var results []result.Result
	for _, c := range s.Cells {
		if e.Cells, results = append(e.Cells, *c), append(results, *c.Result); c.Dir != e.Cells[0].Dir {
			e.Dir = s.Kernel
		}
	}
	if e.Dir == e.Cells[0].Dir && s.Substrate == loi.Simulated && !s.asked && !loss.Quick(results) {
		return nil, Skipped{ID: whyID, Reason: "its causes take longer than a moment to compute",
			Next: "krdlab why " + e.Dir}
	}
	return loss.Of(context.Background(), e, nil, loss.DefaultReps, false, nil)
}

// why draws a waterfall for each scheduler: from the serial run over the cores by the cost of each
// cause, or natively by the measured parts, to the time.
func why(s *subject) (*plot.Figure, error) {
	r, err := s.losses()
	if err != nil {
		return nil, err
	}
	if len(r.Losses) == 0 {
		return nil, errCauses
	}
	longest := 0.0
	for i := range r.Losses {
		t := r.Losses[i].TimeNS
		if longest = max(longest, t.Median.Float()); t.High.Known() {
			longest = max(longest, t.High.Float())
		}
	}
	axis := timeAxis(1.3*longest/1e9, true) // with room for labels
	f := &plot.Figure{ID: whyID, Title: "What the time is made of", Findings: r.Findings}
	for i := range r.Losses {
		f.Panels = append(f.Panels, waterfall(&r.Losses[i], axis, 1.3*longest/axis.Max))
	}
	f.Lay(4)
	f.Caption = []string{fmt.Sprintf("Ideal: the serial run over the cores. A bar begins where the "+
		"one above ends, and is the time that goes with the cause, under an unchanged schedule: the "+
		"mean over all orders in which the five can be taken away; numbers are shares of the time. "+
		"Then too little parallelism; the rest, imbalance and what each node fetches for itself; "+
		"less what the memory costs the serial run too. Medians of at most %s, which need not add "+
		"up; lines: intervals of at least 95\u00a0%%.", plural(r.Repetitions, "repetition"))}
	if r.Measured {
		f.Caption = []string{fmt.Sprintf("Ideal: the serial run over the cores. A bar begins where the one above ends; "+
			"all are measured, and inflation of work is not split. Less what the serial run has beside its work. "+
			"Medians of at most %s; lines: intervals of at least 95\u00a0%%.", plural(r.Repetitions, "repetition"))}
	}
	return f, nil
}

// waterfall returns the panel of a scheduler, on an axis of time of so many ns a unit.
func waterfall(l *loss.Loss, axis plot.Axis, unit float64) plot.Panel {
	const total, taken, remains = 0, 1, 2
	p := plot.Panel{Title: l.Scheduler, Note: "loses " + doc.Sentence(l.Lost, doc.PerCent) + "\u00a0%", Kind: plot.Steps,
		Flipped: true, X: plot.Axis{Label: "cause", Min: -0.6}, Y: axis, Series: []plot.Series{
			total:   {Name: "ideal, and the time", Colour: "#707070"},
			taken:   {Name: "cause taken away", Colour: "#e69f00"},
			remains: {Name: "what remains", Colour: "#56b4e9"}}}
	level := 0.0
	bar := func(series int, name string, ns doc.Quantity, sign, share float64) {
		at := float64(len(p.X.Ticks))
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: at, Label: name})
		if !ns.Median.Known() {
			return
		}
		scaled := func(n doc.Number) doc.Number { return doc.Some(sign * n.Float() / unit) }
		v := plot.Point{X: at, At: name, Y: scaled(ns.Median), From: level, N: ns.N}
		if percent := 100 * sign * share; math.Abs(percent) >= leastWritten {
			v.Label = units.Digits(percent, 2) + "\u00a0%"
		}
		if ns.Low.Known() && ns.High.Known() && ns.Low != ns.High {
			v.Low, v.High = scaled(ns.Low), scaled(ns.High)
			if sign < 0 {
				v.Low, v.High = v.High, v.Low
			}
		}
		p.Series[series].Points = append(p.Series[series].Points, v)
		level += v.Y.Float()
	}
	part := func(series int, name string, p loss.Part, sign float64) {
		bar(series, name, p.NS, sign, p.Share.Median.Float())
	}
	bar(total, "ideal", l.IdealNS, 1, 0)
	for _, g := range l.Groups {
		part(taken, g.Key, g, 1)
	}
	if l.Parallel.Key != "" { // not of a native run
		part(remains, "parallelism", l.Parallel, 1)
		part(remains, "rest", l.Rest, 1)
	}
	part(remains, "serial too", l.Serial, -1)
	level = 0
	bar(total, "time", l.TimeNS, 1, 0)
	p.X.Max = float64(len(p.X.Ticks)) - 0.4
	return p
}
