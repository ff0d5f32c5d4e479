package build_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

// begun lists by hand how often each region of the case regions begins in which. Loops have the
// number that they have in their function; an i is an iteration.
var begun = map[string]string{
	// two iterations; the second is left in its third
	"goto": "main>gotoOut 1, gotoOut>gotoOut/1 1, gotoOut/1>gotoOut/1i 2, gotoOut/1i>gotoOut/2 2, " +
		"gotoOut/2>gotoOut/2i 8, gotoOut>leaf 1",
	// the function that is deferred runs in the one that panicked
	"panic": "main>throughThree 1, throughThree>throughThree/1 1, throughThree/1>throughThree/1i 2, " +
		"throughThree/1i>fourth 2, fourth>third 2, third>second 2, second>second/1 2, " +
		"second/1>second/1i 10, second/1i>first 10, first>first/1 10, first/1>first/1i 10, " +
		"first/1i>fourth.func1 2, fourth.func1>leaf 2",
	"recursion": "main>recursion 1, recursion>deeper 1, deeper>deeper 999",
	"goroutines": "main>hundred 1, hundred>hundred/1 1, hundred/1>hundred/1i 100, " +
		">hundred.func1 100, hundred.func1>hundred.func1/1 100, hundred.func1/1>hundred.func1/1i 300, " +
		"hundred.func1/1i>leaf 300",
	// 2 + 2 + 1 calls
	"labels": "main>labels 1, labels>labels/1 1, labels/1>labels/1i 3, labels/1i>labels/2 3, " +
		"labels/2>labels/2i 8, labels/2i>leaf 5, labels>leaf 1",
	"goexit": "main>goexit 1, >goexit.func1 1, goexit.func1>goexit.func1/1 1, " +
		"goexit.func1/1>goexit.func1/1i 1, goexit.func1/1i>exits 1, exits>exits/1 1, " +
		"exits/1>exits/1i 1, exits/1i>exits.func1 1, exits.func1>leaf 1",
	// the body of a loop over a function is in the loop of the function that calls it; behind a return
	// the function goes on
	"iterators": "main>iterators 1, iterators>iterators/1 1, iterators>iterators/2 1, " +
		"iterators/1>upTo 1, iterators/2>upTo 1, iterators/1>upTo.func1 1, iterators/2>upTo.func1 1, " +
		"upTo.func1>upTo.func1/1 6, upTo.func1/1>upTo.func1/1i 17, upTo.func1/1i>iterators/1i 4, " +
		"upTo.func1/1i>iterators/2i 3, iterators/1i>leaf 3, upTo.func1/1i>leaf 3, " +
		"iterators>inIterator 1, inIterator>inIterator/1 1, inIterator/1>upTo 1, " +
		"inIterator/1>upTo.func1 1, upTo.func1/1i>inIterator/1i 4, iterators>leaf 1, " +
		"iterators>iterators/3 1, iterators/3>upTo 1, iterators/3>upTo.func1 1, " +
		"upTo.func1/1i>iterators/3i 2, iterators/3i>iterators/4 2, iterators/4>upTo 2, " +
		"iterators/4>upTo.func1 2, upTo.func1/1i>iterators/4i 4",
	"returns": "main>returns 1, returns>returns/1 1, returns/1>returns/1i 3, returns/1i>inLoop 3, " +
		"inLoop>inLoop/1 3, inLoop/1>inLoop/1i 6, inLoop/1i>inLoop/2 6, inLoop/2>inLoop/2i 3, " +
		"returns>both 1, both>value 2, returns>named 1, named>both 1, returns>returned 1, " +
		"returns>returned.func1 1, returned.func1>value 1",
	// value panics; then second, which panics too, runs in it
	"defers": "main>defers 1, defers>defers/1 1, defers/1>defers/1i 5, defers/1i>failing 5, " +
		"failing>value 5, value>second 5, second>second/1 5, second/1>second/1i 25, " +
		"second/1i>first 25, first>first/1 25, first/1>first/1i 25, first/1i>failing.func2 5, " +
		"failing.func2>failing.func2/1 5, failing.func2/1>failing.func2/1i 10, " +
		"failing.func2/1i>leaf 10, first/1i>failing.func1 5, defers>leaf 1",
	"back": "main>gotoBack 1, gotoBack>gotoBack/1 4, gotoBack/1>gotoBack/1i 6, gotoBack/1i>leaf 6, " +
		"gotoBack>gotoBack/2 2, gotoBack/2>gotoBack/2i 5, gotoBack>gotoBack/3 1",
	// what a jump leaves ends where it leads
	"landed": "main>landed 1, landed>leaf 2, landed>landed/1 1, landed/1>landed/1i 3, " +
		"landed/1i>leaf 3, landed/1i>landed/2 3, landed/2>landed/2i 6, landed/2i>landed/3 6, " +
		"landed/3>landed/3i 10, landed>landed/4 1, landed/4>landed/4i 3, landed/4i>leaf 3, " +
		"landed/4i>landed/5 3, landed/5>landed/5i 4, landed/5i>landed/6 4, landed/6>upTo 4, " +
		"landed/6>upTo.func1 4, upTo.func1>upTo.func1/1 4, upTo.func1/1>upTo.func1/1i 10, " +
		"upTo.func1/1i>landed/6i 10, upTo.func1/1i>leaf 2, landed>landed/7 1, " +
		"landed/7>landed/7i 1, landed>landed/8 2, landed/8>landed/8i 2, landed/8i>leaf 2, " +
		"landed/8i>landed/9 2, landed/9>landed/9i 3",
}

// counting is nesting that counts which regions begin in which.
type counting struct {
	nesting
	reader *collect.Reader
	names  map[uint32]string
	counts map[string]int
}

func (c *counting) Batch(b *collect.Batch) error {
	open := maps.Clone(c.open)
	for _, a := range b.Acts {
		if a.Kind != loi.EventRegion {
			continue
		}
		c.names[a.Number] = short(c.reader.Regions, a.Region)
	}
	for _, a := range b.Acts {
		in := ""
		if list := open[a.Goroutine]; a.Kind == loi.EventRegion {
			if len(list) > 0 {
				in = c.names[list[len(list)-1]]
			}
			if name := c.names[a.Number]; name != "" {
				c.counts[in+">"+name]++
			}
			open[a.Goroutine] = append(slices.Clip(list), a.Number)
		} else if a.Kind == loi.EventRegionEnd && len(list) > 0 {
			open[a.Goroutine] = list[:len(list)-1]
		}
	}
	return c.nesting.Batch(b)
}

// short returns the name of a region as begun has it, "" for those of other packages.
func short(all []front.Region, n int) string {
	r := &all[n-1]
	name, ok := strings.CutPrefix(r.Function, corpus.Module+"/regions.")
	if !ok {
		return ""
	}
	if name == "Main" {
		name = "main"
	}
	loops := 0
	for i := range all[:n] {
		if all[i].Kind == loi.Loop && all[i].Function == r.Function {
			loops++
		}
	}
	switch r.Kind {
	case loi.Loop:
		return fmt.Sprintf("%s/%d", name, loops)
	case loi.Iteration:
		return short(all, r.Parent) + "i"
	}
	return name
}

// TestRegions counts the regions of eleven small programs.
func TestRegions(t *testing.T) {
	for name, iterations := range map[string]bool{"iterations": true, "no-iterations": false} {
		t.Run(name, func(t *testing.T) { countRegions(t, iterations) })
	}
}

// withoutIterations returns the counts where iterations are not recorded, but for those of loops
// over functions.
func withoutIterations(counts map[string]int) map[string]int {
	own := func(r string) (loop string, ok bool) {
		loop, ok = strings.CutSuffix(r, "i")
		return loop, ok && counts[loop+">"+r] > 0
	}
	some := map[string]int{}
	for k, n := range counts {
		in, r, _ := strings.Cut(k, ">")
		if _, ok := own(r); ok {
			continue
		}
		if loop, ok := own(in); ok {
			in = loop
		}
		some[in+">"+r] += n
	}
	return some
}

func countRegions(t *testing.T, iterations bool) {
	b := whole(t, corpus.Front(t), front.Options{Regions: true, Iterations: iterations})
	if len(begun) != 11 {
		t.Errorf("%d programs", len(begun))
	}
	for name, text := range begun {
		t.Run(name, func(t *testing.T) {
			c := &counting{nesting: nesting{open: map[uint64][]uint32{}}, names: map[uint32]string{},
				counts: map[string]int{}}
			program, r := traced(t, b, c)
			c.reader = r
			program.Args = append(program.Args, "regions", name)
			run(t, program, b, r, false)
			c.check(t, true)
			want := map[string]int{">main": 1}
			for _, m := range regexp.MustCompile(`(\S+) (\d+)`).FindAllStringSubmatch(text, -1) {
				n := 0
				fmt.Sscan(m[2], &n)
				want[m[1]] = n
			}
			if !iterations {
				want = withoutIterations(want)
			}
			keys := slices.Sorted(maps.Keys(want))
			for k := range c.counts {
				if _, ok := want[k]; !ok {
					keys = append(keys, k)
				}
			}
			for _, k := range keys {
				if want[k] != c.counts[k] {
					t.Errorf("%s: %d, expected %d", k, c.counts[k], want[k])
				}
			}
		})
	}
}

// traced is a program that was built, to be run, and what reads its events.
func traced(t *testing.T, b *build.Program, s collect.Sink) (*exec.Cmd, *collect.Reader) {
	t.Helper()
	p, err := collect.OpenProgram(b.Binary)
	if err != nil {
		t.Fatal(err)
	}
	r := collect.NewReader(b.Sites, p.Variables, s)
	r.Layout, r.Regions, r.Operations = p.Layout, b.Regions, uint64(len(b.Operations))
	c := exec.Command(b.Binary)
	c.Stderr = os.Stderr
	return c, r
}

// run runs it.
func run(t *testing.T, c *exec.Cmd, b *build.Program, r *collect.Reader, sync bool) {
	t.Helper()
	mem, err := collect.NewMemory(len(b.Sites), false, sync)
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	if _, exit, err := collect.Run(t.Context(), c, mem, r); exit != nil || err != nil {
		t.Error(exit, err)
	}
	if r.Odd > 0 {
		t.Errorf("%d events make no sense", r.Odd)
	}
}
