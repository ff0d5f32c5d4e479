package hw

import "strings"

// Known is how the size of a cache is known, "" where it is not.
type Known string

const (
	Told     Known = "told"     // by the operating system or the processor (CPUID)
	Measured Known = "measured" // by walks through growing memory
	Assumed  Known = "assumed"  // by the table of processor families
	Given    Known = "given"    // by the user
)

// CachesKnown is how the sizes of a machine's caches are known.
type CachesKnown struct {
	L1d Known `json:"l1d,omitempty"`
	L2  Known `json:"l2,omitempty"`
	LLC Known `json:"llc,omitempty"`
}

func (k CachesKnown) inBrackets() string {
	if k == (CachesKnown{}) {
		return ""
	}
	return " (" + k.String() + ")"
}

// String returns the one word that holds for all levels, or a word for each, as "L1d told, L2 told,
// LLC assumed"; "" where no size is known.
func (k CachesKnown) String() string {
	if k.L1d == k.L2 && k.L2 == k.LLC {
		return string(k.L1d)
	}
	var parts []string
	for _, level := range []struct {
		name string
		Known
	}{{"L1d", k.L1d}, {"L2", k.L2}, {"LLC", k.LLC}} {
		if level.Known != "" {
			parts = append(parts, level.name+" "+string(level.Known))
		}
	}
	return strings.Join(parts, ", ")
}
