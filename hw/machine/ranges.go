package machine

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"krdlab/hw/units"
)

// A Range is within what a guess may lie, both ends included, in the base unit of its field.
type Range struct {
	Low  uint64 `json:"low"`
	High uint64 `json:"high"`
}

// ranges reads the pairs under [ranges], each the lowest and the highest value of a field, written
// as the field is.
func (r *reader) ranges(at, path string, v any) {
	if table, ok := v.(map[string]any); ok {
		for _, k := range slices.Sorted(maps.Keys(table)) {
			r.ranges(under(at, key(k)), under(path, k), table[k])
		}
		return
	}
	want := "a pair [low, high] of " + path
	of, ok := r.m.dimension(path)
	if !ok {
		r.fail(at, "no number "+strconv.Quote(path)+" of this machine",
			"the path of one that is there")
		return
	}
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		r.fail(at, show(v), want)
		return
	}
	if _, twice := r.m.Ranges[path]; twice {
		r.fail(at, "a second range of "+path, "one")
		return
	}
	var ends [2]uint64
	for i, v := range pair {
		if of != nil {
			if ends[i], ok = r.quantity(at, of, v); !ok {
				return
			}
		} else if n, isInt := v.(int64); isInt && n >= 1 && n <= maxCount {
			ends[i] = uint64(n)
		} else {
			r.fail(at, show(v), fmt.Sprintf("a whole number from 1 to %d", maxCount))
			return
		}
	}
	if r.m.Ranges == nil {
		r.m.Ranges = map[string]Range{}
	}
	r.m.Ranges[path] = Range{ends[0], ends[1]}
}

// checkRanges checks that a range is one of a guess, and that the guess lies in it.
func (m *Machine) checkRanges(c *checker) {
	for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
		at, rg := "ranges."+path, m.Ranges[path]
		of, ok := m.dimension(path)
		if !ok {
			c.need(false, at, "no number "+strconv.Quote(path)+" of this machine",
				"the path of one that is there")
			continue
		}
		c.need(m.Guessed(path), at, "a number whose source is "+show(m.Source(path)),
			"a guess: what is known or fitted has no range")
		found := m.rangeText(path)
		c.need(path != "memory.page", at, found, "none: a page is a power of two, and is not drawn")
		c.need(rg.Low > 0, at, found, "a lower end above 0: draws are log-uniform")
		c.need(rg.Low < rg.High, at, found, "the lower end first")
		for _, v := range m.numbersAt(path) {
			text := strconv.FormatUint(v, 10)
			if of != nil {
				text = of.Format(v)
			}
			c.need(rg.Low <= v && v <= rg.High, at, found, "a range with the %s of %s", text, path)
		}
	}
}

// rangeText is a range as a file has it.
func (m *Machine) rangeText(path string) string {
	rg := m.Ranges[path]
	of, _ := m.dimension(path)
	if of == nil {
		return fmt.Sprintf("[%d, %d]", rg.Low, rg.High)
	}
	return "[" + quote(of.Format(rg.Low)) + ", " + quote(of.Format(rg.High)) + "]"
}

// dimension returns that of the number at path, nil for a count; false where it is no number that m
// has, or a price of a family that is that of all.
func (m *Machine) dimension(path string) (*units.Dimension, bool) {
	for _, f := range fields {
		if f.path == path {
			_, isCount := m.count(f)
			return f.of, m.shown(&f) && (f.of != nil || isCount)
		}
	}
	table, last, _ := cutLast(path)
	kind, name, _ := cutLast(table)
	if kind == "kernels" {
		rate := m.Kernels[name]
		for _, p := range parts {
			if p.name == last {
				return p.of, *p.at(&rate) != 0
			}
		}
		return nil, false
	}
	return units.Times, kind == "families" && slices.Contains(m.familyPaths(name), path) ||
		slices.ContainsFunc(prices, func(p price) bool {
			return path == "costs."+p.name && p.shown(&m.Costs)
		})
}

// count returns the number of a field without a unit.
func (m *Machine) count(f field) (*int, bool) {
	if f.at == nil {
		return nil, false
	}
	p, ok := f.at(m).(*int)
	return p, ok
}

// numbersAt are the numbers at a path: one, or those of memory.remote.
func (m *Machine) numbersAt(path string) []uint64 {
	if path != remotePath {
		if v, _ := m.value(path); v != nil {
			return []uint64{*v}
		}
		return nil
	}
	var list []uint64
	for a, row := range m.Memory.RemotePS {
		for b, ps := range row {
			if m.Domain(a) != m.Domain(b) {
				list = append(list, ps)
			}
		}
	}
	return list
}

// set puts a number at a path of one; all of memory.remote become equal. What a family has from
// [costs] goes with it.
func (m *Machine) set(path string, v uint64) {
	for _, f := range fields {
		if f.path == path && f.at != nil {
			switch p := f.at(m).(type) {
			case *uint64:
				*p = v
			case *int:
				*p = int(v)
			}
		}
	}
	for a, row := range m.Memory.RemotePS {
		for b := range row {
			if own := m.Domain(a) == m.Domain(b); own && path == "memory.local" ||
				!own && path == remotePath {
				row[b] = v
			}
		}
	}
	table, last, _ := cutLast(path)
	kind, name, _ := cutLast(table)
	for _, p := range prices {
		if p.name != last {
			continue
		}
		if kind == "families" {
			c := m.Families[name]
			*p.at(&c) = v
			m.Families[name] = c
		} else if table == "costs" {
			before := *p.at(&m.Costs)
			for name, c := range m.Families {
				if own := p.at(&c); *own == before {
					*own = v
				} else if m.fitted("families." + name + "." + last) {
					*own = scaled(*own, float64(v)/float64(before))
				}
				m.Families[name] = c
			}
			*p.at(&m.Costs) = v
		}
	}
	for _, p := range parts {
		if kind == "kernels" && p.name == last {
			rate := m.Kernels[name]
			*p.at(&rate) = v
			m.Kernels[name] = rate
		}
	}
}

// scaled is a price times a factor, at least the least that one may be, in whole ps.
func scaled(ps uint64, factor float64) uint64 {
	return max(uint64(math.Round(float64(ps)*factor)), leastPS)
}

// Clone returns a copy that shares nothing with m.
func (m *Machine) Clone() *Machine {
	c := *m
	c.Kernels, c.Families = maps.Clone(m.Kernels), maps.Clone(m.Families)
	c.Sources, c.Ranges = maps.Clone(m.Sources), maps.Clone(m.Ranges)
	c.Fits = slices.Clone(m.Fits)
	c.Memory.RemotePS = make([][]uint64, len(m.Memory.RemotePS))
	for i, row := range m.Memory.RemotePS {
		c.Memory.RemotePS[i] = slices.Clone(row)
	}
	return &c
}

// drawnDigits is to how many digits a draw is rounded, so that it is the same on every computer.
const drawnDigits = 4

// Draw returns machine i of those whose guesses lie anywhere in their ranges: a number with a unit
// is drawn log-uniformly, a count uniformly, each on its own, so that a range that is added moves
// no other number. Prices that were fitted keep their ratio to those of [costs]: fit them again.
// Draw 0 is m itself, a copy. Others have no ranges, and sources that name the draw. Errors: those
// of [Machine.Validate], where the ranges allow what contradicts itself.
func (m *Machine) Draw(i int) (*Machine, error) {
	out := m.Clone()
	if i == 0 {
		return out, nil
	}
	out.Name = fmt.Sprintf("%s-draw-%d", m.Name, i)
	out.Ranges = nil
	for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
		rg := m.Ranges[path]
		h := fnv.New64a()
		h.Write([]byte(path))
		of, _ := m.dimension(path)
		u := rand.New(rand.NewPCG(uint64(i), h.Sum64())).Float64()
		out.set(path, rg.at(u, of != nil))
		if out.Sources == nil {
			out.Sources = map[string]string{}
		}
		out.Sources[path] = fmt.Sprintf("%s: draw %d of %s", Estimated, i, m.rangeText(path))
	}
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("draw %d of machine %q: %w", i, m.Name, err)
	}
	return out, nil
}

// at is the number at a share u of the range, of its logarithm where it has one.
func (rg Range) at(u float64, unit bool) uint64 {
	low, high := float64(rg.Low), float64(rg.High)
	if !unit {
		return min(rg.Low+uint64(u*(high-low+1)), rg.High)
	}
	v := low * math.Pow(high/low, u)
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', drawnDigits-1, 64), 64)
	if err != nil {
		panic(err) // it was written right above
	}
	return min(max(uint64(math.Round(rounded)), rg.Low), rg.High)
}

// ScaleFitted multiplies the fitted prices of a family, and those of families with the same prices,
// by a factor; each stays at least 1 ns. False where the family has none.
func (m *Machine) ScaleFitted(family string, factor float64) bool {
	was, any := m.Families[family], false
	for _, name := range slices.Sorted(maps.Keys(m.Families)) {
		c := m.Families[name]
		if c != was {
			continue
		}
		for _, p := range prices {
			if own := p.at(&c); *own != *p.at(&m.Costs) && m.fitted("families."+name+"."+p.name) {
				*own, any = scaled(*own, factor), true
			}
		}
		m.Families[name] = c
	}
	return any
}
