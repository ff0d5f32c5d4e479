package machine

import (
	"os"
	"strings"
	"testing"
)

// docs/machines.md names every field, its example reads, and it lists the machines that there are.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/machines.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(text)
	_, table, ok := strings.Cut(doc, "| field | what | unit |")
	if !ok {
		t.Fatal("there is no table of fields")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	paths := []string{"families.NAME.…", "ranges.…", "sources.…",
		"fits.…"}
	new(Machine).walk(func(f *field) { paths = append(paths, f.path) })
	for _, p := range paths {
		if !strings.Contains(table, "`"+p+"`") {
			t.Errorf("the table of fields has no %s", p)
		}
	}
	for _, name := range Names() {
		if !strings.Contains(doc, "| `"+name+"` |") {
			t.Errorf("the table of machines has no %s", name)
		}
	}
	var example strings.Builder
	for line := range strings.Lines(doc) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example.WriteString(code)
		} else if example.Len() > 0 && line != "\n" {
			break // further blocks are commands
		}
	}
	m, err := Parse("docs/machines.md", []byte(example.String()))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "small" || m.Memory.LocalPS != 80_000 ||
		m.CostsOf("qthreads-socket").LockPS != 50_000 || m.Guessed("memory.local") ||
		!m.Guessed("costs.spawn") {
		t.Errorf("the example is %+v", m)
	}
}
