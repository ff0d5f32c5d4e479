package build_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// tried are loops, each with what removes its dependences, and whether other orders show another
// result.
var tried = []struct {
	name, body, removals string
	differs              bool
}{
	{name: "doall", body: "for i := range a { a[i] = i*i }; put(a)"},
	{name: "shift", body: "for i := 0; i < 9; i++ { a[i] = a[i+1] * 2 }; put(a)", removals: "copy a"},
	{name: "shiftNot", body: "for i := 0; i < 9; i++ { a[i] = a[i+1] * 2 }; put(a)", differs: true},
	{name: "last", body: "x := 0; for i := range a { if a[i]%2 == 0 { x = i } }; put(x)",
		removals: "last value x"},
	{name: "lastNot", body: "x := 0; for i := range a { if a[i]%2 == 0 { x = i } }; put(x)",
		removals: "private x", differs: true},
	{name: "induced", body: "n := 3; for i := 9; i > 0; i -= 2 { a[n] = i; n++ }; put(a, n)",
		removals: "induction n"},
	{name: "inducedNot", body: "n := 3; for i := 9; i > 0; i -= 2 { a[n] = i; n++ }; put(a, n)",
		differs: true},
	{name: "while", body: "i := int8(0); for i != 9 { a[i]++; i++ }; put(a, i)", removals: "induction i"},
	{name: "row", body: "for i := uint8(1); i <= 9; i++ { for j := range w { w[j] = int(i) }; a[i] = w[2] }; put(a)",
		removals: "private w"},
	{name: "rowNot", body: "for i := uint8(1); i <= 9; i++ { w[0] += int(i); a[i] = w[0] }; put(a)",
		removals: "private w", differs: true},
	{name: "rowLast", body: "for i := range 9 { for j := range w { w[j] += i }; w[i%3] = w[2] }; put(w)",
		removals: "private w, last value w", differs: true},
	{name: "lastSlots", body: "for i := range 9 { w[i%3] = i }; put(w)", removals: "last value w"},
	{name: "carried", body: "for i := 1; i < 9; i++ { a[i] += a[i-1] }; put(a)", differs: true},
	{name: "sum", body: "s := 0; for _, x := range a { if x == 4 { continue }; s += x }; put(s)",
		removals: "reduction s"},
	{name: "none", body: "for i := 9; i < len(w); i++ { a[i] = 1 }; for range w[:0] { a[0]++ }; put(a)"},
}

// TestTries executes loops in other orders.
func TestTries(t *testing.T) {
	text := "package main\n\nimport \"fmt\"\n\nvar put = func(x ...any) { fmt.Println(x...) }\n\n" +
		"func main() {\n"
	for _, x := range tried {
		text += "\t" + x.name + "([]int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, []int{7, 7, 7})\n"
	}
	text += "}\n"
	tries := map[string][]front.Removal{}
	for _, x := range tried {
		var removals []front.Removal
		for r := range strings.SplitSeq(x.removals, ", ") {
			if at := strings.LastIndex(r, " "); at > 0 {
				removals = append(removals, front.Removal{By: r[:at], Name: r[at+1:]})
			}
		}
		text += "\nfunc " + x.name + "(a, w []int) {\n"
		tries[fmt.Sprintf("main.%s:%d", x.name, strings.Count(text, "\n")+1)] = removals
		text += "\t" + x.body + "\n}\n"
	}
	dir := corpus.Lay(t, "tries", map[string][]byte{"go.mod": []byte("module tries\n\ngo 1.26\n"),
		"main.go":  []byte(text),
		"other.go": []byte("package main\n\nvar of = []*int{new(int)}\n\nfunc init() { *of[0] = 1 }\n")})
	p := built.Of(t, dir, build.Request{Path: ".", Options: front.Options{Tries: tries}})
	for _, x := range p.Tried {
		if x.Why != "" {
			t.Errorf("%s: %s", x.Loop, x.Why)
		}
	}
	if len(p.Failed) > 0 {
		t.Errorf("%v", p.Failed)
	}
	if len(p.Tried) < len(tried) {
		t.Errorf("%d loops are tried of %d", len(p.Tried), len(tried))
	}
	run := func(order string) []string {
		c := exec.Command(p.Binary)
		c.Env = append(os.Environ(), "KRD_ORDER="+order)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", order, err, out)
		}
		return strings.Split(string(out), "\n")
	}
	plain := run("")
	differs := map[string]bool{}
	for _, order := range []string{"reversed", "halves", "shuffled:1", "shuffled:2"} {
		got := run(order)
		for i, x := range tried {
			if differs[x.name] = differs[x.name] || got[i] != plain[i]; got[i] != plain[i] && !x.differs {
				t.Errorf("%s, %s: %s, expected %s", x.name, order, got[i], plain[i])
			}
		}
	}
	for _, x := range tried {
		if x.differs && !differs[x.name] {
			t.Errorf("%s: no order shows another result", x.name)
		}
	}
	for loop := range tries { // of one alone
		for i, got := range run("reversed " + loop) {
			if got != plain[i] && !strings.HasPrefix(loop, "main."+tried[i].name+":") {
				t.Errorf("%s in another order changes %s", loop, tried[i].name)
			}
		}
	}
}

// TestTriesPlain checks that a program with all of Go does the same where all its loops are tried
// in the plain order.
func TestTriesPlain(t *testing.T) {
	how := front.Options{Tries: map[string][]front.Removal{}}
	for _, r := range whole(t, corpus.Front(t), variants["no-iterations"]).Regions {
		if r.Kind == loi.Loop {
			how.Tries[r.Name()] = nil
		}
	}
	b := whole(t, corpus.Front(t), how)
	tried := 0
	for _, x := range b.Tried {
		if tried++; x.Why != "" {
			tried--
		}
	}
	if tried < 100 || len(b.Tried) < len(how.Tries) {
		t.Errorf("%d loops are tried, of %d, and %d are found", tried, len(how.Tries), len(b.Tried))
	}
	for names, as := range endings(t, built.Plain(b)) {
		if got := ending(t, b.Binary, names); got != as {
			t.Errorf("%s ends so: %s\nexpected %s", names, got, as)
		}
	}
}
