package replay

import (
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// Report replays a trace on m (see [Misses]) and returns the result. Where opt.Place is nil it
// makes an instance of the program that the trace names, if this is one of krdlab's, to ask where
// its blocks lie; its data is not computed.
func Report(t *loi.Trace, m *machine.Machine, opt Options) (*result.ReplayReport, error) {
	r := &result.ReplayReport{SchemaVersion: result.SchemaVersion, Source: result.LLCSourceModel,
		Machine:    m.Name,
		CacheModel: opt.CacheModel}
	if r.CacheModel == "" {
		r.CacheModel = request.CacheBlocks
	}
	if opt.Seed == 0 {
		opt.Seed = t.Header.Seed // of the first repetition of a simulated run
	}
	if opt.Place == nil {
		in, err := request.Program(&t.Header)
		if err != nil {
			r.WarningCodes = append(r.WarningCodes, result.Warn(result.PlacesUnknown, err.Error()))
		} else {
			defer in.Close()
			opt.Place = in.(kernel.Modelled)
		}
	}
	r.Placed = opt.Place != nil
	misses, err := Misses(t, m, opt)
	if err != nil {
		return nil, err
	}
	r.LLCMisses = *misses
	r.Cores = len(t.Header.Workers)
	if t.Header.Unordered {
		r.Cores = t.Header.Cores
	}
	if r.Cores > 0 {
		r.LLCMissesPerCore = result.Some(float64(r.Total) / float64(r.Cores))
	}
	loss := t.Loss()
	unknown, lost := loss.UnknownWorkers(), loss.Total()
	if unknown > 0 {
		r.WarningCodes = append(r.WarningCodes, result.Warn(result.ReplayLossUnknown, unknown,
			len(loss.Unknown)))
	} else if lost > 0 {
		r.WarningCodes = append(r.WarningCodes, result.Warn(result.ReplayLost, lost))
	}
	if t.Recovered && unknown == 0 {
		r.WarningCodes = append(r.WarningCodes, result.Warn(result.Recovered))
	}
	if t.Header.Synthetic {
		r.WarningCodes = append(r.WarningCodes, result.Warn(result.ImposedNodes))
	}
	return r, nil
}
