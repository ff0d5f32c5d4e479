package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/runtimes"
)

// mostNodes is more than any machine has; what is indexed by node is allocated by the largest.
const mostNodes = 1 << 12

// valid returns what is impossible in a result, so that whoever computes with it need not ask: a
// result without a name, repetitions of negative time, workers on nodes that there cannot be,
// histograms that do not add up, misses without a source.
func valid(r *result.Result) error {
	switch {
	case r.Kernel == "":
		return errors.New("it names no kernel")
	case r.Scheduler == "":
		return errors.New("it names no scheduler")
	case r.Substrate != loi.Native && r.Substrate != loi.Simulated:
		return fmt.Errorf("its substrate is %q, expected native or simulated", r.Substrate)
	case r.Cores < 1:
		return fmt.Errorf("it has %d cores, expected 1 or more", r.Cores)
	case r.Machine.Nodes < 0 || r.Machine.CoresPerNode < 0:
		return fmt.Errorf("its machine has %d nodes of %d cores", r.Machine.Nodes,
			r.Machine.CoresPerNode)
	case r.LLCSource != nil && *r.LLCSource == "":
		return errors.New("its llc_source is empty, expected a name or null")
	case r.LLCSource == nil && hasMisses(r):
		return errors.New("it has LLC misses, and its llc_source is null: misses of no known " +
			"source are not used")
	}
	for _, part := range []struct {
		name string
		reps []result.Repetition
	}{{"repetition", r.Repetitions}, {"serial repetition", r.Serial.Repetitions}} {
		for i := range part.reps {
			if err := validRepetition(&part.reps[i]); err != nil {
				return fmt.Errorf("%s %d: %w", part.name, i+1, err)
			}
		}
	}
	if err := validModel(r); err != nil {
		return err
	}
	if r.KRD != nil {
		if err := validHistogram(&r.KRD.Histogram); err != nil {
			return fmt.Errorf("krd: %w", err)
		}
		if !slices.Contains([]krd.Distance{krd.Exclusive, krd.Inclusive}, r.KRD.Distance) {
			return fmt.Errorf("krd: the distance is %q, expected %s or %s", r.KRD.Distance,
				krd.Exclusive, krd.Inclusive)
		}
	}
	return nil
}

// validModel checks that what a cache model counted has the same kernels in each repetition.
func validModel(r *result.Result) error {
	var all []*result.LLCMisses
	if r.LLCModel != nil {
		all = slices.Clone(r.LLCModel.Traced)
	}
	for i := range r.Repetitions {
		if m := r.Repetitions[i].LLCModel; m != nil {
			all = append(all, m)
		}
	}
	for i, m := range all {
		if m == nil {
			return fmt.Errorf("llc_model: traced repetition %d is null", i+1)
		}
		if len(m.Kernels) != len(all[0].Kernels) {
			return fmt.Errorf("llc_model: %d kernels, expected %d as before", len(m.Kernels),
				len(all[0].Kernels))
		}
	}
	return nil
}

func hasMisses(r *result.Result) bool {
	return r.Summary.LLCMissesPerCore.Median.Known() ||
		slices.ContainsFunc(r.Repetitions,
			func(p result.Repetition) bool { return p.LLCMissesPerCore.Known() })
}

func validRepetition(p *result.Repetition) error {
	if p.TimeNS < 0 {
		return fmt.Errorf("a time of %d ns", p.TimeNS)
	}
	for _, e := range []struct {
		name  string
		value *int64
	}{{"work_ns", p.WorkNS}, {"tasks", p.Tasks}, {"kernels", p.Kernels}} {
		if e.value != nil && *e.value < 0 {
			return fmt.Errorf("%s is %d", e.name, *e.value)
		}
	}
	if n := p.LLCMissesPerCore; n.Known() && n.Float() < 0 {
		return fmt.Errorf("llc_misses_per_core is %g", n.Float())
	}
	for i := range p.Workers {
		w := &p.Workers[i]
		if w.Node < 0 || w.Node >= mostNodes || len(w.StealsFrom) > mostNodes {
			return fmt.Errorf("worker %d is on node %d and has steals from %d nodes, expected "+
				"nodes from 0 to %d", i, w.Node, len(w.StealsFrom), mostNodes-1)
		}
		for _, n := range w.StealsFrom {
			if n < 0 {
				return fmt.Errorf("worker %d has %d steals", i, n)
			}
		}
	}
	for _, k := range p.KernelTimes {
		if k.Count < 0 || k.TotalNS != nil && *k.TotalNS < 0 {
			return fmt.Errorf("kernel %q has a negative count or time", k.Name)
		}
	}
	for _, e := range []struct {
		name string
		h    *krd.Histogram
	}{{"krd", p.KRD}, {"krd_cores", p.KRDCores}} {
		if e.h == nil {
			continue
		}
		if err := validHistogram(e.h); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

// validHistogram checks the identities that [krd.Histogram] promises.
func validHistogram(h *krd.Histogram) error {
	inf := h.Infinite()
	sum := inf
	for i, b := range h.Bins {
		var from, to uint64 = 0, 1
		if i > 0 {
			from, to = 1<<(i-1), 1<<i
		}
		if i > 63 || b.FromBytes != from || b.ToBytes != to {
			return fmt.Errorf("bin %d is [%d, %d), expected [%d, %d)", i, b.FromBytes, b.ToBytes,
				from, to)
		}
		if b.Count > h.Accesses {
			return fmt.Errorf("bin %d has %d of %d accesses", i, b.Count, h.Accesses)
		}
		sum += b.Count
	}
	if sum != h.Accesses || inf > h.Accesses {
		return fmt.Errorf("%d accesses, but cold ones and bins add up to %d", h.Accesses, sum)
	}
	if h.Close != nil && h.Near != nil && h.Far != nil {
		if sum := inf + *h.Close + *h.Near + *h.Far; sum != h.Accesses || max(*h.Close, *h.Near,
			*h.Far) > h.Accesses {
			return fmt.Errorf("%d accesses, but cold, close, near and far ones add up to %d",
				h.Accesses, sum)
		}
	}
	for _, e := range []struct {
		name string
		n    *uint64
	}{{"close", h.Close}, {"near", h.Near}, {"far", h.Far}} {
		if e.n != nil && *e.n > h.Accesses {
			return fmt.Errorf("%d of %d accesses are %s", *e.n, h.Accesses, e.name)
		}
	}
	return nil
}

// check keeps the planned results among those that were read for a planned cell, each scheduler
// once, and adds a problem for each other and each missing one. A scheduler beyond the plan is
// used. m is the planned machine, nil where it is native or cannot be read.
func (p *PlannedCell) check(m *simulated, cells []Cell, problems []Problem) ([]Cell,
	[]Problem) {
	var kept []Cell
	seen := map[string]bool{}
	bad := func(scheduler, format string, args ...any) {
		problems = append(problems, Problem{p.ID, Unreadable, scheduler, result.ResultFile + ": " +
			fmt.Sprintf(format, args...)})
	}
	about := func(scheduler string) bool {
		return slices.ContainsFunc(problems, func(q Problem) bool {
			return q.Scheduler == scheduler
		})
	}
	// The reason of a lost result is given already where none is left, and for results without a
	// known name.
	said := len(cells) == 0 || about(Unnamed)
	for _, c := range cells {
		s := c.Result.Scheduler
		differs := p.differs(m, &c)
		switch {
		case differs != "":
			bad(s, "%s %s; not used", s, differs)
		case seen[s]:
			bad(s, "%s comes twice; the second is not used", s)
		default:
			seen[s] = true
			kept = append(kept, c)
		}
	}
	for _, s := range p.Schedulers {
		if !said && !seen[s] && !about(s) {
			bad(s, "there is no result of %s, which was planned", s)
		}
	}
	return kept, problems
}

// differs returns the difference of a result from the plan; "" if there is none.
func (p *PlannedCell) differs(m *simulated, c *Cell) string {
	native, r := p.Machine == Native, c.Result
	switch {
	case r.Kernel != p.Kernel:
		return fmt.Sprintf("is of the kernel %s, planned is %s", r.Kernel, p.Kernel)
	case r.Cores != p.Cores && r.Cores != p.coresOf(r.Scheduler):
		return fmt.Sprintf("is on %d cores, planned are %d", r.Cores, p.Cores)
	case r.Seed != p.Seed:
		return fmt.Sprintf("has the seed %d, planned is %d", r.Seed, p.Seed)
	case native != (r.Substrate == loi.Native):
		return fmt.Sprintf("is %s, planned is %s", r.Substrate, p.Machine)
	case m != nil && r.Machine.Name != m.Name:
		return fmt.Sprintf("is of the machine %s, planned is %s", r.Machine.Name, m.Name)
	case m != nil && c.Manifest != nil && c.Manifest.ModelHash != "" &&
		c.Manifest.ModelHash != m.Hash():
		return fmt.Sprintf("was simulated with other numbers of %s than %s/%s.toml has", m.Name,
			MachinesDir, p.Machine)
	}
	if what := firstDifference(r.Params, p.Params); what != "" {
		return what
	}
	if reflect.DeepEqual(r.Settings, p.Settings) {
		return ""
	}
	return firstDifference(fieldsOf(r.Settings), fieldsOf(p.Settings))
}

// firstDifference returns which of the named values, in the order of the alphabet, is not what was
// planned; "" if all are.
func firstDifference(found, planned map[string]any) string {
	names := map[string]any{}
	maps.Copy(names, found)
	maps.Copy(names, planned)
	value := func(of map[string]any, name string) string {
		if v, ok := of[name]; ok {
			return text(v)
		}
		return "none"
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a, b := value(found, name), value(planned, name); a != b {
			return fmt.Sprintf("has %s %s, planned is %s", name, a, b)
		}
	}
	return ""
}

// fieldsOf returns settings by their names in documents.
func fieldsOf(s request.Settings) (fields map[string]any) {
	b, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(b, &fields)
	}
	if err != nil {
		panic(err) // texts, truths and numbers
	}
	return fields
}

// coresOf returns how many cores a result of a scheduler should have: a serial one has one.
func (p *PlannedCell) coresOf(scheduler string) int {
	if s, err := runtimes.ParseScheduler(scheduler); err == nil && s.Serial() {
		return 1
	}
	return p.Cores
}
