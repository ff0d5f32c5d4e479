package app

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"krdlab/krd/doc"
)

var updateFindings = flag.Bool("update-findings", false, "write docs/findings.md as the catalogue is now")

// Every code stands in the catalogue, with a level and a sentence of at most 40 words, the same
// from a document that was written and read; docs/findings.md has them all.
func TestCatalogue(t *testing.T) {
	code := regexp.MustCompile(`(?m)^(?:const)?\s+\w+\s+(?:\w+\.)?Code\s*= "([a-z_0-9]+)"`)
	declared := map[doc.Code]bool{doc.CannotTell: true}
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			declared[doc.Code(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page := &strings.Builder{}
	page.WriteString(findingsHead)
	for _, f := range findings() {
		e, _ := f.Code.In()
		if !declared[f.Code] {
			t.Errorf("%s is declared nowhere", f.Code)
		}
		delete(declared, f.Code)
		if e.Level == "" || f.Sentence == "" || strings.Contains(f.Sentence, "%!") ||
			len(strings.Fields(f.Sentence)) > 40 {
			t.Errorf("%s: %q, %q, expected a level and a sentence of at most 40 words", f.Code, e.Level, f.Sentence)
		}
		text, err := json.Marshal(doc.Find(f.Code, e.Example...))
		var back doc.Finding
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil || back.Sentence() != f.Sentence {
			t.Errorf("%s: %q, read back %q, %v", f.Code, f.Sentence, back.Sentence(), err)
		}
		page.WriteString("| `" + string(f.Code) + "` | " + string(f.Level) + " | " +
			strings.ReplaceAll(f.Sentence, "|", "\\|") + " | " + f.Needs + " |\n")
	}
	for c := range declared {
		t.Errorf("%s does not stand in the catalogue", c)
	}
	file := filepath.Join(root, "docs", "findings.md")
	text, err := os.ReadFile(file)
	catalogue, scores, found := strings.Cut(string(text), "\n## Planted truths\n") // of experiments/test/planted
	if *updateFindings && err == nil {
		if found {
			scores = "\n## Planted truths\n" + scores
		}
		err = os.WriteFile(file, []byte(page.String()+scores), 0o666)
		catalogue = page.String()
	}
	if err != nil || catalogue != page.String() {
		t.Errorf("docs/findings.md is not the catalogue: go test ./cmd/krdlab/app -run Catalogue " +
			"-update-findings writes it")
	}
}

const findingsHead = `# Findings

A conclusion or doubt of a command is a value: a code, and the numbers and names that belong to it.
The catalogue has a sentence for each code, here with numbers for example; ` + "`krdlab list findings`" + `
prints it. ` + "`findings`" + ` of a document has them, ` + "`warnings`" + ` their sentences. An *answer* needs the
evidence that stands beside it, else it is said that it cannot be told; a *doubt* says that numbers
are wrong or may be, a *limit* what is not told and why, a *note* what one has to know besides.

| code | level | sentence | needs |
|---|---|---|---|
`
