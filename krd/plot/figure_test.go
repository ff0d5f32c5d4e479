package plot

import (
	"bytes"
	"compress/zlib"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd"
)

// serialMatmul is the histogram of the 4096 x 4096 multiplication on one core (see the tests of
// package krd).
func serialMatmul() *krd.Histogram {
	below := []float64{16.6667, 25, 50, 59.375, 75, 79.2969, 87.5, 89.5996, 93.75, 94.7937, 96.875,
		97.3961, 98.4375, 98.6979}
	h := &krd.Histogram{Accesses: 3145728, AccessCount: 3145728, Cold: 32768}
	var sum uint64
	bin := func(k int, n uint64) {
		h.Bins = append(h.Bins, krd.Bin{FromBytes: 1 << k >> 1, ToBytes: 1 << k, Count: n})
		sum += n
	}
	for k := range 14 {
		bin(k, 0)
	}
	for i, share := range below {
		bin(14+i, uint64(math.Round(share/100*3145728))-sum)
	}
	bin(28, h.Accesses-h.Cold-sum)
	return h
}

func report(hs ...*krd.Histogram) *krd.Report {
	l2, llc := uint64(256<<10), uint64(18<<20)
	r := &krd.Report{SchemaVersion: krd.SchemaVersion, Distance: krd.Exclusive,
		Weight: krd.WeightCount, L2Bytes: &l2, LLCBytes: &llc}
	r.Histogram = *hs[0]
	for i, h := range hs {
		r.Nodes = append(r.Nodes, krd.Node{Node: i, Workers: []int{i}, Histogram: *h})
	}
	return r
}

// shifted moves part of every bin one up, as worse reuse does, and some to cold.
func shifted(h *krd.Histogram, by float64) *krd.Histogram {
	g := *h
	g.Bins = append([]krd.Bin(nil), h.Bins...)
	for k := len(g.Bins) - 2; k >= 0; k-- {
		n := uint64(by * float64(g.Bins[k].Count))
		g.Bins[k].Count -= n
		g.Bins[k+1].Count += n
	}
	g.Bins[0].Count = uint64(by * 2e5)
	g.Cold += uint64(by * 1e6)
	g.Accesses += g.Bins[0].Count + g.Cold - h.Cold
	return &g
}

// of is the figure of a report.
func of(t *testing.T, r *krd.Report, each bool, about string) *Figure {
	t.Helper()
	f, err := Of(r, Nodes(r, each), about)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFormats draws one node and four and decodes what was written. KRDPLOT_OUT=folder keeps the
// figures, to be looked at.
func TestFormats(t *testing.T) {
	h := serialMatmul()
	empty := &krd.Histogram{}
	dir := os.Getenv("KRDPLOT_OUT")
	if dir == "" {
		dir = t.TempDir()
	}
	noCaches := report(h)
	noCaches.L2Bytes, noCaches.LLCBytes = nil, nil
	for _, c := range []struct {
		name string
		fig  *Figure
	}{
		{"one", of(t, report(h), true, "matmul n = 4096, leaf 32x32x64, workfirst, 1 core of "+
			"westmere-ex-4s (simulated)")},
		{"four", of(t, report(shifted(h, 0.2), shifted(h, 0.05), shifted(h, 0.3), shifted(h, 0.5),
			empty), true, "westmere-ex-4s (simulated)")},
		{"nocaches", of(t, noCaches, false, "")},
		{"coldonly", of(t, report(&krd.Histogram{Accesses: 5, AccessCount: 5, Cold: 5}), false, "")},
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
				if c.name == "coldonly" {
					want = []string{"INF", "L2 256 KiB"}
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

// What a PDF says is in the encoding of its fonts, without a date.
func TestPDF(t *testing.T) {
	if got := codePage1252("n\u00a0= 3\u00d7\u2265"); got != "n\xa0= 3\xd7?" {
		t.Errorf("%q", got)
	}
	var b bytes.Buffer
	if err := of(t, report(serialMatmul()), false, "").Write(&b, "pdf"); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("Date")) {
		t.Error("the PDF has a date")
	}
}

func TestWriteErrors(t *testing.T) {
	f := of(t, report(serialMatmul()), false, "")
	if err := f.Write(io.Discard, "gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("gif: %v, want ErrFormat", err)
	}
	empty := report(&krd.Histogram{})
	if _, err := Of(empty, Nodes(empty, true), ""); !errors.Is(err, ErrEmpty) {
		t.Errorf("no accesses: %v, want ErrEmpty", err)
	}
	if format, err := FormatOf("a/b.SVG"); format != "svg" || err != nil {
		t.Errorf("%s, %v", format, err)
	}
	if _, err := FormatOf("a.gif"); !errors.Is(err, ErrFormat) {
		t.Errorf("gif: %v, want ErrFormat", err)
	}
}
