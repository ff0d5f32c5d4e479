package plot

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// Mark stands at the end of each picture, where no reader shows it, so that what krdlab drew can be
// told from what it did not: a comment of SVG and PDF, a text of PNG.
const Mark = "made by krdlab"

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
	if _, err := c.PngCanvas.WriteTo(&b); err != nil {
		return 0, err
	}
	const end = 12 // the last chunk, IEND, is empty: length, type and checksum
	all := b.Bytes()
	text := chunk("tEXt", "Software\x00"+Mark)
	n, err := w.Write(append(append(all[:len(all)-end:len(all)-end], text...), all[len(all)-end:]...))
	return int64(n), err
}

// chunk is a chunk of a PNG file (ISO/IEC 15948, 5.3).
func chunk(kind, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(b, kind+data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
