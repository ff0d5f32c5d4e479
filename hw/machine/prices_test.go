package machine

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The fitted prices in docs/simulation.md are those of the machine.
func TestDocsPrices(t *testing.T) {
	page, err := os.ReadFile("../../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("machines/westmere-ex-4s.toml")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(families\\.[a-z-]+)` \\| (.*?) ns \\|")
	found := 0
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		_, table, ok := strings.Cut(string(file), "\n["+m[1]+"]\n")
		table, _, _ = strings.Cut(table, "\n[")
		if !ok {
			t.Errorf("the machine has no %s", m[1])
			continue
		}
		for _, price := range strings.Split(m[2], ", ") {
			name, value, _ := strings.Cut(price, " ")
			if line := fmt.Sprintf("%s = %q", name, value+"ns"); !strings.Contains(table, line) {
				t.Errorf("docs/simulation.md: %s of %s is %s, the machine has\n%s", name, m[1], value,
					table)
			}
			found++
		}
	}
	if found < 12 {
		t.Errorf("only %d prices were found", found)
	}
}
