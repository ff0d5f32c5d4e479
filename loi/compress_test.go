package loi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// packed returns b as a zstd stream.
func packed(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := compressTo(&out, func(w io.Writer) error {
		_,
			err := w.Write(b)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestCompress compresses a trace, reads it under another name, and decompresses it to the same
// bytes, in memory and through a temporary file. The temporary file is gone afterwards.
func TestCompress(t *testing.T) {
	defer func(n int) { heldMax = n }(heldMax)
	data, want := smallTrace(t)
	for _, heldMax = range []int{heldMax, 1000, len(data)} {
		dir, tmp := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", tmp)
		plain, zst, other, back := filepath.Join(dir, "a.loi"), filepath.Join(dir, "a.loi.zst"),
			filepath.Join(dir, "b"), filepath.Join(dir, "c.loi")
		if err := os.WriteFile(plain, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Compress(plain, zst); err != nil {
			t.Fatal(err)
		}
		if err := Compress(plain, zst); !errors.Is(err, os.ErrExist) {
			t.Errorf("again: %v", err)
		}
		small, err := os.ReadFile(zst)
		if err != nil || len(small) >= len(data)/2 || [4]byte(small) != zstdMagic {
			t.Fatalf("%d bytes became %d: %v", len(data), len(small), err)
		}
		if err := os.WriteFile(other, small, 0o644); err != nil {
			t.Fatal(err)
		}
		tr, err := Open(other)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, tr, want)
		if in := tr.Info(); in.Bytes != uint64(len(data)) || in.Packed != uint64(len(small)) ||
			!strings.Contains(in.String(), "compressed to "+u(in.Packed)+" bytes") {
			t.Errorf("%v", in)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if in, err := Stat(other); err != nil || !in.Clean {
			t.Errorf("%v: %v", in, err)
		}
		if in, err := Verify(zst); err != nil || in.Workers[0].Kernels == 0 {
			t.Errorf("%v: %v", in, err)
		}
		if rep, err := Recover(zst, filepath.Join(dir, "r.loi.zst")); err != nil || !rep.Clean {
			t.Errorf("%+v: %v", rep, err)
		}
		if err := Compress(other, back); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes came back of %d: %v", len(got), len(data), err)
		}
		if names, err := os.ReadDir(tmp); err != nil || len(names) > 0 {
			t.Errorf("left behind: %v: %v", names, err)
		}
	}
}

// TestDamagedStream flips bits of a compressed trace and cuts it off everywhere.
func TestDamagedStream(t *testing.T) {
	defer func(n int) { heldMax = n }(heldMax)
	data, want := smallTrace(t)
	small := packed(t, data)
	path := filepath.Join(t.TempDir(), "x.loi.zst")
	check := func(what string, b []byte, kinds ...error) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		isFormat(t, err, what, kinds...)
		var f *FormatError
		if errors.As(err, &f); f.File != path || f.Offset > int64(max(len(b), len(data))) {
			t.Fatalf("%s: %v", what, err)
		}
		tr, rep, err := OpenUnclean(path)
		if err != nil {
			isFormat(t, err, what, kinds...)
			return
		}
		defer tr.Close()
		if rep.Clean || !tr.Recovered {
			t.Fatalf("%s: recovered, and it does not say so", what)
		}
		for i := range want {
			got, err := readAll(tr, i)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) < len(want[i]) && tr.Discarded()[i] == 0 {
				t.Fatalf("%s: %d of %d records of worker %d, and no loss", what, len(got),
					len(want[i]), i)
			}
		}
	}
	for _, heldMax = range []int{64 << 20, 4096} {
		for i := 4; i < len(small); i += 7 {
			check("cut off", small[:i], ErrCorrupt)
		}
		for i := 8 * 4; i < 8*len(small); i += 91 {
			b := bytes.Clone(small)
			b[i/8] ^= 1 << (i % 8)
			if z, err := zstd.NewReader(nil); err != nil {
				t.Fatal(err)
			} else if got, err := z.DecodeAll(b, nil); err == nil && bytes.Equal(got, data) {
				continue // a bit without a meaning
			}
			check("bit "+u(uint32(i)), b, ErrCorrupt, ErrNotTrace)
		}
		check("more", append(bytes.Clone(small), "more"...), ErrCorrupt)
		check("text", packed(t, []byte(textFixture)), ErrNotTrace)
		check("short", packed(t, []byte("\x89LOI")), ErrNotTrace)
		check("empty", packed(t, nil), ErrNotTrace)
	}
	_, err := Open(filepath.Join(t.TempDir(), "none.loi.zst"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestStreamOfZeros opens a stream that decompresses to far more than its size: it is refused by
// its first bytes, or, where it begins as a trace does, when the room that there is for it would be
// used up.
func TestStreamOfZeros(t *testing.T) {
	dir := t.TempDir()
	bomb := filepath.Join(dir, "bomb")
	zero := make([]byte, 1<<20)
	if err := os.WriteFile(bomb, packed(t, zero), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(bomb)
	isFormat(t, err, "zeros", ErrNotTrace)
	defer func(f func(string) (uint64, bool), n int) { roomIn, heldMax = f, n }(roomIn, heldMax)
	heldMax = 1 << 16
	room := uint64(keepFree + 5*heldMax)
	roomIn = func(string) (uint64, bool) { room -= uint64(heldMax); return room, true }
	copy(zero, magic[:])
	if err := os.WriteFile(bomb, packed(t, zero), 0o644); err != nil {
		t.Fatal(err)
	}
	var f *FormatError
	if _, err = Open(bomb); err == nil || errors.As(err, &f) || !strings.Contains(err.Error(),
		"more than 262144 bytes") || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("%v", err)
	}
}
