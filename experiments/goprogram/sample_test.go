package goprogram

import (
	"encoding/json"
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
