package runtimes

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The tournament gives the turns in the order of (time, number), whatever steps take, also if a worker's turn is moved forward.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "workers")
		turns := newTurns(n)
		now := make([]uint64, n)
		for range 100 {
			want := 0 // what a search through all of them finds
			for w := range now {
				if now[w] < now[want] {
					want = w
				}
			}
			if got := turns.first(); got != turns.at(now[want], want) || turns.worker(got) != want {
				t.Fatalf("worker %d is first, expected %d of %d", turns.worker(got), want, now)
			}
			took := rapid.SampledFrom([]uint64{0, 1, 2, 5, 1000, 1 << 40}).Draw(t, "took")
			if other := rapid.IntRange(0, n-1).Draw(t, "moved forward"); took == 5 && now[other] > now[want]+1 {
				now[other] = now[want] + 1
				turns.take(other)
				turns.put(other, now[other])
			}
			turns.take(want)
			others := turn(math.MaxUint64)
			for w := range now {
				if w != want {
					others = min(others, turns.at(now[w], w))
				}
			}
			if got := turns.first(); got != others {
				t.Fatalf("without worker %d turn %d is first, expected %d; all are at %d", want, got, others, now)
			}
			now[want] += took
			turns.put(want, now[want])
		}
	})
	for _, n := range []int{1, 2, 24, 1000} {
		turns := newTurns(n)
		for w := range n {
			turns.take(w)
			turns.put(w, turns.latest())
		}
		if got := turns.worker(turns.first()); got != 0 {
			t.Errorf("%d workers: worker %d is first at the latest time, expected 0", n, got)
		}
	}
}
