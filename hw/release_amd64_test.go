//go:build !race

package hw

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The compiler makes a plain MOV of each store-release, and leaves it between the stores before and
// after it.
func TestReleaseStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release")
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("go", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("build", "-o", path, "./testdata/release")
	functions := strings.Split(run("tool", "objdump", "-s", `^main\.store`, path), "TEXT ")[1:]
	if len(functions) != 5 {
		t.Fatalf("%d functions, want 5", len(functions))
	}
	// the source line, the instruction and what it works on; AX holds the address of the box
	line := regexp.MustCompile(`(?m)^\s+(\w+\.go):\d+\s+0x\w+\s+\w+\s+(\w+)(?: (.*?))?\s*$`)
	store := regexp.MustCompile(`^\w+, (?:0x[0-9a-f]+|0)\(AX\)$`)
	for _, f := range functions {
		var stores []string
		for _, m := range line.FindAllStringSubmatch(f, -1) {
			file, op, operands := m[1], m[2], m[3]
			if strings.HasPrefix(op, "XCHG") || op == "LOCK" || strings.HasSuffix(op, "FENCE") {
				t.Errorf("%s %s in\n%s", op, operands, f)
			}
			if store.MatchString(operands) && strings.HasPrefix(op, "MOV") {
				stores = append(stores, file)
			}
		}
		if got := strings.Join(stores, " "); got != "main.go release_plain.go main.go" {
			t.Errorf("the stores are of %s in\n%s", got, f)
		}
	}
}
