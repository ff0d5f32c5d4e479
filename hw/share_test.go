package hw

import (
	"errors"
	"testing"
	"testing/fstest"
)

func TestReadWait(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for text, want := range map[string]uint64{"4001938 11681741 2\n": 11681741, "0 0 0\n": 0,
		"1 x 2": 0, "7 8": 0, "": 0} {
		got, err := ReadWait(fstest.MapFS{"proc/thread-self/schedstat": file(text)})
		if got != want || (err == nil) != (want > 0) || err != nil &&
			!errors.Is(err, ErrUnsupported) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if _, err := ReadWait(fstest.MapFS{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("no file: %v", err)
	}
	all, err := ReadProcessWait(fstest.MapFS{"proc/self/task/7/schedstat": file("1 20 1"),
		"proc/self/task/8/schedstat": file("0 0 0"), "proc/self/task/9/schedstat": file("3 40 1")})
	if err != nil || len(all) != 2 || all["7"] != 20 || all["9"] != 40 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestReadSteal(t *testing.T) {
	got := ReadSteal(fstest.MapFS{"proc/stat": {Data: []byte(
		"cpu  9 9 9 9 9 9 9 12 0 0\ncpu0 1 2 3 4 5 6 7 5 0 0\ncpu11 1 2 3 4 5 6 7 7 0 0\n" +
			"cpu3 1 2\nintr 1 2 3 4 5 6 7 8 9\n")}})
	if len(got) != 2 || got[0] != 50_000_000 || got[11] != 70_000_000 {
		t.Errorf("%v", got)
	}
	if got := ReadSteal(fstest.MapFS{}); got != nil {
		t.Errorf("%v of no file", got)
	}
}
