package krd

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"krdlab/loi"
)

// TestRegisteredBlocks touches a few blocks of as many as a trace may register, and of one more.
func TestRegisteredBlocks(t *testing.T) {
	for n, want := range map[int]error{spareBlocks + blocksPerRecord: nil,
		spareBlocks + blocksPerRecord + 1: ErrTooLarge, 1<<32 - 1: ErrTooLarge} {
		tr, err := loi.ParseText(strings.NewReader(fmt.Sprintf("loi-text 4\nsubstrate native\n"+
			"worker 0 cpu 0 node 0 offset 0\nnodes 1\nobject a %dx1\nkernel f a:in\n0 1 2 f(7)\n", n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := blockSizes(tr); !errors.Is(err, want) || err != nil && !strings.Contains(
			err.Error(), fmt.Sprintf("registers %d blocks, expected at most %d: ", n,
				spareBlocks+blocksPerRecord)) {
			t.Errorf("%d blocks: %v, want %v", n, err, want)
		}
	}
}
