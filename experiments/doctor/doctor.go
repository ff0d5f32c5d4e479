// Package doctor tests what measurements need of this computer, and reports what is limited or
// missing, how that affects results, and what would help.
package doctor

import (
	"strings"

	"krdlab/hw"
	"krdlab/krd/doc"
)

// A Status is the verdict of a check.
type Status string

// The verdicts.
const (
	Good    Status = "ok"
	Limited Status = "limited" // works, with less than there could be
	Missing Status = "missing"
)

// A Check is the state of one feature that measurements need.
type Check struct {
	Name   string        `json:"name"`
	Status Status        `json:"status"`
	Found  string        `json:"found"`
	limits []doc.Finding // what is limited or missing, and what that does to results
	Help   string        `json:"help,omitempty"` // what would help
}

// A Diagnosis is the document of `krdlab doctor --json`. Findings have the name of their check as
// subject.
type Diagnosis struct {
	Machine  hw.Machine     `json:"machine"`
	Facts    hw.Facts       `json:"facts"`
	Clock    hw.Clock       `json:"clock"`
	Features hw.CPUFeatures `json:"cpu_features"`
	Checks   []Check        `json:"checks"`
	doc.Concluded
}

// Examine tries everything on the machine t and in folder. Cost: about 0.2 s, and a trace of a few
// hundred KiB that is removed.
func Examine(t *hw.Topology, folder string) *Diagnosis {
	d := &Diagnosis{Machine: t.Machine(), Facts: hw.HostFacts(), Clock: hw.CalibrateClock(),
		Features: hw.Features()}
	d.Checks = append(d.Checks, checkTopology(t), checkCPUs(t, &d.Facts), checkClock(d.Clock),
		checkOffsets(t, d.Clock), checkPinning(t))
	d.Checks = append(d.Checks, checkCounters()...)
	d.Checks = append(d.Checks, checkVector(d.Features), checkFrequency(&d.Facts),
		checkLoad(&d.Facts, t), checkHugePages(&d.Facts),
		checkNUMA(t, &d.Facts), checkMemory(), checkFallocate(folder), checkTrace(folder))
	d.conclude()
	return d
}

// WriteText writes d for a person.
func (d *Diagnosis) WriteText(p *doc.Page) error {
	p.Line("%s", d.Machine.Describe())
	if d.Facts.KernelVersion != "" {
		virtual := ""
		if v := d.Facts.Virtual; v != nil && *v {
			virtual = ", a virtual machine"
			if d.Facts.Hypervisor != "" {
				virtual += " of " + d.Facts.Hypervisor
			}
		}
		p.Line("Linux %s%s", d.Facts.KernelVersion, virtual)
	}
	answers, _ := d.Apart()
	p.Line("%s", answers[0])
	t := doc.NewTable(2)
	t.Prose(2)
	t.Keys = 2
	for _, c := range d.Checks {
		t.Row(c.Status, c.Name, c.Found)
		for _, s := range doc.Sentences(c.limits) {
			t.Row("", "", s)
		}
		if c.Help != "" {
			t.Row("", "", "try: "+c.Help)
		}
	}
	p.Table(t)
	return p.Close()
}

// oneLine joins the lines of an error, as errors.Join makes them.
func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ")
}
