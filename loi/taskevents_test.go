package loi

import (
	"path/filepath"
	"reflect"
	"testing"

	"krdlab/hw"
)

// Task and region events are recorded as [Recorder.Event] would, and their numbers are unique.
func TestTaskEvents(t *testing.T) {
	for name, opt := range map[string]Options{"fast": {}, "small": {FirstChunkBytes: 4096,
		ChunkBytes: 4096}} {
		h := testHeader(3)
		h.Registry.Regions = []Region{{"f", Function, NoRegion}, {"for", Loop, 0}}
		w, err := NewMemory(h, opt)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint32]bool{}
		want := make([][]Record, 3)
		for at := range uint64(500) {
			i := int(at % 3)
			r, n := w.Recorder(i), uint32(at)
			add := func(kind EventKind, args ...uint32) {
				want[i] = append(want[i], Record{Type: EventRecord, Event: kind, Start: at, End: at,
					Args: args})
			}
			task := r.BeginTask(at, n, 1, 2, 3)
			add(EventTask, task, n, 1, 2, 3)
			r.EndChild(at, task, 0, n)
			add(EventChild, task, 0, n)
			r.EndPhase(at, task, 1, n)
			add(EventPhase, task, 1, n)
			r.Of(at, task, 0, AfterPhase)
			add(EventOf, task, 0, AfterPhase)
			region := r.BeginRegion(at, 1, task)
			add(EventRegion, 1, region, task)
			r.EndRegion(at, region)
			add(EventRegionEnd, region)
			for _, x := range []uint32{task, region} {
				if x == 0 || seen[x] {
					t.Fatalf("number %d is given twice", x)
				}
				seen[x] = true
			}
		}
		tr, err := w.Trace()
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			got, err := readAll(tr, i)
			if err != nil || len(got) != len(want[i]) {
				t.Fatalf("%s: %d records, %v; want %d", name, len(got), err, len(want[i]))
			}
			for j := range got {
				g, x := got[j], want[i][j]
				if g.Event != x.Event || g.Start != x.Start || !reflect.DeepEqual(g.Args, x.Args) {
					t.Fatalf("%s: worker %d: %+v, want %+v", name, i, g, x)
				}
			}
		}
		path := filepath.Join(t.TempDir(), "x.loi")
		if err := tr.Save(path); err != nil {
			t.Fatal(err)
		}
		counts := []EventCount{{"task", 500}, {"child", 500}, {"phase", 500}, {"of", 500},
			{"region", 500}, {"region-end", 500}}
		for _, look := range []func(string, ...Told) (*Info, error){Stat, Verify} {
			if in, err := look(path); err != nil || !reflect.DeepEqual(in.Events, counts) {
				t.Errorf("%+v, %v; want %v", in.Events, err, counts)
			}
		}
		if w.Recorder(1).numbers = 1<<32 - 1; w.Recorder(1).number() != 1<<32-1 ||
			w.Recorder(1).number() != 0 || w.Recorder(1).number() != 0 {
			t.Error("numbers beyond 2^32 are given")
		}
	}
}

// Kinds have names of their own, which the text form reads.
func TestEventNames(t *testing.T) {
	for k := EventSteal; k <= EventSync; k++ {
		named := eventNames[k] != "" // numbers 2 and 3 are of no kind
		if got, ok := eventKind(k.String()); ok != named || named && got != k {
			t.Errorf("%d: %v", k, got)
		}
	}
	if _, ok := eventKind(""); ok || EventKind(2).String() != "event(2)" ||
		EventKind(77).String() != "event(77)" {
		t.Error("a kind without a name has one")
	}
}

// BenchmarkEvent is the cost of an event of the task structure, into memory that is there, with and
// without its stamp.
func BenchmarkEvent(b *testing.B) {
	const limit = 1 << 20
	for _, c := range []struct {
		name string
		f    func(r *Recorder, at uint64)
	}{
		{"task", func(r *Recorder, at uint64) { r.BeginTask(at, 1, 0, 1, 2) }},
		{"child", func(r *Recorder, at uint64) { r.EndChild(at, 1, 0, 1) }},
		{"phase", func(r *Recorder, at uint64) { r.EndPhase(at, 1, 0, 1) }},
		{"region", func(r *Recorder, at uint64) { r.BeginRegion(at, 1, 0) }},
		{"region-end", func(r *Recorder, at uint64) { r.EndRegion(at, 1) }},
	} {
		for _, stamps := range []string{"none", "one"} {
			b.Run("event="+c.name+"/stamps="+stamps, func(b *testing.B) {
				b.StopTimer()
				for done := 0; done < b.N; {
					w, err := NewMemory(testHeader(1), Options{FirstChunkBytes: 40*limit + 4096})
					if err != nil {
						b.Fatal(err)
					}
					r, n := w.Recorder(0), min(limit, b.N-done)
					b.StartTimer()
					if stamps == "one" {
						for range n {
							c.f(r, hw.TSC())
						}
					} else {
						for i := range n {
							c.f(r, uint64(i))
						}
					}
					b.StopTimer()
					done += n
					if s, err := w.Close(); err != nil || s.Discarded[0] != 0 {
						b.Fatal(err, s)
					}
				}
			})
		}
	}
}
