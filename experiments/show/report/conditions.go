package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/loi"
)

// What a native run happened under, as lines of the banner.

// natives returns the cells that were measured.
func natives(e *dataset.Experiment) (list []*dataset.Cell) {
	for i := range e.Cells {
		if e.Cells[i].Result.Substrate != loi.Simulated {
			list = append(list, &e.Cells[i])
		}
	}
	return list
}

// number is what flags of one kind differ in.
var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

func disturbed(e *dataset.Experiment) (judgement, bool) {
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
	again := ""
	if aside > 0 {
		again = fmt.Sprintf("; %s done again and set aside", plural(aside, "repetition"))
	}
	switch {
	case stay > 0:
		return judgement{doubt, "Disturbed repetitions", fmt.Sprintf("in %d of %d results other "+
			"programs, or the machine, disturbed repetitions or the serial run; these results are "+
			"marked ~%s", stay, len(e.Cells), again)}, true
	case flagged > 0:
		return judgement{doubt, "Disturbed repetitions",
			fmt.Sprintf("%d of %d, serial ones counted: %s", flagged, all,
				strings.Join(sorted(kinds), "; "))}, true
	case len(natives(e)) == 0:
		return judgement{}, false
	}
	return judgement{fine, "Disturbed repetitions",
		fmt.Sprintf("none of %d stays disturbed, serial ones counted%s%s", all, again,
			notJudged(len(natives(e))-counted))}, true
}

// notJudged says of how many results it is not known whether they were disturbed.
func notJudged(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("; not looked for in %s", plural(n, "result"))
}

// busy is the load for each CPU before the first run beyond which the times are doubted.
const busy = 0.5

// load tells whether something else ran when the first run began; later runs see the load of those
// before them.
func load(e *dataset.Experiment) (judgement, bool) {
	var first *dataset.Cell
	for _, c := range natives(e) {
		if c.Manifest != nil && c.Manifest.System.LoadAverage != nil &&
			(first == nil || c.Manifest.Started.Before(first.Manifest.Started)) {
			first = c
		}
	}
	if first == nil {
		return judgement{}, false
	}
	n, cpus := first.Manifest.System.LoadAverage[0], first.Result.Machine.CPUs
	text := fmt.Sprintf("load average %.2f before the first run, on %s", n, plural(cpus, "CPU"))
	if n > busy*float64(cpus) {
		return judgement{doubt, "Load", text + ": other programs ran"}, true
	}
	return judgement{fine, "Load", text}, true
}

// frequency tells what is known of the clock of the cores, which is not itself measured.
func frequency(e *dataset.Experiment) (judgement, bool) {
	native := natives(e)
	if len(native) == 0 {
		return judgement{}, false
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
	text := "governor " + orUnknown(governors) + ", boost " + orUnknown(boost)
	switch {
	case unknown:
		return judgement{doubt, "Clock frequency",
			text + ": whether it changed during the runs cannot be told"}, true
	case len(governors) == 1 && governors["performance"] && len(boost) == 1 && boost["off"]:
		return judgement{fine, "Clock frequency", text + ": constant"}, true
	}
	return judgement{doubt, "Clock frequency", text + ": it may have changed during the runs"}, true
}

func virtual(e *dataset.Experiment) (judgement, bool) {
	for _, c := range natives(e) {
		if c.Manifest != nil && c.Manifest.System.Virtual != nil && *c.Manifest.System.Virtual {
			text := "a virtual machine: others on the same host may have taken time without a " +
				"trace of it"
			if h := c.Manifest.System.Hypervisor; h != "" {
				text = h + ", " + text
			}
			return judgement{plain, "Host", text}, true
		}
	}
	return judgement{}, false
}

func imposed(e *dataset.Experiment) (judgement, bool) {
	for _, c := range e.Cells {
		if c.Result.Machine.Synthetic {
			return judgement{plain, "Topology", "the map of workers to nodes, " +
				c.Result.Settings.Topology +
				", was imposed (synthetic); steals between nodes and reuse distances are those " +
				"of the map, times are the machine's"}, true
		}
	}
	return judgement{}, false
}
