package goprogram

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	page, err := read.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html strings.Builder
	if err := page.Standalone(&html); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Accesses by function", "Kernel reuse distance",
		read.Functions[0].Name, `"kind":"stacked"`} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the page has no %q", want)
		}
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
