package goprogram

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi/front/build"
)

// A user's own overlay is part of the program. Other settings change nothing that is recorded.
func TestOverlayOfUser(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	program := "package main\n\nimport \"fmt\"\n\nvar total int\n\nfunc main() {\n\tfor range %d {\n" +
		"\t\ttotal++\n\t}\n\tfmt.Println(total)\n}\n"
	write(dir, "go.mod", "module example.org/x\n\ngo 1.26\n")
	write(dir, "main.go", fmt.Sprintf(program, 3))
	write(other, "main.go", fmt.Sprintf(program, 30))
	write(other, "overlay.json", fmt.Sprintf(`{"Replace": {%q: %q}}`, filepath.Join(dir, "main.go"),
		filepath.Join(other, "main.go")))
	t.Setenv("GOFLAGS", "-json -x -work -buildmode=pie '-ldflags=-s -w' -overlay="+
		filepath.Join(other, "overlay.json"))
	d, out := traceAt(t, build.Request{Dir: dir, Path: "."}, Lines)
	if n := part(t, d.Objects, "main.total").Accesses; n != 31 || out != "30\n" {
		t.Errorf("printed %q, %d accesses of the variable, expected 30 and 31", out, n)
	}
	write(other, "overlay.json", fmt.Sprintf(`{"Replace": {%q: ""}}`, filepath.Join(dir, "main.go")))
	_, err := build.Run(t.Context(), build.Request{Dir: dir, Path: "."}, t.TempDir())
	if !errors.Is(err, build.ErrSetting) || !strings.Contains(fmt.Sprint(err), "removes "+dir) {
		t.Errorf("an overlay that removes a file: %v", err)
	}
}
