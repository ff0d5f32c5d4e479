package machine

import (
	"maps"
	"strings"
)

const (
	costsPrefix = "costs."
	// pricesMark stands in the name of a machine with other prices, between its own name and
	// theirs.
	pricesMark = "-prices-"
)

// WithPrices returns m with the prices of one of its families, which it has, for all schedulers:
// they differ in what they do alone. The fits of m do not hold.
func (m *Machine) WithPrices(family string) *Machine {
	out := m.unpriced(family)
	out.Costs = m.CostsOf(family)
	for _, p := range out.Costs.prices() {
		path := familiesPrefix + family + "." + p.name
		if f, ok := m.field(path); !ok || !f.shown() {
			path = costsPrefix + p.name
		}
		out.price(costsPrefix+p.name, "for all schedulers, ", m.Source(path))
	}
	return out
}

// WithPricesOf returns m with the costs of the operations of a runtime on another machine, those of
// its families too. The times of a kernel's execution and a frame beside these stay, since serial
// runs have them. The fits of m do not hold.
func (m *Machine) WithPricesOf(other *Machine) *Machine {
	out := m.unpriced(other.Name)
	kept := func(c Costs) Costs {
		c.KernelPS, c.FramePS = m.Costs.KernelPS, m.Costs.FramePS
		return c
	}
	out.Costs, out.Families = kept(other.Costs), maps.Clone(other.Families)
	for name, c := range out.Families {
		out.Families[name] = kept(c)
	}
	for _, path := range out.Paths() {
		switch path {
		case costsPrefix + "kernel", costsPrefix + "frame":
			out.price(path, "", m.Source(path))
			continue
		}
		if isPrice(path) {
			out.price(path, "of "+other.Name+", ", other.Source(path))
		}
	}
	return out
}

// unpriced returns m under a name of other prices, without sources and ranges of its own.
func (m *Machine) unpriced(prices string) *Machine {
	out := m.Clone()
	out.Name, out.Fits, out.Families = m.Name+pricesMark+prices, nil, nil
	out.Description = m.Name + ", with the prices of " + prices
	drop := func(path string) bool { return isPrice(path) || path == "costs" || path == "families" }
	maps.DeleteFunc(out.Sources, func(path, _ string) bool { return drop(path) })
	maps.DeleteFunc(out.Ranges, func(path string, _ Range) bool { return drop(path) })
	return out
}

func isPrice(path string) bool {
	return strings.HasPrefix(path, costsPrefix) || strings.HasPrefix(path, familiesPrefix)
}

// price sets the source of a price. A guess stays one, and a number that was fitted elsewhere
// counts as not fitted.
func (m *Machine) price(path, whose, source string) {
	if source == "" {
		return
	}
	if m.Sources == nil {
		m.Sources = map[string]string{}
	}
	if !strings.HasPrefix(source, Estimated) && !strings.HasPrefix(source, NotCalibrated) {
		source = whose + source
	}
	m.Sources[path] = source
}

// Unpriced parts the name of a machine from that of the prices that it was given; "" for its own.
func Unpriced(name string) (machine, prices string) {
	machine, prices, _ = strings.Cut(name, pricesMark)
	return machine, prices
}
