package krd

import (
	"fmt"

	"krdlab/krd/approx"
	"krdlab/krd/doc"
	"krdlab/krd/smith"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// SampleOptions of [Sample].
type SampleOptions struct {
	Engine    Engine // shards or shards-keys
	Seed      uint64 // chooses the blocks that are followed
	Caches    []smith.Cache
	AllowLoss bool
	Progress  func(done, total uint64)
}

// A SampleReport holds estimates from a sample of the blocks, for far reuses and for the misses of
// given caches only.
type SampleReport struct {
	SchemaVersion int          `json:"schema_version"`
	Approximate   bool         `json:"approximate"` // true
	Engine        string       `json:"engine"`
	Seed          uint64       `json:"seed"`
	Nodes         []NodeSample `json:"nodes"`
	Discarded     uint64       `json:"discarded"` // as in Report
	LossUnknown   bool         `json:"loss_unknown,omitempty"`
	Warnings      []string     `json:"warnings"` // the sentences of WarningCodes
	WarningCodes  []Warning    `json:"warning_codes"`
}

// A NodeSample is the estimate for one node.
type NodeSample struct {
	Node    int   `json:"node"`
	Workers []int `json:"workers"`
	approx.Estimate
	Misses []SampledMisses `json:"misses"`
}

// SampledMisses are the misses of a cache estimated from sampled distances.
type SampledMisses struct {
	Cache  smith.Cache `json:"cache"`
	Caveat string      `json:"caveat"` // "" of a fully associative cache
	smith.Prediction
	LineMissesPerCore float64 `json:"line_misses_per_core"`
}

// Sample estimates reuse distances from a sample of the blocks (package approx), node by node.
// Caches of the trace's L2 and LLC size are looked at in any case. Errors are those of [Analyze];
// traces with address spaces are refused.
//
// Cost: that of reading the trace, and about 1 ns an access.
func Sample(t *loi.Trace, opt SampleOptions) (*SampleReport, error) {
	if !opt.Engine.Sampling() {
		return nil, fmt.Errorf("krd: %w: engine %v does not sample; expected shards or shards-keys",
			ErrOption, opt.Engine)
	}
	loss := t.Loss()
	if loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	if err := opt.Engine.Suits(&t.Header); err != nil {
		return nil, err
	}
	a := &analysis{trace: t, prog: loi.NewProgress(t, 1, opt.Progress)}
	a.nodes, a.workers = workersByNode(&t.Header)
	doubts := append([]Warning{doc.Find(Sampled, opt.Engine.String())}, Doubts(t)...)
	r := &SampleReport{
		SchemaVersion: SchemaVersion, Approximate: true, Engine: opt.Engine.String(),
		Seed:  opt.Seed,
		Nodes: []NodeSample{}, Discarded: loss.Total(), LossUnknown: loss.UnknownWorkers() > 0,
		WarningCodes: doubts,
	}
	for _, w := range doubts {
		r.Warnings = append(r.Warnings, w.Sentence())
	}
	for i, node := range a.nodes {
		s, err := newSampled(t, opt)
		if err != nil {
			return nil, err
		}
		if err := a.consume(a.workers[i], s); err != nil {
			return nil, err
		}
		r.Nodes = append(r.Nodes, s.result(node, a.workers[i]))
	}
	return r, nil
}

// sampled is the consumer of one node.
type sampled struct {
	shards     *approx.Shards
	names      *names
	predictors []*smith.Predictor

	keys, sizes []uint64
}

func newSampled(t *loi.Trace, opt SampleOptions) (*sampled, error) {
	s := &sampled{names: newNames(len(t.Header.Registry.Objects))}
	for _, c := range opt.Caches {
		m, err := smith.NewModel(c)
		if err != nil {
			return nil, fmt.Errorf("krd: %w", err)
		}
		s.predictors = append(s.predictors, smith.NewPredictor(m))
	}
	o := approx.Options{Seed: opt.Seed}
	if opt.Engine.Name == EngineShards {
		o.Rate = opt.Engine.Rate
	} else {
		o.MaxKeys = opt.Engine.Keys
	}
	for _, bytes := range []uint64{t.Header.L2Bytes, t.Header.LLCBytes} {
		if bytes != 0 {
			o.Caches = append(o.Caches, bytes)
		}
	}
	if s.predictors != nil {
		o.Each = func(distance, bytes uint64, weight float64) {
			for _, p := range s.predictors {
				if distance == stack.Cold {
					p.Cold(bytes, weight)
				} else {
					p.Add(distance, bytes, weight)
				}
			}
		}
	}
	var err error
	if s.shards, err = approx.NewShards(o); err != nil {
		return nil, fmt.Errorf("krd: %w", err)
	}
	return s, nil
}

const sampleBatch = 1 << 14

func (s *sampled) kernel(x *loi.Event) error {
	list := x.Accesses()
	for i := range list {
		s.keys = append(s.keys, s.names.of(&list[i]))
		s.sizes = append(s.sizes, list[i].Bytes)
	}
	if len(s.keys) >= sampleBatch {
		return s.flush()
	}
	return nil
}

func (s *sampled) flush() error {
	if len(s.keys) == 0 {
		return nil
	}
	if err := s.shards.Keys(s.keys, s.sizes); err != nil {
		return fmt.Errorf("krd: %w", err)
	}
	s.keys, s.sizes = s.keys[:0], s.sizes[:0]
	return nil
}

func (s *sampled) result(node int, workers []int) NodeSample {
	out := NodeSample{Node: node, Workers: workers, Estimate: s.shards.Estimate(),
		Misses: []SampledMisses{}}
	for _, p := range s.predictors {
		m := SampledMisses{Cache: p.Model().Cache(), Prediction: p.Prediction()}
		// The sample lacks accesses to few hot blocks, which hit in any cache.
		if m.Accesses > 0 {
			p.Hit(out.Adjusted, out.Adjusted*m.Lines/m.Accesses)
			m.Prediction = p.Prediction()
		}
		if m.Cache.Ways != 0 {
			m.Caveat = smith.Caveat
		}
		m.LineMissesPerCore = m.AllLineMisses() / float64(len(workers))
		out.Misses = append(out.Misses, m)
	}
	return out
}
