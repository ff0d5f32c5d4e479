package figures

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// A made execution is one of a trace in the making: its worker, from when to when in µs, and the
// blocks that it reads.
type made struct {
	worker, from, to int
	blocks           []uint64
	told             loi.EventKind // instead of an execution, at from
	task             bool          // instead, two executions that access nothing in a task
}

// tracedSubject is one whose schedulers have traces at two core counts: the given ones at 24. Its
// workers 0 and 2 are on node 0, 1 is on node 1. Blocks 0 to 9 have 64 bytes, block 10 has 2048; the
// L2 has 256, the LLC 1024.
func tracedSubject(t *testing.T, list map[string][]made) *subject {
	t.Helper()
	e := datasettest.Small()
	dir := t.TempDir()
	for i := range e.Cells {
		c := &e.Cells[i]
		run, ok := list[c.Result.Scheduler]
		if !ok || c.Result.Cores < 12 {
			continue
		}
		if c.Result.Cores != 24 {
			run = []made{{to: 5}}
		}
		c.Dir, c.Result.Trace = dir, &result.Trace{Path: c.ID + c.Result.Scheduler + ".loi"}
		c.Result.Settings.Trace = request.TraceFull
		write(t, filepath.Join(dir, c.Result.Trace.Path), run)
	}
	groups := e.Groups()
	return newSubject(&groups[0])
}

func write(t *testing.T, path string, run []made) {
	t.Helper()
	w, err := loi.Create(path, loi.Header{Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Substrate: loi.Native, Grain: "kernel", L2Bytes: 256, LLCBytes: 1024,
		Workers: []loi.Worker{{CPU: 0}, {CPU: 1, Node: 1}, {CPU: 2}}, Registry: loi.Registry{
			Objects: []loi.Object{{Name: "x", Blocks: []loi.SizeRun{{Count: 10, Bytes: 64},
				{Count: 1, Bytes: 2048}}}}, Kernels: []loi.Kernel{{Name: "k"}}}},
		loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range run {
		var list []loi.Access
		for _, b := range x.blocks {
			list = append(list, loi.Access{Block: b, Mode: loi.In})
		}
		from, to := 1000*uint64(x.from), 1000*uint64(x.to)
		var tasks loi.TaskList
		switch {
		case x.task:
			tasks.Add(0)
			tasks.Add(0)
			w.Recorder(x.worker).Task(from, to, &tasks)
		case x.told != 0:
			w.Recorder(x.worker).Event(x.told, from)
		default:
			w.Recorder(x.worker).Accesses(0, 0, from, to, list)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// classy is a run that has executions of all classes.
func classy() []made {
	return []made{{from: 0, to: 100, blocks: []uint64{0}}, {from: 100, to: 200, blocks: []uint64{0}},
		{from: 200, to: 300, blocks: []uint64{1, 2, 3, 4, 5, 6, 7, 8}},
		{from: 300, to: 400, blocks: []uint64{8, 0}}, {from: 400, to: 500, blocks: []uint64{10}},
		{from: 500, to: 600, blocks: []uint64{10, 0}}, {from: 600, told: loi.EventIdle},
		{from: 700, told: loi.EventBusy}, {from: 800, to: 900},
		{worker: 1, from: 0, to: 300}, {worker: 2, from: 500, to: 800, blocks: []uint64{9}}}
}

// colourAt returns the contents of a panel of strips in a row, counted from the bottom, at a time
// in µs: the names of the series that have a cell there.
func colourAt(p *plot.Panel, row int, at, longest float64) string {
	column := float64(int(at / longest * (p.X.Max - p.X.Min)))
	var names []string
	for _, s := range p.Series {
		if slices.ContainsFunc(s.Points, func(v plot.Point) bool {
			return v.X == column && v.Y.Float() == float64(row)
		}) {
			names = append(names, s.Name+" "+s.Colour)
		}
	}
	return strings.Join(names, ", ")
}

// Each worker has its row, in that of its node; each time the colour of what the worker did, on an
// axis that is long enough for the longest run.
func TestTimeline(t *testing.T) {
	a, b := datasettest.Schedulers[0], datasettest.Schedulers[1]
	s := tracedSubject(t, map[string][]made{a: classy(), b: {{to: 1800}}})
	f, err := timeline(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 2 || f.Panels[0].Title != a || f.Panels[1].Title != b || f.Columns != 1 {
		t.Fatalf("%d panels in %d columns", len(f.Panels), f.Columns)
	}
	p := &f.Panels[0]
	const close, near, far, cold = "close #efe350", "near #b9a3e3", "far #9157c9", "cold #b01657"
	const none, idle, rest = "no access #c9b99a", "idle #e4e4e4", "scheduling #8c8c8c"
	for _, c := range []struct {
		row  int
		at   float64
		want string
	}{{3, 50, cold}, {3, 150, close}, {3, 250, cold}, {3, 350, near}, {3, 450, cold}, {3, 550, far},
		{3, 650, idle}, {3, 750, rest}, {3, 850, none}, {3, 950, ""}, {2, 250, rest}, {2, 650, cold},
		{2, 850, rest}, {1, 250, ""}, {0, 250, none}, {0, 350, rest}, {0, 1700, ""}} {
		if got := colourAt(p, c.row, c.at, 1800); got != c.want {
			t.Errorf("row %d at %g µs: %q, expected %q", c.row, c.at, got, c.want)
		}
	}
	if p.Note != "close 3.7\u00a0%, near 3.7\u00a0%, far 3.7\u00a0%, cold 22\u00a0%, "+
		"no access 15\u00a0%, idle 3.7\u00a0%, scheduling 48\u00a0%" {
		t.Error(p.Note)
	}
	if y := p.Y; len(y.Ticks) != 2 || y.Ticks[0] != (plot.Tick{Value: 2.5, Label: "node 0"}) ||
		y.Ticks[1] != (plot.Tick{Value: 0, Label: "node 1"}) || y.Max != 3.5 {
		t.Errorf("rows %+v", p.Y)
	}
	x := f.Panels[1].X
	if last := x.Ticks[len(x.Ticks)-1]; x.Label != "time [ms]" || x.Min != -0.5 ||
		last.Label != "1.5" || int(last.Value+0.5) != int(1.5/1.8*(x.Max+0.5)) {
		t.Errorf("time %+v", x)
	}
	if got := colourAt(&f.Panels[1], 3, 1700, 1800); got != none {
		t.Errorf("the end of the longest: %q", got)
	}
	text := strings.Join(f.Caption, "\n")
	for _, want := range []string{"close, within the L2; near, within the LLC; far, beyond the LLC; cold, " +
		"the first on its node", "on 24\u00a0cores", "search for work (" + b + ")",
		notDrawn(datasettest.Schedulers[2:])} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "whole tasks") {
		t.Error(text)
	}
}

// A trace of tasks: the caption describes its times.
func TestTimelineOfTasks(t *testing.T) {
	a := datasettest.Schedulers[0]
	f, err := timeline(tracedSubject(t, map[string][]made{a: {{to: 5, task: true}}}))
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(f.Caption, "\n"); !strings.Contains(text, "whole tasks (all)") ||
		!strings.Contains(text, "(all): scheduling") {
		t.Error(text)
	}
}

// Without traces there is no timeline, and no arcs.
func TestNoTraces(t *testing.T) {
	none := small(t)
	if _, err := timeline(newSubject(none)); err == nil || !strings.Contains(err.Error(), "has its trace") {
		t.Error(err)
	}
	if _, err := arcs(newSubject(none)); err == nil || !strings.Contains(err.Error(), "has its trace") {
		t.Error(err)
	}
}

// Panels of many schedulers on many nodes name some of the nodes, in a figure no more than can be
// read; few panels name all.
func TestNodeNames(t *testing.T) {
	for _, c := range []struct{ panels, nodes, want int }{{1, 32, 32}, {3, 4, 4}, {20, 32, 8}, {22, 8, 8},
		{300, 32, 1}} {
		h := loi.Header{Nodes: c.nodes}
		for w := range 8 * c.nodes {
			h.Workers = append(h.Workers, loi.Worker{Node: w / 8})
		}
		x := schedule{header: h, arcs: &scene.Arcs{}, strip: &scene.Strip{Cells: make([][]scene.Doing,
			len(h.Workers))}}
		s := &schedules{list: slices.Repeat([]schedule{x}, c.panels), columns: 1}
		for what, p := range map[string]plot.Panel{timelineID: s.strips(&x),
			arcsID: s.panel(&x, 1, 1, new([scene.Classes]bool))} {
			if n := len(p.Y.Ticks); n != c.want || p.Y.Ticks[0].Label != "node 0" {
				t.Errorf("%s: %d of %d nodes are named in each of %d panels, expected %d", what, n, c.nodes,
					c.panels, c.want)
			}
		}
	}
}
