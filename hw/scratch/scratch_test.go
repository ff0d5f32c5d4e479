package scratch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// childEnv names the folder in which a copy of the test program makes a folder, and waits.
const childEnv = "SCRATCH_TEST_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		d, err := Make(dir, "krdlab-x-")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(d.Path)
		// not select {}: the runtime ends a program in which no goroutine can go on
		os.Stdin.Read(make([]byte, 1))
		runtime.KeepAlive(d)
	}
	os.Exit(m.Run())
}

// exists reports whether there is something of that name.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A folder is removed when its process was killed, and not before; others are left alone.
func TestDeadProcess(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil { // open as long as the child lives
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill()
	s := bufio.NewScanner(out)
	if !s.Scan() || filepath.Dir(s.Text()) != dir {
		t.Fatalf("the child said %q", s.Text())
	}
	theirs := s.Text()
	unlocked := filepath.Join(dir, "krdlab-x-1")
	elsewhere := filepath.Join(dir, "other")
	for _, d := range []string{unlocked, elsewhere} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(elsewhere, lockFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "krdlab-x-link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	var others []string
	if os.Geteuid() == 0 {
		of := filepath.Join(dir, "krdlab-x-2")
		if err := os.Mkdir(of, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(of, lockFile), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := unix.Chown(of, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		others = append(others, of)
	}
	others = append(others, unlocked, link, filepath.Join(elsewhere, lockFile))

	ours, err := Make(dir, "krdlab-x-")
	if err != nil {
		t.Fatal(err)
	}
	if !exists(theirs) {
		t.Error("the folder of a living process was removed")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	again, err := Make(dir, "krdlab-x-")
	if err != nil {
		t.Fatal(err)
	}
	if exists(theirs) {
		t.Error("the folder of a killed process is still there")
	}
	for _, path := range append(others, ours.Path, again.Path) {
		if !exists(path) {
			t.Errorf("%s was removed", path)
		}
	}
	for _, d := range []*Folder{ours, again} {
		if err := d.Remove(); err != nil || exists(d.Path) {
			t.Error(d.Path, err)
		}
	}
}
