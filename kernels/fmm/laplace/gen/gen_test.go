package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
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
			t.Errorf("%s is not what the generator writes: run go generate in package laplace",
				name)
		}
	}
}

// TestRegisters: what is called AVX2 uses nothing of AVX-512, of which the registers 16 to 31 and
// the mask registers are part. The register allocator would not refrain from it.
func TestRegisters(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	beyond := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b|AVX512|\.(Z|BCST)\b`)
	functions := 0
	for name, text := range files {
		if !strings.HasSuffix(name, ".s") {
			continue
		}
		in := ""
		for i, line := range strings.Split(string(text), "\n") {
			if f, ok := strings.CutPrefix(line, "TEXT ·"); ok {
				in, _, _ = strings.Cut(f, "(")
				functions++
			}
			if strings.HasSuffix(in, "AVX2") && strings.HasPrefix(line, "\t") &&
				beyond.MatchString(line) {
				t.Fatalf("%s:%d: %s in %s", name, i+1, strings.TrimSpace(line), in)
			}
		}
	}
	if functions != 45 {
		t.Errorf("%d functions looked at, expected 45", functions)
	}
}
