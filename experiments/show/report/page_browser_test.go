package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/browser"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

var (
	shots = flag.String("shots", "", "keep screenshots of the page in this folder, for a person "+
		"to look at")
	shown = flag.String("exp", "", "look at this experiment instead of the made one, with -shots")
)

func TestMain(m *testing.M) { browser.Main(m) }

// pageOf writes the page of an experiment on disk into its folder, and returns its address.
func pageOf(t *testing.T, dir string) string {
	t.Helper()
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, e, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return "file://" + at
}

// example is the made experiment with medians of its misses.
func example() *dataset.Experiment {
	e := datasettest.Small()
	for _, c := range e.Cells {
		var misses []float64
		for _, p := range c.Result.Repetitions {
			misses = append(misses, p.LLCMissesPerCore.Float())
		}
		c.Result.Summary.LLCMissesPerCore = result.QuantityOf(misses)
	}
	return e
}

// small is it on disk.
func small(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	if err := datasettest.Write(example(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// eachFigure calls f for each figure of a document.
func eachFigure(d *doc.Doc, f func(*doc.Figure)) {
	for _, p := range d.Parts {
		switch p := p.(type) {
		case *doc.Figure:
			f(p)
		case *doc.Doc:
			eachFigure(p, f)
		case *doc.Fold:
			eachFigure(&p.Doc, f)
		}
	}
}

// drawn makes the charts of all figures, those out of sight too, and returns their number and that
// of figures.
func drawn(t *testing.T, p *browser.Tab) (charts, figures int) {
	t.Helper()
	p.Wait(`window.echarts !== undefined`)
	p.Eval(`(document.querySelectorAll('details').forEach(d => d.open = true), 0)`, nil)
	p.Wait(`(() => { const f = Object.keys(JSON.parse(document.getElementById('charts').textContent)).map(id => document.getElementById(id)).find(f => !f.classList.contains('live')); if (f) f.scrollIntoView(); return !f; })()`)
	p.Eval(`(scrollTo(0, 0), document.querySelectorAll('.chart svg').length)`, &charts)
	p.Eval(`document.querySelectorAll('figure').length`, &figures)
	return charts, figures
}

// The page works from a file in a real browser: nothing is said on the console, nothing asked of
// the network, all charts are drawn; and without JavaScript all figures are there as drawings.
func TestBrowser(t *testing.T) {
	b := browser.Start(t)
	dir := small(t)
	url := pageOf(t, dir)
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	d, err := document(e, "page.html")
	if err != nil {
		t.Fatal(err)
	}
	charts, panels, figures := 0, 0, 0
	eachFigure(d, func(f *doc.Figure) {
		if figures++; f.Chart != nil {
			charts++
			panels += len(f.Chart.(*plot.Figure).Panels)
		}
	})
	var page *browser.Tab
	views := []browser.View{ // the last is looked at more closely
		{Width: 1280, Height: 900, Scheme: "dark"}, {Width: 390, Height: 844, Scheme: "light"},
		{Width: 1280, Height: 900, Scheme: "light"}}
	for _, v := range long.Or(views[2:], views) {
		name := fmt.Sprintf("%+v", v)
		page = b.Open(url, v)
		if got, all := drawn(t, page); got != panels || all != figures || panels < 3 {
			t.Errorf("%s: %d charts in %d figures, expected %d in %d", name, got, all, panels, figures)
		}
		if lines := page.Console(); len(lines) > 0 {
			t.Errorf("%s: the console says\n%s", name, strings.Join(lines, "\n"))
		}
		for _, u := range page.Requests() {
			if u != url && !strings.HasPrefix(u, "data:") {
				t.Errorf("%s: the page asks for %s", name, u)
			}
		}
		var wider, empty int
		page.Eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`,
			&wider)
		if wider > 0 {
			t.Errorf("%s: the page is %d pixels wider than the window", name, wider)
		}
		// Each point is a mark in the colour of its series, or a number in a field.
		page.Eval(`[...document.querySelectorAll('figure.live')].flatMap(f => JSON.parse(document.getElementById('charts').textContent)[f.id].panels.map((panel, i) => {
			const svg = f.querySelectorAll('.chart svg')[i], points = panel.series.flatMap(s => s.points.filter(p => p.y !== null)).length;
			const colours = new Set(panel.series.map(s => getComputedStyle(document.documentElement).getPropertyValue('--c' + s.colour.slice(1).toUpperCase()).trim() || s.colour));
			return [...svg.querySelectorAll('path')].filter(p => colours.has(p.getAttribute('fill')) || colours.has(p.getAttribute('stroke'))).length >= points && points > 0;
		})).filter(ok => !ok).length`, &empty)
		if empty > 0 {
			t.Errorf("%s: %d charts do not show all points", name, empty)
		}
	}
	var tip string
	page.Eval(`(echarts.getInstanceByDom(document.querySelector('#g1-speedup .chart')).dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 3}),
		new Promise(done => setTimeout(() => done([...document.querySelectorAll('#g1-speedup .chart div')].map(d => d.innerText).join('\n')), 300)))`, &tip)
	for _, want := range []string{"workfirst", "cores: 24", "speed-up: 20.02",
		"interval: 19.99–20.04", "n = 8"} {
		if !strings.Contains(tip, want) {
			t.Errorf("pointing at a point shows %q, expected %q in it", tip, want)
		}
	}
	// The button, by keyboard, goes back to the drawing.
	var live, shownDrawing bool
	page.Eval(`document.querySelector('#g1-speedup .switch').focus()`, nil)
	page.Key("Enter", 0)
	page.Eval(`document.querySelector('#g1-speedup').classList.contains('live')`, &live)
	page.Eval(
		`document.querySelector('#g1-speedup .drawing svg').getBoundingClientRect().height > 100`,
		&shownDrawing)
	if live || !shownDrawing {
		t.Errorf("after Enter on the button: chart shown %v, drawing shown %v", live, shownDrawing)
	}

	page = b.Open(url, browser.View{Width: 1280, Height: 900, Scheme: "light", NoScript: true})
	var drawings int
	page.Eval(`(document.querySelectorAll('details').forEach(d => d.open = true), 0)`, nil)
	page.Eval(
		`[...document.querySelectorAll('.drawing svg')].filter(s => s.getBoundingClientRect().height > 100).length`, &drawings)
	if drawings != figures {
		t.Errorf("without JavaScript %d drawings are visible, expected %d", drawings, figures)
	}
	if pdf := page.PDF(); !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 50_000 {
		t.Errorf("printed: %d bytes, %.8q", len(pdf), pdf)
	}
}

// With -shots DIR pictures of the page are kept for a person.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots: nothing is kept to be looked at")
	}
	b := browser.Start(t)
	dir := *shown
	if dir == "" {
		dir = small(t)
	}
	url := pageOf(t, dir)
	for name, v := range map[string]browser.View{
		"1400":          {Width: 1400, Height: 900, Scheme: "light"},
		"800":           {Width: 800, Height: 900, Scheme: "light"},
		"420":           {Width: 420, Height: 900, Scheme: "light"},
		"dark":          {Width: 1400, Height: 900, Scheme: "dark"},
		"dark-420":      {Width: 420, Height: 900, Scheme: "dark"},
		"noscript-dark": {Width: 1400, Height: 900, Scheme: "dark", NoScript: true},
		"noscript-800":  {Width: 800, Height: 900, Scheme: "light", NoScript: true},
		"noscript-420":  {Width: 420, Height: 900, Scheme: "light", NoScript: true},
	} {
		page := b.Open(url, v)
		if !v.NoScript {
			drawn(t, page)
		}
		height := 0
		page.Eval(`document.documentElement.scrollHeight`, &height)
		step := 1800
		for i, y := 0, 0; y < height; i, y = i+1, y+step {
			if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%02d.png", name, i)),
				page.Screenshot(y, v.Width, min(step, height-y)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if name == "1400" {
			if err := os.WriteFile(filepath.Join(*shots, "page.pdf"), page.PDF(),
				0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// writeNew writes a file and the folder that it is in.
func writeNew(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
