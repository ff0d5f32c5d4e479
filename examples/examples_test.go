package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of the program is there, and no test.
func TestSciMark(t *testing.T) {
	there, err := SciMark.ReadDir("scimark")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("scimark/*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		n++
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := SciMark.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n != len(there) || n < 5 {
		t.Errorf("%d files are embedded, %d are there", len(there), n)
	}
}
