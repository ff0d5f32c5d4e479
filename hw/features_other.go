//go:build !amd64

package hw

// Features returns none: they are instructions of amd64.
func Features() CPUFeatures { return CPUFeatures{} }

// countsLLC reports whether the kernel's event e counts the LLC where its name promises it. On
// arm64 cache-misses is L1D_CACHE_REFILL (Linux, drivers/perf/arm_pmuv3.c); LLC-load-misses does.
func countsLLC(e Event) bool { return e != LLCMisses }
