package textfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.txt")
	for _, test := range []struct{ text, want, err string }{
		{"", "", ""},
		{"a", "a", ""},
		{"café\r\n \n", "café\r\n \n", ""},
		{"\ufeff", "", ""},
		{"\ufeffcafé\n", "café\n", ""},
		{"�\n", "�\n", ""}, // the character itself
		{"a\nb\ncaf\xe9 au lait\nd\xe9\n", "", `:3: found bytes that are no UTF-8 in "caf\xe9 au ` +
			`lait", expected UTF-8`},
		{"\xc3", "", `:1: found bytes that are no UTF-8 in "\xc3", expected UTF-8`},
		{"\xff\xfea\x00", "", ":1: found UTF-16, expected UTF-8"},
		{"\xfe\xff\x00a", "", ":1: found UTF-16, expected UTF-8"},
		{"a\x00\n\x00", "", ":1: found UTF-16, expected UTF-8"},
		{"\x00a\x00\n", "", ":1: found UTF-16, expected UTF-8"},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		want := ""
		if test.err != "" {
			want = path + test.err
		}
		got, err := Read(path)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if string(got) != test.want || said != want {
			t.Errorf("%q: %q, error %q, want %q and %q", test.text, got, said, test.want, want)
		}
	}
	if _, err := Read(path + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
