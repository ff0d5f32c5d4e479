package request

import (
	"strconv"
	"strings"

	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/krd/smith"
)

// CachesForm is how caches are written, and CachesExample some.
const (
	CachesForm    = "L1D,L2,LLC[@CORES], each SIZE[:WAYS[:LINE]]"
	CachesExample = "48KiB:12,1MiB:16,32MiB:16@8"
)

// ParseCaches reads the caches of a computer: those of a core, L1D and L2, and an LLC with the
// number of cores that share it, as [CachesForm] says; without it the nodes stay as they are. A
// cache without WAYS is fully associative. The error is an [*Error] of the flag caches.
func ParseCaches(text string) (hw.Caches, error) {
	bad := func(why string) (hw.Caches, error) {
		return hw.Caches{}, &Error{Flag: "caches", Got: text,
			Want: why + "; expected " + CachesForm + ", such as " + CachesExample}
	}
	var c hw.Caches
	list, cores, shared := strings.Cut(text, "@")
	if shared {
		n, err := strconv.Atoi(cores)
		if err != nil || n < 1 {
			return bad("\"@" + cores + "\" is no number of cores from 1")
		}
		c.Cores = n
	}
	parts := strings.Split(list, ",")
	if len(parts) != 3 {
		return bad(units.Count(len(parts), "cache"))
	}
	for i, at := range []*hw.Cache{&c.L1d, &c.L2, &c.LLC} {
		one, err := smith.Parse(strings.TrimSpace(parts[i]))
		if err != nil {
			return bad(err.Error())
		}
		*at = hw.Cache{Level: i + 1, Bytes: hw.Size(one.Bytes), Ways: int(one.Ways),
			LineBytes: int(one.LineBytes), Known: hw.Given}
	}
	if c.L1d.Bytes > c.L2.Bytes || c.L2.Bytes > c.LLC.Bytes {
		return bad("a cache is smaller than the one before it")
	}
	return c, nil
}
