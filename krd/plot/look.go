package plot

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Palette is that of Okabe and Ito ("Color Universal Design", 2008), which the colour-blind can
// tell apart, with grey in the place of its yellow, which is too light for lines on white.
var Palette = []color.RGBA{
	{0x00, 0x00, 0x00, 0xff}, // black
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x70, 0x70, 0x70, 0xff}, // grey
}

// dashes of lines, in points: drawn, left out, drawn, ...; the second is solid.
var dashes = [][]vg.Length{
	{3, 3.5}, nil, {6, 2.5}, {11, 3}, {1.5, 1.5}, {6, 2, 1.5, 2}, {6, 1.5, 1.5, 1.5, 1.5, 1.5},
}

// Looks is how many looks there are such that no two have two of their three parts in common. The
// numbers of colours, markers and dashes have no common divisor, so that two looks that share one
// part differ in the two others.
var Looks = len(Palette) * len(dashes)

// A Look is how a series is drawn, so that it is known again in all figures.
type Look struct {
	Colour color.RGBA
	Marker Marker
	Dashes []vg.Length // of its line: drawn, left out, ...; none: solid
}

// LookAt returns look number i, of [Looks] that differ.
func LookAt(i int) Look {
	return Look{Palette[i%len(Palette)], Marker{outline: outlines[i%len(outlines)]},
		dashes[i%len(dashes)]}
}

// Line returns the style of the line through points.
func (l Look) Line() draw.LineStyle {
	return draw.LineStyle{Color: l.Colour, Width: vg.Points(1.2), Dashes: l.Dashes}
}

// Glyph returns the style of a point.
func (l Look) Glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.Colour, Radius: vg.Points(2.7), Shape: l.Marker}
}

// Hex returns the colour as #rrggbb.
func (l Look) Hex() string {
	return fmt.Sprintf("#%02x%02x%02x", l.Colour.R, l.Colour.G, l.Colour.B)
}

// DifferentLooks returns numbers of looks for the series of one figure, all different: those that are
// wanted, and in the place of one that an earlier series has, the next that none wants or has.
func DifferentLooks(wanted []int) []int {
	looks, used := slices.Clone(wanted), slices.Clone(wanted)
	for i, look := range looks {
		if !slices.Contains(looks[:i], look) {
			continue
		}
		for range Looks { // beyond so many series some look alike
			if look = (look + 1) % Looks; !slices.Contains(used, look) {
				break
			}
		}
		looks[i], used = look, append(used, look)
	}
	return looks
}
