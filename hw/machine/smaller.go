package machine

import (
	"fmt"

	"krdlab/hw/units"
)

// WithCaches returns m with an n-th of each cache, the same ways of as many fewer sets: a problem
// that is smaller by as much meets the caches as a large one meets those of m, and is simulated
// sooner. Latencies, bandwidths and prices stay, and what m was fitted to does not hold. Error: a
// cache whose sets n does not divide.
func (m *Machine) WithCaches(n int) (*Machine, error) {
	out := m.Clone()
	if n == 1 {
		return out, nil
	}
	out.Name, out.Fits = fmt.Sprintf("%s-caches-1-%d", m.Name, n), nil
	out.Description = fmt.Sprintf("%s, with 1/%d of its caches", m.Name, n)
	if out.Sources == nil {
		out.Sources = map[string]string{}
	}
	for name, c := range out.caches() {
		sets := c.Bytes / uint64(c.LineBytes*c.Ways)
		if n < 1 || sets%uint64(n) != 0 {
			return nil, &FieldError{Field: name + ".size", Found: fmt.Sprintf("%d sets", sets),
				Want: fmt.Sprintf("a multiple of %d, to have 1/%[1]d of them", n)}
		}
		path := name + ".size"
		out.Sources[path] = fmt.Sprintf("1/%d of %s: %s", n, units.Sizes.Format(c.Bytes),
			m.Source(path))
		c.Bytes /= uint64(n)
	}
	for path, s := range out.Sources {
		if m.fitted(path) { // to runs with all of the caches
			out.Sources[path] = "of the whole machine, " + s
		}
	}
	return out, out.Validate()
}
