package krd

import (
	"encoding/json"
	"krdlab/hw/hwtest/long"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestStreamLoops compares loops with the same accesses one after the other, as lines and as data
// with sizes, by one worker and by two, in all results of a stream.
func TestStreamLoops(t *testing.T) {
	for seed := range long.Or(uint64(30), 150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		whole, lines, apart := newTestStream(t), newTestStream(t), newTestStream(t)
		for range 1 + rng.IntN(20) {
			worker := uint32(rng.IntN(1 + int(seed%2)))
			loop := make([]Strided, 1+rng.IntN(10))
			for j := range loop {
				loop[j] = Strided{Place: uint64(rng.IntN(1 << 11)), Step: 0, Group: uint32(rng.IntN(4))}
				if rng.IntN(3) > 0 {
					loop[j].Place, loop[j].Step = loop[j].Place+1<<14, []int64{1, 4, 8, -8, 24, 31, 48, -64,
						1024}[rng.IntN(2+rng.IntN(8))]
				}
				if j > 0 && rng.IntN(2) == 0 { // near another
					loop[j].Step = loop[j-1].Step
					loop[j].Place = loop[j-1].Place + uint64(rng.IntN(65)) - 32
				}
			}
			times := uint64(rng.IntN(60))
			if err := whole.AddLoop(worker, times, loop); err != nil {
				t.Fatal(err)
			}
			for i := range times {
				for _, a := range loop {
					key := (a.Place + i*uint64(a.Step)) / StreamLine
					if err := apart.Add(worker, []uint64{key}, []uint32{StreamLine}, []uint32{a.Group}); err != nil {
						t.Fatal(err)
					}
					if err := lines.AddLines(worker, []uint64{a.Place + i*uint64(a.Step)},
						[]uint32{a.Group}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if got, want := streamText(t, lines), streamText(t, apart); got != want {
			t.Fatalf("seed %d: lines\n%s\ndata\n%s", seed, got, want)
		}
		if got, want := streamText(t, whole), streamText(t, apart); got != want {
			a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("seed %d, line %d: loops\n%s\none access after the other\n%s", seed, i,
						strings.Join(a[max(0, i-4):i+1], "\n"), strings.Join(b[max(0, i-4):i+1], "\n"))
				}
			}
			t.Fatalf("seed %d: %d lines and %d", seed, len(a), len(b))
		}
	}
}

func newTestStream(t *testing.T) *Stream {
	t.Helper()
	s, err := NewStream(StreamOptions{L2Bytes: 1 << 9, LLCBytes: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func streamText(t *testing.T, s *Stream) string {
	t.Helper()
	r, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent([]any{r, slices.Collect(s.Groups())}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// BenchmarkStreamLoop is a tenth of the updates of SciMark's LU of 1000 rows, by lines: a loop at a
// time, and access by access.
func BenchmarkStreamLoop(b *testing.B) {
	const n = 1000
	row := func(i int) uint64 { return 1<<20 + uint64(i)*8064 + 16 }
	add := map[string]func(s *Stream, times uint64, loop []Strided) error{
		"loops": func(s *Stream, times uint64, loop []Strided) error { return s.AddLoop(0, times, loop) },
		"lines": func(s *Stream, times uint64, loop []Strided) error {
			places, groups := make([]uint64, 0, 2*times), make([]uint32, 0, 2*times)
			for i := range times {
				for _, a := range loop {
					places, groups = append(places, a.Place+i*uint64(a.Step)), append(groups, a.Group)
				}
			}
			return s.AddLines(0, places, groups)
		},
	}
	for _, name := range []string{"loops", "lines"} {
		b.Run("by="+name, func(b *testing.B) {
			accesses := 0
			for b.Loop() {
				s, err := NewStream(StreamOptions{L2Bytes: 1 << 20, LLCBytes: 1 << 25})
				if err != nil {
					b.Fatal(err)
				}
				for j := 0; j < n-1; j += 10 {
					times, at := n-j-1, 8*uint64(j+1)
					for i := j + 1; i < n; i++ {
						loop := []Strided{{row(j) + at, 8, 0}, {row(i) + at, 8, 1}}
						if err := add[name](s, uint64(times), loop); err != nil {
							b.Fatal(err)
						}
						accesses += 2 * times
					}
				}
				if err := s.Flush(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(accesses)/1e6/b.Elapsed().Seconds(), "Maccesses/s")
		})
	}
}
