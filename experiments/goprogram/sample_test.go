package goprogram

import (
	"encoding/json"
	"fmt"
	"maps"
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
			counts := func(d *Document) map[string]uint64 {
				m := map[string]uint64{}
				for i, list := range [][]Part{d.Functions, d.Loops, d.Objects} {
					for _, p := range list {
						m[fmt.Sprint(i, p.Name)] = p.Accesses
					}
				}
				return m
			}
			if got, want := counts(sample), counts(exact); !maps.Equal(got, want) {
				t.Errorf("functions, loops and objects have %v, expected %v", got, want)
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

// TestSampleOfSums compares a sample with values computed by hand. A column of 512 numbers takes
// 512 pointers (192 begin a line), and 512 lines of rows, 7 of 8 times the same as the column
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
	far := map[string]float64{"main.columns": 0.6875, "main.rows": 0.0625} // of the function's own
	for _, f := range d.Functions {
		want, ok := far[f.Name]
		switch b := f.Beyond[0]; {
		case !ok:
			if f.Cold != nil || f.Bins != nil || b.Count != nil || b.Error != nil || f.Why == "" {
				t.Errorf("%s, which runs once, has %+v, expected nothing and the reason", f.Name, f)
			}
			continue
		case b.Count == nil || math.Abs(*b.Count-want*float64(f.Accesses)) > 4**b.Error ||
			*b.Error > 0.1*float64(f.Accesses):
			text, _ := json.Marshal(f.SampledPart)
			t.Errorf("%s: %s, expected %.3f of %d", f.Name, text, want, f.Accesses)
		}
		delete(far, f.Name)
	}
	if len(far) > 0 {
		t.Errorf("no distances of %v", far)
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

// A burst begins in the middle of a loop that runs unseen: one that is longer than the time between
// bursts is not left out.
func TestSampleOfStretches(t *testing.T) {
	d, _, err := trace(t, Lines, "stretches", sampled)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"main.far": 1. / 16, "main.near": 0} {
		p := part(t, d.Functions, name)
		b := &p.Beyond[0]
		if name == "main.near" && b.Count == nil && p.Why != "" {
			continue // on a fast computer too few large bursts fall into it
		}
		if text, _ := json.Marshal(p); b.Count == nil ||
			math.Abs(*b.Count-want*float64(p.Accesses)) > 4**b.Error+1 {
			t.Errorf("%.400s, expected %.3f beyond 32 KiB", text, want)
		}
	}
}

// TestSampleOfStack has half of the accesses of a site on the stack: 2000 x (10 000 + 100 x 100) of 80
// million, and of the others 100 where it may be either, unless a draw has just begun.
func TestSampleOfStack(t *testing.T) {
	const half = 2000 * (10_000 + 100*100)
	exact, _, err := trace(t, Lines, "stacked", func(r *Request) { r.Args = []string{} })
	if err != nil {
		t.Fatal(err)
	}
	if a := exact.Accounts; a.Stack != half || a.All() != exact.Accesses+half {
		t.Errorf("exact: %+v", a)
	}
	d, _, err := trace(t, Lines, "stacked", sampled)
	if err != nil {
		t.Fatal(err)
	}
	a := d.Accounts
	if got := float64(a.Stack) / half; a.All() != exact.Accounts.All() || got < 0.8 || got > 1.2 ||
		!a.Estimated {
		t.Errorf("%+v, expected %d on the stack of %d, estimated", a, half, exact.Accounts.All())
	}
	p := part(t, d.Functions, "main.sum")
	if off := math.Abs(float64(p.Accesses) - half); *p.AccessesError == 0 || off > 4**p.AccessesError {
		t.Errorf("sum has %d +- %.0f accesses, expected %d", p.Accesses, 2**p.AccessesError, half)
	}
	t.Logf("%+v; sum: %d +- %.0f", a, p.Accesses, 2**p.AccessesError)
	if a.Unseen != 100 && a.Unseen != 0 {
		t.Errorf("%d accesses are of either", a.Unseen)
	}
}
