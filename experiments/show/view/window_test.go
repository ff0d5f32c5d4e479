package view

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
)

// browserWindow has a page of windows: units are as they were before, the axis has the times of the
// run, and nothing is said of what the page cannot know.
func browserWindow(t *testing.T, b *browser.Browser) {
	s := shape{seed: 31, workers: 6, nodes: 3, executions: 15000, blocks: 300, hz: 1e9, spread: true}
	whole := made(t, s)
	s.window = scene.Span{From: whole.Ticks / 3, To: whole.Ticks / 2}
	few := made(t, s)
	s = shape{seed: 32, workers: 40, nodes: 40, executions: 60000, blocks: 300, hz: 1e9, window: s.window}
	many := made(t, s)
	runs := []Run{{Name: "few", Run: few, NoTasks: "none"}, {Name: "many", Run: many, NoTasks: "none"}}
	p := show(b, page(t, runs), browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	shownState(t, p, runs)
	var got []struct {
		Wrote            []int
		From, To, At     float64
		Text, Note, Fact string
	}
	p.Eval(`(krdlab.goTo(0), krdlab.shown.map(x => ({Wrote: [...x.run.wrote], From: krdlab.look.from, To: krdlab.look.to,
		At: krdlab.look.at, Note: x.element.querySelectorAll(".note")[1].textContent,
		Fact: x.element.querySelector(".facts").textContent,
		Text: [...x.run.start.keys()].flatMap(k => krdlab.describe(x, k)).join("\n")})))`, &got)
	for i, run := range runs {
		g := got[i]
		for k, want := range run.Writers() {
			if g.Wrote[k] != int(want) {
				t.Fatalf("run %d, execution %d: node %d wrote, expected %d", i, k, g.Wrote[k], want)
			}
		}
		if len(run.Before.Wrote) == 0 || g.From != float64(run.Window.From) || g.At != g.From || g.To != float64(run.Window.To) {
			t.Errorf("run %d: from %g to %g, at %g; expected %v", i, g.From, g.To, g.At, run.Window)
		}
		cold, before := 0, 0
		seen, previous := run.From[len(run.Before.Wrote)], run.Previous()
		for a := range uint32(len(run.Items)) { // no execution has more than the 8 accesses that are described
			cold += one(run.Bins[a] == scene.ColdBin)
			before += one(run.Bins[a] != scene.ColdBin && (a < seen || previous[a] < int32(seen)))
		}
		said := [2]int{strings.Count(g.Text, "first access on the node"),
			strings.Count(g.Text, ", used before the window")}
		if want := [2]int{cold, before}; cold == 0 || before == 0 || said != want {
			t.Errorf("run %d: %d accesses are cold and used before the window, expected %d", i, said, want)
		}
		if !strings.HasPrefix(g.Note, "A window of the run, from ") || !strings.HasSuffix(g.Note, "with what was before it.") {
			t.Errorf("run %d: %s", i, g.Note)
		}
		work, all := 0.0, float64((run.Window.To-run.Window.From)*int64(len(run.Header.Workers)))
		for k, start := range run.Start { // none nest
			work += float64(min(run.End[k], run.Window.To) - max(start, run.Window.From))
		}
		if want := fmt.Sprintf("kernels take %.1f %% of it", 100*work/all); !strings.Contains(g.Fact, want) {
			t.Errorf("run %d: %s, expected %s", i, g.Fact, want)
		}
	}
	quiet(t, p, "window")
	path := filepath.Join(t.TempDir(), "marks.html")
	f, err := os.Create(path)
	if err == nil {
		err = write(f, "marks", runs[:1], 40<<10)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	p = show(b, "file://"+path, browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	state := few.Begin()
	for _, at := range []int64{few.Window.To, few.Window.From} { // and back
		var got struct{ Toucher, Writer, Bin, Nodes []int }
		p.Eval(fmt.Sprintf(`(() => { const {run, state: s} = krdlab.shown[0]; s.to(%d); return run.grouped ? {
			Toucher: [...s.toucher], Writer: [...s.writer], Bin: [...s.bin], Nodes: [...s.nodes]} : {}; })()`, at), &got)
		s := state
		if at == few.Window.To {
			s = few.Begin()
			for k := range few.Start {
				s.Execute(k, nil)
			}
		}
		if len(got.Toucher) != len(s.Units) {
			t.Fatalf("%d units, expected %d of a run by marks", len(got.Toucher), len(s.Units))
		}
		for u, x := range s.Units {
			if int(x.Toucher) != got.Toucher[u] || int(x.Writer) != got.Writer[u] || int(x.Bin) != got.Bin[u] ||
				int(x.Nodes) != got.Nodes[u] {
				t.Fatalf("at %d unit %d is of %d, written by %d; expected %+v", at, u, got.Toucher[u], got.Writer[u], x)
			}
		}
	}
	quiet(t, p, "marks of a window")
}

// Where marks are of several executions a window is cut into its own moments and cells, and units begin
// as they were before it, as long as that has room.
func TestWindowMarks(t *testing.T) {
	s := shape{seed: 33, workers: 4, nodes: 2, executions: 40000, blocks: 2000, hz: 1e9}
	s.window = scene.Span{From: 1 << 22, To: 1 << 24}
	r := made(t, s)
	for room, state := range map[int]bool{200 << 10: true, 40 << 10: false, 16 << 10: false} {
		k := &packer{run: r}
		if p := k.pack(room); p.Group == 1 || p.Window.State != state || state && p.size() > room {
			t.Errorf("room %d: %d bytes, %d executions a mark, state %v", room, p.size(), p.Group, p.Window.State)
		}
		busy, marks := int64(0), 0
		for _, m := range k.marks {
			busy, marks = busy+m.busy, marks+m.executions
			if m.start < r.Window.From || m.end > r.Window.To || m.busy < 0 || m.busy > m.end-m.start {
				t.Fatalf("a mark from %d to %d, %d busy, in %v", m.start, m.end, m.busy, r.Window)
			}
		}
		want := int64(0)
		for x, start := range r.Start {
			want += min(r.End[x], r.Window.To) - max(start, r.Window.From)
		}
		if busy != want || marks != len(r.Start) {
			t.Errorf("%d ticks in %d executions, expected %d in %d", busy, marks, want, len(r.Start))
		}
	}
	cells, _ := coarse(r.Idle[0], r.Window, 64)
	if len(cells) == 0 || cells[0].From < r.Window.From || cells[len(cells)-1].To > r.Window.To {
		t.Errorf("cells %v of %v", cells, r.Window)
	}
}
