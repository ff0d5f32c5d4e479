package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

// someFlame has a deep path, names that do not fit, and 300 frames that are too narrow.
func someFlame() *Flame {
	f := &Flame{Title: "distances of at least 32 KiB", Unit: "accesses",
		Caption: "t.loi: kernel <k>; 4 cores; a machine whose name is long; SIMULATED, not measured."}
	path := func(count uint64, names ...string) {
		p := FlamePath{Count: count}
		for _, n := range names {
			kind, name, _ := strings.Cut(n, " ")
			p.Frames = append(p.Frames, FlameFrame{name, kind})
		}
		f.Paths = append(f.Paths, p)
	}
	path(40000, "function main.main", "function main.run", "loop main.run:12",
		"function main.(*Solver[float64]).relaxAllOfTheGridOnceMore", "loop main.relax:40")
	path(20000, "function main.main", "function main.run", "loop main.run:12",
		"function main.(*Solver[float64]).residual")
	path(9000, "function main.main", "function main.run", "kernel gemm")
	path(5000, "function main.main", "task spawned", "function main.fill")
	path(1000, "kernel gemm")
	path(0, "function main.unseen")
	for i := range 300 {
		path(9, "function main.main", "function main.small", fmt.Sprintf("function main.f%d", i))
	}
	return f
}

// TestFlame: the drawing is XML, frames are as wide as their counts and within the one above them,
// and those that are too narrow are one.
func TestFlame(t *testing.T) {
	var b bytes.Buffer
	if err := someFlame().Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	type frame struct {
		Title string `xml:"title"`
		Rect  struct {
			X     float64 `xml:"x,attr"`
			Y     float64 `xml:"y,attr"`
			Width float64 `xml:"width,attr"`
			Fill  string  `xml:"fill,attr"`
		} `xml:"rect"`
		Text string `xml:"text"`
	}
	var svg struct {
		Frames []frame `xml:"g"`
	}
	if err := xml.Unmarshal(b.Bytes(), &svg); err != nil {
		t.Fatal(err)
	}
	var titles []string
	rows := map[float64]float64{} // by place: the end of the frame before
	for _, f := range svg.Frames {
		titles = append(titles, f.Title)
		words, _, _ := strings.Cut(f.Title[strings.LastIndex(f.Title, ": ")+2:], " ")
		count, err := strconv.ParseFloat(strings.ReplaceAll(words, "\u00a0", ""), 64)
		want := 980 * count / 77700
		if err != nil || f.Rect.Width < want-1.01 || f.Rect.Width > max(want, flameLeast)+0.01 {
			t.Errorf("%s: %v, %g wide, expected %g", f.Title, err, f.Rect.Width, want)
		}
		if f.Rect.X < rows[f.Rect.Y]-0.01 || f.Rect.X+f.Rect.Width > flameWidth-flameMargin {
			t.Errorf("%s: from %g, expected at least %g", f.Title, f.Rect.X, rows[f.Rect.Y])
		}
		rows[f.Rect.Y] = f.Rect.X + f.Rect.Width
		if f.Rect.Fill == "" {
			t.Errorf("%s has no colour", f.Title)
		}
		if f.Text != "" && widthOf(f.Text, flameText) > f.Rect.Width {
			t.Errorf("%q does not fit", f.Text)
		}
	}
	for _, want := range []string{"all: 77\u00a0700 accesses, 100.00 %",
		"main.main (function): 76\u00a0700 accesses, 98.71 %",
		"main.run:12 (loop): 60\u00a0000 accesses, 77.22 %",
		"300 others: 2\u00a0700 accesses, 3.47 %"} {
		if strings.Count(strings.Join(titles, "\n"), want) != 1 {
			t.Errorf("not once there: %q in\n%s", want, strings.Join(titles, "\n"))
		}
	}
	if len(titles) != 13 || strings.Contains(b.String(), "unseen") {
		t.Errorf("%d frames", len(titles))
	}
	again := bytes.Buffer{}
	if someFlame().Write(&again, "svg"); !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("drawn twice, it differs")
	}
	for format, magic := range map[string]string{"png": "\x89PNG", "pdf": "%PDF"} {
		var b bytes.Buffer
		if err := someFlame().Write(&b, format); err != nil || !strings.HasPrefix(b.String(), magic) ||
			!strings.Contains(b.String(), Mark) {
			t.Errorf("%s: %v, %d bytes", format, err, b.Len())
		}
	}
	if err := someFlame().Write(io.Discard, "md"); !errors.Is(err, ErrFormat) {
		t.Errorf("as md: %v", err)
	}
	if err := (&Flame{}).Write(io.Discard, "svg"); !errors.Is(err, ErrEmpty) {
		t.Errorf("of nothing: %v", err)
	}
}

// TestFlameHeat: frames have the colour of their value, and none that has no value has one.
func TestFlameHeat(t *testing.T) {
	kib := func(n float64) *float64 { n *= 1024; return &n }
	outer, inner := FlameFrame{"main", "function"}, FlameFrame{"loop", "loop"}
	f := &Flame{Title: "heat", Unit: "accesses", Heat: HeatOfBytes("footprint"), Paths: []FlamePath{
		{Frames: []FlameFrame{outer}, Value: kib(300)}, // all that it does is within
		{Frames: []FlameFrame{outer, inner}, Count: 10, Value: kib(3)},
		{Frames: []FlameFrame{outer, {"other", "loop"}}, Count: 10}}}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"main (function), footprint 300 KiB": "#fdbb84",
		"loop (loop), footprint 3 KiB": "#fff7ec", "other (loop):": "#dddddd"} {
		_, rest, found := strings.Cut(b.String(), "<title>"+name)
		if rest, _, _ = strings.Cut(rest, "</g>"); !found || !strings.Contains(rest, `fill="`+want) {
			t.Errorf("%s: %s, expected %s", name, rest, want)
		}
	}
}

// TestFlameParallelism: classes are those that the legend names, and an exact end is in the next.
func TestFlameParallelism(t *testing.T) {
	f := &Flame{Unit: "ns", Heat: HeatOfParallelism("self-parallelism")}
	for i, v := range []float64{1, 2.5, 2.4999, 1e6} {
		f.Paths = append(f.Paths, FlamePath{Frames: []FlameFrame{{string(rune('a' + i)), "task"}}, Count: 10,
			Value: &v})
	}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a (task), self-parallelism 1.00": "#edf8fb",
		"b (task), self-parallelism 2.50": "#99d8c9", "c (task), self-parallelism 2.50": "#ccece6",
		"d (task), self-parallelism ": "#2ca25f"} {
		_, rest, found := strings.Cut(b.String(), "<title>"+name)
		if rest, _, _ = strings.Cut(rest, "</g>"); !found || !strings.Contains(rest, `fill="`+want) {
			t.Errorf("%s: %s, expected %s", name, rest, want)
		}
	}
	for _, text := range []string{"Colour: self-parallelism, below what stands", ">2.5<", ">512<", ">more<"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("no %q", text)
		}
	}
}

// TestFlamePart: on a page kinds have their colours, half as strong, a legend, and no second name; neither
// title nor caption is in the drawing.
func TestFlamePart(t *testing.T) {
	f := &Flame{Title: "above", Caption: "below", Unit: "accesses", Kinds: []FlameKind{{"near", "#0072b2"},
		{"far", "#d55e00"}}, Paths: []FlamePath{{Count: 3, Frames: []FlameFrame{{"f", "function"}, {"near", "near"}}},
		{Count: 1, Frames: []FlameFrame{{"f", "function"}, {"far", "far"}}}}}
	var b strings.Builder
	p := f.Part("x")
	if err := p.Draw(&b); err != nil || p.Title != "above" || p.Caption[0] != "below" {
		t.Fatal(err, p)
	}
	for _, want := range []string{"<title>near: 3 accesses, 75.00 %", "<title>f (function): 4", `fill="#7fb8d8"`,
		`fill="#eaae7f"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, &b)
		}
	}
	if strings.Contains(b.String(), ">above<") || strings.Contains(b.String(), ">below<") ||
		strings.Count(b.String(), ">near<") != 2 {
		t.Error(&b)
	}
	if err := (&Flame{}).Part("x").Draw(io.Discard); !errors.Is(err, ErrEmpty) {
		t.Errorf("of nothing: %v", err)
	}
}
