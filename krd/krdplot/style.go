package krdplot

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Palette is that of Okabe and Ito ("Color Universal Design", 2008), which the colour-blind can
// tell apart, darkest first. It has as many colours as there are Markers.
var Palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x00, 0x00, 0xff},
	{0x80, 0x80, 0x80, 0xff},
}

// Markers differ in shape too, so that a figure survives a black-and-white printer.
var Markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{},
}

// Colours of what is not data: text and axes, the grid, lines of reference.
var (
	Ink  = color.Gray{0x20}
	Grid = color.Gray{0xdd}
	Rule = color.Gray{0x60}
)

// Sans is the font of all texts.
func Sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}
