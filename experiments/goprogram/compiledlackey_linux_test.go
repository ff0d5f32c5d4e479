package goprogram

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// A watched access has the number of its datum, in the order of first accesses; its place and mode.
type watched struct {
	datum uint32
	at    uint64
	mode  loi.Mode
}

// Valgrind's lackey watches kernels as gcc compiled them without instrumentation, and krdlab native with it:
// the accesses of a function to arrays are the same, in the same order, at distances that are the same.
// Lackey has more on the stack: registers that are saved, and locals.
func TestNativeLackey(t *testing.T) {
	long.Only(t, "valgrind writes a line for each instruction")
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip(err)
	}
	flags := []string{"-O1", "-fno-inline", "-Dvolatile=", "-lm"}
	plain := filepath.Join(t.TempDir(), "plain")
	argv := append([]string{"-no-pie", "-o", plain, "testdata/scimark/scimark.c"}, flags...)
	path := compiled(t, "gcc", "../scimark/scimark.c", flags...)
	if out, err := exec.Command("gcc", argv...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, x := range []struct {
		function string
		args     []string
		least    int
	}{{"factor", []string{"lu", "100", "1"}, 1_000_000}, {"relax", []string{"sor", "100", "10"}, 500_000},
		{"butterfly", []string{"fft", "4096", "1"}, 300_000}, {"multiply", []string{"sparse", "1000", "10", "5000"}, 100_000}} {
		t.Run(x.function, func(t *testing.T) {
			all, arrays, stacked := watchedBy(t, plain, x.function, x.args)
			trace := filepath.Join(t.TempDir(), "p.loi")
			if _, _, err := recorded(t, path, Request{Trace: trace, Unit: Data}, x.args...); err != nil {
				t.Fatal(err)
			}
			own := touches(t, trace, x.function)
			if len(all) < x.least || len(own) != len(all) {
				t.Fatalf("%d accesses, lackey has %d, expected %d or more", len(own), len(all), x.least)
			}
			moved := map[int]uint64{} // by array, how far its places in the trace are from those in memory
			for i, w := range all {
				o, in := own[i], slices.IndexFunc(arrays, func(a [2]uint64) bool { return w.at >= a[0] && w.at < a[1] })
				if _, is := moved[in]; !is {
					moved[in] = o.at - w.at
				}
				if o.datum != w.datum || o.mode != w.mode || in < 0 || o.at-w.at != moved[in] {
					t.Fatalf("access %d to array %d, moved by %d: %+v, lackey has %+v", i, in, moved[in], o, w)
				}
			}
			a, b := stackDistances(own), stackDistances(all)
			if !slices.Equal(a, b) {
				t.Error("other distances")
			}
			t.Logf("%d accesses, lackey has %d others, %d arrays", len(own), stacked, len(moved))
		})
	}
}

// stackDistances returns those of all accesses, on one stack of data of 8 bytes.
func stackDistances(list []watched) []uint64 {
	data := make([]uint32, len(list))
	for i, a := range list {
		data[i] = a.datum
	}
	sizes := make([]uint64, slices.Max(data)+1)
	for i := range sizes {
		sizes[i] = 8
	}
	d := make([]uint64, len(data))
	stack.NewDense(sizes).Distances(data, d)
	return d
}

// touches returns the accesses of a function in a trace.
func touches(t *testing.T, file, function string) (list []watched) {
	t.Helper()
	tr := must(loi.Open(file))(t)
	defer tr.Close()
	type place struct {
		object loi.ObjectID
		at     uint64
	}
	data := map[place]uint32{}
	for e, err := range tr.Ordered(loi.Order{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == loi.EventRecord || tr.Header.Registry.Kernels[e.Kernel].Name != function {
			continue
		}
		for _, a := range e.Accesses() {
			p := place{a.Object, a.Block}
			if _, is := data[p]; !is {
				data[p] = uint32(len(data))
			}
			list = append(list, watched{data[p], a.Block, a.Mode})
		}
	}
	return list
}

// watchedBy returns the accesses that lackey sees by the code of a function, and where the program has it that its
// arrays are; of those to the stack and to constants the number.
func watchedBy(t *testing.T, path, function string, args []string) (list []watched, arrays [][2]uint64, others int) {
	t.Helper()
	f := must(elf.Open(path))(t)
	defer f.Close()
	symbols := must(f.Symbols())(t)
	s := symbols[slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == function })]
	constants := f.Section(".rodata")
	log, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c := exec.Command("valgrind", append([]string{"--tool=lackey", "--trace-mem=yes", "--log-fd=3", path}, args...)...)
	var told bytes.Buffer
	c.Stdout, c.ExtraFiles = &told, []*os.File{to}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	data := map[uint64]uint32{}
	inside := false
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		kind, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), ",")
		at, err := strconv.ParseUint(number, 16, 64)
		mode, is := map[string]loi.Mode{"L": loi.In, "S": loi.Out}[kind]
		switch {
		case err != nil:
		case kind == "I":
			inside = at >= s.Value && at < s.Value+s.Size
		case !inside:
		case !is:
			t.Fatalf("lackey has %q, expected a load or a store", lines.Text())
		case at >= stackFrom || at >= constants.Addr && at < constants.Addr+constants.Size:
			others++
		default:
			if _, is := data[at]; !is {
				data[at] = uint32(len(data))
			}
			list = append(list, watched{data[at], at, mode})
		}
	}
	if err := c.Wait(); err != nil || lines.Err() != nil {
		t.Fatal(err, lines.Err())
	}
	for line := range strings.Lines(told.String()) {
		var a [2]uint64
		if n, _ := fmt.Sscanf(line, "array %x %x", &a[0], &a[1]); n == 2 {
			arrays = append(arrays, a)
		}
	}
	return list, arrays, others
}

// stackFrom is below where valgrind has the stack of the first thread.
const stackFrom = 0x1ff0000000
