package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/result"
	"krdlab/hw/hwtest"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/front/corpus"
)

// waiting starts a command that says "waiting" when it does, and returns it with what it says
// after.
func waiting(t *testing.T, c *exec.Cmd) *bufio.Scanner {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(time.Until(hwtest.Deadline(t)), func() { c.Process.Kill() })
	t.Cleanup(func() {
		end.Stop()
		c.Process.Kill()
	})
	s := bufio.NewScanner(pipe)
	for s.Scan() {
		if s.Text() == "waiting" {
			return s
		}
	}
	t.Fatalf("it ended: %v", c.Wait())
	return nil
}

var boomRun = []string{"krdlab-boom", "run", "boom", "--cores", "1", "--reps", "3", "--warmup", "0",
	"--trace", "off", "--counters", "off", "--out", "run", "--panics"}

// signalled sends s to a run of boom that waits, and returns its end and its last line.
func signalled(t *testing.T, s syscall.Signal, panics string) (c *exec.Cmd, last string) {
	t.Helper()
	c = exec.Command(boomRun[0], append(boomRun[1:], panics)...)
	stderr := waiting(t, c)
	for range 2 { // of SIGHUP, closing terminals send several
		if err := c.Process.Signal(s); err != nil || s != syscall.SIGHUP {
			break
		}
	}
	for stderr.Scan() {
		last = stderr.Text()
	}
	c.Wait()
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("%v, %s: %v, want exit code %d\n%s", s, panics, c.ProcessState, exitInterrupted,
			last)
	}
	return c, last
}

// A signal ends what would never end; what was done is kept where the program gets so far in time.
func TestSignals(t *testing.T) {
	const late = "krdlab: interrupted; what could not end in time"
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			t.Skipf("the tests run where %v is not heard", s)
		}
		if _, last := signalled(t, s, "never"); !strings.HasPrefix(last, late) {
			t.Errorf("%v: %s, want %s", s, last, late)
		}
		c, last := signalled(t, s, "check")
		for tries := 0; strings.HasPrefix(last, late) && tries < 20; tries++ {
			c, last = signalled(t, s, "check") // the machine has much else to do
		}
		var r result.Result
		b, err := os.ReadFile(filepath.Join(c.Dir, "run.partial", result.ResultFile))
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		if err != nil || !r.Interrupted || len(r.Repetitions) != 2 ||
			last != "krdlab: interrupted; what was done is kept in run.partial" {
			t.Errorf("%v: %d repetitions, interrupted %v (%v), want 2 and true\n%s", s,
				len(r.Repetitions), r.Interrupted, err, last)
		}
	}
}

// What nohup starts does not hear SIGHUP.
func TestNohup(t *testing.T) {
	c := exec.Command("sh", append([]string{"-c", "trap '' HUP\nexec \"$@\"", "sh"},
		append(boomRun, "never")...)...)
	waiting(t, c)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nSigIgn:\t")
	var ignored uint64
	if _, err := fmt.Sscanf(after, "%x", &ignored); err != nil || ignored&1 == 0 {
		t.Errorf("ignored signals %#x (%v), want SIGHUP, the first, among them", ignored, err)
	}
}

// laidOut lays a Go program out, and returns its folder.
func laidOut(t *testing.T, text string) (dir string) {
	t.Helper()
	return corpus.Lay(t, "p", map[string][]byte{"go.mod": []byte("module example.org/p\n\ngo 1.26\n"),
		"main.go": []byte(text)})
}

// A signal is for the program that is traced, and krdlab waits for the end that this makes of it.
// With --json, what the program prints is apart from the document.
func TestSignalOfTracedProgram(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("trace go is for amd64")
	}
	run := filepath.Join(t.TempDir(), "run")
	c := exec.Command("krdlab", "trace", "go", "--json", "--dir", run, ".")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // in no terminal's foreground
	var stdout bytes.Buffer
	c.Stdout = &stdout
	c.Dir = laidOut(t, `package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"
)

var served int

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	println("waiting")
	<-signals
	time.Sleep(`+fmt.Sprint(int64(2*grace))+`)
	for range 1000 {
		served++
	}
	fmt.Println("served", served)
}
`)
	stderr := waiting(t, c)
	c.Process.Signal(syscall.SIGINT)
	var lines []string
	for stderr.Scan() {
		lines = append(lines, stderr.Text())
	}
	if err := c.Wait(); err != nil || len(lines) == 0 || lines[0] != "served 1000" {
		t.Fatalf("%v\n%s", err, strings.Join(lines, "\n"))
	}
	kept, err := os.ReadFile(filepath.Join(run, goprogram.KRDFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{kept, stdout.Bytes()} {
		var d goprogram.Document
		if err := json.Unmarshal(text, &d); err != nil || d.Accesses < 1000 {
			t.Errorf("%d accesses (%v), want 1000 at least\n%s", d.Accesses, err, text)
		}
	}
}

// A kill of krdlab ends the program that is traced. What was written is recovered, and the next
// krdlab removes the folder of the binary.
func TestKillOfTracing(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("trace go is for amd64")
	}
	dir := t.TempDir()
	temporary, process := filepath.Join(dir, "tmp"), filepath.Join(dir, "pid")
	c := exec.Command("krdlab", "trace", "go", "--out", filepath.Join(dir, "x.loi"), ".", "--",
		process)
	c.Env = append(os.Environ(), "TMPDIR="+temporary)
	c.Dir = laidOut(t, `package main

import (
	"fmt"
	"os"
)

var v = make([]int, 100)

func main() {
	os.WriteFile(os.Args[1], fmt.Append(nil, os.Getpid()), 0o644)
	for i := 0; ; i++ {
		v[i%100]++
		if i == 1_000_000 {
			println("waiting")
		}
	}
}
`)
	if err := os.Mkdir(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	waiting(t, c)
	var pid int
	b, err := os.ReadFile(process)
	if err == nil {
		_, err = fmt.Sscan(string(b), &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The program is ahead of the trace by what is in memory.
	partial, deadline := filepath.Join(dir, "x.loi.partial"), hwtest.Deadline(t)
	for ; time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if s, err := os.Stat(partial); err == nil && s.Size() > 1<<20 {
			break
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	for alive(pid) && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if alive(pid) {
		t.Errorf("the program, process %d, goes on", pid)
		syscall.Kill(pid, syscall.SIGKILL)
	}
	krdlab := func(args ...string) (string, error) {
		c := &exec.Cmd{Path: c.Path, Args: append([]string{"krdlab"}, args...), Dir: c.Dir, Env: c.Env}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	recovered := filepath.Join(dir, "r.loi")
	if out, err := krdlab("trace", "recover", partial, "--out", recovered); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	tr, err := loi.Open(recovered)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	r, err := krd.Analyze(tr, krd.Options{AllowLoss: true})
	if err != nil || r.Accesses < 10_000 || tr.Header.Meta[len(tr.Header.Meta)-1].Key != "cut off" {
		t.Errorf("%v, %d accesses, notes %v", err, r.Accesses, tr.Header.Meta)
	}
	if list, _ := os.ReadDir(temporary); len(list) == 0 {
		t.Error("nothing is left in the temporary folder, so that nothing need be removed")
	}
	if out, err := krdlab("trace", "go", "./no"); err == nil {
		t.Errorf("a package that is not there: %s", out)
	}
	if list, _ := os.ReadDir(temporary); len(list) > 0 {
		t.Errorf("%v is still there", list)
	}
}

// alive tells whether a process has not ended.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}
