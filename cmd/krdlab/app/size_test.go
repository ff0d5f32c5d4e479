package app

import "testing"

func TestSize(t *testing.T) {
	for in, want := range map[string]size{
		"1": 1, "4096": 4096, "64K": 64 << 10, "64k": 64 << 10, "3MiB": 3 << 20, "2GB": 2 << 30,
		"1T": 1 << 40, "7B": 7, "1.5 MiB": 3 << 19,
		"": 0, "0": 0, "-1": 0, "M": 0, "1X": 0, "1KK": 0, "9B9": 0, "1BiB": 0,
		"99999999999999999999": 0, "9000000000G": 0,
	} {
		var got size
		if err := got.Set(in); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %d, %v, want %d", in, got, err, want)
		}
	}
	var none size
	if some := size(3 << 19); none.String() != "" || some.String() != "1.50 MiB" &&
		some.String() != "1.5 MiB" {
		t.Errorf("got %q and %q", none.String(), some.String())
	}
}
