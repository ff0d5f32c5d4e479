package figures

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd/plot"
	"krdlab/runtimes"
)

func svg(t *testing.T, f *plot.Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Schedulers that draw nothing at random are named in captions, and are not counted as samples that
// are too small.
func TestDeterministicCaptions(t *testing.T) {
	g := each(small(t), func(r *result.Result) {
		if r.Cores == 1 || r.Scheduler == "helpfirst" {
			r.Deterministic, r.Repetitions = true, r.Repetitions[:1]
			r.Summary.TimeNS.Low = result.Number{}
		}
	})
	list, _ := All(g)
	speedup := strings.Join(list[0].Caption, " ")
	for _, want := range []string{"medians of n\u00a0=\u00a08\u00a0repetitions", "intervals of",
		"Deterministic, one value and no interval: workfirst, shepherd-core and shepherd-socket " +
			"on 1\u00a0core; helpfirst."} {
		if !strings.Contains(speedup, want) {
			t.Errorf("no %q in %q", want, speedup)
		}
	}
	if strings.Contains(speedup, "fewer than 6") {
		t.Errorf("one value is called too small a sample: %q", speedup)
	}
	for _, f := range list {
		if text := strings.Join(f.Caption, " "); f.ID == "krd-bins-1" &&
			!strings.Contains(text, "Points: one value each. Deterministic, no interval") {
			t.Errorf("%s: %q", f.ID, text)
		}
	}
}

// Labels of points that lie together are written once, and not at all where there is one core
// count.
func TestLabelsOfMisses(t *testing.T) {
	list, _ := All(small(t))
	i := slices.IndexFunc(list, func(f plot.Figure) bool { return f.ID == "misses" })
	drawn := svg(t, &list[i])
	for _, cores := range []string{"12", "24"} { // points of a core count lie together
		if n := strings.Count(drawn, ">"+cores+"<"); n != len(list[i].Panels) {
			t.Errorf("%s stands there %d times, expected once in each panel", cores, n)
		}
	}

	g := small(t)
	g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool { return c.Result.Cores != 24 })
	list, _ = All(g)
	for _, f := range list {
		if f.ID != "misses" {
			continue
		}
		for _, s := range f.Panels[0].Series {
			if s.Points[0].Label != "" {
				t.Errorf("%s is labelled %q", s.Name, s.Points[0].Label)
			}
		}
		if text := f.Caption[1]; !strings.Contains(text, "one scheduler on 24\u00a0cores") {
			t.Errorf("caption %q", text)
		}
	}
}

// The source of the misses stands at the axis and in the caption, and misses that follow from the
// trace have no line.
func TestSourceOfMisses(t *testing.T) {
	for _, replayed := range []bool{false, true} {
		g := each(small(t), func(r *result.Result) {
			r.LLCModel = &result.LLCModel{Replayed: replayed}
		})
		list, _ := All(g)
		i := slices.IndexFunc(list, func(f plot.Figure) bool { return f.ID == "misses" })
		f, caption := list[i], strings.Join(list[i].Caption, " ")
		if label := f.Panels[1].Y.Label; !strings.Contains(label, result.MissesOfBlocks) ||
			!strings.Contains(caption, result.MissesOfBlocks) {
			t.Errorf("axis %q, caption %q", label, caption)
		}
		if line := len(f.Panels[1].Rules) > 0; line == replayed ||
			strings.Contains(caption, "Pearson") == replayed ||
			strings.Contains(caption, "Equal by construction") != replayed {
			t.Errorf("replayed %v: a line %v, caption %q", replayed, line, caption)
		}
	}
}

// A figure of one core count has its label.
func TestOneCoreCount(t *testing.T) {
	g := small(t)
	g.Cells = slices.DeleteFunc(g.Cells, func(c *dataset.Cell) bool { return c.Result.Cores != 24 })
	list, _ := All(g)
	i := slices.IndexFunc(list, func(f plot.Figure) bool { return f.ID == "shares" })
	if n := strings.Count(svg(t, &list[i]), ">24<"); n != len(list[i].Panels) {
		t.Errorf("24 stands at %d of %d axes", n, len(list[i].Panels))
	}
}

// A scheduler's look follows from its place in the table; others have looks of their own.
func TestSchedulerLooks(t *testing.T) {
	var names []string
	for i, s := range runtimes.Schedulers {
		names = append(names, s.Name)
		if look := SchedulerLooks([]string{s.Name})[0]; look != lookOf(i) {
			t.Errorf("%s, in place %d, has look %d", s.Name, i, look)
		}
	}
	for n := range 20 {
		names = append(names, fmt.Sprintf("%s:tries=%d", names[1], n))
	}
	looks := SchedulerLooks(names)
	for i, look := range looks {
		if i < len(runtimes.Schedulers) && look != lookOf(i) {
			t.Errorf("%s has look %d beside others", names[i], look)
		}
		if slices.Contains(looks[:i], look) || look >= plot.Looks {
			t.Errorf("%s has look %d", names[i], look)
		}
	}
}

// Disturbed results have hollow markers, and the captions say so; others have not.
func TestDisturbed(t *testing.T) {
	list, _ := All(small(t))
	for _, f := range list {
		if text := strings.Join(f.Caption, " "); strings.Contains(text, "disturbed") {
			t.Errorf("%s of an undisturbed experiment: %q", f.ID, text)
		}
	}
	const cores = 24
	g := each(small(t), func(r *result.Result) {
		if r.Scheduler == "helpfirst" && r.Cores == cores {
			r.Disturbances = &result.Disturbances{Repetitions: 1}
		}
	})
	list, _ = All(g)
	hollow := 0
	for _, f := range list {
		marked := false
		for _, p := range f.Panels {
			for _, s := range p.Series {
				for _, v := range s.Points {
					marked = marked || v.Disturbed
					if !v.Disturbed {
						continue
					}
					hollow++
					if s.Name != "helpfirst" || p.X.Unit == "cores" && v.X != cores {
						t.Errorf("%s: %s at %s is marked", f.ID, s.Name, v.At)
					}
				}
			}
		}
		text := strings.Join(f.Caption, " ")
		if strings.Contains(text, "Hollow markers") != marked {
			t.Errorf("%s: points marked %v, caption %q", f.ID, marked, text)
		}
		if f.ID == "shares" && !strings.Contains(text, "repetition or more: helpfirst on 24 cores") {
			t.Errorf("%s: %q", f.ID, text)
		}
	}
	if hollow == 0 {
		t.Error("nothing is marked")
	}
}
