package plot

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Colours of what is not data: text and axes, the grid, lines of reference.
var (
	white      = color.Gray{0xff}
	ink        = color.Gray{0x20}
	gridColour = color.Gray{0xdd}
	ruleColour = color.Gray{0x60}
)

// sans returns the font of all texts.
func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}
