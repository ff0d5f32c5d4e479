package kernelreuse

import (
	"slices"
	"testing"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/machine"
)

// Each machine that is built in is asked on the cores of one cache and on all, and its cells are
// possible.
func TestMachinesPlan(t *testing.T) {
	var all []*machine.Machine
	for _, name := range machine.Names() {
		m, err := machine.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	for _, scale := range steps.Scales {
		plan, err := MachinesPlan(scale, all)
		if err != nil {
			t.Fatal(err)
		}
		possible(t, scale, plan, nil)
		for _, m := range all {
			var cores []int
			for i := range plan {
				c := &plan[i]
				if c.Machine != m {
					continue
				}
				if c.Reps < 6 { // only a draw has one
					t.Errorf("%s: %d seeds have no interval", scale, c.Reps)
				}
				cores = append(cores, c.Cores)
			}
			if !slices.Contains(cores, m.CoresPerNode) || !slices.Contains(cores, m.Cores()) {
				t.Errorf("%s: %s on %v cores", scale, m.Name, cores)
			}
		}
	}
}

// On made numbers a conclusion holds, and no longer once what it is about has changed places.
func TestConclusions(t *testing.T) {
	verdicts := func(e *dataset.Experiment) map[string]claims.Verdict {
		list, err := sites(e)
		if err != nil {
			t.Fatal(err)
		}
		last, out := list[len(list)-1], map[string]claims.Verdict{}
		for _, c := range conclusions {
			out[c.id] = c.judge(&last)
		}
		return out
	}
	exchanged := datasettest.Small()
	for i := range exchanged.Cells {
		switch r := exchanged.Cells[i].Result; r.Scheduler {
		case mth:
			r.Scheduler = tbb
		case tbb:
			r.Scheduler = mth
		}
	}
	got, other := verdicts(datasettest.Small()), verdicts(exchanged)
	for _, id := range []string{"mth-fastest", "tbb-wti", "tbb-ovr"} {
		if got[id] != claims.Agree || other[id] != claims.Disagree {
			t.Errorf("%s: %s, and with MTH and TBB exchanged %s", id, got[id], other[id])
		}
	}
}
