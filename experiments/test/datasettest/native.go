package datasettest

import (
	"fmt"

	"krdlab/experiments/run/dataset"
)

// A Place is where a cell was measured.
type Place struct {
	Computer string // "": not recorded
	Element  bool   // of a job array
	CPUs     int    // of the computer; 0: as many as the made machine has
}

// NativeAt returns [Small] as native, its cells of 1, 6, 12 and 24 cores measured at these places,
// and merged from so many others.
func NativeAt(merged int, places ...Place) *dataset.Experiment {
	e := Small()
	for i := range e.Plan {
		e.Plan[i].Machine = dataset.Native
	}
	for i := range merged {
		e.Info.Merge(fmt.Sprint("exp", i))
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		at := places[i/len(Schedulers)]
		c.Result.Substrate, c.Result.Machine.Name, c.Result.Machine.Computer = dataset.Native,
			"AMD EPYC", at.Computer
		if at.CPUs > 0 {
			c.Result.Machine.CPUs = at.CPUs
		}
		if at.Element {
			c.Manifest.Element = true
		}
	}
	return e
}
