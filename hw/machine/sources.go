package machine

import (
	"slices"
	"strings"
)

// Guesses: beginnings of sources of numbers that were neither measured nor published.
const (
	Estimated     = "estimated"
	NotCalibrated = "not calibrated"
)

// fitted begins the source of a number that was chosen so that a result came out.
const fitted = "fitted"

// Paths returns the paths of all numbers of m, in the order of a file. Optional ones that are
// absent are left out.
func (m *Machine) Paths() []string {
	var out []string
	m.walk(func(f *field) {
		if f.shown() && !f.label() {
			out = append(out, f.path)
		}
	})
	return out
}

// places returns the paths of the fields that m may have, and of the tables of such fields.
func (m *Machine) places() map[string]bool {
	all := make(map[string]bool, 128)
	m.walk(func(f *field) {
		for path := f.path; path != ""; path, _, _ = cutLast(path) {
			all[path] = true
		}
	})
	return all
}

// Source returns where the number at path is from: the text for the path itself or the nearest
// table around it, "" where the file has none.
func (m *Machine) Source(path string) string {
	for path != "" {
		if s := m.Sources[path]; s != "" {
			return s
		}
		path, _, _ = cutLast(path)
	}
	return ""
}

// Guessed reports whether the number at path was neither measured nor published: its source is
// absent, or marks a guess.
func (m *Machine) Guessed(path string) bool {
	s := m.Source(path)
	return s == "" || strings.HasPrefix(s, Estimated) || strings.HasPrefix(s, NotCalibrated)
}

// Fitted reports whether a price, by the name that it has in a file, was fitted for a family of
// runtimes.
func (m *Machine) Fitted(family, price string) bool {
	if f, ok := m.field(familiesPrefix + family + "." + price); ok && f.shown() {
		return m.fitted(f.path)
	}
	return m.fitted("costs." + price)
}

// fitted reports whether the number at path was chosen so that a result came out.
func (m *Machine) fitted(path string) bool { return strings.HasPrefix(m.Source(path), fitted) }

// Guesses returns the paths of the numbers that are [Machine.Guessed], in the order of a file.
func (m *Machine) Guesses() []string {
	return slices.DeleteFunc(m.Paths(), func(p string) bool { return !m.Guessed(p) })
}

// A Number is a number of a machine as a file writes it, and where it is from.
type Number struct {
	Path  string  `json:"path"`
	Text  string  `json:"text"`  // as in a file, without quotes
	Value *uint64 `json:"value"` // in Unit; nil for words, truth values and matrices
	// ps, B, Hz, B/s or FLOP/s, the base unit of the field; "" for a count
	Unit    string `json:"unit"`
	Guessed bool   `json:"guessed"`
	Fitted  bool   `json:"fitted"` // chosen so that a result came out
	// of a guess that has a range; in Unit
	Range  *Range `json:"range,omitempty"`
	Source string `json:"source"` // "" where nothing is said
}

// Numbers returns the numbers of m in the order of a file. Optional ones that are absent are left
// out.
func (m *Machine) Numbers() []Number {
	var out []Number
	m.walk(func(f *field) {
		if !f.shown() || f.label() {
			return
		}
		n := Number{Path: f.path, Text: unquote(f.text()), Guessed: m.Guessed(f.path),
			Fitted: m.fitted(f.path), Source: m.Source(f.path)}
		if r, ok := m.Ranges[f.path]; ok {
			n.Range = &r
		}
		if v, ok := f.number(); ok {
			n.Value = &v
			if f.of != nil {
				n.Unit = f.of.Base()
			}
		}
		out = append(out, n)
	})
	return out
}

// unquote undoes quote for a text without quotation marks in it; other values stay.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == '"' && s[n-1] == '"' {
		return s[1 : n-1]
	}
	return s
}
