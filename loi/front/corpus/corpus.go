// Package corpus has the Go programs that tests rewrite, build, run and trace: one module with a
// package for each case, and a few programs that run the case which their first argument names (Set).
// A set of flags of the front end is built once for all cases of a program, and for all packages
// whose tests need it: the module and its builds lie in the user's cache, under names that depend on
// the sources alone, so that the go command finds what it has compiled and linked before.
//
// A case is a folder of testdata/program, or of testdata/front (see Front): a package of the
// folder's name with a function Main. The test that runs a case holds its expected results. Package
// corpus does not import the front end, so that the tests within that can use it too.
package corpus

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"krdlab/loi"
)

// Module is the path of the module and of its program. A case's package is Module/NAME.
const Module = "corpus"

// Linking links programs without the tables of debuggers, which takes the linker a quarter of its
// time. It changes the environment, and belongs into TestMain.
func Linking() error {
	return os.Setenv("GOFLAGS", strings.TrimSpace(os.Getenv("GOFLAGS")+" -ldflags=-w"))
}

// Source returns the folder of this package's testdata.
func Source() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "testdata")
}

// sets are the cases by program: those that are built with the same flags are together, since each
// package of a program is compiled once for each set of flags.
var sets = map[string][]string{
	"order": {"conflicts", "deep", "named", "observed", "panicking", "parallel", "pipeline", "receives",
		"service", "sharing", "stuck", "workers"},
	"values":  {initializes, "chains", "control", "deferring", "marks", "paths", "shapes", "values"},
	"sampled": {"calibrated", "lists", "repeated", "rows", "short", "stacked", "stretches", "sums"},
}

// initializes is the case whose package's initialization is recorded: all programs have it, so that a
// trace does not depend on the program of its case.
const initializes = "calls"

// Set returns the path of the program that has a case: one of sets, or that of all others.
func Set(name string) string {
	for set, cases := range sets {
		if slices.Contains(cases, name) {
			return "./sets/" + set
		}
	}
	return "./sets/others"
}

// Dir returns the folder of the module of Set, laid out.
func Dir(t testing.TB) string {
	t.Helper()
	return must(t, programFolder)
}

// Front returns the folder of the module of the front end's own cases, laid out. They stand in
// testdata/front, apart from the others, because the initialization of their packages is rewritten:
// its records would be in the traces of all cases.
func Front(t testing.TB) string {
	t.Helper()
	return must(t, frontFolder)
}

func must(t testing.TB, folder func() (string, error)) string {
	t.Helper()
	dir, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var programFolder = laidOut("program", Set)

var frontFolder = laidOut("front", func(string) string { return "." })

// laidOut returns a function that lays out the cases in a folder of testdata, and the programs that
// have them: at is the path of that of a case.
func laidOut(name string, at func(name string) string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		files, err := read(os.DirFS(filepath.Join(Source(), name)))
		if err != nil {
			return "", err
		}
		programs := map[string][]string{}
		for file := range files {
			name, _, ok := strings.Cut(file, "/")
			if to := at(name); ok && !slices.Contains(programs[to], name) {
				programs[to] = append(programs[to], name)
			}
		}
		for to, names := range programs {
			if to != at(initializes) {
				names = append(names, initializes)
			}
			files[path.Join(to, "main.go")] = program(names)
		}
		return lay(name, files)
	})
}

// Lay writes a module of other files, by path, into a folder of the cache and returns it. The same
// files are always in the same folder.
func Lay(t testing.TB, name string, files map[string][]byte) string {
	t.Helper()
	dir, err := lay(name, files)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// LayCopy works like Lay, with the files of a folder.
func LayCopy(t testing.TB, name, from string) string {
	t.Helper()
	files, err := read(os.DirFS(from))
	if err != nil {
		t.Fatal(err)
	}
	return Lay(t, name, files)
}

// Work calls build with a folder of the cache for builds of the sources in dir in the way that key
// names, and returns the folder. No two processes build in a folder at a time; earlier builds are
// still there, so that the go command need not link it anew. Another clone of krdlab, whose front
// end may be another, has another folder.
func Work(t testing.TB, dir, key string, build func(folder string) error) string {
	t.Helper()
	folder := dir + "-" + hash([]byte(key+"\n"+os.Getenv("GOFLAGS")+"\n"+Source()))
	if err := locked(folder+".lock", func() error {
		now := time.Now()
		if err := errors.Join(os.MkdirAll(folder, 0o755), os.Chtimes(folder, now, now)); err != nil {
			return err
		}
		return build(folder)
	}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// read returns the files of a file system by path.
func read(in fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(in, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path], err = fs.ReadFile(in, path)
		}
		return err
	})
	return files, err
}

// program returns the source of the program of cases. All are on one line, so that another case
// does not move what has been recorded.
func program(names []string) []byte {
	var imports, cases bytes.Buffer
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&imports, "\t%q\n", Module+"/"+name)
		fmt.Fprintf(&cases, "//line main.go:3\n\tcase %q:\n\t\t%s.Main()\n", name, name)
	}
	return fmt.Appendf(nil, "package main\n\nimport (\n\t\"flag\"\n\t\"os\"\n\n%s)\n\n"+
		"//line main.go:1\nfunc main() {\n\tflag.Parse()\n\tswitch flag.Arg(0) {\n%s\tdefault:\n"+
		"\t\tprintln(flag.Arg(0), \"is no case\")\n\t\tos.Exit(9)\n\t}\n}\n", &imports, &cases)
}

// unused is how long what no test has used is kept.
const unused = 3 * 24 * time.Hour

func lay(name string, files map[string][]byte) (dir string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	all := filepath.Join(cache, "krdlab", "corpus")
	var text bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&text, "%q %q\n", path, files[path])
	}
	dir = filepath.Join(all, name+"-"+hash(text.Bytes()))
	if err := os.MkdirAll(all, 0o755); err != nil {
		return "", err
	}
	return dir, locked(dir+".lock", func() error {
		now := time.Now()
		if err := os.Chtimes(dir, now, now); err == nil {
			return nil
		}
		if err := prune(all, now.Add(-unused)); err != nil {
			return err
		}
		made, err := os.MkdirTemp(all, ".new")
		if err != nil {
			return err
		}
		for path, text := range files {
			to := filepath.Join(made, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755),
				os.WriteFile(to, text, 0o644)); err != nil {
				return err
			}
		}
		return os.Rename(made, dir)
	})
}

// prune removes files not used since a time: modules, their builds, and locks.
func prune(all string, since time.Time) error {
	list, err := os.ReadDir(all)
	if err != nil {
		return err
	}
	for _, e := range list {
		if in, err := e.Info(); err == nil && in.ModTime().Before(since) {
			if err := os.RemoveAll(filepath.Join(all, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func hash(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text))[:16] }

// locked calls f while no other process has the lock of a file.
func locked(file string, f func() error) error {
	lock, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close()
	now := time.Now() // prune leaves what is used
	if err := errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX),
		os.Chtimes(file, now, now)); err != nil {
		return err
	}
	return f()
}

// AsMain renames, in all strings that a value holds, the names of a case's package as if it were
// package main, whose function Main is main. v is a pointer.
func AsMain(name string, v any) {
	path := Module + "/" + name
	names := strings.NewReplacer(path+".Main", "main.main", path+".", "main.", path+"/", "",
		name+"/main.go", "main.go", path, "main", name+".", "main.")
	rename(reflect.ValueOf(v), names)
}

func rename(v reflect.Value, names *strings.Replacer) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(names.Replace(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			rename(v.Elem(), names)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			rename(v.Index(i), names)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				rename(v.Field(i), names)
			}
		}
	}
}

// A Recording is a trace of a case in testdata/traces, as a set of flags records it. TestRecorded of
// package goprogram records each of them again, with -record anew.
type Recording struct {
	Case string
	Arg  string // of the case, "" none
	Sync bool   // with what goroutines wait for
	// Values records operations; otherwise regions with iterations are recorded, and Sync.
	Values bool
}

// Recordings lists all.
var Recordings = func() (list []Recording) {
	for _, name := range []string{"calls", "chains", "control", "deferring", "marks", "paths",
		"pipeline", "shapes", "values"} {
		list = append(list, Recording{Case: name, Values: true})
	}
	for _, name := range []string{"pipeline", "receives"} {
		list = append(list, Recording{Case: name, Values: true, Sync: true})
	}
	for _, program := range []string{"producer and consumer", "producer and consumer with room",
		"pipeline", "fork and join", "convoy", "atomic store of what a call makes",
		"readers and a writer", "flag", "coroutine"} {
		list = append(list, Recording{Case: "parallel", Arg: program, Sync: true})
	}
	return list
}()

// File returns the path of the trace.
func (r *Recording) File() string {
	name := r.Case
	if r.Arg != "" {
		name += "-" + strings.ReplaceAll(r.Arg, " ", "-")
	}
	if r.Values {
		name += ".values"
	}
	if r.Sync {
		name += ".sync"
	}
	return filepath.Join(Source(), "traces", name+".loi.zst")
}

// Open opens the trace of a recording, until the test ends.
func Open(t testing.TB, r Recording) *loi.Trace {
	t.Helper()
	if !slices.Contains(Recordings, r) {
		t.Fatalf("there is no recording of %+v", r)
	}
	trace, err := loi.Open(r.File())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}
