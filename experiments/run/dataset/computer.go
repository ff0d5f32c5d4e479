package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// MachineName names the machine of a cell: as its result does, followed by the beginning of the
// computer's ID, or of the simulated machine's hash, where an experiment has several of that name.
func (c *Cell) MachineName() string {
	if c.machine != "" {
		return c.machine
	}
	return c.Result.Machine.Name
}

// Together returns copies of a and b for comparison: where one of them has several machines of a
// name, the same machine has the same name in both. Where each has one, the name stays, be it the
// same machine or not.
func Together(a, b *Experiment) (x, y *Experiment) {
	copied := func(e *Experiment) *Experiment {
		c := *e
		c.Cells = slices.Clone(e.Cells)
		return &c
	}
	x, y = copied(a), copied(b)
	nameMachines(x, y)
	return x, y
}

// A nameKey is the name of a machine; a simulated one may have the name of a computer.
type nameKey struct{ substrate, name string }

func (c *Cell) nameKey() nameKey { return nameKey{c.Result.Substrate, c.Result.Machine.Name} }

// element reports whether a cell was run as an element of a job array (krdlab sweep exec), on
// whichever computer the cluster gave it.
func (c *Cell) element() bool { return c.Manifest != nil && c.Manifest.Element }

// identity distinguishes the machine of c from others of its name. A job array is submitted to
// computers that are meant to be alike, and its cells are spread over them: told apart, hardly two
// of them would be left on one, so that computers of arrays are one machine.
func (c *Cell) identity(arrays map[nameKey][]string) string {
	m := &c.Result.Machine
	array := arrays[c.nameKey()]
	switch {
	case m.Model != nil:
		return fmt.Sprintf("%.12s", m.Model.Hash)
	case m.Computer == "":
		return fmt.Sprintf("not recorded, %d CPUs", m.CPUs)
	case len(array) > 1 && slices.Contains(array, m.Computer):
		return "job array"
	}
	return fmt.Sprintf("%.12s", m.Computer)
}

// nameMachines names the machines of all cells so that two machines have two names where one of the
// experiments has several of a name, and makes notes of that. It returns what names the machine of
// another cell among those.
func nameMachines(all ...*Experiment) (named func(*Cell)) {
	arrays := map[nameKey][]string{} // computers that elements of job arrays ran on
	for _, e := range all {
		for i := range e.Cells {
			c, key := &e.Cells[i], e.Cells[i].nameKey()
			id := c.Result.Machine.Computer
			if c.element() && id != "" && !slices.Contains(arrays[key], id) {
				arrays[key] = append(arrays[key], id)
			}
		}
	}
	several := map[nameKey]bool{}
	for _, e := range all {
		first := map[nameKey]string{}
		for i := range e.Cells {
			key, id := e.Cells[i].nameKey(), e.Cells[i].identity(arrays)
			if was, ok := first[key]; ok && was != id {
				several[key] = true
			}
			first[key] = id
		}
	}
	named = func(c *Cell) {
		if key := c.nameKey(); several[key] {
			c.machine = fmt.Sprintf("%s (%s)", key.name, c.identity(arrays))
		}
	}
	for _, e := range all {
		byName := map[nameKey][]*Cell{}
		var order []nameKey
		for i := range e.Cells {
			c, key := &e.Cells[i], e.Cells[i].nameKey()
			named(c)
			if byName[key] == nil {
				order = append(order, key)
			}
			byName[key] = append(byName[key], c)
		}
		e.Notes = nil
		for _, key := range order {
			e.noteMachines(byName[key], several[key])
		}
	}
	return named
}

// machineKey distinguishes cells whose machines may have different names or notes.
func (c *Cell) machineKey() string {
	hash := ""
	if m := c.Result.Machine.Model; m != nil {
		hash = m.Hash
	}
	return fmt.Sprint(c.nameKey(), c.Result.Machine.Computer, hash, c.element(), c.Result.Machine.CPUs)
}

// noteMachines notes which machines of one name are kept apart, and which are taken as one though
// they are, or may be, several.
func (e *Experiment) noteMachines(cells []*Cell, several bool) {
	var names, array, unknown []string
	elements := false
	add := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, c := range cells {
		id := c.Result.Machine.Computer
		add(&names, c.MachineName())
		if id != "" && c.element() {
			add(&array, id)
		}
		if id == "" && c.Result.Substrate == Native {
			add(&unknown, c.ID)
			elements = elements || c.element()
		}
	}
	note := func(format string, args ...any) {
		e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
	}
	name := cells[0].Result.Machine.Name
	if several {
		note("%s results of the name %s are of several machines, and are kept apart: %s",
			cells[0].Result.Substrate, name, strings.Join(names, ", "))
	}
	if len(array) > 1 {
		note("cells of job arrays ran on %d computers of the name %s, which are taken as one "+
			"machine: what differs between cells may differ between computers", len(array), name)
	}
	merged := e.Info != nil && len(e.Info.Merged) > 1
	if len(unknown) > 1 && (merged || elements) {
		note("native results of the name %s do not say which computer they are of: they may be "+
			"of several, and are taken as one machine", name)
	}
}
