package machine

import (
	"maps"
	"slices"
	"strings"
)

// Guesses: what a source begins with when nobody measured or published the number.
const (
	Estimated     = "estimated"
	NotCalibrated = "not calibrated"
)

// fitted is what a source begins with where a number was chosen so that a result came out.
const fitted = "fitted"

// Paths returns the paths of all numbers of m, in the order of a file. Optional ones that are
// absent are left out.
func (m *Machine) Paths() []string {
	var out []string
	for _, f := range fields {
		if m.shown(&f) && f.path != "name" && f.path != "description" {
			out = append(out, f.path)
		}
	}
	for _, p := range prices {
		if p.shown(&m.Costs) {
			out = append(out, "costs."+p.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Families)) {
		out = append(out, m.familyPaths(name)...)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Kernels)) {
		rate := m.Kernels[name]
		for _, p := range parts {
			if *p.at(&rate) != 0 {
				out = append(out, "kernels."+name+"."+p.name)
			}
		}
	}
	return out
}

// shown says whether a file has the field: not those that are absent, and not what the absent field
// would mean.
func (m *Machine) shown(f *field) bool {
	if f.path == remotePath {
		return m.Domains() > 1
	}
	if !f.optional {
		return true
	}
	switch p := f.at(m).(type) {
	case *string:
		return *p != ""
	case *int:
		return *p != 1
	case *uint64:
		return *p != 0
	}
	return true
}

// familyPaths returns the paths of the costs of a family that differ from those of all.
func (m *Machine) familyPaths(name string) []string {
	var out []string
	own := m.Families[name]
	for _, p := range prices {
		if *p.at(&own) != *p.at(&m.Costs) {
			out = append(out, "families."+name+"."+p.name)
		}
	}
	return out
}

// hasField says whether path is one of a field that every machine may have or of a table of m.
func (m *Machine) hasField(path string) bool {
	if path == "costs" {
		return true
	}
	for _, f := range fields {
		if f.path == path || strings.HasPrefix(f.path, path+".") {
			return true
		}
	}
	table, last, _ := cutLast(path)
	isPrice := slices.ContainsFunc(prices, func(p price) bool { return p.name == last })
	if table == "costs" {
		return isPrice
	}
	kind, name, _ := cutLast(table)
	if table == "families" || table == "kernels" {
		kind, name = table, last
	}
	switch kind {
	case "families":
		_, ok := m.Families[name]
		return ok && (isPrice || kind == table)
	case "kernels":
		_, ok := m.Kernels[name]
		return ok && (kind == table || slices.ContainsFunc(parts,
			func(p part) bool { return p.name == last }))
	}
	return false
}

// Source returns where the number at path is from: the text for the path itself or the nearest
// table around it, "" where the file says nothing.
func (m *Machine) Source(path string) string {
	for path != "" {
		if s := m.Sources[path]; s != "" {
			return s
		}
		path, _, _ = cutLast(path)
	}
	return ""
}

// Guessed says whether nobody measured or published the number at path: its source is absent, or
// says so.
func (m *Machine) Guessed(path string) bool {
	s := m.Source(path)
	return s == "" || strings.HasPrefix(s, Estimated) || strings.HasPrefix(s, NotCalibrated)
}

// Fitted says whether a price, by the name that it has in a file, was fitted for a family of
// runtimes.
func (m *Machine) Fitted(family, price string) bool {
	path := "costs." + price
	if _, ok := m.Families[family]; ok {
		own := "families." + family + "." + price
		if slices.Contains(m.familyPaths(family), own) {
			path = own
		}
	}
	return m.fitted(path)
}

// fitted says whether the number at path was chosen so that a result came out.
func (m *Machine) fitted(path string) bool { return strings.HasPrefix(m.Source(path), fitted) }

// Guesses returns the paths of the numbers that are [Machine.Guessed], in the order of a file.
func (m *Machine) Guesses() []string {
	return slices.DeleteFunc(m.Paths(), func(p string) bool { return !m.Guessed(p) })
}
