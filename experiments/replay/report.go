package replay

import (
	"fmt"
	"reflect"
	"strconv"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// Report replays a trace on m (see [Misses]) and says what came out. Where opt.Place is nil
// it makes an instance of the program that the trace names, if this is one of krdlab's, to ask
// where its blocks lie; its data is not computed.
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
		in, err := Program(t)
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

// Program makes the program of a trace anew, without its data. It is an error if that is not
// possible, or if its blocks are others.
func Program(t *loi.Trace) (kernel.Instance, error) {
	name := t.Header.Kernel
	k, ok := kernels.ByName(name)
	if !ok {
		return nil, fmt.Errorf("the trace's program %q is none of krdlab's", name)
	}
	params, err := readParams(k, t.Header.Params)
	if err != nil {
		return nil, err
	}
	if err := request.CheckParams(k, params); err != nil {
		return nil, err
	}
	in, err := k.New(params, kernel.Env{Seed: t.Header.Seed, Dry: true})
	if err != nil {
		return nil, err
	}
	if _, ok := in.(kernel.Modelled); !ok {
		err = fmt.Errorf("%s does not tell the places of its blocks", name)
	} else if got := in.Registry(); !reflect.DeepEqual(got.Objects, t.Header.Registry.Objects) {
		err = fmt.Errorf("%s with %s has other blocks now than in the trace", name,
			request.Describe(k, params))
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// readParams reads what ParamList returns: every parameter of k in order.
func readParams(k *kernel.Kernel, list []loi.KV) (kernel.Params, error) {
	if len(list) != len(k.Params) {
		return nil, fmt.Errorf("the trace has %d parameters, and %s has %d", len(list), k.Name,
			len(k.Params))
	}
	p := kernel.Params{}
	for i := range k.Params {
		d, kv := &k.Params[i], list[i]
		if kv.Key != d.Name {
			return nil, fmt.Errorf("the trace has the parameter %s, expected %s in its place",
				kv.Key, d.Name)
		}
		p[d.Name] = kv.Value
		if d.Kind == kernel.IntParam {
			n, err := strconv.Atoi(kv.Value)
			if err != nil {
				return nil, fmt.Errorf("the trace has %s=%s, expected a whole number", d.Name,
					kv.Value)
			}
			p[d.Name] = n
		}
	}
	return p, nil
}
