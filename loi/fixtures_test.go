package loi

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A file of another version is refused with both versions, also by recovery.
func TestOtherVersion(t *testing.T) {
	tr, err := ParseText(strings.NewReader(namedFixture))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []uint32{0, Version - 1, Version + 1} {
		b := bytes.Clone(tr.data)
		le.PutUint32(b[8:], v)
		le.PutUint32(b[60:], checksum(b[:60]))
		_, err = parse(b)
		isFormat(t, err, fmt.Sprintf("version %d, expected %d", v, Version), ErrVersion)
		if _, _, err = salvage(b, nil); !errors.Is(err, ErrVersion) {
			t.Errorf("%v", err)
		}
	}
}

// programFixture holds all that a header can hold of a run.
const programFixture = `loi-text 4
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
	if tr, err = Open(out); err != nil || tr.Info().Version != Version {
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
}

// How the sizes of caches are known is written and read, as text and in a file.
func TestCachesKnown(t *testing.T) {
	text := strings.NewReplacer("l2 0\nllc 0",
		"l2 1024 told\nllc 4096 assumed").Replace(programFixture)
	tr, err := ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "x.loi")
	if err := tr.Save(out); err != nil {
		t.Fatal(err)
	}
	if tr, err = Open(out); err != nil || tr.Info().Version != Version ||
		tr.Header.L2Known != "told" || tr.Header.LLCKnown != "assumed" {
		t.Fatalf("%v: %+v", err, tr)
	}
	var b bytes.Buffer
	if err := WriteText(&b, tr); err != nil || b.String() != text {
		t.Errorf("%v: written\n%s\nexpected\n%s", err, b.String(), text)
	}
}

// namedFixture has keyed objects and spans.
const namedFixture = `loi-text 4
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
