package regress

import (
	"fmt"
	"math"

	"krdlab/hw/failure"
)

// A Frame is a table of N rows. Fits do not change it.
type Frame struct {
	N       int
	Columns []Column
}

// A Column has either numbers or texts, one for each row. A number that is not there is NaN, a text
// that is not there "".
type Column struct {
	Name    string
	Numbers []float64
	Texts   []string // of a categorical column
	// At is the row, from 0, whose text is the first that is no number; of texts.
	At int
}

// Column returns the column of a name, nil where there is none.
func (f *Frame) Column(name string) *Column {
	for i := range f.Columns {
		if f.Columns[i].Name == name {
			return &f.Columns[i]
		}
	}
	return nil
}

// Names returns the names of the columns.
func (f *Frame) Names() []string {
	names := make([]string, len(f.Columns))
	for i := range f.Columns {
		names[i] = f.Columns[i].Name
	}
	return names
}

// missing reports whether row i of c has no value.
func (c *Column) missing(i int) bool {
	if c.Texts != nil {
		return c.Texts[i] == ""
	}
	return math.IsNaN(c.Numbers[i])
}

// An Error describes a fault of a formula or a table.
type Error struct {
	Place string // "formula", "column hp", "column hp, row 3"
	Text  string // what was found, and what was expected

	class failure.Class
}

func (e *Error) Error() string { return e.Place + ": " + e.Text }

// Class implements [failure.Classed]: a request for a formula, data for a table.
func (e *Error) Class() failure.Class { return e.class }

func bad(place, text string, args ...any) *Error {
	return &Error{place, fmt.Sprintf(text, args...), failure.Data}
}

func wrong(text string, args ...any) *Error {
	return &Error{"formula", fmt.Sprintf(text, args...), failure.Request}
}

// Add adds an empty column, the i-th of its table, whose name must be a new one.
func (f *Frame) Add(name string, i int) error {
	if name == "" {
		return bad(fmt.Sprintf("column %d", i+1), "it has no name")
	}
	if f.Column(name) != nil {
		return bad(fmt.Sprintf("column %d", i+1), "its name %s is that of another", name)
	}
	f.Columns = append(f.Columns, Column{Name: name})
	return nil
}
