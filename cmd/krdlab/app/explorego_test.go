package app

import (
	"bytes"
	"strings"
	"testing"

	"krdlab/loi/front/corpus"
)

// TestExploreGo records a program three times, whose workers receive different jobs each time, and shows what
// the first one prints alone.
func TestExploreGo(t *testing.T) {
	dir := corpus.Dir(t)
	var out, errs bytes.Buffer
	a := builtApp(t, dir, &out, &errs)
	if code := a.main(strings.Fields("krdlab explore go . --llc 1/8 --runs 5 --search 5 --recordings 3 -- workers")); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, want := range []string{"Of 3 recordings, the first with", "recorded, mean", "by function: least"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if code := a.main(strings.Fields("krdlab explore go . --recordings 0")); code != 2 ||
		!strings.Contains(errs.String(), "--recordings 0: expected 1 or more") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}
