package main

import (
	"regexp"
	"strings"
	"testing"

	"krdlab/hw/asmgen"
)

// TestCommittedFilesAreCurrent fails when the generator and its output have parted.
func TestCommittedFilesAreCurrent(t *testing.T) {
	if err := asmgen.Stale("..", "laplace", files...); err != nil {
		t.Error(err)
	}
}

// TestRegisters: functions called AVX2 use nothing of AVX-512, and so not the registers 16 to 31
// and the mask registers. The register allocator would not refrain from it.
func TestRegisters(t *testing.T) {
	texts, err := asmgen.Generate("laplace", files)
	if err != nil {
		t.Fatal(err)
	}
	beyond := regexp.MustCompile(`\b([XY](1[6-9]|2\d|3[01])|Z\d+|K[0-7])\b|AVX512|\.(Z|BCST)\b`)
	functions := 0
	for name, text := range texts {
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
	if functions != 44 {
		t.Errorf("%d functions looked at, expected 44", functions)
	}
}
