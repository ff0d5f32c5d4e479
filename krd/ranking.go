package krd

import (
	"fmt"
	"strings"

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
		if o.Paths {
			a.paths = append(a.paths, newPaths(&a.trace.Header))
		}
	}
	return nil
}

// ranking adds up the counters of all nodes and ranks; nil if it was not asked for.
func (a *analysis) ranking() *causes.Result {
	if len(a.causes) == 0 {
		return nil
	}
	for i, c := range a.causes[1:] {
		if a.paths != nil {
			c.Renumber(a.paths[0].add(a.paths[i+1]))
		}
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
	result := a.causes[0].Result(kernels, objects)
	if a.paths != nil {
		result.Paths = a.paths[0].rows(a.causes[0])
	}
	return result
}

// The rankings that people read one of.
const (
	ByKernel     = "kernel"
	ByObject     = "object"
	ByObjectPair = "object-pair"
	ByKernelPair = "kernel-pair"
	ByStack      = "stack" // paths of calls; the trace must tell of regions
)

// Rankings lists them.
var Rankings = []string{ByKernel, ByObject, ByObjectPair, ByKernelPair, ByStack}

// The rankings of the accesses of a Go program: by the function that makes them, its innermost
// loop, the type of the object, its field, element or variable, and where the object was made.
const (
	ByFunction = "function"
	ByLoop     = "loop"
	ByType     = "type"
	ByField    = "field"
	BySite     = "site"
)

// ProgramRankings lists those.
var ProgramRankings = []string{ByFunction, ByLoop, ByType, ByField, BySite}

// ObjectType returns the type in the name of an object of a Go program's trace, "TYPE, made at
// FILE:LINE".
func ObjectType(object string) string {
	for _, mark := range []string{", made ", ", declared "} {
		if i := strings.LastIndex(object, mark); i >= 0 {
			return object[:i]
		}
	}
	return object
}

// InTraces returns an error unless a trace, with goroutines or not, has what one of
// [ProgramRankings] ranks.
func InTraces(by string, goroutines bool) error {
	switch {
	case !goroutines:
		return fmt.Errorf("krd: %w: the trace is not of krdlab trace go, and has no %ss; expected %s",
			ErrOption, by, strings.Join(Rankings, ", "))
	case by != ByFunction && by != ByType && by != BySite:
		return fmt.Errorf("krd: %w: %ss are not in traces, but in the results of krdlab trace go "+
			"without --out: krdlab trace go PACKAGE --by %s", ErrOption, by, by)
	}
	return nil
}

// Program ranks the causes in r, of the trace of a Go program, in one of [ProgramRankings]. Loops
// and fields are not in traces: the error is [ErrOption], and so is that of another trace.
func (r *Report) Program(by string) error {
	if err := InTraces(by, r.Goroutines); err != nil {
		return err
	}
	var rows []causes.GroupRow
	switch {
	case by == ByFunction:
		for _, x := range r.Causes.Kernels {
			rows = append(rows, causes.GroupRow{Name: x.Kernel, Counts: x.Counts})
		}
	case by == ByType, by == BySite:
		for _, x := range r.Causes.Objects {
			name := x.Object
			if by == ByType {
				name = ObjectType(name)
			}
			rows = append(rows, causes.GroupRow{Name: name, Counts: x.Counts})
		}
	}
	r.Causes.Group(by, rows)
	return nil
}
