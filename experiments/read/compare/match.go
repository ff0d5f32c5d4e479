package compare

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// SchemaVersion is the version of [Report]. Fields may be added under the same version, never
// renamed.
const SchemaVersion = 1

// A Report holds the configurations that two experiments have in common, and the changes: the
// document of `krdlab compare --json`.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	A             Side    `json:"a"`
	B             Side    `json:"b"`
	Alpha         float64 `json:"alpha"`
	// Tests is how many tests were made, Below how many have p < alpha, Hold how many of those hold
	// after Holm's correction.
	Tests int      `json:"tests"`
	Below int      `json:"tests_below_alpha"`
	Hold  int      `json:"tests_that_hold"`
	Pairs []Pair   `json:"pairs"`
	OnlyA []Config `json:"only_in_a"`
	OnlyB []Config `json:"only_in_b"`
	doc.Concluded
	// WarningCodes are the findings that are about the comparison itself.
	WarningCodes []result.Warning `json:"warning_codes"`
}

// A Side is one of the two experiments.
type Side struct {
	Name     string  `json:"name"`
	Revision *string `json:"vcs_revision"` // of the krdlab that made it; null: not known
	Modified *bool   `json:"vcs_modified"`
}

// A Config is a configuration: what is matched.
type Config struct {
	Kernel    string `json:"kernel"`
	Params    string `json:"params"`
	Substrate string `json:"substrate"`
	Machine   string `json:"machine"`
	Settings  string `json:"settings"`
	Scheduler string `json:"scheduler"`
	Cores     int    `json:"cores"`
}

func (c Config) key() dataset.Key {
	return dataset.Key{Kernel: c.Kernel, Params: c.Params, Substrate: c.Substrate,
		Machine: c.Machine, Settings: c.Settings}
}

func (c Config) String() string {
	return fmt.Sprintf("%s, %s, %s", c.key(), c.Scheduler, units.Count(c.Cores, "core"))
}

// A Pair is a configuration that both have.
type Pair struct {
	Config
	// other programs disturbed a result of that side, which was asked for all the same
	DisturbedA bool         `json:"disturbed_a,omitempty"`
	DisturbedB bool         `json:"disturbed_b,omitempty"`
	Quantities []Comparison `json:"quantities"`
}

// times is the noun by which findings are counted.
const times = "times"

// ErrNothingInCommon is wrapped by the error of experiments without a configuration that both have.
var ErrNothingInCommon = failure.New(failure.Request, "no configuration is in both")

// Of compares experiment b with a. Errors wrap ErrNothingInCommon, and say what differs. Cost: for
// each quantity an exact U test, ten milliseconds with 25 repetitions and ties.
func Of(a, b *dataset.Experiment) (*Report, error) {
	a, b = dataset.Together(a, b)
	r := &Report{
		SchemaVersion: SchemaVersion, A: sideOf(a), B: sideOf(b), Alpha: estimate.Alpha,
		Pairs: []Pair{}, OnlyA: []Config{}, OnlyB: []Config{}, WarningCodes: []result.Warning{},
	}
	orderA, cellsA := configs(a)
	orderB, cellsB := configs(b)
	var doubts []doc.Finding
	for _, c := range orderA {
		other, ok := cellsB[c]
		if !ok {
			r.OnlyA = append(r.OnlyA, c)
			continue
		}
		r.Pairs = append(r.Pairs, Pair{c, disturbed(cellsA[c]), disturbed(other),
			quantities(side{dataset.Pool(cellsA[c])}, side{dataset.Pool(other)})})
		doubts = append(doubts, differences(cellsA[c][0].Result, other[0].Result)...)
	}
	for _, c := range orderB {
		if cellsA[c] == nil {
			r.OnlyB = append(r.OnlyB, c)
		}
	}
	if len(r.Pairs) == 0 {
		return nil, fmt.Errorf("%s and %s: %w: %s", a.Name, b.Name, ErrNothingInCommon,
			whyNot(orderA, orderB))
	}
	r.correct()
	r.WarningCodes = append(r.WarningCodes, doc.Once(times, doubts)...)
	r.conclude()
	r.Conclude(r.WarningCodes...)
	r.Conclude(a.AllDoubts("A", times)...)
	r.Conclude(b.AllDoubts("B", times)...)
	return r, nil
}

func disturbed(cells []*dataset.Cell) bool {
	return slices.ContainsFunc(cells, func(c *dataset.Cell) bool { return c.Result.Disturbed() })
}

func sideOf(e *dataset.Experiment) Side {
	s := Side{Name: e.Name}
	var b *result.Build
	if e.Info != nil {
		b = &e.Info.Build
	} else if len(e.Cells) > 0 && e.Cells[0].Manifest != nil {
		b = &e.Cells[0].Manifest.Build
	}
	if b != nil {
		s.Revision, s.Modified = b.Revision, b.Modified
	}
	return s
}

// configs returns the configurations of an experiment in the order of their appearance, by
// scheduler's order within a core count.
func configs(e *dataset.Experiment) (order []Config, cells map[Config][]*dataset.Cell) {
	cells = map[Config][]*dataset.Cell{}
	for i := range e.Cells {
		c := &e.Cells[i]
		k := dataset.KeyOf(c)
		at := Config{k.Kernel, k.Params, k.Substrate, k.Machine, k.Settings, c.Result.Scheduler,
			c.Result.Cores}
		if cells[at] == nil {
			order = append(order, at)
		}
		cells[at] = append(cells[at], c)
	}
	return order, cells
}

// whyNot returns what two experiments differ in as a whole.
func whyNot(a, b []Config) string {
	if len(a) == 0 || len(b) == 0 {
		return "one of them has no cell that can be used"
	}
	for _, part := range []struct {
		name string
		of   func(Config) string
		more string
	}{
		{"the kernel", func(c Config) string { return c.Kernel }, ""},
		{"the substrate", func(c Config) string { return c.Substrate },
			"; what is simulated is never compared with what is measured"},
		{"the machine", func(c Config) string { return c.Machine }, ""},
		{"settings", func(c Config) string { return c.Settings }, ""},
		{"parameters", func(c Config) string { return c.Params }, ""},
		{"the scheduler", func(c Config) string { return c.Scheduler }, ""},
		{"the core count", func(c Config) string { return fmt.Sprint(c.Cores) }, ""},
	} {
		inA, inB := valuesOf(a, part.of), valuesOf(b, part.of)
		if !slices.ContainsFunc(inA, func(v string) bool { return slices.Contains(inB, v) }) {
			return fmt.Sprintf("they differ in %s: %s in A, %s in B%s", part.name,
				strings.Join(inA, " and "), strings.Join(inB, " and "), part.more)
		}
	}
	return "each part of some is in the other, but no combination is"
}

func valuesOf(list []Config, of func(Config) string) []string {
	var out []string
	for _, c := range list {
		if v := of(c); v == "" {
			out = append(out, "none")
		} else {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// differences returns in what the settings and the machine of two matched results differ.
func differences(a, b *result.Result) []result.Warning {
	var list []result.Warning
	s, t := reflect.ValueOf(a.Settings), reflect.ValueOf(b.Settings)
	for _, f := range reflect.VisibleFields(s.Type()) {
		v, w := fmt.Sprint(s.FieldByIndex(f.Index)), fmt.Sprint(t.FieldByIndex(f.Index))
		if v != w && !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			list = append(list, result.Warn(result.SettingDiffers, name, cmp.Or(v, "none"),
				cmp.Or(w, "none")))
		}
	}
	x, y := a.Machine, b.Machine
	if x.Computer != "" && y.Computer != "" && x.Computer != y.Computer {
		list = append(list, result.Warn(result.OtherComputer, x.Name))
	}
	if p, q := x.Model, y.Model; p != nil && q != nil && p.Hash != q.Hash {
		list = append(list, result.Warn(result.OtherModel, x.Name, p.Hash, q.Hash))
	}
	x.Computer, y.Computer, x.Model, y.Model = "", "", nil, nil
	if x != y {
		list = append(list, result.Warn(result.OtherMachine, a.Machine.Name))
	}
	return list
}

// correct adjusts the p of all tests and gives the verdicts.
func (r *Report) correct() {
	var tested []*Comparison
	var p []float64
	for i := range r.Pairs {
		for j := range r.Pairs[i].Quantities {
			if c := &r.Pairs[i].Quantities[j]; c.P.Known() {
				tested, p = append(tested, c), append(p, c.P.Float())
			}
		}
	}
	r.Tests = len(tested)
	for i, adjusted := range estimate.Holm(p) {
		c := tested[i]
		c.HolmP = result.Some(adjusted)
		c.judge()
		if p[i] < estimate.Alpha {
			r.Below++
		}
		if adjusted < estimate.Alpha {
			r.Hold++
		}
	}
}
