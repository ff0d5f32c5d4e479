package front

import (
	"regexp"
	"strings"
	"testing"
)

// TestTried carries out what removes dependences, and has the reasons why loops are not tried.
func TestTried(t *testing.T) {
	withoutLook := regexp.MustCompile(`; krdO0\.Look\(.*\)( })$`)
	removals := func(words string) (list []Removal) {
		for w := range strings.SplitSeq(words, ", ") {
			if by, name, ok := strings.Cut(w, ": "); ok {
				name, op, _ := strings.Cut(name, " ")
				list = append(list, Removal{By: by, Name: name, Operator: op})
			}
		}
		return list
	}
	for _, c := range []struct{ body, removals, want string }{
		{"for i := range j { s[i] = s[i+1]; q.ctr = i }", "copy: s, last value: q.ctr",
			"{ krdO0V := j; _ = krdO0V; krdO0 := A.Try(\"main.f:2\", 0, krdO0V, 1, 0, A.LastSlots(s), A.Last(&q.ctr)); " +
				"for krdO0.Next() { i := krdO0.I; _ = i; { A.Wrote(krdO0, 0, i); s[i] = s[i+1]; " +
				"A.Wrote(krdO0, 1, 0); q.ctr = i } }; krdO0.Look(\"\", A.At(\"j\", &j), A.At(\"s\", &s), " +
				"A.At(\"q\", &q)) }"},
		{"for range j { g(i) }", "reduction: x +", "{ krdO0V := j; _ = krdO0V; krdO0 := A.Try(\"main.f:2\", 0, " +
			"krdO0V, 1, 0); for krdO0.Next() { { g(i) } }; krdO0.Look(\"main/a.go\", A.At(\"j\", &j), " +
			"A.At(\"i\", &i)) }"},
		{"n := 0; for i := 0; i < 9; i++ { s[n] = i; n -= 2 }", "induction: n",
			"n := 0; { krdO0 := A.Try(\"main.f:2\", 0, 9, 1, 0, A.Counted(&n, 2, -1)); " +
				"for krdO0.Next() { i := krdO0.I; _ = i; { s[n] = i; n -= 2 } } }"},
		{"n := 0; for i := range s { n = g(i); h(n) }", "private: n",
			"n := 0; { krdO0V := s; _ = krdO0V; krdO0 := A.Try(\"main.f:2\", 0, A.Len(krdO0V), 1, 0, A.Private(&n)); " +
				"for krdO0.Next() { i := krdO0.I; _ = i; { n = g(i); h(n) } } }"},
		{"L: for i < j { i++; continue L }", "induction: i",
			"{ krdO0 := A.Try(\"main.f:2\", i, j, 1, 0); L: for krdO0.Next() { i = krdO0.I; " +
				"{ i++; continue L } }; i = krdO0.I }"},
		{"for i := range j {\nfor x := range s { s[x] = i }; g(s...) }", "private: s",
			"{ krdO0V := j; _ = krdO0V; krdO0 := A.Try(\"main.f:2\", 0, krdO0V, 1, 0, A.PrivateSlots(s)); " +
				"for krdO0.Next() { i := krdO0.I; _ = i; { for x := range s { s[x] = i }; g(s...) } } }"},
		{"for range j { fill(s, 1); fill(bs[0].s, 2) }", "private: row",
			"{ krdO0V := j; _ = krdO0V; krdO0 := A.Try(\"main.f:2\", 0, krdO0V, 1, 0, A.PrivateSlots(s), " +
				"A.PrivateSlots(bs[0].s)); for krdO0.Next() { { fill(s, 1); fill(bs[0].s, 2) } } }"},
		{"for i := range j { fill(bs[i].s, 1) }", "private: row",
			"private row: it is no variable of the function"},
		{"for i := 0; i < j; i++ { if s[i] > 0 { return } }", "", "its body returns"},
		{"for i := 0; i < j; i++ { if s[i] > 0 { break } }", "", "its body ends it by a break"},
		{"L: for range 2 { for i := range s { if i > 3 { continue L } } }", "",
			"its body ends it by a continue"},
		{"for i := 0; i < j; i++ { switch { case s[i] > 0: break } }", "",
			"{ krdO0 := A.Try(\"main.f:2\", 0, j, 1, 0); for krdO0.Next() { i := krdO0.I; _ = i; " +
				"{ switch { case s[i] > 0: break } } } }"},
		{"for i := 0; i < j; i++ { defer g(i) }", "", "its body defers"},
		{"for i := 0; i < j; i++ { ch <- i }", "", "its body has channel operations"},
		{"for i := 0; i < j; i++ { if i > 3 { goto L } }; L: g()", "", "its body has a goto"},
		{"for i := 0; i < j; i++ { j-- }", "", unknown},
		{"for i := 0; i < g(); i++ { h(i) }", "", unknown},
		{"for s[i] > 0 { i++ }", "induction: i", unknown},
		{"for i < j { i++ }", "", unknown},
		{"for i := 0; i < j; i++ { i++ }", "", "its body writes its index"},
		{"for k := range m { h(k) }", "", "it ranges over map[string]int"},
		{"for _, c := range str { h(c) }", "", "it ranges over a string"},
		{"for i := range s { h(i) }", "private: near", "private near: it is no variable of the function"},
		{"for i := range s { h(i) }", "private: q.in.u.v",
			"private q.in.u.v: it is no variable of the function"},
		{"for x := range s { i += x }", "induction: i",
			"induction i: what it is counted by is not known at entry"},
		{"for x := range s { s = append(s, x) }", "reduction: s append", "append s: the order of elements"},
		{"for x := range bs { bs[x].ctr = 1 }", "last value: bs", "last value bs: parts of it are written"},
		{"for x := range s { s[x] = 1; g(s...) }", "copy: s",
			"copy s: not every write of an element is seen"},
		{"for x := range bs {\nfor i = 0; i < 3; i++ { h(x) } }", "last value: i",
			"last value i: not every write of it is seen"},
	} {
		text := "package main; import \"sync/atomic\"\nfunc f(" + parameters + ") { " + c.body + " }" + declarations +
			"func fill(row []int, x int) {}\n"
		tries := map[string][]Removal{"main.f:2": removals(c.removals)}
		if strings.HasPrefix(c.body, "L: for range 2") {
			text = strings.Replace(text, "for range 2 { ", "for range 2 {\n", 1)
			tries = map[string][]Removal{"main.f:3": nil}
		}
		out, path := rewriteFile(t, text, Options{Tries: tries})
		if len(out.Tried) != 1 {
			t.Errorf("%s: %v", c.body, out.Tried)
			continue
		}
		got := out.Tried[0].Why
		if got == "" {
			_, got, _ = strings.Cut(string(out.Files[path]), parameters+") { ")
			got, _, _ = strings.Cut(got, " }\ntype")
			got = strings.ReplaceAll(got, "krdA.", "A.")
		}
		if !strings.Contains(c.want, "Look") { // most cases are about something else
			got = withoutLook.ReplaceAllString(got, "$1")
		}
		if words(got) != c.want {
			t.Errorf("%s with %s\nbecomes  %s\nexpected %s", c.body, c.removals, words(got), c.want)
		}
	}
}
