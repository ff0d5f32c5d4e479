package figures

import (
	"errors"
	"fmt"
	"strconv"

	"krdlab/experiments/run/result"
	"krdlab/krd/plot"
)

// shares draws what the workers did with their time: a panel for each scheduler, a bar for each
// core count. Sums over workers and repetitions, so that they add up.
func shares(s *subject) (*plot.Figure, error) {
	parts := []struct {
		name, colour string
		of           func(*result.Worker) *int64
	}{
		{"kernel work", "#0072b2", func(w *result.Worker) *int64 { return w.WorkNS }},
		{"scheduling", "#e69f00", func(w *result.Worker) *int64 { return w.SchedNS }},
		{"idle", "#d0d0d0", func(w *result.Worker) *int64 { return w.IdleNS }},
	}
	f := &plot.Figure{ID: "shares", Title: "Where the time of the workers goes"}
	var without []string
	for _, name := range s.schedulers {
		p := plot.Panel{Title: name, Kind: plot.Stacked,
			X: plot.Axis{Label: "cores", Unit: "cores", Min: -0.6},
			Y: plot.PercentAxis("share of the time [%]", 100)}
		for _, part := range parts {
			p.Series = append(p.Series, plot.Series{Name: part.name, Colour: part.colour})
		}
		at := 0
		for _, n := range s.cores {
			r := s.at(name, n)
			if r == nil {
				continue
			}
			var sums [3]int64
			known, all := true, int64(0)
			for i := range r.Repetitions {
				for w := range r.Repetitions[i].Workers {
					for k, part := range parts {
						ns := part.of(&r.Repetitions[i].Workers[w])
						if ns == nil {
							known = false
							continue
						}
						sums[k], all = sums[k]+*ns, all+*ns
					}
				}
			}
			if !known || all <= 0 {
				continue
			}
			for k := range parts {
				p.Series[k].Points = append(p.Series[k].Points, plot.Point{
					X: float64(at), At: strconv.Itoa(n),
					Y: result.Some(float64(100*float64(sums[k])) / float64(all)),
					N: len(r.Repetitions),
				})
			}
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(at), Label: strconv.Itoa(n)})
			at++
		}
		if at == 0 {
			without = append(without, name)
			continue
		}
		p.X.Max = float64(at) - 0.4
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return nil,
			errors.New("the time of the workers was not split into work, scheduling and idling")
	}
	f.Lay(4)
	f.Caption = []string{"Shares of the workers' time, of the sums over all workers and repetitions. " +
		"Scheduling is all time that is neither kernel work nor waiting for work."}
	if len(without) > 0 {
		f.Caption = append(f.Caption, notDrawn(without))
	}
	f.Caption = append(f.Caption, s.disturbances(s.cores...)...)
	return f, nil
}

// steals returns a heat map for each scheduler: who stole from whom, by node, at the largest core
// count.
func steals(s *subject) (*plot.Figure, error) {
	cores := s.cores[len(s.cores)-1]
	nodes := s.nodesAt(cores)
	switch {
	case nodes == 0:
		return nil, errors.New("no workers are known")
	case nodes == 1:
		return nil, fmt.Errorf("the %s at most are all on one node", plural(cores, "core"))
	}
	f := &plot.Figure{ID: "steals", Title: "Steals by node: " + s.place(cores)}
	var without []string
	most := 0.0 // the largest share of a field
	for _, name := range s.schedulers {
		counts, reps := s.stealsAt(name, cores)
		if counts == nil {
			without = append(without, name)
			continue
		}
		p := plot.Panel{Kind: plot.Heat, X: nodeAxis("node of the victim", len(counts)),
			Y: nodeAxis("node of the thief", len(counts))}
		all, remote := int64(0), int64(0)
		for _, row := range counts {
			for _, n := range row {
				all += n
			}
		}
		for thief, row := range counts {
			series := plot.Series{Name: fmt.Sprintf("node %d", thief), Colour: heatColour}
			for victim, n := range row {
				mean := float64(n) / float64(reps)
				series.Points = append(series.Points, plot.Point{X: float64(victim), N: reps,
					At: fmt.Sprintf("from node %d", victim), Y: result.Some(mean),
					Label: short(mean), Shade: float64(n) / float64(max(all, 1))})
				most = max(most, series.Points[victim].Shade)
				if thief != victim {
					remote += n
				}
			}
			p.Series = append(p.Series, series)
		}
		p.Title, p.Note = name, "no steals"
		if all > 0 {
			p.Note = fmt.Sprintf("%s steals, %.0f %% remote", short(float64(all)/float64(reps)),
				100*float64(remote)/float64(all))
		}
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("no scheduler counts its steals by node on %s", plural(cores, "core"))
	}
	for _, p := range f.Panels { // one scale
		for _, row := range p.Series {
			for i := range row.Points {
				row.Points[i].Shade = shade(row.Points[i].Shade / most)
			}
		}
	}
	f.Lay(2)
	if len(f.Panels) > 4 {
		f.Lay(3)
	}
	f.Caption = []string{"Successful steals in a repetition, means over the repetitions: row, " +
		"the node of the thief; column, that of the victim. The darker a field, the larger its " +
		"share of the scheduler's steals. Remote: between different nodes."}
	if len(without) > 0 {
		f.Caption = append(f.Caption, notDrawn(without))
	}
	f.Caption = append(f.Caption, s.disturbances(cores)...)
	return f, nil
}

const heatColour = "#0072b2"

// stealsAt sums steals by thief's and victim's node over repetitions; nil if they were not counted.
func (s *subject) stealsAt(scheduler string, cores int) (counts [][]int64, reps int) {
	r := s.at(scheduler, cores)
	if r == nil {
		return nil, 0
	}
	size := 0
	for _, p := range r.Repetitions {
		for _, w := range p.Workers {
			size = max(size, w.Node+1, len(w.StealsFrom))
		}
	}
	counts = make([][]int64, size)
	for i := range counts {
		counts[i] = make([]int64, size)
	}
	for _, p := range r.Repetitions {
		for _, w := range p.Workers {
			if w.StealsFrom == nil {
				return nil, 0
			}
			for victim, n := range w.StealsFrom {
				counts[w.Node][victim] += n
			}
		}
	}
	return counts, len(r.Repetitions)
}

func nodeAxis(label string, nodes int) plot.Axis {
	a := plot.Axis{Label: label, Unit: "node", Min: -0.5, Max: float64(nodes) - 0.5}
	for n := range nodes {
		a.Ticks = append(a.Ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return a
}
