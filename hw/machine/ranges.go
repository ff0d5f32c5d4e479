package machine

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

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
	f := r.m.fields()[path]
	if !f.ranged() {
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
		if ends[i], ok = r.number(at, f.of, v); !ok {
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
	fields := m.fields()
	for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
		at, rg, f := "ranges."+path, m.Ranges[path], fields[path]
		if !f.ranged() {
			c.need(false, at, "no number "+strconv.Quote(path)+" of this machine",
				"the path of one that is there")
			continue
		}
		c.need(m.Guessed(path), at, "a number whose source is "+show(m.Source(path)),
			"a guess: what is known or fitted has no range")
		found := rg.text(f.of)
		c.need(path != "memory.page", at, found, "none: a page is a power of two, and is not drawn")
		c.need(rg.Low > 0, at, found, "a lower end above 0: draws are log-uniform")
		c.need(rg.Low < rg.High, at, found, "the lower end first")
		for _, v := range f.numbers() {
			c.need(rg.Low <= v && v <= rg.High, at, found, "a range with the %s of %s",
				unquote(numberText(f.of, v)), path)
		}
	}
}

// text returns a range as a file has it, of a field in that unit.
func (rg Range) text(of *units.Dimension) string {
	return "[" + numberText(of, rg.Low) + ", " + numberText(of, rg.High) + "]"
}

// set puts a number at a path of one; all of memory.remote become equal. A family's number from
// [costs] changes with it.
func (m *Machine) set(path string, v uint64) {
	f, _ := m.field(path)
	before, _ := f.number()
	name, isCost := strings.CutPrefix(path, "costs.")
	m.walk(func(f *field) {
		_, last, _ := cutLast(f.path)
		switch own, _ := f.number(); {
		case f.path == path:
			f.put(v)
		case !isCost || f.base == nil || last != name:
		case own == before:
			f.put(v)
		case m.fitted(f.path):
			f.put(scaled(own, float64(v)/float64(before)))
		}
	})
	if path == "memory.local" {
		m.fillRemote(true, v)
	}
}

// SetMeasured puts a measured number at a path, with its source: how and when it was measured, one
// line. A family that m lacks begins with the prices in [costs]; prices that a family does not have
// of its own follow them. Error: no such number. The machine may contradict itself until all
// numbers are there; see [Machine.Validate].
func (m *Machine) SetMeasured(path string, v uint64, source string) error {
	table, _, _ := cutLast(path)
	kind, name, _ := cutLast(table)
	if _, ok := m.Families[name]; !ok && kind == "families" {
		if m.Families == nil {
			m.Families = map[string]Costs{}
		}
		m.Families[name] = m.Costs
	}
	f, ok := m.field(path)
	if _, one := f.number(); !ok || !one {
		return fmt.Errorf("set a measured number: %s: no such number", path)
	}
	if m.Sources == nil {
		m.Sources = map[string]string{}
	}
	m.set(path, v)
	m.Sources[path] = source
	return nil
}

// scaled returns a price times a factor, at least the least that one may be, in whole ps.
func scaled(ps uint64, factor float64) uint64 {
	return max(uint64(math.Round(float64(ps)*factor)), leastPS)
}

// Clone returns a copy that shares nothing with m.
func (m *Machine) Clone() *Machine {
	c := *m
	c.Families = maps.Clone(m.Families)
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
		f, _ := m.field(path)
		u := rand.New(rand.NewPCG(uint64(i), h.Sum64())).Float64()
		out.set(path, rg.at(u, f.of != nil))
		if out.Sources == nil {
			out.Sources = map[string]string{}
		}
		out.Sources[path] = fmt.Sprintf("%s: draw %d of %s", Estimated, i, rg.text(f.of))
	}
	if err := out.Validate(); err != nil {
		return nil, fmt.Errorf("draw %d of machine %q: %w", i, m.Name, err)
	}
	return out, nil
}

// at returns the number at a share u of the range, of its logarithm where it has one.
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
	m.walk(func(f *field) {
		if f.base == nil || !f.shown() || !m.fitted(f.path) {
			return
		}
		table, _, _ := cutLast(f.path)
		if own, _ := f.number(); m.Families[strings.TrimPrefix(table, familiesPrefix)] == was {
			f.put(scaled(own, factor))
			any = true
		}
	})
	return any
}
