package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/result"
)

var (
	shots = flag.String("shots", "", "keep screenshots of the page in this folder, for a person "+
		"to look at")
	shown = flag.String("exp", "", "look at this experiment instead of the made one, with -shots")
)

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

// drawn makes the charts of all figures, those out of sight too, and returns their number and that
// of figures.
func (p *tab) drawn() (charts, figures int) {
	p.t.Helper()
	p.until(func() bool {
		var ready bool
		p.eval(`window.echarts !== undefined`, &ready)
		return ready
	}, "with ECharts")
	p.until(func() bool {
		var left int
		p.eval(
			`(() => { const f = document.querySelector('figure:not(.live)'); if (f) f.scrollIntoView(); return document.querySelectorAll('figure:not(.live)').length; })()`, &left)
		return left == 0
	}, "drawn")
	p.eval(`(scrollTo(0, 0), document.querySelectorAll('.chart svg').length)`, &charts)
	p.eval(`document.querySelectorAll('figure').length`, &figures)
	return charts, figures
}

// The page works from a file in a real browser: nothing is said on the console, nothing asked of
// the network, all charts are drawn; and without JavaScript all figures are there as drawings.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	dir := small(t)
	url := pageOf(t, dir)
	panels := 0
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPage(e, "page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Charts {
		panels += len(f.Panels)
	}
	var page *tab
	for _, v := range []view{ // the last is looked at more closely
		{width: 1280, height: 900, scheme: "dark"}, {width: 390, height: 844, scheme: "light"},
		{width: 1280, height: 900, scheme: "light"},
	} {
		name := fmt.Sprintf("%+v", v)
		page = b.open(url, v)
		if charts, figures := page.drawn(); charts != panels || figures != len(p.Charts) ||
			charts == 0 {
			t.Errorf("%s: %d charts in %d figures, expected %d in %d", name, charts, figures,
				panels, len(p.Charts))
		}
		if lines := page.console(); len(lines) > 0 {
			t.Errorf("%s: the console says\n%s", name, strings.Join(lines, "\n"))
		}
		for _, u := range page.requests() {
			if u != url && !strings.HasPrefix(u, "data:") {
				t.Errorf("%s: the page asks for %s", name, u)
			}
		}
		var wider, empty int
		page.eval(`document.documentElement.scrollWidth - document.documentElement.clientWidth`,
			&wider)
		if wider > 0 {
			t.Errorf("%s: the page is %d pixels wider than the window", name, wider)
		}
		// Each point is a mark in the colour of its series, or a number in a field.
		page.eval(`[...document.querySelectorAll('figure')].flatMap(f => JSON.parse(document.getElementById('charts').textContent)[f.id].panels.map((panel, i) => {
			const svg = f.querySelectorAll('.chart svg')[i], points = panel.series.flatMap(s => s.points.filter(p => p.y !== null)).length;
			if (panel.kind === 'heat') return svg.querySelectorAll('text').length >= points;
			const colours = new Set(panel.series.map(s => getComputedStyle(document.documentElement).getPropertyValue('--c' + s.colour.slice(1).toUpperCase()).trim() || s.colour));
			return [...svg.querySelectorAll('path')].filter(p => colours.has(p.getAttribute('fill')) || colours.has(p.getAttribute('stroke'))).length >= points && points > 0;
		})).filter(ok => !ok).length`, &empty)
		if empty > 0 {
			t.Errorf("%s: %d charts do not show all points", name, empty)
		}
	}
	var tip string
	page.eval(`(echarts.getInstanceByDom(document.querySelector('#g1-speedup .chart')).dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 3}),
		new Promise(done => setTimeout(() => done([...document.querySelectorAll('#g1-speedup .chart div')].map(d => d.innerText).join('\n')), 300)))`, &tip)
	for _, want := range []string{"workfirst", "cores: 24", "speed-up: 20.02",
		"interval: 19.99–20.04", "n = 8"} {
		if !strings.Contains(tip, want) {
			t.Errorf("pointing at a point shows %q, expected %q in it", tip, want)
		}
	}
	// The button, by keyboard, goes back to the drawing.
	var live, shownDrawing bool
	page.eval(`document.querySelector('#g1-speedup .switch').focus() || 0`, new(int))
	for _, kind := range []string{"keyDown", "keyUp"} {
		page.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Enter",
			"code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"})
	}
	page.eval(`document.querySelector('#g1-speedup').classList.contains('live')`, &live)
	page.eval(
		`document.querySelector('#g1-speedup .drawing svg').getBoundingClientRect().height > 100`,
		&shownDrawing)
	if live || !shownDrawing {
		t.Errorf("after Enter on the button: chart shown %v, drawing shown %v", live, shownDrawing)
	}

	page = b.open(url, view{width: 1280, height: 900, scheme: "light", noScript: true})
	var drawings int
	page.eval(
		`[...document.querySelectorAll('.drawing svg')].filter(s => s.getBoundingClientRect().height > 100).length`, &drawings)
	if drawings != len(p.Charts) {
		t.Errorf("without JavaScript %d drawings are visible, expected %d", drawings, len(p.Charts))
	}
	if pdf := page.pdf(); !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 50_000 {
		t.Errorf("printed: %d bytes, %.8q", len(pdf), pdf)
	}
}

// With -shots DIR pictures of the page are kept for a person.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots: nothing is kept to be looked at")
	}
	b := startBrowser(t)
	dir := *shown
	if dir == "" {
		dir = small(t)
	}
	url := pageOf(t, dir)
	for name, v := range map[string]view{
		"1400":          {width: 1400, height: 900, scheme: "light"},
		"800":           {width: 800, height: 900, scheme: "light"},
		"420":           {width: 420, height: 900, scheme: "light"},
		"dark":          {width: 1400, height: 900, scheme: "dark"},
		"dark-420":      {width: 420, height: 900, scheme: "dark"},
		"noscript-dark": {width: 1400, height: 900, scheme: "dark", noScript: true},
		"noscript-800":  {width: 800, height: 900, scheme: "light", noScript: true},
		"noscript-420":  {width: 420, height: 900, scheme: "light", noScript: true},
	} {
		page := b.open(url, v)
		if !v.noScript {
			page.drawn()
		}
		height := 0
		page.eval(`document.documentElement.scrollHeight`, &height)
		step := 1800
		for i, y := 0, 0; y < height; i, y = i+1, y+step {
			if err := os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%02d.png", name, i)),
				page.screenshot(y, v.width, min(step, height-y)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if name == "1400" {
			if err := os.WriteFile(filepath.Join(*shots, "page.pdf"), page.pdf(),
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
