package figures

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"strings"

	"gonum.org/v1/plot/vg"

	"krdlab/krd/krdplot"
	"krdlab/runtimes"
)

// schedulerSeries gives a scheduler the same colour, marker and dashes in all figures: those of its
// line in the table, or, where it has none there, as in results of another version of krdlab, some
// that follow from its name.
func schedulerSeries(name string) Series {
	base, _, _ := strings.Cut(name, ":")
	s, _ := runtimes.SchedulerByName(base)
	if name == base && s.Style != (runtimes.Style{}) {
		return Series{Name: name, Style: s.Style.Mark, Colour: s.Style.Colour}
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return styled(name, int(h.Sum32()%uint32(len(krdplot.Palette))))
}

func styled(name string, i int) Series {
	c := krdplot.Palette[i%len(krdplot.Palette)]
	return Series{Name: name, Style: i, Colour: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
}

// colourOf reads #rrggbb.
func colourOf(s string) color.RGBA {
	c := color.RGBA{A: 0xff}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		c = krdplot.Palette[len(krdplot.Palette)-1]
	}
	return c
}

// dashes of lines, by style: the first is solid.
var dashes = [][]vg.Length{
	nil, {6, 2}, {2, 2}, {6, 2, 1.5, 2}, {9, 3}, {1, 1.5}, {4, 1.5, 1, 1.5, 1, 1.5}, {3, 4},
}
