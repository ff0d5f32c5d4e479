package smith

import (
	"fmt"
	"math"
	"testing"
)

// recurrence gives P[Binomial(d, 1/S) >= W] for d = W, W+1, ... without the incomplete beta
// function: with one line more it grows by 1/S times the probability that W-1 of the d lines before
// are in the set.
func recurrence(ways, sets uint64, yield func(d uint64, p float64) bool) {
	p := 1 / float64(sets)
	logPMF := float64(ways-1) * math.Log(p) // Binomial(W-1, p) = W-1
	q := math.Log1p(-p)
	var sum float64
	for d := ways; ; d++ {
		sum += p * math.Exp(logPMF)
		if !yield(d, math.Min(sum, 1)) {
			return
		}
		logPMF += math.Log(float64(d)/float64(d-ways+1)) + q
	}
}

func TestModelAgainstRecurrence(t *testing.T) {
	for _, text := range []string{
		"32KiB:8", "4KiB:2", "192:1", "256KiB:8", "48KiB:12", "18MiB:16", "1MiB:1", "1MiB:2",
		"1MiB:2048", "18MiB:147456", "18MiB:4096",
		"32KiB:8:32", "1920:5",
	} {
		t.Run(text, func(t *testing.T) {
			m := model(t, text)
			var worst, at float64
			var last float64
			recurrence(m.ways, m.sets, func(d uint64, want float64) bool {
				got := m.Miss(d*m.cache.LineBytes, m.cache.LineBytes)
				if got < last {
					t.Fatalf("P(%d) = %g, below %g of one line less", d, got, last)
				}
				last = got
				if e := math.Abs(got - want); e > worst {
					worst, at = e, float64(d)
				}
				return want < 1-1e-9 && d < 40*m.ways*m.sets
			})
			t.Logf("%d sets, d in [%d, %d), %d entries: largest error %.2g at d = %v", m.sets, m.lo,
				m.hi, len(m.value), worst, at)
			tolerance := 1e-6 // what Miss promises of an interpolated table
			if m.scale == 1 {
				tolerance = 1e-9
			}
			if worst > tolerance {
				t.Errorf("largest error %.3g, expected at most %.3g", worst, tolerance)
			}
		})
	}
}

// With one way the formula is closed: none of the d lines may fall into the set.
func TestDirectMapped(t *testing.T) {
	m := model(t, "32KiB:1")
	for d := range uint64(20000) {
		want := -math.Expm1(float64(d) * math.Log1p(-1.0/512))
		if got := m.Miss(d*64, 64); math.Abs(got-want) > 1e-11 {
			t.Fatalf("P(%d) = %.15g, expected 1-(1-1/512)^d = %.15g", d, got, want)
		}
	}
}

// A cache of one set is a fully associative one, whichever way it is described.
func TestFullyAssociative(t *testing.T) {
	for _, text := range []string{"4KiB", "4KiB:64", "4KiB:64:64"} {
		m := model(t, text)
		for size := range uint64(300) {
			for distance := range uint64(4400) {
				want := 0.0
				if distance+size > 4096 && size > 0 {
					want = 1
				}
				if got := m.Miss(distance, size); got != want {
					t.Fatalf("%s: P(D = %d, s = %d) = %v, expected %v", text, distance, size, got,
						want)
				}
			}
		}
	}
}

func TestMissAtTheEdges(t *testing.T) {
	m := model(t, "32KiB:8")
	for _, c := range []struct {
		distance, size uint64
		want           float64
	}{
		{0, 0, 0}, {math.MaxUint64, 0, 0}, {0, 1, 0}, {7 * 64, 64, 0}, // 7 others never fill 8 ways
		{math.MaxUint64, 1, 1}, {math.MaxUint64 - 5, 64, 1}, {1 << 62, 64, 1},
		{8 * 64, 64, math.Pow(1.0/64, 8)}, // all 8 in the one set: 3.6e-15, below what is kept
	} {
		if got := m.Miss(c.distance, c.size); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("P(D = %d, s = %d) = %v, expected %v", c.distance, c.size, got, c.want)
		}
	}
	for size, want := range map[uint64]uint64{0: 0, 1: 1, 64: 1, 65: 2, 8192: 128,
		math.MaxUint64: 1 << 58} {
		if got := m.Lines(size); got != want {
			t.Errorf("%d lines of %d bytes, expected %d", got, size, want)
		}
	}
}

// Two lines of distance and size in bytes that are no whole lines are rounded up together.
func TestMissRoundsUp(t *testing.T) {
	m := model(t, "256:1") // 4 sets: P(d) = 1 - 0.75^d
	for total, d := range map[uint64]float64{1: 0, 64: 0, 65: 1, 128: 1, 129: 2, 192: 2} {
		if got, want := m.Miss(total-1, 1), 1-math.Pow(0.75, d); math.Abs(got-want) > 1e-12 {
			t.Errorf("D + s = %d: P = %v, expected %v", total, got, want)
		}
	}
}

func model(t testing.TB, text string) *Model {
	t.Helper()
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func BenchmarkMiss(b *testing.B) {
	for _, text := range []string{"32KiB:8", "18MiB:16", "18MiB"} {
		b.Run(fmt.Sprintf("cache=%s", text), func(b *testing.B) {
			m := model(b, text)
			distance := make([]uint64, 1<<16)
			x := uint64(1)
			for i := range distance {
				x = x*6364136223846793005 + 1442695040888963407
				distance[i] = x >> 33 % (3 * m.cache.Bytes)
			}
			p := NewPredictor(m)
			n := 0
			for b.Loop() {
				for _, d := range distance {
					p.Add(d, 64, 1)
				}
				n += len(distance)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mevals/s")
		})
	}
}

func BenchmarkNewModel(b *testing.B) {
	c, _ := Parse("18MiB:16")
	for b.Loop() {
		if _, err := NewModel(c); err != nil {
			b.Fatal(err)
		}
	}
}
