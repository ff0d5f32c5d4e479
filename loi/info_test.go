package loi

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestStat(t *testing.T) {
	data, want := smallTrace(t)
	path := filepath.Join(t.TempDir(), "x.loi")
	check := func(name string, clean, recovered bool, kind error) {
		t.Helper()
		in, err := Stat(name)
		if !errors.Is(err, kind) || kind == nil && err != nil {
			t.Fatalf("%v, expected %v", err, kind)
		}
		if in.Clean != clean || in.Recovered != recovered || in.Verified || in.Workers != nil ||
			in.Path != name || in.Version != Version {
			t.Errorf("%+v", in)
		}
		if !reflect.DeepEqual(in.Records, []uint64{uint64(len(want[0])), uint64(len(want[1]))}) ||
			in.Chunks < 3 || in.Used == 0 {
			t.Errorf("%v records in %d chunks and %d bytes", in.Records, in.Chunks, in.Used)
		}
		s := in.String()
		if strings.Contains(s, "no clean end") == clean ||
			strings.Contains(s, ", recovered") != recovered || !strings.Contains(s, "0 discarded") {
			t.Errorf("%q", s)
		}
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	check(path, true, false, nil)
	pre, err := decodePrefix(data, uint64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	le.PutUint64(data[pre.controlOffset:], stateOpen)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	check(path, false, true, ErrUnclean)
	if _, err := Verify(path); !errors.Is(err, ErrUnclean) {
		t.Errorf("Verify: %v", err)
	}
	if rep, err := Recover(path, path+".out"); err != nil || rep.Clean || rep.Damaged() {
		t.Errorf("%+v: %v", rep, err)
	}
	check(path+".out", true, true, nil)
	// Once more: there is nothing to do, and the mark stays.
	if rep, err := Recover(path+".out", path+".again"); err != nil || !rep.Clean {
		t.Errorf("%+v: %v", rep, err)
	}
	check(path+".again", true, true, nil)
	if _, err := Recover(path, path+".out"); !errors.Is(err, os.ErrExist) {
		t.Errorf("Recover to a file that exists: %v", err)
	}
	if _, err := Stat(path + ".missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestHeaderDamage reads headers that are cut, longer, or hold numbers that are out of range.
func TestHeaderDamage(t *testing.T) {
	h := testHeader(2)
	headerDamage(t, h)
	h.Kernel, h.Scheduler, h.Params = "k", "s", []KV{{"n", "1"}, {"m", ""}}
	h.Cores, h.Seed, h.Machine, h.MachineHash, h.Unordered = 2, 3, "m", "h", true
	h.Registry.Regions = []Region{{"f", Function, NoRegion}, {"for", Loop, 0}, {"t", TaskRegion, 1}}
	headerDamage(t, h)
}

func headerDamage(t *testing.T, h Header) {
	t.Helper()
	b := encodeHeader(&h)
	if got, err := decodeHeader(b, 0); err != nil || !reflect.DeepEqual(got, h) {
		t.Fatalf("%+v: %v", got, err)
	}
	for n := range b {
		_, err := decodeHeader(b[:n:n], 64)
		isFormat(t, err, "a header cut after "+u(uint32(n)), ErrCorrupt)
	}
	_, err := decodeHeader(append(b[:len(b):len(b)], 0), 64)
	isFormat(t, err, "a longer header", ErrCorrupt)
	for i := range b { // what is still a header is one that could be written
		for _, v := range []byte{0, 0x7f, 0xff, b[i] + 1} {
			c := append([]byte(nil), b...)
			c[i] = v
			got, err := decodeHeader(c, 64)
			if err != nil {
				isFormat(t, err, "a changed header", ErrCorrupt)
			} else if err := got.Validate(); err != nil {
				t.Errorf("byte %d changed to %#x: %v", i, v, err)
			}
		}
	}
}

func TestObject(t *testing.T) {
	h := testHeader(1)
	o := &h.Registry.Objects[1]
	if o.Len() != 16 || o.Bytes() != 10*4096+100+5*64 {
		t.Errorf("%d blocks, %d bytes", o.Len(), o.Bytes())
	}
}
