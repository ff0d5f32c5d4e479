package view

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
)

// A looked is the view of a page.
type looked struct {
	From, To, At, End         float64
	Colour, Map, Object, Area string
	Steals                    string
	Bins, Time                []float64
	Node                      int
	Cells                     *struct {
		Object        string
		Rows, Columns [2]int
	}
	Play    string // the text of the button
	Selects []string
	Hash    string
}

func look(p *browser.Tab) (l looked) {
	p.Wait(ready)
	p.Eval(`(() => { const l = krdlab.look, s = l.selection, id = x => document.getElementById(x); return {From: l.from,
		To: l.to, At: l.at, End: krdlab.end, Colour: l.colour, Map: krdlab.mapColour, Object: krdlab.object, Area: krdlab.shown[0].map.area.name,
		Steals: l.steals, Bins: s.bins, Time: s.time, Node: s.node, Cells: s.cells, Play: id("play").textContent,
		Selects: [id("colour").value, id("map").value, id("object").value, id("steals").value],
		Hash: location.hash}; })()`, &l)
	return l
}

// near reports whether a time is the one expected, but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// Playing takes 10 s for what is shown, ends with it, begins anew at its end, and pauses.
func shownPlay(t *testing.T, p *browser.Tab, runs []Run) {
	end := look(p).End
	p.Eval(fmt.Sprintf(`(krdlab.goTo(%g), document.activeElement.blur(), true)`, 0.8*end), nil)
	p.Key(" ", 0)
	var a, b struct{ At, Now float64 }
	p.Wait(fmt.Sprintf(`krdlab.look.at > %g`, 0.81*end))
	const now = `({At: krdlab.look.at, Now: performance.now()})`
	p.Eval(now, &a)
	if l := look(p); l.Play != "Pause" {
		t.Errorf("the button says %s while it plays", l.Play)
	}
	p.Wait(fmt.Sprintf(`krdlab.look.at > %g`, 0.88*end))
	p.Eval(now, &b)
	if rate := (b.At - a.At) / end / (b.Now - a.Now) * 10000; rate < 0.4 || rate > 2.5 {
		t.Errorf("it plays %.2f of the run in 10 s", rate)
	}
	p.Wait(`krdlab.playing === 0`)
	if l := look(p); l.At != end || l.Play != "Play" || strings.Contains(l.Hash, "at=") {
		t.Errorf("played until %g of %g, %s, %s", l.At, end, l.Play, l.Hash)
	}
	var toucher []int
	p.Eval(`[...krdlab.shown[0].state.toucher]`, &toucher)
	s := runs[0].Begin()
	for k := range runs[0].Start {
		s.Execute(k, nil)
	}
	for u := range s.Units {
		if toucher[u] != int(s.Units[u].Toucher) {
			t.Fatalf("at the end unit %d was touched by %d, expected %d", u, toucher[u], s.Units[u].Toucher)
		}
	}
	at := p.Centre("#play")
	p.Press(at, 0)
	p.Release(at, 0)
	p.Wait(`krdlab.look.at > 0 && krdlab.look.at < krdlab.end / 2`)
	p.Press(at, 0)
	p.Release(at, 0)
	l := look(p)
	p.Eval(`new Promise(f => setTimeout(() => f(true), 100))`, nil)
	if m := look(p); l.Play != "Play" || m.At != l.At {
		t.Errorf("%s, paused at %g, then %g", l.Play, l.At, m.At)
	}
	p.Eval(fmt.Sprintf(`(document.activeElement.blur(), krdlab.zoom(%g, %g), krdlab.goTo(%g), true)`, 0.2*end, 0.4*end, 0.39*end), nil)
	to := look(p).To
	p.Key(" ", 0)
	p.Wait(`krdlab.playing === 0`)
	if l := look(p); l.At != to {
		t.Errorf("played until %g, expected the end of what is shown, %g", l.At, to)
	}
}

// The address brings back all that is looked at, and takes nothing that makes no sense.
func shownAddress(t *testing.T, p *browser.Tab, runs []Run) {
	first, written := look(p), ""
	most := uint64(0)
	for _, r := range runs {
		for i, o := range r.Objects {
			wrote := false
			for a, item := range r.Items {
				wrote = wrote || r.Modes[a]&2 != 0 && objectOf(r.Run, r.Units(item)[0]) == i
			}
			if wrote && o.Bytes > most {
				written, most = o.Name, o.Bytes
			}
		}
	}
	if first.Object != written || first.Colour != "class" || first.Map != "node" || first.At != first.End {
		t.Errorf("at first %+v, expected %s", first, written)
	}
	name, shown := runs[0].Objects[2].Name, runs[0].Objects[1].Name
	p.Eval(fmt.Sprintf(`(() => { const set = (id, v) => { const e = document.getElementById(id); e.value = v;
		e.dispatchEvent(new Event("change")); };
		set("colour", "wrote"); set("map", "had"); set("object", %q); set("steals", "few");
		krdlab.zoom(1000, 90000); krdlab.goTo(33333); krdlab.look.selection.time = [2000, 80000];
		krdlab.brush(%q, [8, 3], [0, 2]); krdlab.brushBins(64, 9, 2); return true; })()`, shown, name), nil)
	want := look(p)
	if want.Steals != "few" || want.Colour != "wrote" || want.Map != "had" || want.Object != shown || want.Area != shown || want.From != 1000 ||
		want.To != 90000 || want.At != 33333 || !slices.Equal(want.Bins, []float64{9, 64}) || want.Node != 2 ||
		want.Cells == nil || want.Cells.Object != name || want.Cells.Rows != [2]int{0, 8} || want.Cells.Columns != [2]int{2, 3} ||
		!slices.Equal(want.Time, []float64{2000, 80000}) {
		t.Fatalf("looked at: %+v", want)
	}
	chosen := chosenBy(p)
	var url string
	p.Eval(`location.href`, &url)
	p = show(p.Browser, url, browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	got := look(p)
	if got.Cells == nil || *got.Cells != *want.Cells {
		t.Errorf("cells %+v, expected %+v", got.Cells, *want.Cells)
	}
	got.Cells, want.Cells = nil, nil
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
		t.Errorf("by its address %s, expected %s", a, b)
	}
	if again := chosenBy(p); len(chosen[0]) == 0 || !slices.EqualFunc(again, chosen, slices.Equal) {
		t.Errorf("by its address %d are chosen, expected %d", len(again[0]), len(chosen[0]))
	}
	for _, x := range []struct {
		hash     string
		from, to float64
		at       float64
	}{{"view=9~3&at=1e99&colour=red&map=&object=none&bins=a~b&time=5&cells=A~1~2&steals=no", 0, first.End, first.End},
		{"view=-50~100&at=-5&bins=3&cells=A~1~2~3~x", 0, 100, 0}, {"", 0, first.End, first.End}} {
		p.Eval(fmt.Sprintf(`(location.hash = %q, new Promise(f => setTimeout(() => f(true), 50)))`, x.hash), nil)
		l := look(p)
		if l.From != x.from || l.To != x.to || l.At != x.at || l.Bins != nil || l.Time != nil || l.Cells != nil ||
			l.Colour != "wrote" || l.Map != "had" || l.Object != shown || (l.Steals == "no") != strings.Contains(x.hash, "steals") ||
			l.Selects[3] != l.Steals {
			t.Errorf("%s: %+v", x.hash, l)
		}
	}
	quiet(t, p, "page by its address")
}

// Keys, clicks, drags and fingers look at the time, and choose the bins and cells, that they are for.
func shownKeys(t *testing.T, p *browser.Tab, runs []Run) {
	end := look(p).End
	view := func(what string, from, to float64) {
		t.Helper()
		if l := look(p); !near(l.From, from) || !near(l.To, to) {
			t.Errorf("%s: from %g to %g, expected %g to %g", what, l.From, l.To, from, to)
		}
	}
	zoom := func(from, to float64) {
		p.Eval(fmt.Sprintf(`(document.activeElement.blur(), krdlab.zoom(%g, %g), true)`, from, to), nil)
	}
	zoom(40000, 80000)
	p.Key("ArrowLeft", 0)
	view("left", 35000, 75000)
	p.Key("ArrowRight", 0)
	view("right", 40000, 80000)
	p.Key("-", 0)
	view("-", 30000, 90000)
	p.Key("=", 0)
	view("=", 40000, 80000)
	p.Eval(`(krdlab.goTo(50000), true)`, nil)
	p.Key("[", 0)
	p.Key("[", 0)
	p.Key(".", 0)
	if l := look(p); !near(l.At, 49600) {
		t.Errorf("at %g, expected 49600", l.At)
	}
	zoom(end-100, end+1000)
	view("beyond the end", end-1100, end)
	zoom(500, 501)
	view("too near", 500, 510)
	zoom(-5, 2*end)
	view("all", 0, end)
	p.Key("?", 0)
	p.Key("+", 0)
	view("in the help", 0, end)
	p.Eval(`(document.getElementById("help").close(), document.activeElement.blur(), true)`, nil)
	before := look(p).Object
	p.Key("o", 0)
	if l := look(p); l.Object == before || l.Selects[2] != l.Object {
		t.Errorf("after o it is %s", l.Object)
	}

	// by mouse: drag, and the wheel to the side
	zoom(40000, 80000)
	var g struct{ X, Y, Wide, Width float64 }
	p.Centre("canvas.timeline")
	p.Wait(ready)
	p.Eval(`(() => { const r = krdlab.shown[0].panes.timeline.canvas.getBoundingClientRect(), w = krdlab.width(krdlab.shown[0]);
		return {X: r.x, Y: r.y + 40, Wide: w - 54, Width: w}; })()`, &g)
	at := func(x float64) browser.Point { return browser.Point{X: g.X + x, Y: g.Y} }
	p.Press(at(600), 0)
	p.Move(at(550), 0)
	p.Move(at(500), 0)
	p.Release(at(500), 0)
	view("dragged", 40000+100/g.Wide*40000, 80000+100/g.Wide*40000)
	if l := look(p); !near(l.At, 49600) {
		t.Errorf("dragging goes to %g", l.At)
	}
	zoom(40000, 80000)
	p.Wheel(at(600), 0, 60, browser.Shift)
	p.Wait(`krdlab.look.from > 40000`)
	view("wheel to the side", 40000+60/g.Width*40000, 80000+60/g.Width*40000)
	zoom(40000, 80000)
	p.Wheel(at(350), 0, 100, 0)
	p.Wait(`krdlab.look.from < 40000`)
	share, span := (350-54)/g.Wide, 40000*math.Exp(0.25)
	view("wheel", 40000+share*(40000-span), 40000+share*40000+(1-share)*span)
	// two fingers, and one moves: the time in the middle between them stays
	zoom(40000, 80000)
	p.Touch(browser.TouchStart, at(500))
	p.Touch(browser.TouchStart, at(500), at(600))
	p.Touch(browser.TouchMove, at(500), at(700))
	p.Touch(browser.TouchEnd)
	middle := 40000 + (600-54)/g.Wide*40000
	view("two fingers", middle-(middle-40000)/2, middle+(80000-middle)/2)
	p.Key("0", 0)

	// the histogram by keys and clicks
	p.Centre("canvas.reuse")
	bins := func(what string, node int, want ...int) {
		t.Helper()
		p.Wait(ready)
		var got []int
		p.Eval(`(krdlab.look.selection.bins || []).map(b => krdlab.shown[0].reuse.bins().indexOf(b))`, &got)
		if l := look(p); !slices.Equal(got, want) || len(want) > 0 && l.Node != node {
			t.Errorf("%s: bins %d of node %d, expected %d of %d", what, got, l.Node, want, node)
		}
	}
	p.Eval(`(krdlab.shown[0].panes.reuse.canvas.focus(), true)`, nil)
	p.Key("ArrowRight", 0)
	p.Key("ArrowRight", 0)
	p.Key("ArrowRight", browser.Shift)
	p.Key("ArrowDown", browser.Shift)
	bins("shift and right, down", 0, 1, 2)
	p.Key("ArrowDown", 0)
	p.Key("ArrowLeft", 0)
	bins("down and left", 1, 1, 1)
	p.Key("ArrowUp", 0)
	p.Key("ArrowUp", 0)
	p.Key("ArrowUp", 0)
	bins("up", -1, 1, 1)
	p.Key("Escape", 0)
	var bar browser.Point
	p.Eval(`(() => { const s = krdlab.shown[0], r = s.panes.reuse.canvas.getBoundingClientRect();
		return {X: r.x + 54 + 3.5 * s.reuse.barWidth(krdlab.width(s)), Y: r.y + 58 + 20}; })()`, &bar)
	p.Press(bar, 0)
	p.Release(bar, 0)
	bins("click", 0, 3, 3)
	p.Press(bar, 0)
	p.Release(bar, 0)
	bins("click again", 0)

	// the map
	p.Eval(fmt.Sprintf(`(krdlab.showObject(%q), krdlab.shown[0].panes.map.canvas.focus(), true)`, runs[0].Objects[0].Name), nil)
	p.Centre("canvas.map")
	cells := func(what string, rows, columns [2]int) {
		t.Helper()
		if l := look(p); l.Cells == nil || l.Cells.Rows != rows || l.Cells.Columns != columns ||
			l.Cells.Object != runs[0].Objects[0].Name {
			t.Errorf("%s: cells %+v, expected rows %d, columns %d", what, l.Cells, rows, columns)
		}
	}
	p.Key("ArrowDown", 0)
	cells("the first", [2]int{0, 0}, [2]int{0, 0})
	p.Key("ArrowRight", browser.Shift)
	p.Key("ArrowDown", browser.Shift)
	cells("shift, right, down", [2]int{0, 1}, [2]int{0, 1})
	p.Key("ArrowDown", 0)
	cells("down", [2]int{2, 2}, [2]int{1, 1})
	for range 3 {
		p.Key("ArrowUp", 0)
		p.Key("ArrowLeft", 0)
	}
	cells("held within", [2]int{0, 0}, [2]int{0, 0})
	var cell browser.Point
	var box [4]float64
	p.Eval(`(() => { const r = krdlab.shown[0].panes.map.canvas.getBoundingClientRect(), b = krdlab.shown[0].map.box;
		return [r.x + b.x, r.y + b.y, b.w / 20, b.h / 15]; })()`, &box)
	cell = browser.Point{X: box[0] + 4.5*box[2], Y: box[1] + 6.5*box[3]}
	p.Press(cell, 0)
	p.Release(cell, 0)
	cells("click", [2]int{6, 6}, [2]int{4, 4})
	shownCell(t, p, runs[0].Run, cell, 6*20+4)
	p.Press(cell, 0)
	p.Move(browser.Point{X: cell.X, Y: cell.Y + 2000}, 0)
	p.Release(browser.Point{X: cell.X, Y: cell.Y + 2000}, 0)
	cells("dragged beyond", [2]int{6, 14}, [2]int{4, 4})
	p.Eval(`(document.getElementById("clear").click(), true)`, nil)
	p.Press(cell, 0)
	p.Release(cell, 0)
	p.Press(cell, 0)
	p.Release(cell, 0)
	if l := look(p); l.Cells != nil {
		t.Errorf("click again: cells %+v", l.Cells)
	}
}

// shownCell compares what is said of a unit under the pointer with the trace.
func shownCell(t *testing.T, p *browser.Tab, r *scene.Run, at browser.Point, u int) {
	t.Helper()
	scale := r.Header.Clock.Hz / 1e9
	now := look(p).At
	s := r.Begin()
	for k := range r.Start {
		if float64(r.Start[k]) <= now*scale {
			s.Execute(k, nil)
		}
	}
	x := &s.Units[u]
	if x.Access < 0 || x.Writer < 0 {
		t.Fatalf("nobody touched unit %d", u)
	}
	distance := "then for the first time on that node"
	if x.Bin != scene.ColdBin {
		distance = fmt.Sprintf("then at a distance of ${binText(%d)}", x.Bin)
	}
	had := fmt.Sprintf("used by %d nodes", int(x.Nodes))
	if x.Nodes == 1 {
		had = "used by one node"
	}
	node := func(w int) int { return r.Header.Workers[w].Node }
	var want []string
	p.Eval(fmt.Sprintf("[`%s, ${bytesText(%d)}`, `touched last by worker %d of node %d, at ${timeText(%g, \"ns\")}`, `%s`, "+
		"`written last by worker %d of node %d`, `%s`]", named(r, uint32(u)), r.Bytes[u], x.Toucher, node(int(x.Toucher)),
		float64(r.Start[executionOf(r, x.Access)])/scale, distance, x.Writer, node(int(x.Writer)), had), &want)
	if got := tip(p, at); !slices.Equal(got, want) {
		t.Errorf("unit %d: %q, expected %q", u, got, want)
	}
}

// A panel is saved in a file with its name: SVG that can be read, and PNG of twice the pixels.
func shownSaved(t *testing.T, p *browser.Tab, _ []Run) {
	p.Eval(`(() => { window.saved = []; URL.createObjectURL = b => { saved.push({blob: b}); return "blob:none"; };
		HTMLAnchorElement.prototype.click = function() { saved.at(-1).name = this.download; }; return true; })()`, nil)
	for i, id := range []string{"timeline", "map", "reuse", "tree"} {
		p.Eval(fmt.Sprintf(`(document.querySelectorAll(".run:nth-child(1) button.save")[%d].click(),
			document.querySelectorAll(".run:nth-child(1) button.save")[%d].click(), true)`, 2*i, 2*i+1), nil)
		p.Wait(fmt.Sprintf(`saved.length === %d && saved.every(s => s.name)`, 2*i+2))
		var got struct {
			Names, Types []string
			Same, Parsed bool
			Size, Want   [2]float64
		}
		p.Eval(fmt.Sprintf(`(async () => { const [a, b] = saved.slice(-2), text = await a.blob.text();
			const x = new DOMParser().parseFromString(text, "image/svg+xml"), e = x.documentElement;
			const image = await createImageBitmap(b.blob), w = krdlab.width(krdlab.shown[0]);
			return {Names: [a.name, b.name], Types: [a.blob.type, b.blob.type],
				Same: text === krdlab.svg(krdlab.shown[0], %q), Parsed: e.tagName === "svg" && !x.querySelector("parsererror") &&
				+e.getAttribute("width") === w, Size: [image.width, image.height],
				Want: [2 * w, 2 * e.getAttribute("height")]}; })()`, id), &got)
		if !slices.Equal(got.Names, []string{"ta-sks-" + id + ".svg", "ta-sks-" + id + ".png"}) ||
			!slices.Equal(got.Types, []string{"image/svg+xml", "image/png"}) || !got.Same || !got.Parsed ||
			got.Size != got.Want {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// coarsePage is a page of a run whose marks are of several executions, with too many steals.
func coarsePage(t *testing.T) (*scene.Run, string) {
	r := made(t, shape{seed: 17, workers: 8, nodes: 4, executions: 20000, blocks: 200, hz: 1e9})
	r.Steals = nil
	for i := range 30000 {
		r.Steals = append(r.Steals, scene.Steal{At: int64(i) * r.Ticks / 30000, Thief: uint16(i % 8),
			Victim: uint16(i / 8 % 8)})
	}
	path := filepath.Join(t.TempDir(), "coarse.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := write(f, "coarse", []Run{{Name: "coarse", Run: r, NoTasks: "none"}}, 180<<10); err != nil {
		t.Fatal(err)
	}
	return r, "file://" + path
}

// shownCoarse compares marks of several executions, shares of searches and the steals that are kept
// with the trace.
func shownCoarse(t *testing.T, p *browser.Tab, runs []Run) {
	run := runs[0].Run
	var got struct {
		Group                               int
		Order, Kind, Cls, Wrote, Executions []int
		Start, Dur, Busy, Ticks             []float64
		Idle, Share                         [][]float64
		At, Thief, Victim                   []int
		Text                                string
	}
	p.Eval(`(() => { const r = krdlab.shown[0].run; return {Group: r.meta.group, Order: [...r.order], Kind: [...r.kind],
		Cls: [...r.cls], Wrote: [...r.wrote], Executions: [...r.executions], Start: [...r.start], Dur: [...r.dur],
		Busy: [...r.busy], Ticks: [...r.classTicks], Idle: r.idle.map(l => [...l]), Share: r.idleShare.map(l => [...l]),
		At: [...r.steals.at], Thief: [...r.steals.thief], Victim: [...r.steals.victim],
		Text: document.body.innerText.replaceAll("\u202f", "")}; })()`, &got)
	if got.Group < 2 {
		t.Fatal("each execution has its mark")
	}
	writers, i := run.Writers(), 0
	for _, l := range run.ByWorker() {
		for ; len(l) > 0; i++ {
			m := got.Order[i]
			part := l[:got.Executions[m]]
			l = l[len(part):]
			var busy float64
			kinds, wrote, classes := make([]float64, 3), make([]float64, 5), make([]float64, 6)
			for _, k := range part {
				d := float64(run.End[k] - run.Start[k])
				busy += d
				kinds[run.Kernel[k]] += d
				wrote[writers[k]+1] += d
				classes[run.Farthest(int(k))] += d
			}
			most := func(l []float64) int { return slices.Index(l, slices.Max(l)) }
			last := part[len(part)-1]
			if len(part) > got.Group || len(part) < got.Group && len(l) > 0 || got.Busy[m] != busy ||
				got.Kind[m] != most(kinds) || got.Wrote[m] != most(wrote)-1 || got.Cls[m] != most(classes) ||
				!slices.Equal(got.Ticks[6*m:6*m+6], classes) || got.Start[m] != float64(run.Start[part[0]]) ||
				got.Start[m]+got.Dur[m] != float64(run.End[last]) {
				t.Fatalf("mark %d of %d executions: %g ticks, kind %d, class %d, node %d; expected %g of %g, %g, %g", m,
					len(part), got.Busy[m], got.Kind[m], got.Cls[m], got.Wrote[m], busy, kinds, classes, wrote)
			}
		}
	}
	for w, l := range run.Idle {
		var idle, shares []float64
		for c := range int64(coarseCells) {
			from, to := c*run.Ticks/coarseCells, (c+1)*run.Ticks/coarseCells
			var sum int64
			for _, s := range l {
				sum += max(0, min(s.To, to)-max(s.From, from))
			}
			if sum > 0 {
				idle = append(idle, float64(from), float64(to))
				shares = append(shares, max(1, math.Round(float64(sum)*255/float64(to-from)))/255)
			}
		}
		if len(idle) < 100 || !slices.Equal(got.Idle[w], idle) || !slices.EqualFunc(got.Share[w], shares,
			func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) {
			t.Errorf("worker %d: %d cells with a search, expected %d", w, len(got.Idle[w])/2, len(idle)/2)
		}
	}
	for i, at := range got.At {
		x := run.Steals[i*30000/20000]
		if len(got.At) != 20000 || at != int(x.At) || got.Thief[i] != int(x.Thief) || got.Victim[i] != int(x.Victim) {
			t.Fatalf("steal %d of %d: at %d, %d of %d; expected %+v", i, len(got.At), at, got.Thief[i], got.Victim[i], x)
		}
	}
	for _, want := range []string{"30000 steals", "Of the steals, 20000 are shown.",
		fmt.Sprintf("each mark stands for up to %d executions", got.Group)} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	// what columns show of time that is searched in part
	var sums [2]float64
	p.Eval(fmt.Sprintf(`(() => { %s const s = krdlab.shown[0], p = recorder(554, s.timeline.height);
		s.timeline.draw(p, {...krdlab.look, steals: "no"}, 500 * 8); let busy = 0, idle = 0;
		const kinds = CLASS_COLOURS.length + 1, t = s.timeline.ticks;
		for (let i = 0; i < 8 * 500; i++) {
			idle += t[i * kinds + kinds - 1];
			for (let j = 0; j + 1 < kinds; j++) busy += t[i * kinds + j];
		}
		return [busy, idle]; })()`, recorder), &sums)
	var busy, idle float64
	for k := range run.Start {
		busy += float64(run.End[k]-run.Start[k]) / float64(run.Ticks) * 500
	}
	for _, l := range run.Idle {
		for _, s := range l {
			idle += float64(s.To-s.From) / float64(run.Ticks) * 500
		}
	}
	if math.Abs(sums[0]-busy) > busy/1000 || math.Abs(sums[1]-idle) > idle/100 {
		t.Errorf("columns of %g kernels and %g searches, expected %g and %g", sums[0], sums[1], busy, idle)
	}
}
