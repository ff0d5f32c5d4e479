package examples

import (
	"bytes"
	"embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file of the programs is there, and no test.
func TestSciMark(t *testing.T) { sameFiles(t, SciMark, "scimark", 5) }

func TestNAS(t *testing.T) { sameFiles(t, NAS, "nas", 7) }

func sameFiles(t *testing.T, embedded embed.FS, dir string, least int) {
	there, err := embedded.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(dir + "/*.go")
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
		if got, err := embedded.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n != len(there) || n < least {
		t.Errorf("%d files are embedded, %d are there", len(there), n)
	}
}

// The program of the libraries has, by itself, the versions that krdlab has.
func TestModules(t *testing.T) {
	for _, name := range []string{"go.mod", "go.sum"} {
		ours, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := Modules.ReadFile("modules/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) < 2 || fields[0] == "module" || !strings.Contains(fields[1], ".") {
				continue
			}
			n++
			version := strings.Join(fields[:2], " ") // without "// indirect"
			if name == "go.sum" {
				version = strings.Join(fields, " ")
			}
			if !strings.Contains(string(ours), version) {
				t.Errorf("%s has not %q: go.mod.txt and go.sum.txt follow it", name, version)
			}
		}
		if n < 6 {
			t.Errorf("%s.txt names %d modules", name, n)
		}
	}
}
