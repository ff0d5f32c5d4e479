package result

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func TestRunDirCommit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "run")
	d, err := CreateRunDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteJSON(ResultFile, []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	if exists(t, path) || !exists(t, d.Path(ResultFile)) {
		t.Fatal("the directory has its final name before it is complete")
	}
	if err := d.Commit(); err != nil {
		t.Fatal(err)
	}
	if exists(t, d.Partial()) {
		t.Error("the partial directory is still there")
	}
	if b, err := os.ReadFile(filepath.Join(path, ResultFile)); err != nil ||
		string(b) != "[\n  1,\n  2\n]\n" {
		t.Errorf("result.json = %q, %v", b, err)
	}
}

func TestRunDirNeverOverwrites(t *testing.T) {
	for name, prepare := range map[string]func(path string) error{
		"a folder":         func(p string) error { return os.Mkdir(p, 0o777) },
		"a file":           func(p string) error { return os.WriteFile(p, nil, 0o666) },
		"a dangling link":  func(p string) error { return os.Symlink("nowhere", p) },
		"a partial folder": func(p string) error { return os.Mkdir(p+".partial", 0o777) },
	} {
		path := filepath.Join(t.TempDir(), "run")
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		if _, err := CreateRunDir(path); !errors.Is(err, ErrExists) ||
			!strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: got %v, want ErrExists and what to do", name, err)
		}
		if name != "a partial folder" && exists(t, path+".partial") {
			t.Errorf("%s: a partial folder was left", name)
		}
	}
}

// The final name may be taken while the run goes on.
func TestRunDirCommitNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d, err := CreateRunDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(path, 0o777), d.WriteJSON(ResultFile, 1)); err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); !errors.Is(err, ErrExists) || !strings.Contains(err.Error(),
		"is kept in "+d.Partial()) {
		t.Errorf("got %v, want ErrExists and where the results are", err)
	}
	if !exists(t, d.Path(ResultFile)) || exists(t, filepath.Join(path, ResultFile)) {
		t.Error("the results were moved or lost")
	}
}

func TestRunDirErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := CreateRunDir(filepath.Join(file, "run"))
	if err == nil || errors.Is(err, ErrExists) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("below a file: got %v, want the file system's error", err)
	}
	if os.Geteuid() == 0 {
		t.Log("root writes everywhere: the read-only folder is tried on /proc only")
		file = "/proc"
	} else {
		file = t.TempDir()
		if err := os.Chmod(file, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := CreateRunDir(filepath.Join(file, "run")); err == nil || errors.Is(err, ErrExists) {
		t.Errorf("in a read-only folder: got %v, want the file system's error", err)
	}
}

func TestRunDirKeep(t *testing.T) {
	d, err := CreateRunDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.WriteJSON(ManifestFile, 1), d.Keep()); err != nil {
		t.Fatal(err)
	}
	if d.WriteJSON(TraceFile("go"), 1); d.Discard() || !exists(t, d.Path(ManifestFile)) ||
		exists(t, d.final) {
		t.Error("what an interrupted run has done was not kept under its partial name")
	}
	if err := d.WriteJSON("bad.json", func() {}); err == nil {
		t.Error("a function was written as JSON")
	}
	empty, err := CreateRunDir(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.WriteJSON(ManifestFile, 1); err != nil {
		t.Fatal(err)
	}
	if !empty.Discard() || exists(t, empty.Partial()) {
		t.Error("a directory with nothing but its manifest is left")
	}
}

func TestNamedRunDir(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 11, 20, 18, 5, 9, 0, time.UTC)
	for _, want := range []string{"20261120-180509-matmul", "20261120-180509-matmul-2"} {
		d, err := CreateNamedRunDir("matmul", now)
		if err != nil {
			t.Fatal(err)
		}
		if d.final != filepath.Join(RunsDir, want) {
			t.Errorf("got %s, want %s", d.final, want)
		}
		if want[len(want)-2:] != "-2" {
			err = d.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
