package goprogram

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// sampled is a request for a sample.
func sampled(r *Request) { r.Build.Sample = true }

// The accesses that a sample has and those that it has not are together those of the program,
// whatever its mode is while they are made.
func TestSampleCounts(t *testing.T) {
	for _, name := range []string{"rows", "lists"} {
		t.Run(name, func(t *testing.T) {
			exact, _, err := trace(t, Lines, name, nil)
			if err != nil {
				t.Fatal(err)
			}
			sample, _, err := trace(t, Lines, name, sampled)
			if err != nil {
				t.Fatal(err)
			}
			if exact.Accesses < 4_000_000 || sample.Accesses != exact.Accesses {
				t.Errorf("%d accesses, expected %d", sample.Accesses, exact.Accesses)
			}
			if sample.Sampling == nil || sample.Sampling.Bursts < 2 || sample.OddEvents > 0 {
				t.Fatalf("%+v, %d odd events", sample.Sampling, sample.OddEvents)
			}
			if sample.KRD.Shared != nil {
				t.Errorf("%d are shared, which a sample does not have", *sample.KRD.Shared)
			}
			sum := sample.KRD.Cold
			for _, b := range sample.KRD.Bins {
				sum += b.Count
			}
			if sum != exact.Accesses {
				t.Errorf("the bins have %d accesses, expected %d", sum, exact.Accesses)
			}
		})
	}
}

// A program that ends before anything follows from the sample has no distances, not some of 0.
func TestSampleTooShort(t *testing.T) {
	d, _, err := trace(t, Lines, "short", sampled)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if d.Accesses == 0 || d.KRD != nil || !strings.Contains(string(text), `"krd":null`) ||
		!strings.Contains(string(text), `"bins":[]`) || len(d.Sampling.doubts()) == 0 {
		t.Errorf("%s", text)
	}
}

// TestSampleOfSums compares a sample with what is known by hand. A column of 512 numbers takes 512
// pointers, of which 192 begin a line, and 512 lines of rows, 7 of 8 times the same as the column
// before: so 1/4 (192/512 + 7/8) of all accesses are 704 lines from the last. Each line of the rows
// is accessed for the first time of a walk by 1/8 of the other half: 1/16 of all are from far.
func TestSampleOfSums(t *testing.T) {
	const n, times = 512, 300
	d, _, err := trace(t, Lines, "sums", func(r *Request) {
		sampled(r)
		r.Args = []string{fmt.Sprint(times)}
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{"main.columns": times * (2*n*n + 1), "main.rows": times * (2*n*n + n)}
	for _, f := range d.Functions {
		if want := counts[f.Name]; want > 0 && f.Accesses != want {
			t.Errorf("%s has %d accesses, expected %d", f.Name, f.Accesses, want)
		}
		delete(counts, f.Name)
	}
	if len(counts) > 0 {
		t.Errorf("no distances of %v", counts)
	}
	for _, c := range []struct {
		name     string
		from, to uint64
		want     float64
	}{{"near", 0, 128, 0.625}, {"a column", 32 << 10, 64 << 10, 0.3125}, {"far", 128 << 10, 1 << 40, 0.0625}} {
		got, variance := 0.0, 0.0
		for _, b := range d.Sampling.Bins {
			if b.FromBytes >= c.from && b.FromBytes < c.to {
				got += b.share[0]
				if b.Error != nil {
					variance += b.share[1] * b.share[1]
				}
			}
		}
		off := math.Abs(got - c.want)
		t.Logf("%s: %.2f %% +- %.2f, expected %.2f", c.name, 100*got, 200*math.Sqrt(variance), 100*c.want)
		if off > 4*math.Sqrt(variance) || off > 0.02 {
			t.Errorf("%s: %.2f %% +- %.2f, expected %.2f", c.name, 100*got, 200*math.Sqrt(variance), 100*c.want)
		}
	}
}
