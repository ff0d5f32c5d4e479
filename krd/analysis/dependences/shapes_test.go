package dependences

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/loi/front/corpus"
)

var update = flag.Bool("update", false, "write the table of docs/dependences.md anew")

// different lists the loops of the case shapes whose answer is not the one above them, by their
// function and which of its loops they are, with the answer and the reason.
var different = map[string]struct{ answer, why string }{}

// TestShapes compares the answers of the case shapes with those above its loops. Variables that the
// head of a loop steps are in no answer. The table of docs/dependences.md has both.
func TestShapes(t *testing.T) {
	list := shapes(t)
	answers := answersOf(t, dependencesOf(t, "shapes", nil))
	if len(list) < 80 || len(list) != len(answers) {
		t.Errorf("%d loops, %d were executed, expected the same and at least 80", len(list),
			len(answers))
	}
	known := 0
	table, reasons := &strings.Builder{}, &strings.Builder{}
	table.WriteString(tableHead)
	for _, s := range list {
		got, want, cell := answers[s.loop], s.want, "same"
		d, differs := different[s.name]
		if differs {
			known++
			want, cell = d.answer, d.answer
			fmt.Fprintf(reasons, "\n- %s: %s", s.name, d.why)
		}
		if got != want || differs && got == s.want {
			t.Errorf("%s (%s) is %q, expected %q", s.name, s.loop, got, want)
		}
		row := []string{s.name, s.source, s.want, cell}
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		fmt.Fprintf(table, "| %s |\n", strings.Join(row, " | "))
	}
	if known != len(different) {
		t.Errorf("%d loops of those that differ are there, expected %d", known, len(different))
	}
	if t.Failed() {
		return // the table would say that they are the same
	}
	documented(t, strings.TrimSuffix(table.String()+reasons.String(), "\n")+"\n")
}

const tableHead = "| loop | shape, and what its suite notes | by hand | ours |\n|---|---|---|---|\n"

// documented compares the table and the reasons at the end of docs/dependences.md, or writes them.
func documented(t *testing.T, table string) {
	t.Helper()
	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(line) - 1; n > 100 {
			t.Errorf("%d columns, expected 100 at most: %s", n, line)
		}
	}
	file := filepath.Join("..", "..", "..", "docs", "dependences.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, now, ok := strings.Cut(string(text), tableHead)
	if !ok {
		t.Fatalf("%s has no table that begins with %q", file, tableHead)
	}
	if tableHead+now == table {
		return
	}
	if !*update {
		t.Fatalf("%s does not end with the table of the case: -update writes it", file)
	}
	if err := os.WriteFile(file, []byte(before+table), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shape is a loop of the case: its name in the trace, its function and, where that has several,
// which it is, and what stands above it.
type shape struct{ loop, name, want, source string }

var functions = regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)

// shapes reads the sources of the case.
func shapes(t *testing.T) (all []shape) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpus.Source(), "program", "shapes", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		function, first := "", 0
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if m := functions.FindStringSubmatch(line); m != nil {
				function, first = m[1], len(all)
			}
			if !strings.HasPrefix(strings.TrimSpace(line), "for ") {
				continue
			}
			want, ok := strings.CutPrefix(strings.TrimSpace(lines[i-2]), "// want: ")
			source, sourced := strings.CutPrefix(strings.TrimSpace(lines[i-1]), "// ")
			if !ok || !sourced {
				t.Fatalf("%s:%d: no answer and source of it above the loop", file, i+1)
			}
			name := function
			if n := len(all) - first; n > 0 {
				all[first].name, name = function+"/1", fmt.Sprintf("%s/%d", function, n+1)
			}
			all = append(all, shape{fmt.Sprintf("main.%s:%d", function, i+1), name,
				inOrder(strings.Split(want, "; ")), source})
		}
	}
	return all
}

// answersOf returns the class of each loop, with what removes dependences.
func answersOf(t *testing.T, d *Document) map[string]string {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Loops []struct {
			Name     string
			Class    *string
			Distance *int
			Removed  []struct {
				By, Name, Operator string
				Line               int
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, l := range doc.Loops {
		class := "n/a"
		if l.Class != nil {
			class = *l.Class
		}
		if l.Distance != nil {
			class += fmt.Sprint(" ", *l.Distance)
		}
		parts := []string{class}
		for _, r := range l.Removed {
			if r.By == "induction" && strings.HasSuffix(l.Name, fmt.Sprint(":", r.Line)) {
				continue
			}
			parts = append(parts, strings.TrimSpace(r.By+" "+r.Name+" "+r.Operator))
		}
		answers[l.Name] = inOrder(parts)
	}
	return answers
}

// inOrder joins a class and what removes dependences, sorted and each once.
func inOrder(parts []string) string {
	slices.SortFunc(parts[1:], cmp.Compare)
	return strings.Join(slices.Compact(parts), "; ")
}
