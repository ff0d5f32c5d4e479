package app

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/experiments/papers/kernelreuse"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// printed is a number that a command printed of a measure, with the digits that it has.
type printed struct{ scheduler, key, text string }

// Whatever prints a measure of the catalogue prints the same value of it.
func TestOneValue(t *testing.T) {
	works := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := krdlab(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr)
		}
		return stdout
	}
	dir := t.TempDir()
	run, swept, figures := filepath.Join(dir, "run"), filepath.Join(dir, "swept"),
		filepath.Join(dir, "figures")
	flags := []string{"matmul", "--n", "256", "--sched", "workfirst,helpfirst", "--machine",
		"westmere-ex-4s", "--cores", "12", "--reps", "6", "--trace", "krd,coherence", "--out"}
	brief := works(append(append([]string{"run"}, flags...), run)...)
	verbose := works(append(append([]string{"run"}, flags...), filepath.Join(dir, "again"), "-v")...)
	works(append(append([]string{"sweep"}, flags...), swept)...)
	works("sweep", "collect", swept)
	works("plot", swept, "--format", "md", "--out", figures)
	page := filepath.Join(dir, "page.html")
	works("report", swept, "--out", page)

	e, err := dataset.Load(swept)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]*result.Result{}
	for _, c := range e.Cells {
		results[c.Result.Scheduler] = c.Result
	}
	// One trace, one value: krd prints what the run did of its only repetition.
	traced := filepath.Join(dir, "traced")
	works("run", "matmul", "--n", "256", "--sched", "workfirst,helpfirst", "--machine",
		"westmere-ex-4s", "--cores", "12", "--reps", "1", "--trace", "full,coherence", "--out", traced)
	one, err := dataset.Load(traced)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range one.Cells {
		results["one trace of "+c.Result.Scheduler] = c.Result
	}
	for name, found := range map[string][]printed{
		"reproduce": inReproduction(t, e),
		"krd":       inKRD(t, works("krd", traced, "--coherence")),
		"run":       inBrief(t, brief),
		"run -v":    inBrief(t, verbose),
		"collect":   inTable(t, filepath.Join(swept, "table.csv")),
		"correlate": inCells(t, works("correlate", run, "--csv", "cells")),
		"compare":   inComparison(t, works("compare", run, swept, "--json")),
		"report":    inPage(t, page),
		"plot":      inMisses(t, filepath.Join(figures, "misses.md")),
	} {
		if len(found) < 2 {
			t.Errorf("%s: %d values were found", name, len(found))
		}
		for _, p := range found {
			i := slices.IndexFunc(stats.Catalogue, func(m stats.Measure) bool { return m.Key == p.key })
			if i < 0 {
				t.Errorf("%s: there is no measure %s", name, p.key)
				continue
			}
			want := stats.Catalogue[i].Of(results[p.scheduler]).Median.Float()
			if !reads(p.text, want) && !reads(p.text, 100*want) && !reads(p.text, want/1e3) {
				t.Errorf("%s: %s of %s is %s, and in the catalogue %v", name, p.key, p.scheduler,
					p.text, want)
			}
		}
	}
}

// reads reports whether text is v to its digits.
func reads(text string, v float64) bool {
	x, err := strconv.ParseFloat(text, 64)
	_, after, _ := strings.Cut(text, ".")
	return err == nil && math.Abs(x-v) <= 0.5000001*math.Pow(10, -float64(len(after)))
}

var row = regexp.MustCompile(`(?m)^(workfirst|helpfirst) +(.*)$`)

// inBrief are the columns of the table of `krdlab run`.
func inBrief(t *testing.T, text string) (found []printed) {
	t.Helper()
	keys := []string{"time_ns", "speedup", "ovr", "wti", "llc_misses_per_core", "beyond_llc"}
	of := map[int][]string{len(keys): keys, // --verbose
		8: {"time_ns", "speedup", "ovr", "wti", "kernel_ns"},
		9: {"llc_misses_per_core", "", "close", "near", "far", "cold", "invalidated", "from_32mib",
			"beyond_32mib"},
	}
	if strings.Contains(text, "steals") {
		of[7] = of[8][:5]
		delete(of, 6)
	}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		cells := strings.Fields(regexp.MustCompile(` *±\d+%|=`).ReplaceAllString(m[2], ""))
		keys := of[len(cells)]
		cells = cells[:len(keys)]
		for i, c := range cells {
			if keys[i] != "" {
				found = append(found, printed{m[1], keys[i], c})
			}
		}
	}
	return found
}

// inTable are the medians of columns of table.csv: those of ratios are no ratios of medians, and are
// left to the values of the repetitions.
func inTable(t *testing.T, path string) (found []printed) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, column := inCSV(t, string(text))
	number := func(row []string, name string) float64 {
		v, err := strconv.ParseFloat(row[column[name]], 64)
		if err != nil {
			t.Fatal(name, err)
		}
		return v
	}
	for key, of := range map[string]func(row []string) float64{
		"time_ns":             func(r []string) float64 { return number(r, "time_ns") },
		"kernel_ns":           func(r []string) float64 { return number(r, "kernel_ns") },
		"llc_misses_per_core": func(r []string) float64 { return number(r, "llc_misses_per_core") },
		"beyond_32mib":        func(r []string) float64 { return number(r, "krd_from_32mib_or_cold_share") },
		"beyond_llc": func(r []string) float64 {
			return (number(r, "krd_far") + number(r, "krd_cold") + number(r, "krd_invalidated")) /
				number(r, "krd_accesses")
		},
	} {
		values := map[string][]float64{}
		for _, r := range rows[1:] {
			name := r[column["scheduler"]]
			values[name] = append(values[name], of(r))
		}
		for name, v := range values {
			found = append(found, printed{name, key, fmt.Sprintf("%.9f", estimate.Median(v))})
		}
	}
	return found
}

// keyOf is the key of what correlate and compare call a measure.
var keyOf = map[string]string{"time_ns": "time_ns", "speedup": "speedup", "ovr": "ovr", "wti": "wti",
	"kernel_ns": "kernel_ns", "llc_misses_per_core": "llc_misses_per_core",
	"krd far or cold": "beyond_llc", "krd far": "far", "krd cold": "cold",
	"krd >= 32 MiB or cold": "beyond_32mib"}

// inCSV returns the rows of a table and the number of each column.
func inCSV(t *testing.T, text string) (rows [][]string, column map[string]int) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column = map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	return rows, column
}

func inCells(t *testing.T, text string) (found []printed) {
	t.Helper()
	rows, column := inCSV(t, text)
	for _, r := range rows[1:] {
		if key := keyOf[r[column["quantity"]]]; key != "" {
			found = append(found, printed{r[column["scheduler"]], key, r[column["median"]]})
		}
	}
	return found
}

func inComparison(t *testing.T, text string) (found []printed) {
	t.Helper()
	var doc struct {
		Pairs []struct {
			Scheduler  string
			Quantities []struct {
				Quantity string
				A, B     result.Quantity
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, p := range doc.Pairs {
		for _, q := range p.Quantities {
			name, _, _ := strings.Cut(q.Quantity, " (")
			if key := keyOf[name]; key != "" {
				for _, side := range []result.Quantity{q.A, q.B} {
					found = append(found, printed{p.Scheduler, key, fmt.Sprint(side.Median.Float())})
				}
			}
		}
	}
	return found
}

// inPage are the sentence on reuse, the table of reuse and what the figure of misses is drawn from.
func inPage(t *testing.T, path string) (found []printed) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, m := range regexp.MustCompile(`([\d.]+)[ \x{a0}]% (?:\([^)]*\) )?of the accesses of (\w+) are to data `+
		`beyond`).FindAllStringSubmatch(text, -1) {
		found = append(found, printed{m[2], "beyond_llc", m[1]})
	}
	_, misses, _ := strings.Cut(text, `"g1-misses":`)
	for _, m := range regexp.MustCompile(`"name":"(\w+)"[^]]*?"x":([\d.]+),"at":"12 cores","y":([\d.]+)`).
		FindAllStringSubmatch(misses, 2) {
		found = append(found, printed{m[1], "beyond_32mib", m[2]},
			printed{m[1], "llc_misses_per_core", m[3]})
	}
	plain := regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(text, " ")
	for _, m := range regexp.MustCompile(`(?m)^ *12 +(\w+) +[\d.]+ +\S+ +[\d.]+ +\S+ +([\d.]+) +([\d.]+) `).
		FindAllStringSubmatch(plain, -1) {
		found = append(found, printed{m[1], "far", m[2]}, printed{m[1], "cold", m[3]})
	}
	return found
}

// inReproduction are the rows of the table of a reproduction.
func inReproduction(t *testing.T, e *dataset.Experiment) (found []printed) {
	t.Helper()
	var b strings.Builder
	p := doc.NewPage(&b, 0)
	for _, x := range kernelreuse.Tables(e) {
		p.Table(x)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(` *±\d+%|=`).ReplaceAllString(b.String(), "")
	for _, m := range regexp.MustCompile(`(?m)^ *12 +(\w+) +6 +(.*)$`).FindAllStringSubmatch(text, -1) {
		for i, cell := range strings.Fields(m[2]) {
			found = append(found, printed{m[1], []string{"time_ns", "speedup", "ovr", "wti",
				"llc_misses_per_core", "beyond_32mib", "cold"}[i], cell})
		}
	}
	return found
}

// inKRD are the shares of the table of several traces.
func inKRD(t *testing.T, text string) (found []printed) {
	t.Helper()
	head := regexp.MustCompile(`(?m)^ +(\w+) +(\w+)$`).FindStringSubmatch(text)
	if head == nil {
		t.Fatalf("no schedulers in\n%s", text)
	}
	for row, key := range map[string]string{"close": "close", "near": "near", "far": "far",
		"cold": "cold", "invalid.": "invalidated"} {
		cells := regexp.MustCompile(`(?m)^` + row + ` +([\d.]+) % +([\d.]+) %$`).
			FindStringSubmatch(text)
		if cells == nil {
			t.Fatalf("no row %s in\n%s", row, text)
		}
		for i := range 2 {
			found = append(found, printed{"one trace of " + head[i+1], key, cells[i+1]})
		}
	}
	return found
}

// inMisses are the rows of the figure of misses.
func inMisses(t *testing.T, path string) (found []printed) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\| (\w+) \| 12 cores \| ([\d.]+) `).
		FindAllStringSubmatch(string(b), 2) {
		found = append(found, printed{m[1], "llc_misses_per_core", m[2]})
	}
	return found
}
