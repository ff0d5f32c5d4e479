package reproduce

import (
	"fmt"
	"strings"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/krd/doc"
)

// WriteCross writes schedulers against core counts for one group: time, speed-up, overhead,
// inflation, misses and reuse, medians and 95 % intervals. What was not measured is n/a.
func WriteCross(p *doc.Page, g *dataset.Group) error {
	t := doc.NewTable(2, "cores", "scheduler", "n", "time, ms", "speed-up", "OVR", "WTI",
		"LLC misses, M", ">= 32 MiB, %", "cold, %")
	schedulers := g.Schedulers()
	for _, cores := range g.Cores() {
		for i, s := range schedulers {
			r := g.At(s, cores)
			if r == nil {
				continue
			}
			first := ""
			if i == 0 || g.At(schedulers[i-1], cores) == nil {
				first = fmt.Sprint(cores)
			}
			t.Row(
				first, s, r.Summary.Speedup.N, milliseconds(r).compact(),
				speedup(r).compact(), ovr(r).compact(), wti(r).compact(),
				missesOf(r), beyond(far)(r).compact(), cold(r).compact())
		}
	}
	p.Line("%s", g.Key)
	p.Table(t)
	return p.Close()
}

// missesOf names the source where it is not the model.
func missesOf(r *result.Result) string {
	s := of(r.Summary.LLCMissesPerCore).times(1e-6).compact()
	if r.LLCSource != nil && *r.LLCSource != result.LLCSourceModel {
		s += " " + *r.LLCSource
	}
	return s
}

// compact writes v and its interval as one number, the larger half width: 21.99 ±0.05.
func (v interval) compact() string {
	if !v.known {
		return doc.NotAvailable
	}
	q := result.Quantity{Median: result.Some(v.mid), N: v.n}
	if v.sure {
		q.Low, q.High = result.Some(v.low), result.Some(v.high)
	}
	s := doc.Format(q, v.mid, 1)
	if wide := max(v.high-v.mid, v.mid-v.low); v.sure && wide > 0 {
		if far := doc.Format(q, wide, 1); strings.Trim(far, "0.") != "" {
			s += " ±" + far
		}
	}
	return s
}
