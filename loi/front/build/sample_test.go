package build_test

import (
	"os"
	"strings"
	"testing"

	"krdlab/loi/collect"
)

// TestChosen compares the granules that the agent chooses with those that the reader does.
func TestChosen(t *testing.T) {
	src, err := os.ReadFile("_agent/sample.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(src), "\nfunc chosen(")
	body, _, ended := strings.Cut(text, "\n}\n")
	if !ok || !ended {
		t.Fatal("the agent has no function chosen")
	}
	got, some, x := printed(t, "chooses", "package main\n\nimport \"os\"\n\nconst granule = 256\n\nfunc chosen("+body+
		"\n}\n"+chooses), 0, uint64(1)
	if len(got) != 100_000 {
		t.Fatalf("%d answers", len(got))
	}
	for i := range got {
		x = x*6364136223846793005 + 1442695040888963407
		if addr := x >> (i % 48); collect.Chosen(addr, uint64(i)) != (got[i] == '1') {
			t.Fatalf("address %#x: the agent has %c", addr, got[i])
		}
		if got[i] == '1' {
			some++
		}
	}
	if want := len(got) / 16; some < want*9/10 || some > want*11/10 {
		t.Errorf("%d of %d are chosen, expected about %d", some, len(got), want)
	}
}

// chooses prints for each of some addresses whether its granule is chosen.
const chooses = `
func main() {
	text, x := make([]byte, 100_000), uint64(1)
	for i := range text {
		x = x*6364136223846793005 + 1442695040888963407
		text[i] = '0'
		if chosen(x>>(i%48), uint64(i)) {
			text[i] = '1'
		}
	}
	os.Stdout.Write(text)
}
`
