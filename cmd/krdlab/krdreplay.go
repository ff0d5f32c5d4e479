package main

import (
	"errors"
	"fmt"

	"krdlab/experiments"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/krd"
	"krdlab/loi"
)

// replay is `krdlab krd --replay MACHINE`: the LLC misses of traces by the cache model of a machine.
func (a *app) replay(f *krdFlags, opt krd.Options, traces []string) error {
	if f.csv || f.plot != "" || f.node >= 0 || f.coherence || f.by != "" || f.bins != "" || len(f.caches) > 0 ||
		opt.Engine.Approximate() || opt.Weight != krd.WeightCount || opt.Distance != krd.Exclusive {
		return usageError("krdlab krd --replay %s: it simulates caches and knows no distances; it goes with --cache-model, --json and --allow-loss", f.replay)
	}
	model := experiments.CacheModel(f.cacheModel)
	if model != experiments.CacheBlocks && model != experiments.CacheLines {
		return &experiments.ConfigError{Flag: "cache-model", Got: f.cacheModel, Want: "choose blocks or lines"}
	}
	if f.replay == machineAuto || f.replay == machineNative {
		return usageError("krdlab krd --replay %s: that names no caches; type --replay %s for this computer's", f.replay, machineHost)
	}
	host, err := a.topology()
	if err != nil {
		return fmt.Errorf("this machine's topology: %w", err)
	}
	m, err := loadMachine(f.replay, host)
	if errors.Is(err, machine.ErrNotKnown) {
		return &experiments.ConfigError{Flag: "replay", Got: f.replay, Want: err.Error()}
	} else if wrong, ok := errors.AsType[*experiments.ConfigError](err); ok {
		return &experiments.ConfigError{Flag: "replay", Got: wrong.Got, Want: wrong.Want}
	} else if err != nil {
		return err
	}
	if f.replay != machineHost {
		host = nil // its CPUs are others
	}
	var reports []*experiments.ReplayReport
	for _, path := range traces {
		r, err := replayTrace(path, m, host, model, f.allowLoss)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	switch {
	case f.json && len(reports) > 1:
		return writeJSON(a.stdout, reports)
	case f.json:
		return writeJSON(a.stdout, reports[0])
	}
	for i, r := range reports {
		if len(reports) > 1 {
			fmt.Fprintf(a.stdout, "%s\n", traces[i])
		}
		if err := r.WriteText(a.stdout); err != nil {
			return err
		}
	}
	return nil
}

func replayTrace(path string, m *machine.Machine, host *hw.Topology, model experiments.CacheModel, allowLoss bool) (*experiments.ReplayReport, error) {
	t, err := loi.Open(path)
	if err != nil {
		return nil, traceError(path, err)
	}
	defer t.Close()
	opt := experiments.ReplayOptions{CacheModel: model, AllowLoss: allowLoss}
	if t.Header.Substrate == loi.Native {
		opt.Topology = host
	}
	r, err := experiments.ReplayReportOf(t, m, opt)
	if errors.Is(err, experiments.ErrReplay) {
		return nil, &exitError{exitUsage, fmt.Errorf("--replay %s: %s: %w", m.Name, path, err)}
	} else if err != nil {
		return nil, analysisError(path, err)
	}
	return r, nil
}
