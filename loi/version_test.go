package loi

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestVersion1 reads files that the writer of version 1 made; beside each lies its text form.
func TestVersion1(t *testing.T) {
	for _, name := range []string{"version1-writer", "version1-text"} {
		path := filepath.Join("testdata", name)
		want, err := os.ReadFile(path + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(path + ".loi")
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := WriteText(&got, tr); err != nil || got.String() != string(want) {
			t.Errorf("%s: %v: in text\n%s\nexpected\n%s", name, err, got.String(), want)
		}
		if in, err := Verify(path + ".loi"); err != nil || in.Version != 1 {
			t.Errorf("%s: %+v: %v", name, in, err)
		}
	}
	// And one that was killed before its end, with the records of the first.
	tr, rep, err := OpenUnclean(filepath.Join("testdata", "version1-killed.loi"))
	if err != nil || rep.Damaged() || rep.Records[0] != 156 || rep.Records[1] != 132 ||
		!tr.Recovered {
		t.Errorf("%+v: %v", rep, err)
	}
}

// TestOldestVersion has traces that are written in version 1, byte for byte as before, unless they
// have a new kind of object.
func TestOldestVersion(t *testing.T) {
	tr, err := ParseText(strings.NewReader(textFixture))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(filepath.Join("testdata", "version1-text.loi"))
	if err != nil || !bytes.Equal(tr.data, old) {
		t.Errorf("the fixture is not written as by version 1: %v", err)
	}
	tr, err = ParseText(strings.NewReader(namedFixture))
	if err != nil || tr.Info().Version != 2 {
		t.Errorf("%v: %v", tr, err)
	}
	// A reader of version 1 would have refused it, as this one does the next.
	b := bytes.Clone(tr.data)
	le.PutUint32(b[8:], Version+1)
	le.PutUint32(b[60:], checksum(b[:60]))
	_, err = parse(b)
	isFormat(t, err, fmt.Sprintf("version %d", Version+1), ErrNewerVersion)
	if _, _, err = salvage(b); !errors.Is(err, ErrNewerVersion) {
		t.Errorf("%v", err)
	}
}

// What was run was told by notes before version 3 had fields for it. The files were recorded by
// programs of that time.
func TestNotesOfOldVersions(t *testing.T) {
	for _, c := range []struct {
		file    string
		version int
		want    Header
	}{
		{"version1-go.loi.zst", 1, Header{Kernel: "matmul", Scheduler: "go", Unordered: true,
			Cores: 2, Seed: 1, Machine: "AMD EPYC", Params: []KV{{"n", "64"}, {"leaf", "32x32x64"},
				{"layout", "tiled"}, {"isa", "auto"}, {"inputs", "integers"}}}},
		{"version2-run.loi.zst", 2, Header{Kernel: "fmm", Scheduler: "workfirst", Cores: 2, Seed: 7,
			Machine: "westmere-ex-4s", Params: []KV{{"bodies", "100"}, {"dist", "plummer"},
				{"radius", "1"}, {"cut", "10"}, {"input", ""}, {"output", ""}, {"ncrit", "16"},
				{"order", "2"}, {"theta", "0.5"}, {"cutoff", "300"}, {"split", "5000"},
				{"mutual", "true"}, {"isa", "auto"}}}},
	} {
		in, err := Verify(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		h := in.Header
		got := Header{Kernel: h.Kernel, Scheduler: h.Scheduler, Params: h.Params, Cores: h.Cores,
			Seed: h.Seed, Machine: h.Machine, MachineHash: h.MachineHash, Unordered: h.Unordered,
			Meta: h.Meta}
		if in.Version != c.version || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: version %d\n%+v\nexpected\n%+v", c.file, in.Version, got, c.want)
		}
		// Saved again it is of version 3 and says the same.
		tr, err := Open(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "again.loi")
		if err := tr.Save(out); err != nil {
			t.Fatal(err)
		}
		again, err := Verify(out)
		if err != nil || again.Version != 3 || !reflect.DeepEqual(again.Header, h) {
			t.Errorf("%s: saved again: %+v: %v", c.file, again, err)
		}
	}
}

// Notes of others stay notes, and so do values that are not of their field.
func TestLiftNotes(t *testing.T) {
	notes := []KV{{"seed", "1"}, {"kernel", "k"}}
	h := Header{Meta: slices.Clone(notes)}
	if h.liftNotes(); !reflect.DeepEqual(h, Header{Meta: notes}) {
		t.Errorf("%+v", h)
	}
	h = Header{Meta: []KV{{"params", "n=1 name=a b= c=d -x=="}, {"cores", "two"}, {"my", "own"},
		{"seed", "-1"}, {"scheduler", "x"}}}
	h.liftNotes()
	if want := (Header{Scheduler: "x", Params: []KV{{"n", "1"}, {"name", "a"}, {"b", ""},
		{"c", "d -x=="}}, Meta: []KV{{"cores", "two"}, {"my", "own"}, {"seed", "-1"}}}); true {
		want.Cores, want.Seed = 0, 0
		if !reflect.DeepEqual(h, want) {
			t.Errorf("%+v\nexpected\n%+v", h, want)
		}
	}
}

// programFixture has all that version 3 has and version 2 has not.
const programFixture = `loi-text 3
substrate simulated
clock virtual 1e+12 invariant
nodes 1
l2 0
llc 0
grain kernel
program matmul
param n 64
param "input file" "two words=3"
scheduler go
unordered
cores 6
seed 18446744073709551615
machine "a machine"
machine-hash 0a1b
meta my own
worker 0 cpu -1 node 0 offset 0
kernel timed
region main function
region "for i" loop in 0
region main task in 1
0 100 150 timed()
end 1
`

func TestProgramFixture(t *testing.T) {
	tr, err := ParseText(strings.NewReader(programFixture))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.loi")
	if err := tr.Save(out); err != nil {
		t.Fatal(err)
	}
	if tr, err = Open(out); err != nil || tr.Info().Version != 3 {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteText(&b, tr); err != nil || b.String() != programFixture {
		t.Errorf("%v: written\n%s\nexpected\n%s", err, b.String(), programFixture)
	}
	for _, c := range []struct{ old, new, what string }{
		{"cores 6", "cores 2147483648", "at most"},
		{`"for i" loop in 0`, `"for i" loop in 1`, "expected an earlier one"},
		{`"for i" loop in 0`, `"for i"`, "region(0)"},
		{`"for i" loop`, `"" loop`, "no name"},
	} {
		if _, err := ParseText(strings.NewReader(strings.Replace(programFixture, c.old, c.new,
			1))); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%q for %q: %v, expected %q", c.new, c.old, err, c.what)
		}
	}
	// Any one of the fields takes version 3.
	for i, h := range []Header{{Kernel: "k"}, {Scheduler: "s"}, {Params: []KV{{"a", "b"}}},
		{Cores: 1}, {Seed: 1}, {Machine: "m"}, {MachineHash: "h"}, {Unordered: true},
		{Registry: Registry{Regions: []Region{{"r", Loop, NoRegion}}}}} {
		if h.version() != 3 {
			t.Errorf("header %d: version %d", i, h.version())
		}
	}
}

// How the sizes of caches are known is written and read, as text and in a file, and takes version
// 4, by either of them.
func TestCachesKnown(t *testing.T) {
	text := strings.NewReplacer("loi-text 3", "loi-text 4", "l2 0\nllc 0",
		"l2 1024 told\nllc 4096 assumed").Replace(programFixture)
	tr, err := ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.loi")
	if err := tr.Save(out); err != nil {
		t.Fatal(err)
	}
	if tr, err = Open(out); err != nil || tr.Info().Version != 4 ||
		tr.Header.L2Known != "told" || tr.Header.LLCKnown != "assumed" {
		t.Fatalf("%v: %+v", err, tr)
	}
	var b bytes.Buffer
	if err := WriteText(&b, tr); err != nil || b.String() != text {
		t.Errorf("%v: written\n%s\nexpected\n%s", err, b.String(), text)
	}
	for _, h := range []Header{{L2Known: "told"}, {LLCKnown: "told"}} {
		if h.version() != 4 {
			t.Errorf("%+v: version %d", h, h.version())
		}
	}
}

// namedFixture has all that version 2 has and version 1 has not.
const namedFixture = `loi-text 2
substrate native
clock trace 0
nodes 1
l2 0
llc 0
grain kernel
worker 0 cpu -1 node 0 offset 0
object A 64x8192
object K keyed
object S span
object "keyed 2" keyed
kernel get
kernel gemm A:in
0 100 150 gemm(63)
0 150 150 get{K[0x2a:64]:in}
0 150 150 get{K[0xffffffffffffffff:4611686018427387904]:out}
0 160 170 get{S[4096+256]:in,S[4096+256x32/9000]:inout,A[1]:in,"keyed 2"[0x0:1]:in} moved
0 160 160 get{S[0+1x4294967295/1]:in}
end 5
`

func TestNamedFixture(t *testing.T) {
	tr, err := ParseText(strings.NewReader(namedFixture))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteText(&b, tr); err != nil || b.String() != namedFixture {
		t.Errorf("%v: written\n%s\nexpected\n%s", err, b.String(), namedFixture)
	}
	want := []Access{
		{Object: 2, Mode: In, Block: 4096, Bytes: 256}, {Object: 2, Mode: InOut, Rows: 32,
			Block: 4096, Bytes: 256, Stride: 9000},
		{Object: 0, Mode: In, Block: 1, Bytes: 8192}, {Object: 3, Mode: In, Block: 0, Bytes: 1},
	}
	list, err := readAll(tr, 0)
	if err != nil || len(list) != 5 || len(list[3].Explicit) != len(want) {
		t.Fatalf("%+v: %v", list, err)
	}
	for i, a := range list[3].Explicit {
		if a != want[i] {
			t.Errorf("%+v, expected %+v", a, want[i])
		}
	}
	for _, c := range []struct{ old, new, what string }{
		{"loi-text 2", "loi-text 1", `"keyed", expected blocks`},
		{"object K keyed", "object K keyed 3x4", "registered blocks"},
		{"kernel gemm A:in", "kernel gemm K:in", `names object "K", which is keyed`},
		{"0x2a:64", "42", "expected"},
		{"0x2a:64", "0x2a:0", "has 0 bytes"},
		{"0x2a:64", "0x10000000000000000:64", "expected a key"},
		{"4096+256]", "4096]", "expected a range"},
		{"4096+256]", "4096+0]", "has 0 bytes"},
		{"4096+256]", "4096+256x1/9]", "expected a range"},
		{"4096+256x32/9000", "4096+256x32/255", "255 bytes apart"},
		{"4096+256x32/9000", "4096+256x32", "expected a range"},
		{"0+1x4294967295/1]", "4611686018427387904+1]", "end past 2^62"},
	} {
		text := strings.Replace(namedFixture, c.old, c.new, 1)
		if text == namedFixture {
			t.Fatalf("%q is not in the fixture", c.old)
		}
		if _, err := ParseText(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), c.what) {
			t.Errorf("%q for %q: %v, expected %q", c.new, c.old, err, c.what)
		}
	}
	// A decimal key is one too.
	if _, err := ParseText(strings.NewReader(strings.Replace(namedFixture, "0x2a", "42",
		1))); err != nil {
		t.Error(err)
	}
}
