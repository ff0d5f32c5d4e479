package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCommittedFilesAreCurrent fails when the generator and its output have parted.
func TestCommittedFilesAreCurrent(t *testing.T) {
	asm, stubs, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]byte{"../pass_amd64.s": asm, "../stubs_amd64.go": stubs} {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate in package fft", file)
		}
	}
}
