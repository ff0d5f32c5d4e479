package plot

import (
	"slices"
	"strings"

	"krdlab/hw/units"
)

// DisturbedBy is why a number is doubtful.
const DisturbedBy = "other programs, or the machine, disturbed a repetition or more"

// Notes returns the lines of the caption that follow from what is drawn.
func (f *Figure) Notes() (lines []string) {
	lines = f.identical()
	cut, disturbed := false, false
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.Series {
			for _, v := range s.Points {
				cut = cut || p.Kind == Lines && (p.Y.beyond(v.Y) || p.Y.beyond(v.Low) ||
					p.Y.beyond(v.High))
				disturbed = disturbed || v.Disturbed
			}
		}
	}
	if cut {
		lines = append(lines, "Arrows: a value beyond the axis, written beside it, or an interval "+
			"that goes on.")
	}
	if disturbed {
		lines = append(lines, "Hollow markers: "+DisturbedBy+".")
	}
	return lines
}

// beyond reports whether n is not within the axis.
func (a *Axis) beyond(n units.Number) bool {
	return n.Known() && (n.Float() > a.Max || n.Float() < a.Min)
}

// identical names the series that are the same in all their points, of each panel where panels
// differ in that.
func (f *Figure) identical() []string {
	var texts []string
	for i := range f.Panels {
		texts = append(texts, f.Panels[i].identical())
	}
	if len(slices.Compact(slices.Clone(texts))) == 1 {
		if texts[0] == "" {
			return nil
		}
		return []string{"Identical: " + texts[0] + "."}
	}
	var parts []string
	for i, text := range texts {
		if text != "" {
			parts = append(parts, f.Panels[i].Title+": "+text)
		}
	}
	return []string{"Identical, in " + strings.Join(parts, ", in ") + "."}
}

// identical returns "a and b; c, d and e", "" where no two series are the same.
func (p *Panel) identical() string {
	if p.Kind != Lines {
		return ""
	}
	var groups []string
	said := map[string]bool{}
	all := len(p.Series)
	for i, s := range p.Series {
		same := []string{s.Name}
		for _, other := range p.Series[i+1:] {
			if !said[other.Name] && slices.EqualFunc(s.Points, other.Points, samePlace) {
				same = append(same, other.Name)
				said[other.Name] = true
			}
		}
		if len(same) == all && all > 5 {
			return "all lines"
		}
		if len(same) > 1 && !said[s.Name] {
			groups = append(groups, units.List(same))
		}
	}
	return strings.Join(groups, "; ")
}

// samePlace reports whether two points and their intervals are drawn at the same place.
func samePlace(a, b Point) bool {
	same := func(x, y units.Number) bool {
		return x.Known() == y.Known() && (!x.Known() || x.Float() == y.Float())
	}
	return a.X == b.X && same(a.Y, b.Y) && same(a.Low, b.Low) && same(a.High, b.High) &&
		same(a.XLow, b.XLow) && same(a.XHigh, b.XHigh)
}
