package smith

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// ErrCache is wrapped by every error about the description of a cache.
var ErrCache = failure.New(failure.Request, "bad cache")

// DefaultLineBytes is the size of a cache line where none is given.
const DefaultLineBytes = 64

// Limits of a cache that is not fully associative: beyond, the incomplete beta function loses its
// digits.
const (
	maxBytes = 1 << 40
	maxWays  = 1 << 20
)

// A Cache is the geometry of a cache. Replacement is LRU.
type Cache struct {
	Bytes     uint64 `json:"bytes"`      // capacity
	Ways      uint64 `json:"ways"`       // lines in a set; 0: all of them, fully associative
	LineBytes uint64 `json:"line_bytes"` // a power of two; 0: [DefaultLineBytes]
}

// Parse reads the description BYTES[:WAYS[:LINE]] of a cache, such as 18MiB:16, 32KiB:8:64 or
// 18MiB. [units.ParseBytes] reads BYTES and LINE. Without WAYS the cache is fully associative,
// without LINE its lines have 64 bytes. The number of sets need not be a power of two.
//
// Errors wrap [ErrCache] and quote the text.
func Parse(text string) (Cache, error) {
	bad := func(format string, args ...any) (Cache, error) {
		return Cache{}, fmt.Errorf("smith: %w %q: %s", ErrCache, text, fmt.Sprintf(format, args...))
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return bad("%d parts, expected BYTES, BYTES:WAYS or BYTES:WAYS:LINE", len(parts))
	}
	c := Cache{LineBytes: DefaultLineBytes}
	var err error
	if c.Bytes, err = units.ParseBytes(parts[0]); err != nil {
		return bad("size %v", err)
	}
	if len(parts) > 1 {
		if c.Ways, err = strconv.ParseUint(parts[1], 10, 63); err != nil || c.Ways == 0 {
			return bad("ways %q, expected a whole number from 1 (leave it out for a fully "+
				"associative cache)", parts[1])
		}
	}
	if len(parts) > 2 {
		if c.LineBytes, err = units.ParseBytes(parts[2]); err != nil {
			return bad("line %v", err)
		}
	}
	if err := c.check(); err != nil {
		return bad("%v", err)
	}
	return c, nil
}

// check returns the fault of c, nil for none. LineBytes is filled in by its callers.
func (c Cache) check() error {
	if bits.OnesCount64(c.LineBytes) != 1 {
		return fmt.Errorf("lines of %d bytes, expected a power of two", c.LineBytes)
	}
	high, set := bits.Mul64(max(c.Ways, 1), c.LineBytes)
	switch {
	case c.Bytes == 0 || c.Bytes>>63 != 0:
		return fmt.Errorf("%d bytes, expected 1 to below 2^63", c.Bytes)
	case high == 0 && c.Bytes%set == 0:
		if sets := c.Bytes / set; c.Ways > 0 && sets > 1 && (c.Bytes > maxBytes ||
			c.Ways > maxWays) {
			return fmt.Errorf("%d bytes in sets of %d ways, expected at most %d bytes and %d "+
				"ways (but a single set may have any size)",
				c.Bytes, c.Ways, uint64(maxBytes), maxWays)
		}
		return nil
	case c.Ways == 0:
		return fmt.Errorf("%d bytes are no whole number of lines of %d bytes", c.Bytes, c.LineBytes)
	case high != 0:
		return fmt.Errorf("%d ways of %d bytes are more than the cache", c.Ways, c.LineBytes)
	}
	return fmt.Errorf("%d bytes are no whole number of sets of %d bytes (%d ways x %d bytes)",
		c.Bytes, set, c.Ways, c.LineBytes)
}

// String returns c in the form that [Parse] reads, the line only where it is not the default.
func (c Cache) String() string {
	s := formatBytes(c.Bytes)
	if c.Ways == 0 && (c.LineBytes == 0 || c.LineBytes == DefaultLineBytes) {
		return s
	}
	ways := c.Ways
	if ways == 0 && c.LineBytes != 0 {
		ways = c.Bytes / c.LineBytes // the text has no other way to tell the line
	}
	s += ":" + strconv.FormatUint(ways, 10)
	if c.LineBytes != 0 && c.LineBytes != DefaultLineBytes {
		s += ":" + formatBytes(c.LineBytes)
	}
	return s
}

// formatBytes writes n exactly, without unit where it is no multiple of a KiB.
func formatBytes(n uint64) string {
	if n%1024 != 0 || n == 0 {
		return strconv.FormatUint(n, 10)
	}
	return units.Sizes.Format(n)
}
