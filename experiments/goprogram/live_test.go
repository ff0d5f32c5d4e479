package goprogram

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/failure"
	observe "krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// told keeps what an observer is told, by worker.
type told struct {
	header *loi.Header
	lists  map[int]*story
	loops  int
	fails  int // after so many calls; 0: never
	calls  int
}

// A story lists the events of a worker. Lines of 64 bytes are numbered as they come, since where an
// object is differs from run to run.
type story struct {
	list  []string
	lines map[uint64]int
}

var errTold = errors.New("told enough")

func (c *told) of(worker int) *story {
	if c.lists[worker] == nil {
		c.lists[worker] = &story{lines: map[uint64]int{}}
	}
	return c.lists[worker]
}

func (s *story) access(place, bytes uint64, mode loi.Mode) {
	n, ok := s.lines[place/lineBytes]
	if !ok {
		n = len(s.lines)
		s.lines[place/lineBytes] = n
	}
	s.list = append(s.list, fmt.Sprintf("%d bytes %d.%d, mode %d", bytes, n, place%lineBytes, mode))
}

func (c *told) call() error {
	if c.calls++; c.calls == c.fails {
		return errTold
	}
	return nil
}

func (c *told) Accesses(worker int, places []uint64, bytes []uint32, modes []loi.Mode) error {
	for i, p := range places {
		c.of(worker).access(p, uint64(bytes[i]), modes[i])
	}
	return c.call()
}

func (c *told) Loop(worker int, times uint64, accesses []observe.Strided) error {
	c.loops++
	for i := range times {
		for _, a := range accesses {
			c.of(worker).access(a.Place+i*uint64(a.Step), uint64(a.Bytes), a.Mode)
		}
	}
	return c.call()
}

func (c *told) Enter(worker int, region loi.RegionID, _ uint32) error {
	r := &c.header.Registry.Regions[region]
	s := c.of(worker)
	s.list = append(s.list, fmt.Sprintf("%s %v", r.Name, r.Kind))
	return c.call()
}

func (c *told) Leave(worker int, _ uint32) error {
	s := c.of(worker)
	s.list = append(s.list, "end")
	return c.call()
}

func (c *told) End() (observe.Result, error) { return c, nil }
func (c *told) Document() any                { return c.calls }
func (c *told) View() *doc.Doc               { return nil }

// stories are the lists of all workers, sorted: the numbers of goroutines differ from run to run.
func (c *told) stories() (all []string) {
	for _, s := range c.lists {
		all = append(all, strings.Join(s.list, "\n"))
	}
	slices.Sort(all)
	return all
}

// tell has an observer take a program.
func tell(t *testing.T, name string, c *told, change func(*Request)) (*Document, error) {
	t.Helper()
	d, _, err := trace(t, Data, name, func(r *Request) {
		r.Build.Regions = true
		r.Live = func(h *loi.Header) (observe.Live, error) {
			c.header, c.lists = h, map[int]*story{}
			return c, nil
		}
		if change != nil {
			change(r)
		}
	})
	return d, err
}

// toldByTrace returns the events that an observer would get from the program of a trace.
func toldByTrace(t *testing.T, name string, change func(*Request)) *told {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.loi")
	_, out, err := trace(t, Data, name, func(r *Request) {
		r.Trace, r.Build.Regions = file, true
		if change != nil {
			change(r)
		}
	})
	if err != nil && !errors.Is(err, ErrProgram) {
		t.Fatalf("%v\n%s", err, out)
	}
	tr, err := loi.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	c := &told{header: &tr.Header, lists: map[int]*story{}}
	for e, err := range tr.Ordered(loi.Order{ByWorker: true, Events: true}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case e.Type != loi.EventRecord:
			for _, a := range e.Accesses() {
				c.of(e.Worker).access(a.Block&(1<<sizeShift-1), a.Bytes, a.Mode)
			}
		case e.Event == loi.EventRegion:
			err = c.Enter(e.Worker, loi.RegionID(e.Args[0]), e.Args[1])
		case e.Event == loi.EventRegionEnd:
			err = c.Leave(e.Worker, e.Args[0])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// observed are cases for an observer: of one goroutine, and of several.
var observed = []string{"observed", "workers"}

// TestLive compares what an observer is told with the trace that is written of the same program,
// for each goroutine.
func TestLive(t *testing.T) {
	for _, name := range observed {
		for _, iterations := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, iterations %t", name, iterations), func(t *testing.T) {
				with := func(r *Request) { r.Build.Iterations = iterations }
				c := &told{}
				d, err := tell(t, name, c, with)
				if err != nil || d.Result != c || d.ObserverNs <= 0 || d.Dir != "" || d.Trace != nil {
					t.Fatalf("%v, %+v", err, d)
				}
				if (c.loops == 0) != iterations {
					t.Errorf("%d loops come as one", c.loops)
				}
				same(t, c.stories(), toldByTrace(t, name, with).stories())
				accesses := 0
				for _, s := range c.lists {
					for _, x := range s.list {
						if strings.Contains(x, " bytes ") {
							accesses++
						}
					}
				}
				if uint64(accesses) != d.Accesses || accesses < 3000 {
					t.Errorf("%d accesses, and %d in the document", accesses, d.Accesses)
				}
			})
		}
	}
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d workers, expected %d", len(got), len(want))
	}
	for w := range got {
		a, b := strings.Split(got[w], "\n"), strings.Split(want[w], "\n")
		for i := range max(len(a), len(b)) {
			if i >= len(a) || i >= len(b) || a[i] != b[i] {
				t.Errorf("worker %d parts at %d of %d, expected %d:\n%q\n%q", w, i, len(a), len(b),
					a[max(0, min(i, len(a))-3):min(i+3, len(a))],
					b[max(0, min(i, len(b))-3):min(i+3, len(b))])
				break
			}
		}
	}
}

// TestLiveOfFailed has a program fail or kill itself half-way: the error is there, and what it did up
// to then.
func TestLiveOfFailed(t *testing.T) {
	whole := &told{}
	if _, err := tell(t, "observed", whole, nil); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"exit code 3", "signal killed"} {
		t.Run(how, func(t *testing.T) {
			c := &told{}
			d, err := tell(t, "observed", c, func(r *Request) { r.Args = []string{how} })
			if !errors.Is(err, ErrProgram) || !strings.Contains(err.Error(), how) || d == nil ||
				d.Result != c {
				t.Fatalf("%v, %+v", err, d)
			}
			got, all := c.stories(), whole.stories()
			if len(got) != 1 || len(all) != 1 {
				t.Fatalf("%d and %d workers", len(got), len(all))
			}
			list := strings.Split(got[0], "\n")
			for len(list) > 0 && list[len(list)-1] == "end" {
				list = list[:len(list)-1]
			}
			if part := strings.Join(list, "\n"); len(list) < 5000 || !strings.HasPrefix(all[0], part) {
				t.Errorf("%d acts, which are not the first of the whole", len(list))
			}
		})
	}
}

// TestLiveErrors ends a program whose observer fails, or that enters too many regions.
func TestLiveErrors(t *testing.T) {
	d, err := tell(t, "observed", &told{fails: 20}, nil)
	if d != nil || !errors.Is(err, errTold) {
		t.Errorf("%v, %v", d, err)
	}
	defer func(n int) { mostRegions = n }(mostRegions)
	mostRegions = 3
	d, err = tell(t, "observed", &told{}, nil)
	if d != nil || !errors.Is(err, ErrRegions) || failure.Of(err) != failure.Capability {
		t.Errorf("%v, %v", d, err)
	}
}
