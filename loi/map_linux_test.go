package loi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// mappedNow returns how many bytes of a mapping are memory of this process.
func mappedNow(t *testing.T, b []byte) (bytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, of, ok := strings.Cut(string(text), fmt.Sprintf("\n%x-", unsafe.SliceData(b)))
	if !ok {
		t.Fatal("the mapping is not listed")
	}
	_, of, _ = strings.Cut(of, "\nRss:")
	if _, err := fmt.Sscanf(of, "%d kB", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes << 10
}

// TestMappedMemory gives the pages of a mapped trace back while it is opened and read, and read
// again.
func TestMappedMemory(t *testing.T) {
	defer func(n int64, keep uint64) { mapFrom, keepMapped = n, keep }(mapFrom, keepMapped)
	mapFrom, keepMapped = 1, 1<<20
	const workers, records = 3, 100_000
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := Create(path, testHeader(workers), Options{FirstChunkBytes: 64 << 10, ChunkBytes: 64 << 10})
	if err != nil {
		t.Fatal(err)
	}
	fillTrace(t, w, workers, records)
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if !tr.mapped || len(tr.data) < 8<<20 {
		t.Fatalf("mapped: %v, %d bytes", tr.mapped, len(tr.data))
	}
	most := 2 * int(keepMapped) // chunks that are being read, and what is mapped around
	if n := mappedNow(t, tr.data); n > most {
		t.Errorf("%d of %d bytes are in memory once it is open", n, len(tr.data))
	}
	entries, _, err := tr.footer()
	if bad := tr.firstBad(entries); err != nil || bad < len(entries) {
		t.Fatal(bad, err)
	}
	if n := mappedNow(t, tr.data); n > most {
		t.Errorf("%d of %d bytes are in memory after a look at checksums", n, len(tr.data))
	}
	if tr.Tells(EventSteal) {
		t.Error("it has no event")
	}
	if n := mappedNow(t, tr.data); n > most {
		t.Errorf("%d of %d bytes are in memory after a look at the events", n, len(tr.data))
	}
	for range 2 {
		n := uint32(0)
		for worker := range workers {
			c := tr.Cursor(worker)
			for n = 0; c.Next(); n++ {
				if c.Record().Args[2] != n {
					t.Fatalf("worker %d, record %d: %v", worker, n, c.Record().Args)
				}
				if n%1000 == 0 {
					if bytes := mappedNow(t, tr.data); bytes > most {
						t.Fatalf("%d of %d bytes are in memory at record %d", bytes, len(tr.data), n)
					}
				}
			}
			if n != records || c.Err() != nil {
				t.Errorf("worker %d: %d records, %v", worker, n, c.Err())
			}
		}
	}
}
