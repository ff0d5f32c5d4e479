// Package planned carries out what krdlab regions plans: tests of the examples execute a loop of a
// serial program in parallel, and measure how much faster that makes the program.
package planned

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// Cores is how many goroutines execute a planned loop.
const Cores = 2

// A Loop executes the iterations from, from+1, ... to-1 of loop k of the plan, from 0 on. do executes
// a range of them.
type Loop func(k, from, to int, do func(from, to int))

// First returns a [Loop] that executes the first n loops of the plan in Cores goroutines, each with
// as many iterations in a row, and waits for all of them. The other loops are serial.
func First(n int) Loop {
	return func(k, from, to int, do func(from, to int)) {
		if k >= n {
			do(from, to)
			return
		}
		var all sync.WaitGroup
		for c := range Cores {
			all.Go(func() { do(from+(to-from)*c/Cores, from+(to-from)*(c+1)/Cores) })
		}
		all.Wait()
	}
}

// Compare times a serial program, and a copy of it that executes the loops of the plan by what it is
// passed: all serially, the first in parallel, and all in parallel. Each iteration of the benchmark
// executes the four, in another order. It logs medians, and those of ratios with an interval of 95 %
// (order statistics; all values, of less than six): how much faster the program is, also over the
// serial copy and by the share that the loops have of its time, and how much each loop.
func Compare(b *testing.B, serial func(), program func(loop Loop), loops ...string) {
	split := []int{0, 0, 1, len(loops)}[:min(len(loops)+2, 4)] // the first loops; by run
	times := make([][][]float64, len(split))                   // by run: ms of the whole, of each loop
	for run := range times {
		times[run] = make([][]float64, 1+len(loops))
	}
	program(First(len(loops))) // grows the heap
	for i := 0; b.Loop(); i++ {
		for j := range split {
			run, took := (i+j)%len(split), make([]time.Duration, 1+len(loops))
			if i%2 == 1 {
				run = len(split) - 1 - run
			}
			execute := First(split[run])
			runtime.GC() // only memory in use stays
			began := time.Now()
			if run == 0 {
				serial()
			} else {
				program(func(k, from, to int, do func(from, to int)) {
					began := time.Now()
					execute(k, from, to, do)
					took[1+k] += time.Since(began)
				})
			}
			took[0] = time.Since(began)
			for k, t := range took {
				times[run][k] = append(times[run][k], t.Seconds()*1e3)
			}
		}
	}
	mid := func(run, k int) float64 { return quantile(times[run][k], len(times[run][k])/2) }
	b.Logf("%.3g ms; %s as the copy", mid(0, 0), faster(times[0][0], times[1][0]))
	share := 0.0
	for k := range loops {
		share += mid(1, 1+k) / mid(1, 0)
		if k > 0 && k < len(loops)-1 {
			continue
		}
		run := min(2+k, len(split)-1)
		b.Logf("first %d: %s, %s over the copy, %.2f by the share", k+1,
			faster(times[0][0], times[run][0]), faster(times[1][0], times[run][0]),
			1/(1-share+share/Cores))
	}
	for k, name := range loops {
		run := len(split) - 1
		b.Logf("%s: %.3g ms, in parallel %.3g ms: %s", name, mid(1, 1+k), mid(run, 1+k),
			faster(times[1][1+k], times[run][1+k]))
	}
	b.ReportMetric(0, "ns/op") // of all together: left out
}

// faster returns the median of the ratios of pairs, and its interval, as text.
func faster(serial, parallel []float64) string {
	ratios := make([]float64, len(serial))
	for i := range ratios {
		ratios[i] = serial[i] / parallel[i]
	}
	n := len(ratios)
	low := below(n)
	return fmt.Sprintf("%.2f [%.2f, %.2f]", quantile(ratios, n/2), quantile(ratios, low),
		quantile(ratios, n-1-low))
}

// quantile returns the value of rank i, from 0.
func quantile(values []float64, i int) float64 { return slices.Sorted(slices.Values(values))[i] }

// below returns how many of n values lie below the interval of the median: the most l for which n
// coins show up to l heads with a probability of at most 2.5 %.
func below(n int) int {
	ways, sum := 1.0, 1.0 // to show l heads, and up to as many
	for l := 0; ; l++ {
		if sum > 0.025*math.Pow(2, float64(n)) {
			return max(0, l-1)
		}
		ways *= float64(n-l) / float64(l+1)
		sum += ways
	}
}
