package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
	"krdlab/hw/hwtest/long"
	"krdlab/loi"
)

// An address of nonsense shows the run: what is out of order is put in order, and what no run has is
// left out. None makes the page take time.
func TestBrowserAddress(t *testing.T) {
	long.Only(t, "one page is opened in a browser")
	p := show(browser.Start(t), page(t, small(t)), browser.View{Width: 800, Height: 700, Scheme: "light"})
	type looked struct {
		View        []float64
		Bins, Cells []int
		Node        int
		Time        []float64
	}
	const end = 969613 // ns; the run is made of fixed numbers
	whole := []float64{0, end}
	for _, c := range []struct {
		hash string
		want looked
	}{
		{"view=5~1&at=NaN", looked{View: whole, Node: -1}},
		{"view=1e300~1e308", looked{View: whole, Node: -1}},
		{"view=900000~1000000", looked{View: []float64{900000, end}, Node: -1}},
		{"view=700~700.0000000001", looked{View: []float64{700, 710}, Node: -1}},
		{"bins=99~-3", looked{View: whole, Bins: []int{0, 64}, Node: -1}},
		{"bins=70~80", looked{View: whole, Node: -1}},
		{"bins=1.5~2~1", looked{View: whole, Node: -1}},
		{"bins=9~4~77", looked{View: whole, Bins: []int{4, 9}, Node: -1}},
		{"bins=4~9~1", looked{View: whole, Bins: []int{4, 9}, Node: 1}},
		{"time=500~5", looked{View: whole, Time: []float64{5, 500}, Node: -1}},
		{"time=1e9~2e9", looked{View: whole, Node: -1}},
		{"cells=A~-5~3~1~2", looked{View: whole, Cells: []int{0, 3, 1, 2}, Node: -1}},
		{"cells=A~0~999999999~0~999999999", looked{View: whole, Cells: []int{0, 16, 0, 17}, Node: -1}},
		{"cells=A~40~50~40~50", looked{View: whole, Node: -1}},
		{"cells=nothing~0~1~0~1", looked{View: whole, Node: -1}},
		{"colour=<b>&map=0&object=7&steals=maybe&cells=~&bins=~&view=~&%zz", looked{View: whole, Node: -1}},
	} {
		start := time.Now()
		p.Eval(fmt.Sprintf(`new Promise(done => { addEventListener("hashchange", () => done(true), {once: true});
			location.hash = %q; })`, c.hash), new(bool))
		p.Wait(ready)
		var got looked
		p.Eval(`(() => { const l = krdlab.look, s = l.selection, c = s.cells; return {View: [l.from, l.to], Bins: s.bins,
			Node: s.node, Time: s.time, Cells: c && [...c.rows, ...c.columns]}; })()`, &got)
		g, _ := json.Marshal(got)
		if w, _ := json.Marshal(c.want); string(g) != string(w) {
			t.Errorf("%s: %s, expected %s", c.hash, g, w)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s takes %v", c.hash, d)
		}
		quiet(t, p, c.hash)
	}
}

// Playing leaves the address alone but for a few times a second, and ends with what is shown.
func TestBrowserPlay(t *testing.T) {
	long.Only(t, "one page is opened in a browser")
	p := show(browser.Start(t), page(t, small(t)), browser.View{Width: 800, Height: 700, Scheme: "light"})
	p.Eval(`(() => { const f = history.replaceState.bind(history); krdlab.writes = 0;
		history.replaceState = (...a) => { krdlab.writes++; f(...a); }; })()`, nil)
	p.Key(" ", 0)
	p.Wait(`krdlab.look.at > krdlab.end * 0.2 && krdlab.playing !== 0`)
	p.Key(" ", 0)
	p.Wait(ready)
	var got struct{ Writes, At, Address float64 }
	p.Eval(`({Writes: krdlab.writes, At: krdlab.look.at, Address:
		+new URLSearchParams(location.hash.slice(1)).get("at")})`, &got)
	if got.Writes < 2 || got.Writes > 20 {
		t.Errorf("the address is written %g times in two seconds", got.Writes)
	}
	if d := got.Address - got.At; d > 1 || d < -1 {
		t.Errorf("the address has %g ns, shown are %g", got.Address, got.At)
	}
	quiet(t, p, "page")
}

// Other buttons than the left one choose nothing and leave nothing held; what the browser takes away
// from fingers is as it was.
func TestBrowserPointers(t *testing.T) {
	long.Only(t, "one page is opened in a browser")
	p := show(browser.Start(t), page(t, small(t)), browser.View{Width: 800, Height: 700, Scheme: "light"})
	const looked = `JSON.stringify([krdlab.look.from, krdlab.look.to, krdlab.look.at, krdlab.look.selection])`
	var before, after string
	p.Eval(`(() => {
		const s = krdlab.shown[0];
		krdlab.brushBins(8, 9, -1);
		krdlab.zoom(1000, 500000);
		krdlab.send = (type, id, x, y, button, kind) => s.panes[id].canvas.dispatchEvent(new PointerEvent(type, {
			pointerId: 1, button, buttons: type === "pointerup" ? 0 : 1, pointerType: kind, bubbles: true,
			clientX: s.panes[id].canvas.getBoundingClientRect().x + x,
			clientY: s.panes[id].canvas.getBoundingClientRect().y + y}));
		HTMLCanvasElement.prototype.setPointerCapture = () => {};
	})()`, nil)
	p.Eval(looked, &before)
	same := func(what string) {
		t.Helper()
		p.Wait(ready)
		if p.Eval(looked, &after); after != before {
			t.Errorf("%s: %s, expected %s", what, after, before)
		}
	}
	for _, pane := range []string{"timeline", "map", "reuse"} {
		for _, y := range []string{"8", "60"} { // the ruler, and below it
			p.Eval(`(krdlab.send("pointerdown", "`+pane+`", 100, `+y+`, 2, "mouse"),
				krdlab.send("pointermove", "`+pane+`", 200, `+y+` + 9, -1, "mouse"), true)`, new(any))
			same(pane + ", the right button, y " + y)
			for _, kind := range []string{"pointercancel", "lostpointercapture"} {
				p.Eval(`(krdlab.send("pointerdown", "`+pane+`", 100, `+y+`, 0, "touch"),
					krdlab.send("pointermove", "`+pane+`", 130, `+y+` + 9, -1, "touch"), true)`, new(any))
				if p.Eval(looked, &after); after == before {
					t.Errorf("%s, y %s: a finger changes nothing", pane, y)
				}
				p.Eval(`(krdlab.send("`+kind+`", "`+pane+`", 130, `+y+` + 9, 0, "touch"), true)`, new(any))
				same(pane + ", " + kind + ", y " + y)
			}
		}
	}
	quiet(t, p, "page")
}

// raw is the run of a trace that f writes, of so many workers, each on a node of its own.
func raw(t *testing.T, workers int, h loi.Header, f func(w *loi.Writer)) *scene.Run {
	t.Helper()
	h.Substrate, h.Grain, h.Clock.Source = loi.Native, "kernel", "tsc"
	for w := range workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: w, Node: w})
	}
	path := filepath.Join(t.TempDir(), "raw.loi")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	f(w)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	run, err := scene.Read(trace, false)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Columns of a timeline have what the figure of timelines has, where executions nest and where they
// do not; the innermost is under the pointer, and what encloses it beside it.
func TestBrowserNested(t *testing.T) {
	long.Only(t, "one page is opened in a browser")
	h := loi.Header{L2Bytes: 4 << 10, LLCBytes: 16 << 10, Clock: loi.Clock{Hz: 1e9}, Registry: loi.Registry{
		Objects: []loi.Object{{Name: "A", Blocks: []loi.SizeRun{{Count: 100, Bytes: 512}}}},
		Kernels: []loi.Kernel{{Name: "outer"}, {Name: "inner"}}}}
	nested := raw(t, 2, h, func(w *loi.Writer) {
		r := rand.New(rand.NewPCG(1, 1))
		for of := range 2 {
			at := uint64(1000)
			for range 1000 {
				d := uint64(100 + r.IntN(900))
				block := loi.Access{Block: uint64(r.IntN(100)), Mode: loi.In}
				w.Recorder(of).Accesses(0, 0, at, at+d, []loi.Access{block})
				w.Recorder(of).Accesses(1, 0, at+d/4, at+d/2, []loi.Access{{Block: uint64(r.IntN(9)), Mode: loi.Out}})
				at += d + uint64(r.IntN(300))
			}
		}
	})
	runs := []Run{{Name: "nested", Run: nested, NoTasks: "none"}, small(t)[0]}
	p := show(browser.Start(t), page(t, runs), browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	for i, run := range runs {
		var got struct {
			Wide  int
			Cells []scene.Doing
		}
		p.Eval(fmt.Sprintf(`(() => { const s = krdlab.shown[%d], t = s.timeline, look = {...krdlab.look, from: 0,
			to: s.run.meta.ticks / s.run.scale}, c = document.createElement("canvas"), wide = 200;
			t.columns(new CanvasPainter(c, wide + LABELS, t.height, 1), look, markColours(s.run, look), 0, s.run.n, 0,
				s.run.meta.ticks, 50000);
			return {Wide: wide, Cells: [...t.cells.subarray(0, wide * s.run.meta.workers.length)]}; })()`, i), &got)
		strip := run.Strip(got.Wide, run.Ticks)
		other := 0
		for w, row := range strip.Cells {
			for c, what := range row {
				if got.Cells[w*got.Wide+c] != what {
					other++
				}
			}
		}
		if other > len(got.Cells)/200 { // two may have taken as much time
			t.Errorf("%s: %d of %d cells have another colour than in the figure", run.Name, other,
				len(got.Cells))
		}
	}
	var at []int
	p.Eval(`(() => { const r = krdlab.shown[0].run, o = r.order[0];
		return [0.1, 0.3, 0.6, 0.99].map(x => r.kind[r.markAt(0, r.start[o] + x * r.dur[o])]); })()`, &at)
	if !slices.Equal(at, []int{0, 1, 0, 0}) {
		t.Errorf("under the pointer are kernels %d", at)
	}
	quiet(t, p, "page")
}

// Runs that have nothing in common: where one has no unit of time all are in ticks, a kernel has its
// own colour in each, and the same number of nodes, or the same distance, one colour in all.
func TestBrowserOthers(t *testing.T) {
	long.Only(t, "one page is opened in a browser")
	make := func(workers int, hz float64, kernels []loi.Kernel, object string, bytes uint64) *scene.Run {
		h := loi.Header{Clock: loi.Clock{Hz: hz}, Registry: loi.Registry{Kernels: kernels,
			Objects: []loi.Object{{Name: object, Blocks: []loi.SizeRun{{Count: 9, Bytes: bytes}}}}}}
		return raw(t, workers, h, func(w *loi.Writer) {
			for k := range 40 {
				at := uint64(1000 + 100*k)
				w.Recorder(k%workers).Accesses(loi.KernelID(k%2), 0, at, at+uint64(50*(k%3)),
					[]loi.Access{{Block: uint64(k % 9), Mode: loi.InOut}})
			}
		})
	}
	far := strings.Repeat("x", 10000) + "\x01\n</script><!--\u202e\u2028"
	runs := []Run{{Name: far, Run: make(2, 2e9, []loi.Kernel{{Name: "sort"}, {Name: "merge"}}, far, 64),
		NoTasks: far},
		{Name: "b", Run: make(5, 0, []loi.Kernel{{Name: "merge"}, {Name: far}}, "B", 1<<20), NoTasks: "none"}}
	p := show(browser.Start(t), page(t, runs), browser.View{Width: 800, Height: 800, Scheme: "light"})
	var got struct {
		Unit            string
		End             float64
		Facts           []string
		Merge, Had, Far [][]string
		Wide            int
		Zero            int
		Which           string // what is too wide
	}
	p.Eval(`(() => {
		const x = {Unit: krdlab.look.unit, End: krdlab.end, Facts: krdlab.shown.map(s => s.element.querySelector(".facts").textContent),
			Merge: krdlab.shown.map(s => krdlab.markLegend(s.run).filter(l => l[1] === "merge").map(l => l[0])),
			Had: krdlab.shown.map(s => s.map.colours(krdlab.look, "had").colours.slice(0, 2)),
			Far: krdlab.shown.map(s => s.map.colours(krdlab.look, "distance").colours)};
		krdlab.frame();
		x.Wide = document.documentElement.scrollWidth;
		x.Which = [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 800).map(e => e.tagName + "." + e.id + "." + e.className).join(" ");
		const r = krdlab.shown[0].run, k = [...r.dur.keys()].find(k => r.dur[k] === 0);
		x.Zero = r.markAt(r.worker[k], r.start[k] + 3, 4) === k ? 1 : 0;
		return x; })()`, &got)
	ticks := float64(max(runs[0].Ticks, runs[1].Ticks))
	if got.Unit != "ticks" || got.End != ticks || !strings.HasPrefix(got.Facts[0],
		"3"+"\u202f"+fmt.Sprint(runs[0].Ticks-3000)+" ticks") {
		t.Errorf("%g %s, %.60q; expected %g ticks", got.End, got.Unit, got.Facts, ticks)
	}
	if len(got.Merge[0]) != 1 || !slices.Equal(got.Merge[0], got.Merge[1]) {
		t.Errorf("one kernel has the colours %v", got.Merge)
	}
	if !slices.Equal(got.Had[0], got.Had[1]) || !slices.Equal(got.Far[0], got.Far[1]) {
		t.Errorf("colours of the maps differ: %v, %v", got.Had, got.Far)
	}
	if got.Wide > 800 {
		t.Errorf("the page is %d pixels wide: %.300s", got.Wide, got.Which)
	}
	if got.Zero != 1 {
		t.Error("an execution without a length is nowhere under the pointer")
	}
	for _, id := range []string{"timeline", "map", "reuse"} {
		var bad string
		var wide float64
		p.Eval(fmt.Sprintf(`(() => { const d = new DOMParser().parseFromString(krdlab.svg(krdlab.shown[0], %q), "image/svg+xml");
			return d.querySelector("parsererror")?.textContent || ""; })()`, id), &bad)
		if bad != "" {
			t.Errorf("%s: the picture is no XML: %.200s", id, bad)
		}
		p.Eval(fmt.Sprintf(`Math.max(...[...krdlab.svg(krdlab.shown[0], %q).matchAll(/<text[^>]*>([^<]*)</g)].map(m => m[1].length))`,
			id), &wide)
		if wide > 200 {
			t.Errorf("%s: the picture has a line of %g letters", id, wide)
		}
	}
	quiet(t, p, "page")
}
