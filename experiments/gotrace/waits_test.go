package gotrace

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/dag"
)

// parallel are programs of goroutines with their work and span in accesses, by hand.
var parallel = map[string]struct {
	text       string
	work, span uint64
}{
	// 10 items of 3 accesses each, of which the consumer makes 5 each: it has the first after 3, and
	// then is what the producer waits for.
	"producer and consumer": {producer("0", "5"), 10 * (3 + 5), 3 + 10*5},
	// With room for all and 2 by the consumer, who waits for each.
	"producer and consumer with room": {producer("10", "2"), 10 * (3 + 2), 10*3 + 2},
	// 20 items through stages of 1, 2, 3, 2 and 1 accesses: the first takes 9, then one comes out
	// each 3.
	"pipeline": {`
func main() {
	first := make(chan int)
	from := first
	for _, n := range [...]int{2, 3, 2, 1} {
		to := make(chan int)
		go func(in, out chan int) {
			own := heap()
			for x := range in {
				work(own, n)
				out <- x
			}
			close(out)
		}(from, to)
		from = to
	}
	go func() {
		own := heap()
		for i := range 20 {
			work(own, 1)
			first <- i
		}
		close(first)
	}()
	for range from {
	}
}
`, 20 * 9, 9 + 19*3},
	// 10 before, then 7, 14, ... 56 beside 5, then 10.
	"fork and join": {`
func main() {
	own, all := heap(), new(sync.WaitGroup)
	work(own, 10)
	for i := range 8 {
		all.Go(func() { work(heap(), 7*(i+1)) })
	}
	work(own, 5)
	all.Wait()
	work(own, 10)
}
`, 10 + 7*36 + 5 + 10, 10 + 56 + 10},
	// Each of 4 makes 6, then 10 times 3 behind a lock, which one has at a time.
	"convoy": {`
func main() {
	shared, lock, all := heap(), new(sync.Mutex), new(sync.WaitGroup)
	for range 4 {
		all.Go(func() {
			work(heap(), 6)
			for range 10 {
				lock.Lock()
				work(shared, 3)
				lock.Unlock()
			}
		})
	}
	all.Wait()
}
`, 4 * (6 + 10*3), 6 + 4*10*3},
	// What is stored is made before the store, 20, and who sees it makes 30 then; an embedded variable
	// is the same by its name.
	"atomic store of what a call makes": {`
type box struct {
	name string
	atomic.Int64
}

func made(p *int) int64 { work(p, 20); return 1 }

func main() {
	var b box
	own, done := heap(), make(chan bool)
	go func() {
		for b.Int64.Load() == 0 {
		}
		work(heap(), 30)
		done <- true
	}()
	b.Store(made(own))
	<-done
}
`, 20 + 30, 20 + 30},
	// Readers at once, then a writer; then a condition that the writer waits for is signaled.
	"readers and a writer": {`
func main() {
	lock, all := new(sync.RWMutex), new(sync.WaitGroup)
	begun := make(chan bool)
	for range 4 {
		all.Go(func() {
			lock.RLock()
			begun <- true
			work(heap(), 5)
			lock.RUnlock()
		})
	}
	for range 4 {
		<-begun
	}
	lock.Lock()
	work(heap(), 7)
	lock.Unlock()
	all.Wait()
}
`, 4*5 + 7, 5 + 7},
	// Atomic variables: main reads what the goroutine has stored, and goes on.
	"flag": {`
func main() {
	ready := new(atomic.Bool)
	go func() {
		work(heap(), 20)
		ready.Store(true)
		work(heap(), 1)
	}()
	own := heap()
	work(own, 4)
	for !ready.Load() {
	}
	work(own, 30)
}
`, 20 + 1 + 4 + 30, 20 + 30},
	// A coroutine is a goroutine that never runs beside its caller.
	"coroutine": {`
func main() {
	next, stop := iter.Pull(func(yield func(int) bool) {
		own := heap()
		for {
			work(own, 2)
			if !yield(1) {
				return
			}
		}
	})
	own := heap()
	for range 6 {
		next()
		work(own, 3)
	}
	stop()
}
`, 6 * (2 + 3), 6 * (2 + 3)},
}

// producer is a program whose consumer has so much work with each item; the channel has room.
func producer(room, each string) string {
	return strings.NewReplacer("ROOM", room, "EACH", each).Replace(`
func main() {
	c, done := make(chan int, ROOM), make(chan bool)
	go func() {
		own := heap()
		for range c {
			work(own, EACH)
		}
		done <- true
	}()
	own := heap()
	for i := range 10 {
		work(own, 3)
		c <- i
	}
	close(c)
	<-done
}
`)
}

// work is what they all have: an update of *p is one access.
const common = `package main

import (
	"iter"
	"sync"
	"sync/atomic"
)

var _, _, _ any = iter.Pull[int], (*sync.Mutex)(nil), (*atomic.Bool)(nil)

//go:noinline
func heap() *int { return new(int) }

//go:noinline
func work(p *int, n int) {
	for range n {
		*p++
	}
}
`

// allParallel is the programs of parallel in one, which takes the name of one of them.
func allParallel() string {
	var cases, functions strings.Builder
	for i, name := range slices.Sorted(maps.Keys(parallel)) {
		main := fmt.Sprintf("program%d()", i)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s\n", name, main)
		functions.WriteString(strings.Replace(parallel[name].text, "func main()", "func "+main, 1))
	}
	return strings.Replace(common, "import (", "import (\n\t\"flag\"", 1) + functions.String() +
		"\nfunc main() {\n\tflag.Parse()\n\tswitch flag.Arg(0) {\n" + cases.String() + "\t}\n}\n"
}

func TestParallelism(t *testing.T) {
	text := allParallel()
	for name, c := range parallel {
		t.Run(name, func(t *testing.T) {
			tr := openTrace(t, text, name)
			b := dag.NewGoroutines(&tr.Header)
			for e, err := range tr.Ordered(loi.Order{Events: true}) {
				if err == nil {
					err = b.Event(e)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			l := b.End().Longest(func(o *dag.Op) uint64 { return o.Kernels })
			if l.Work != c.work || l.Span != c.span {
				t.Errorf("work %d and span %d, expected %d and %d", l.Work, l.Span, c.work, c.span)
			}
		})
	}
}

// openTrace runs a program and opens its trace, with regions and what goroutines wait for.
func openTrace(t *testing.T, text string, args ...string) *loi.Trace {
	t.Helper()
	return openTraceOf(t, text, true, args...)
}

// openTraceOf is openTrace with regions, or those alone that the source names kernels.
func openTraceOf(t *testing.T, text string, regions bool, args ...string) *loi.Trace {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	_, out, err := trace(t, Data, text, func(r *Request) {
		r.Trace, r.Args, r.Build.Sync = file, args, true
		r.Build.Regions, r.Build.Iterations = regions, regions
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr, err := loi.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// Kernels are what the source names, by comments or labels, with all that they call; otherwise
// functions.
func TestNamedKernels(t *testing.T) {
	tr := openTrace(t, `package main

import (
	"context"
	"runtime/pprof"
)

var p = new(int)

func leaf() { *p++ }

//krd:kernel by comment
func named() {
	leaf()
	pprof.Do(context.Background(), pprof.Labels("kernel", "hidden"), func(context.Context) { leaf() })
}

func main() {
	leaf()
	named()
	other := context.Background()
	pprof.Do(other, pprof.Labels("kernel", "a label", "else", "x"), func(context.Context) {
		leaf()
		done := make(chan bool)
		go func() {
			leaf()
			close(done)
		}()
		<-done
	})
	//krd:kernel loop
	for range 3 {
		leaf()
	}
	leaf()
}
`)
	got := map[string]int{}
	for e, err := range tr.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Accesses() {
			if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
				got[tr.Header.Registry.Kernels[e.Kernel].Name]++
			}
		}
	}
	for name, n := range map[string]int{"main.leaf": 2, "by comment": 2, "a label": 2, "loop": 3} {
		if got[name] != n {
			t.Errorf("%s has %d accesses, expected %d", name, got[name], n)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("beside these: %v", got)
	}
}

// TestKernelsThatPanic has a kernel that panics end where that is recovered.
func TestKernelsThatPanic(t *testing.T) {
	text := `package main

var p = new(int)

//krd:kernel broken
func broken() {
	*p++
	panic("broken")
}

func try() {
	defer func() { recover() }()
	broken()
}

func main() {
	for range 5 {
		try()
		*p++
	}
}
`
	for _, regions := range []bool{false, true} {
		tr := openTraceOf(t, text, regions)
		got := map[string]int{}
		for e, err := range tr.Ordered(loi.Order{}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range e.Accesses() {
				if strings.HasPrefix(tr.Header.Registry.Objects[a.Object].Name, "int,") {
					got[tr.Header.Registry.Kernels[e.Kernel].Name]++
				}
			}
		}
		if got["broken"] != 5 || got["main.main"] != 5 {
			t.Errorf("accesses %v with regions %t, expected 5 and 5", got, regions)
		}
	}
}

// TestDeepRecursion has 200 000 regions open at once: what an event costs does not depend on that.
func TestDeepRecursion(t *testing.T) {
	tr := openTrace(t, `package main

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func main() { deep(200000) }
`)
	begins, ends := 0, 0
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type == loi.EventRecord && e.Event == loi.EventRegion:
			begins++
		case e.Type == loi.EventRecord && e.Event == loi.EventRegionEnd:
			ends++
		}
	}
	if begins != 200002 || ends != begins {
		t.Errorf("%d regions begin and %d end, expected 200 002", begins, ends)
	}
}
