// Package hwtest holds snapshots of /sys and /proc of machines, for tests of packages that read or
// use a topology. testdata/sysfs/README.md has the source and the purpose of each.
package hwtest

import (
	"archive/tar"
	"compress/bzip2"
	"embed"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

//go:embed testdata/sysfs
var files embed.FS

const dir = "testdata/sysfs/"

// Snapshot returns the root of a machine's /sys and /proc, in memory, without the folder that the
// tar wraps them in.
func Snapshot(t testing.TB, name string) fs.FS {
	t.Helper()
	file, err := files.Open(dir + name + ".tar.bz2")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m := fstest.MapFS{}
	for r := tar.NewReader(bzip2.NewReader(file)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return m
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, inside, _ := strings.Cut(strings.TrimSuffix(h.Name, "/"), "/")
		switch h.Typeflag {
		case tar.TypeReg:
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatalf("%s: %s: %v", name, h.Name, err)
			}
			m[inside] = &fstest.MapFile{Data: b, Mode: 0o444}
		case tar.TypeSymlink:
			m[inside] = &fstest.MapFile{Data: []byte(h.Linkname), Mode: fs.ModeSymlink | 0o777}
		}
	}
}

// Listing returns what hwloc prints for a snapshot: as text, or as XML.
func Listing(t testing.TB, name string) (listing []byte, isXML bool) {
	t.Helper()
	if b, err := files.ReadFile(dir + name + ".console"); err == nil {
		return b, false
	}
	b, err := files.ReadFile(dir + name + ".xml")
	if err != nil {
		t.Fatal(err)
	}
	return b, true
}

// Deadline returns when a test that waits must give up, so that it can still say what for: ten
// seconds before the test program must end. A machine may be slow; no test has a time of its own.
func Deadline(t testing.TB) time.Time {
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok { // benchmarks have none
		if end, ok := t.Deadline(); ok {
			return end.Add(-10 * time.Second)
		}
	}
	return time.Now().Add(24 * time.Hour)
}

// SkipRace skips a test that the race detector only slows down: one in virtual time, where one
// goroutine runs at a time, or one of what others run concurrently in a smaller shape.
func SkipRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("the race detector finds nothing here that it does not find elsewhere")
	}
}
