package request

import (
	"fmt"
	"reflect"
	"strconv"

	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// Program makes the program of a trace anew from its header, without its data. It is an error if that is not
// possible, or if its blocks are others.
func Program(h *loi.Header) (kernel.Instance, error) {
	name := h.Kernel
	k, ok := kernels.ByName(name)
	if !ok {
		return nil, fmt.Errorf("the trace's program %q is none of krdlab's", name)
	}
	params, err := readParams(k, h.Params)
	if err != nil {
		return nil, err
	}
	if err := CheckParams(k, params); err != nil {
		return nil, err
	}
	in, err := k.New(params, kernel.Env{Seed: h.Seed, Dry: true})
	if err != nil {
		return nil, err
	}
	if _, ok := in.(kernel.Modelled); !ok {
		err = fmt.Errorf("%s does not tell the places of its blocks", name)
	} else if got := in.Registry(); !reflect.DeepEqual(got.Objects, h.Registry.Objects) {
		err = fmt.Errorf("%s with %s has other blocks now than in the trace", name,
			Describe(k, params))
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
