package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/browser"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/hwtest/long"
)

var update = flag.Bool("update", false, "write the golden files anew")

// render returns the page of an experiment that would stand in its folder.
func render(t *testing.T, e *dataset.Experiment) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, e, filepath.Join(e.Dir, "report.html")); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// loaded is the made experiment, written, changed and read.
func loaded(t *testing.T, change func(dir string)) *dataset.Experiment {
	t.Helper()
	dir := small(t)
	if change != nil {
		change(dir)
	}
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// An element is one of a page that was parsed.
type element struct {
	name     string
	attr     map[string]string
	parents  []string
	position int
}

var scripts = regexp.MustCompile(`(?s)(<(script|style)[^>]*>).*?(</(?:script|style)>)`)

// parse reads a page, which is well-formed as XML too but for what scripts and styles hold; it
// returns elements and the visible text.
func parse(t *testing.T, page string) (elements []element, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(scripts.ReplaceAllString(page, "$1$3")))
	var b strings.Builder
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, attr: map[string]string{}, parents: slices.Clone(open),
				position: int(d.InputOffset())}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			elements, open = append(elements, e), append(open, x.Name.Local)
			if slices.Contains([]string{"p", "h1", "h2", "h3", "h4", "tr", "li", "dt", "dd",
				"summary", "caption", "pre", "figure", "section"}, x.Name.Local) {
				b.WriteByte('\n')
			} else if slices.Contains([]string{"td", "th"}, x.Name.Local) {
				b.WriteString(" | ")
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if !slices.Contains(open, "svg") {
				b.Write(x)
			}
		}
	}
	var lines []string
	for l := range strings.Lines(b.String()) {
		if l = strings.Join(strings.FieldsFunc(l, func(r rune) bool {
			return r == ' ' ||
				r == '\n' || r == '\t'
		}), " "); l != "" {
			lines = append(lines, l)
		}
	}
	return elements, strings.Join(lines, "\n") + "\n"
}

// The page of a fixed experiment, as text. -update writes it anew; then read what has changed.
func TestGolden(t *testing.T) {
	_, got := parse(t, render(t, loaded(t, nil)))
	// Figures and coefficients have golden files of their own, in their packages.
	got = regexp.MustCompile(`(?s)(Figure 1\. ).*(Times and ratios\n)`).ReplaceAllString(got, "$1...\n$2")
	got = regexp.MustCompile(`(?s)(Coefficients\n).*(\nEnvironment\n)`).ReplaceAllString(got, "$1...$2")
	got, _, _ = strings.Cut(got, "Charts by Apache")
	path := filepath.Join("testdata", "made.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		a, b := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d is\n%s\nexpected\n%s", i+1, a[i], b[i])
			}
		}
		t.Fatalf("%d lines, expected %d", len(a), len(b))
	}
}

// Twice the same bytes; and a page in another folder differs in its links only.
func TestDeterministic(t *testing.T) {
	e := loaded(t, nil)
	a := render(t, e)
	if err := os.WriteFile(filepath.Join(e.Dir, "older.html"), []byte(a), 0o666); err != nil {
		t.Fatal(err)
	}
	if b := render(t, e); a != b {
		t.Error("two pages of one experiment differ; the first stands beside the second")
	}
	var other bytes.Buffer
	if err := Write(&other, e, filepath.Join(filepath.Dir(e.Dir), "x", "page.html")); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(other.String(), `href="../`+filepath.Base(e.Dir)+`/`,
		`href="./`); got != a {
		t.Error("a page in another folder has other links than ../made/...")
	}
}

// Nothing on the page leads out of it but anchors and relative links to files that exist.
func TestNothingLeavesThePage(t *testing.T) {
	e := loaded(t, nil)
	page := render(t, e)
	elements, _ := parse(t, page)
	ids := map[string]int{}
	for _, x := range elements {
		if id := x.attr["id"]; id != "" {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %q comes %d times", id, n)
		}
	}
	links := 0
	for _, x := range elements {
		for _, a := range []string{"src", "srcset", "data", "poster", "action", "formaction",
			"background", "ping"} {
			if v, ok := x.attr[a]; ok {
				t.Errorf("<%s %s=%q>", x.name, a, v)
			}
		}
		if slices.Contains([]string{"iframe", "img", "object", "embed", "base", "form"}, x.name) {
			t.Errorf("<%s> on the page", x.name)
		}
		href, ok := x.attr["href"]
		switch {
		case !ok, x.name == "link" && href == "data:,":
		case strings.HasPrefix(href, "#"):
			if ids[href[1:]] == 0 {
				t.Errorf("anchor %s is not there", href)
			}
		default:
			u, err := url.Parse(href)
			if err != nil || u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") ||
				x.name != "a" {
				t.Errorf("<%s href=%q> leaves the page", x.name, href)
				continue
			}
			if _, err := os.Stat(filepath.Join(e.Dir, u.Path)); err != nil {
				t.Errorf("link %q: %v", href, err)
			}
			links++
		}
	}
	if links != 2+2*len(datasettest.Cores) {
		t.Errorf("%d links to data, expected those of experiment.json, plan.jsonl, and two of "+
			"each cell", links)
	}
	for _, s := range scripts.FindAllString(page, -1) {
		if strings.HasPrefix(s, "<style") && regexp.MustCompile(`(?i)@import|url\(`).MatchString(
			s) {
			t.Error("the style sheet loads something")
		}
	}
}

// Headings skip no level, headers of tables have a scope, figures and scrolled regions have names.
func TestAccessible(t *testing.T) {
	elements, _ := parse(t, render(t, loaded(t, nil)))
	level, counts := 0, map[string]int{}
	for _, x := range elements {
		counts[x.name]++
		switch {
		case regexp.MustCompile(`^h[1-6]$`).MatchString(x.name):
			n := int(x.name[1] - '0')
			if n > level+1 {
				t.Errorf("<%s> comes after a heading of level %d", x.name, level)
			}
			level = n
		case x.name == "th" && x.attr["scope"] != "col" && x.attr["scope"] != "row":
			t.Errorf("<th> with scope %q", x.attr["scope"])
		case x.name == "svg" && (x.attr["role"] != "img" || x.attr["aria-label"] == ""):
			t.Errorf("<svg> with role %q and label %q", x.attr["role"], x.attr["aria-label"])
		case x.attr["role"] == "region" && (x.attr["aria-label"] == "" ||
			x.attr["tabindex"] != "0"):
			t.Errorf("a region without name, or not to be reached by keyboard: %v", x.attr)
		}
	}
	for name, least := range map[string]int{"h1": 1, "h2": 5, "h3": 5, "th": 50, "svg": 5,
		"figure": 5, "caption": 5, "main": 1, "nav": 1} {
		if counts[name] < least {
			t.Errorf("%d <%s>, expected %d at least", counts[name], name, least)
		}
	}
	if counts["h1"] != 1 || counts["table"] != counts["caption"] ||
		counts["svg"] != counts["figure"] {
		t.Errorf("h1 %d, tables %d, captions %d, figures %d, drawings %d", counts["h1"],
			counts["table"], counts["caption"], counts["figure"], counts["svg"])
	}
}

// Names and warnings are text, whatever they hold.
func TestHostile(t *testing.T) {
	const evil = `</script><script>alert("1")</script><img src=x onerror=alert(1)>' " & {{.}} javascript:alert(1)`
	e := example()
	for i := range e.Cells {
		r := e.Cells[i].Result
		r.Warnings = append(r.Warnings, evil)
		r.Params["layout"] = evil
		r.Machine.Name = evil
		r.Kernels[0].Name = evil
		r.KRD.Warnings = append(r.KRD.Warnings, evil)
		why := evil
		r.LLCReason, r.LLCSource, r.Summary.LLCMissesPerCore = &why, nil, result.Quantity{}
		r.Repetitions[0].Flags = []string{evil}
		e.Cells[i].Manifest.Argv = []string{"/x/krdlab", "run", evil}
		e.Cells[i].Manifest.System.CPUModel = evil
		if r.Scheduler == "helpfirst" {
			r.Scheduler = evil
		}
	}
	for i := range e.Plan {
		e.Plan[i].Machine = "../../../../etc/passwd"
		e.Plan[i].Kernel = evil
	}
	e.Name = evil
	e.Info.Notes, e.Info.Argv = []string{evil}, nil
	e.Problems = append(e.Problems, dataset.Problem{Cell: evil, Kind: dataset.Failed, Detail: evil})
	page := render(t, e)
	elements, text := parse(t, page)
	n := 0
	for _, x := range elements {
		if x.name == "script" {
			n++
		}
		for a := range x.attr {
			if strings.HasPrefix(a, "on") {
				t.Errorf("<%s %s>", x.name, a)
			}
		}
		if x.name == "img" || strings.HasPrefix(x.attr["href"], "javascript") {
			t.Errorf("<%s> of a name", x.name)
		}
	}
	if n != 3 || strings.Count(page, "<script") != 3 || strings.Contains(page,
		"alert(\"1\")</script>") {
		t.Errorf("%d script elements, expected 3", n)
	}
	if got := strings.Count(text, evil); got < 10 {
		t.Errorf("the name is shown %d times as it is, expected more", got)
	}
	if long.Or(false, true) {
		b := browser.Start(t)
		at := filepath.Join(t.TempDir(), "p.html")
		if err := os.WriteFile(at, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
		tab := b.Open("file://"+at, browser.View{Width: 1280, Height: 900, Scheme: "light"})
		if charts, _ := drawn(t, tab); charts == 0 {
			t.Error("no chart is drawn")
		}
		var images int
		tab.Eval(
			`(document.querySelectorAll('.chart').forEach(c => { const r = c.getBoundingClientRect(); c.dispatchEvent(new MouseEvent('mousemove', {clientX: r.x + r.width / 2, clientY: r.y + r.height / 2, bubbles: true})); }), document.querySelectorAll('img').length)`, &images)
		if lines := tab.Console(); len(lines) > 0 || images > 0 {
			t.Errorf("%d images; the console says %s", images, lines)
		}
	}
}

// Faulty cells are reported, and the others are shown.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		change func(cell string) error
		want   []string
	}{
		"missing": {func(cell string) error { return os.RemoveAll(cell) },
			[]string{"3 of 4 planned cells could be used, 1 missing",
				"cell 0001-matmul-c6 missing: it has not been run",
				"Something is missing or went wrong"}},
		"partial": {func(cell string) error { return os.Rename(cell, cell+".partial") },
			[]string{"1 partial", "its run did not finish"}},
		"failed": {func(cell string) error {
			return errors.Join(os.RemoveAll(cell), os.WriteFile(cell+".failed.json",
				[]byte(`{"schema_version":1,"error":"no <room>","exit_code":1}`), 0o666))
		}, []string{"1 failed", "no <room>", "0001-matmul-c6.failed.json"}},
		"old": {func(cell string) error {
			p := filepath.Join(cell, "result.json")
			b, err := os.ReadFile(p)
			return errors.Join(err, os.WriteFile(p,
				bytes.ReplaceAll(b, []byte(`"schema_version": 1,`), []byte(`"schema_version": 0,`)),
				0o666))
		}, []string{"unreadable", "schema version 0"}},
		"no manifest": {func(cell string) error {
			return os.Remove(filepath.Join(cell,
				"manifest.json"))
		}, []string{"manifest.json is not there"}},
	} {
		e := loaded(t, func(dir string) {
			if err := c.change(filepath.Join(dir, dataset.CellsDir, "0001-matmul-c6")); err != nil {
				t.Fatal(err)
			}
		})
		_, text := parse(t, render(t, e))
		for _, w := range append(c.want, "workfirst is the fastest on 24 cores",
			"cells that are not as planned") {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the page does not say %q", name, w)
			}
		}
	}
}

// An experiment without usable cells has a page that says so.
func TestNothingToShow(t *testing.T) {
	e := loaded(t, func(dir string) {
		if err := os.RemoveAll(filepath.Join(dir, dataset.CellsDir)); err != nil {
			t.Fatal(err)
		}
	})
	_, text := parse(t, render(t, e))
	for _, w := range []string{"No cell of this experiment can be used",
		"0 of 4 planned cells could be used, 4 missing", "krdlab sweep matmul"} {
		if !strings.Contains(text, w) {
			t.Errorf("the page does not say %q:\n%s", w, text)
		}
	}
	if strings.Contains(text, "measured") {
		t.Error("the page speaks of measurements")
	}
}

// One cell, no reuse, no misses, no work, few repetitions: each is said.
func TestLittle(t *testing.T) {
	only := func(e *dataset.Experiment, keep func(*result.Result) bool) *dataset.Experiment {
		e.Cells = slices.DeleteFunc(e.Cells, func(c dataset.Cell) bool { return !keep(c.Result) })
		return e
	}
	for name, c := range map[string]struct {
		change func(*dataset.Experiment) *dataset.Experiment
		want   []string
	}{
		"one cell": {func(e *dataset.Experiment) *dataset.Experiment {
			return only(e, func(r *result.Result) bool {
				return r.Cores == 6 &&
					r.Scheduler == "helpfirst"
			})
		}, []string{"helpfirst runs 5.599 (5.591–5.605) times as fast as the serial " +
			"program on 6 cores", "Not drawn:"}},
		"no reuse": {func(e *dataset.Experiment) *dataset.Experiment {
			for _, c := range e.Cells {
				c.Result.KRD, c.Result.Settings.Trace = nil, request.TraceProfile
				for i := range c.Result.Repetitions {
					c.Result.Repetitions[i].KRD = nil
				}
			}
			return e
		}, []string{"There are no reuse distances: no trace is taken with --trace profile"}},
		"no misses": {func(e *dataset.Experiment) *dataset.Experiment {
			why := "this processor has no such counter"
			for _, c := range e.Cells {
				c.Result.LLCSource, c.Result.LLCReason = nil, &why
				c.Result.Summary.LLCMissesPerCore = result.Quantity{}
				for i := range c.Result.Repetitions {
					c.Result.Repetitions[i].LLCMissesPerCore = result.Number{}
				}
			}
			return e
		}, []string{"doubt | LLC misses | not counted in 16 of 16 results: this processor has no such counter", "n/a 1",
			"LLC misses: this processor has no such counter"}},
		"no work": {func(e *dataset.Experiment) *dataset.Experiment {
			for _, c := range e.Cells {
				r := c.Result
				r.Kernel, r.Params, r.Kernels, r.KRD = "fib", nil, nil, nil
				r.Summary.OVR, r.Summary.WTI, r.Summary.KernelNS = result.Quantity{},
					result.Quantity{}, result.Quantity{}
				for i := range r.Repetitions {
					r.Repetitions[i].KRD, r.Repetitions[i].WorkNS, r.Repetitions[i].Kernels = nil,
						nil, nil
				}
			}
			return e
		}, []string{"fib has no kernels whose time would be work", "There are no reuse " +
			"distances: fib records no accesses to data", "workfirst is the fastest on 24 cores, " +
			"20.02 (19.99–20.04) times serial: the next"}},
		"few repetitions": {func(e *dataset.Experiment) *dataset.Experiment {
			for i := range e.Cells {
				r := e.Cells[i].Result
				short := *r
				short.Repetitions, short.Serial.Repetitions = r.Repetitions[:3],
					r.Serial.Repetitions[:3]
				half := short
				half.Repetitions, half.Serial.Repetitions = nil, nil
				e.Cells[i].Result = result.Pool([]*result.Result{&short, &half})
			}
			return e
		}, []string{"fastest on 24 cores: too few to tell: 3 repetitions, 6 needed: --reps 6", "doubt | Repetitions | n = 3",
			"of 4 traced repetitions each"}},
	} {
		_, text := parse(t, render(t, c.change(example())))
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the page does not say %q\n%.3000s", name, w, text)
			}
		}
	}
}
