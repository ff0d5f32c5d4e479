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
	// the smaller of what the system and the process's cgroups leave
	FreeBytes  int64 `json:"free_bytes"`
	TotalBytes int64 `json:"total_bytes"` // of the system
	// the tightest cgroup limit; unknown when there is none
	LimitBytes Size `json:"limit_bytes"`
	// the file of the cgroup that FreeBytes comes from; "" for the system
	LimitedBy string `json:"limited_by,omitempty"`
}

// FreeMemory reads MemAvailable and the limits of the process's memory cgroups (v1 and v2, up to
// the root; page cache that can be dropped counts as free). Not on Linux: ErrUnsupported.
func FreeMemory() (Memory, error) { return freeMemory(os.DirFS("/")) }

func freeMemory(fsys fs.FS) (Memory, error) {
	var m Memory
	free, ok := meminfo(fsys, "MemAvailable:")
	if !ok {
		return m, fmt.Errorf("free memory: /proc/meminfo has no MemAvailable: %w", ErrUnsupported)
	}
	m.FreeBytes = free
	m.TotalBytes, _ = meminfo(fsys, "MemTotal:")
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
			// "max", and v1's huge number, are no limit
			if okLimit && okUsage && (m.TotalBytes == 0 || limit < m.TotalBytes) {
				if m.LimitBytes == 0 || Size(limit) < m.LimitBytes {
					m.LimitBytes = Size(limit)
				}
				left := max(0, limit-max(0, usage-statField(fsys, path.Join(at, "memory.stat"),
					cacheKey)))
				if left < m.FreeBytes {
					m.FreeBytes, m.LimitedBy = left, "/"+path.Join(at, limitFile)
				}
			}
		}
	}
	return m, nil
}

// LimitHeap has Go's collector keep the heap below a number of bytes where it can, rather than let
// it double, and returns what ends that. A limit of the user ($GOMEMLIMIT) stays.
func LimitHeap(bytes int64) (end func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(max(0, bytes))
	return func() { debug.SetMemoryLimit(before) }
}

// meminfo returns a line of /proc/meminfo in bytes.
func meminfo(fsys fs.FS, key string) (int64, bool) {
	text, _ := readText(fsys, "proc/meminfo")
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == key {
			kib, err := strconv.ParseInt(f[1], 10, 52)
			return kib << 10, err == nil
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

// statField returns a line of a memory.stat file, 0 when there is none.
func statField(fsys fs.FS, name, key string) int64 {
	text, _ := readText(fsys, name)
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == key {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
