package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"krdlab/hw/units"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shares are those of the accesses of the 4096 x 4096 multiplication on one core below 2^13 bytes
// and the next powers of two, in %.
var shares = []float64{0, 16.6667, 25, 50, 59.375, 75, 79.2969, 87.5, 89.5996, 93.75, 94.7937, 96.875,
	97.3961, 98.4375, 98.6979, 98.96}

// distances is a figure as those of reuse distances are: a curve of shares for each name, and bars of
// their differences, or curves where there are several. Each curve is so much below the one before.
func distances(below float64, names ...string) *Figure {
	x := Axis{Label: "reuse distance [bytes]", Unit: "bytes", Min: 11, Max: 29.5,
		Ticks: []Tick{{11.5, "0"}, {13, "8 KiB"}, {20, "1 MiB"}, {25, "32 MiB"}, {29, "INF"}}}
	rules := []Rule{{Name: "L2 256 KiB", X1: 18, X2: 18, Y2: 100, Dashed: true},
		{Name: "LLC 18 MiB", X1: 24.2, X2: 24.2, Y2: 100, Dashed: true}}
	f := &Figure{ID: "krd", Title: "Kernel reuse distance", Columns: 1, Panels: []Panel{
		{Kind: Lines, X: x, Y: PercentAxis("accesses with a smaller distance [%]", 100), Rules: rules},
		{Kind: Lines, X: x, Y: PercentAxis("accesses in the bin [%]", 50), Rules: rules}},
		Caption: []string{"n = 3 145 728 accesses on 1 node; exclusive distance; shares are of accesses, " +
			"cold ones (INF) included.", "westmere-ex-4s (simulated)"}}
	if len(names) == 1 {
		f.Panels[1].Kind = Stacked
	}
	for i, name := range names {
		all, bins := NewSeries(name, 1+i), NewSeries(name, 1+i)
		point := func(x, y float64) Point { return Point{X: x, Y: units.Some(y), N: 1} }
		for k, share := range shares[1:] {
			down := 1 - below*float64(i)
			all.Points = append(all.Points, point(float64(13+k), share*down))
			bins.Points = append(bins.Points, point(float64(13+k)-0.5, (share-shares[k])*down))
		}
		last := point(29, 100)
		last.Apart = true
		all.Points = append(all.Points, last)
		f.Panels[0].Series = append(f.Panels[0].Series, all)
		f.Panels[1].Series = append(f.Panels[1].Series, bins)
	}
	return f
}

// TestFormats draws one node and four and decodes what was written. KRDPLOT_OUT=folder keeps the
// figures, to be looked at.
func TestFormats(t *testing.T) {
	dir := os.Getenv("KRDPLOT_OUT")
	if dir == "" {
		dir = t.TempDir()
	}
	noCaches := distances(0, "sum over nodes")
	for i := range noCaches.Panels {
		noCaches.Panels[i].Rules = nil
	}
	for _, c := range []struct {
		name string
		fig  *Figure
	}{
		{"one", distances(0, "node 0")},
		{"four", distances(0.15, "sum over nodes", "node 0", "node 1", "node 2", "node 3")},
		{"nocaches", noCaches},
	} {
		for _, format := range []string{"png", "svg", "pdf"} {
			path := filepath.Join(dir, c.name+"."+format)
			if os.Getenv("KRDPLOT_OUT") != "" {
				os.Remove(path)
			}
			var b bytes.Buffer
			if err := c.fig.Write(&b, format); err != nil {
				t.Fatalf("%s.%s: %v", c.name, format, err)
			}
			data := b.Bytes()
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(data[len(data)-64:], []byte(Mark)) {
				t.Errorf("%s has no mark at its end", path)
			}
			switch format {
			case "png":
				img, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if w := img.Bounds().Dx(); w != 1300 {
					t.Errorf("%s is %d pixels wide, want 6.5 inches of 200", path, w)
				}
				dots := map[[3]uint8]int{}
				for y := range img.Bounds().Dy() {
					for x := range img.Bounds().Dx() {
						r, g, b, _ := img.At(x, y).RGBA()
						dots[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
					}
				}
				for _, s := range c.fig.Panels[0].Series {
					look := colourOf(s.Colour)
					if n := dots[[3]uint8{look.R, look.G, look.B}]; n < 300 {
						t.Errorf("%s: %d dots in the colour of %s", path, n, s.Name)
					}
				}
			case "svg":
				words := svgText(t, data)
				want := []string{"INF", "Kernel reuse distance", "32 MiB"}
				if c.name != "nocaches" {
					want = append(want, "L2 256 KiB", "LLC 18 MiB")
				}
				if c.name == "four" {
					want = append(want, "0", "sum over nodes", "node 0", "node 3")
				}
				for _, w := range append(want, newCaption(c.fig.Caption)...) {
					if !words[w] {
						t.Errorf("%s: no text %q", path, w)
					}
				}
			case "pdf":
				if !bytes.HasPrefix(data, []byte("%PDF-")) || !bytes.Contains(data[len(data)-32:],
					[]byte("%%EOF")) {
					t.Errorf("%s is no complete PDF", path)
				}
				words := inflated(t, data)
				for _, s := range append([]string{c.fig.Title, c.fig.Panels[0].Series[0].Name,
					c.fig.Panels[0].X.Label}, newCaption(c.fig.Caption)[0]) {
					if !bytes.Contains(words, inPDF(s)) {
						t.Errorf("%s does not say %q", path, s)
					}
				}
			}
		}
	}
}

// svgText returns the texts of an SVG, which must be well-formed.
func svgText(t *testing.T, data []byte) map[string]bool {
	words := make(map[string]bool)
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Strict = true
	for {
		token, err := d.Token()
		if err == io.EOF {
			return words
		}
		if err != nil {
			t.Fatalf("svg: %v", err)
		}
		if s, ok := token.(xml.CharData); ok {
			words[strings.TrimSpace(string(s))] = true
		}
	}
}

// inflated is the content of the compressed streams of a PDF.
func inflated(t *testing.T, pdf []byte) []byte {
	t.Helper()
	var all []byte
	for _, part := range bytes.Split(pdf, []byte("stream\n"))[1:] {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue
		}
		b, err := io.ReadAll(r)
		if err == nil {
			all = append(all, b...)
		}
	}
	if len(all) == 0 {
		t.Fatal("no stream in the PDF")
	}
	return all
}

// inPDF is s as a PDF has it: code page 1252, with brackets escaped.
func inPDF(s string) (b []byte) {
	for _, r := range s {
		if r == '(' || r == ')' {
			b = append(b, '\\')
		}
		b = append(b, byte(r)) // what is tested is in Latin 1
	}
	return b
}

// Texts of an SVG say how wide they are, whatever they hold.
func TestFixedWidth(t *testing.T) {
	c := newSVG(100, 100)
	c.SetColor(ink)
	d := draw.New(c)
	style := textStyle(8)
	d.FillText(style, vg.Point{X: 10, Y: 10}, "a < b & 2 \u00d7 c")
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`<text textLength="%.5g" `, style.Width("a < b & 2 \u00d7 c").Points())
	if s := b.String(); !strings.Contains(s, want) ||
		!strings.Contains(s, "a &lt; b &amp; 2 \u00d7 c</text>") ||
		!strings.Contains(s, "Sans,Arial,") {
		t.Errorf("no %s in %s", want, s)
	}
}

// The texts of a PDF are in the encoding of its fonts, without a date.
func TestPDF(t *testing.T) {
	if got := codePage1252("n\u00a0= 3\u00d7\u2265"); got != "n\xa0= 3\xd7?" {
		t.Errorf("%q", got)
	}
	var b bytes.Buffer
	if err := distances(0, "node 0").Write(&b, "pdf"); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("Date")) {
		t.Error("the PDF has a date")
	}
}

func TestWriteErrors(t *testing.T) {
	f := distances(0, "node 0")
	if err := f.Write(io.Discard, "gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("gif: %v, want ErrFormat", err)
	}
	if format, err := FormatOf("a/b.SVG"); format != "svg" || err != nil {
		t.Errorf("%s, %v", format, err)
	}
	if _, err := FormatOf("a.gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("gif: %v, want ErrFormat", err)
	}
}
