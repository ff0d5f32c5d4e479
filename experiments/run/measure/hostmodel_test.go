package measure

import (
	"strings"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
)

// A computer that does not report its caches has no model, and the reason is recorded.
func TestNoModelOfTheHost(t *testing.T) {
	blind := &hw.Topology{Name: "blind", Packages: 1, CPUs: []hw.CPU{{Allowed: true}},
		Cores: []hw.Core{{CPUs: []int{0}}},
		Nodes: []hw.Node{{CPUs: []int{0}, Cores: []int{0}}}}
	_, err := modelOf(blind, nil)
	if err == nil || !strings.Contains(err.Error(), "not reported by the operating system or the processor") {
		t.Fatalf("got %v", err)
	}
	m := &result.Measured{LLCReason: "no PMU"}
	n := &native{host: hostModel{err: err}}
	n.asked.Counters = request.CountersAuto
	n.replay(&schedule{Measured: m}, nil, nil)
	if m.LLCSource != "" || m.LLCModel != nil ||
		m.LLCReason != "no PMU; no replay by the cache model: "+err.Error() {
		t.Errorf("source %q, model %+v, reason %q", m.LLCSource, m.LLCModel, m.LLCReason)
	}
}
