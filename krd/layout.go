package krd

import (
	"fmt"
	"math"

	"krdlab/loi"
)

// maxBlocks keeps positions, which number the live blocks and those of a chunk, within 32 bits.
const maxBlocks = 1 << 31

// A trace registers at most spareBlocks blocks, and blocksPerRecord for each record that it has or
// lost: even an untouched block has an entry in every table.
const (
	spareBlocks     = 1 << 22
	blocksPerRecord = 64
)

const maxTotal = math.MaxInt64 / 2

// blockSizes returns the bytes of the registered blocks of t, by their dense numbers.
func blockSizes(t *loi.Trace) ([]uint64, error) {
	most := t.Loss().Total()
	for _, n := range t.Records() {
		most += n
	}
	most = min(min(most, maxBlocks)*blocksPerRecord+spareBlocks, maxBlocks)
	if uint64(t.Blocks()) > most {
		return nil, fmt.Errorf("krd: %w: the trace registers %d blocks, expected at most %d: %d, and %d "+
			"for each of its records", ErrTooLarge, t.Blocks(), most, spareBlocks, blocksPerRecord)
	}
	sizes, total := make([]uint64, 0, t.Blocks()), 0.0
	for i := range t.Header.Registry.Objects {
		for _, run := range t.Header.Registry.Objects[i].Blocks {
			for range run.Count {
				sizes = append(sizes, run.Bytes)
			}
			total += float64(run.Count) * float64(run.Bytes)
		}
	}
	// Twice the room: a distance plus one more block must not overflow the bins.
	if total >= maxTotal {
		return nil, fmt.Errorf("krd: %w: the objects of the trace have %.4g in all, expected "+
			"less than 2^62", ErrTooLarge, total)
	}
	return sizes, nil
}
