package app

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/sweep"
)

// fakeSlurm are commands that keep each script and its options, refuse a script with REFUSED in it, and
// answer squeue and sacct with files.
var fakeSlurm = map[string]string{
	"sbatch": `n=$(($(cat "$FAKE/n" 2>/dev/null || echo 0) + 1)); echo $n >"$FAKE/n"
cat >"$FAKE/$n.sh"; echo "$@" >"$FAKE/$n.args"
if grep -q -e "$(cat "$FAKE/refuse" 2>/dev/null || echo 'refuse nothing')" "$FAKE/$n.sh"
then echo 'sbatch: error: Batch job submission failed' >&2; exit 1; fi
echo $n`,
	"squeue":   `cat "$FAKE/queue.txt"`,
	"sacct":    `cat "$FAKE/accounts.txt"`,
	"scontrol": `echo 'MaxArraySize = 3'`,
}

// TestFakeSlurm has a user of a cluster meet elements of several cells, a throttle, lines of setup, a time limit, an
// array that is refused beside which the rest and the tables are submitted, cells that are in the queue
// already, and elements that ended before krdlab began.
func TestFakeSlurm(t *testing.T) {
	t.Parallel()
	fake := t.TempDir()
	for name, text := range fakeSlurm {
		if err := os.WriteFile(filepath.Join(fake, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(fake, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(fake, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	env := append(os.Environ(), "FAKE="+fake, "PATH="+fake+":"+os.Getenv("PATH"))
	run := func(name string, args ...string) (string, int) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Env = env
		out, err := c.CombinedOutput()
		if err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	program, err := exec.LookPath("krdlab")
	if err != nil {
		t.Fatal(err)
	}
	exp := filepath.Join(t.TempDir(), "exp")
	if out, code := run("krdlab", "sweep", "matmul", "--n", "32", "--cores", "1,2,3,4,5,6,7", "--sched",
		"workfirst", "--machine", "westmere-ex-4s", "--reps", "1", "--plan-only", "--out", exp); code != 0 {
		t.Fatal(out)
	}
	submit := func(args ...string) (string, int) {
		t.Helper()
		return run("krdlab", append([]string{"sweep", "submit", exp, "--program", program,
			"--cells-per-element", "2"}, args...)...)
	}

	// arrays of at most three elements of two cells: 0-5 and 6; the second is refused
	write("queue.txt", "")
	write("refuse", "set -- 6$")
	out, code := submit("--at-once", "1", "--setup", "export A=$((1+1))", "--time", "45m")
	if code != 1 || !strings.Contains(out, "job 1: 6 cells") || !strings.Contains(out, "job 3: tables") ||
		!strings.Contains(out, "1 cells from 6: ") || !strings.Contains(out, "Batch job submission failed") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	for _, line := range []string{"#SBATCH --array=0-2%1\n", "#SBATCH --time=90\n", "\nexport A=$((1+1))\n",
		"set -- 0,1 2,3 4,5\n"} {
		if !strings.Contains(read("1.sh"), line) {
			t.Errorf("no %q in\n%s", line, read("1.sh"))
		}
	}
	if got := strings.TrimSpace(read("3.args")); got != "--parsable --dependency=afterany:1" {
		t.Errorf("tables: %s", got)
	}

	// the middle element runs; the first waits; the last is submitted again with what was refused
	c := exec.Command("sh", filepath.Join(fake, "1.sh"))
	c.Env = append(env, "SLURM_ARRAY_TASK_ID=1")
	if out, err := c.CombinedOutput(); err != nil || strings.Count(string(out), "is done after") != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	write("refuse", "refuse nothing")
	write("queue.txt", "1 0\n99 N/A\n")
	out, code = submit("--time", "auto")
	if code != 0 || !strings.Contains(out, "2 cells in the queue already, of jobs 1") ||
		!strings.Contains(out, "job 4: 3 cells") || !strings.Contains(read("4.sh"), "\nset -- 4,5 6\n") ||
		!strings.Contains(read("4.sh"), "#SBATCH --time=1\n") ||
		!strings.HasSuffix(strings.TrimSpace(read("5.args")), "afterany:1:4") {
		t.Errorf("exit code %d:\n%s\n%s\n%s", code, out, read("4.sh"), read("5.args"))
	}

	// the elements of the second array end without krdlab
	write("accounts.txt", "4_0|FAILED|127:0\n4_1|FAILED|127:0\n1_1|COMPLETED|0:0\n")
	for i := range 2 {
		if err := os.WriteFile(filepath.Join(exp, "slurm", fmt.Sprintf("4_%d.out", i)),
			[]byte("script: line 9: krdlab: not found\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var s sweep.Status
	out, code = run("krdlab", "sweep", "status", exp, "--json")
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 || len(s.Ended) != 1 ||
		s.Ended[0] != (sweep.EndedElement{Element: "4_0", Elements: 2, Cells: 3,
			State: "FAILED, exit code 127", Output: "script: line 9: krdlab: not found"}) {
		t.Errorf("exit code %d, %v: %+v\n%s", code, err, s.Ended, out)
	}
	if out, _ := run("krdlab", "sweep", "status", exp); !strings.Contains(out, "krdlab: not found") {
		t.Errorf("status:\n%s", out)
	}
	for _, bad := range [][]string{{"--time", "soon"}, {"--setup", "#SBATCH --x"}, {"--at-once", "-1"},
		{"--cells-per-element", "0"}} {
		if out, code := submit(bad...); code != 2 {
			t.Errorf("%v: exit code %d\n%s", bad, code, out)
		}
	}
	if out, code := run("krdlab", "sweep", "exec", "--plan", exp, "--index", "1-"); code != 2 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
