package figures

import (
	"krdlab/krd/krdplot"
)

// legend collects the series of all panels, each once, and the rules that are named in it.
func (f *Figure) legend() krdplot.Legend {
	var list []krdplot.Entry
	for _, p := range f.Panels {
		for i := range p.Series {
			s := &p.Series[i]
			glyph := s.glyph(nil)
			e := krdplot.Entry{Name: s.Name, Line: s.lineStyle(), Glyph: &glyph,
				Filled: p.Kind == Stacked}
			if s.Apart {
				e.Line.Width = 0
			}
			if p.Kind != Heat && p.Kind != Matrix {
				list = append(list, e)
			}
		}
	}
	for _, p := range f.Panels {
		for i := range p.Rules {
			if p.Rules[i].Legend {
				list = append(list, krdplot.Entry{Name: p.Rules[i].Name, Line: p.Rules[i].style()})
			}
		}
	}
	return krdplot.NewLegend(list)
}
