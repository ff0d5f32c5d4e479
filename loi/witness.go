package loi

import (
	"errors"
	"fmt"
	"os"
)

// createWitness makes the file path with a count for each worker, each on a cache line of its own,
// and maps it.
func createWitness(path string, workers int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	defer f.Close()
	n := int64(workers) * slotBytes
	err = writeZeros(f, 0, n)
	if err == nil {
		var b []byte
		if b, err = mapShared(f, 0, int(n)); err == nil {
			return b, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("witness %s: %w", path, err), os.Remove(path))
}

// ReadWitness returns the counts of a witness file ([Options].Witness) by worker: the records that
// were committed, counted apart from the trace. It survives a kill of the writer; the count may
// lack the last record of each worker.
func ReadWitness(path string) ([]uint64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("witness: %w", err)
	}
	if len(b) == 0 || len(b)%slotBytes != 0 {
		return nil, fmt.Errorf("witness %s: %d bytes, expected a multiple of %d", path, len(b),
			slotBytes)
	}
	counts := make([]uint64, len(b)/slotBytes)
	for i := range counts {
		counts[i] = le.Uint64(b[i*slotBytes:])
	}
	return counts, nil
}
