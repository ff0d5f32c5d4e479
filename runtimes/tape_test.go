//go:build !krdlab_tape

package runtimes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"krdlab/hw/hwtest"
)

// The tests of replays need a build in which workers have tapes; this runs them in one, all of
// them.
func TestWithTapes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go") // go test takes the files read for dependences
	if err != nil {
		t.Fatal(err)
	}
	tagged := regexp.MustCompile(`(?m)^//go:build krdlab_tape$`)
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	var want []string
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if tagged.Match(src) {
			for _, m := range test.FindAllSubmatch(src, -1) {
				want = append(want, string(m[1]))
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("no file has tests for a build with tapes")
	}
	args := []string{"test", "-tags=krdlab_tape", "-v", "-run=^TestReplay"}
	if hwtest.Race {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range want {
		if !regexp.MustCompile(`(?m)^--- PASS: ` + name + ` `).Match(out) {
			t.Errorf("%s did not run:\n%s", name, out)
		}
	}
}
