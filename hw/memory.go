package hw

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Memory records how much more a process may allocate.
type Memory struct {
	// the smallest of what the system, the process's cgroups and its own limits leave
	FreeBytes  int64 `json:"free_bytes"`
	TotalBytes int64 `json:"total_bytes"` // of the system
	// the tightest limit of a cgroup or of the process; unknown when there is none
	LimitBytes Size `json:"limit_bytes"`
	// the file of the limit that FreeBytes comes from; "" for the system
	LimitedBy string `json:"limited_by,omitempty"`
}

// FreeMemory reads MemAvailable, the limits of the process's memory cgroups (v1 and v2, up to the
// root; page cache that can be dropped counts as free), and those of the process itself: its address
// space and its data (ulimit -v and -d). Not on Linux: ErrUnsupported.
func FreeMemory() (Memory, error) { return freeMemory(os.DirFS("/")) }

func freeMemory(fsys fs.FS) (Memory, error) {
	var m Memory
	free, ok := meminfo(fsys, "MemAvailable:")
	if !ok {
		return m, fmt.Errorf("free memory: /proc/meminfo has no MemAvailable: %w", ErrUnsupported)
	}
	m.FreeBytes = free
	m.TotalBytes, _ = meminfo(fsys, "MemTotal:")
	limited := func(limit, left int64, by string) {
		if m.LimitBytes == 0 || Size(limit) < m.LimitBytes {
			m.LimitBytes = Size(limit)
		}
		if left = max(0, left); left < m.FreeBytes {
			m.FreeBytes, m.LimitedBy = left, by
		}
	}
	for _, x := range [][2]string{{"Max address space", "VmSize:"}, {"Max data size", "VmData:"}} {
		limit, okLimit := column(fsys, "proc/self/limits", x[0])
		used, okUsed := column(fsys, "proc/self/status", x[1])
		if okLimit && okUsed {
			limited(limit, limit-used<<10, "/proc/self/limits, "+x[0])
		}
	}
	s := &sysfs{FS: fsys}
	for _, g := range s.cgroups("memory") {
		limitFile, usageFile, cacheKey := "memory.limit_in_bytes", "memory.usage_in_bytes",
			"total_inactive_file"
		if g.v2 {
			limitFile, usageFile, cacheKey = "memory.max", "memory.current", "inactive_file"
		}
		for at := range g.upward {
			limit, okLimit := readInt64(fsys, path.Join(at, limitFile))
			usage, okUsage := readInt64(fsys, path.Join(at, usageFile))
			stat, _ := column(fsys, path.Join(at, "memory.stat"), cacheKey+" ")
			// "max", and v1's huge number, are no limit
			if okLimit && okUsage && (m.TotalBytes == 0 || limit < m.TotalBytes) {
				limited(limit, limit-max(0, usage-stat), "/"+path.Join(at, limitFile))
			}
		}
	}
	return m, nil
}

// LimitHeap makes Go's collector keep the heap below a number of bytes where it can, rather than
// let it double, and returns a function that ends that. A limit of the user ($GOMEMLIMIT) stays.
func LimitHeap(bytes int64) (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(max(0, bytes))
	return func() { debug.SetMemoryLimit(before) }
}

// DefaultMemory returns how many bytes a command takes that may choose: half of the memory free to
// the process, at most 1 GiB; 1 GiB also where that is not known.
func DefaultMemory() uint64 {
	m, err := FreeMemory()
	if err != nil {
		return mostMemory
	}
	return uint64(min(m.FreeBytes/2, mostMemory))
}

const mostMemory = 1 << 30

// meminfo returns a line of /proc/meminfo in bytes.
func meminfo(fsys fs.FS, key string) (int64, bool) {
	kib, ok := column(fsys, "proc/meminfo", key)
	return kib << 10, ok
}

// column returns the number behind a key that begins a line of a file; false if there is none.
func column(fsys fs.FS, name, key string) (int64, bool) {
	text, _ := readText(fsys, name)
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			n, err := strconv.ParseInt(first, 10, 52)
			return n, err == nil
		}
	}
	return 0, false
}

func readInt64(fsys fs.FS, name string) (int64, bool) {
	text, ok := readText(fsys, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
