package goprogram

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"krdlab/krd/analysis/dependences"
	"krdlab/krd/analysis/graph"
)

// The page of a program that was read again has what the run found; its lines have all accesses, those
// of a function as its row has them.
func TestPage(t *testing.T) {
	d, _, err := trace(t, Lines, "rows", nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(d.Dir)
	if err != nil || read == nil {
		t.Fatalf("%v, %v", read, err)
	}
	all, of := uint64(0), map[string]uint64{}
	for _, l := range read.Lines {
		all += l.Accesses
		of[l.Function] += l.Accesses
		if l.Text == "" {
			t.Errorf("line %d of %s has no text", l.Line, l.File)
		}
	}
	if all != read.Accesses || all == 0 {
		t.Errorf("the lines have %d accesses of %d", all, read.Accesses)
	}
	for _, f := range read.Functions {
		if of[f.Name] != f.Accesses {
			t.Errorf("the lines of %s have %d accesses of %d", f.Name, of[f.Name], f.Accesses)
		}
	}
	far, err := read.KRD.AtLeast(read.Levels[0].From)
	if err != nil {
		t.Fatal(err)
	}
	beyond, lines := uint64(0), map[string]bool{}
	for _, p := range read.beyond().Paths {
		beyond += p.Count
		lines[p.Frames[2].Name] = true
		if len(p.Frames) != 4 || p.Frames[0].Name != "corpus/rows" || p.Frames[3].Name == "in L1" {
			t.Errorf("%+v", p)
		}
	}
	if want := far.Finite + read.KRD.Infinite(); float64(beyond) != float64(want) || len(lines) == 0 {
		t.Errorf("the picture of lines has %d accesses beyond %s, expected %v", beyond, read.Levels[0].Name, want)
	}
	page, err := read.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	if err := page.Standalone(&html); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Accesses by function", "by package, function and line", "Kernel reuse distance",
		read.Functions[0].Name, `"kind":"stacked"`} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// A page names only what was looked for as not found.
func TestNone(t *testing.T) {
	for _, c := range []struct {
		d    Document
		want string
	}{{Document{Unit: Lines, Sampling: &Sampling{}}, "were not looked for: they need all accesses"},
		{Document{Unit: Data}, "were not looked for: they need lines"}, {Document{Unit: Lines}, "waits were not recorded"},
		{Document{Unit: Lines, Waits: &graph.Document{}}, "shared line or wait stands out"}} {
		if got := c.d.none(); !strings.Contains(got, c.want) {
			t.Errorf("%q, expected %q in it", got, c.want)
		}
	}
}

// A profile has the sums of the document.
func TestProfile(t *testing.T) {
	d, _, err := trace(t, Lines, "rows", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	sums := map[string]int64{}
	for i, of := range p.SampleType {
		types = append(types, of.Type+" "+of.Unit)
		for _, s := range p.Sample {
			sums[of.Type] += s.Value[i]
		}
	}
	if len(types) != 3+2*len(d.Levels) || types[0] != "accesses count" || types[len(types)-1] != "waited nanoseconds" {
		t.Errorf("types %q", types)
	}
	far, err := d.KRD.AtLeast(d.Levels[0].From)
	if err != nil || sums["accesses"] != int64(d.Accesses) || sums["cold"] != int64(d.KRD.Infinite()) ||
		sums["beyond_L1"] != int64(far.Finite) || sums["moved_into_L1"] != 64*int64(far.Finite+d.KRD.Infinite()) {
		t.Errorf("sums %v, expected %d accesses, %+v: %v", sums, d.Accesses, far, err)
	}
	if _, err := (&Document{}).Profile(); !errors.Is(err, ErrDocument) {
		t.Errorf("%v", err)
	}
}

// A folder without a document of a Go program has none; a broken one is an error.
func TestReadOther(t *testing.T) {
	dir := t.TempDir()
	if d, err := Read(dir); d != nil || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	for text, broken := range map[string]bool{`{"schema_version": 1}`: false, `{"package": 7}`: true} {
		if err := os.WriteFile(filepath.Join(dir, KRDFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if d, err := Read(dir); d != nil || (err != nil) != broken {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
}

// A goroutine that needs a lock which another holds is shown to wait for it; where nobody waits, nothing
// is.
func TestPageOfWaits(t *testing.T) {
	const forLock = "waits for a lock"
	for name, text := range map[string]string{"need": `
func need() { lock.Lock(); lock.Unlock(); done <- true }

func hold() {
	lock.Lock()
	go need()
	for all := make([]byte, 1<<16); !strings.Contains(string(all[:runtime.Stack(all, true)]), "sync.Mutex.Lock"); {
		runtime.Gosched()
	}
	time.Sleep(50 * time.Millisecond)
	lock.Unlock()
}`, "alone": `
func alone() { lock.Lock(); lock.Unlock(); done <- true }

func hold() {
	lock.Lock()
	lock.Unlock()
	go alone()
	_, _, _ = strings.Contains, runtime.Stack, time.Sleep
}`} {
		d, out, err := asked(t, Lines, func(r *Request) {
			r.Build.Dir, r.Waits, r.Build.Sync = module(t, `package main

import (
	"runtime"
	"strings"
	"sync"
	"time"
)

var (
	lock sync.Mutex
	done = make(chan bool, 1)
	x [1]int
)
`+text+`

func main() {
	hold()
	<-done
	x[len(x)-1]++
}
`), true, true
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		read, err := Read(d.Dir)
		if err != nil || read == nil {
			t.Fatalf("%v, %v", read, err)
		}
		ns := map[string]float64{} // that wait for a lock
		for _, r := range read.Waits.Goroutines.Timeline.Rows {
			for _, s := range r.States {
				if s.State == forLock {
					for _, v := range s.Bins {
						ns[r.Name] += v * read.Waits.Goroutines.Timeline.Bin.Float()
					}
				}
			}
		}
		switch {
		case name == "need" && (len(ns) != 1 || ns["goroutine 2, main.need"] < 45e6):
			t.Errorf("%v ns wait for a lock, expected 50 ms of goroutine 2", ns)
		case name == "alone" && len(ns) > 0:
			t.Errorf("%v ns wait for a lock, expected none", ns)
		}
		page, err := read.Page()
		if err != nil {
			t.Fatal(err)
		}
		var html strings.Builder
		if err := page.Standalone(&html); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(html.String(), "Goroutines over time") ||
			strings.Contains(html.String(), forLock) != (name == "need") {
			t.Errorf("the page of %s does not show its goroutines", name)
		}
	}
}

// A function is of the package that was rewritten, or of what its name begins with.
func TestPackageOf(t *testing.T) {
	d := &Document{Packages: []string{"gopkg.in/yaml.v3", "example.org/p", "example.org/p/q"}}
	for function, want := range map[string]string{"main.f": "main", "(*main.T).m.func1": "main",
		"gopkg.in/yaml.v3.Node": "gopkg.in/yaml.v3", "(*example.org/p/q.T[example.org/r.X]).m": "example.org/p/q",
		"example.org/r.f[a/b.c]": "example.org/r"} {
		if got := d.packageOf(function); got != want {
			t.Errorf("%s is of %s, expected %s", function, got, want)
		}
	}
}

// The command that is done again is that which was typed, without its folder.
func TestAgain(t *testing.T) {
	for want, d := range map[string]Document{
		"krdlab go test ./a -- -dir x":      {argv: strings.Fields("/k go test --dir d ./a -- -dir x")},
		"krdlab go . --show reuse -- --dir": {argv: strings.Fields("k go . --dir=d --show reuse -- --dir")},
		"krdlab go . -- 3":                  {Package: ".", Args: []string{"3"}},
		"krdlab go .":                       {Package: "."}} {
		if got := d.again(); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}

// Results of further runs are on the page; a file that is none of theirs is an error.
func TestKept(t *testing.T) {
	d, _, err := trace(t, Lines, "rows", nil)
	if err != nil {
		t.Fatal(err)
	}
	class := "doall"
	loops := &dependences.Document{Loops: []dependences.Loop{{Name: "main.planted:9", Iterations: 7, Class: &class}}}
	if err := Keep(d.Dir, Dependences, loops); err != nil {
		t.Fatal(err)
	}
	read, err := Read(d.Dir)
	if err != nil || read.Footprint != nil {
		t.Fatalf("%v, %+v", err, read)
	}
	page, err := read.Page()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := page.Markdown(&text, 1); err != nil || !strings.Contains(text.String(), "main.planted:9") ||
		!strings.Contains(text.String(), class) || strings.Contains(text.String(), "Footprints") {
		t.Errorf("%v\n%s", err, &text)
	}
	if err := os.WriteFile(filepath.Join(d.Dir, Footprint+".json"), []byte(`{"regions": 7}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(d.Dir); !errors.Is(err, ErrDocument) || !strings.Contains(err.Error(), "footprint.json") {
		t.Errorf("%v", err)
	}
}

// TestShort has the names of functions as they stand below bars.
func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		"(*github.com/kyroy/kdtree/points.Point3D).Dimension": "Point3D.Dimension",
		"(main.Shop).list.func1":                              "Shop.list.func1", "github.com/kyroy/kdtree.knn": "kdtree.knn",
		"main.main": "main.main", "(": ""} {
		if got := short(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
