//go:build ignore

// Goker runs the kernels of GoKer (GoBench, Yuan and others, CGO 2021) under control, and prints how the first
// run that fails ends, and after how many schedules.
//
//	go run .ci/goker.go ./krdlab gobench/gobench/goker         # of a checkout of github.com/timmyyuan/gobench
//	go run .ci/goker.go ./krdlab gobench/gobench/goker 20 etcd # 20 schedules by each sampler, of kernels with "etcd"
//
// Kernels are tests; most end though goroutines wait. Each gets a TestMain that sleeps until no
// other goroutine could run, and panics where one is left. They are built for Go 1.21, whose loops have one
// variable. A kernel takes at most 2 minutes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

const left = "goroutines are left"

const testMain = `package %s

import (
	"os"
	"runtime"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	n := runtime.NumGoroutine()
	code := m.Run()
	time.Sleep(time.Hour)
	if runtime.NumGoroutine() > n {
		panic("` + left + `")
	}
	os.Exit(code)
}
`

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("go run .ci/goker.go KRDLAB FOLDER [RUNS [PART]]")
	}
	args := append(os.Args[1:], "100", "")
	krdlab, err := filepath.Abs(args[0])
	if err != nil {
		log.Fatal(err)
	}
	tests, err := filepath.Glob(filepath.Join(args[1], "*", "*", "*", "*_test.go"))
	if err != nil || tests == nil {
		log.Fatal("no kernels: ", err)
	}
	part := ""
	if len(os.Args) > 4 {
		part = os.Args[4]
	}
	sums := map[string]int{}
	fmt.Printf("%-32s %-9s %s\n", "kernel", "schedules", "end")
	for _, test := range tests {
		kernel, err := filepath.Rel(args[1], filepath.Dir(test))
		if err != nil {
			log.Fatal(err)
		}
		if !strings.Contains(kernel, part) {
			continue
		}
		end, schedules := explore(krdlab, test, args[2])
		fmt.Printf("%-32s %-9d %s\n", kernel, schedules, end)
		kind, _, _ := strings.Cut(end, ":")
		if strings.Contains(end, left) {
			kind = left
		}
		sums[strings.SplitN(kernel, "/", 2)[0]+": "+kind]++
	}
	for _, sum := range slices.Sorted(maps.Keys(sums)) {
		fmt.Println(sums[sum], sum)
	}
}

var packages = regexp.MustCompile(`(?m)^package (\w+)`)

// explore returns how a kernel's first run that fails ends, and the number of runs.
func explore(krdlab, test, runs string) (end string, schedules int) {
	dir, err := os.MkdirTemp("", "goker-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	text, err := os.ReadFile(test)
	if err != nil {
		log.Fatal(err)
	}
	name := packages.FindSubmatch(text)
	if name == nil {
		return "no package", 0
	}
	for file, text := range map[string][]byte{"go.mod": []byte("module goker\n\ngo 1.21\n"), "kernel_test.go": text,
		"kernel.go": slices.Concat(name[0], []byte("\n")), "main_test.go": fmt.Appendf(nil, testMain, name[1])} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			log.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, krdlab, "explore", "go", "test", ".", "--control", "--first", "--runs", runs, "--json")
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	if ctx.Err() != nil {
		return "more than 2 minutes", 0
	}
	var d struct {
		Schedules int
		Ends      []struct{ Kind, What string }
	}
	if json.Unmarshal(out.Bytes(), &d) != nil {
		return fmt.Sprintf("not run: %v: %.200s", err, strings.ReplaceAll(errs.String(), "\n", " ")), 0
	}
	end = "none found"
	for _, e := range d.Ends {
		if e.Kind != "ended" && e.Kind != "another output" {
			end = e.Kind + ": " + e.What
		}
	}
	return end, d.Schedules
}
