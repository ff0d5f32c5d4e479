package app

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page of a window has the executions in it and the times of the whole run; a window of all of a
// run has all of its executions.
func TestViewWindow(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(line string) (errs string, code int) {
		var out, stderr bytes.Buffer
		code = newApp(&out, &stderr).main(append([]string{"krdlab"}, strings.Fields(line)...))
		return stderr.String(), code
	}
	if errs, code := run("run matmul --n 256 --cores 4 --reps 1 --machine westmere-ex-4s --trace full,tasks " +
		"--out r"); code != 0 {
		t.Fatal(errs)
	}
	counts := map[string]string{}
	head := regexp.MustCompile(`"count":(\d+),.*?"noTree":"(.*?)"(?:,"window":\{"from":(\d+),"to":(\d+))?`)
	for _, flags := range []string{"", "--from 0ns --to 5s", "--from 100us", "--from 100us --to 200us", "--to 100us"} {
		if errs, code := run("view r --out page.html " + flags); code != 0 {
			t.Fatalf("%s: exit code %d, %s", flags, code, errs)
		}
		page, err := os.ReadFile("page.html")
		if err != nil {
			t.Fatal(err)
		}
		found := head.FindSubmatch(page)
		if found == nil {
			t.Fatalf("%s: no count in the page", flags)
		}
		if whole := flags == ""; (len(found[3]) == 0) != whole || (len(found[2]) == 0) != whole {
			t.Errorf("%s: %q", flags, found)
		}
		counts[flags] = string(found[1])
		if flags == "--from 100us --to 200us" && (string(found[3]) != "100000000" || string(found[4]) != "200000000") {
			t.Errorf("from %s to %s ticks, expected 100000000 to 200000000 ps", found[3], found[4])
		}
	}
	if all := counts[""]; counts["--from 0ns --to 5s"] != all || counts["--from 100us"] == all ||
		counts["--to 100us"] == all || counts["--from 100us --to 200us"] == all {
		t.Errorf("executions: %v", counts)
	}
}
