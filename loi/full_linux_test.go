package loi

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk mounts a file system of the given size in memory, or skips the test.
func smallDisk(t *testing.T, bytes string, flags uintptr) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, "size="+bytes); err != nil {
		t.Skipf("mount tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill records n kernels on each worker at the same time, numbered, and closes w.
func fillTrace(t *testing.T, w *Writer, workers, n int) Stats {
	t.Helper()
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			r := w.Recorder(i)
			for j := range uint32(n) {
				r.Kernel3(3, uint64(j)*10, uint64(j)*10+5, j%64, j%16, j)
			}
		})
	}
	wg.Wait()
	s, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkPrefix fails unless the file holds the first records of each worker and counts the rest. It
// returns how many it holds.
func checkPrefix(t *testing.T, path string, s Stats, workers, n int) (kept int) {
	t.Helper()
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range workers {
		c := tr.Cursor(i)
		var j uint32
		for ; c.Next(); j++ {
			if r := c.Record(); r.Args[2] != j {
				t.Fatalf("worker %d: record %d where %d was expected", i, r.Args[2], j)
			}
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		kept += int(j)
		if int(j)+int(tr.Discarded()[i]) != n || tr.Discarded()[i] != s.Discarded[i] ||
			tr.DiscardedKernels()[i] != s.Discarded[i] {
			t.Errorf("worker %d of %s: %d records kept, %d discarded (Close says %d, kernels "+
				"%d), expected %d in all",
				i, filepath.Base(path), j, tr.Discarded()[i], s.Discarded[i],
				tr.DiscardedKernels()[i], n)
		}
	}
	return kept
}

func TestFullDisk(t *testing.T) {
	for _, c := range []struct {
		name    string
		workers int
		opt     Options
	}{
		{"default", 2, Options{}},
		{"unmapped", 2, Options{Unmapped: true}},
		{"no background", 3, Options{NoBackground: true}},
		{"more workers than chunks", 300, Options{}},
		{"large first chunk", 1, Options{FirstChunkBytes: 64 << 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := smallDisk(t, "1m", 0)
			path := filepath.Join(dir, "x.loi")
			w, err := Create(path, testHeader(c.workers), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			const n = 40_000
			s := fillTrace(t, w, c.workers, n)
			if !errors.Is(s.Full, unix.ENOSPC) {
				t.Errorf("the disk was full because of %v, expected ENOSPC", s.Full)
			}
			// All but the count page, the headers, the footer and pieces too small to use hold
			// records.
			if kept := checkPrefix(t, path, s, c.workers, n); kept*32 < 1<<20*3/4 &&
				c.workers < 100 {
				t.Errorf("%d records kept on a disk of 1 MiB", kept)
			}
			if in, err := Verify(path); err != nil || in.Bytes > 1<<20 {
				t.Errorf("%v: %v", in, err)
			}
		})
	}
}

// TestDiskFillsUp lets another fill the disk once the first chunks are there: the footer still
// finds its place.
func TestDiskFillsUp(t *testing.T) {
	dir := smallDisk(t, "2m", 0)
	path := filepath.Join(dir, "x.loi")
	w, err := Create(path, testHeader(2), Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeZeros(f, 0, 4<<20); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	f.Close()
	s := fillTrace(t, w, 2, 5000)
	if kept := checkPrefix(t, path, s, 2, 5000); kept != 2*(64<<10-chunkHeaderBytes)/32 {
		t.Errorf("%d records kept, expected those of the first chunks", kept)
	}
}

// TestSpillToFullDisk records in memory beyond the limit, on a temporary folder without room:
// smaller chunks still fit into the memory, and nothing is mapped that the file does not have.
func TestSpillToFullDisk(t *testing.T) {
	t.Setenv("TMPDIR", smallDisk(t, "8k", 0))
	const n, memory = 40_000, 600 << 10
	w, err := NewMemory(testHeader(1), Options{MemoryBytes: memory})
	if err != nil {
		t.Fatal(err)
	}
	s := fillTrace(t, w, 1, n)
	if !errors.Is(s.Full, unix.ENOSPC) || s.Records[0]+s.Discarded[0] != n ||
		s.Records[0]*32 < memory*3/4 {
		t.Errorf("%d records kept, %d discarded of %d in %d bytes: %v", s.Records[0],
			s.Discarded[0], n, memory, s.Full)
	}
}

func TestNoRoomAtAll(t *testing.T) {
	dir := smallDisk(t, "8k", 0)
	path := filepath.Join(dir, "x.loi")
	if _, err := Create(path, testHeader(1), Options{}); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Create: %v, expected ENOSPC", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Create failed and left a file: %v", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	dir := smallDisk(t, "1m", unix.MS_RDONLY)
	if _, err := Create(filepath.Join(dir, "x.loi"), testHeader(1), Options{}); !errors.Is(err,
		unix.EROFS) {
		t.Errorf("Create: %v, expected EROFS", err)
	}
}

// TestNoFallocate writes to a file system that cannot allocate space, and so gets zeros.
func TestNoFallocate(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("ramfs", dir, "ramfs", 0, ""); err != nil {
		t.Skipf("mount ramfs: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	f, err := os.Create(filepath.Join(dir, "try"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, 0, 4096); err == nil {
		t.Log("ramfs has fallocate here")
	}
	f.Close()
	path := filepath.Join(dir, "x.loi")
	w, err := Create(path, testHeader(2), Options{FirstChunkBytes: 4096, ChunkBytes: 16384})
	if err != nil {
		t.Fatal(err)
	}
	const n = 10_000
	s := fillTrace(t, w, 2, n)
	if kept := checkPrefix(t, path, s, 2, n); kept != 2*n || s.Full != nil {
		t.Errorf("%d records kept, expected %d: %v", kept, 2*n, s.Full)
	}
}
