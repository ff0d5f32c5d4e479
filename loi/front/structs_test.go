package front

import (
	"fmt"
	"slices"
	"testing"
)

const linked = `package main

import (
	"fmt"
	"sync"
)

type pair struct{ a, b int }

type node struct {
	next, left *node
	pair
	arr  [2]int
	mu   sync.Mutex
	n, m int
	said said
}

type said struct{ words []word }

type word struct{ a, b tree }

type tree []tree

func loop(x *node) (s int) {
	for ; x != nil; x = x.next {
		s += x.a
	}
	return s
}

func search(x *node, list []node) (s int) {
	for x.n != 0 {
		if x.b > 0 {
			x = x.left
		} else {
			x = x.next.next
		}
		s += list[0].n
	}
	return s
}

func (x *node) sum() int {
	if x == nil {
		return 0
	}
	return x.left.sum() + x.pair.a
}

func once(x *node) *int {
	x = x.next
	for range 3 {
		y := x
		y.n++
		x.n = 0
		y = x.next
	}
	fmt.Println(x.said, x.n)
	return &x.m
}

func main() {}
`

// Sites of objects that are walked by pointers are noted, others are not; each is within a structure whose
// leaves have no names where they may be accessed unseen.
func TestWalks(t *testing.T) {
	out, _ := rewriteFile(t, linked, Options{})
	var got []string
	for i := range out.Sites {
		s := &out.Sites[i]
		if s.Kind == LeftAlone {
			continue
		}
		if s.Struct == nil || s.Struct.Name != "main.node" {
			t.Errorf("%d: %s is in %v", s.Line, s.What(), s.Struct)
			continue
		}
		if s.Walk != nil {
			got = append(got, fmt.Sprintf("%d %s %s %v", s.Line, s.Object, s.Walk.Text, s.Step))
		}
	}
	slices.Sort(got)
	expected := []string{
		"26 main.node.next x = x.next true", "27 main.pair.a x = x.next false",
		"33 main.node.n x = x.left or x.next.next false", "34 main.pair.b x = x.left or x.next.next false",
		"35 main.node.left x = x.left or x.next.next true", "37 main.node.next x = x.left or x.next.next false",
		"37 main.node.next x = x.left or x.next.next true", "48 main.node.left x = x.left true",
		"48 main.pair.a x = x.left false"}
	if !slices.Equal(got, expected) {
		t.Errorf("%q, expected %q", got, expected)
	}
	var hidden []string
	for _, l := range out.structs["main.node"].Leaves {
		if l.Name == "" {
			hidden = append(hidden, l.Object)
		}
	}
	if !out.hidden["main.word"] || out.hidden["main.node"] {
		t.Errorf("%v", out.hidden)
	}
	if expected := []string{"sync.Mutex.state", "sync.Mutex.sema", "main.node.m",
		"main.said.words"}; !slices.Equal(hidden, expected) {
		t.Errorf("hidden %q, expected %q", hidden, expected)
	}
}

// TestAcross checks how each body of two loops walks across rows, and which accesses would if they
// changed places.
func TestAcross(t *testing.T) {
	for body, want := range map[string]string{
		"for j := range a { for i := range a { s += a[i][j] } }":                       "a[i][j] with j outside;",
		"for i := range a { for j := range a { s += a[i][j] } }":                       "",
		"for j := range a { for i := range a { row := a[i]; s += row[j] } }":           "row[j] with j outside;",
		"for j := range a { for _, row := range a { s += row[j] } }":                   "row[j] with j outside;",
		"for i, row := range a { for j := range a { s += row[j] + b[i][j] } }":         "",
		"for i := range a { for j := range a { b[j][i] = a[i][j] } }":                  "b[j][i] with i outside;a[i][j]",
		"for j := range a { for k := range a { a[0][j] += a[1][k] * b[k][j] } }":       "b[k][j] with j outside;",
		"for i := range a { row := a[i]; for j := range a { s += row[j] + b[j][0] } }": "",
	} {
		out, _ := rewriteFile(t, "package main\nfunc f(a, b [][]int) (s int) { "+body+"; return s }", Options{})
		got := ""
		for _, s := range out.Sites {
			if s.Across != "" && got == "" {
				got = s.Across + ";" + s.Instead
			}
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", body, got, want)
		}
	}
}
