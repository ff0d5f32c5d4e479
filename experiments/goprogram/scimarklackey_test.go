package goprogram_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"krdlab/hw/hwtest/long"
)

// watched are the accesses that valgrind's lackey has watched: testdata/scimark/scimark.c, the same
// kernels in C.
var watched = []struct {
	name string
	size
}{
	{"fft", size{512, 0, 1}}, {"sparse", size{1000, 5000, 2}}, {"lu", size{40, 0, 1}},
	{"sor", size{60, 0, 2}},
}

var update = flag.Bool("update", false, "write testdata/scimark/*.lackey.zst anew")

// begins stands in a trace where the preparation ends and the kernel begins.
const begins = "==0== the kernel begins\n"

// lackey saw as many loads and stores as were counted by hand.
func TestLackeyCounts(t *testing.T) {
	for _, w := range watched {
		_, kernel := split(t, read(t, w.name))
		hand := kernelByHand(w.name, w.size)
		loads, stores := bytes.Count(kernel, []byte(" L ")), bytes.Count(kernel, []byte(" S "))
		if loads != hand.loads+hand.updates || stores != hand.stores+hand.updates {
			t.Errorf("%s: lackey saw %d loads and %d stores, by hand %+v", w.name, loads, stores,
				hand)
		}
	}
}

// kernelByHand adds the functions of a kernel up.
func kernelByHand(name string, s size) (all counts) {
	of, kernel := byHand(name, s)
	for _, f := range kernel {
		c := of[f]
		all = counts{all.loads + c.loads, all.stores + c.stores, all.updates + c.updates}
	}
	return all
}

// split returns the preparation and the kernel of a trace.
func split(t *testing.T, text []byte) (preparation, kernel []byte) {
	t.Helper()
	preparation, kernel, ok := bytes.Cut(text, []byte(begins))
	if !ok {
		t.Fatalf("no kernel begins in %d bytes", len(text))
	}
	return preparation, kernel
}

// kept is the folder of the traces.
const kept = "testdata/scimark"

// read returns a trace of them.
func read(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join(kept, name+".lackey.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// commands runs build and returns what runs file and returns what it prints.
func commands(t *testing.T, file string, build *exec.Cmd) func(args ...string) []byte {
	t.Helper()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", build.Args, err, out)
	}
	return func(args ...string) []byte {
		t.Helper()
		c := exec.Command(file, args...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", c.Args, err, stderr.Bytes())
		}
		return out
	}
}

// The traces are those of valgrind here, by default the first. -update writes them.
func TestLackeyTraces(t *testing.T) {
	for _, tool := range []string{"gcc", "valgrind"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	file, log := filepath.Join(dir, "scimark"), filepath.Join(dir, "log")
	commands(t, file, exec.Command("gcc", "-O1", "-o", file, filepath.Join(kept, "scimark.c"), "-lm"))
	valgrind := commands(t, "valgrind", exec.Command(file, "fft", "4", "1"))
	some := watched[:long.Or(1, len(watched))]
	if *update {
		some = watched
	}
	for _, w := range some {
		out := valgrind("--tool=lackey", "--trace-mem=yes", "--log-file="+log, file, w.name,
			fmt.Sprint(w.n), fmt.Sprint(w.iterations), fmt.Sprint(w.nz))
		f, err := os.Open(log)
		if err != nil {
			t.Fatal(err)
		}
		text := filter(t, out, f)
		f.Close()
		if *update {
			z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(kept, w.name+".lackey.zst")
			if err := os.WriteFile(to, z.EncodeAll(text, nil), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(text, read(t, w.name)) {
			t.Errorf("%s: the trace is another one", w.name)
		}
	}
}

// filter keeps of lackey's log the accesses to the arrays that the program told of, from the
// preparation to the end of the kernel, as if one array followed the other from address 0x10000.
func filter(t *testing.T, told []byte, log io.Reader) []byte {
	t.Helper()
	type array struct{ from, to, moved uint64 }
	var arrays []array
	var mark uint64
	next := uint64(0x10000)
	for line := range strings.Lines(string(told)) {
		var a array
		if n, _ := fmt.Sscanf(line, "array %x %x", &a.from, &a.to); n == 2 {
			a.moved = next
			next += (a.to - a.from + 63) &^ 63
			arrays = append(arrays, a)
		}
		fmt.Sscanf(line, "mark %x", &mark)
	}
	var out bytes.Buffer
	marks := 0
	s := bufio.NewScanner(log)
	for s.Scan() && marks < 2 {
		var mode string
		var addr uint64
		var bytes int
		if strings.HasPrefix(s.Text(), "I") {
			continue
		}
		if n, _ := fmt.Sscanf(s.Text(), " %1s %x,%d", &mode, &addr, &bytes); n != 3 {
			continue
		}
		if addr == mark {
			if marks++; marks == 1 {
				out.WriteString(begins)
			}
			continue
		}
		for _, a := range arrays {
			if addr >= a.from && addr < a.to {
				fmt.Fprintf(&out, " %s %x,%d\n", mode, addr-a.from+a.moved, bytes)
			}
		}
	}
	if s.Err() != nil || marks != 2 {
		t.Fatalf("%d marks, %v", marks, s.Err())
	}
	return out.Bytes()
}
