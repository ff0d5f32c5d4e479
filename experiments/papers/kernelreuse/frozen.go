package kernelreuse

import (
	"fmt"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/loi"
)

// Frozen is the hash of the simulated machine that the paper is predicted with. It was fixed before
// the runs whose results docs/reproduction.md has; docs/simulation.md lists the earlier changes,
// and the row that had been seen before each. Whoever changes a number or a range of the machine
// changes this too, and gives the source there.
const Frozen = "d82d647bbcbd8a0f695f8d5538d21d0faa68f77c144c6edf2c27a08053153a14"

// simulatedOn returns the hash of the machine that a result was simulated on; "" natively, and
// where its document has none.
func simulatedOn(r *result.Result) string {
	if r.Substrate != loi.Simulated || r.Machine.Model == nil {
		return ""
	}
	return r.Machine.Model.Hash
}

// machineHash returns that of the machine that the evaluation was simulated on; "" where the cells
// of e have none, or several.
func machineHash(e *dataset.Experiment) string {
	hash := ""
	for i := range e.Cells {
		switch h := simulatedOn(e.Cells[i].Result); {
		case h == "" || h == hash:
		case hash == "":
			hash = h
		default:
			return ""
		}
	}
	return hash
}

// frozenText returns what machine numbers are of, in a sentence.
func frozenText(hash string) string {
	switch hash {
	case "":
		return "Simulated on no machine, or on several: that is not the frozen one."
	case Frozen:
		return fmt.Sprintf("Simulated on the frozen machine, %.12s.", hash)
	}
	return fmt.Sprintf("Simulated on the machine %.12s, which is not the frozen one, %.12s.", hash,
		Frozen)
}
