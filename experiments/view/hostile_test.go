package view

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"krdlab/experiments/browser"
)

// An address of nonsense shows the run: what is out of order is put in order, and what no run has is
// left out. None makes the page take time.
func TestBrowserAddress(t *testing.T) {
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
		{"view=900000~1000000", looked{View: []float64{end - 1e5, end}, Node: -1}},
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
