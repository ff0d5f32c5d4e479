package machine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/textfile"
	"krdlab/hw/units"
)

// Load reads a machine from a TOML file. Errors: that the file cannot be read, or those of [Parse].
func Load(path string) (*Machine, error) {
	text, err := textfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a machine: %w", err)
	}
	return Parse(path, text)
}

// Parse reads a machine; file is the name of the text in errors. Every field is required that
// docs/machines.md does not call optional, and no other is allowed. The error joins a *[FieldError]
// for each fault, in the order of lines.
func Parse(file string, text []byte) (*Machine, error) {
	r := reader{m: &Machine{NodesPerSocket: 1, Memory: Memory{NodesPerDomain: 1}}}
	tree, keys, err := textfile.TOML(text)
	if e, ok := errors.AsType[*textfile.Error](err); ok {
		return nil, &FieldError{File: file, Line: e.Line, Found: e.Found, Want: e.Want}
	}
	sources, hasSources := tree["sources"]
	delete(tree, "sources")
	ranges, hasRanges := tree["ranges"]
	delete(tree, "ranges")
	fits, hasFits := tree["fits"]
	delete(tree, "fits")
	r.flatten("", tree)
	r.fields()
	r.unknown()
	if hasSources {
		r.sources("sources", "", sources, r.m.places())
	}
	if hasFits {
		r.fits(fits)
	}
	if hasRanges && len(r.wrong) == 0 { // a range refers to the rest
		r.ranges("ranges", "", ranges)
	}
	if len(r.wrong) == 0 {
		r.wrong = r.m.check()
	}
	if len(r.wrong) == 0 {
		return r.m, nil
	}
	lines := map[string]int{"": 1}
	for _, k := range keys {
		path := ""
		for _, name := range slices.Concat(k.Table, k.Names) {
			if path = under(path, key(name)); lines[path] == 0 {
				lines[path] = k.Line
			}
		}
	}
	for _, e := range r.wrong { // or that of the nearest table around it that is there
		at := e.Field
		for lines[at] == 0 {
			at, _, _ = cutLast(at)
		}
		e.File, e.Line = file, lines[at]
	}
	slices.SortStableFunc(r.wrong, func(a, b *FieldError) int { return cmp.Compare(a.Line, b.Line) })
	return nil, join(r.wrong)
}

// join works like errors.Join, but returns one error as it is.
func join(wrong []*FieldError) error {
	if len(wrong) == 1 {
		return wrong[0]
	}
	var errs []error
	for _, e := range wrong {
		errs = append(errs, e)
	}
	return errors.Join(errs...)
}

// A reader takes the fields of m from a file.
type reader struct {
	m      *Machine
	values map[string]any  // by path; what is no table
	tables map[string]bool // paths
	used   map[string]bool // paths of values
	wrong  []*FieldError
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// key returns how a key stands in a path: bare, or quoted, so that no key with a dot in it is taken
// for a path.
func key(k string) string {
	if bareKey.MatchString(k) {
		return k
	}
	return strconv.Quote(k)
}

// under appends a key to a path.
func under(path, k string) string {
	if path == "" {
		return k
	}
	return path + "." + k
}

func (r *reader) flatten(path string, table map[string]any) {
	if r.values == nil {
		r.values, r.tables, r.used = map[string]any{}, map[string]bool{"": true}, map[string]bool{}
	}
	for k, v := range table {
		at := under(path, key(k))
		if t, ok := v.(map[string]any); ok {
			r.tables[at] = true
			r.flatten(at, t)
		} else {
			r.values[at] = v
		}
	}
}

func (r *reader) fail(path, found, want string) {
	r.wrong = append(r.wrong, &FieldError{Field: path, Found: found, Want: want})
}

// take returns the value at path. A missing one is an error unless it is optional.
func (r *reader) take(path, want string, optional bool) (any, bool) {
	r.used[path] = true
	v, ok := r.values[path]
	switch {
	case ok:
	case r.tables[path]:
		r.fail(path, "a table", want)
	case !optional:
		table, _, _ := cutLast(path)
		if r.tables[table] {
			r.fail(path, "nothing", want)
		} else if _, other := r.values[table]; !other && !r.used[table] {
			// one error for a table that is missing or something else
			r.used[table] = true
			r.fail(table, "nothing", "a table with "+strings.Join(r.m.needed(table), ", "))
		}
	}
	return v, ok
}

// needed returns the names of the fields that a table must have.
func (m *Machine) needed(table string) (names []string) {
	m.walk(func(f *field) {
		if in, name, _ := cutLast(f.path); in == table && !f.optional {
			names = append(names, name)
		}
	})
	return names
}

// cutLast cuts a path before its last key, which may be quoted.
func cutLast(path string) (table, last string, ok bool) {
	at, quoted := -1, false
	for i := 0; i < len(path); i++ {
		switch {
		case quoted && path[i] == '\\':
			i++
		case path[i] == '"':
			quoted = !quoted
		case path[i] == '.' && !quoted:
			at = i
		}
	}
	if at < 0 {
		return "", path, false
	}
	return path[:at], path[at+1:], true
}

// fields reads all fields. A family begins with the prices in [costs], which come first.
func (r *reader) fields() {
	m := r.m
	for path := range r.tables {
		if in, name, _ := cutLast(path); in == "families" && bareKey.MatchString(name) {
			if m.Families == nil {
				m.Families = map[string]Costs{}
			}
			m.Families[name] = Costs{}
		}
	}
	m.walk(func(f *field) {
		if f.base != nil {
			f.put(*f.base)
		}
		if f.path == remotePath { // its shape depends on fields behind it
			return
		}
		if v, ok := r.take(f.path, f.want(), f.optional); ok {
			r.set(f, v)
		}
	})
	if r.tables["memory"] {
		r.remote()
	}
}

// set gives a field its value in the file.
func (r *reader) set(f *field, v any) {
	ok := false
	switch p := f.at.(type) {
	case *string:
		*p, ok = v.(string)
		ok = ok && (slices.Contains(f.words, *p) ||
			f.words == nil && oneLine(*p) && (*p != "" || f.optional))
	case *bool:
		*p, ok = v.(bool)
	case *float64:
		n, whole := v.(int64)
		if *p, ok = v.(float64); whole {
			*p, ok = float64(n), true
		}
		ok = ok && *p > 0 && !math.IsInf(*p, 1)
	default:
		if n, ok := r.number(f.path, f.of, v); ok {
			f.put(n)
		}
		return
	}
	if !ok {
		r.fail(f.path, show(v), f.want())
	}
}

// number reads a count, or a number with a unit.
func (r *reader) number(path string, of *units.Dimension, v any) (uint64, bool) {
	if of != nil {
		return r.quantity(path, of, v)
	}
	n, isInt := v.(int64)
	ok := isInt && n >= 1 && n <= maxCount
	if !ok {
		r.fail(path, show(v), fmt.Sprintf("a whole number from 1 to %d", maxCount))
	}
	return uint64(n), ok
}

// quantity reads a number with a unit.
func (r *reader) quantity(path string, d *units.Dimension, v any) (uint64, bool) {
	s, ok := v.(string)
	if !ok {
		r.fail(path, show(v), d.What)
		return 0, false
	}
	n, err := d.Parse(s, r.m.CoreHz)
	if errors.Is(err, units.ErrNoClock) {
		return 0, false // that core.clock is wrong is an error already
	}
	if err != nil {
		r.fail(path, show(v), err.Error())
		return 0, false
	}
	return n, true
}

// remote reads memory.remote: one latency, or a matrix by memories, and makes it one by nodes.
func (r *reader) remote() {
	m := r.m
	if m.Nodes < 1 || m.Memory.NodesPerDomain < 1 || m.Nodes%m.Memory.NodesPerDomain != 0 ||
		m.Nodes > maxNodes {
		// what it should be is not known; the cause is an error of its own
		r.used[remotePath] = true
		if len(r.wrong) == 0 {
			r.wrong = m.checkCounts()
		}
		return
	}
	d := m.Domains()
	if d == 1 {
		if v, ok := r.take(remotePath, "", true); ok {
			r.fail(remotePath, show(v), "nothing: the machine has one memory")
		}
		m.setRemote(nil)
		return
	}
	want := fmt.Sprintf("a time, or a matrix of times with a row and a column for each of %d "+
		"memories", d)
	v, ok := r.take(remotePath, want, false)
	if !ok {
		return
	}
	rows, isMatrix := v.([]any)
	if !isMatrix {
		if n, ok := r.quantity(remotePath, units.Times, v); ok {
			m.setRemote(nil)
			m.fillRemote(false, n)
		}
		return
	}
	if len(rows) != d {
		r.fail(remotePath, fmt.Sprintf("%d rows", len(rows)), want)
		return
	}
	by := make([][]uint64, d)
	for a, row := range rows {
		by[a] = make([]uint64, d)
		cells, ok := row.([]any)
		if !ok || len(cells) != d {
			found := show(row)
			if ok {
				found = fmt.Sprintf("%d columns", len(cells))
			}
			r.fail(remotePath, fmt.Sprintf("%s in row %d", found, a+1), want)
			return
		}
		for b, cell := range cells {
			if by[a][b], ok = r.quantity(remotePath, units.Times, cell); !ok {
				return
			}
		}
	}
	m.setRemote(by)
}

// setRemote makes a matrix by nodes of one by memories; nil for one memory.
func (m *Machine) setRemote(by [][]uint64) {
	m.Memory.RemotePS = make([][]uint64, m.Nodes)
	for a := range m.Memory.RemotePS {
		row := make([]uint64, m.Nodes)
		for b := range row {
			row[b] = m.Memory.LocalPS
			if by != nil {
				row[b] = by[m.Domain(a)][m.Domain(b)]
			}
		}
		m.Memory.RemotePS[a] = row
	}
}
