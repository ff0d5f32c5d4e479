package plot

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// A pngCanvas is a canvas of package vgimg with 200 dots an inch, and with the [Mark].
type pngCanvas struct{ vgimg.PngCanvas }

// newPNG returns an empty canvas.
func newPNG(w, h vg.Length) pngCanvas {
	return pngCanvas{vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(200))}}
}

// DrawImage draws a picture with the colours that it has: vgimg mixes those of neighbours, which
// makes the cells of a strip unclear and the file several times as large.
func (c pngCanvas) DrawImage(at vg.Rectangle, picture image.Image) {
	all, size, dpi := c.Image(), at.Size(), c.DPI()
	left, top := at.Min.X.Dots(dpi), float64(all.Bounds().Dy())-at.Max.Y.Dots(dpi)
	wide, high := size.X.Dots(dpi), size.Y.Dots(dpi)
	from := picture.Bounds()
	for y := int(math.Round(top)); y < int(math.Round(top+high)); y++ {
		for x := int(math.Round(left)); x < int(math.Round(left+wide)); x++ {
			dot := picture.At(from.Min.X+int((float64(x)+0.5-left)/wide*float64(from.Dx())),
				from.Min.Y+int((float64(y)+0.5-top)/high*float64(from.Dy())))
			if _, _, _, opaque := dot.RGBA(); opaque > 0 {
				all.Set(x, y, dot)
			}
		}
	}
}

// WriteTo writes the picture.
func (c pngCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, listed(c.Image())); err != nil {
		return 0, err
	}
	const end = 12 // the last chunk, IEND, is empty: length, type and checksum
	all := b.Bytes()
	text := chunk("tEXt", "Software\x00"+Mark)
	n, err := w.Write(append(append(all[:len(all)-end:len(all)-end], text...), all[len(all)-end:]...))
	return int64(n), err
}

// Pictures list their colours, which makes files a third as large: not more than listedColours, and of
// those that are nearer to each other than nearColours, in levels of all channels, or twice as near
// and so on where they are too many, the most frequent. Shades at the edges of letters and lines
// are lost.
const (
	listedColours = 256
	nearColours   = 16
)

// listed returns a picture with a list of its colours, and for those that are not in it the
// nearest.
func listed(from image.Image) *image.Paletted {
	all := image.NewRGBA(from.Bounds())
	draw.Draw(all, all.Bounds(), from, from.Bounds().Min, draw.Src)
	counts := map[[4]uint8]int{}
	for i := 0; i < len(all.Pix); i += 4 {
		counts[[4]uint8(all.Pix[i:])]++
	}
	var colours [][4]uint8
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b [4]uint8) int {
		return cmp.Or(counts[b]-counts[a], slices.Compare(a[:], b[:]))
	})
	to, index := image.NewPaletted(all.Bounds(), nil), map[[4]uint8]uint8{}
	for near := nearColours; to.Palette == nil || len(to.Palette) > listedColours; near *= 2 {
		to.Palette = thinned(colours, near)
	}
	for _, c := range colours {
		index[c] = uint8(to.Palette.Index(rgba(c)))
	}
	for i := range to.Pix {
		to.Pix[i] = index[[4]uint8(all.Pix[4*i:])]
	}
	return to
}

// thinned returns colours without those that are near to one before them; it ends where they are
// too many.
func thinned(colours [][4]uint8, near int) (list color.Palette) {
	for _, c := range colours {
		if !slices.ContainsFunc(list, func(other color.Color) bool {
			return apart(rgba(c), other.(color.RGBA)) < near
		}) {
			list = append(list, rgba(c))
		}
		if len(list) > listedColours {
			break
		}
	}
	return list
}

func rgba(c [4]uint8) color.RGBA { return color.RGBA{c[0], c[1], c[2], c[3]} }

// apart returns by how many levels two colours differ, over all channels.
func apart(a, b color.RGBA) (sum int) {
	for _, c := range [][2]uint8{{a.R, b.R}, {a.G, b.G}, {a.B, b.B}, {a.A, b.A}} {
		sum += max(int(c[0])-int(c[1]), int(c[1])-int(c[0]))
	}
	return sum
}
