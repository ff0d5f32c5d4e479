package front

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// operationsByHand lists, by hand, the values that the operations of small functions write, with
// their operands and costs. s, m, r, p are slots, memory, returned and passed; c is a control
// operand; by names the update that an operand is read for.
var operationsByHand = []struct {
	body string
	want []string
}{
	// x 0, col 1, val 2, i 3, t 4; terms in the order of the expression: x[], col[], val[]. i reaches
	// t through col: index of the load of col, load, load of x, product, sum
	{"func f(x []float64, col []int, val []float64, i int) {\n t := 0.0\n t += x[col[i]] * val[i]\n" +
		" _ = t\n}",
		[]string{"t 0: s4 new <-",
			"t 20: s4 steps rounds <- s4+4by+ m0+12 s0+12 m1+16 s1+16 s3+16 m2+12 s2+12"}},
	// a store costs 1, an update loads too
	{"func f(a []int, i int) {\n a[i] = i * 3\n a[i] += 2\n}",
		[]string{"a[i] 4: m0 <- s0+1 s1+4",
			"a[i] 6: m0 steps <- s0+1 s1+1 m0+6by+"}},
	// the loop's slot is 2, its condition and what stands in it depend on that; a 0, i 3
	{"func f(a []int) {\n for i := 1; i < len(a); i++ {\n  a[i] = 0\n }\n}",
		[]string{"for 2: s2(first) new <-; s2(later) steps <- s2+1by+; s1 then steps <- s2+1 " +
			"s0+1 s1+0c",
			"a[i] 1: m0 <- s1+0c s0+1 s2+1"}},
	// both sides of a swap are of before
	{"func f() {\n x, y := 1, 2\n x, y = y, x\n _, _ = x, y\n}",
		[]string{"x 0: s0 new <-; s1 new <-",
			"x 0: s0 <- s1+0; s1 <- s0+0"}},
	// x / y at 20, + 1
	{"func f(x, y int) int {\n return x/y + 1\n}", []string{"return 21: p0 <- s0+21 s1+21"}},
	// a string is put together in one order
	{"func f(a []string) {\n s := \"\"\n for _, x := range a {\n  s += x\n }\n _ = s\n}",
		[]string{"s 0: s1 new <-",
			"for 6: s3 then new <- m0+0 s0+0; s2 then steps <- s0+0 s2+1c",
			"s 20: s1 steps <- s2+0c s1+20byappend s3+20"}},
	// what is read elsewhere in the loop is no reduction, nor what is combined by two operators
	{"func f(n int) {\n s, u, v := 0, 0, 1\n for range n {\n  s += u\n  v *= 2\n  v += n\n  u |= n\n" +
		" }\n _, _ = s, v\n}",
		[]string{"s 0: s1 new <-; s2 new <-; s3 new <-",
			"for 2: s4 then steps <- s0+0 s4+1c",
			"s 1: s1 steps <- s4+0c s1+1by+ s2+1",
			"v 3: s3 steps <- s4+0c s3+3by*",
			"v 1: s3 steps <- s4+0c s3+1by+ s0+1",
			"u 1: s2 steps <- s4+0c s2+1by| s0+1"}},
	// a counter under a condition is no induction variable, but a reduction in both loops
	{"func f(a [][]int) {\n n := 0\n for _, r := range a {\n  for _, x := range r {\n" +
		"   if x > 0 {\n    n++\n   }\n  }\n }\n _ = n\n}",
		[]string{"n 0: s1 new <-",
			"for 6: s3 then new <- m0+0 s0+0; s2 then steps <- s0+0 s2+1c",
			"for 6: s5 then new <- s2+0c m0+0 s3+0; s4 then steps <- s2+0c s3+0 s4+1c",
			"if 1: s6 then <- s4+0c s5+1",
			"n 1: s1 steps <- s6+0c s1+1by+"}},
	// nothing waits for the address a[2*i-k], and so not for its load; for a[b[i]] once b[i] is there
	{"func f(a, b []int, k int) {\n for i := range a {\n  a[i-1] = a[2*i-k] + a[b[i]]\n }\n}",
		[]string{"for 2: s4(first) new <- s0+0; s4(later) steps <- s4+1by+; s3 then steps <- " +
			"s0+0 s3+1c",
			"a[i - 1] 19: m0 <- s3+0c s0+6 s4+6 m1+2 s2+2 m2+6 m3+6 s1+6"}},
	// the next key is compared once it is known that the loop goes on
	{"func f(a []int) {\n for range a {\n  if a[0] > 1 {\n   break\n  }\n }\n}",
		[]string{"for 2: s1 then steps <- s0+0 s1+1c s2+1c",
			"if 5: s2 then <- s1+0c m0+1 s0+1"}},
	// what a loop begins with is known ahead by the loop around it: r*2, but not l
	{"type t struct{ next *t }\n\nfunc f(l *t, a []int) {\n for r := 0; r < 9; r++ {\n" +
		"  for i := a[r*2]; i < 9; i++ {\n  }\n  for p := l.next; p != nil; p = p.next {\n  }\n" +
		"  l = l.next\n }\n}",
		[]string{"for 2: s3(first) new <-; s3(later) steps <- s3+1by+; s2 then steps <- s3+1 s2+0c",
			"for 9: s5(first) new <- s2+0c m0+0 s1+0 s3+0; s5(later) steps <- s2+0c " +
				"s5+1by+; s4 then steps <- s2+0c s5+1 s4+0c",
			"for 9: s7(first) new <- s2+0c m0+4 s0+4; s7(later) <- s2+0c m1+4 s7+4; s6 " +
				"then steps <- s2+0c s7+1 s6+0c",
			"l 4: s0 <- s2+0c m0+4 s0+4"}},
	// behind the continue, and at the head because of the break
	{"func f(n int) {\n for i := 0; i < n; i++ {\n  if i == 3 {\n   continue\n  }\n  if i == 5 {\n" +
		"   break\n  }\n  n := i\n  _ = n\n }\n}",
		[]string{"for 2: s2(first) new <-; s2(later) steps <- s2+1by+; s1 then steps <- s2+1 " +
			"s0+1 s1+0c s4+0c",
			"if 1: s3 then <- s1+0c s2+1",
			"if 1: s4 then <- s1+0c s3+0c s2+1",
			"n 0: s5 new <- s1+0c s4+0c s2+0"}},
}

func TestOperations(t *testing.T) {
	files := map[string][]byte{"go.mod": []byte("module p\n\ngo 1.26\n")}
	for i, c := range operationsByHand {
		files[fmt.Sprintf("f%d/f.go", i)] = fmt.Appendf(nil, "package f%d\n\n%s\n", i, c.body)
	}
	dir := corpus.Lay(t, "operations", files)
	got := make([][]string, len(operationsByHand))
	r := rewriteModule(t, dir, Options{Regions: true, Iterations: true, Stack: true, Values: true})
	for i := range r.Operations {
		o, n := &r.Operations[i], 0
		if _, err := fmt.Sscanf(o.Function, "p/f%d.f", &n); err != nil {
			t.Fatalf("%s: %v", o.Function, err)
		}
		if o.Kind != loi.Entry { // see TestCallees
			got[n] = append(got[n], written(o))
		}
	}
	for i, c := range operationsByHand {
		if !slices.Equal(got[i], c.want) {
			t.Errorf("%s\n\thas %s\n\texpected %s", c.body, strings.Join(got[i], "\n\t\t"),
				strings.Join(c.want, "\n\t\t"))
		}
	}
	// without the flag there is none
	r = rewriteModule(t, dir, Options{Regions: true, Iterations: true})
	if len(r.Files) != len(operationsByHand) || len(r.Operations) > 0 {
		t.Errorf("%d operations in %d files that nobody asked for", len(r.Operations), len(r.Files))
	}
}

func written(o *Operation) string {
	var all []string
	letter := func(p loi.Place) string {
		return fmt.Sprint(map[loi.PlaceKind]string{loi.Slot: "s", loi.Memory: "m", loi.Returned: "r",
			loi.Passed: "p", loi.Channel: "c"}[p.Kind], p.N)
	}
	for _, v := range o.Values {
		text := letter(v.To)
		if v.When != loi.Always {
			text += "(" + v.When.String() + ")"
		}
		if v.Then && o.Kind != loi.Compute && v.When == loi.Always {
			text += " then"
		}
		for i, is := range []bool{v.New, v.Step != 0, v.Rounds} {
			if is {
				text += []string{" new", " steps", " rounds"}[i]
			}
		}
		text += " <-"
		for _, x := range v.Operands {
			text += fmt.Sprintf(" %s+%d", letter(x.From), x.Cost)
			if x.Control {
				text += "c"
			}
			if x.Update != loi.NoUpdate {
				text += "by" + x.Update.String()
			}
		}
		all = append(all, text)
	}
	return fmt.Sprintf("%s %d: %s", o.Name, o.Work, strings.Join(all, "; "))
}
