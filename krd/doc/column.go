package doc

import (
	"fmt"
	"math"
	"strings"
)

// A Kind is the type of a column's values where the table is data.
type Kind int

// The kinds of columns.
const (
	Text  Kind = iota // string
	Whole             // int64 or uint64
	Real              // float64
	Truth             // bool
)

// A Unit is the unit of a column's numbers, and decides how they are printed for people. Data keeps
// the base unit.
type Unit string

// The units.
const (
	Plain       Unit = "" // a ratio
	Nanoseconds Unit = "ns"
	Lines       Unit = "lines" // of a cache
	Events      Unit = "events"
	Fraction    Unit = "fraction of all accesses" // printed in per cent
	PerCent     Unit = "%"                        // likewise, but the head has the sign, or the title
)

// A Spread is the way in which a column prints the intervals of its quantities.
type Spread int

// The spreads.
const (
	Hidden Spread = iota
	Reach         // ±3%: how far it reaches from the median at most; = for an exact value
	Below         // 1.2-1.4, in a line below the median
)

// A Column is one of a table, for people and as data.
type Column struct {
	Key    string // in CSV, JSONL and Parquet, with the unit; "": it is for people alone
	Head   string // for people; an empty first line belongs to the column before
	Doc    string // what it is
	Kind   Kind
	Unit   Unit
	Spread Spread
	Prose  bool // holds sentences, which are broken at spaces
	Known  bool // is left out for people where no row has a value
	Data   bool // is left out for people
	Ends   bool // as data, the ends of intervals follow in columns KEY_low and KEY_high
	Like   int  // columns of the same number, but 0, have one unit
}

// The values of a cell, beside string, bool, whole numbers, [Number] and [Quantity]. nil is no value
// and no reason.
type (
	// Missing is the reason why there is no value.
	Missing string
	// Noted is a value with a note.
	Noted struct {
		Value any
		Note  string
	}
	// Links are texts that lead to files or anchors where they are on a page.
	Links []Link
	// Folded is a text with sentences that a page opens when asked for; elsewhere it is the text.
	Folded struct {
		Text string
		More []string
	}
	// Share is a part of a count of one trace: in per cent with two decimals.
	Share struct{ Part, Whole float64 }
)

// A Link is a text that leads to a file or, as #ID, to an anchor of the page.
type Link struct{ Text, Href string }

func (l Links) text() string {
	var texts []string
	for _, x := range l {
		texts = append(texts, x.Text)
	}
	return strings.Join(texts, ", ")
}

// printed is a cell for people.
type printed struct {
	text     string
	interval string
	note     string
}

// quantityOf returns the quantity of a value that is printed as the others of its column are.
func quantityOf(v any) (q Quantity, ok bool) {
	switch v := v.(type) {
	case Quantity:
		return v, true
	case Number:
		return Bare(v), true
	case Noted:
		return quantityOf(v.Value)
	}
	return q, false
}

// column prints column i, and returns its head with the unit.
func (t *Table) column(i int) (head string, cells []printed) {
	c := &t.Columns[i]
	cells = make([]printed, len(t.Rows))
	var list []Quantity
	var at []int
	for j, row := range t.Rows {
		var v any
		if v = ""; i < len(row) {
			v = row[i]
		}
		if q, ok := quantityOf(v); ok {
			list, at = append(list, q), append(at, j)
		}
		cells[j] = valueOf(v)
	}
	most := largest(list)
	if c.Like != 0 {
		most = t.largest(c.Like)
	}
	unit, numbers := c.print(list, most)
	for k, j := range at {
		cells[j].text, cells[j].interval = numbers[k].text, numbers[k].interval
	}
	head = c.Head
	if unit != "" && !strings.Contains(head, "%") && !strings.HasPrefix(head, "\n") {
		head += ", " + unit
	}
	return head, cells
}

// valueOf prints a value that has no unit.
func valueOf(v any) (p printed) {
	switch v := v.(type) {
	case nil:
		p.text = NotAvailable
	case Missing:
		p.text, p.note = NotAvailable, string(v)
	case Noted:
		p = valueOf(v.Value)
		p.note = v.Note
	case Share:
		p.text = Percent(v.Part, v.Whole)
	case Links:
		p.text = v.text()
	case Folded:
		p.text = v.Text
	default:
		p.text = fmt.Sprint(v)
	}
	return p
}

// print prints quantities in the unit for the largest of them.
func (c *Column) print(list []Quantity, largest float64) (unit string, cells []printed) {
	s := style{scale: 1, reach: c.Spread == Reach, ranges: c.Spread == Below}
	switch c.Unit {
	case Nanoseconds:
		name, size := TimeUnit(largest)
		unit, s.scale = name, 1/size
	case Fraction:
		unit, s.scale = "%", 100
	case PerCent:
		s.scale = 100
	case Lines, Events:
		return "", counts(list, largest, s)
	}
	return unit, s.print(list)
}

// largest returns the largest median, 0 where none is known.
func largest(column []Quantity) float64 {
	v := 0.0
	for _, q := range column {
		if q.Median.Known() {
			v = max(v, math.Abs(q.Median.Float()))
		}
	}
	return v
}

// largest returns the largest median of the columns that are alike.
func (t *Table) largest(like int) float64 {
	var list []Quantity
	for i := range t.Columns {
		for _, row := range t.Rows {
			if i >= len(row) || t.Columns[i].Like != like {
				continue
			}
			if q, ok := quantityOf(row[i]); ok {
				list = append(list, q)
			}
		}
	}
	return largest(list)
}

// known reports whether a row has a value in column i.
func (t *Table) known(i int) bool {
	for _, row := range t.Rows {
		if i >= len(row) || row[i] == nil {
			continue
		}
		if q, ok := quantityOf(row[i]); ok && !q.Median.Known() {
			continue
		}
		if _, missing := row[i].(Missing); !missing {
			return true
		}
	}
	return false
}

// Sentence prints a quantity of a unit for a sentence: 21.93 (21.80–22.01), or the median alone.
func Sentence(q Quantity, unit Unit) string {
	c := Column{Unit: unit, Spread: Below}
	behind, cells := c.print([]Quantity{q}, largest([]Quantity{q}))
	s := cells[0].text
	if behind != "" {
		s += "\u00a0" + behind
	}
	if cells[0].interval != "" {
		s += " (" + strings.ReplaceAll(cells[0].interval, "-", "–") + ")"
	}
	return s
}
