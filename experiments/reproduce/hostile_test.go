package reproduce_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/compare"
	"krdlab/experiments/correlate"
	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/figures"
	"krdlab/experiments/report"
	"krdlab/experiments/reproduce"
	"krdlab/experiments/sweep"
	"krdlab/hw/hwtest/long"
	"krdlab/krd/doc"
)

var everyHostile = flag.Bool("every", false, "every hostile value at every place of a result, "+
	"not one in 41 or 83; minutes")

// hostile are values that a document may have where something else belongs.
var hostile = []string{`null`, `-1`, `0`, `1e300`, `1e-300`, `9223372036854775807`,
	`"<script>alert(1)</script>, \"a\"\n"`, `""`, `[]`, `{}`, `true`}

// notNumbers are what a number that is none looks like when it is printed. Each has one of maybes.
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
			bad := strings.Replace(string(marshalWith(t, root, place, value)), "\x00", "", -1)
			if err := os.WriteFile(path, []byte(bad), 0o666); err != nil {
				t.Fatal(err)
			}
			tried++
			e, err := dataset.Load(dir)
			if err != nil {
				t.Fatalf("%s = %s: the other cell is lost: %v", place, value, err)
			}
			if len(e.Cells) < 2 {
				t.Errorf("%s = %s: the good cell is lost: %v", place, value, e.Problems)
			}
			if len(e.Problems) > 0 {
				refused++
			}
			if what := useAll(e, whole); what != "" {
				t.Errorf("%s = %s: %s", place, value, what)
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
	check("correlate", func(w io.Writer) error { return correlate.Of(e).View(true).Text(doc.NewPage(w, 0)) })
	check("correlate.json", func(w io.Writer) error {
		return json.NewEncoder(w).Encode(
			correlate.Of(e))
	})
	check("claims", func(w io.Writer) error { return reproduce.WriteText(doc.NewPage(w, 0), reproduce.Judge(e, nil)) })
	check("tables", func(w io.Writer) error { return reproduce.WriteTables(doc.NewPage(w, 0), e) })
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

// places are the paths of all values in a document, of arrays the first and the last element, each
// path once by its names.
func places(v any, at string) []string {
	var list []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(mapKeys(v)) {
			list = append(list, at+"/"+k)
			list = append(list, places(v[k], at+"/"+k)...)
		}
	case []any:
		for i, x := range v {
			if i == 0 || i == len(v)-1 && i < 3 {
				list = append(list, fmt.Sprintf("%s/%d", at, i))
				list = append(list, places(x, fmt.Sprintf("%s/%d", at, i))...)
			}
		}
	}
	return list
}

func mapKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// marshalWith is the document with another value at a place.
func marshalWith(t *testing.T, v any, place, value string) []byte {
	t.Helper()
	if place == "" {
		return []byte(value)
	}
	first, rest, _ := strings.Cut(place[1:], "/")
	if rest != "" {
		rest = "/" + rest
	}
	enc := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == first {
				parts = append(parts, enc(k)+":"+string(marshalWith(t, x, rest, value)))
			} else {
				parts = append(parts, enc(k)+":"+enc(x))
			}
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	case []any:
		for i, x := range v {
			if fmt.Sprint(i) == first {
				parts = append(parts, string(marshalWith(t, x, rest, value)))
			} else {
				parts = append(parts, enc(x))
			}
		}
		return []byte("[" + strings.Join(parts, ",") + "]")
	}
	t.Fatalf("no place %s", place)
	return nil
}
