package plot

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A cluster is markers that lie together, with their labels as one.
type cluster struct {
	box    vg.Rectangle // around the markers
	labels []string     // each once, in the order of the points
	words  string
}

// clusters joins the labelled marks that touch, and those of the same label that nearly do.
func clusters(marks []mark) (list []cluster) {
	const near = 11.0 // between the edges of markers
	for _, a := range marks {
		if a.point.Label == "" {
			continue
		}
		c := cluster{square(a.at, a.radius*1.2), []string{a.point.Label}, ""}
		for again := true; again; {
			again = false
			for i, other := range list {
				same := slices.ContainsFunc(other.labels,
					func(s string) bool { return slices.Contains(c.labels, s) })
				if meet(c.box, other.box) || same && meet(grown(c.box, near), other.box) {
					c.box = around(c.box, other.box)
					c.labels = append(slices.Clone(other.labels), c.labels...)
					list = slices.Delete(list, i, i+1)
					again = true
					break
				}
			}
		}
		list = append(list, c)
	}
	for i := range list {
		slices.SortStableFunc(list[i].labels, func(a, b string) int {
			return order(marks, a) - order(marks, b)
		})
		list[i].words = strings.Join(slices.Compact(list[i].labels), ", ")
	}
	return list
}

// order returns where a label first stands.
func order(marks []mark, label string) int {
	return slices.IndexFunc(marks, func(m mark) bool { return m.point.Label == label })
}

// label writes words beside a box, where they meet none of the rectangles that are taken, or
// nowhere; it returns these and the words' own.
func label(c draw.Canvas, beside vg.Rectangle, words string, taken []vg.Rectangle) []vg.Rectangle {
	const gap = 2
	style := textStyle(6.5)
	style.Color, style.YAlign = ruleColour, draw.YBottom
	w, h := style.Width(words), style.FontExtents().Ascent
	middle := vg.Point{X: (beside.Min.X + beside.Max.X) / 2, Y: (beside.Min.Y + beside.Max.Y) / 2}
	for _, low := range []vg.Point{
		{X: beside.Max.X + gap, Y: middle.Y - h/2}, {X: beside.Min.X - gap - w, Y: middle.Y - h/2},
		{X: middle.X - w/2, Y: beside.Max.Y + gap}, {X: middle.X - w/2, Y: beside.Min.Y - gap - h},
		{X: beside.Max.X, Y: beside.Max.Y}, {X: beside.Max.X, Y: beside.Min.Y - h},
		{X: beside.Min.X - w, Y: beside.Max.Y}, {X: beside.Min.X - w, Y: beside.Min.Y - h},
	} {
		box := vg.Rectangle{Min: low, Max: vg.Point{X: low.X + w, Y: low.Y + h}}
		if !c.Contains(box.Min) || !c.Contains(box.Max) || slices.ContainsFunc(taken,
			func(t vg.Rectangle) bool { return meet(t, box) }) {
			continue
		}
		c.FillText(style, box.Min, words)
		return append(taken, box)
	}
	return taken
}

// square returns the square around a middle.
func square(at vg.Point, half vg.Length) vg.Rectangle {
	return grown(vg.Rectangle{Min: at, Max: at}, half)
}

func grown(r vg.Rectangle, by vg.Length) vg.Rectangle {
	d := vg.Point{X: by, Y: by}
	return vg.Rectangle{Min: r.Min.Sub(d), Max: r.Max.Add(d)}
}

// around returns the least rectangle that holds both.
func around(a, b vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: min(a.Min.X, b.Min.X), Y: min(a.Min.Y, b.Min.Y)},
		Max: vg.Point{X: max(a.Max.X, b.Max.X), Y: max(a.Max.Y, b.Max.Y)},
	}
}

func meet(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
