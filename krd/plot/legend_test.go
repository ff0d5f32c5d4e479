package plot

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// However many series and words there are, they lie beside and below each other, within the
// picture; series of one name stand in the legend once.
func TestManySeries(t *testing.T) {
	var names []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("trace %d", i))
	}
	f := distances(0.01, names...)
	f.Caption = []string{strings.Repeat("words of a caption ", 20)}
	for p := range f.Panels {
		for i := range f.Panels[p].Series {
			s := &f.Panels[p].Series[i]
			look := NewSeries(s.Name, i%30)
			look.Points, look.Legend = s.Points, fmt.Sprintf("scheduler %d", i%30)
			*s = look
		}
	}
	l := f.legend()
	n := 0
	for _, row := range l {
		used := -entryGap
		for _, e := range row {
			used += e.width() + entryGap
			n++
		}
		if used > width-2*margin {
			t.Errorf("a line of the legend is %v wide, the picture %v", used, vg.Length(width))
		}
	}
	if n != 30 || len(l) < 3 {
		t.Errorf("%d entries in %d lines, want 30 in some", n, len(l))
	}
	for _, line := range newCaption(f.Caption) {
		if w := textStyle(8).Width(line); w > width-2*margin {
			t.Errorf("a line of the caption is %v wide", w)
		}
	}
	height := func() float64 {
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(b.String(), "height=\"")
		digits, _, _ := strings.Cut(rest, "pt")
		points, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			t.Fatal(err)
		}
		return points
	}
	many := height()
	for i := range f.Panels {
		f.Panels[i].Series = f.Panels[i].Series[:2]
	}
	want := legendLine.Points() * float64(len(l)-1)
	if got := many - height(); got < want-1 || got > want+1 {
		t.Errorf("%d lines of the legend more make the picture %g points higher, want %g",
			len(l)-1, got, want)
	}
}
