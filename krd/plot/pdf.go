package plot

import (
	"bytes"
	"io"
	"regexp"
	"slices"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// A pdfCanvas is a canvas of package vgpdf whose texts are right beyond ASCII, and whose bytes depend on
// what was drawn alone. vgpdf embeds its fonts with the encoding of code page 1252 and passes texts
// on in UTF-8, and its PDFs have the time of their making.
type pdfCanvas struct{ *vgpdf.Canvas }

// newPDF returns an empty canvas.
func newPDF(w, h vg.Length) pdfCanvas { return pdfCanvas{vgpdf.New(w, h)} }

// FillString draws text, with ? for what code page 1252 has not.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, codePage1252(text))
}

func codePage1252(text string) string {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case r < 0x80, 0xa0 <= r && r <= 0xff:
			b = append(b, byte(r))
		default:
			b = append(b, '?')
		}
	}
	return string(b)
}

var pdfDates = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[^)]*\)`)

// WriteTo writes the document without its dates.
func (c pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	// so that the table of objects stays right
	blank := func(date []byte) []byte { return bytes.Repeat([]byte{' '}, len(date)) }
	all := pdfDates.ReplaceAllFunc(b.Bytes(), blank)
	// behind the table of objects, which has the place of each in the file
	if at := bytes.LastIndex(all, []byte("startxref")); at >= 0 {
		all = slices.Insert(all, at, []byte("% "+Mark+"\n")...)
	}
	n, err := w.Write(all)
	return int64(n), err
}
