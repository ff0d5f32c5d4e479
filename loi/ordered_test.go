package loi

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawn is a trace of kernels and events by some workers.
type drawn struct{ trace *Trace }

func (d *drawn) write(t interface{ Fatal(...any) }, h Header, records func(w *Writer)) {
	w, err := NewMemory(h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	records(w)
	if d.trace, err = w.Trace(); err != nil {
		t.Fatal(err)
	}
}

// TestOrderedMerge merges drawn streams, and compares with sorting all records stably by (start,
// worker).
func TestOrderedMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Header{Substrate: Native, Unordered: rapid.Bool().Draw(t, "unordered"),
			Registry: Registry{Objects: []Object{{Name: "o", Blocks: []SizeRun{{500, 8}}}},
				Kernels: []Kernel{{Name: "k", Params: []Param{{0, In}}}}}}
		type tagged struct {
			start  int64
			worker int
			block  uint32
		}
		var want []tagged
		for range rapid.IntRange(1, 9).Draw(t, "workers") {
			h.Workers = append(h.Workers,
				Worker{TSCOffset: rapid.Int64Range(-20, 20).Draw(t, "offset")})
		}
		var d drawn
		d.write(t, h, func(w *Writer) {
			block := uint32(0)
			for i := range h.Workers {
				start := int64(100)
				for range rapid.IntRange(0, 30).Draw(t, "records") {
					least := int64(0)
					if h.Unordered {
						least = -2
					}
					start += rapid.Int64Range(least, 3).Draw(t, "pause")
					w.Recorder(i).Kernel(0, uint64(start), uint64(start)+5, block)
					want = append(want, tagged{start - h.Workers[i].TSCOffset, i, block})
					block++
				}
			}
		})
		slices.SortStableFunc(want, func(a, b tagged) int {
			if a.start != b.start {
				return int(a.start - b.start)
			}
			return a.worker - b.worker
		})
		some := rapid.SliceOfNDistinct(rapid.IntRange(0, len(h.Workers)-1), 0, -1,
			rapid.ID[int]).Draw(t, "some")
		slices.Sort(some)
		i := 0
		for e, err := range d.trace.Ordered(Order{Workers: some}) {
			if err != nil {
				t.Fatal(err)
			}
			for ; i < len(want) && !slices.Contains(some, want[i].worker); i++ {
			}
			if i == len(want) {
				t.Fatalf("more than was written: worker %d at %d", e.Worker, e.Start)
			}
			x := want[i]
			i++
			a := e.Accesses()
			if e.Worker != x.worker || e.Start != x.start || e.End != x.start+5 || len(a) != 1 ||
				a[0] != (Access{Block: uint64(x.block), Bytes: 8, Mode: In}) ||
				!slices.Equal(e.AppendBlocks([]uint32{7}), []uint32{7, x.block}) {
				t.Fatalf("got worker %d from %d to %d, %v; want %+v", e.Worker, e.Start, e.End, a, x)
			}
		}
		for ; i < len(want); i++ {
			if slices.Contains(some, want[i].worker) {
				t.Fatalf("%+v is missing", want[i])
			}
		}
	})
}

// told is a trace of two workers with all kinds of events.
func told(t *testing.T, unordered bool) *Trace {
	var d drawn
	d.write(t, Header{Substrate: Native, Workers: []Worker{{}, {TSCOffset: 4}}, Unordered: unordered,
		Registry: Registry{Objects: []Object{{Name: "o", Blocks: []SizeRun{{9, 8}}},
			{Name: "p", Blocks: []SizeRun{{9, 16}}}, {Name: "keys", Kind: Keyed}},
			Kernels: []Kernel{{Name: "k"}, {Name: "both", Params: []Param{{0, In}, {1, Out}},
				Of: []uint8{0, 0}}},
			Regions: []Region{{Name: "r", Kind: Loop, Parent: NoRegion}}}}, func(w *Writer) {
		a, b := w.Recorder(0), w.Recorder(1)
		a.Event(EventIdle, 1)
		outer := a.BeginRegion(5, 0, 0)
		a.Kernel(0, 10, 12)
		inner := a.BeginRegion(13, 0, 0)
		a.Kernel(1, 14, 20, 3)
		a.EndRegion(21, inner)
		a.Accesses(0, 0, 22, 23, []Access{{Object: 2, Mode: Out, Block: 77, Bytes: 3}})
		a.EndRegion(24, outer)
		b.Event(EventBusy, 15)
		var list TaskList
		list.Add(1, 5)
		list.Add(0)
		b.Task(18, 30, &list)
		b.Event(EventSteal, 31, 0, 1, 2, 3)
	})
	return d.trace
}

// tell is a line of an event.
func tell(e *Event) string {
	s := fmt.Sprintf("%d@%d-%d ", e.Worker, e.Start, e.End)
	switch e.Type {
	case EventRecord:
		s += fmt.Sprint(e.Event, e.Args)
	case TaskRecord:
		for i := range e.Calls {
			s += fmt.Sprint("call ", e.Calls[i].Kernel, e.CallAccesses(&e.Calls[i]))
		}
	default:
		s += fmt.Sprint("kernel ", e.Kernel, e.Accesses())
		if e.Flags&Unstamped != 0 {
			s += " unstamped"
		}
	}
	if e.Region != 0 {
		s += fmt.Sprint(" in ", e.Region)
	}
	return s
}

func TestOrderedTells(t *testing.T) {
	merged := []string{"0@1-1 idle []", "0@5-5 region [0 1 0] in 1", "0@10-12 kernel 0 [] in 1",
		"1@11-11 busy []", "0@13-13 region [0 3 0] in 3",
		"0@14-20 kernel 1 [{0 in 0 3 8 0} {1 out 0 3 16 0}] in 3",
		"1@14-26 call 1 [{0 in 0 5 8 0} {1 out 0 5 16 0}]call 0 []", "0@21-21 region-end [3] in 3",
		"0@22-23 kernel 0 [{2 out 0 77 3 0}] in 1", "0@24-24 region-end [1] in 1",
		"1@27-27 steal [0 1 2 3]"}
	for _, unordered := range []bool{false, true} {
		tr := told(t, unordered)
		var got []string
		for e, err := range tr.Ordered(Order{Events: true, Tasks: true}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, tell(e))
		}
		if !slices.Equal(got, merged) {
			t.Errorf("unordered %v:\n%q\nwant\n%q", unordered, got, merged)
		}
	}
	var got []string
	var last uint64
	tr := told(t, false)
	p := NewProgress(tr, 1, func(done, total uint64) { last = done })
	for e, err := range tr.Ordered(Order{ByWorker: true, Progress: p}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, tell(e))
	}
	want := []string{"0@10-12 kernel 0 []", "0@14-20 kernel 1 [{0 in 0 3 8 0} {1 out 0 3 16 0}]",
		"0@22-23 kernel 0 [{2 out 0 77 3 0}]",
		"1@14-26 kernel 1 [{0 in 0 5 8 0} {1 out 0 5 16 0}] unstamped",
		"1@14-26 kernel 0 [] unstamped"}
	if !slices.Equal(got, want) {
		t.Errorf("by worker:\n%q\nwant\n%q", got, want)
	}
	if last == 0 {
		t.Error("no progress was told")
	}
}

// Where recorders are not ordered, the event of a record's piece stays behind it.
func TestOrderedOf(t *testing.T) {
	var d drawn
	d.write(t, Header{Substrate: Native, Workers: []Worker{{}}, Unordered: true,
		Registry: Registry{Kernels: []Kernel{{Name: "k"}}}}, func(w *Writer) {
		r := w.Recorder(0)
		r.Kernel(0, 30, 40)
		r.Of(40, 1, 0, 7)
		r.Kernel(0, 10, 50)
		r.Of(50, 1, 0, 8)
	})
	var got []string
	for e, err := range d.trace.Ordered(Order{Events: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, tell(e))
	}
	if want := []string{"0@10-50 kernel 0 []", "0@50-50 of [1 0 8]", "0@30-40 kernel 0 []",
		"0@40-40 of [1 0 7]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOrderedRefuses(t *testing.T) {
	var d drawn
	h := Header{Substrate: Native, Workers: []Worker{{}, {}},
		Registry: Registry{Kernels: []Kernel{{Name: "k"}}}}
	d.write(t, h, func(w *Writer) {
		w.Recorder(0).Kernel(0, 5, 6)
		w.Recorder(1).Kernel(0, 20, 21)
		w.Recorder(1).Kernel(0, 14, 15)
	})
	last := func(o Order) (n int, err error) {
		for _, err = range d.trace.Ordered(o) {
			n++
		}
		return n, err
	}
	var order *OrderError
	if n, err := last(Order{}); n != 3 || !errors.As(err, &order) ||
		*order != (OrderError{Worker: 1, Record: 1, Start: 14, Previous: 20}) {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := last(Order{ByWorker: true}); n != 3 || err != nil {
		t.Errorf("by worker: %d, %v", n, err)
	}
	if n, err := last(Order{Events: true, NoKernels: true}); n != 0 || err != nil {
		t.Errorf("no kernels: %d, %v", n, err)
	}
	for range d.trace.Ordered(Order{}) {
		break // and nothing more is asked for
	}
	d.trace.discarded[1] = 2
	var loss *LossError
	if n, err := last(Order{}); n != 1 || !errors.As(err, &loss) || loss.Total() != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := last(Order{Workers: []int{0}, AllowLoss: true}); n != 1 || err != nil {
		t.Errorf("loss allowed: %d, %v", n, err)
	}
}
