package figures

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd/krdplot"
	"krdlab/runtimes"
)

// lookOf returns the look of the scheduler in a place of the table. Each time that all colours were
// had one is left out, so that schedulers 8 or 16 places apart do not have the same.
func lookOf(place int) int { return place + place/len(krdplot.Palette) }

// SchedulerLooks returns the number of the look of each scheduler (see [krdplot.LookAt]), all
// different. It follows from the scheduler's place in the table. Those that have none there, with
// parameters or from another version of krdlab, have looks beyond it that follow from their names.
func SchedulerLooks(names []string) []int {
	table := runtimes.Schedulers
	used := lookOf(len(table))
	var looks []int
	for _, name := range names {
		place := slices.IndexFunc(table,
			func(s runtimes.Scheduler) bool { return s.Name == name })
		look := lookOf(place)
		if place < 0 {
			h := fnv.New32a()
			h.Write([]byte(name))
			look = used + int(h.Sum32()%uint32(max(1, krdplot.Looks-used)))
		}
		looks = append(looks, look)
	}
	return krdplot.DifferentLooks(looks)
}

// series is one of a scheduler, without points yet; it looks the same in all figures.
func (s *subject) series(scheduler string) Series {
	return NumberedSeries(scheduler, s.looks[scheduler])
}

// NumberedSeries is a series with the look of a number, without points.
func NumberedSeries(name string, number int) Series {
	look := krdplot.LookAt(number)
	e := Series{Name: name, Style: number, Colour: look.Hex(), Marker: look.Marker.SVG(),
		Dashes: []float64{}}
	for _, d := range look.Dashes {
		e.Dashes = append(e.Dashes, d.Points())
	}
	return e
}

// look is how the series is drawn.
func (s *Series) look() krdplot.Look {
	look := krdplot.LookAt(s.Style)
	look.Colour = colourOf(s.Colour)
	return look
}

func (s *Series) lineStyle() draw.LineStyle { return s.look().Line() }

// glyph is the style of a point of the series.
func (s *Series) glyph(v *Point) draw.GlyphStyle {
	look := s.look()
	look.Marker.Hollow = v != nil && v.Disturbed
	return look.Glyph()
}

// colourOf reads #rrggbb; what is not that is grey.
func colourOf(s string) color.RGBA {
	c := color.RGBA{A: 0xff}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		c = krdplot.Palette[len(krdplot.Palette)-1]
	}
	return c
}
