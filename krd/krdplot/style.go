package krdplot

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Colours of what is not data: text and axes, the grid, lines of reference.
var (
	White = color.Gray{0xff}
	Ink   = color.Gray{0x20}
	Grid  = color.Gray{0xdd}
	Rule  = color.Gray{0x60}
)

// Sans is the font of all texts.
func Sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}
