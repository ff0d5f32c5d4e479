package goprogram

import (
	"errors"
	"strings"
	"testing"

	"krdlab/krd/doc"
)

// TestUnsampled wants no number for what a sample does not have: of a program that ends before
// anything was sampled, and of one that was.
func TestUnsampled(t *testing.T) {
	for _, c := range []struct {
		times string
		seen  bool
	}{{"1", false}, {"5000000", true}} {
		d, _, err := trace(t, Lines, "repeated", func(r *Request) {
			r.Build.Sample, r.Args = true, []string{c.times}
		})
		if err != nil {
			t.Fatal(err)
		}
		if d.DistinctData != nil || d.DistinctBytes != nil {
			t.Errorf("%s times: distinct data are counted of a sample", c.times)
		}
		if d.Sampling == nil || (d.Sampling.Cold != nil) != c.seen || (d.KRD != nil) != c.seen {
			t.Errorf("%s times: %+v, %v", c.times, d.Sampling, d.KRD)
		}
		var b strings.Builder
		page := doc.NewPage(&b, 0)
		if err := errors.Join(d.View(false).Text(page), page.Close()); err != nil {
			t.Fatal(err)
		}
		text, shared := b.String(), ""
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "shared") {
				shared = line
			}
		}
		if strings.Contains(shared, " 0") || (shared != "") != c.seen {
			t.Errorf("%s times: %q in\n%s", c.times, shared, text)
		}
		if !c.seen && strings.Contains(text, "0.00 %") {
			t.Errorf("a share of nothing:\n%s", text)
		}
	}
}
