package plot

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"strconv"
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

// TestStrips has cells in rows as wide as the panel, sharp in a picture, with axes in letters; one that
// no series has is white, and so is a gap between rows.
func TestStrips(t *testing.T) {
	at := func(x, y float64) Point { return Point{X: x, Y: units.Some(y), N: 1} }
	var a, z []Point
	for x := 0.0; x < 600; x++ {
		if x < 450 {
			a = append(a, at(x, 2))
		} else {
			z = append(z, at(x, 0))
		}
	}
	f := &Figure{ID: "timeline", Title: "strips", Columns: 1, Panels: []Panel{{Kind: Strips,
		X: Axis{Label: "time [ms]", Min: -0.5, Max: 599.5, Ticks: []Tick{{-0.5, "0"}, {599.5, "8"}}},
		Y: Axis{Min: -0.5, Max: 2.5, Ticks: []Tick{{0, "node 1"}, {2, "node 0"}}},
		Series: []Series{{Name: "a", Colour: "#0072b2", Points: a},
			{Name: "b", Colour: "#d55e00", Style: 1, Points: z}}}}}
	var b bytes.Buffer
	if err := f.Write(&b, "png"); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	spans, boxes := map[[3]uint32]image.Rectangle{}, 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			r, g, blue, _ := picture.At(x, y).RGBA()
			if c := [3]uint32{r >> 8, g >> 8, blue >> 8}; c[0] != c[1] || c[1] != c[2] {
				if y > picture.Bounds().Dy()*3/4 { // the legend
					if c == [3]uint32{0xd5, 0x5e, 0x00} {
						boxes++
					}
					continue
				}
				spans[c] = spans[c].Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	first, second := spans[[3]uint32{0x00, 0x72, 0xb2}], spans[[3]uint32{0xd5, 0x5e, 0x00}]
	if len(spans) != 2 || boxes < 600 {
		t.Errorf("%d colours but greys, %d dots of the second in the legend", len(spans), boxes)
	}
	if first.Dx() < 3*second.Dx()-3 || first.Dx() > 3*second.Dx()+3 || first.Dx() < 700 ||
		first.Max.X > second.Min.X+1 || second.Min.Y < first.Max.Y+first.Dy()-2 || first.Dy() < 20 {
		t.Errorf("rows at %v and %v", first, second)
	}
	b.Reset()
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">time [ms]<", ">node 1<", ">8<", ">b<",
		`preserveAspectRatio="none" xlink:href="data:image/png;base64`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %.300s", want, &b)
		}
	}
	_, data, _ := strings.Cut(b.String(), "png;base64,")
	data, _, _ = strings.Cut(data, `"`)
	of, err := png.DecodeConfig(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil || of.Width != 600 || of.Height < 300 { // viewers mix neighbouring dots
		t.Errorf("a picture of %d x %d dots, %v", of.Width, of.Height, err)
	}
}

// TestArcs has each arc stand with its ends on the line of its row, in the colour of its series; the
// longer the higher, but within its row, and the heavier the wider.
func TestArcs(t *testing.T) {
	arc := func(row int, from, to, shade float64) Point {
		return Point{X: from, XHigh: units.Some(to), Y: units.Some(1), Row: row, Shade: shade}
	}
	f := &Figure{ID: "arcs", Title: "arcs", Columns: 1, Panels: []Panel{{Kind: Arcs,
		X: Axis{Label: "time", Max: 8, Ticks: []Tick{{0, "0"}, {8, "8"}}},
		Y: Axis{Max: 2, Ticks: []Tick{{0, "node 1"}, {1, "node 0"}}},
		Series: []Series{{Name: "near", Colour: "#0072b2", Points: []Point{arc(1, 0, 8, 1)}},
			{Name: "far", Colour: "#d55e00", Points: []Point{arc(0, 6, 7, 0)}}}}}}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`<path d="M([0-9.]+),([0-9.]+)C[0-9.]+,([0-9.]+),[0-9.,]*?` +
		`([0-9.]+),([0-9.]+)" style="fill:none;stroke:#([0-9A-F]+);stroke-width:([0-9.]+)"`)
	list := found.FindAllStringSubmatch(b.String(), -1)
	if len(list) != 2 {
		t.Fatalf("%d arcs in\n%s", len(list), &b)
	}
	var at [2][6]float64 // ends and the control point
	for i, m := range list {
		for j, k := range []int{1, 2, 3, 4, 5, 7} {
			v, err := strconv.ParseFloat(m[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			at[i][j] = v
		}
	}
	long, short := at[0], at[1]
	row := long[1] - short[1] // how high one is
	high := func(a [6]float64) float64 { return (a[2] - a[1]) * 3 / 4 / row }
	if long[1] != long[4] || short[1] != short[4] || row < 20 || high(long) < 0.9 ||
		high(long) > 1 || math.Abs(high(short)/high(long)-math.Sqrt(1.0/8)) > 0.01 {
		t.Errorf("arcs of %v and %v", long, short)
	}
	if wide := long[3] - long[0]; math.Abs(short[0]-(long[0]+wide*6/8)) > 0.1 ||
		math.Abs(short[3]-(long[0]+wide*7/8)) > 0.1 || wide < 300 {
		t.Errorf("arcs of %v and %v", long, short)
	}
	if list[0][6] != "0072B2" || list[1][6] != "F0C7A6" || // faint
		long[5] < 4*short[5] {
		t.Errorf("arcs of %v and %v", list[0], list[1])
	}
	b.Reset()
	if err := f.Write(&b, Markdown); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "| whose | arcs |") {
		t.Error(text)
	}
}

// TestListed keeps colours that are apart, the most frequent of those that are near each other, and has
// not more than a list holds.
func TestListed(t *testing.T) {
	all := image.NewRGBA(image.Rect(0, 0, 512, 512))
	for x := range 512 {
		for y := range 256 {
			all.Set(x, y, color.RGBA{uint8(x / 2), uint8(y), 7, 0xff})
			all.Set(x, y+256, color.RGBA{0xd5, 0x5e, 0x00, 0xff})
		}
	}
	all.Set(0, 300, color.RGBA{0, 0, 0xff, 0xff}) // rare, but like none
	got := listed(all)
	if n := len(got.Palette); n > listedColours || n < listedColours/2 {
		t.Errorf("%d colours", n)
	}
	for _, at := range []image.Point{{9, 400}, {0, 300}} {
		if got.At(at.X, at.Y) != all.At(at.X, at.Y) {
			t.Errorf("%v in place of %v", got.At(at.X, at.Y), all.At(at.X, at.Y))
		}
	}
	for x := range 512 {
		if is, was := got.At(x, x/2).(color.RGBA), all.RGBAAt(x, x/2); apart(is, was) > 3*nearColours {
			t.Errorf("%v in place of %v", is, was)
		}
	}
}
