package loi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
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
	if err != nil || rep.Damaged() || rep.Records[0] != 156 || rep.Records[1] != 132 || !tr.Recovered {
		t.Errorf("%+v: %v", rep, err)
	}
}

// TestOldestVersion has traces that are written in version 1, byte for byte as before, unless they have a new kind of object.
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
	// A reader of version 1 would have refused it, as this one does version 3.
	b := bytes.Clone(tr.data)
	le.PutUint32(b[8:], 3)
	le.PutUint32(b[60:], checksum(b[:60]))
	_, err = parse(b)
	isFormat(t, err, "version 3", ErrNewerVersion)
	if _, _, err = salvage(b); !errors.Is(err, ErrNewerVersion) {
		t.Errorf("%v", err)
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
		{Object: 2, Mode: In, Block: 4096, Bytes: 256}, {Object: 2, Mode: InOut, Rows: 32, Block: 4096, Bytes: 256, Stride: 9000},
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
		if _, err := ParseText(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%q for %q: %v, expected %q", c.new, c.old, err, c.what)
		}
	}
	// A decimal key is one too.
	if _, err := ParseText(strings.NewReader(strings.Replace(namedFixture, "0x2a", "42", 1))); err != nil {
		t.Error(err)
	}
}
