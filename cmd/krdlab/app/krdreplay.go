package app

import (
	"errors"

	"github.com/spf13/cobra"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/replay"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// replay runs `krdlab krd --replay MACHINE`: the LLC misses of traces by the cache model of a
// machine.
func (a *app) replay(c *cobra.Command, f *replayFlags, traces []string) error {
	if f.on == request.Auto || f.on == request.Native {
		return usageError("krdlab krd --replay %s: that names no caches; type --replay %s for "+
			"this computer's", f.on, request.Host)
	}
	machines, err := a.machines(c.Context(), f.caches)
	if err != nil {
		return err
	}
	host := machines.Host
	m, err := machines.Find(f.on)
	if errors.Is(err, machine.ErrNotKnown) {
		return &request.Error{Flag: "replay", Got: f.on, Want: err.Error()}
	} else if wrong, ok := errors.AsType[*request.Error](err); ok {
		return &request.Error{Flag: "replay", Got: wrong.Got, Want: wrong.Want}
	} else if err != nil {
		return err
	}
	if f.on != request.Host {
		host = nil // its CPUs are others
	}
	var reports []*result.ReplayReport
	for _, path := range traces {
		r, err := a.replayTrace(path, m, host, request.CacheModel(f.cacheModel),
			f.allowLoss)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	return printEach(a, c, traces, reports, brief.Replay)
}

func (a *app) replayTrace(path string, m *machine.Machine, host *hw.Topology, model request.CacheModel,
	allowLoss bool) (*result.ReplayReport, error) {
	if h, err := loi.ReadHeader(path); err == nil {
		if err := replay.Suits(h, m, model); err != nil {
			return nil, failure.Errorf(failure.Request, "--replay %s: %s: %w", m.Name, path, err)
		}
	}
	show, done := bytesProgress[uint64](a, "replay")
	defer done()
	t, err := openTrace(path, "", show)
	if err != nil {
		return nil, err
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
	r.Warnings = doc.Sentences(r.WarningCodes)
	return r, nil
}
