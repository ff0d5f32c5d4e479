package plot

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// In the dark every colour of series has another that shows on the page's background and is told
// from the others; in print all are as they were.
func TestDarkColours(t *testing.T) {
	b, err := os.ReadFile("../doc/page.css")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "@media (prefers-color-scheme: dark)")
	dark, rest, ok := strings.Cut(rest, "\n}\n")
	_, print, printed := strings.Cut(rest, "@media print")
	if !ok || !printed {
		t.Fatal("no rules for the dark, or none for print")
	}
	var seen [][3]float64
	for i := range Palette {
		name := strings.ToUpper(LookAt(i).Hex()[1:])
		_, value, ok := strings.Cut(dark, "--c"+name+": #")
		if !ok {
			t.Errorf("#%s has no colour in the dark", name)
			continue
		}
		var r, g, b uint8
		if _, err := fmt.Sscanf(value[:6], "%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		c := [3]float64{float64(r), float64(g), float64(b)}
		if l := 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]; l < 100 {
			t.Errorf("#%s is #%s in the dark: too dark itself", name, value[:6])
		}
		for j, other := range seen {
			if d := math.Hypot(math.Hypot(c[0]-other[0], c[1]-other[1]), c[2]-other[2]); d < 75 {
				t.Errorf("colours %d and %d are alike in the dark: #%s, %.0f apart", j, i,
					value[:6], d)
			}
		}
		seen = append(seen, c)
		if !strings.Contains(strings.ToUpper(print), "--C"+name+": #"+name) {
			t.Errorf("#%s is not itself in print", name)
		}
	}
}
