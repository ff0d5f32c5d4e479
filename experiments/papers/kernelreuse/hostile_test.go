package kernelreuse_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/read/compare"
	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/show/figures"
	"krdlab/experiments/show/report"
	"krdlab/experiments/sweep"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/doc"
)

var everyHostile = flag.Bool("every", false, "every hostile value at every place of a result, "+
	"not one in 41 or 83; minutes")

// hostile are values that a document may have where something else belongs.
var hostile = []string{`null`, `-1`, `0`, `1e300`, `1e-300`, `9223372036854775807`,
	`"<script>alert(1)</script>, \"a\"\n"`, `""`, `[]`, `{}`, `true`}

// notNumbers are the printed forms of a value that is no number. Each has one of maybes.
var (
	notNumbers = regexp.MustCompile(`\bNaN\b|[+-]Inf\b|\+Inf|%!`)
	maybes     = [][]byte{[]byte("NaN"), []byte("Inf"), []byte("%!")}
)

// A result that says what cannot be is refused or used, but nothing that reads it panics, takes
// long or prints what is no number.
func TestHostileResults(t *testing.T) {
	small := datasettest.Small()
	few := *small
	few.Plan, few.Cells = nil, nil
	for i, p := range small.Plan {
		if p.Cores == 6 || p.Cores == 24 {
			p.Index, p.Schedulers = len(few.Plan), datasettest.Schedulers[:2]
			few.Plan = append(few.Plan, p)
			few.Cells = append(few.Cells, small.Cells[i*len(datasettest.Schedulers):][:2]...)
		}
	}
	dir := filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(&few, dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, dataset.CellsDir, few.Plan[1].ID, "result.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := dataset.Load(dir)
	if err != nil || len(whole.Problems) > 0 {
		t.Fatal(err, whole.Problems)
	}
	if bad := useAll(whole, whole); bad != "" {
		t.Fatalf("before any change: %s", bad)
	}
	var root any
	if err := json.Unmarshal(good, &root); err != nil {
		t.Fatal(err)
	}
	tried, refused, some := 0, 0, long.Or(83, 41)
	for n, place := range places(root, "") {
		for k, value := range hostile {
			if !*everyHostile && (n*len(hostile)+k)%some != 0 {
				continue
			}
			restore := place.put(json.RawMessage(value))
			bad, err := json.Marshal(root)
			restore()
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			tried++
			e, err := dataset.Load(dir)
			if err != nil {
				t.Fatalf("%s = %s: the other cell is lost: %v", place.path, value, err)
			}
			if len(e.Cells) < 2 {
				t.Errorf("%s = %s: the good cell is lost: %v", place.path, value, e.Problems)
			}
			if len(e.Problems) > 0 {
				refused++
			}
			if what := useAll(e, whole); what != "" {
				t.Errorf("%s = %s: %s", place.path, value, what)
			}
		}
	}
	t.Logf("%d documents, %d with problems told", tried, refused)
}

// useAll does everything that is done with experiments; it returns a panic, or what is no number in
// what was written.
func useAll(e, other *dataset.Experiment) (bad string) {
	step := ""
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("%s: panic: %v", step, r)
		}
	}()
	check := func(name string, f func(w io.Writer) error) {
		step = name
		var b bytes.Buffer
		if err := f(&b); err != nil && bad == "" {
			bad = fmt.Sprintf("%s: %v", name, err)
		}
		text := b.Bytes()
		if !slices.ContainsFunc(maybes, func(m []byte) bool { return bytes.Contains(text, m) }) {
			return
		}
		if name == "report" { // the page carries a program
			text = regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(text, nil)
		}
		if at := notNumbers.FindIndex(text); at != nil && bad == "" {
			bad = fmt.Sprintf("%s prints %q", name, text[max(0, at[0]-80):min(len(text), at[1]+20)])
		}
	}
	check("table.csv", func(w io.Writer) error { return sweep.NewTable(e).CSV(w) })
	check("table.jsonl", func(w io.Writer) error { return sweep.NewTable(e).JSONL(w) })
	check("bench.txt", func(w io.Writer) error { return sweep.WriteBench(w, e) })
	check("correlate", func(w io.Writer) error {
		return correlate.Of(e).View(true).Text(doc.NewPage(w, 0))
	})
	check("correlate.json", func(w io.Writer) error {
		return json.NewEncoder(w).Encode(
			correlate.Of(e))
	})
	check("claims", func(w io.Writer) error {
		o := &study.Outcome{Claims: kernelreuse.Judge(e, nil), Tables: kernelreuse.Tables(e)}
		return o.View().Text(doc.NewPage(w, 0))
	})
	check("compare", func(w io.Writer) error {
		r, err := compare.Of(e, other)
		if err != nil {
			return nil // nothing in common any more
		}
		if err := json.NewEncoder(w).Encode(r); err != nil {
			return err
		}
		return r.View().Text(doc.NewPage(w, 0))
	})
	for _, g := range e.Groups() {
		list, _ := figures.All(&g)
		for i := range list {
			check("figure "+list[i].ID, func(w io.Writer) error {
				if *everyHostile {
					if err := list[i].Write(w, "svg"); err != nil {
						return err
					}
				}
				for _, r := range list[i].Rows() {
					fmt.Fprintln(w, r.At, r.X)
				}
				return json.NewEncoder(w).Encode(list[i])
			})
		}
	}
	if *everyHostile {
		check("report", func(w io.Writer) error {
			return report.Write(w, e,
				filepath.Join(e.Dir, "report.html"))
		})
	}
	return bad
}

// A place is a value in a document, by its names; put sets it and returns what undoes that.
type place struct {
	path string
	put  func(v any) (undo func())
}

// places are those of all values in a document, of arrays the first and the last element.
func places(v any, at string) (list []place) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = append(list, place{at + "/" + k, func(x any) func() {
				old := v[k]
				v[k] = x
				return func() { v[k] = old }
			}})
			list = append(list, places(v[k], at+"/"+k)...)
		}
	case []any:
		for i, old := range v {
			if i == 0 || i == len(v)-1 && i < 3 {
				list = append(list, place{fmt.Sprintf("%s/%d", at, i), func(x any) func() {
					v[i] = x
					return func() { v[i] = old }
				}})
				list = append(list, places(old, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	}
	return list
}
