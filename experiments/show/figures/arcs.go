package figures

import (
	"fmt"
	"slices"

	"krdlab/experiments/run/result"
	"krdlab/experiments/show/scene"
	"krdlab/hw/units"
	"krdlab/krd/plot"
)

const arcsID = "arcs"

// How many arcs there are at most, in a panel and in all: more are a blot, and a large file.
const (
	panelArcs = 300
	allArcs   = 1000
)

// arcs draws where accesses find the data that they touch: a panel for each scheduler, a line of
// time for each node, and over it arcs from the column of time of the previous use to that of the
// access.
func arcs(s *subject) (*plot.Figure, error) {
	all, err := s.over()
	if err != nil {
		return nil, err
	}
	if len(all.list) == 0 {
		return nil, Skipped{ID: arcsID, Reason: "no run has its trace"}
	}
	most := min(panelArcs, allArcs/len(all.list))
	var classes [scene.Classes]bool
	heaviest := 0
	for i := range all.list {
		for _, a := range all.list[i].heaviest(most) {
			heaviest, classes[a.Class] = max(heaviest, a.Accesses), true
		}
	}
	if heaviest == 0 {
		return nil, Skipped{ID: arcsID, Reason: "nothing is used again on its node in another column of time"}
	}
	f := all.figure(arcsID, "Where reuse comes from", func(x *schedule) plot.Panel {
		return all.panel(x, most, heaviest, &classes)
	})
	f.Caption = []string{fmt.Sprintf("A line of time for each node. An arc joins the previous "+
		"uses, on the node, of what accesses touch to these accesses: the longer the higher, the more "+
		"accesses the wider and darker. It stands for those of a class whose ends are near each other, "+
		"the longer the less so. Colours: %s. At most %d arcs a panel, those of most accesses; not drawn "+
		"are the others, reuse within a column of time (%s %s), and first uses on a node: above each "+
		"panel, shares of all accesses. Of the traced repetition, on %s.",
		classWords(func(c scene.Class) bool { return classes[c] }), most,
		short(all.time.Max/arcColumns), all.time.Unit, plural(all.cores, "core"))}
	f.Caption = append(f.Caption, all.of()...)
	return f, nil
}

// heaviest returns the arcs of most accesses, so many or all.
func (x *schedule) heaviest(most int) []scene.Arc {
	list := slices.Clone(x.arcs.List)
	slices.SortStableFunc(list, func(a, b scene.Arc) int { return b.Accesses - a.Accesses })
	return list[:min(len(list), most)]
}

// panel returns the arcs of a schedule, at most so many, as wide as their share of the heaviest of
// the figure; classes are those that are in it.
func (s *schedules) panel(x *schedule, most, heaviest int,
	classes *[scene.Classes]bool) plot.Panel {
	nodes := x.header.Nodes
	p := plot.Panel{Title: x.scheduler, Kind: plot.Arcs, X: s.time,
		Y: plot.Axis{Min: -0.05, Max: float64(nodes)}}
	for n := 0; n < nodes; n += every(nodes, len(s.list)) {
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: float64(nodes - 1 - n),
			Label: fmt.Sprintf("node %d", n)})
	}
	at := func(ticks float64) float64 { return ticks / x.ticks * s.time.Max }
	shown := 0
	for _, c := range []scene.Class{scene.Close, scene.Near, scene.Reuse, scene.Far, scene.Cold} {
		series := plot.Series{Name: scene.Looks[c].Name, Colour: scene.Looks[c].Colour, Style: int(c)}
		for _, a := range slices.Backward(x.heaviest(most)) { // the heaviest on top
			if a.Class != c {
				continue
			}
			shown += a.Accesses
			series.Points = append(series.Points, plot.Point{X: at(a.From), XHigh: result.Some(at(a.To)),
				At: fmt.Sprintf("node %d, from %s to %s", a.Node, units.Digits(at(a.From), 3),
					units.Digits(at(a.To), 3)), Y: result.Some(float64(a.Accesses)), N: 1,
				Row: nodes - 1 - a.Node, Shade: float64(a.Accesses) / float64(heaviest)})
		}
		if classes[c] {
			p.Series = append(p.Series, series)
		}
	}
	share := func(n int) string { return shareOf(int64(n), int64(x.arcs.All)) }
	p.Note = fmt.Sprintf("drawn %s, within a column %s, first uses %s", share(shown),
		share(x.arcs.Within), share(x.arcs.Cold))
	return p
}
