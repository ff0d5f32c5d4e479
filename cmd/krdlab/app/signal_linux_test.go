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

// waiting starts a command that prints "waiting" when it waits, and returns its later output.
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

// A command started by nohup ignores SIGHUP.
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

// A kill of krdlab ends the program that is traced. The records written are recovered, and the next
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

// alive reports whether a process has not ended.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// slowGo returns the environment of a command with another go command in its path: one that, asked
// for what at names, prints its process id to the file and sleeps; asked for env, a child of it does.
func slowGo(t *testing.T, at string) (env []string, file, temporary string) {
	t.Helper()
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, temporary = filepath.Join(dir, "pid"), filepath.Join(dir, "tmp")
	text := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = %s ]; then\n\tmkdir \"${GOTMPDIR:-%s}/go-build1\""+
		"\n\tif [ $1 = env ]; then\n\t\tsleep 600 &\n\t\techo $! > %s\n\t\twait\n\tfi\n"+
		"\techo $$ > %[3]s\n\texec sleep 600\nfi\nexec %s \"$@\"\n", at, temporary, file, real)
	for path, err := range map[string]error{
		temporary: os.Mkdir(temporary, 0o755), file: os.Mkdir(filepath.Join(dir, "bin"), 0o755),
		dir: os.WriteFile(filepath.Join(dir, "bin", "go"), []byte(text), 0o755)} {
		if err != nil {
			t.Fatal(path, err)
		}
	}
	return append(os.Environ(), "TMPDIR="+temporary, "GOTMPDIR=", "PATH="+filepath.Join(dir, "bin")+
		":"+os.Getenv("PATH")), file, temporary
}

// processIn waits for the process id in a file.
func processIn(t *testing.T, file string) (pid int) {
	t.Helper()
	for deadline := hwtest.Deadline(t); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		b, _ := os.ReadFile(file)
		if _, err := fmt.Sscanln(string(b), &pid); err == nil {
			t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
			return pid
		}
	}
	t.Fatal("nothing has begun")
	return 0
}

// earlyC is the C part of a program that waits before its Go part begins.
const earlyC = `package main

// #include <stdio.h>
// #include <stdlib.h>
// #include <unistd.h>
// __attribute__((constructor)) static void early(void) {
// 	FILE *f = fopen(getenv("EARLY"), "w");
// 	fprintf(f, "%d\n", getpid());
// 	fclose(f);
// 	sleep(600);
// }
import "C"
`

// A signal before the program runs is an interruption, from a terminal (the signal is for all) as
// from elsewhere, and nothing is left.
func TestSignalBeforeProgram(t *testing.T) {
	moments := []string{"env", "list", "build"}
	if _, err := exec.LookPath("gcc"); err == nil && os.Getenv("KRDLAB_LONG") != "" {
		moments = append(moments, "start")
	}
	for _, at := range moments {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			for _, all := range []bool{true, false} {
				c := exec.Command("krdlab", "trace", "go", ".")
				c.Dir = laidOut(t, "package main\n\nvar v = new(int)\n\nfunc main() { *v = 1 }\n")
				var file, temporary string
				c.Env, file, temporary = slowGo(t, at)
				if at == "start" {
					c.Env = append(c.Env, "EARLY="+file)
					if err := os.WriteFile(filepath.Join(c.Dir, "c.go"), []byte(earlyC),
						0o644); err != nil {
						t.Fatal(err)
					}
				}
				c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				var said bytes.Buffer
				c.Stderr = &said
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				pid, to := processIn(t, file), c.Process.Pid
				if all {
					to = -to
				}
				if err := syscall.Kill(to, s); err != nil {
					t.Fatal(err)
				}
				c.Wait()
				left, _ := os.ReadDir(temporary)
				if code := c.ProcessState.ExitCode(); code != exitInterrupted ||
					said.String() != "krdlab: interrupted\n" || len(left) > 0 || alive(pid) {
					t.Errorf("%s, %v, to all %v: code %d, left %v, goes on %v: %s", at, s, all, code, left,
						alive(pid), &said)
				}
			}
		}
	}
}

// The files that a killed krdlab leaves while a go command still writes are removed once that has
// ended.
func TestKillOfBuilding(t *testing.T) {
	c := exec.Command("krdlab", "trace", "go", ".")
	c.Dir = laidOut(t, "package main\n\nfunc main() {}\n")
	var file, temporary string
	c.Env, file, temporary = slowGo(t, "build")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := processIn(t, file)
	c.Process.Kill()
	c.Wait()
	for _, want := range []int{1, 0} {
		next := &exec.Cmd{Path: c.Path, Args: []string{"krdlab", "trace", "go", "./no"}, Dir: c.Dir,
			Env: c.Env}
		if out, err := next.CombinedOutput(); err == nil {
			t.Errorf("a package that is not there: %s", out)
		}
		if left, _ := os.ReadDir(temporary); len(left) != want {
			t.Errorf("left: %v, want %d folders", left, want)
		}
		syscall.Kill(pid, syscall.SIGKILL)
		for deadline := hwtest.Deadline(t); alive(pid) && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
	}
}
