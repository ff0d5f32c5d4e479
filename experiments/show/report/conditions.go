package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// The conditions of a native run, as lines of the banner.

// natives returns the cells that were measured.
func natives(e *dataset.Experiment) (list []*dataset.Cell) {
	for i := range e.Cells {
		if e.Cells[i].Result.Substrate != loi.Simulated {
			list = append(list, &e.Cells[i])
		}
	}
	return list
}

// number matches the part in which flags of one kind differ.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

func disturbed(e *dataset.Experiment) doc.Finding {
	all, flagged, kinds := 0, 0, map[string]bool{}
	stay, counted, aside := 0, 0, 0
	seen := map[string]bool{} // cells, whose schedulers share the serial run
	for _, c := range e.Cells {
		if d := c.Result.Disturbances; d != nil {
			counted++
			aside += d.SetAside
			if !seen[c.ID] {
				seen[c.ID] = true
				aside += d.SerialSetAside
			}
		}
		if c.Result.Disturbed() {
			stay++
		}
		for _, p := range slices.Concat(c.Result.Serial.Repetitions, c.Result.Repetitions) {
			all++
			if len(p.Flags) > 0 {
				flagged++
				for _, f := range p.Flags {
					kinds[number.ReplaceAllString(f, "N")] = true
				}
			}
		}
	}
	native := len(natives(e))
	switch {
	case stay > 0:
		return doc.Find(disturbedResults, stay, len(e.Cells), aside)
	case flagged > 0:
		return doc.Find(flaggedRepetitions, flagged, all, strings.Join(sorted(kinds), "; "))
	case native == 0:
		return doc.Finding{}
	}
	return doc.Find(undisturbed, all, aside, max(0, native-counted))
}

// busy is the load for each CPU before the first run beyond which the times are doubted.
const busy = 0.5

// load judges whether something else ran when the first run began; later runs see the load of those
// before them.
func load(e *dataset.Experiment) doc.Finding {
	var first *dataset.Cell
	for _, c := range natives(e) {
		if c.Manifest != nil && c.Manifest.System.LoadAverage != nil &&
			(first == nil || c.Manifest.Started.Before(first.Manifest.Started)) {
			first = c
		}
	}
	if first == nil {
		return doc.Finding{}
	}
	n, cpus := first.Manifest.System.LoadAverage[0], first.Result.Machine.CPUs
	code := calm
	if n > busy*float64(cpus) {
		code = othersRan
	}
	return doc.Find(code, n, cpus)
}

// frequency judges the clock of the cores, which is not itself measured.
func frequency(e *dataset.Experiment) doc.Finding {
	native := natives(e)
	if len(native) == 0 {
		return doc.Finding{}
	}
	governors, boost, unknown := map[string]bool{}, map[string]bool{}, false
	for _, c := range native {
		if c.Manifest == nil || len(c.Manifest.System.Governors) == 0 ||
			c.Manifest.System.Boost == nil {
			unknown = true
		}
		if c.Manifest == nil {
			continue
		}
		for _, g := range c.Manifest.System.Governors {
			governors[g] = true
		}
		if b := c.Manifest.System.Boost; b != nil {
			boost[onOff(*b)] = true
		}
	}
	code := frequencyFree
	switch {
	case unknown:
		code = frequencyUnknown
	case len(governors) == 1 && governors["performance"] && len(boost) == 1 && boost["off"]:
		code = frequencyFixed
	}
	return doc.Find(code, orUnknown(governors), orUnknown(boost))
}

func virtual(e *dataset.Experiment) doc.Finding {
	for _, c := range natives(e) {
		if c.Manifest != nil && c.Manifest.System.Virtual != nil && *c.Manifest.System.Virtual {
			return doc.Find(virtualMachine, cmp.Or(c.Manifest.System.Hypervisor, "hypervisor not known"))
		}
	}
	return doc.Finding{}
}

func imposed(e *dataset.Experiment) doc.Finding {
	for _, c := range e.Cells {
		if c.Result.Machine.Synthetic {
			return doc.Find(imposedNodes, c.Result.Settings.Topology)
		}
	}
	return doc.Finding{}
}
