package app

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"krdlab/hw"
)

// under runs a command after what a shell is told first, such as a limit of itself.
func under(t *testing.T, first string, argv ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.Command("sh", append([]string{"-c", first + "\nexec \"$@\"", "sh"}, argv...)...)
	c.Dir = t.TempDir()
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	code = codeOf(c)
	return code, out.String(), err.String()
}

// What ends a Go program at once does not end it with the code of wrong flags.
func TestFatalExit(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SIGABRT has no handler of ours on", runtime.GOARCH)
	}
	for panics, want := range map[string]string{"goroutine": "panic: fuse 41 is lit",
		"memory": "fatal error: out of memory"} {
		code, stdout, stderr := under(t, "", "krdlab-boom", "run", "boom", "--panics", panics,
			"--cores", "1", "--counters", "off")
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", panics, code, exitFailed, want,
				stdout, stderr)
		}
	}
}

// Where kernels cannot have their memory, the error says how much they need.
func TestAddressSpaceLimit(t *testing.T) {
	const limit = "ulimit -v 2000000" // KiB
	if free, err := hw.FreeMemory(); err != nil || free.FreeBytes < 2<<30 {
		t.Skipf("%d bytes are free (%v): less would be refused before", free.FreeBytes, err)
	}
	if code, _, stderr := under(t, limit, "krdlab", "version"); code != 0 {
		t.Skipf("the program does not begin under %s: exit code %d: %.200s", limit, code, stderr)
	}
	for _, kernel := range []string{"matmul --n 9000", "fmm --bodies 5000000"} {
		argv := append([]string{"krdlab", "run"}, strings.Fields(kernel)...)
		code, _, stderr := under(t, limit, append(argv, "--cores", "1")...)
		if code != exitFailed || !strings.Contains(stderr, "B of memory: map ") {
			t.Errorf("%s: exit code %d, want %d and the size\n%s", kernel, code, exitFailed, stderr)
		}
	}
}

// What an edited plan asks for is bounded as flags are.
func TestEditedPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exp")
	for i, argv := range [][]string{
		{"sweep", "fib", "--n", "5", "--cores", "1", "--reps", "7", "--machine", "westmere-ex-4s",
			"--plan-only", "--out", dir},
		{"sweep", "status", dir},
		{"sweep", "resume", dir},
	} {
		var stdout, stderr bytes.Buffer
		code := newApp(&stdout, &stderr).main(append([]string{"krdlab"}, argv...))
		if want := []int{exitOK, exitOK, exitUsage}[i]; code != want {
			t.Errorf("%q: exit code %d, want %d\n%s%s", argv, code, want, &stdout, &stderr)
		}
		if i == 2 && !strings.Contains(stderr.String(), "--reps 4000000000000: at most 1000000") {
			t.Errorf("%q: %s", argv, &stderr)
		}
		plan := filepath.Join(dir, "plan.jsonl")
		b, err := os.ReadFile(plan)
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.Replace(b, []byte(`"reps":7,`), []byte(`"reps":4000000000000,`), 1)
		if err := os.WriteFile(plan, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
