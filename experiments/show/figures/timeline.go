package figures

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/experiments/show/scene"
	"krdlab/krd/plot"
)

const timelineID = "timeline"

// doings are the states of workers, in the order of the legend: reuse classes of kernel executions
// in colours, all else in greys.
var doings = func() (list [scene.Doings]plot.Series) {
	for d, l := range scene.Looks {
		list[d] = plot.Series{Name: l.Name, Colour: l.Colour}
	}
	return list
}()

// timeline draws what each worker did when: a panel for each scheduler, a row for each worker,
// those of a node together, and the kernel executions in the colours of their reuse classes.
func timeline(s *subject) (*plot.Figure, error) {
	all, err := s.over()
	if err != nil {
		return nil, err
	}
	if len(all.list) == 0 {
		return nil, Skipped{ID: timelineID, Reason: "no run has its trace"}
	}
	f := all.figure(timelineID, "What the workers did", all.strips)
	column := all.time.Max / float64(all.columns)
	f.Caption = []string{fmt.Sprintf("A row for each worker, those of a node together. Colours: the "+
		"class of a kernel execution's farthest access (%s). Each mark is %s %s of a worker, and "+
		"shows what took most of it; above each panel, shares of all time. Of the traced "+
		"repetition, on %s.", classWords(func(c scene.Class) bool { return all.sees(scene.Doing(c)) }),
		short(column), all.time.Unit, plural(all.cores, "core"))}
	if who := all.named(func(x *schedule) bool { return !x.searches }); who != "" {
		f.Caption = append(f.Caption, fmt.Sprintf("The traces do not tell when workers search for work "+
			"(%s): scheduling has that in it.", who))
	}
	if who := all.named(func(x *schedule) bool { return x.tasks }); who != "" {
		f.Caption = append(f.Caption, fmt.Sprintf("Some times are those of whole tasks (%s): a task's "+
			"kernel executions share its time in equal parts.", who))
	}
	f.Caption = append(f.Caption, all.of()...)
	return f, nil
}

// sees reports whether a worker does something at some time.
func (s *schedules) sees(what scene.Doing) bool {
	return slices.ContainsFunc(s.list, func(x schedule) bool { return x.strip.Ticks[what] > 0 })
}

// strips returns the panel of a schedule.
func (s *schedules) strips(x *schedule) plot.Panel {
	p := plot.Panel{Title: x.scheduler, Kind: plot.Strips, X: s.inColumns(s.columns),
		Y: plot.Axis{Min: -0.5}}
	rows := rowsOf(x)
	high := rows[len(rows)-1].at
	p.Y.Max = float64(high) + 0.5
	var time int64
	for what, ticks := range x.strip.Ticks {
		if scene.Doing(what) != scene.Ended {
			time += ticks
		}
	}
	var shares []string
	for what := range scene.Ended {
		ticks := x.strip.Ticks[what]
		if ticks == 0 && !s.sees(what) {
			continue
		}
		series := doings[what]
		series.Style = int(what)
		if what == scene.Scheduling && !x.searches {
			series.Name += " or idle"
		}
		if ticks > 0 {
			shares = append(shares, series.Name+" "+shareOf(ticks, time))
		}
		for _, row := range rows {
			for column, did := range x.strip.Cells[row.worker] {
				if did == what {
					series.Points = append(series.Points, plot.Point{X: float64(column), N: 1,
						At: s.when(column, s.columns), Y: result.Some(float64(high - row.at))})
				}
			}
		}
		p.Series = append(p.Series, series)
	}
	p.Note = strings.Join(shares, ", ")
	p.Y.Ticks = rowTicks(x, rows, every(x.header.Nodes, len(s.list)))
	return p
}

// A row is where a worker is drawn, counted from the top.
type row struct{ worker, node, at int }

// rowsOf returns those of a schedule: workers by node, with an empty row between two nodes.
func rowsOf(x *schedule) (list []row) {
	for w := range x.header.Workers {
		list = append(list, row{worker: w, node: x.header.Workers[w].Node})
	}
	slices.SortStableFunc(list, func(a, b row) int { return a.node - b.node })
	for i := 1; i < len(list); i++ {
		list[i].at = list[i-1].at + 1
		if list[i].node != list[i-1].node {
			list[i].at++
		}
	}
	return list
}

// figureTicks is how many names of nodes a figure has at most, but for one in each panel: those of a
// panel on 32 nodes for each of 20 schedulers are a wall of letters, and most of the file.
const figureTicks = 200

// every returns how many nodes each name stands for, in each of so many panels.
func every(nodes, panels int) int {
	most := max(1, figureTicks/max(panels, 1))
	return (nodes + most - 1) / most
}

// rowTicks returns the names of nodes, of each so many the first, at the middle of its rows; of a
// single node, of the first and the last worker.
func rowTicks(x *schedule, rows []row, every int) (ticks []plot.Tick) {
	high := rows[len(rows)-1].at
	for i, node := 0, 0; i < len(rows); node++ {
		n := i + 1
		for n < len(rows) && rows[n].node == rows[i].node {
			n++
		}
		if node%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(high) - float64(rows[i].at+rows[n-1].at)/2,
				Label: fmt.Sprintf("node %d", rows[i].node)})
		}
		i = n
	}
	if x.header.Nodes > 1 {
		return ticks
	}
	ticks = []plot.Tick{{Value: float64(high), Label: fmt.Sprintf("worker %d", rows[0].worker)}}
	if high > 0 {
		ticks = append(ticks, plot.Tick{Label: fmt.Sprintf("worker %d", rows[len(rows)-1].worker)})
	}
	return ticks
}
