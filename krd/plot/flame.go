package plot

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A Flame is a flame graph (Gregg, The Flame Graph, CACM 59(6), 2016), with the root at the top:
// below each frame stand those that it leads to, each as wide as what is counted behind it.
type Flame struct {
	Title   string
	Caption string
	Unit    string // what is counted, in the plural
	// Heat, if not nil, says what the values of paths are, which colour frames in the place of their
	// kinds.
	Heat *FlameHeat
	// Kinds are those of its frames that have colours, with a letter's contrast; nil: those of calls.
	Kinds []FlameKind
	Paths []FlamePath
}

// A FlameKind is a kind of frames with its colour, #rrggbb, which is drawn half as strong.
type FlameKind struct{ Name, Colour string }

// A FlamePath counts what a path of frames leads to, outermost first.
type FlamePath struct {
	Frames []FlameFrame
	Count  uint64
	Value  *float64 // of its last frame, for Flame.Heat; nil: not known
}

// A FlameFrame is a step of a path. Frames of the same name and kind behind the same path are one.
type FlameFrame struct{ Name, Kind string }

// Of the drawing, in pixels.
const (
	flameWidth  = 1000
	flamePage   = 700 // of a page, where the letters are those of the other figures
	flameMargin = 10
	flameRow    = 19
	flameTop    = 40
	flameLeast  = 0.5 // narrower frames are drawn as one
	flameText   = 12
	flameTitle  = 15
	flameLine   = 13.5 // of the letters, below the top of a row

	flameKeySize = 12
)

// kindColours are of Okabe and Ito's palette, half as strong, so that letters are read on them.
var kindColours = []struct {
	kind   string
	colour color.RGBA
}{{"function", pale(Palette[6])}, {"loop", pale(Palette[3])}, {"kernel", pale(Palette[4])},
	{"task", pale(Palette[5])}, {flameOthers, color.RGBA{0xdd, 0xdd, 0xdd, 0xff}}}

// flameOthers is the kind of the frame in the place of those that are too narrow, and of the root.
const flameOthers = "other"

// A FlameHeat is a quantity that colours frames by classes, which are the same in all pictures.
type FlameHeat struct {
	name    string
	print   func(float64) string
	classes []heat
}

// A heat is a class of values: those below one, which has a name; the last class is all others.
type heat struct {
	below  float64
	name   string
	colour color.RGBA
}

// HeatOfBytes returns a quantity in bytes.
func HeatOfBytes(name string) *FlameHeat {
	return &FlameHeat{name, func(v float64) string { return units.Bytes(uint64(v)) }, []heat{
		{4 << 10, "4 KiB", color.RGBA{0xff, 0xf7, 0xec, 0xff}},
		{32 << 10, "32 KiB", color.RGBA{0xfe, 0xe8, 0xc8, 0xff}},
		{256 << 10, "256 KiB", color.RGBA{0xfd, 0xd4, 0x9e, 0xff}},
		{2 << 20, "2 MiB", color.RGBA{0xfd, 0xbb, 0x84, 0xff}},
		{16 << 20, "16 MiB", color.RGBA{0xfc, 0x8d, 0x59, 0xff}},
		{math.Inf(1), "more", color.RGBA{0xef, 0x65, 0x48, 0xff}}}}
}

// HeatOfParallelism returns a parallelism; below 1.1 nothing is parallel.
func HeatOfParallelism(name string) *FlameHeat {
	return &FlameHeat{name, func(v float64) string { return units.Digits(v, 3) }, []heat{
		{1.1, "1.1", color.RGBA{0xed, 0xf8, 0xfb, 0xff}},
		{2.5, "2.5", color.RGBA{0xcc, 0xec, 0xe6, 0xff}},
		{8, "8", color.RGBA{0x99, 0xd8, 0xc9, 0xff}},
		{64, "64", color.RGBA{0x66, 0xc2, 0xa4, 0xff}},
		{512, "512", color.RGBA{0x4f, 0xb8, 0x83, 0xff}},
		{math.Inf(1), "more", color.RGBA{0x2c, 0xa2, 0x5f, 0xff}}}}
}

// colour returns that of a frame.
func (f *Flame) colour(x *flame) color.RGBA {
	switch {
	case f.Kinds != nil:
		if i := slices.IndexFunc(f.Kinds, func(k FlameKind) bool { return k.Name == x.Kind }); i >= 0 {
			return pale(colourOf(f.Kinds[i].Colour))
		}
		return kindColour(flameOthers)
	case f.Heat == nil:
		return kindColour(x.Kind)
	case x.value == nil:
		return kindColour(flameOthers)
	}
	classes := f.Heat.classes
	for _, h := range classes {
		if *x.value < h.below {
			return h.colour
		}
	}
	return classes[len(classes)-1].colour
}

func pale(c color.RGBA) color.RGBA {
	half := func(v uint8) uint8 { return uint8((int(v) + 0xff) / 2) }
	return color.RGBA{half(c.R), half(c.G), half(c.B), 0xff}
}

func hex(c color.RGBA) string { return Look{Colour: c}.Hex() }

func kindColour(kind string) color.RGBA {
	for _, k := range kindColours {
		if k.kind == kind {
			return k.colour
		}
	}
	return kindColour(flameOthers)
}

// A flame is a frame with those that it leads to, the widest first.
type flame struct {
	FlameFrame
	count uint64
	value *float64
	under []*flame
}

// grow returns the root of the paths.
func (f *Flame) grow() *flame {
	root := &flame{FlameFrame: FlameFrame{"all", flameOthers}}
	for _, p := range f.Paths {
		if p.Count == 0 && f.Heat == nil {
			continue
		}
		at := root
		at.count += p.Count
		for _, x := range p.Frames {
			i := slices.IndexFunc(at.under, func(u *flame) bool { return u.FlameFrame == x })
			if i < 0 {
				i = len(at.under)
				at.under = append(at.under, &flame{FlameFrame: x})
			}
			at = at.under[i]
			at.count += p.Count
		}
		at.value = p.Value
	}
	return root
}

// Write draws f in one of the [Formats] that are pictures; as SVG each frame has a title with its
// whole name, its count and its share. The error is [ErrEmpty] where nothing was counted,
// [ErrFormat], or of w.
func (f *Flame) Write(w io.Writer, format string) error {
	d, err := f.drawing(flameWidth, flameTop)
	if err != nil {
		return err
	}
	d.texts = append(d.texts, flameLabel{flameMargin, 25, flameTitle,
		fitted(f.Title, flameTitle, flameWidth-2*flameMargin)})
	d.height += 13
	for _, line := range newCaption([]string{f.meaning(), f.Caption}) {
		d.texts = append(d.texts, flameLabel{flameMargin, d.height, flameText, line})
		d.height += 16
	}
	switch format {
	case "svg":
		return d.svg(w)
	case "png":
		return d.print(w, newPNG(width, d.length(d.height)))
	case "pdf":
		return d.print(w, newPDF(width, d.length(d.height)))
	}
	return fmt.Errorf("%w %q, expected svg, png or pdf", ErrFormat, format)
}

// Part returns the flame graph as a part of a document, under an anchor.
func (f *Flame) Part(anchor string) *doc.Figure {
	caption := []string{f.Caption}
	if f.Caption == "" {
		caption[0] = f.meaning()
	}
	return &doc.Figure{ID: anchor, Title: f.Title, Caption: caption, Paper: true,
		Draw: func(w io.Writer) error {
			d, err := f.drawing(flamePage, flameMargin)
			if err != nil {
				return err
			}
			return d.svg(w)
		}}
}

// drawing places the frames, so many pixels from the top, and the legend.
func (f *Flame) drawing(width, top float64) (*flameDrawing, error) {
	root := f.grow()
	if root.count == 0 {
		return nil, fmt.Errorf("%w: no %s in the range", ErrEmpty, f.Unit)
	}
	d := &flameDrawing{Flame: f, all: root.count, width: width, top: top}
	d.frame(root, 0, flameMargin, width-2*flameMargin)
	bottom := top + float64(d.depth+1)*flameRow
	d.height = bottom + 26
	x := float64(flameMargin)
	key := func(c color.RGBA, name string) {
		d.keys = append(d.keys, flameKey{x, bottom + 8, c})
		d.texts = append(d.texts, flameLabel{x + 17, bottom + 18, flameText, name})
		x += 17 + widthOf(name, flameText) + 18
	}
	has := func(kind string) bool {
		return slices.ContainsFunc(d.boxes, func(b flameBox) bool { return b.Kind == kind })
	}
	for _, k := range kindColours {
		if f.Heat == nil && f.Kinds == nil && has(k.kind) {
			key(k.colour, k.kind)
		}
	}
	for _, k := range f.Kinds {
		if has(k.Name) {
			key(pale(colourOf(k.Colour)), k.Name)
		}
	}
	if f.Heat != nil {
		for _, h := range f.Heat.classes {
			key(h.colour, h.name)
		}
	}
	return d, nil
}

// meaning describes the drawing.
func (f *Flame) meaning() string {
	if f.Heat == nil {
		return "Width: " + f.Unit + " in the range."
	}
	return "Width: " + f.Unit + ". Colour: " + f.Heat.name + ", below what stands beside it."
}

// A flameDrawing holds the places of frames and texts, in pixels from the left and the top.
type flameDrawing struct {
	*Flame
	all    uint64
	width  float64
	top    float64
	depth  int // of the deepest frame
	height float64
	boxes  []flameBox
	keys   []flameKey
	texts  []flameLabel
}

// A flameBox is a frame.
type flameBox struct {
	*flame
	x, y, width float64
	label       string // as much of the name as fits
}

// A flameKey is a colour of the legend.
type flameKey struct {
	x, y   float64
	colour color.RGBA
}

// A flameLabel is a text, whose y is that of its line.
type flameLabel struct {
	x, y, size float64
	text       string
}

// frame places a frame and those below it.
func (d *flameDrawing) frame(f *flame, depth int, x, width float64) {
	d.box(f, depth, x, width)
	slices.SortFunc(f.under, func(a, b *flame) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Kind, b.Kind))
	})
	for i, u := range f.under {
		wide := width * float64(u.count) / float64(f.count)
		if wide >= flameLeast {
			d.frame(u, depth+1, x, wide)
			x += wide
			continue
		}
		// and so are all that follow
		narrow := flame{FlameFrame: FlameFrame{units.Count(len(f.under)-i, "other"), flameOthers}}
		for _, u := range f.under[i:] {
			narrow.count += u.count
		}
		if wide = width * float64(narrow.count) / float64(f.count); wide >= flameLeast {
			d.box(&narrow, depth+1, x, wide)
		}
		return
	}
}

func (d *flameDrawing) box(f *flame, depth int, x, width float64) {
	d.depth = max(d.depth, depth)
	d.boxes = append(d.boxes, flameBox{f, x, d.top + float64(depth*flameRow),
		max(flameLeast, width-1), fitted(f.Name, flameText, width-7)})
}

func (d *flameDrawing) svg(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" `+
		`height="%.0f" font-family="Liberation Sans,Arial,Helvetica,sans-serif" font-size="%d" `+
		`fill="#202020" role="img" aria-label="%s">`+"\n", d.width, d.height, d.width, d.height,
		flameText, html.EscapeString(d.Title))
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="#fff"/>`)
	for _, b := range d.boxes {
		name := b.Name
		if b.Kind != flameOthers && (d.Kinds == nil || b.Kind != b.Name) {
			name += " (" + b.Kind + ")"
		}
		if b.value != nil {
			name += ", " + d.Heat.name + " " + d.Heat.print(*b.value)
		}
		fmt.Fprintf(out, `<g><title>%s: %s %s, %.2f %%</title><rect x="%.2f" y="%.0f" width="%.2f" `+
			`height="%d" fill="%s"/>`, html.EscapeString(name), units.Grouped(b.count), d.Unit,
			100*float64(b.count)/float64(d.all), b.x, b.y, b.width, flameRow-1, hex(d.colour(b.flame)))
		if b.label != "" {
			fmt.Fprintf(out, `<text x="%.2f" y="%.1f" font-size="%d">%s</text>`, b.x+3, b.y+flameLine, flameText,
				html.EscapeString(b.label)) // a page has no attributes of the svg
		}
		out.WriteString("</g>\n")
	}
	for _, k := range d.keys {
		fmt.Fprintf(out, `<rect x="%.1f" y="%.0f" width="%d" height="%d" fill="%s"/>`+"\n", k.x, k.y,
			flameKeySize, flameKeySize, hex(k.colour))
	}
	for _, t := range d.texts {
		fmt.Fprintf(out, `<text x="%.1f" y="%.0f" font-size="%.0f">%s</text>`+"\n", t.x, t.y, t.size,
			html.EscapeString(t.text))
	}
	fmt.Fprintf(out, "</svg><!-- %s -->\n", Mark)
	return out.Flush()
}

// length returns so many pixels in print, where the drawing is as wide as all figures.
func (d *flameDrawing) length(pixels float64) vg.Length {
	return width * vg.Length(pixels/flameWidth)
}

// print draws on a canvas that counts from the bottom.
func (d *flameDrawing) print(w io.Writer, c interface {
	vg.CanvasSizer
	io.WriterTo
}) error {
	all := draw.New(c)
	rect := func(x, y, width, height float64, fill color.Color) {
		all.SetColor(fill)
		all.Fill(vg.Rectangle{Min: vg.Point{X: d.length(x), Y: d.length(d.height - y - height)},
			Max: vg.Point{X: d.length(x + width), Y: d.length(d.height - y)}}.Path())
	}
	text := func(x, y, size float64, s string) {
		style := textStyle(d.length(size))
		style.YAlign = draw.YBottom
		all.FillText(style, vg.Point{X: d.length(x), Y: d.length(d.height - y)}, s)
	}
	rect(0, 0, flameWidth, d.height, white)
	for _, b := range d.boxes {
		rect(b.x, b.y, b.width, flameRow-1, d.colour(b.flame))
		text(b.x+3, b.y+flameLine, flameText, b.label)
	}
	for _, k := range d.keys {
		rect(k.x, k.y, flameKeySize, flameKeySize, k.colour)
	}
	for _, t := range d.texts {
		text(t.x, t.y, t.size, t.text)
	}
	_, err := c.WriteTo(w)
	return err
}

func widthOf(text string, size float64) float64 {
	return textStyle(vg.Length(size)).Width(text).Points()
}

// fitted returns as much of a text as fits, with an ellipsis where it is cut; "" for too little.
func fitted(text string, size, width float64) string {
	if widthOf(text, size) <= width {
		return text
	}
	r := []rune(text)
	n := sort.Search(len(r), func(n int) bool { return widthOf(string(r[:n])+"…", size) > width })
	if n < 3 {
		return "" // n letters are too many, and two say nothing
	}
	return string(r[:n-1]) + "…"
}
