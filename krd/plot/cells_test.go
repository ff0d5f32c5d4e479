package plot

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"krdlab/hw/units"
)

// TestCells has as many dots of each colour as cells, those of the first row at the top, and counts
// in place of points as text. A cell that no series has is white.
func TestCells(t *testing.T) {
	at := func(x, y float64) Point { return Point{X: x, Y: units.Some(y), N: 1} }
	f := &Figure{ID: "map", Title: "cells", Columns: 1, Panels: []Panel{{Kind: Cells,
		X: Axis{Min: -0.5, Max: 2.5}, Y: Axis{Min: -0.5, Max: 1.5},
		Series: []Series{{Name: "a", Colour: "#0072b2", Points: []Point{at(0, 1), at(1, 1), at(2, 1)}},
			{Name: "b", Colour: "#d55e00", Style: 1, Points: []Point{at(0, 0), at(2, 0)}}}}}}
	var b bytes.Buffer
	if err := f.Write(&b, "png"); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	var dots, height [2]float64
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, blue, _ := picture.At(x, y).RGBA()
			for i, c := range [][3]uint32{{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}} {
				if r>>8 == c[0] && g>>8 == c[1] && blue>>8 == c[2] {
					dots[i]++
					height[i] += float64(y)
				}
			}
		}
	}
	if ratio := dots[0] / dots[1]; dots[1] < 1000 || math.Abs(ratio-1.5) > 0.02 ||
		height[0]/dots[0] >= height[1]/dots[1] {
		t.Errorf("%v dots of the two colours, of 3 and 2 cells, at %v", dots, height)
	}
	b.Reset()
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"data:image/png;base64,iVBORw0KGgo`) { // as a PNG begins
		t.Errorf("%.300s", &b)
	}
	b.Reset()
	if err := f.Write(&b, Markdown); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "| a | 3 |\n| b | 2 |") {
		t.Error(text)
	}
}
