//go:build ignore

// Growth runs commands of krdlab on problems of several sizes, and prints a row for each: CPU
// seconds, peak memory, and how CPU seconds grow.
//
//	go run .ci/growth.go ./krdlab            # the table of docs/performance.md; needs 2 GB of disk, 3 of memory
//	go run .ci/growth.go ./krdlab small      # smaller sizes, in a minute
//	go run .ci/growth.go ./krdlab full view  # the rows that begin so
//
// The exponent is log(CPU seconds of the largest size over those of the one before) over log(that
// size over the one before); 1 is linear. A command that fails, or takes more than ten minutes, has
// no numbers.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"krdlab/loi"
)

const timeout = 10 * time.Minute

// A row is a command at some sizes, and what makes its input.
type row struct {
	name, unit string
	small      []int
	full       []int
	input      func(in *inputs, size int)
	command    string // # is the size
}

var (
	few, many = []int{100_000, 300_000}, []int{1_000_000, 10_000_000, 30_000_000}
	cores     = []int{64, 256, 1024}
	cells     = []int{1000, 3000, 10_000}
	planned   = []int{1000, 10_000, 100_000}
)

var rows = []row{
	{"view", "executions", few, many, (*inputs).trace, "view #.loi --out #.html"},
	{"krd", "executions", few, many, (*inputs).trace, "krd #.loi"},
	{"krd --coherence", "executions", few, many, (*inputs).trace, "krd #.loi --coherence"},
	{"report", "workers", cores[:2], cores, (*inputs).run, "report run-# --out #.html"},
	simulated("workfirst"), simulated("shepherd-socket"), simulated("central-fifo"),
	simulated("space-bounded"),
	{"sweep --plan-only", "cells", planned[:2], planned, (*inputs).seeds, "sweep @seeds-# --plan-only --out plan-#"},
	{"sweep status", "cells", cells[:2], cells, (*inputs).sweep, "sweep status sweep-#"},
	{"sweep collect", "cells", cells[:2], cells, (*inputs).sweep, "sweep collect sweep-#"},
}

// seeds writes the arguments of a sweep of so many cells: ten sizes, five numbers of cores, and seeds.
func (in *inputs) seeds(size int) {
	var list []string
	for i := range size / 50 {
		list = append(list, strconv.Itoa(i+1))
	}
	text := "fib --n 1,2,3,4,5,6,7,8,9,10 --cores 1,2,3,4,5 --sched workfirst --machine westmere-ex-4s --reps 1 " +
		"--trace off --seed " + strings.Join(list, ",")
	if err := os.WriteFile(in.path("seeds-%d", size), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
}

// sweep runs a sweep of so many cells.
func (in *inputs) sweep(size int) {
	if _, err := os.Stat(in.path("sweep-%d", size)); err == nil {
		return
	}
	in.seeds(size)
	in.must(in.filled(fmt.Sprintf("sweep @seeds-%d --out sweep-%[1]d", size)))
}

// filled returns a command with the contents of @FILE in its place.
func (in *inputs) filled(command string) string {
	before, after, ok := strings.Cut(command, "@")
	if !ok {
		return command
	}
	file, after, _ := strings.Cut(after, " ")
	text, err := os.ReadFile(filepath.Join(in.dir, file))
	if err != nil {
		log.Fatal(err)
	}
	return before + string(text) + " " + after
}

// simulated is the row of a scheduler, on machines of 16 nodes at most.
func simulated(scheduler string) row {
	return row{"run --sched " + scheduler, "cores", cores[:2], cores, (*inputs).machine,
		"run matmul --n 1024 --trace off --reps 2 --machine #.toml --sched " + scheduler + " --out run-" + scheduler +
			"-#"}
}

// inputs are in a folder.
type inputs struct{ krdlab, dir string }

func (in *inputs) path(format string, size int) string {
	return filepath.Join(in.dir, fmt.Sprintf(format, size))
}

// must runs a command that makes an input.
func (in *inputs) must(command string) string {
	c := exec.Command(in.krdlab, strings.Fields(command)...)
	c.Dir = in.dir
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		log.Fatalf("krdlab %s: %v\n%s", command, err, stderr.String())
	}
	return string(out)
}

// trace makes a trace in a process of its own: the peak memory of a command counts what the process that
// starts it has.
func (in *inputs) trace(size int) {
	path := in.path("%d.loi", size)
	if _, err := os.Stat(path); err == nil {
		return
	}
	self, err := os.Executable()
	if err == nil {
		err = exec.Command(self, "trace", path, fmt.Sprint(size)).Run()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// makeTrace writes a trace of so many executions of eight workers on four nodes, each of two accesses:
// one near those before it, and one of eight anywhere. There is a block for each eight executions.
func makeTrace(path string, size int) {
	const workers, nodes = 8, 4
	blocks := size / 8
	h := loi.Header{L2Bytes: 256 << 10, LLCBytes: 18 << 20, Substrate: loi.Native, Grain: "kernel",
		Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Registry: loi.Registry{
			Objects: []loi.Object{{Name: "A", Blocks: []loi.SizeRun{{Count: uint32(blocks), Bytes: 4096}}}},
			Kernels: []loi.Kernel{{Name: "update"}}}}
	for w := range workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: w, Node: w * nodes / workers})
	}
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(size), 0))
	var place [workers]int
	var clock [workers]uint64
	for k := range size {
		of := k % workers
		if r.IntN(64) == 0 {
			place[of] = r.IntN(blocks)
		}
		far := place[of] + r.IntN(16)
		if r.IntN(8) == 0 {
			far = r.IntN(blocks)
		}
		from := clock[of] + uint64(r.IntN(100))
		clock[of] = from + 500 + uint64(r.IntN(1000))
		w.Recorder(of).Accesses(0, 0, 1000+from, 1000+clock[of], []loi.Access{
			{Block: uint64(place[of]+r.IntN(16)) % uint64(blocks), Mode: loi.In},
			{Block: uint64(far) % uint64(blocks), Mode: loi.InOut}})
	}
	if _, err := w.Close(); err != nil {
		log.Fatal(err)
	}
}

// machine makes a machine of so many cores, in nodes of 4 to 64.
func (in *inputs) machine(size int) {
	nodes := min(16, size/16)
	var out []string
	for line := range strings.Lines(in.must("machine show westmere-ex-4s")) {
		switch key, _, _ := strings.Cut(line, " = "); key {
		case "name":
			line = fmt.Sprintf("name = \"cores-%d\"\n", size)
		case "nodes":
			line = fmt.Sprintf("nodes = %d\n", nodes)
		case "cores_per_node":
			line = fmt.Sprintf("cores_per_node = %d\n", size/nodes)
		}
		out = append(out, line)
	}
	if err := os.WriteFile(in.path("%d.toml", size), []byte(strings.Join(out, "")), 0o644); err != nil {
		log.Fatal(err)
	}
}

// run makes a run of so many workers, traced.
func (in *inputs) run(size int) {
	in.machine(size)
	in.must(fmt.Sprintf("run matmul --n 1024 --machine %d.toml --sched workfirst,helpfirst --reps 2 --out run-%d",
		size, size))
}

// measured runs a command, and returns its CPU seconds and its peak memory in MB.
func (in *inputs) measured(command string) (seconds, mb float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c := exec.CommandContext(ctx, in.krdlab, strings.Fields(in.filled(command))...)
	c.Dir, c.WaitDelay = in.dir, time.Second
	if out, err := c.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("krdlab %s: %w\n%.500s", command, err, out)
	}
	used := c.ProcessState.SysUsage().(*syscall.Rusage)
	return c.ProcessState.UserTime().Seconds(), float64(used.Maxrss) / 1000, nil
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "trace" {
		size, err := strconv.Atoi(os.Args[3])
		if err != nil {
			log.Fatal(err)
		}
		makeTrace(os.Args[2], size)
		return
	}
	args := append(os.Args[1:], []string{"", "full", ""}[min(3, len(os.Args)-1):]...)
	if args[0] == "" || args[1] != "full" && args[1] != "small" || len(args) > 3 {
		log.Fatal("expected KRDLAB [full|small [ROW]]")
	}
	krdlab, err := filepath.Abs(args[0])
	dir, err2 := os.MkdirTemp("", "growth-")
	if err != nil || err2 != nil {
		log.Fatal(err, err2)
	}
	defer os.RemoveAll(dir)
	in := &inputs{krdlab, dir}
	fmt.Print("| command | size | CPU s | MB | exponent |\n|---|---|---|---|---|\n")
	for _, x := range rows {
		if !strings.HasPrefix(x.name, args[2]) {
			continue
		}
		sizes := x.full
		if args[1] == "small" {
			sizes = x.small
		}
		var seconds, mb, all []string
		exponent, before, last := "n/a", 0.0, 0
		for _, size := range sizes {
			x.input(in, size)
			s, m, err := in.measured(strings.ReplaceAll(x.command, "#", fmt.Sprint(size)))
			all = append(all, fmt.Sprint(size))
			if exponent = "n/a"; err != nil {
				log.Print(err)
				seconds, mb, before = append(seconds, "n/a"), append(mb, "n/a"), 0
				continue
			}
			if before > 0 && s > 0 {
				exponent = fmt.Sprintf("%.2f", math.Log(s/before)/math.Log(float64(size)/float64(last)))
			}
			seconds, mb = append(seconds, fmt.Sprintf("%.2f", s)), append(mb, fmt.Sprintf("%.0f", m))
			before, last = s, size
		}
		fmt.Printf("| `%s` | %s %s | %s | %s | %s |\n", x.name, strings.Join(all, ", "), x.unit,
			strings.Join(seconds, ", "), strings.Join(mb, ", "), exponent)
	}
}
