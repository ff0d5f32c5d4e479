package sweep_test

import (
	"os"
	"strings"
	"testing"

	"krdlab/experiments/sweep"
)

// docs/sweeps.md names every column, and its example of a file is one.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/sweeps.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, c := range small().Columns {
		if !strings.HasPrefix(c.Key, "param_") && !strings.Contains(text, "`"+c.Key+"`") {
			t.Errorf("column %s is not in docs/sweeps.md", c.Key)
		}
	}
	_, example, ok := strings.Cut(text, "```toml\n")
	example, _, closed := strings.Cut(example, "```")
	if !ok || !closed {
		t.Fatal("there is no example of a file")
	}
	f, err := sweep.ParseFile("docs/sweeps.md", []byte(example))
	if err != nil || len(f.Kernels) != 2 || len(f.Common) != 4 {
		t.Errorf("the example: %+v, %v", f, err)
	}
}
