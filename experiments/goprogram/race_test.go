package goprogram

import (
	"krdlab/hw/hwtest/long"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRaceDetector traces a program that is built with -race, under which the compiler has pointers
// checked that are made of numbers, with all that records.
func TestRaceDetector(t *testing.T) {
	long.Only(t, "builds the standard library with -race, four times")
	const program = `package main

import "sync/atomic"

var h = make([]int, 100)
var n atomic.Int64

func main() {
	a := make([]int, 1000)
	done := make(chan bool)
	go func() {
		for i := range h {
			h[i]++
		}
		n.Add(1)
		done <- true
	}()
	<-done
	for i := range a {
		a[i] += h[i%100] + int(n.Load())
	}
	for i := 0; i < len(a); i++ {
		a[i]++
	}
}
`
	t.Setenv("GOFLAGS", "-race")
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", file).CombinedOutput(); err != nil {
		t.Skipf("no race detector: %s", out)
	}
	for name, change := range map[string]func(*Request){
		"lines": func(r *Request) {}, "sample": func(r *Request) { r.Build.Sample = true },
		"stack": func(r *Request) { r.Build.Stack = true },
		"sync": func(r *Request) {
			r.Build.Sync, r.Build.Iterations = true, true
			r.Trace = filepath.Join(t.TempDir(), "p.loi")
		},
	} {
		d, out, err := asked(t, Lines, func(r *Request) {
			change(r)
			r.Build.Dir = module(t, program)
		})
		if err != nil || d.ExitCode != 0 || d.Accounts.All() < 4000 {
			t.Errorf("%s: %v, %+v\n%.2000s", name, err, d, out)
		}
	}
}

// TestNothing wants the reason why nothing is observed to be true.
func TestNothing(t *testing.T) {
	for want, d := range map[string]*Document{
		"no package was rewritten": {},
		"the rewritten packages have no access to the heap in their sources: p": {
			Packages: []string{"p"}},
		"none of the 3 accesses in the sources of p was made": {Packages: []string{"p"}, Sites: 3},
	} {
		if d.nothing(); len(d.Warnings) != 1 || d.Warnings[0] != "nothing was observed: "+want {
			t.Errorf("%q, expected %q", d.Warnings, want)
		}
	}
}
