package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas is a canvas of package vgsvg whose texts, all in [sans], keep their places where its font
// is not installed: others of the same metrics are named, and each text has its width.
type svgCanvas struct{ *vgsvg.Canvas }

// newSVG returns an empty canvas.
func newSVG(w, h vg.Length) svgCanvas { return svgCanvas{vgsvg.NewWith(vgsvg.UseWH(w, h))} }

var svgTexts = regexp.MustCompile(`<text ([^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// WriteTo writes the document.
func (c svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	var all []byte
	for part := range bytes.SplitAfterSeq(b.Bytes(), []byte("</text>")) { // faster than all of it
		all = append(all, svgTexts.ReplaceAllFunc(part, fixedWidth)...)
	}
	// vgsvg gives its PNGs another name, and readers keep their shape unless told not to
	all = bytes.ReplaceAll(all, []byte(`xlink:href="data:image/jpg;`),
		[]byte(`preserveAspectRatio="none" xlink:href="data:image/png;`))
	n, err := w.Write(append(all, "<!-- "+Mark+" -->\n"...))
	return int64(n), err
}

// fixedWidth adds the names of fonts and the width to a text element.
func fixedWidth(element []byte) []byte {
	m := svgTexts.FindSubmatch(element)
	attributes, words := string(m[1]), string(m[3])
	size, err := strconv.ParseFloat(string(m[2]), 64)
	if err != nil || strings.TrimSpace(words) == "" {
		return element
	}
	style := text.Style{Font: sans(vg.Length(size)), Handler: gonum.DefaultTextHandler}
	attributes = strings.Replace(attributes, "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;", 1)
	return fmt.Appendf(nil, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`,
		style.Width(html.UnescapeString(words)).Points(), attributes, words)
}
