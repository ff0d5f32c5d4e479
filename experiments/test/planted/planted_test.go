package planted

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/doc"
)

var update = flag.Bool("update", false, "write the table of planted truths into docs/findings.md")

// root is the folder of krdlab.
var root = filepath.Join("..", "..", "..")

// truths are all of them.
var truths = slices.Concat(tables, sizes, machines, graphs, programs, kernelled, scheduled, others)

// firstOf is among how many of its level a finding has to be.
const firstOf = 3

// A finding is one of a document.
type finding struct {
	Code    doc.Code `json:"code"`
	Subject string   `json:"subject"`
	Args    []any    `json:"args"`
}

func (f *finding) is(n named) bool {
	subject := f.Subject
	if subject == "" && len(f.Args) > 0 {
		subject = fmt.Sprint(f.Args[0])
	}
	if f.Code != n.code || n.subject == "" || n.subject == subject {
		return f.Code == n.code
	}
	return len(f.Args) > 0 && n.subject == subject+": "+fmt.Sprint(f.Args[0])
}

// between reports whether a number lies where it has to.
func (f *finding) between(n number) bool {
	if n.arg >= len(f.Args) {
		return false
	}
	v, ok := f.Args[n.arg].(float64)
	return ok && n.from <= v && v <= n.to
}

// krdlab is the program, built once, and the level of each code of its catalogue.
type krdlab struct {
	program string
	levels  map[doc.Code]doc.Level
}

func built(t *testing.T) *krdlab {
	// go test takes its kept result where all files that it saw this process look at are as they were.
	seen := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == "testdata" || len(e.Name()) > 2 && e.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, "_test.go") && filepath.Ext(path) != ".md" {
			_, err = os.Stat(path)
			seen++
		}
		return err
	})
	if err != nil || seen < 500 {
		t.Fatalf("%d files of krdlab, %v", seen, err)
	}
	k := &krdlab{filepath.Join(t.TempDir(), "krdlab"), map[doc.Code]doc.Level{}}
	k.build(t, map[string]string{"cmd/krdlab/main.go": planter})
	var listed struct {
		Findings []struct {
			Code  doc.Code  `json:"code"`
			Level doc.Level `json:"level"`
		} `json:"findings"`
	}
	if err := k.document(t.TempDir(), "list findings --json", &listed); err != nil {
		t.Fatal(err)
	}
	for _, f := range listed.Findings {
		k.levels[f.Code] = f.Level
	}
	return k
}

// build builds krdlab with other texts of some files.
func (k *krdlab) build(t *testing.T, texts map[string]string) {
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range texts {
		path, err := filepath.Abs(filepath.Join(root, name))
		other := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err = errors.Join(err, os.WriteFile(other, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		replace[path] = other
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err = errors.Join(err, os.WriteFile(overlay, text, 0o666)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "build", "-overlay", overlay, "-o", k.program, "krdlab/cmd/krdlab")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// document runs commands in a folder, and decodes what the last prints, whatever its exit code is: a
// traced program may fail.
func (k *krdlab) document(dir, lines string, to any) error {
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		command, file, kept := strings.Cut(strings.TrimSpace(line), " > ")
		if words := strings.Fields(command); words[0] == "set" {
			if err := set(filepath.Join(dir, words[1]), words[2], words[3]); err != nil {
				return err
			}
			continue
		}
		c := exec.Command(k.program, strings.Fields(command)...)
		var out, said bytes.Buffer
		c.Dir, c.Stdout, c.Stderr = dir, &out, &said
		err := c.Run()
		if document := strings.Contains(command, "--json"); document && json.Valid(out.Bytes()) {
			err = nil
		} else if err == nil && document {
			err = errors.New("it prints no document")
		}
		if err != nil {
			return fmt.Errorf("krdlab %s: %w\n%s", command, err, said.Bytes()[:min(said.Len(), 2000)])
		}
		if kept {
			if err := os.WriteFile(filepath.Join(dir, file), out.Bytes(), 0o666); err != nil {
				return err
			}
		} else if strings.Contains(command, "--json") {
			if err := json.Unmarshal(out.Bytes(), to); err != nil {
				return fmt.Errorf("krdlab %s: %w", command, err)
			}
		}
	}
	return nil
}

// set gives a quantity of a machine's file another value, and leaves out its range.
func set(file, name, value string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	section, done := "", false
	dot := strings.LastIndex(name, ".")
	var kept []string
	for line := range strings.Lines(string(text)) {
		key, _, _ := strings.Cut(line, " = ")
		switch {
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]\n")
		case section == "ranges" && key == name:
			continue
		case section == name[:dot] && key == name[dot+1:]:
			line, done = fmt.Sprintf("%s = %q\n", key, value), true
		}
		kept = append(kept, line)
	}
	if !done {
		return fmt.Errorf("%s has no %s", file, name)
	}
	return os.WriteFile(file, []byte(strings.Join(kept, "")), 0o666)
}

// findings lays a truth into a folder and returns what is found there.
func (k *krdlab) findings(t *testing.T, x *truth) []finding {
	dir := t.TempDir()
	for name, text := range x.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if x.lay != nil {
		if err := x.lay(dir); err != nil {
			t.Fatal(err)
		}
	}
	var printed json.RawMessage
	if err := k.document(dir, x.run, &printed); err != nil {
		t.Fatal(err)
	}
	if printed[0] != '[' {
		printed = slices.Concat([]byte("["), printed, []byte("]"))
	}
	var of []struct {
		Findings []finding `json:"findings"`
	}
	if err := json.Unmarshal(printed, &of); err != nil || len(of) == 0 {
		t.Fatalf("%s: %v", printed[:min(len(printed), 200)], err)
	}
	return of[0].Findings
}

// rank returns the place of a finding among those of its level, from 1; 0: it is not there.
func (k *krdlab) rank(list []finding, n named) int {
	at := map[doc.Level]int{}
	for i := range list {
		level := k.levels[list[i].Code]
		at[level]++
		if list[i].is(n) {
			return at[level]
		}
	}
	return 0
}

// Each truth is found among the first of its level, one without a finding yet is not, and nothing is
// found that must not be.
func TestPlanted(t *testing.T) {
	k := built(t)
	k.covers(t)
	for i := range truths {
		x := &truths[i]
		t.Run(strings.ReplaceAll(x.group+"/"+x.name, " ", "-"), func(t *testing.T) {
			if x.long {
				long.Only(t, "it takes more than a second")
			}
			t.Parallel()
			for _, wrong := range k.wrong(t, x) {
				t.Error(wrong)
			}
		})
	}
}

// wrong are the departures of what is found from a truth.
func (k *krdlab) wrong(t *testing.T, x *truth) (wrong []string) {
	list := k.findings(t, x)
	var missing []any
	for _, n := range x.want {
		if r := k.rank(list, n); r == 0 || r > firstOf {
			missing = append(missing, n)
		}
	}
	for _, n := range x.tells {
		if r := k.rank(list, n.named); r == 0 || r > firstOf || !slices.ContainsFunc(list, func(f finding) bool {
			return f.is(n.named) && f.between(n)
		}) {
			missing = append(missing, n)
		}
	}
	if found := len(missing) == 0; x.planted() && found == (x.why != "") {
		wrong = append(wrong, fmt.Sprintf("%v of %v%v not among the first %d of their level, expected %v; found %v", missing,
			x.want, x.tells, firstOf, map[bool]string{true: "none", false: "all, since " + x.why}[x.why == ""], brief(list)))
	}
	for _, n := range x.never {
		if slices.ContainsFunc(list, func(f finding) bool { return f.is(n) }) {
			wrong = append(wrong, fmt.Sprintf("%v is found, and is not so: %v", n, brief(list)))
		}
	}
	return wrong
}

// planted reports that something has to be found.
func (x *truth) planted() bool { return len(x.want)+len(x.tells) > 0 }

// brief are the codes and subjects of findings.
func brief(list []finding) (words []string) {
	for _, f := range list {
		words = append(words, strings.TrimSpace(string(f.Code)+" "+f.Subject))
	}
	return words
}

// mostUndone is how many codes have no truth that has them, or none that must not, here or elsewhere: it
// only falls.
const mostUndone = 142

// Each code of the catalogue has a truth that wants it and one that never has it.
func (k *krdlab) covers(t *testing.T) {
	wanted, refused := map[doc.Code]bool{}, map[doc.Code]bool{}
	for i := range truths {
		for _, n := range truths[i].want {
			wanted[n.code] = wanted[n.code] || truths[i].why == ""
		}
		for _, n := range truths[i].tells {
			wanted[n.code] = wanted[n.code] || truths[i].why == ""
		}
		for _, n := range truths[i].never {
			refused[n.code] = true
		}
	}
	for i := range elsewhere {
		e := &elsewhere[i]
		if refused[e.code] = true; wanted[e.code] {
			t.Errorf("%s has a truth, and is in the table of those elsewhere", e.code)
		}
		wanted[e.code] = true
		e.check(t)
	}
	var without []doc.Code
	for _, c := range slices.Sorted(maps.Keys(k.levels)) {
		if !wanted[c] || !refused[c] {
			without = append(without, c)
		}
	}
	if len(without) != mostUndone {
		t.Errorf("%d codes have no truth that has them, or none that must not, expected %d: %v", len(without),
			mostUndone, without)
	}
}

// The table of docs/findings.md is that of the truths, whose results TestPlanted holds.
func TestScore(t *testing.T) {
	page := &strings.Builder{}
	page.WriteString(scoreHead)
	type score struct{ planted, found, none int }
	var all score
	by := map[string]*score{}
	var open []string
	names := map[string]bool{}
	for i := range truths {
		x := &truths[i]
		if names[x.group+x.name] {
			t.Errorf("there are two truths %s, %s", x.group, x.name)
		}
		names[x.group+x.name] = true
		s := by[x.command()]
		if s == nil {
			s = &score{}
			by[x.command()] = s
		}
		switch {
		case !x.planted() && len(x.never) == 0:
			t.Errorf("%s, %s: neither has anything to be found nor to be not", x.group, x.name)
		case !x.planted():
		case x.why != "":
			open = append(open, fmt.Sprintf("| %s | %s | %s |\n", x.name, x.command(), x.why))
		default:
			s.found, all.found = s.found+1, all.found+1
		}
		if len(x.never) > 0 {
			s.none, all.none = s.none+1, all.none+1
		}
		if x.planted() {
			s.planted, all.planted = s.planted+1, all.planted+1
		}
	}
	row := func(name string, s score) {
		fmt.Fprintf(page, "| %s | %d of %d | 0 of %d |\n", name, s.found, s.planted, s.none)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		row("`"+name+"`", *by[name])
	}
	row("all", all)
	if len(open) > 0 {
		page.WriteString("\n| no finding yet | command | since |\n|---|---|---|\n" + strings.Join(open, ""))
	}
	file := filepath.Join(root, "docs", "findings.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, before, _ := strings.Cut(string(text), scoreHead[:strings.Index(scoreHead, "\n\n")])
	if now := scoreHead[:strings.Index(scoreHead, "\n\n")] + before; *update {
		if err := os.WriteFile(file, []byte(catalogue+page.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if now != page.String() {
		t.Error("docs/findings.md has another table: go test ./experiments/test/planted -run Score -update writes it")
	}
}

// command is that of the last line: its words up to a flag or an argument.
func (x *truth) command() string {
	lines := strings.Split(strings.TrimSpace(x.run), "\n")
	words := strings.Fields(lines[len(lines)-1])
	if slices.Contains([]string{"predict", "change", "go"}, words[1]) {
		return "krdlab " + words[0] + " " + words[1]
	}
	return "krdlab " + words[0]
}

const scoreHead = `
## Planted truths

Inputs of experiments/test/planted were made so that what is to be concluded is known. A truth is
found if it is among the first three findings of its level. Inputs without a defect, or with another
one, have findings that must not be there: false are inputs that have one of them.
Ten (others_test.go) were listed before the rules were read, and run once: 8 were found. The numbers
of the four of ` + "`krdlab model`" + ` were set after its rules had been read, so that these are not blind.
` + "`go test ./experiments/test/planted`" + ` runs them, and fails on any other score.

| command | found, of planted | false, of those without |
|---|---|---|
`
