package reproduce

import (
	"testing"

	"krdlab/experiments/request"
	"krdlab/hw/machine"
)

// The machine of the evaluation is the frozen one, and one whose guess or range is another is not.
func TestFrozen(t *testing.T) {
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	if !IsFrozen(m) {
		t.Fatalf("the machine %s has the hash\n%s, and was frozen with\n%s: if a number was "+
			"changed on purpose, its source belongs into docs/simulation.md, Frozen, and the hash "+
			"into Frozen", m.Name, m.Hash(), Frozen)
	}
	other := m.Clone()
	other.Memory.OverlapMisses++
	if IsFrozen(other) {
		t.Error("a machine with another overlap is the frozen one")
	}
	other = m.Clone()
	other.Ranges["memory.overlap"] = machine.Range{Low: 1, High: 9}
	if IsFrozen(other) {
		t.Error("a machine with another range is the frozen one")
	}
}
