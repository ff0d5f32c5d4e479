package view

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/experiments/show/scene"
	"krdlab/experiments/test/browser"
	"krdlab/hw/hwtest/long"
)

const ready = `document.documentElement.dataset.ready === "yes" && !krdlab.pending && (!krdlab.writing || krdlab.playing !== 0)`

func TestMain(m *testing.M) { browser.Main(m) }

// show opens a page and waits until all is drawn.
func show(b *browser.Browser, url string, v browser.View) *browser.Tab {
	p := b.Open(url, v)
	p.Wait(ready)
	return p
}

// quiet checks that nothing was said on the console and nothing asked of the network.
func quiet(t *testing.T, p *browser.Tab, what string) {
	t.Helper()
	if c := p.Console(); len(c) > 0 {
		t.Errorf("%s: console: %v", what, c)
	}
	if r := p.Requests(); len(r) != 1 {
		t.Errorf("%s: requests: %v", what, r)
	}
}

// TestBrowser opens pages of every kind; short, one of them.
func TestBrowser(t *testing.T) {
	for _, x := range []struct {
		name string
		test func(t *testing.T, b *browser.Browser)
	}{{"page", browserPage}, {"choice", browserChoice}, {"time", browserTime}, {"keys", browserKeys},
		{"many", browserMany}, {"frames", browserFrames}, {"few", browserFew}, {"facts", browserFacts},
		{"shown", browserShown}, {"window", browserWindow}} {
		t.Run(x.name, func(t *testing.T) {
			if x.name != "page" {
				long.Only(t, "one page is opened in a browser")
			}
			x.test(t, browser.Start(t))
		})
	}
}

// All panels are drawn in every width and scheme, and nothing is wider than the window; names with
// markup are text.
func browserPage(t *testing.T, b *browser.Browser) {
	url := page(t, small(t))
	views := []browser.View{{Width: 420, Height: 800, Scheme: "dark"},
		{Width: 1400, Height: 900, Scheme: "light"}, {Width: 1400, Height: 900, Scheme: "dark"},
		{Width: 800, Height: 900, Scheme: "light"},
		{Width: 1000, Height: 900, Scheme: "dark", Media: "print"}}
	for _, v := range long.Or(views[:1], views) {
		what := fmt.Sprintf("%+v", v)
		p := show(b, url, v)
		var got struct {
			Colours     []int
			Names       []string
			Images      int
			Wide        int
			Broken      bool
			Background  string
			Heads, Lead string
		}
		p.Eval(`(() => {
			const list = [...document.querySelectorAll("canvas")];
			return {Colours: list.map(c => new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width,
				c.height).data.buffer)).size), Names: list.map(c => c.getAttribute("aria-label")),
				Images: document.images.length, Wide: document.documentElement.scrollWidth,
				Broken: krdlab.broken === 1, Background: krdlab.look.theme.background,
				Heads: [...document.querySelectorAll(".run h2")].map(h => h.textContent).join("|"),
				Lead: document.querySelector("h1").textContent};
		})()`, &got)
		if len(got.Colours) != 6 || slices.Min(got.Colours) < 4 {
			t.Errorf("%s: colours of canvases: %d, expected six with several", what, got.Colours)
		}
		if got.Images != 0 || got.Broken || got.Heads != markup+"|second" || got.Lead != "runs of "+markup {
			t.Errorf("%s: names became a part of the page: %+v", what, got)
		}
		if got.Wide > v.Width {
			t.Errorf("%s: %d pixels wide", what, got.Wide)
		}
		if dark := got.Background != "#ffffff"; dark != (v.Scheme == "dark" && v.Media != "print") {
			t.Errorf("%s: background %s", what, got.Background)
		}
		quiet(t, p, what)
		if len(p.PDF()) < 10000 {
			t.Errorf("%s: nothing is printed", what)
		}
	}
}

// The shares of time that the page prints are those of [scene.Run.Strip], also where executions
// have the stamps of their tasks.
func browserFacts(t *testing.T, b *browser.Browser) {
	runs := append(small(t), Run{Name: "tasks", Run: made(t, shape{seed: 12, workers: 4, nodes: 2,
		executions: 3000, blocks: 100, hz: 1e9, spread: true, tasks: true}), NoTasks: "none"})
	p := show(b, page(t, runs), browser.View{Width: 1000, Height: 800, Scheme: "light"})
	var said []string
	p.Eval(`[...document.querySelectorAll(".facts")].map(e => e.textContent)`, &said)
	parts := regexp.MustCompile(`kernels take ([\d.]+) % of it, (?:idle ([\d.]+) %, scheduling` +
		`|scheduling and idle) ([\d.]+) %`)
	for i, r := range runs {
		sum := r.Strip(1, r.Ticks).Ticks
		work, all := int64(0), r.Ticks*int64(len(r.Header.Workers))
		for _, v := range sum[:scene.Searching] {
			work += v
		}
		want := []int64{work, sum[scene.Searching], sum[scene.Scheduling]}
		found := parts.FindStringSubmatch(said[i])
		if found == nil || (found[2] != "") != r.Searches || work == 0 || r.Name == "tasks" && r.Task == nil {
			t.Fatalf("run %d: %q is said", i, said[i])
		}
		for j, text := range found[1:] {
			got, err := strconv.ParseFloat(text, 64)
			if share := 100 * float64(want[j]) / float64(all); text != "" && (err != nil ||
				math.Abs(got-share) > 0.1) {
				t.Errorf("run %d: %q is said, expected %.2f %% as part %d", i, said[i], share, j)
			}
		}
	}
}

// hit are the executions of a run of whose accesses f holds for one.
func hit(r *scene.Run, f func(k, a int) bool) []int {
	list := []int{}
	for k := range r.Start {
		for a := int(r.From[k]); a < int(r.From[k+1]); a++ {
			if f(k, a) {
				list = append(list, k)
				break
			}
		}
	}
	return list
}

// chosenBy are the executions that the page shows as chosen, of each run.
func chosenBy(p *browser.Tab) (list [][]int) {
	p.Wait(ready)
	p.Eval(`krdlab.shown.map(s => [...s.chosen.marks.keys()].filter(k => s.chosen.marks[k]))`, &list)
	return list
}

// A drag in a histogram, on the ruler and in a map marks in all runs the executions of the trace;
// the address brings it back, and Escape lets it go.
func browserChoice(t *testing.T, b *browser.Browser) {
	runs := small(t)
	p := show(b, page(t, runs), browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	check := func(what string, f func(r *scene.Run, k, a int) bool) {
		t.Helper()
		got := chosenBy(p)
		for i, run := range runs {
			want := hit(run.Run, func(k, a int) bool { return f(run.Run, k, a) })
			if len(want) == 0 || len(want) == len(run.Start) || !slices.Equal(got[i], want) {
				t.Errorf("%s, run %d: %d executions are chosen, expected %d (of %d)", what, i, len(got[i]),
					len(want), len(run.Start))
			}
		}
	}
	// bins 10 to 12 of node 1 of the first run: its third row
	var bar struct{ From, To, Y float64 }
	p.Centre("canvas.reuse")
	p.Eval(`(() => {
		const s = krdlab.shown[0], w = krdlab.width(s), r = s.panes.reuse.canvas.getBoundingClientRect(), l = s.reuse.bins();
		const x = b => r.x + s.reuse.left(w, l.indexOf(b)) + s.reuse.barWidth(w) / 2;
		return {From: x(10), To: x(12), Y: r.y + s.reuse.rows.indexOf(1) * 58 + 30};
	})()`, &bar)
	tops := func() (list []float64) {
		p.Eval(`[...document.querySelectorAll("canvas")].map(c => c.getBoundingClientRect().top + scrollY)`, &list)
		return list
	}
	before := tops()
	p.Press(browser.Point{X: bar.From, Y: bar.Y}, 0)
	p.Move(browser.Point{X: (bar.From + bar.To) / 2, Y: bar.Y}, 0)
	p.Move(browser.Point{X: bar.To, Y: bar.Y}, 0)
	p.Release(browser.Point{X: bar.To, Y: bar.Y}, 0)
	bins := func(r *scene.Run, k, a int) bool {
		return r.Node(k) == 1 && r.Bins[a] >= 10 && r.Bins[a] <= 12
	}
	check("bins", bins)
	if after := tops(); !slices.Equal(after, before) {
		t.Errorf("a choice moves panels from %v to %v", before, after)
	}

	// some cells of the second object too, in the second run
	var cell struct{ X0, Y0, X1, Y1 float64 }
	p.Eval(`(krdlab.showObject(krdlab.objects[1]), true)`, new(any))
	p.Wait(ready)
	p.Centre(".run:nth-child(2) canvas.map")
	p.Eval(`(() => {
		const s = krdlab.shown[1], r = s.panes.map.canvas.getBoundingClientRect(), b = s.map.box, a = s.map.area;
		const x = c => r.x + b.x + (c + 0.5) * b.w / a.columns, y = c => r.y + b.y + (c + 0.5) * b.h / a.rows;
		return {X0: x(2), Y0: y(1), X1: x(9), Y1: y(6)};
	})()`, &cell)
	p.Press(browser.Point{X: cell.X0, Y: cell.Y0}, 0)
	p.Move(browser.Point{X: cell.X1, Y: cell.Y1}, 0)
	p.Release(browser.Point{X: cell.X1, Y: cell.Y1}, 0)
	cells := func(r *scene.Run, k, a int) bool {
		o := &r.Objects[1]
		return slices.ContainsFunc(r.Units(r.Items[a]), func(u scene.Unit) bool {
			if u < o.First || int(u-o.First) >= o.Units {
				return false
			}
			row, column := o.Layout.Cell(int(u-o.First), o.Units)
			return row >= 1 && row <= 6 && column >= 2 && column <= 9
		})
	}
	check("bins and cells", func(r *scene.Run, k, a int) bool { return bins(r, k, a) && cells(r, k, a) })

	// and a time, on the ruler of the first
	p.Eval(`(scrollTo(0, 0), true)`, new(any))
	var ruler struct{ X0, X1, Y, From, To float64 }
	p.Eval(`(() => {
		const s = krdlab.shown[0], r = s.panes.timeline.canvas.getBoundingClientRect(), w = krdlab.width(s);
		return {X0: r.x + 200, X1: r.x + 500, Y: r.y + 10, From: s.timeline.timeAt(krdlab.look, w, 200),
			To: s.timeline.timeAt(krdlab.look, w, 500)};
	})()`, &ruler)
	p.Press(browser.Point{X: ruler.X0, Y: ruler.Y}, 0)
	p.Move(browser.Point{X: ruler.X1, Y: ruler.Y}, 0)
	p.Release(browser.Point{X: ruler.X1, Y: ruler.Y}, 0)
	began := func(r *scene.Run, k int) bool {
		at := float64(r.Start[k]) / (r.Header.Clock.Hz / 1e9)
		return at >= ruler.From && at <= ruler.To
	}
	all := func(r *scene.Run, k, a int) bool { return bins(r, k, a) && cells(r, k, a) && began(r, k) }
	check("bins, cells and time", all)
	var part [][]float64
	p.Eval(`krdlab.shown.map(s => [...s.chosen.part])`, &part)
	for i, run := range runs {
		want := make([]float64, len(part[i]))
		for k := range run.Start {
			for a := run.From[k]; a < run.From[k+1]; a++ {
				if cells(run.Run, k, int(a)) && began(run.Run, k) {
					want[(run.Node(k)*(scene.ColdBin+1)+int(run.Bins[a]))*int(scene.Classes)+int(run.Classes[a])]++
				}
			}
		}
		if !slices.Equal(part[i], want) {
			t.Errorf("run %d: the histogram of what is chosen is another one", i)
		}
	}

	var said []string
	p.Eval(`[...document.querySelectorAll(".said")].map(e => e.textContent)`, &said)
	for i, run := range runs { // the cells are those of one object
		executions, accesses := 0, 0
		for k := range run.Start {
			before := accesses
			for a := int(run.From[k]); a < int(run.From[k+1]); a++ {
				if all(run.Run, k, a) {
					accesses++
				}
			}
			if accesses > before {
				executions++
			}
		}
		if want := fmt.Sprintf("(%d), %d accesses: %s 100 %%.", executions, accesses,
			markup[:29]+"…"); !strings.HasSuffix(said[i], want) {
			t.Errorf("run %d: %q is said, expected %q", i, said[i], want)
		}
	}

	var hash string
	p.Eval(`location.href`, &hash)
	q := show(b, hash, browser.View{Width: 1400, Height: 1000, Scheme: "light"})
	if got, want := chosenBy(q), chosenBy(p); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("by its address: %d and %d executions are chosen, expected %d and %d", len(got[0]),
			len(got[1]), len(want[0]), len(want[1]))
	}
	q.Key("Escape", 0)
	if got := chosenBy(q); len(got[0])+len(got[1]) != 0 {
		t.Errorf("after Escape %d and %d are chosen", len(got[0]), len(got[1]))
	}
	quiet(t, p, "page")
	quiet(t, q, "page by its address")
}

// At three times, forwards and back, the map has the owners of the trace; the data between two uses
// have the distance that was counted.
func browserTime(t *testing.T, b *browser.Browser) {
	runs := small(t)
	p := show(b, page(t, runs), browser.View{Width: 1000, Height: 800, Scheme: "light"})
	for _, share := range []float64{0.9, 0.3, 0.6, 1} {
		p.Eval(fmt.Sprintf(`(() => { const at = document.getElementById("at"); at.value = %g;
			at.dispatchEvent(new Event("input")); return true; })()`, share), new(any))
		p.Wait(ready)
		var got []struct {
			At                          float64
			Toucher, Writer, Bin, Nodes []int
		}
		p.Eval(`krdlab.shown.map(s => ({At: krdlab.look.at, Toucher: [...s.state.toucher], Writer: [...s.state.writer],
			Bin: [...s.state.bin], Nodes: [...s.state.bin.keys()].map(u => s.state.nodesOf(u))}))`, &got)
		for i, run := range runs {
			s := run.Begin()
			for k := range run.Start {
				if float64(run.Start[k]) <= got[i].At*(run.Header.Clock.Hz/1e9) {
					s.Execute(k, nil)
				}
			}
			for u := range s.Units {
				x := &s.Units[u]
				if int(x.Toucher) != got[i].Toucher[u] || int(x.Writer) != got[i].Writer[u] ||
					int(x.Bin) != got[i].Bin[u] || int(x.Nodes) != got[i].Nodes[u] {
					t.Fatalf("run %d, at %g, unit %d: touched by %d, written by %d, bin %d, %d nodes; expected %+v",
						i, got[i].At, u, got[i].Toucher[u], got[i].Writer[u], got[i].Bin[u], got[i].Nodes[u], x)
				}
			}
		}
	}
	var distances [][]float64
	p.Eval(`krdlab.shown.map(s => { const list = []; for (let k = 0; k < s.run.n; k++) {
		for (let a = s.run.from[k]; a < s.run.from[k + 1]; a++) { const b = s.run.before(k, a); list.push(b ? b.distance : -1); } }
		return list; })`, &distances)
	for i, run := range runs {
		if len(distances[i]) != len(run.Items) {
			t.Fatalf("run %d: %d accesses, expected %d", i, len(distances[i]), len(run.Items))
		}
		for a, d := range distances[i] {
			bin := scene.ColdBin
			if d >= 0 {
				bin = bits.Len64(uint64(d))
			}
			if bin != int(run.Bins[a]) {
				t.Fatalf("run %d, access %d: distance %g, which is not of bin %d", i, a, d, run.Bins[a])
			}
		}
	}
	var wrote [][]int16
	p.Eval(`krdlab.shown.map(s => [...s.run.wrote])`, &wrote)
	for i, run := range runs {
		if want := run.Writers(); !slices.Equal(wrote[i], want) {
			t.Errorf("run %d: other nodes wrote", i)
		}
	}
}

// Wheel, keys and fingers look nearer and elsewhere; pictures are saved as they are seen.
func browserKeys(t *testing.T, b *browser.Browser) {
	p := show(b, page(t, small(t)), browser.View{Width: 1400, Height: 1000, Scheme: "dark"})
	look := func() (from, to, at float64) {
		var l struct{ From, To, At float64 }
		p.Wait(ready)
		p.Eval(`({From: krdlab.look.from, To: krdlab.look.to, At: krdlab.look.at})`, &l)
		return l.From, l.To, l.At
	}
	_, end, _ := look()
	at := p.Centre("canvas.timeline")
	p.Wheel(at, 0, -400, 0)
	p.Wait(`krdlab.look.to - krdlab.look.from < ` + fmt.Sprint(end*0.7))
	from, to, _ := look()
	p.Key("ArrowRight", 0)
	if f, u, _ := look(); f <= from || u-f-(to-from) > 1 || from+to-u-f > 0 {
		t.Errorf("from %g to %g, and by the right key from %g to %g", from, to, f, u)
	}
	p.Key("+", 0)
	if f, u, _ := look(); u-f >= (to-from)*0.9 {
		t.Errorf("+ shows %g, of %g", u-f, to-from)
	}
	p.Press(at, 0)
	p.Release(at, 0)
	f, u, now := look()
	if now <= f || now >= u {
		t.Errorf("a click goes to %g, expected within %g and %g", now, f, u)
	}
	p.Key("]", 0)
	if _, _, next := look(); next <= now {
		t.Errorf("] goes to %g from %g", next, now)
	}
	p.Key("0", 0)
	if f, u, _ := look(); f != 0 || u != end {
		t.Errorf("0 shows %g to %g of %g", f, u, end)
	}
	p.Key("c", 0)
	p.Key("m", 0)
	var colours []string
	p.Eval(`[krdlab.look.colour, krdlab.mapColour]`, &colours)
	if !slices.Equal(colours, []string{"kind", "worker"}) {
		t.Errorf("colours %v", colours)
	}
	// two fingers that go apart
	left, right := browser.Point{X: at.X - 40, Y: at.Y}, browser.Point{X: at.X + 40, Y: at.Y}
	p.Touch(browser.TouchStart, left)
	p.Touch(browser.TouchStart, left, right)
	left.X -= 60
	right.X += 60
	p.Touch(browser.TouchMove, left, right)
	p.Touch(browser.TouchEnd)
	if f, u, _ := look(); u-f >= end*0.7 {
		t.Errorf("two fingers show %g of %g", u-f, end)
	}
	// the bins with the keys
	p.Key("0", 0)
	p.Eval(`(krdlab.shown[1].panes.reuse.canvas.focus(), true)`, new(any))
	p.Key("ArrowRight", 0)
	p.Key("ArrowRight", browser.Shift)
	var bins []int
	p.Eval(`krdlab.look.selection.bins.map(b => krdlab.shown[1].reuse.bins().indexOf(b))`, &bins)
	if !slices.Equal(bins, []int{0, 1}) {
		t.Errorf("bins %d, expected the first two", bins)
	}
	for _, id := range []string{"timeline", "map", "reuse"} {
		var text string
		p.Eval(fmt.Sprintf(`krdlab.svg(krdlab.shown[0], %q)`, id), &text)
		if !strings.HasPrefix(text, "<svg xmlns=") || strings.Count(text, "<rect") < 20 ||
			strings.Contains(text, "<img") || !strings.Contains(text, "&lt;img") {
			t.Errorf("%s as SVG: %d rectangles in %.200s", id, strings.Count(text, "<rect"), text)
		}
		var kinds int
		p.Eval(fmt.Sprintf(`(() => { const c = krdlab.png(krdlab.shown[0], %q);
			return new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size; })()`,
			id), &kinds)
		if kinds < 5 {
			t.Errorf("%s as PNG: %d colours", id, kinds)
		}
		var theme string
		p.Eval(`krdlab.look.theme.background`, &theme)
		if theme == "#ffffff" {
			t.Error("the page is light after saving")
		}
	}
	quiet(t, p, "page")
}

// A run of too many executions is shown by marks of several: the page notes it, counts the same
// accesses, marks executions with one of a distance, and has the owners of its moments.
func browserMany(t *testing.T, b *browser.Browser) {
	const room = 400 << 10
	run := made(t, shape{seed: 7, workers: 8, nodes: 4, executions: 60000, blocks: 500, hz: 1e9})
	if p := (&packer{name: "many", run: run}).pack(64 << 20); p.Group != 1 || p.Marks != 60000 {
		t.Fatalf("where there is room, %d marks of %d executions", p.Marks, p.Group)
	}
	var out strings.Builder
	if err := write(&out, "many", []Run{{Name: "many", Run: run, NoTasks: "none"}}, room); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "many.html")
	if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p := show(b, "file://"+path, browser.View{Width: 900, Height: 800, Scheme: "light"})
	var got struct {
		Group, Marks int
		All          []float64
		Busy         float64
		Executions   int
		Moments      []float64
		Text         string
	}
	p.Eval(`(() => { const s = krdlab.shown[0], r = s.run; return {Group: r.meta.group, Marks: r.n, All: [...s.chosen.all],
		Busy: r.busy.reduce((a, b) => a + b, 0), Executions: r.executions.reduce((a, b) => a + b, 0),
		Moments: r.moments.map(m => m.until), Text: document.body.innerText}; })()`, &got)
	if got.Group < 4 || got.Marks > 60000/got.Group+8 {
		t.Errorf("%d marks of %d executions", got.Marks, got.Group)
	}
	if want := fmt.Sprintf("each mark stands for up to %d executions", got.Group); !strings.Contains(got.Text, want) {
		t.Errorf("the page does not say that %s", want)
	}
	all, busy := make([]float64, len(got.All)), 0.0
	for k := range run.Start {
		busy += float64(run.End[k] - run.Start[k])
		for a := run.From[k]; a < run.From[k+1]; a++ {
			all[(run.Node(k)*(scene.ColdBin+1)+int(run.Bins[a]))*int(scene.Classes)+int(run.Classes[a])]++
		}
	}
	if !slices.Equal(got.All, all) || got.Busy != busy || got.Executions != 60000 {
		t.Errorf("accesses are counted otherwise; %g ticks of %d executions, expected %g", got.Busy,
			got.Executions, busy)
	}
	// marks of the accesses in the bins 12 to 14: those of executions that have one
	p.Eval(`(krdlab.brushBins(12, 14, -1), true)`, new(any))
	var ends []struct{ Worker, Mark, Executions int }
	p.Eval(`(() => { const r = krdlab.shown[0].run, c = krdlab.shown[0].chosen, l = [];
		for (let i = 0; i < r.n; i++) l.push({Worker: r.worker[r.order[i]], Mark: c.marks[r.order[i]], Executions: r.executions[r.order[i]]});
		return l; })()`, &ends)
	chosen := map[int]bool{}
	for _, k := range hit(run, func(_, a int) bool { return run.Bins[a] >= 12 && run.Bins[a] <= 14 }) {
		chosen[k] = true
	}
	list := run.ByWorker()
	for i, m := range ends {
		want := 0
		for _, k := range list[m.Worker][:m.Executions] {
			if chosen[int(k)] {
				want = 1
			}
		}
		list[m.Worker] = list[m.Worker][m.Executions:]
		if m.Mark != want {
			t.Fatalf("mark %d of worker %d: chosen %d, expected %d", i, m.Worker, m.Mark, want)
		}
	}
	for _, m := range []int{3, len(got.Moments) / 2, 1, len(got.Moments) - 1} {
		var at struct{ Toucher, Writer, Bin, Nodes []int }
		p.Eval(fmt.Sprintf(`(() => { krdlab.goTo(%f); const s = krdlab.shown[0].state; s.to(krdlab.look.at); return {
			Toucher: [...s.toucher], Writer: [...s.writer], Bin: [...s.bin], Nodes: [...s.nodes]}; })()`,
			got.Moments[m]), &at)
		s := run.Begin()
		for k := range run.Start {
			if float64(run.Start[k]) <= got.Moments[m] {
				s.Execute(k, nil)
			}
		}
		for u := range s.Units {
			x := &s.Units[u]
			if int(x.Toucher) != at.Toucher[u] || int(x.Writer) != at.Writer[u] || int(x.Bin) != at.Bin[u] ||
				int(x.Nodes) != at.Nodes[u] {
				t.Fatalf("moment %d, unit %d: touched by %d, written by %d, bin %d, %d nodes; expected %+v", m, u,
					at.Toucher[u], at.Writer[u], at.Bin[u], at.Nodes[u], x)
			}
		}
	}
	quiet(t, p, "page")
}

// frames draws timelines twenty times: seven times the whole run, then ever less, to a hundredth.
const frames = `(() => {
	const out = {MS: [], Marks: []}, {from, to} = krdlab.look;
	const seen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	for (let i = 0; i < 20; i++) {
		const mid = krdlab.end * 0.4, half = krdlab.end / 2 / 100 ** (Math.max(0, i - 6) / 13);
		krdlab.look.from = i < 7 ? 0 : Math.max(0, mid - half);
		krdlab.look.to = i < 7 ? krdlab.end : mid + half;
		const t = performance.now();
		for (const s of krdlab.shown) s.panes.timeline.dirty = true;
		krdlab.frame();
		for (const s of krdlab.shown) seen.drawImage(s.panes.timeline.canvas, 0, 0, 1, 1);
		seen.getImageData(0, 0, 1, 1); // what was drawn is waited for
		out.MS.push(performance.now() - t);
		out.Marks.push(krdlab.shown.reduce((a, s) => a + s.timeline.marks, 0));
	}
	Object.assign(krdlab.look, {from, to});
	krdlab.redraw();
	return out;
})()`

// A frame has at most 50000 marks, of one run or several, near or far; how long they take is printed.
func browserFrames(t *testing.T, b *browser.Browser) {
	run := Run{Name: "many", Run: made(t, shape{seed: 3, workers: 24, nodes: 4, executions: 1_000_000,
		blocks: 4096, hz: 1e9})}
	wide := Run{Name: "wide", Run: made(t, shape{seed: 4, workers: 256, nodes: 8, executions: 60_000,
		blocks: 1000, hz: 1e9})}
	for _, runs := range [][]Run{{run}, {run, wide}, {wide}} {
		url := page(t, runs)
		info, err := os.Stat(strings.TrimPrefix(url, "file://"))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 20<<20 {
			t.Errorf("%d bytes", info.Size())
		}
		p := show(b, url, browser.View{Width: 1400, Height: 1000, Scheme: "light"})
		for _, colour := range []string{"class", "kind"} {
			p.Eval(fmt.Sprintf(`krdlab.look.colour = %q`, colour), new(any))
			var got struct{ MS, Marks []float64 }
			p.Eval(frames, &got)
			if most := slices.Max(got.Marks); most > 50000 || most < 1000 {
				t.Errorf("%d runs: %g marks in a frame", len(runs), most)
			}
			whole := slices.Sorted(slices.Values(got.MS[:7]))
			near := slices.Sorted(slices.Values(got.MS[7:]))
			t.Logf("%d executions, %s: %.1f MB; a frame takes %.1f ms from afar, %.1f ms near (medians); at most "+
				"%.0f marks", len(runs[0].Start), colour, float64(info.Size())/1e6, whole[3], near[6],
				slices.Max(got.Marks))
		}
		quiet(t, p, "page")
	}
}

// One execution, none, and a trace with losses are shown, and said.
func browserFew(t *testing.T, b *browser.Browser) {
	one := Run{Name: "one", Run: made(t, shape{seed: 1, workers: 1, nodes: 1, executions: 1, blocks: 1, hz: 1e9,
		plain: true}), NoTasks: "none"}
	none := Run{Name: "none", Run: made(t, shape{seed: 1, workers: 2, nodes: 1, blocks: 1}), NoTasks: "none"}
	lossy := Run{Name: "lossy", Run: made(t, shape{seed: 1, workers: 4, nodes: 2, executions: 4000,
		blocks: 50, hz: 1e9, bytes: 1 << 17}), NoTasks: "none"}
	if lossy.Loss == nil || one.Loss != nil {
		t.Fatal("the trace has no losses")
	}
	for _, runs := range [][]Run{{one}, {none}, {lossy}, {one, none, lossy}} {
		p := show(b, page(t, runs), browser.View{Width: 900, Height: 700, Scheme: "light"})
		var text string
		p.Eval(`document.body.innerText`, &text)
		for _, r := range runs {
			if said := strings.Contains(text, "Records are missing"); said != (len(runs) == 3 || r.Name == "lossy") {
				t.Errorf("%s: loss is said: %v", r.Name, said)
			}
		}
		p.Key("+", 0)
		p.Key(" ", 0)
		p.Wait(ready)
		quiet(t, p, runs[0].Name)
	}

}
