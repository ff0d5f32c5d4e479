package dependences

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/krd/analysis"
	"krdlab/krd/analysis/loops"
	"krdlab/loi"
)

const head = `loi-text 4
substrate native
clock tsc 1e9
nodes 1
grain kernel
worker 0 cpu -1 node 0 offset 0
worker 1 cpu -1 node 0 offset 0
object A keyed
kernel f
region f function
region "f:1" loop in 0
region "f:1, iteration" iteration in 1
operation "a[i]" compute kernel 0 region 0 line 2 work 1 to memory 1 from memory 0 cost 4
operation s compute kernel 0 region 0 line 3 work 1 to slot 3 named s by "+" from slot 3 cost 4 by "+" from memory 0 cost 1
`

// Operations of two iterations: the second reads what the first has written.
const two = `0 1 event region(0,1,0)
0 2 event region(1,2,0)
0 3 event region(2,3,0)
0 4 4 f{A[1:8]:in}
0 4 4 f{A[2:8]:out}
0 5 event operation(0,1,2)
0 6 event region-end(3)
0 7 event region(2,4,0)
0 8 8 f{A[2:8]:in}
0 8 8 f{A[3:8]:out}
0 9 event operation(0,1,2)
0 10 event region-end(4)
0 11 event region-end(2)
0 12 event region-end(1)
`

func document(t *testing.T, text string) *Document {
	t.Helper()
	tr, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	list, err := analysis.Run(context.Background(), tr, []analysis.Asked{{Analysis: Analysis}},
		analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Document().(*Document)
}

func TestTwoIterations(t *testing.T) {
	d := document(t, head+two)
	at := Point{"f", 2, "a[i]"}
	one := int64(1)
	want := []Loop{{Name: "f:1", Entered: 1, Iterations: 2, Distance: &one,
		Removed: []loops.Removal{}, Carried: []Dependence{{Order: "RAW", From: at, To: at, Through: "A",
			Kind: "data", Distance: []int64{1}, Times: 1}}}}
	if !reflect.DeepEqual(d.Loops, want) {
		t.Errorf("loops %+v, expected %+v", d.Loops, want)
	}
}

// Events that make no sense, or come from a trace that lacks a part, are passed over, and change
// nothing else; a store that no operation has claimed is one of the function.
func TestOddEvents(t *testing.T) {
	at := "0 6 event region-end(3)\n"
	for name, c := range map[string]struct {
		more  string
		times int
	}{
		"number":          {"0 5 event operation(7)\n", 1},
		"no number":       {"0 5 event operation()\n", 1},
		"terms":           {"0 5 event operation(1,1,1,1,1,1)\n", 1},
		"terms of none":   {"0 5 5 f{A[9:8]:in}\n0 5 event operation(1,77)\n", 1},
		"region":          {"0 5 event region(9,9,0)\n", 1},
		"end":             {"0 5 event region-end(99)\n", 1},
		"short":           {"0 5 event region(2)\n0 5 event region-end()\n", 1},
		"unclaimed store": {"0 5 5 f{A[2:8]:out}\n", 1}, // on that

		"claimed by none": {"0 5 5 f{A[2:8]:out}\n0 5 event operation(1,0)\n", 1},
	} {
		d := document(t, head+strings.Replace(two, at, c.more+at, 1))
		n := 0
		for _, l := range d.Loops {
			for _, x := range l.Carried {
				if n += int(x.Times); (x.From.Name == "a[i]") ==
					(name == "unclaimed store" || name == "claimed by none") {
					t.Errorf("%s: on %v", name, x.From)
				}
			}
		}
		if len(d.Loops) != 1 || n != c.times {
			t.Errorf("%s: %d dependences of %+v, expected %d", name, n, d.Loops, c.times)
		}
	}
	// another goroutine's loop is another, and of what both write at once none depends on its own
	other := strings.ReplaceAll("\n"+two, "\n0 ", "\n1 ")
	if l := document(t, head+two+other[1:]).Loops[0]; l.Entered != 2 || l.Carried[0].Times != 1 {
		t.Errorf("of two workers with the same data: %+v", l)
	}
	other = strings.ReplaceAll(other, "A[", "A[1")
	d := document(t, head+two+other[1:])
	if l := d.Loops[0]; l.Entered != 2 || l.Iterations != 4 || l.Carried[0].Times != 2 {
		t.Errorf("of two workers: %+v", l)
	}
}

// A dependence has eight distances, and the others together.
func TestManyDistances(t *testing.T) {
	var b strings.Builder
	b.WriteString(head + "0 1 event region(0,1,0)\n0 2 event region(1,2,0)\n")
	for i := range 20 { // each reads what the first has written
		n := []string{"0 3 event region(2,", "0 3 3 f{A[1:8]:in}\n0 3 3 f{A[2:8]:out}\n"}
		if i == 0 {
			n[1] = "0 3 3 f{A[7:8]:in}\n0 3 3 f{A[1:8]:out}\n"
		}
		number := string(rune('0'+i/10)) + string(rune('0'+i%10))
		b.WriteString(n[0] + "1" + number + ",0)\n" + n[1] + "0 3 event operation(0,1,2)\n" +
			"0 3 event region-end(1" + number + ")\n")
	}
	d := document(t, b.String())
	list := slices.DeleteFunc(d.Loops[0].Carried, func(x Dependence) bool { return x.Order != "RAW" })
	if len(list) != 8+1 || list[0].Times != 11 || list[0].Distance != nil ||
		!reflect.DeepEqual(list[8].Distance, []int64{8}) {
		t.Errorf("%+v", list)
	}
	if text := d.View(); len(text.Parts) != 2 {
		t.Errorf("%d parts", len(text.Parts))
	}
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		without []string
		ok      bool
	}{{nil, true}, {[]string{"induction", "reduction"}, true}, {[]string{"none"}, false},
		{[]string{"induction", ""}, false}} {
		if err := (&Options{Without: c.without}).Check(); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.without, err)
		}
	}
}
