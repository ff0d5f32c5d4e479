package figures

import (
	"fmt"
	"hash/fnv"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"

	"krdlab/experiments"
	"krdlab/krd/krdplot"
)

// styles gives each scheduler the same colour, marker and dashes in all figures: places in the palette of package krdplot (Okabe and Ito).
// The four of the paper have the first four.
var styles = []string{"workfirst", "helpfirst", "shepherd-core", "shepherd-socket", "helpfirst-locality", "go", "serial"}

func schedulerSeries(name string) Series {
	i := slices.Index(styles, name)
	if i < 0 && !slices.Contains(experiments.SchedulerNames(), name) { // of another version of krdlab
		h := fnv.New32a()
		h.Write([]byte(name))
		i = int(h.Sum32() % uint32(len(krdplot.Palette)))
	} else if i < 0 {
		i = len(krdplot.Palette) - 1
	}
	return styled(name, i)
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
