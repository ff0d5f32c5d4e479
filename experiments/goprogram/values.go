package goprogram

import (
	"slices"

	"krdlab/loi"
	"krdlab/loi/front"
)

// values finds, for each operation, the earlier accesses that are its own.
type values struct {
	sites   []front.Site
	list    []front.Operation
	numbers []uint32    // in the trace, by operation
	workers [][]pending // innermost last
	args    []uint32
}

// A pending is a region that is open on a worker, with the sites of the accesses since the last
// operation, if it is a function.
type pending struct {
	function bool
	sites    []int
}

// declare registers the operations of a program, before anything is written.
func (t *traceSink) declare(list []front.Operation) error {
	if len(list) == 0 {
		return nil
	}
	t.values = &values{sites: t.a.sites, list: list}
	for i := range list {
		o, err := registered(&list[i], t.region)
		if err != nil {
			return t.failed(err)
		}
		if o.Kernel, err = t.b.Kernel(list[i].Function); err != nil {
			return t.failed(err)
		}
		n, err := t.b.Operation(o)
		if err != nil {
			return t.failed(err)
		}
		t.values.numbers = append(t.values.numbers, n)
	}
	return nil
}

// registered returns an operation as a registry has it, but for its kernel; region returns the number
// of a region of the sources there.
func registered(x *front.Operation, region func(int) (loi.RegionID, error)) (o loi.Operation,
	err error) {
	o = x.Operation
	if o.Region, err = region(x.Self); err != nil {
		return o, err
	}
	if o.Callee = 0; o.Kind.Calls() {
		o.Callee, err = region(x.Calls)
	}
	return o, err
}

func (v *values) of(worker int) *[]pending {
	for len(v.workers) <= worker {
		v.workers = append(v.workers, []pending{{function: true}})
	}
	return &v.workers[worker]
}

// innermost returns the sites of the innermost function of a worker.
func (v *values) innermost(worker int) *[]int {
	list := *v.of(worker)
	for i := range slices.Backward(list) {
		if list[i].function {
			return &list[i].sites
		}
	}
	return &list[0].sites
}

// access adds an access of a site.
func (v *values) access(worker, site int) {
	sites := v.innermost(worker)
	if len(*sites) == 2*loi.MaxTerms {
		*sites = slices.Delete(*sites, 0, loi.MaxTerms)
	}
	*sites = append(*sites, site)
}

// begin follows the regions of a worker, as end does.
func (v *values) begin(worker int, kind loi.RegionKind) {
	list := v.of(worker)
	*list = append(*list, pending{function: kind == loi.Function})
}

func (v *values) end(worker int) {
	if list := v.of(worker); len(*list) > 1 {
		*list = (*list)[:len(*list)-1]
	}
}

// done returns the arguments of the event of an operation, from 1; they are valid until the next
// call.
func (v *values) done(worker int, operation uint32) []uint32 {
	own, sites := v.list[operation-1].Sites, v.innermost(worker)
	v.args = append(v.args[:0], v.numbers[operation-1])
	some := (*sites)[max(0, len(*sites)-loi.MaxTerms):]
	for i, s := range some {
		term := uint32(slices.Index(own, s) + 1)
		if kind := v.sites[s-1].Kind; (kind == "map" || kind == "range-map") && i+1 < len(some) &&
			some[i+1] == s {
			term = 0 // the map itself, before its entry
		}
		v.args = append(v.args, term)
	}
	*sites = (*sites)[:0]
	return v.args
}
