package machine

import "krdlab/hw/units"

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
	for _, l := range m.lines() {
		if !l.number {
			continue
		}
		n := Number{Path: l.path, Text: unquote(l.value), Guessed: m.Guessed(l.path),
			Fitted: m.fitted(l.path), Source: m.Source(l.path)}
		if r, ok := m.Ranges[l.path]; ok {
			n.Range = &r
		}
		n.Value, n.Unit = m.value(l.path)
		out = append(out, n)
	}
	return out
}

// value returns the number at a path of m and its unit, nil if it is none.
func (m *Machine) value(path string) (*uint64, string) {
	for _, f := range fields {
		if f.path != path || f.at == nil {
			continue
		}
		unit := ""
		if f.of != nil {
			unit = f.of.Base()
		}
		switch p := f.at(m).(type) {
		case *uint64:
			return p, unit
		case *int:
			v := uint64(*p)
			return &v, unit
		}
		return nil, ""
	}
	table, last, _ := cutLast(path)
	kind, name, _ := cutLast(table)
	for _, p := range prices {
		own := m.Costs
		if kind == "families" {
			own = m.Families[name]
		}
		if p.name == last && (kind == "families" || table == "costs") {
			return p.at(&own), units.Times.Base()
		}
	}
	for _, p := range parts {
		if rate := m.Kernels[name]; kind == "kernels" && p.name == last {
			return p.at(&rate), p.of.Base()
		}
	}
	return nil, ""
}

// unquote undoes quote for a text without quotation marks in it; other values stay.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == '"' && s[n-1] == '"' {
		return s[1 : n-1]
	}
	return s
}
