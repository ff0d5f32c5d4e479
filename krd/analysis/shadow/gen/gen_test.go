package main

import (
	"testing"

	"krdlab/hw/asmgen"
)

// TestCommittedFilesAreCurrent fails when the generator and its output have parted.
func TestCommittedFilesAreCurrent(t *testing.T) {
	if err := asmgen.Stale("..", "shadow", file); err != nil {
		t.Error(err)
	}
}
