package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"krdlab/hw"
)

// MachineName names the machine of a cell: as its result does, followed by a number where computers
// of that name must be told apart.
func (c *Cell) MachineName() string {
	if c.machine != "" {
		return c.machine
	}
	return c.Result.Machine.Name
}

// Together returns copies of a and b for comparison: where one of them has several computers of a
// name, the same computer has the same name in both. Where each has one, the name stays, be it the
// same computer or not.
func Together(a, b *Experiment) (x, y *Experiment) {
	x, y = a.copied(), b.copied()
	several := map[string]bool{}
	for _, s := range slices.Concat(computersOf(a), computersOf(b)) {
		several[s.key()] = several[s.key()] || s.ambiguous()
	}
	all := map[string]*computers{} // whose numbers hold for both
	for _, s := range computersOf(x, y) {
		if several[s.key()] {
			s.rename()
			all[s.key()] = s
		}
	}
	for _, e := range []*Experiment{x, y} {
		e.Notes = nil
		for _, s := range computersOf(e) {
			e.Notes = append(e.Notes, s.notes(e, cmp.Or(all[s.key()], s))...)
		}
	}
	return x, y
}

func (e *Experiment) copied() *Experiment {
	c := *e
	c.Cells = slices.Clone(e.Cells)
	return &c
}

// The computers of one name: what native results say of them; or the simulated machines of one
// name, which may be of several files.
type computers struct {
	name      string
	simulated bool
	cells     []*Cell
	array     []string // those that elements of job arrays ran on, if there are several
	classes   []string // of cells, in the order of their appearance
}

// The classes that are no computer.
const (
	notRecorded = ""
	ofAnArray   = "array"
)

// key tells a computer from a simulated machine of the same name.
func (s *computers) key() string { return fmt.Sprint(s.simulated, s.name) }

// computersOf sorts the cells by the names of their machines.
func computersOf(experiments ...*Experiment) (list []*computers) {
	index := map[string]*computers{}
	for _, e := range experiments {
		for i := range e.Cells {
			c := &e.Cells[i]
			s := &computers{name: c.Result.Machine.Name, simulated: c.Result.Substrate != Native}
			if old := index[s.key()]; old != nil {
				s = old
			} else {
				index[s.key()] = s
				list = append(list, s)
			}
			s.cells = append(s.cells, c)
		}
	}
	for _, s := range list {
		for _, c := range s.cells {
			id := c.Result.Machine.Computer
			if !s.simulated && id != notRecorded && c.element() &&
				!slices.Contains(s.array, id) {
				s.array = append(s.array, id)
			}
		}
		if len(s.array) < 2 {
			s.array = nil
		}
		for _, c := range s.cells {
			if class := s.class(c); !slices.Contains(s.classes, class) {
				s.classes = append(s.classes, class)
			}
		}
	}
	return list
}

// element says whether a cell was run as an element of a job array (krdlab sweep exec), on
// whichever computer the cluster gave it.
func (c *Cell) element() bool {
	return c.Manifest != nil && c.Manifest.Element
}

// class says what a cell may be taken together with. A job array is submitted to computers that are
// meant to be alike, and its cells are spread over them: told apart, hardly two of them would be
// left on one.
func (s *computers) class(c *Cell) string {
	if s.simulated {
		if c.Result.Machine.Model == nil {
			return notRecorded
		}
		return c.Result.Machine.Model.Hash
	}
	id := c.Result.Machine.Computer
	if slices.Contains(s.array, id) {
		return ofAnArray
	}
	return id
}

func (s *computers) ambiguous() bool { return len(s.classes) > 1 }

// label is the name of a class among several.
func (s *computers) label(class string) string {
	switch {
	case s.simulated && class == notRecorded:
		return s.name + " (hash not recorded)"
	case s.simulated:
		return fmt.Sprintf("%s (%.8s)", s.name, class)
	case class == notRecorded:
		return s.name + " (computer not recorded)"
	}
	known := slices.DeleteFunc(slices.Clone(s.classes),
		func(c string) bool { return c == notRecorded })
	return fmt.Sprintf("%s (%d)", s.name, slices.Index(known, class)+1)
}

// rename gives the machine of each cell the name of its class.
func (s *computers) rename() {
	for _, c := range s.cells {
		c.machine = s.label(s.class(c))
	}
}

// nameMachines names the machines of cells so that what is not the same computer has not the same
// name, and returns what is to be said of that.
func nameMachines(e *Experiment) (notes []string) {
	for _, s := range computersOf(e) {
		if s.ambiguous() {
			s.rename()
		}
		notes = append(notes, s.notes(e, s)...)
	}
	return notes
}

// notes says of the computers of e what they are called, which is up to all, and which are taken as
// one.
func (s *computers) notes(e *Experiment, all *computers) (notes []string) {
	if s.simulated {
		if s.ambiguous() {
			var who []string
			for _, class := range s.classes {
				who = append(who, all.label(class))
			}
			notes = append(notes, fmt.Sprintf("the simulated machine %s is not the same "+
				"everywhere, and results are kept apart by its hash: %s", s.name,
				strings.Join(who, ", ")))
		}
		return notes
	}
	if all.ambiguous() {
		var who []string
		for _, c := range s.cells {
			class := all.class(c)
			what := fmt.Sprintf("%s is computer %.8s", all.label(class), class)
			switch class {
			case notRecorded:
				what = "some do not say of which"
			case ofAnArray:
				what = fmt.Sprintf("%s is %d computers of job arrays", all.label(class),
					len(all.array))
			}
			if !slices.Contains(who, what) {
				who = append(who, what)
			}
		}
		notes = append(notes, fmt.Sprintf("native results of the name %s are of several "+
			"computers, and are kept apart: %s", s.name, strings.Join(who, ", ")))
	}
	if s.array != nil {
		notes = append(notes, fmt.Sprintf("cells of job arrays ran on %d computers of the name "+
			"%s, which are taken as one machine: what differs between cells may differ between "+
			"computers",
			len(s.array), s.name))
	}
	if s.mayBeSeveral(e) {
		notes = append(notes, fmt.Sprintf("native results of the name %s do not say which "+
			"computer they are of: they may be of several, and are taken as one machine", s.name))
	}
	return notes
}

// mayBeSeveral says whether cells of e that do not name their computer may be of more than one: the
// experiment was merged, they were elements of a job array, or their machines are not alike.
func (s *computers) mayBeSeveral(e *Experiment) bool {
	merged := 0
	if e.Info != nil {
		merged = len(e.Info.Merged)
	}
	ids, shapes, elements := map[string]bool{}, map[hw.Machine]bool{}, false
	for _, c := range s.cells {
		if c.Result.Machine.Computer == notRecorded {
			shape := c.Result.Machine.Machine
			if shape.Synthetic { // its nodes were imposed
				shape.Synthetic, shape.Nodes, shape.CoresPerNode = false, 0, 0
			}
			ids[c.ID], shapes[shape], elements = true, true, elements || c.element()
		}
	}
	return len(ids) > 1 && (merged > 1 || elements || len(shapes) > 1)
}
