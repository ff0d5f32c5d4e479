package main

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// Each benchmark verifies; classes W and A take minutes.
func TestVerifies(t *testing.T) {
	for _, b := range benchmarks {
		for _, class := range long.Or(classes[:1], classes) {
			text, err := run([]string{b.name, "--class", string(class)})
			if err != nil || !strings.HasSuffix(text, "; verified") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// A number that is off by little more than epsilon does not verify, and any is looked at.
func TestWrong(t *testing.T) {
	for _, b := range benchmarks {
		_, got, want := b.run(0, b.steps[0])
		for i := range got {
			wrong := slices.Clone(got)
			wrong[i] += 2.5*b.epsilon*want[i] + 1e-300
			if b.epsilon == 0 {
				wrong[i]++
			}
			if verify(wrong, want, b.epsilon) == nil {
				t.Errorf("%s: number %d may be %.15g, expected %.15g", b.name, i+1, wrong[i], want[i])
			}
		}
		if len(got) == 0 || verify(got[1:], want, b.epsilon) == nil {
			t.Errorf("%s: a number may be missing", b.name)
		}
	}
}

// Requests that run, and requests that are refused.
func TestRun(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"is --iterations 2",
			"is, class S, 2 iterations: 65536 keys of 2048 values, median 1022; not verified"},
		{"cg --iterations 1", "cg, class S, 1 iterations: order 1400, 78148 elements, " +
			"eigenvalue 9.99864415791"}, // as NPB prints it
		{"is --iterations 11", "--iterations 11: expected up to 10"},
		{"is --iterations -1", "--iterations -1: expected up to 10"},
		{"is --class B", "--class B: expected S, W or A"},
		{"is --class SW", "--class SW: expected S, W or A"},
		{"is S", `"S" is no flag`},
		{"ep", "expected cg, ft, is, lu or mg"},
		{"", "expected cg, ft, is, lu or mg"},
	} {
		got, err := run(strings.Fields(c.args))
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %q, expected %q", c.args, got, c.want)
		}
	}
}

// A benchmark whose numbers are wrong prints so, and run returns an error.
func TestRunWrong(t *testing.T) {
	defer func(all []benchmark) { benchmarks = all }(benchmarks)
	benchmarks = []benchmark{{"half", [...]int{1, 1, 1}, 0.1,
		func(int, int) (string, []float64, []float64) { return "", []float64{1}, []float64{2} }}}
	if text, err := run([]string{"half"}); err == nil || !strings.HasSuffix(text, "; wrong") {
		t.Errorf("%q, %v", text, err)
	}
}

// Keys are sorted, and keys out of order are counted.
func TestSort(t *testing.T) {
	keys, ranks := makeKeys(1000, 64), make([]int32, 64)
	rankKeys(ranks, keys)
	if got := sortKeys(keys, ranks); !slices.Equal(got, slices.Sorted(slices.Values(keys))) {
		t.Errorf("sorted: %v", got)
	}
	if n := disorder([]int32{3, 1, 2, 2, 0}); n != 2 {
		t.Errorf("%d keys are out of order, expected 2", n)
	}
}

// The k-th number is 5^13k times the seed, mod 2^46.
func TestRandom(t *testing.T) {
	r, m := newRandom(), new(big.Int).Lsh(big.NewInt(1), 46)
	for k := int64(1); k <= 10000; k++ {
		x := r.next() * (1 << 46)
		want := new(big.Int).Exp(big.NewInt(5), big.NewInt(13*k), m)
		want.Mod(want.Mul(want, big.NewInt(314159265)), m)
		if int64(x) != want.Int64() {
			t.Fatalf("number %d is %.0f, expected %d", k, x, want)
		}
	}
}
