package hw

import "testing"

var sink uint64

func BenchmarkTSC(b *testing.B) {
	CalibrateClock()
	for b.Loop() {
		sink += TSC()
	}
}

func BenchmarkTSCP(b *testing.B) {
	CalibrateClock()
	for b.Loop() {
		t, _ := TSCP()
		sink += t
	}
}

func BenchmarkPause(b *testing.B) {
	for b.Loop() {
		Pause()
	}
}

func BenchmarkMonotonic(b *testing.B) {
	for b.Loop() {
		sink += monotonicTicks()
	}
}
