package main

import (
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"krdlab/hw/hwtest/long"
)

// sampledResult is what of a result of krdlab trace go is compared.
type sampledResult struct {
	Accesses uint64
	KRD      struct {
		Cold uint64
		Bins []struct {
			FromBytes uint64 `json:"from_bytes"`
			Count     float64
		}
	} `json:"krd"`
	Sampling *struct {
		Bins []struct {
			FromBytes uint64 `json:"from_bytes"`
			Count     float64
			Error     *float64
		}
	}
}

// A sample counts the accesses that there are. Each bin that holds 1 % of them has its share in two
// of three samples, up to a percentage point or to two of the standard errors that are printed,
// which are no excuse from mostError on.
func TestSample(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is for Linux")
	}
	if long.Or(0, 1) == 0 {
		t.Skip("the exact distances take minutes: KRDLAB_LONG=1")
	}
	file := filepath.Join(t.TempDir(), "krdlab")
	run := commands(t, file, exec.Command("go", "build", "-o", file, "krdlab/cmd/krdlab"))
	for _, args := range [][]string{{"lu"}, {"fft", "-iterations", "4"}, {"sor", "-iterations", "100"},
		{"sparse", "-iterations", "100"}} {
		t.Run(args[0], func(t *testing.T) {
			result := func(flags ...string) (d sampledResult) {
				all := append([]string{"trace", "go", ".", "--json", "--dir",
					filepath.Join(t.TempDir(), "run")}, flags...)
				all = append(append(all, "--"), append(args, "-class", "large")...)
				if err := json.Unmarshal(run(all...), &d); err != nil {
					t.Fatal(err)
				}
				return d
			}
			exact, within := result(), make(map[uint64]int)
			for range 3 {
				sample := result("--sample")
				if exact.Sampling != nil || sample.Sampling == nil {
					t.Fatal("the exact result is marked as a sample, or the sample is not")
				}
				if exact.Accesses != sample.Accesses {
					t.Errorf("%d accesses, expected %d", sample.Accesses, exact.Accesses)
				}
				shares, most := make(map[uint64]float64), make(map[uint64]float64)
				for _, b := range sample.Sampling.Bins {
					shares[b.FromBytes] = b.Count / float64(sample.Accesses)
					if b.Error != nil {
						most[b.FromBytes] = min(mostError, 2**b.Error/float64(sample.Accesses))
					}
				}
				for _, b := range exact.KRD.Bins {
					want, got := b.Count/float64(exact.Accesses), shares[b.FromBytes]
					t.Logf("from %d bytes: %.2f %% +- %.2f, exactly %.2f", b.FromBytes, 100*got,
						100*most[b.FromBytes], 100*want)
					if want < 0.01 || math.Abs(got-want) <= max(0.01, most[b.FromBytes]) {
						within[b.FromBytes]++
					}
				}
			}
			for _, b := range exact.KRD.Bins {
				if n := within[b.FromBytes]; n < 2 {
					t.Errorf("from %d bytes: %d of 3 samples have its share", b.FromBytes, n)
				}
			}
		})
	}
}

// mostError is the share of the accesses that a bin may be off in TestSample, whatever is printed.
const mostError = 0.05
