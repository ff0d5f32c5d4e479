package kernelreuse

import (
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/loi"
)

// The machine of the evaluation is the frozen one, and one whose guess or range is another is not.
func TestFrozen(t *testing.T) {
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	if m.Hash() != Frozen {
		t.Fatalf("the machine %s has the hash\n%s, and was frozen with\n%s: if a number was "+
			"changed on purpose, its source belongs into docs/simulation.md, Frozen, and the hash "+
			"into Frozen", m.Name, m.Hash(), Frozen)
	}
	other := m.Clone()
	other.Memory.OverlapMisses++
	if other.Hash() == Frozen {
		t.Error("a machine with another overlap is the frozen one")
	}
	other = m.Clone()
	other.Ranges["memory.overlap"] = machine.Range{Low: 1, High: 9}
	if other.Hash() == Frozen {
		t.Error("a machine with another range is the frozen one")
	}
}

// The machine of the documents: the frozen one, another, and none where cells differ.
func TestFrozenText(t *testing.T) {
	cell := func(hash string) dataset.Cell {
		r := &result.Result{Substrate: loi.Simulated}
		r.Machine.Model = &result.Model{Hash: hash}
		return dataset.Cell{Result: r}
	}
	native := dataset.Cell{Result: &result.Result{Substrate: loi.Native}}
	for want, cells := range map[string][]dataset.Cell{
		"Simulated on the frozen machine, " + Frozen[:12]:     {cell(Frozen), native, cell(Frozen)},
		"Simulated on the machine 0123456789ab, which is not": {cell("0123456789abcdef")},
		"no machine, or on several":                           {cell(Frozen), cell("0123456789abcdef")},
		"on no machine":                                       {native},
	} {
		got := frozenText(machineHash(&dataset.Experiment{Cells: cells}))
		if !strings.Contains(got, want) {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}
