package app

import (
	"context"
	"errors"

	"krdlab/experiments/replay"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd"
	"krdlab/loi"
)

// replay is `krdlab krd --replay MACHINE`: the LLC misses of traces by the cache model of a
// machine.
func (a *app) replay(ctx context.Context, f *krdFlags, opt krd.Options, traces []string) error {
	if f.csv || f.plot != "" || f.node >= 0 || f.coherence || f.per != perNode ||
		f.by != "" || f.bins != "" || len(f.caches) > 0 ||
		opt.Engine.Approximate() || opt.Weight != krd.WeightCount || opt.Distance != krd.Exclusive {
		return usageError("krdlab krd --replay %s: it simulates caches and knows no distances; "+
			"it goes with --cache-model, --json and --allow-loss", f.replay)
	}
	model := request.CacheModel(f.cacheModel)
	if model != request.CacheBlocks && model != request.CacheLines {
		return &request.Error{Flag: "cache-model", Got: f.cacheModel,
			Want: "choose blocks or lines"}
	}
	if f.replay == request.Auto || f.replay == request.Native {
		return usageError("krdlab krd --replay %s: that names no caches; type --replay %s for "+
			"this computer's", f.replay, request.Host)
	}
	machines, err := a.machines(ctx, f.given)
	if err != nil {
		return err
	}
	host := machines.Host
	m, err := machines.Find(f.replay)
	if errors.Is(err, machine.ErrNotKnown) {
		return &request.Error{Flag: "replay", Got: f.replay, Want: err.Error()}
	} else if wrong, ok := errors.AsType[*request.Error](err); ok {
		return &request.Error{Flag: "replay", Got: wrong.Got, Want: wrong.Want}
	} else if err != nil {
		return err
	}
	if f.replay != request.Host {
		host = nil // its CPUs are others
	}
	var reports []*result.ReplayReport
	for _, path := range traces {
		r, err := replayTrace(path, m, host, model, f.allowLoss)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return printEach(a, f, traces, reports, show.Replay)
}

func replayTrace(path string, m *machine.Machine, host *hw.Topology, model request.CacheModel,
	allowLoss bool) (*result.ReplayReport, error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, traceError(path, err)
	}
	defer t.Close()
	opt := replay.Options{CacheModel: model, AllowLoss: allowLoss}
	if t.Header.Substrate == loi.Native {
		opt.Topology = host
	}
	r, err := replay.Report(t, m, opt)
	if errors.Is(err, replay.ErrUnsuitable) {
		return nil, failure.Errorf(failure.Request, "--replay %s: %s: %w", m.Name, path, err)
	} else if err != nil {
		return nil, analysisError(path, err)
	}
	r.Warnings = show.Sentences(r.WarningCodes)
	return r, nil
}
