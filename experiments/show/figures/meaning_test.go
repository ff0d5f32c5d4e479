package figures

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/krd/plot"
)

// ids are those of figures; reasons why others are left out, by family.
func drawn(g *dataset.Group) (ids []string, reasons map[string]string) {
	list, skipped := All(g)
	for _, f := range list {
		ids = append(ids, f.ID)
	}
	reasons = map[string]string{}
	for _, s := range skipped {
		reasons[s.ID] = s.Reason
	}
	return ids, reasons
}

func each(g *dataset.Group, f func(*result.Result)) *dataset.Group {
	for _, c := range g.Cells {
		f(c.Result)
	}
	return g
}

// Figures without numbers are left out with the reason, and all others are drawn.
func TestSkipped(t *testing.T) {
	all := []string{"speedup", "ovr", "wti", "speedup-ovr", "factors", "kernel-wti", "krd", "far",
		"misses", "shares", "steals"}
	for _, c := range []struct {
		name   string
		group  *dataset.Group
		reason map[string]string // a part of it, of the families that are left out
	}{
		{"one core count", func() *dataset.Group {
			g := small(t)
			g.Cells = slices.DeleteFunc(g.Cells,
				func(c *dataset.Cell) bool { return c.Result.Cores != 24 })
			return g
		}(), map[string]string{
			"speedup": "one core count only (24)", "ovr": "one core count",
			"wti": "one core count", "factors": "one core count", "speedup-ovr": "one core count", "kernel-wti": "one core count",
			"far": "one core count only (24)",
		}},
		{"no KRD", each(small(t), func(r *result.Result) {
			r.KRD = nil
			for i := range r.Repetitions {
				r.Repetitions[i].KRD = nil
			}
		}), map[string]string{"krd": "no run was traced", "far": "no run was traced",
			"misses": "no run was traced"}},
		{"no misses", each(small(t), func(r *result.Result) {
			r.Summary.LLCMissesPerCore, r.LLCSource = result.Quantity{}, nil
		}), map[string]string{"misses": "not counted"}},
		{"two sources of misses", each(small(t), func(r *result.Result) {
			if perf := hw.SourcePerf; r.Cores == 6 {
				r.LLCSource = &perf
			}
		}), map[string]string{"misses": "never drawn together"}},
		{"no work", each(small(t), func(r *result.Result) {
			r.Summary.OVR, r.Summary.WTI, r.Kernels = result.Quantity{},
				result.Quantity{}, nil
		}), map[string]string{"ovr": "no kernel work", "speedup-ovr": "no kernel work",
			"wti": "no kernel work", "factors": "no kernel work",
			"kernel-wti": "no kernel was timed"}},
		{"one node", func() *dataset.Group {
			g := small(t)
			g.Cells = slices.DeleteFunc(g.Cells,
				func(c *dataset.Cell) bool { return c.Result.Cores > 6 })
			return g
		}(), map[string]string{"steals": "all on one node"}},
		{"nothing about workers", each(small(t), func(r *result.Result) {
			for i := range r.Repetitions {
				r.Repetitions[i].Workers = nil
			}
		}), map[string]string{"shares": "not split", "steals": "no workers are known"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids, reasons := drawn(c.group)
			for _, id := range all {
				want, left := c.reason[id]
				if got := reasons[id]; left && !strings.Contains(got, want) || !left && got != "" {
					t.Errorf("%s: reason %q, expected one with %q", id, got, want)
				}
				isDrawn := slices.ContainsFunc(ids, func(f string) bool {
					return f == id ||
						id == "krd" && strings.HasPrefix(f, "krd-")
				})
				if isDrawn == left {
					t.Errorf("%s: drawn is %v (%q)", id, isDrawn, ids)
				}
			}
		})
	}
}

// A figure that is drawn is not said to be left out: of a family, the one that is missing is named.
func TestSkippedOfFamily(t *testing.T) {
	ids, reasons := drawn(each(small(t), func(r *result.Result) { r.Machine.LLCBytes = 1 << 40 }))
	if !slices.Contains(ids, "far") || reasons["far"] != "" || reasons["far-12"] == "" {
		t.Errorf("drawn %q, left out %q", ids, reasons)
	}
}

// A scheduler without numbers is named below the figure, and small samples have no intervals, and
// say so.
func TestCaptions(t *testing.T) {
	g := each(small(t), func(r *result.Result) {
		if r.Scheduler == "helpfirst" {
			r.Summary.Speedup = result.Quantity{}
		}
		r.Summary.TimeNS.Low = result.Number{}
		r.Repetitions[2].Flags = []string{"disturbed"}
	})
	list, _ := All(g)
	text := strings.Join(list[0].Caption, " ")
	for _, want := range []string{
		"Not drawn, because it was not measured: helpfirst.",
		"No intervals: fewer than 6 repetitions.", "16 of the 128 repetitions are doubtful",
		"SIMULATED", "each with a seed of its own",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	each(g, func(r *result.Result) { r.Substrate = "native" })
	g.Substrate = "native"
	list, _ = All(g)
	if text := strings.Join(list[0].Caption, " "); strings.Contains(text, "SIMULATED") ||
		!strings.HasPrefix(text, "Measured on made-4s") {
		t.Errorf("caption of a native group: %q", text)
	}
	i := slices.IndexFunc(list, func(f plot.Figure) bool { return f.ID == "misses" })
	if text := strings.Join(list[i].Caption, " "); !strings.Contains(text,
		"not measured: a model") {
		t.Errorf("caption of modelled misses of a native group: %q", text)
	}
}

// A cell that is missing is named below the figures against cores.
func TestMissingPoint(t *testing.T) {
	g := small(t)
	g.Cells = slices.DeleteFunc(g.Cells,
		func(c *dataset.Cell) bool {
			return c.Result.Scheduler == "helpfirst" &&
				c.Result.Cores == 12
		})
	list, _ := All(g)
	for _, f := range list {
		text := strings.Join(f.Caption, " ")
		against := slices.Contains([]string{"speedup", "ovr", "wti", "speedup-ovr", "factors",
			"kernel-wti", "far"}, f.ID)
		if strings.Contains(text,
			"Not measured: helpfirst on 12 cores. Lines are drawn across.") != against {
			t.Errorf("%s: %q", f.ID, text)
		}
	}
}

// The points of figures obey what they are defined by.
func TestIdentities(t *testing.T) {
	list, _ := All(small(t))
	rows := map[string][]plot.Row{}
	for _, f := range list {
		rows[f.ID] = f.Rows()
	}
	for i, r := range rows["speedup"] {
		ovr, product := rows["ovr"][i], rows["speedup-ovr"][i]
		if want := r.Y.Float() * ovr.Y.Float() / r.X; math.Abs(product.Y.Float()-want) > 1e-9 {
			t.Errorf("%s at %s: %v, but speed-up x OVR / N = %v", r.Series, r.At, product.Y.Float(),
				want)
		}
		if !(product.Low.Float() <= product.Y.Float() &&
			product.Y.Float() <= product.High.Float()) {
			t.Errorf("%s at %s: %v is not within %v to %v", r.Series, r.At, product.Y, product.Low,
				product.High)
		}
	}
	sums := map[string]float64{}
	for _, r := range rows["shares"] {
		sums[r.Panel+" "+r.At] += r.Y.Float()
	}
	if len(sums) != 16 {
		t.Errorf("%d bars, expected 16", len(sums))
	}
	for bar, sum := range sums {
		if math.Abs(sum-100) > 1e-9 {
			t.Errorf("%s: shares add up to %v", bar, sum)
		}
	}
	for _, r := range rows["kernel-wti"] {
		if !(r.Low.Float() <= r.Y.Float() && r.Y.Float() <= r.High.Float()) {
			t.Errorf("%s, %s at %s: %v is not within %v to %v", r.Panel, r.Series, r.At, r.Y, r.Low,
				r.High)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, c := range []struct {
		figure, id string
		is         bool
	}{
		{"speedup", "speedup", true}, {"speedup-ovr", "speedup", false}, {"krd-bins-24", "krd",
			true}, {"krd-bins-24", "krd-bins", true},
		{"krd-bins-24", "krd-bins-2", false}, {"far-12", "far", true}, {"far-12", "far-6", false},
		{"far-12", "far-12", true}, {"kernel-wti", "kernel",
			false},
	} {
		if Means(c.figure)(c.id) != c.is {
			t.Errorf("%s is %s: %v", c.figure, c.id, !c.is)
		}
	}
}

func TestGroupNames(t *testing.T) {
	key := func(params, machine, settings string) dataset.Group {
		return dataset.Group{Key: dataset.Key{Kernel: "matmul", Params: params,
			Substrate: "simulated", Machine: machine, Settings: settings}}
	}
	for _, c := range []struct {
		groups []dataset.Group
		want   []string
	}{
		{[]dataset.Group{key("n=1", "a", "")}, []string{""}},
		{[]dataset.Group{key("n=1 leaf=2", "a", ""), key("n=3 leaf=2", "a", "")},
			[]string{"matmul-n1", "matmul-n3"}},
		{[]dataset.Group{key("n=1", "a", ""), key("n=1", "../b c", "task grain")},
			[]string{"matmul-a", "matmul-_b_c-task_grain"}},
		{[]dataset.Group{key("n=1 m=2", "a", ""), key("n=1 m=2 m=2", "a", "")},
			[]string{"matmul", "matmul-2"}},
	} {
		if got := GroupNames(c.groups); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// The line of least squares of points by hand: y = 1 + 2 x with residuals 1, -2, 1 has r = 4 /
// sqrt(2 x 14).
func TestFit(t *testing.T) {
	l, ok := fit([]float64{0, 1, 2}, []float64{2, 1, 6})
	if !ok || math.Abs(l.a-1) > 1e-12 || math.Abs(l.b-2) > 1e-12 ||
		math.Abs(l.r-4/math.Sqrt(28)) > 1e-12 {
		t.Errorf("%+v, %v", l, ok)
	}
	if r := l.rule(-1, 2, plot.Axis{Max: 4}); r.X1 != -0.5 || r.Y1 != 0 || r.X2 != 1.5 || r.Y2 != 4 {
		t.Errorf("cut to %+v", r)
	}
	for _, xy := range [][2][]float64{{{1, 2}, {1, 2}}, {{1, 1, 1}, {1, 2, 3}},
		{{1, 2, 3}, {5, 5, 5}}} {
		if _, ok := fit(xy[0], xy[1]); ok {
			t.Errorf("a line through %v", xy)
		}
	}
}
