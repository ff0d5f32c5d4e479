package measure

import (
	"encoding/json"
	"strings"
	"testing"

	"krdlab/hw"
)

// A native result names its computer, as far as the system identifies it; a simulated one is the
// same on every computer.
func TestMachineComputer(t *testing.T) {
	topo, err := hw.Synthetic("1x2")
	if err != nil {
		t.Fatal(err)
	}
	id := hw.ComputerID()
	if m := (&native{setup: setup{topo: topo}}).machine(); m.Computer != id {
		t.Errorf("native: %q, want %q", m.Computer, id)
	}
	m := (&simulation{setup: setup{topo: topo}}).describe()
	if b, err := json.Marshal(m); m.Computer != "" || err != nil || strings.Contains(string(b),
		"computer") {
		t.Errorf("simulated: %s, %v", b, err)
	}
	if id == "" {
		t.Skip("this system has no /etc/machine-id: that a native result has an ID is not tested")
	}
}
