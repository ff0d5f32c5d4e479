package krd

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"krdlab/krd/stack"
	"krdlab/krd/stack/stacktest"
	"krdlab/loi"
)

// streamed is accesses as a Stream takes them.
type streamed struct {
	keys          []uint64
	bytes, groups []uint32
	workers       []uint32 // nil: one
}

func (a *streamed) add(key uint64, bytes, group uint32) {
	a.keys, a.bytes, a.groups = append(a.keys, key), append(a.bytes, bytes), append(a.groups, group)
}

// into hands the accesses from i on, n of them, to s.
func (a *streamed) into(s *Stream, i, n int) error {
	for end := i + n; i < end; {
		n := end - i
		if a.workers != nil {
			for n = 1; i+n < end && a.workers[i+n] == a.workers[i]; n++ {
			}
		}
		if err := s.Add(a.worker(i), a.keys[i:i+n], a.bytes[i:i+n], a.groups[i:i+n]); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// worker returns that of access i.
func (a *streamed) worker(i int) uint32 {
	if a.workers == nil {
		return 0
	}
	return a.workers[i]
}

func streamDocument(t rapid.TB, s *Stream) string {
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	return document(t, r)
}

func document(t rapid.TB, r *Report) string {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// analyzed returns the report of Analyze on the accesses.
func (a *streamed) analyzed(t rapid.TB, opt StreamOptions) string {
	h := loi.Header{Substrate: loi.Native, L2Bytes: opt.L2Bytes, LLCBytes: opt.LLCBytes, Nodes: 1,
		Workers: []loi.Worker{{}}}
	if len(a.workers) > 0 {
		h.Workers = make([]loi.Worker, slices.Max(a.workers)+1)
	}
	h.Registry.Objects = []loi.Object{{Name: "data", Kind: loi.Keyed}}
	h.Registry.Kernels = []loi.Kernel{{Name: "k"}}
	w, err := loi.NewMemory(h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, key := range a.keys {
		w.Recorder(int(a.worker(i))).Accesses(0, 0, uint64(i), uint64(i), []loi.Access{{Block: key,
			Bytes: uint64(a.bytes[i]), Mode: loi.In}})
	}
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Analyze(trace, Options{Distance: opt.Distance})
	if err != nil {
		t.Fatal(err)
	}
	return document(t, r)
}

// grouped is the groups by a naive stack; keys are less than 1000.
func (a *streamed) grouped(inclusive bool) (list []GroupHistogram) {
	sizes, blocks := make([]uint64, 1000), make([]uint32, len(a.keys))
	for i, key := range a.keys {
		blocks[i], sizes[key] = uint32(key), uint64(a.bytes[i])
	}
	dist := make([]uint64, len(blocks))
	stacktest.NewNaive(sizes).Distances(blocks, dist)
	bins := map[uint32]*[65]uint64{}
	by := map[uint32]*GroupHistogram{}
	for i, g := range a.groups {
		h := by[g]
		if h == nil {
			h = &GroupHistogram{Group: g}
			by[g], bins[g] = h, new([65]uint64)
		}
		h.Accesses++
		h.Bytes += uint64(a.bytes[i])
		if dist[i] == stack.Cold {
			h.Cold++
			continue
		}
		if inclusive {
			dist[i] += uint64(a.bytes[i])
		}
		bins[g][bits.Len64(dist[i])]++
	}
	for g, h := range by {
		for k, n := range bins[g] {
			if n != 0 {
				h.Bins = append(h.Bins, Bin{1 << k >> 1, 1 << k, n})
			}
		}
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b GroupHistogram) int { return int(a.Group) - int(b.Group) })
	return list
}

// TestStream compares the report with that of Analyze, and the groups with a naive stack, for
// streams that are cut and flushed anywhere.
func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := StreamOptions{
			Distance: rapid.SampledFrom([]Distance{"", Exclusive, Inclusive}).Draw(t, "distance"),
			L2Bytes:  rapid.SampledFrom([]uint64{0, 5, 24}).Draw(t, "l2"),
			LLCBytes: rapid.SampledFrom([]uint64{0, 16, 40}).Draw(t, "llc"),
		}
		s, err := NewStream(opt)
		if err != nil {
			t.Fatal(err)
		}
		var a streamed
		data := rapid.Uint64Range(1, 40).Draw(t, "data")
		groups := rapid.Uint32Range(0, 30).Draw(t, "groups")
		workers := rapid.Uint32Range(1, 5).Draw(t, "workers")
		worker := uint32(0)
		for range rapid.IntRange(0, 12).Draw(t, "calls") {
			from := len(a.keys)
			for _, n := range rapid.SliceOfN(rapid.Uint64(), 0, 60).Draw(t, "accesses") {
				key := n % data
				if back := int(n >> 32 % 8); n>>62 > 1 && back > 0 && back <= len(a.keys) {
					key = a.keys[len(a.keys)-back]
				}
				a.add(key, uint32(key*key%7+1), uint32(n>>40)%(groups+1))
				if n>>50%4 == 0 {
					worker = uint32(n>>52) % workers
				}
				a.workers = append(a.workers, worker)
			}
			if err := a.into(s, from, len(a.keys)-from); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(t, "flush") == 0 {
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got, want := streamDocument(t, s), a.analyzed(t, opt); got != want {
			t.Fatalf("report\n%s\nwant\n%s", got, want)
		}
		got, want := slices.Collect(s.Groups()), a.grouped(opt.Distance == Inclusive)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("groups\n%v\nwant\n%v", got, want)
		}
		wantBytes, seen := uint64(0), map[uint64]bool{}
		for i, key := range a.keys {
			if !seen[key] {
				wantBytes += uint64(a.bytes[i])
			}
			seen[key] = true
		}
		if n, bytes := s.Distinct(); n != len(seen) || bytes != wantBytes {
			t.Fatalf("%d data of %d bytes, want %d of %d", n, bytes, len(seen), wantBytes)
		}
	})
}

// sor is sweeps of successive over-relaxation over a grid of n x n numbers of 8 bytes, the loop of
// SciMark: 5 reads and a write for each point inside, each of the six under a group of its own. A
// datum is 1<<shift bytes.
func sor(n, sweeps int, shift uint) *streamed {
	var a streamed
	size := max(8, uint32(1)<<shift)
	at := func(i, j int, group uint32) { a.add(uint64(i*n+j)<<3>>shift, size, group) }
	for range sweeps {
		for i := 1; i < n-1; i++ {
			for j := 1; j < n-1; j++ {
				at(i-1, j, 0)
				at(i+1, j, 1)
				at(i, j-1, 2)
				at(i, j+1, 3)
				at(i, j, 4)
				at(i, j, 5)
			}
		}
	}
	return &a
}

// TestStreamBatches: streams of several batches, against the engine that works access by access.
func TestStreamBatches(t *testing.T) {
	for _, shift := range []uint{3, 6} {
		a := sor(300, 3, shift)
		s, err := NewStream(StreamOptions{L2Bytes: 4 << 10, LLCBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		want, online := *s.tally, stack.NewOnline()
		want.smallest = uint64(a.bytes[0])
		last := map[uint64]uint32{}
		for i, key := range a.keys {
			w := uint32(max(0, i-50_000) / 97 % 3) // there is one in the first batches
			if before, ok := last[key]; ok && before != w {
				want.shared++
			}
			last[key], a.workers = w, append(a.workers, w)
			d, size := online.Access(uint32(key), uint64(a.bytes[i])), uint64(a.bytes[i])
			want.count++
			want.one(d, needs(d, size), 1)
			want.reach(needs(d, size), size)
		}
		s.want = 10_000
		for i := 0; i < len(a.keys); i += 7777 {
			if err := a.into(s, i, min(7777, len(a.keys)-i)); err != nil {
				t.Fatal(err)
			}
			s.want = 100_000
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(*s.tally) != fmt.Sprint(want) {
			t.Errorf("data of %d bytes: tally\n%v\nwant\n%v", 1<<shift, *s.tally, want)
		}
	}
}

func TestStreamErrors(t *testing.T) {
	if _, err := NewStream(StreamOptions{Distance: "far"}); !errors.Is(err, ErrOption) {
		t.Errorf("distance far: error %v", err)
	}
	// in the filter, and found by the engine
	for _, keys := range [][]uint64{{7, 1, 1}, {1, 7, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1}} {
		s, err := NewStream(StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		bytes, groups := make([]uint32, len(keys)), make([]uint32, len(keys))
		for i := range keys {
			bytes[i], groups[i] = 8, uint32(i)
		}
		bytes[len(keys)-1] = 4
		err = s.Add(0, keys, bytes, groups)
		if err == nil {
			err = s.Flush()
		}
		want := DatumError{Group: uint32(len(keys) - 1), Key: 1, Before: 8, Bytes: 4}
		var e *DatumError
		if !errors.As(err, &e) || *e != want {
			t.Errorf("%v: error %v, want %v", keys, err, &want)
		}
		if _, again := s.Report(); !errors.Is(again, err) {
			t.Errorf("%v: afterwards error %v, want the same", keys, again)
		}
		if again := s.Add(0, nil, nil, nil); !errors.Is(again, err) {
			t.Errorf("%v: afterwards error %v, want the same", keys, again)
		}
	}
	for name, a := range map[string]streamed{
		"lengths": {keys: []uint64{1}, bytes: []uint32{8}},
		"group":   {keys: []uint64{1}, bytes: []uint32{8}, groups: []uint32{maxGroups}},
	} {
		s, err := NewStream(StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(0, a.keys, a.bytes, a.groups); !errors.Is(err, ErrOption) {
			t.Errorf("%s: error %v, want ErrOption", name, err)
		}
	}
}

// BenchmarkStream analyses sweeps over a grid of 1000 x 1000 numbers, and over data that are all
// accessed in turn, handed over 4096 accesses at a time, and then makes a report; making the
// accesses is not timed. KRDLAB_ACCESSES is their number, 200 M by default.
func BenchmarkStream(b *testing.B) {
	n := 200e6
	if text := os.Getenv("KRDLAB_ACCESSES"); text != "" {
		var err error
		if n, err = strconv.ParseFloat(text, 64); err != nil {
			b.Fatal(err)
		}
	}
	for _, shift := range []uint{3, 6} {
		b.Run(fmt.Sprintf("trace=sor/bytes=%d", 1<<shift), func(b *testing.B) {
			a, i := sor(1000, 1, shift), 0
			benchStream(b, int(n), func(part *streamed) {
				end := min(i+4096, len(a.keys))
				*part = streamed{a.keys[i:end], a.bytes[i:end], a.groups[i:end], nil}
				if i = end; i == len(a.keys) {
					i = 0
				}
			})
		})
	}
	b.Run("trace=sor/bytes=64/workers=4", func(b *testing.B) {
		a, i := sor(1000, 1, 6), 0
		benchStream(b, int(n), func(part *streamed) {
			end := min(i+4096, len(a.keys))
			*part = streamed{a.keys[i:end], a.bytes[i:end], a.groups[i:end], part.workers}
			for len(part.workers) < 4096 {
				part.workers = append(part.workers, uint32(len(part.workers)/1024))
			}
			if i = end; i == len(a.keys) {
				i = 0
			}
		})
	})
	b.Run("trace=scan/data=8M", func(b *testing.B) {
		var key uint64
		benchStream(b, int(n), func(part *streamed) {
			*part = streamed{part.keys[:0], part.bytes[:0], part.groups[:0], nil}
			for range 4096 {
				part.add(key*8, 8, 0)
				key = (key + 1) & (8<<20 - 1)
			}
		})
	})
}

// benchStream analyses n accesses, part by part, and reports the peak of the process's memory too
// (on Linux).
func benchStream(b *testing.B, n int, next func(*streamed)) {
	best := math.Inf(1)
	for b.Loop() {
		s, err := NewStream(StreamOptions{L2Bytes: 1 << 20, LLCBytes: 32 << 20})
		if err != nil {
			b.Fatal(err)
		}
		var spent time.Duration
		var part streamed
		done := 0
		for done < n {
			next(&part)
			begin := time.Now()
			if err := part.into(s, 0, len(part.keys)); err != nil {
				b.Fatal(err)
			}
			spent += time.Since(begin)
			done += len(part.keys)
		}
		begin := time.Now()
		r, err := s.Report()
		if err != nil || r.AccessCount != uint64(done) {
			b.Fatal(r, err)
		}
		spent += time.Since(begin)
		best = min(best, spent.Seconds()/float64(done))
	}
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	b.ReportMetric(float64(u.Maxrss)/1024, "peak-MiB")
	b.ReportMetric(1/best/1e6, "best-Maccess/s")
	b.ReportMetric(0, "ns/op")
}
