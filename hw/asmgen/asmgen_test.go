package asmgen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
)

// empty emits a function that does nothing.
func empty(name string) func(*build.Context) {
	return func(c *build.Context) {
		c.Function(name)
		c.SignatureExpr("func()")
		c.RET()
	}
}

var errEdit = errors.New("no")

// Files just written are not stale. A changed byte, a missing file, another package, another
// function and another edit are found, each with the file's name, and the other files are not
// accused.
func TestStale(t *testing.T) {
	files := []File{{Asm: "a.s", Stubs: "a.go", Emit: empty("a")},
		{Asm: "b.s", Stubs: "b.go", Emit: empty("b"), Edit: func(text []byte) ([]byte, error) {
			return bytes.ReplaceAll(text, []byte("RET"), []byte("NOP\n\tRET")), nil
		}}}
	dir := t.TempDir()
	write := func() {
		texts, err := Generate("p", files)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range texts {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	write()
	if err := Stale(dir, "p", files...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b.s")); err != nil ||
		!bytes.Contains(text, []byte("\tNOP\n\tRET\n")) || !bytes.Contains(text, []byte("amd64")) {
		t.Errorf("%v, b.s is\n%s", err, text)
	}
	for _, x := range []struct {
		what  string
		spoil func() (pkg string, files []File)
		stale string // the files, with spaces
	}{
		{"a changed byte", func() (string, []File) {
			text, _ := os.ReadFile(filepath.Join(dir, "a.go"))
			text[len(text)-1]++
			os.WriteFile(filepath.Join(dir, "a.go"), text, 0o666)
			return "p", files
		}, "a.go"},
		{"a missing file", func() (string, []File) {
			os.Remove(filepath.Join(dir, "b.s"))
			return "p", files
		}, "b.s"},
		{"another package", func() (string, []File) { return "q", files }, "a.go b.go"},
		{"another function", func() (string, []File) {
			changed := files[0]
			changed.Emit = empty("z")
			return "p", []File{changed, files[1]}
		}, "a.s a.go"},
		{"another edit", func() (string, []File) {
			changed := files[1]
			changed.Edit = nil
			return "p", []File{files[0], changed}
		}, "b.s"},
	} {
		write()
		pkg, spoilt := x.spoil()
		err := Stale(dir, pkg, spoilt...)
		if err == nil {
			t.Errorf("%s is not found", x.what)
			continue
		}
		for _, name := range []string{"a.s", "a.go", "b.s", "b.go"} {
			want := strings.Contains(" "+x.stale+" ", " "+name+" ")
			if strings.Contains(err.Error(), name) != want {
				t.Errorf("%s: %v: %s is stale: %v", x.what, err, name, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := File{Asm: "a.s", Stubs: "a.go", Emit: empty("a")}
	for _, x := range []struct {
		what  string
		files []File
		want  string
	}{
		{"an edit that fails", []File{{Asm: "b.s", Stubs: "b.go", Emit: empty("b"),
			Edit: func([]byte) ([]byte, error) { return nil, errEdit }}}, "b.s: no"},
		{"an instruction that avo refuses", []File{{Asm: "b.s", Stubs: "b.go",
			Emit: func(c *build.Context) {
				empty("b")(c)
				c.ADDQ(nil, nil)
			}}}, "b.s: "},
		{"one name twice", []File{good, good}, "one name"},
		{"no files", nil, "no files"},
	} {
		if err := Stale(t.TempDir(), "p", x.files...); err == nil ||
			!strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.what, err, x.want)
		}
	}
}
