package goprogram

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	analyses "krdlab/krd/analysis"
	"krdlab/krd/analysis/graph"
	"krdlab/loi"
)

var stuck = map[string]string{
	"twice": `g1, main.main lock twice.l: itself, which holds it
true: g1, main.main is in lock of twice.l (twice) and waits for itself, which holds it
deadlock
`,
	"own": `g1, main.main read lock own.l: itself, which holds it
true: g1, main.main is in read lock of own.l (own) and waits for itself, which holds it
deadlock
`,
	"crossed": `g1, main.main select without cases : nobody that is known
g2, ring.func1 lock []sync.Mutex: g3, ring.func1, which holds it
g3, ring.func1 lock []sync.Mutex: g2, ring.func1, which holds it
true: g2, ring.func1 is in lock of []sync.Mutex (ring.func1) and waits for g3, ring.func1, which holds it;
g3, ring.func1 is in lock of []sync.Mutex (ring.func1) and waits for g2, ring.func1, which holds it
deadlock
`,
	"ring": `g1, main.main select without cases : nobody that is known
g2, ring.func1 lock []sync.Mutex: g3, ring.func1, which holds it
g3, ring.func1 lock []sync.Mutex: g4, ring.func1, which holds it
g4, ring.func1 lock []sync.Mutex: g2, ring.func1, which holds it
true: g2, ring.func1 is in lock of []sync.Mutex (ring.func1) and waits for g3, ring.func1, which holds it;
g3, ring.func1 is in lock of []sync.Mutex (ring.func1) and waits for g4, ring.func1, which holds it;
g4, ring.func1 is in lock of []sync.Mutex (ring.func1) and waits for g2, ring.func1, which holds it
deadlock
`,
	"reader": `g1, main.main read lock reader.l: g2, which asked to lock it first
g2 lock reader.l: g1, main.main, which holds it
true: g1, main.main is in read lock of reader.l (reader) and waits for g2, which asked to lock it first;
g2 is in lock of reader.l (reader.gowrap1) and waits for g1, main.main, which holds it
deadlock
`,
	"held": `g1, main.main lock held.l: g2, held.func1, which holds it
g2, held.func1 send chan int: nobody that is known
false: g1, main.main is in lock of held.l (held) and waits for g2, held.func1, which holds it;
g2, held.func1 is in send of chan int (held.func1) and waits, if for anyone, for g1, main.main
deadlock
`,
	"missed": `g1, main.main wait missed.g: nobody that is known
deadlock
`,
	"results": `g1, main.main wait results.g: g2, results.func1, which it started; g3, results.func1, which it started; g4, results.func1, which it started
g2, results.func1 send chan int: nobody that is known x3
false: g1, main.main is in wait of results.g (results) and waits for g2, results.func1, which it started;
g2, results.func1 is in send of chan int (results.func1) and waits, if for anyone, for g1, main.main
deadlock
`,
	"signal": `g1, main.main wait for condition sync.Cond, made where nothing was rewritten: nobody that is known
deadlock
`,
	"unclosed": `g1, main.main wait unclosed.g: g2, unclosed.func1, which it started
g2, unclosed.func1 receive chan int: g1, main.main, which sent to it
false: g1, main.main is in wait of unclosed.g (unclosed) and waits for g2, unclosed.func1, which it started;
g2, unclosed.func1 is in receive of chan int (unclosed.func1) and waits for g1, main.main, which sent to it
deadlock
`,
	"both": `g1, main.main receive chan int: nobody that is known
g2, both.func1 select: receive of chan int, or send of chan int : g1, main.main, which sent to it
false: g1, main.main is in receive of chan int (both) and waits, if for anyone, for g2, both.func1;
g2, both.func1 is in select: receive of chan int, or send of chan int (both.func1) and waits for g1, main.main, which sent to it
deadlock
`,
	"none": `g1, main.main send a nil channel: nobody that is known
deadlock
`,
	"again": `g1, main.main once again.o: nobody that is known
deadlock
`,
	"busy": `g1, main.main running : 
g2, busy.func1 running : 
g3 lock busy.l: g2, busy.func1, which holds it
g4 sleep : 
g5, busy.func2 receive channel, made where nothing was rewritten: 
`,
	"panics": `g1, main.main select without cases : nobody that is known
g2, panics.func1 running : 
`,
	"ends": "",
}

// TestStuck has programs that deadlock in the shapes of a collection of Go's concurrency bugs
// (GoKer), and three that do not: what each goroutine was in, and the circle, if there is one.
func TestStuck(t *testing.T) {
	for name, want := range stuck {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "p.loi")
			_, _, err := trace(t, Data, "stuck", func(r *Request) {
				r.Trace, r.Args = file, []string{name}
				r.Build.Sync, r.Build.Regions, r.Build.Iterations = true, true, true
			})
			if (name == "ends") != (err == nil) {
				t.Fatal(err)
			}
			tr, err := loi.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			list, err := analyses.Run(context.Background(), tr, []analyses.Asked{{
				Analysis: graph.Analysis, Options: &graph.Options{}}}, analyses.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(list[0].Document())
			if err != nil {
				t.Fatal(err)
			}
			var d graph.Document
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			// made at, declared at, and lines are of the sources, which may change
			short := strings.NewReplacer("corpus/stuck.", "", "goroutine ", "g")
			line := regexp.MustCompile(`(, (made|declared) at)? ?,? ?main\.go:\d+`)
			var got strings.Builder
			say := func(format string, args ...any) {
				got.WriteString(short.Replace(line.ReplaceAllString(fmt.Sprintf(format, args...), "")))
			}
			for _, b := range d.Goroutines.Begun {
				say("%s %s %s: %s", b.Goroutine, b.Operation, b.Object, strings.Join(b.For, "; "))
				if name == "twice" && b.Where != "corpus/stuck.twice, main.go:16" {
					t.Errorf("it is at %q", b.Where)
				}
				if b.Count > 1 {
					say(" x%d", b.Count)
				}
				say("\n")
			}
			for _, c := range d.Goroutines.Circles {
				say("%t: %s\n", c.Sure, strings.Join(c.Steps, ";\n"))
			}
			if d.Goroutines.Deadlock {
				say("deadlock\n")
			}
			if got.String() != want {
				t.Errorf("%s", got.String())
			}
		})
	}
}
