package goprogram

import (
	"slices"
	"testing"

	"krdlab/krd/doc"
)

// shared are the findings about lines that goroutines take from each other.
func shared(d *Document) (list []doc.Finding) {
	for _, f := range d.Findings {
		if f.Code == falseSharing || f.Code == trueSharing {
			list = append(list, f)
		}
	}
	return list
}

// TestPlantedSharing has false and true sharing found where they are, and nowhere else.
func TestPlantedSharing(t *testing.T) {
	for _, c := range []struct {
		name string
		code doc.Code // "": nothing
		at   []string // of a datum and its place
		part int
	}{
		{"fields", falseSharing, []string{"contended.near.a", "main.go:100", "contended.near.b", "main.go:109"}, 56},
		{"fieldsapart", "", nil, 0},
		{"elements", falseSharing, []string{"[]int", "main.go:91", "[]int", "main.go:91"}, 56},
		{"elementsapart", "", nil, 0},
		{"same", trueSharing, []string{"contended.near.a", "main.go:116", "contended.near.a", "main.go:116"}, 0},
		{"handed", "", nil, 0},
		{"read", "", nil, 0},
		{"once", "", nil, 0},
	} {
		for try, found := 0, false; ; try++ { // both must have run at the same time
			d, out, err := trace(t, Lines, "contended", func(r *Request) { r.Args = []string{c.name} })
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			list := shared(d)
			if c.code == "" {
				found = len(list) == 0
			} else if len(list) == 1 {
				a := doc.Args(list[0].Args)
				found = list[0].Code == c.code && a.Whole(8) == c.part &&
					(c.part == 0 || a.Text(9) == c.at[0]) &&
					slices.Equal([]string{a.Text(0), a.Text(1), a.Text(3), a.Text(4)}, c.at)
			}
			if found {
				break
			}
			// a goroutine that loses its thread at its end seems to run longer
			if len(list) > 0 && c.code != "" || try == 9 {
				t.Errorf("%s: found %q, expected %q at %q, %d bytes apart", c.name, doc.Sentences(list), c.code, c.at, c.part)
				break
			}
		}
	}
}
