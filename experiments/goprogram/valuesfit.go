package goprogram

import (
	"krdlab/hw/failure"
	"krdlab/loi"
	"krdlab/loi/front"
)

// ErrTooLarge is wrapped by the error of a program whose operations a trace has no numbers for.
var ErrTooLarge = failure.New(failure.Request, "the program is too large for --values")

// fit checks that a trace can have the operations of a program: the functions that have some, with
// their regions, are known before it runs. Other regions are registered as they begin.
func fit(list []front.Operation, regions []front.Region) error {
	functions, selves := map[string]bool{}, map[int]bool{}
	for i := range list {
		functions[list[i].Function] = true
		for n := list[i].Self; n != 0 && !selves[n]; n = regions[n-1].Parent {
			selves[n] = true
		}
	}
	for _, x := range []struct {
		what    string
		n, most int
	}{{"functions", max(len(functions), len(selves)), min(loi.MaxKernels, loi.MaxRegions)},
		{"operations", len(list), loi.MaxOperations}} {
		if x.n > x.most {
			return failure.Errorf(failure.Request, "%w: it has %d %s, and a trace at most %d; rewrite "+
				"fewer packages, with --include and --exclude", ErrTooLarge, x.n, x.what, x.most)
		}
	}
	return nil
}
