package stats

import (
	"slices"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd"
)

// Every trace of pooled runs counts, those beside the timed repetitions too.
func TestPooledTraces(t *testing.T) {
	var cells []*dataset.Cell
	for seed := range 3 {
		e := datasettest.Small()
		c := &e.Cells[5]
		for i := range c.Result.Repetitions {
			c.Result.Repetitions[i].KRD = nil
		}
		report := *c.Result.KRD
		report.Histogram = krd.Histogram{Accesses: 100, Cold: uint64(10 * seed), Far: new(uint64)}
		c.Result.KRD, c.Result.Seed = &report, uint64(seed)
		cells = append(cells, c)
	}
	q := BeyondLLC.Of(dataset.Pool(cells).Result)
	if q.N != 3 || q.Median.Float() != 0.1 {
		t.Errorf("shares 0, 0.1 and 0.2: %+v", q)
	}
}

// A measure has a key of its own, words for people, and a reason where it has no value.
func TestCatalogue(t *testing.T) {
	var keys []string
	for _, m := range Catalogue {
		if slices.Contains(keys, m.Key) || m.Head == "" || m.Doc == "" || m.Better == 0 ||
			m.Each == nil {
			t.Errorf("%+v", m)
		}
		keys = append(keys, m.Key)
		r := *datasettest.Small().Cells[0].Result
		r.Repetitions, r.KRD, r.LLCSource = nil, nil, nil
		r.Summary = dataset.Pool([]*dataset.Cell{{Result: &r}}).Result.Summary
		if q := m.Of(&r); !q.Median.Known() && m.Why(&r) == "" {
			t.Errorf("%s is missing, and has no reason", m.Key)
		}
	}
}
