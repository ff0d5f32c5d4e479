package hw

import (
	"errors"
	"path/filepath"
	"runtime/debug"
	"testing"
	"testing/fstest"
	"unsafe"
)

func TestFreeMemoryOf(t *testing.T) {
	base := files{"proc/meminfo": "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable:   600 kB"}
	with := func(more files) files {
		f := files{}
		for _, m := range []files{base, more} {
			for name, text := range m {
				f[name] = text
			}
		}
		return f
	}
	v2 := files{"proc/self/cgroup": "0::/a/b", "proc/mounts": "cgroup2 /cg cgroup2 rw 0 0",
		"cg/a/b/memory.max": "max", "cg/a/b/memory.current": "5",
		"cg/a/memory.max": "409600", "cg/a/memory.current": "204800",
		"cg/a/memory.stat": "anon 1\ninactive_file 102400"}
	v1 := files{"proc/self/cgroup": "4:memory:/x", "proc/mounts": "cgroup /cg cgroup rw,memory 0 0",
		"cg/x/memory.limit_in_bytes": "9223372036854771712",
		"cg/x/memory.usage_in_bytes": "204800", "cg/memory.limit_in_bytes": "102400",
		"cg/memory.usage_in_bytes": "204800"}
	own := files{"proc/self/limits": "Limit  Soft Limit  Hard Limit  Units\n" +
		"Max data size             unlimited            unlimited            bytes\n" +
		"Max address space         512000               unlimited            bytes\n",
		"proc/self/status": "Name:\tx\nVmSize:\t     100 kB\nVmData:\t 90 kB\n"}
	data := files{"proc/self/limits": "Max data size             102400            unlimited   bytes",
		"proc/self/status": "VmSize:\t     1000 kB\nVmData:\t 90 kB\n"}
	for _, tt := range []struct {
		name  string
		files files
		want  Memory
	}{
		{"address space", with(own), Memory{FreeBytes: 409600, TotalBytes: 1000 << 10,
			LimitBytes: 512000, LimitedBy: "/proc/self/limits, Max address space"}},
		{"data", with(data), Memory{FreeBytes: 10240, TotalBytes: 1000 << 10,
			LimitBytes: 102400, LimitedBy: "/proc/self/limits, Max data size"}},
		{"no cgroup", base, Memory{FreeBytes: 600 << 10, TotalBytes: 1000 << 10}},
		{"v2, limit of the parent", with(v2), Memory{FreeBytes: 307200, TotalBytes: 1000 << 10,
			LimitBytes: 409600, LimitedBy: "/cg/a/memory.max"}},
		{"v1, above its limit", with(v1), Memory{FreeBytes: 0, TotalBytes: 1000 << 10,
			LimitBytes: 102400, LimitedBy: "/cg/memory.limit_in_bytes"}},
	} {
		if got, err := freeMemory(tt.files.fs()); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v, want %+v", tt.name, got, err, tt.want)
		}
	}
	if m, err := freeMemory(fstest.MapFS{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("without /proc: %+v, %v, want ErrUnsupported", m, err)
	}
}

func TestFreeMemoryAndDiskLive(t *testing.T) {
	m, err := FreeMemory()
	if err == nil && (m.FreeBytes <= 0 || m.FreeBytes > m.TotalBytes) || err != nil &&
		!errors.Is(err, ErrUnsupported) {
		t.Errorf("memory %+v, %v", m, err)
	}
	dir := t.TempDir()
	here, err := FreeDisk(dir)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	deeper, err2 := FreeDisk(filepath.Join(dir, "not", "yet"))
	if err != nil || err2 != nil || here <= 0 || deeper <= 0 {
		t.Errorf("disk: %d, %v; below it, where nothing is yet: %d, %v", here, err, deeper, err2)
	}
	if _, err := FreeDisk("bad\x00name"); err == nil {
		t.Error("no error for a name with a zero byte")
	}
}

func TestMap(t *testing.T) {
	for _, n := range []int{1, 4095, 4096, 4097, 2<<20 - 1, 2 << 20, 2<<20 + 1, 9 << 20} {
		b, err := Map(n)
		if errors.Is(err, ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		at := uintptr(unsafe.Pointer(&b[0]))
		if align := uintptr(4096); at%align != 0 || n >= 2<<20 && at%(2<<20) != 0 {
			t.Errorf("%d bytes lie at %#x", n, at)
		}
		if len(b) != n || cap(b) != n || b[0] != 0 || b[n-1] != 0 {
			t.Errorf("%d bytes: len %d, cap %d, ends %d %d, want zeroes", n, len(b), cap(b), b[0],
				b[n-1])
		}
		b[0], b[n-1] = 1, 2
		if err := Unmap(b); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if b, err := Map(0); b != nil || err != nil || Unmap(nil) != nil {
		t.Errorf("0 bytes: %v, %v", b, err)
	}
	if _, err := Map(-1); err == nil {
		t.Error("no error for -1 bytes")
	}
	if b, err := Map(1 << 62); err == nil {
		t.Errorf("no error for 2^62 bytes, but %d", len(b))
	}
}

func TestLimitHeap(t *testing.T) {
	now := func() int64 { return debug.SetMemoryLimit(-1) }
	before := now()
	t.Setenv("GOMEMLIMIT", "")
	end := LimitHeap(1 << 40)
	if now() != 1<<40 {
		t.Errorf("limit %d, want %d", now(), 1<<40)
	}
	if end(); now() != before {
		t.Errorf("limit %d afterwards, want %d as before", now(), before)
	}
	t.Setenv("GOMEMLIMIT", "off")
	if LimitHeap(1 << 40)(); now() != before {
		t.Errorf("limit %d, want %d as the user says", now(), before)
	}
}
