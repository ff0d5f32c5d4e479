package sweep_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/slurm"
)

func TestParseFile(t *testing.T) {
	f, err := sweep.ParseFile("exp.toml", []byte("# all\nreps = 1_000\nsched = [ \"go\",\n  "+
		"'workfirst' ]\nsmt = true\n\n[kernel.matmul]\nn = [0x10, 32]\n[kernel.fib]\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &sweep.File{
		Path: "exp.toml",
		Common: []sweep.Setting{{Key: "reps", Line: 2, Values: []string{"1000"}},
			{Key: "sched", Line: 3, Values: []string{"go", "workfirst"}},
			{Key: "smt", Line: 5, Values: []string{"true"}}},
		Kernels: []sweep.FileKernel{
			{Name: "matmul", Line: 7, Settings: []sweep.Setting{{Key: "n", Line: 8,
				Values: []string{"16", "32"}}}}, {Name: "fib", Line: 9},
		},
	}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, expected %+v", f, want)
	}
	marked, err := sweep.ParseFile("exp.toml", []byte("\ufeff# all\r\nreps = 1_000 \r\n"+
		"sched = [ \"go\",\r\n 'workfirst' ]\t\r\nsmt = true\r\n\r\n[kernel.matmul]\r\n"+
		"n = [0x10, 32]\r\n[kernel.fib]\r\n \r\n"))
	if err != nil || !reflect.DeepEqual(marked, want) {
		t.Errorf("with a mark, CRLF and blanks: %+v, %v, expected %+v", marked, err, want)
	}
	for text, want := range map[string]string{
		"\n# caf\xe9\n[kernel.fib]": `exp.toml:2: found bytes that are no UTF-8 in "# caf\xe9", ` +
			`expected UTF-8`,
		"\xff\xfe[\x00":                 "exp.toml:1: found UTF-16, expected UTF-8",
		"reps = ":                       "exp.toml:1: ",
		"a = 1\n[kernel.fib]\nn=1\nn=2": "exp.toml:4: ",
		"[run]":                         "exp.toml:1: run: there is no such table",
		"[[kernel.fib]]":                "exp.toml:1: kernel.fib: ",
		"\nkernel.fib.n = 3":            "exp.toml:2: kernel.fib.n: keys with dots",
		"a = [[1]]\n[kernel.fib]":       "exp.toml:1: a: found an array within an array",
		"a = []\n[kernel.fib]":          "exp.toml:1: a: found an empty array",
		"a = {b = 1}\n[kernel.fib]":     "exp.toml:1: a: found a table",
		"a = 2026-01-01\n[kernel.fib]":  "exp.toml:1: a: found a date",
		"":                              "exp.toml:1: kernel: no kernel is named",
	} {
		_, err := sweep.ParseFile("exp.toml", []byte(text))
		var file *sweep.FileError
		if !errors.As(err, &file) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// No text makes the reader panic, and an error names a line that there is.
func FuzzParseFile(f *testing.F) {
	f.Add("reps = 3\nsched = [\"go\"]\n[kernel.fib]\nn = [1, 2]\n")
	f.Add("[[a]]\n[kernel.\"x\"]\n'' = {a.b = 1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := sweep.ParseFile("f", []byte(text))
		if file, ok := errors.AsType[*sweep.FileError](err); ok &&
			(file.Line < 1 || file.Line > strings.Count(text, "\n")+1) {
			t.Errorf("%q: line %d: %v", text, file.Line, err)
		}
	})
}

func TestSlurmJobs(t *testing.T) {
	m := paper(t)
	p := plan(t, config(t, m, 1), config(t, m, 2), config(t, nil, 8), config(t, m, 3),
		config(t, m, 4), config(t, m, 5))
	dir := create(t, p)
	if err := os.Mkdir(filepath.Join(dir, "cells", p.Cells[1].ID), 0o777); err != nil { // done
		t.Fatal(err)
	}
	jobs, err := slurm.Jobs(dir, p, slurm.Options{Program: "/it's/krdlab", MaxArray: 3,
		Args: []string{"--time=1:00"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 3 || !reflect.DeepEqual(jobs[0].Elements, []slurm.Indices{{0}, {3}, {4}}) ||
		!reflect.DeepEqual(jobs[1].Elements, []slurm.Indices{{5}}) ||
		!reflect.DeepEqual(jobs[2].Elements, []slurm.Indices{{2}}) {
		t.Fatalf("%+v", jobs)
	}
	for i, want := range []string{"--array=0-2\n", "--array=0\n", "--array=0\n"} {
		if !strings.Contains(jobs[i].Script, want) || !strings.Contains(jobs[i].Script,
			"\n#SBATCH --time=1:00\n") || !strings.Contains(jobs[i].Script,
			`exec '/it'\''s/krdlab' sweep exec`) {
			t.Errorf("job %d, expected %q:\n%s", i, want, jobs[i].Script)
		}
	}
	if native := jobs[2].Script; !strings.Contains(native, "--cpus-per-task=8\n") ||
		!strings.Contains(native, "--exclusive") || strings.Contains(native, "GOMAXPROCS") {
		t.Errorf("the native job:\n%s", native)
	}
	if !strings.Contains(jobs[1].Script, "\nset -- 5\n") {
		t.Errorf("the job beyond MaxArraySize:\n%s", jobs[1].Script)
	}
	if _, err := slurm.Jobs(dir, p,
		slurm.Options{Args: []string{"--a\nrm -rf"}}); err == nil {
		t.Error("an option of two lines was taken")
	}
}
