package goprogram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/examples"
	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
	"krdlab/loi/imports"
)

// krdlab's front end counts the accesses of each function as its loops say. With twice the rows or
// numbers, each component of the reuse signature stays in its bin or moves as many as the virda
// paper says (4.3.1 to 4.3.4); it has one more in FFT and LU, since Java's loads and stores of an
// update count apart.
//
// The sizes are such that all slices are on the heap: Go has slices of up to 32 bytes that do not
// escape on the stack.
//
// By default, each kernel is in this test or in TestSciMarkLackey.
func TestSciMarkCounts(t *testing.T) {
	list := []struct {
		name string
		size
		moves []int // bins
	}{
		{"lu", size{64, 0, 1}, []int{1, 2}},
		{"sor", size{64, 0, 3}, []int{0, 0, 0, 1, 2}},
		{"fft", size{1024, 0, 1}, []int{0, 1}},
		{"sparse", size{1000, 10000, 3}, []int{0, 1}},
	}
	for _, c := range list[:long.Or(2, len(list))] {
		_, kernel := byHand(c.name, c.size)
		parts := trace(t, goprogram.Data, c.name, c.size, front.Options{})
		if more := trace(t, goprogram.Data, c.name, c.size, front.Options{Iterations: true,
			Sync: true}); !reflect.DeepEqual(more, parts) {
			t.Errorf("%s: %v with regions and waiting, %v without", c.name, more, parts)
		}
		stack := trace(t, goprogram.Data, c.name, c.size, front.Options{Stack: true})
		others := func(parts map[string]part) map[string]part { // without it, whose sizes are a variable
			delete(parts, "main.run") // parts of it are written, memory with values
			return parts
		}
		if more := trace(t, goprogram.Data, c.name, c.size,
			front.Options{Values: true}); !reflect.DeepEqual(others(more), others(stack)) {
			t.Errorf("%s: %v with values, %v with the stack alone", c.name, more, stack)
		}
		small := components(parts, kernel)
		c.n, c.nz = 2*c.n, 2*c.nz
		large := components(trace(t, goprogram.Data, c.name, c.size, front.Options{}), kernel)
		for i := range small {
			if i < len(c.moves) {
				small[i] <<= c.moves[i]
			}
		}
		if len(small) != len(c.moves) || !slices.Equal(small, large) {
			t.Errorf("%s: components at %d B, expected at %d B", c.name, large, small)
		}
	}
	// with Go's own header of 8 bytes, 340 headers of rows just fit into 8 KiB
	trace(t, goprogram.Data, "sor", size{340, 0, 1}, front.Options{})
	trace(t, goprogram.Data, interchangedFFT, size{256, 0, 2}, front.Options{})
}

// components lists the bins, by their lower bounds, that have at least 15 % of the accesses of the
// functions of a kernel.
func components(of map[string]part, kernel []string) (list []uint64) {
	h, all := histogram{}, 0
	for _, f := range kernel {
		h.add(of[f], 1)
		all += of[f].Accesses
	}
	for from, n := range h {
		if n*100 >= 15*all {
			list = append(list, from)
		}
	}
	slices.Sort(list)
	return list
}

// The kernels, traced by krdlab, make the accesses that those in C make, watched by
// valgrind's lackey: as many, and with the same distances between lines. An update is two accesses
// there, and the second has distance 0.
func TestSciMarkLackey(t *testing.T) {
	for _, w := range watched[:long.Or(2, len(watched))] {
		text := read(t, w.name)
		preparation, _ := split(t, text)
		hand := kernelByHand(w.name, w.size)
		_, kernel := byHand(w.name, w.size)
		here := histogram{}
		got := trace(t, goprogram.Lines, w.name, w.size, front.Options{})
		for _, f := range kernel {
			here.add(got[f], 1)
		}
		there := analysed(t, text)
		for from, n := range analysed(t, preparation) {
			there[from] -= n
		}
		here[0] += hand.updates
		for _, h := range []histogram{here, there} {
			maps.DeleteFunc(h, func(_ uint64, n int) bool { return n == 0 })
		}
		t.Logf("%s %+v: by hand %d accesses, of them %d updates; distances %v", w.name, w.size,
			hand.all(), hand.updates, here)
		if !maps.Equal(here, there) {
			t.Errorf("%s: by lackey %v", w.name, there)
		}
	}
}

// part holds krdlab's numbers of a function.
type part struct {
	Name           string
	Accesses, Cold int
	Bins           []bin
}

type bin struct {
	From  uint64 `json:"from_bytes"`
	Count int
}

// histogram is counts by the lower bound of the bin; cold accesses are under the largest number.
type histogram map[uint64]int

const cold = math.MaxUint64

// analysed is the histogram of a lackey trace, with lines of 64 bytes.
func analysed(t *testing.T, text []byte) histogram {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "lackey"), filepath.Join(dir, "trace.loi")
	if err := os.WriteFile(in, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := imports.Import(t.Context(), imports.Source{Path: in}, out,
		imports.Options{Format: "lackey"}); err != nil {
		t.Fatal(err)
	}
	tr, err := loi.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	r, err := krd.Analyze(tr, krd.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := histogram{cold: int(r.Cold)}
	for _, b := range r.Bins {
		h[b.FromBytes] += int(b.Count)
	}
	return h
}

// add adds what a function did, or takes it away.
func (h histogram) add(p part, sign int) histogram {
	h[cold] += sign * p.Cold
	for _, b := range p.Bins {
		h[b.From] += sign * b.Count
	}
	return h
}

// arguments are those of the program.
func arguments(name string, s size) []string {
	args := append(strings.Fields(name), "-n", strconv.Itoa(s.n), "-iterations",
		strconv.Itoa(s.iterations))
	if s.nz > 0 {
		args = append(args, "-nz", strconv.Itoa(s.nz))
	}
	return args
}

// scimark returns the folder of the program's sources.
func scimark(t *testing.T) string {
	t.Helper()
	files := map[string][]byte{"go.mod": []byte("module scimark\n\ngo 1.24\n")}
	list, err := examples.SciMark.ReadDir("scimark")
	for _, e := range list {
		if err == nil {
			files[e.Name()], err = examples.SciMark.ReadFile("scimark/" + e.Name())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return corpus.Lay(t, "scimark", files)
}

// traced traces the program, reads the document that is left in the run directory into d, and
// returns what the program printed.
func traced(t *testing.T, d any, unit goprogram.Unit, how front.Options,
	args ...string) string {
	t.Helper()
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	b := build.Request{Dir: scimark(t), Path: ".", Options: how}
	var out bytes.Buffer
	r := &goprogram.Request{Build: b, Built: built.Of(t, b.Dir, b), Args: args, Unit: unit,
		Out: filepath.Join(t.TempDir(), "run"), Stdout: &out, Stderr: &out}
	if _, err := goprogram.Run(t.Context(), r, []string{"krdlab"}, topology); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &out)
	}
	text, err := os.ReadFile(filepath.Join(r.Out, goprogram.KRDFile))
	if err == nil {
		err = json.Unmarshal(text, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// trace traces the program, and compares how often each function accessed the heap with what was
// counted by hand. It returns the functions.
func trace(t *testing.T, unit goprogram.Unit, name string, s size,
	how front.Options) map[string]part {
	t.Helper()
	var d struct {
		Functions []part
		Failed    []any
		Accesses  uint64
		Accounts  struct{ Analysed, Unknown, Stack, Left, Lost uint64 }
	}
	printed := traced(t, &d, unit, how, arguments(name, s)...)
	if rows := fmt.Sprintf(": %d rows exchanged", exchanged[s.n]); name == "lu" &&
		!strings.Contains(printed, rows) {
		t.Errorf("lu, n %d: %s, expected%s", s.n, printed, rows)
	}
	if len(d.Failed) > 0 {
		t.Errorf("not rewritten: %v", d.Failed)
	}
	program := strings.Join(arguments(name, s), " ")
	// Nothing is outside the distances, so that the functions add up to what there is.
	all := uint64(0)
	for _, f := range d.Functions {
		all += uint64(f.Accesses)
	}
	if a := d.Accounts; a.Stack+a.Left+a.Lost+a.Unknown != 0 || a.Analysed != all ||
		d.Accesses != all {
		t.Errorf("%s: %d accesses of functions, the accounts are %+v", program, all, a)
	}
	want, _ := byHand(name, s)
	got := map[string]part{}
	for _, f := range d.Functions {
		got[f.Name] = f
		if _, ok := want[f.Name]; !ok && f.Name != "main.main" && f.Name != "main.run" {
			t.Errorf("%s: %d accesses, which were not counted by hand", f.Name, f.Accesses)
		}
	}
	for f, c := range want {
		if got[f].Accesses != c.all() {
			t.Errorf("%s of %s: %d accesses, by hand %d", f, program,
				got[f].Accesses, c.all())
		}
	}
	return got
}
