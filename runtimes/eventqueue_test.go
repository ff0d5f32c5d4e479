package runtimes

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The tournament gives the events in the order of (time, number), whatever steps take, also if a
// worker's is moved forward.
func TestEventQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "workers")
		queue := newEventQueue(n)
		now := make([]uint64, n)
		for range 100 {
			want := 0 // what a search through all of them finds
			for w := range now {
				if now[w] < now[want] {
					want = w
				}
			}
			if got := queue.first(); got != queue.at(now[want], want) || queue.worker(got) != want {
				t.Fatalf("worker %d is first, expected %d of %d", queue.worker(got), want, now)
			}
			took := rapid.SampledFrom([]uint64{0, 1, 2, 5, 1000, 1 << 40}).Draw(t, "took")
			if other := rapid.IntRange(0, n-1).Draw(t, "moved forward"); took == 5 &&
				now[other] > now[want]+1 {
				now[other] = now[want] + 1
				queue.take(other)
				queue.put(other, now[other])
			}
			queue.take(want)
			others := event(math.MaxUint64)
			for w := range now {
				if w != want {
					others = min(others, queue.at(now[w], w))
				}
			}
			if got := queue.first(); got != others {
				t.Fatalf("without worker %d event %d is first, expected %d; all are at %d", want,
					got, others, now)
			}
			now[want] += took
			queue.put(want, now[want])
		}
	})
	for _, n := range []int{1, 2, 24, 1000} {
		queue := newEventQueue(n)
		for w := range n {
			queue.take(w)
			queue.put(w, queue.latest())
		}
		if got := queue.worker(queue.first()); got != 0 {
			t.Errorf("%d workers: worker %d is first at the latest time, expected 0", n, got)
		}
	}
}
