package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCommittedFilesAreCurrent fails when the generator and its output have parted.
func TestCommittedFilesAreCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate in package laplace", name)
		}
	}
}
