package krd

import (
	"fmt"

	"krdlab/krd/causes"
)

// newCauses makes a counter for each node, where causes are asked for.
func (a *analysis) newCauses() error {
	o := a.opt.Causes
	if o == nil {
		return nil
	}
	r := &a.trace.Header.Registry
	for range a.nodes {
		c, err := causes.New(len(r.Kernels), len(r.Objects), o.FromBytes, o.ToBytes, causes.Options{
			Pairs: o.Pairs, Sources: o.Pairs, Cold: o.ToBytes == causes.Unbounded,
			Inclusive: a.opt.Distance == Inclusive, Bytes: a.opt.Weight == WeightBytes,
		})
		if err != nil {
			return fmt.Errorf("krd: %w: %w", ErrOption, err)
		}
		a.causes = append(a.causes, c)
	}
	return nil
}

// ranking adds up the counters of all nodes and ranks; nil if nobody asked.
func (a *analysis) ranking() *causes.Result {
	if len(a.causes) == 0 {
		return nil
	}
	for _, c := range a.causes[1:] {
		if err := a.causes[0].Merge(c); err != nil {
			panic(err) // they were made alike
		}
	}
	var kernels, objects []string
	for i := range a.trace.Header.Registry.Kernels {
		kernels = append(kernels, a.trace.Header.Registry.Kernels[i].Name)
	}
	for i := range a.trace.Header.Registry.Objects {
		objects = append(objects, a.trace.Header.Registry.Objects[i].Name)
	}
	return a.causes[0].Result(kernels, objects)
}

// The rankings that people read one of.
const (
	ByKernel     = "kernel"
	ByObject     = "object"
	ByObjectPair = "object-pair"
	ByKernelPair = "kernel-pair"
)

// Rankings lists them.
var Rankings = []string{ByKernel, ByObject, ByObjectPair, ByKernelPair}
