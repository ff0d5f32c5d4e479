package krd

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestStreamLoops compares loops with the same accesses one after the other, by one worker and by
// two, in all that a stream tells.
func TestStreamLoops(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		whole, apart := newTestStream(t), newTestStream(t)
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
				}
			}
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
