package goprogram

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
)

var record = flag.Bool("record", false, "write the traces of package corpus anew")

// TestRecorded records each case whose trace is in package corpus, and compares event by event
// within each goroutine. Lines of 64 bytes and the objects of synchronisation are numbered by their
// first use, since where they are differs from run to run; stamps are compared between goroutines
// where one event forces the order of two.
func TestRecorded(t *testing.T) {
	for _, r := range corpus.Recordings {
		t.Run(filepath.Base(r.File()), func(t *testing.T) {
			// How often a goroutine looks at a variable that it waits for is chance.
			spins := r.Arg == "flag" || strings.HasPrefix(r.Arg, "atomic store")
			var before []string
			if !*record {
				before = newStories(t, corpus.Open(t, r)).texts(spins)
			}
			file := recordedAnew(t, r)
			for range 20 { // what others do while main returns may be lost
				now, err := loi.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				s := newStories(t, now)
				whole := s.sent() && !cutShort(s.texts(spins), before)
				now.Close()
				if whole {
					break
				}
				file = recordedAnew(t, r)
			}
			if *record {
				if err := os.Remove(r.File()); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				if err := loi.Compress(file, r.File()); err != nil {
					t.Fatal(err)
				}
			}
			now, err := loi.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer now.Close()
			s := newStories(t, now)
			if r.Sync {
				s.checkOrder(t)
			}
			same(t, s.texts(spins), newStories(t, corpus.Open(t, r)).texts(spins))
		})
	}
}

// recordedAnew records r, and returns the file.
func recordedAnew(t *testing.T, r corpus.Recording) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	d, out, err := trace(t, Data, r.Case, func(q *Request) {
		q.Trace = file
		q.Build = build.Request{Path: ".", Options: front.Options{Values: r.Values,
			Sync: r.Sync, Regions: !r.Values, Iterations: !r.Values}}
		if r.Arg != "" {
			q.Args = []string{r.Arg}
		}
	})
	if err != nil || d.OddEvents != 0 {
		t.Fatalf("%v, %+v\n%s", err, d, out)
	}
	if d.Stack != r.Values { // which imply it
		t.Errorf("the document says stack %t", d.Stack)
	}
	return file
}

// cutShort reports whether each goroutine's story ends as before or earlier, and one earlier: main
// returned before that goroutine had recorded its last events.
func cutShort(now, before []string) bool {
	short := false
	for w := range min(len(now), len(before)) {
		if now[w] == before[w] {
			continue
		}
		if now[w] != "" && !strings.HasPrefix(before[w], now[w]+"\n") {
			return false
		}
		short = true
	}
	return short && len(now) == len(before)
}

// sent reports whether each receive of a value has its send.
func (s *stories) sent() bool {
	type object struct {
		name  loi.ObjectID
		place uint64
	}
	open := map[object]int{}
	for _, list := range s.events {
		for i := range list {
			x, ok := list[i].Sync()
			if !ok || x.Timer || x.Object == loi.NoObject {
				continue
			}
			switch o := (object{x.Object, x.Place}); x.Op {
			case loi.SyncReceive:
				open[o]++
			case loi.SyncSend:
				open[o]--
			}
		}
	}
	for _, n := range open {
		if n > 0 {
			return false
		}
	}
	return true
}

// stories are the events of a trace by worker.
type stories struct {
	registry *loi.Registry
	events   [][]copied
	worker   map[uint32]int // by number of a goroutine
	places   map[string]int // lines and objects of synchronisation, numbered by first use
}

// copied is an event of the trace, with its accesses.
type copied struct {
	loi.Record
	accesses []loi.Access
	at       int64
}

func newStories(t *testing.T, tr *loi.Trace) *stories {
	t.Helper()
	s := &stories{registry: &tr.Header.Registry, worker: map[uint32]int{}}
	for e, err := range tr.Ordered(loi.Order{ByWorker: true, Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == loi.EventRecord && e.Event == loi.EventBegun {
			continue // how far others were when main returned is chance: see TestStuck
		}
		for len(s.events) <= e.Worker {
			s.events = append(s.events, nil)
		}
		x := copied{Record: *e.Record, at: e.End}
		x.Args = slices.Clone(e.Args)
		if e.Type != loi.EventRecord {
			x.accesses = slices.Clone(e.Accesses())
		} else if n, _, ok := e.Goroutine(); ok && e.Event == loi.EventStart {
			s.worker[n] = e.Worker
		}
		s.events[e.Worker] = append(s.events[e.Worker], x)
	}
	if len(s.events) == 0 {
		t.Fatal("the trace has no events")
	}
	return s
}

// texts returns the stories, those of goroutines that others start in the order in which they are
// started, or sorted where that is not recorded; with spins without iterations and atomic loads.
func (s *stories) texts(spins bool) (all []string) {
	s.places = map[string]int{}
	began := map[int]bool{}
	for w := range s.events {
		if len(s.worker) == 0 { // who starts whom is not recorded
			s.places = map[string]int{}
		}
		if !began[w] && !s.started(w) {
			all = s.text(w, spins, began, all)
		}
	}
	if len(s.worker) == 0 {
		slices.Sort(all)
	}
	return all
}

// started reports whether an event of the trace starts the goroutine of a worker.
func (s *stories) started(w int) bool {
	first := &s.events[w][0]
	n, _, ok := first.Goroutine()
	if !ok || first.Event != loi.EventStart {
		return false
	}
	for _, list := range s.events {
		for i := range list {
			if g, _, ok := list[i].Goroutine(); ok && g == n && list[i].Event == loi.EventGo {
				return true
			}
		}
	}
	return false
}

// ends are the lines of what ends.
var ends = []string{loi.EventRegionEnd.String(), loi.EventEnd.String()}

// text appends the story of a worker and then those of the goroutines that it starts.
func (s *stories) text(w int, spins bool, began map[int]bool, all []string) []string {
	began[w] = true
	var lines []string
	var children []int
	for i := range s.events[w] {
		e := &s.events[w][i]
		if g, _, ok := e.Goroutine(); ok && e.Event == loi.EventGo {
			if c, ok := s.worker[g]; ok {
				children = append(children, c)
			}
		}
		if line := s.line(e, spins); line != "" {
			lines = append(lines, line)
		}
	}
	// The program may end before a goroutine that has nothing more to do.
	for n := len(lines) - 1; len(all) > 0 && n >= 0 && slices.Contains(ends, lines[n]); n-- {
		lines = lines[:n]
	}
	all = append(all, strings.Join(lines, "\n"))
	for _, c := range children {
		if !began[c] {
			all = s.text(c, spins, began, all)
		}
	}
	return all
}

// place returns the number of a line or an object, by its name and address.
func (s *stories) place(name string, address uint64) int {
	key := fmt.Sprint(name, " ", address)
	n, ok := s.places[key]
	if !ok {
		n = len(s.places)
		s.places[key] = n
	}
	return n
}

// line returns what an event is, without stamps and the numbers that differ between builds.
func (s *stories) line(e *copied, spins bool) string {
	r := s.registry
	if e.Type != loi.EventRecord {
		text := r.Kernels[e.Kernel].Name
		for _, a := range e.accesses {
			at := a.Block & (1<<sizeShift - 1)
			name := r.Objects[a.Object].Name
			text += fmt.Sprintf("; %s, mode %d, %d bytes at %d of line %d", name, a.Mode, a.Bytes,
				at%lineBytes, s.place(name, at/lineBytes))
		}
		return text
	}
	switch e.Event {
	case loi.EventRegion:
		if x := &r.Regions[e.Args[0]]; !spins || x.Kind != loi.Iteration {
			return fmt.Sprintf("begins %v %s", x.Kind, x.Name)
		}
		return ""
	case loi.EventRegionEnd:
		if spins {
			return ""
		}
	case loi.EventLines:
		return ""
	case loi.EventSync:
		x, _ := e.Sync()
		name := "unknown"
		if x.Object != loi.NoObject {
			name = r.Objects[x.Object].Name
		}
		if spins && x.Op == loi.SyncLoad {
			return ""
		}
		return fmt.Sprintf("%v, %t, %t, room %d, %s %d", x.Op, x.Selected, x.Timer, x.Room, name,
			s.place(name, x.Place))
	case loi.EventOperation:
		n, terms, _ := e.Operation()
		o := r.Operations[n]
		if r.Kernels[o.Kernel].Name == "main.main" {
			o.Line = 0 // it moves with each case of the corpus
		}
		return fmt.Sprintf("%v %s at %s:%d, terms %v", o.Kind, o.Name, r.Kernels[o.Kernel].Name, o.Line,
			terms)
	}
	text := e.Event.String()
	if k, ok := e.Entry(); ok {
		text += " " + r.Kernels[k].Name
	}
	return text
}

// checkOrder compares stamps where an event of one goroutine forces that of another: a start follows
// what starts it, the k-th receive of a channel the k-th send, a receive from a closed channel the
// close, and the only wait for a wait group all that was done.
func (s *stories) checkOrder(t *testing.T) {
	t.Helper()
	type object struct {
		name  loi.ObjectID
		place uint64
	}
	spawned, begun := map[uint32]int64{}, map[uint32]int64{}
	at := map[loi.SyncOp]map[object][]uint64{} // when each operation on an object took effect
	for _, list := range s.events {
		for i := range list {
			e := &list[i]
			if n, _, ok := e.Goroutine(); ok && e.Event == loi.EventGo {
				spawned[n] = e.at
			} else if ok && e.Event == loi.EventStart {
				begun[n] = e.at
			}
			if x, ok := e.Sync(); ok && !x.Timer && x.Object != loi.NoObject {
				if at[x.Op] == nil {
					at[x.Op] = map[object][]uint64{}
				}
				o := object{x.Object, x.Place}
				at[x.Op][o] = append(at[x.Op][o], x.At)
			}
		}
	}
	checked := 0
	follows := func(what string, before, after uint64) {
		if checked++; after < before {
			t.Errorf("%s: %d ticks before what it follows", what, before-after)
		}
	}
	for n, time := range begun {
		if from, ok := spawned[n]; ok {
			follows("the start of a goroutine", uint64(from), uint64(time))
		}
	}
	for o, list := range at[loi.SyncReceive] {
		sends := at[loi.SyncSend][o]
		if len(sends) < len(list) {
			t.Errorf("%d receives of %d sends", len(list), len(sends))
			continue
		}
		slices.Sort(list)
		slices.Sort(sends)
		for k, time := range list {
			follows("a receive", sends[k], time)
		}
	}
	for o, list := range at[loi.SyncReceiveClosed] {
		for _, time := range list {
			follows("a receive from a closed channel", at[loi.SyncClose][o][0], time)
		}
	}
	for o, list := range at[loi.SyncWait] {
		if done := at[loi.SyncDone][o]; len(list) == 1 && len(done) > 0 {
			follows("a wait", slices.Max(done), list[0])
		}
	}
	if checked == 0 {
		t.Error("no event forces the order of two")
	}
}
