package figures

import "math"

// Places is a figure of ratios at named places, one panel below the other: the caller gives titles,
// the X axis with a tick at each place, and the series; all panels have one Y axis, with a rule at
// 1.
func Places(id, title, label, atOne string, caption []string, panels []Panel) *Figure {
	f := &Figure{ID: id, Title: title, Caption: caption, Panels: panels, Columns: 1}
	low, high := 1.0, 1.0
	for i := range f.Panels {
		l, h := span(f.Panels[i].Series)
		low, high = math.Min(low, l), math.Max(high, h)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Kind, p.Y = Lines, Axis{Label: label, Min: low, Max: high}
		p.ruleAtOne(atOne)
	}
	return f
}
