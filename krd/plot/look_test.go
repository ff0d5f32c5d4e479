package plot

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// A sight is an eye's transform of linear RGB.
type sight [3][3]float64

// Matrices of Machado, Oliveira and Fernandes ("A Physiologically-based Model for Simulation of
// Color Vision Deficiency", 2009) for the whole lack of one kind of cones; a print without colour.
var sights = map[string]sight{
	"colours": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}},
	"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}},
	"no colours": {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}},
}

// seen is a colour in CIELAB, as an eye sees it.
func (s sight) seen(c color.RGBA) [3]float64 {
	var linear, rgb [3]float64
	for i, v := range []uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if linear[i] = x / 12.92; x > 0.04045 {
			linear[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	for i := range rgb {
		for j := range linear {
			rgb[i] += s[i][j] * linear[j]
		}
		rgb[i] = min(1, max(0, rgb[i]))
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*rgb[0] + 0.3576*rgb[1] + 0.1805*rgb[2]) / 0.9505)
	y := f(0.2126*rgb[0] + 0.7152*rgb[1] + 0.0722*rgb[2])
	z := f((0.0193*rgb[0] + 0.1192*rgb[1] + 0.9505*rgb[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func (s sight) difference(a, b color.RGBA) float64 {
	p, q := s.seen(a), s.seen(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// The differences of colours are those that CIE 1976 defines: black and white are 100 apart, sRGB's
// red and green as their coordinates (53.2, 80.1, 67.2) and (87.7, -86.2, 83.2) say; and who lacks
// cones sees less of it.
func TestSights(t *testing.T) {
	black, white := color.RGBA{A: 255}, color.RGBA{255, 255, 255, 255}
	red, green := color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}
	eyes := sights["colours"]
	if d := eyes.difference(black, white); math.Abs(d-100) > 0.1 {
		t.Errorf("black and white: %v", d)
	}
	if d := eyes.difference(red, green); math.Abs(d-170.6) > 1 {
		t.Errorf("red and green: %v", d)
	}
	for _, name := range []string{"protanopia", "deuteranopia"} {
		if d := sights[name].difference(red, green); d > 110 {
			t.Errorf("red and green under %s: %v", name, d)
		}
	}
}

// All looks differ, those of 20 schedulers and of as many as there are looks: no two have more than
// one part in common, and two whose colours some eye can hardly tell apart, or a print without
// colours, differ in their markers or dashes.
func TestLooksDiffer(t *testing.T) {
	const atLeast, similar = 20, 20.0
	if Looks < atLeast {
		t.Fatalf("%d looks, expected at least %d", Looks, atLeast)
	}
	same := func(a, b Look) (parts int) {
		if a.Colour == b.Colour {
			parts++
		}
		if slices.Equal(a.Marker.outline, b.Marker.outline) {
			parts++
		}
		if slices.Equal(a.Dashes, b.Dashes) {
			parts++
		}
		return parts
	}
	hard := 0
	for i := range Looks {
		for j := range i {
			a, b := LookAt(i), LookAt(j)
			if n := same(a, b); n > 1 {
				t.Errorf("looks %d and %d have %d parts in common", i, j, n)
			}
			for name, eyes := range sights {
				if eyes.difference(a.Colour, b.Colour) > similar {
					continue
				}
				hard++
				if slices.Equal(a.Marker.outline, b.Marker.outline) &&
					slices.Equal(a.Dashes, b.Dashes) {
					t.Errorf("%s: looks %d and %d differ in nothing that is seen", name, i, j)
				}
			}
		}
	}
	if hard == 0 {
		t.Error("no two colours are similar to any eye: the test sees nothing")
	}
}

// The colours of the first eight schedulers are told apart by each eye that sees colours.
func TestPalette(t *testing.T) {
	const apart = 10 // CIE76; 2.3 is just noticeable
	for name, eyes := range sights {
		if name == "no colours" {
			continue
		}
		for i, a := range Palette {
			for _, b := range Palette[:i] {
				if d := eyes.difference(a, b); d < apart {
					t.Errorf("%s: %v and %v are %.1f apart", name, a, b, d)
				}
			}
			if d := eyes.difference(a, color.RGBA{255, 255, 255, 255}); d < 25 {
				t.Errorf("%s: %v is %.1f from white", name, a, d)
			}
		}
	}
}

// No two markers cover nearly the same dots, full or hollow, and each is about as large as the
// circle.
func TestMarkersDiffer(t *testing.T) {
	const size = 40
	drawn := func(m Marker) (dots []bool) {
		c := vgimg.NewWith(vgimg.UseWH(size, size), vgimg.UseDPI(72))
		d := draw.New(c)
		d.DrawGlyph(draw.GlyphStyle{Color: color.Black, Radius: 10, Shape: m},
			vg.Point{X: size / 2, Y: size / 2})
		for y := range size {
			for x := range size {
				r, _, _, a := c.Image().At(x, y).RGBA()
				dots = append(dots, a > 0x8000 && r < 0x8000)
			}
		}
		return dots
	}
	count := func(a, b []bool) (both, either int) {
		for i := range a {
			if a[i] && b[i] {
				both++
			}
			if a[i] || b[i] {
				either++
			}
		}
		return both, either
	}
	circle, _ := count(drawn(Marker{}), drawn(Marker{}))
	for i, outline := range outlines {
		full := drawn(Marker{outline: outline})
		n, _ := count(full, full)
		if n < circle/3 || n > circle*3/2 {
			t.Errorf("marker %d has %d dots, the circle %d", i, n, circle)
		}
		hollow := drawn(Marker{outline: outline, Hollow: true})
		if both, _ := count(full, hollow); float64(both) > 0.8*float64(n) {
			t.Errorf("marker %d hollow covers %d of the %d dots of the full one", i, both, n)
		}
		for j, other := range outlines[:i] {
			both, either := count(full, drawn(Marker{outline: other}))
			if share := float64(both) / float64(either); share > 0.85 {
				t.Errorf("markers %d and %d share %.2f of their dots", i, j, share)
			}
		}
	}
}

// Series that want the same look get others, and those that want one of their own keep it.
func TestDifferentLooks(t *testing.T) {
	if got, want := DifferentLooks([]int{3, 3, 4, 3}), []int{3, 5, 4, 6}; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
	many := DifferentLooks(make([]int, Looks))
	slices.Sort(many)
	if n := len(slices.Compact(many)); n != Looks {
		t.Errorf("%d different looks of %d", n, Looks)
	}
	if got := DifferentLooks(make([]int, Looks+3)); len(got) != Looks+3 {
		t.Errorf("%d looks", len(got))
	}
}
