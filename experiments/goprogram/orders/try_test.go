package orders

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// A trial is the outcome of trying a loop: why it is not tried, or the first order that has another
// result.
type trial struct{ why, order string }

// tries has the program itself execute loops in other orders, with what classes name carried out.
func tries(t *testing.T, name string, loops []*loop, classes []*class) (all []trial) {
	t.Helper()
	source, lines := program(loops)
	asked := map[string][]front.Removal{}
	of := map[string]int{}
	for i, c := range classes {
		loop := fmt.Sprintf("main.l%d:%d", i, lines[i])
		of[loop], asked[loop] = i, []front.Removal{}
		for _, r := range c.Removed {
			asked[loop] = append(asked[loop], front.Removal{By: r.By, Name: r.Name, Operator: r.Operator})
		}
	}
	dir := corpus.Lay(t, name, map[string][]byte{"go.mod": []byte("module orders\n\ngo 1.26\n"),
		"main.go": []byte(source)})
	p := built.Of(t, dir, build.Request{Path: ".", Options: front.Options{Tries: asked}})
	all = make([]trial, len(loops))
	for _, x := range p.Tried {
		all[of[x.Loop]].why = x.Why
	}
	run := func(order string) []string {
		c := exec.Command(p.Binary)
		c.Env = append(os.Environ(), "KRD_ORDER="+order)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", order, err, out[:min(len(out), 2000)])
		}
		return strings.Split(string(out), "\n")
	}
	plain := run("")
	for i, l := range loops {
		want, _ := l.run(l.orders[0], nil)
		if fmt.Sprint(strings.Fields(plain[i])) != fmt.Sprint(want) {
			text, _ := l.source("l")
			t.Fatalf("the plain order prints\n%s\nthe interpreter computes\n%v\n%s", plain[i], want, text)
		}
	}
	for _, order := range []string{"reversed", "halves", "shuffled:1", "shuffled:2"} {
		got := run(order)
		for i := range all {
			if all[i].order == "" && got[i] != plain[i] {
				all[i].order = order
			}
		}
	}
	return all
}

// TestTries has random loops executed in other orders by the program itself: those that are the same
// in all orders, with what removes their dependences carried out, stay; at most 30 % cannot be tried.
// Of loops that are not, called doall by a planted fault, 95 % are struck.
func TestTries(t *testing.T) {
	var right, wrong []*loop
	var named, planted []*class
	doall := "doall"
	loops := loopsOf(long.Or(60, 1500))
	for part := range slices.Chunk(loops, 300) {
		traced := long.Or(nil, []int{1}) != nil // or what an oracle names
		var found []class
		if traced {
			found = classes(t, part)
		}
		for i, l := range part {
			ways := l.found()
			if ways == nil {
				wrong, planted = append(wrong, l), append(planted, &class{Class: &doall})
			}
			if traced && found[i].parallel() {
				right, named = append(right, l), append(named, &found[i])
			} else if !traced && ways != nil {
				right, named = append(right, l), append(named, l.named(ways))
			}
		}
	}
	reasons := map[string]int{}
	not := 0
	for i, x := range tries(t, "tries", right, named) {
		if x.why != "" {
			words := strings.Fields(x.why)
			if at := strings.Index(x.why, ": "); at > 0 {
				words = append(strings.Split(words[0], ":"), x.why[at:])
			}
			reasons[strings.Join(words, " ")]++
			not++
		} else if x.order != "" {
			source, _ := right[i].source("l")
			t.Errorf("%s, %v: another result, %s\n%s", right[i].row, named[i].Removed, x.order, source)
		}
	}
	t.Logf("%d of %d loops could not be tried", not, len(right))
	for _, why := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return reasons[b] - reasons[a]
	}) {
		t.Logf("%4d %s", reasons[why], why)
	}
	if not*10 > len(right)*3 {
		t.Errorf("%d of %d loops could not be tried, expected at most 30 %%", not, len(right))
	}
	struck, could := 0, 0
	for i, x := range tries(t, "planted", wrong, planted) {
		if x.why != "" {
			continue
		}
		could++
		if x.order != "" {
			struck++
		} else {
			l := wrong[i]
			at := slices.IndexFunc(l.orders, func(o []int) bool {
				got, _ := l.run(o, make([]way, len(l.vars)))
				want, _ := l.run(l.orders[0], nil)
				return !slices.Equal(got, want)
			})
			source, _ := l.source("l")
			if at < 0 {
				t.Logf("not struck, and the same in twenty orders of the interpreter:\n%s", source)
				continue
			}
			t.Logf("not struck; %v would have shown it:\n%s", l.orders[at], source)
		}
	}
	t.Logf("%d of %d loops are struck, of %d", struck, could, len(wrong))
	if could < long.Or(10, 200) || struck*100 < could*95 {
		t.Errorf("%d of %d loops are struck, expected 95 %%", struck, could)
	}
}
