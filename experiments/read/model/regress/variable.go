package regress

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A node is an expression over columns: a column, a number, or an operation. Formulas are made of
// such nodes too.
type node struct {
	op   string // "" of a column and a number; an operator; a function's name, and "(" of brackets
	name string // column
	num  float64
	args []*node

	values []float64 // of the column, once it is bound to a frame
}

// call reports whether e is a function of its argument.
func (e *node) call() bool { return e.op != "" && letter(rune(e.op[0])) }

// number returns the number that e is, in brackets or not, and whether it is one.
func (e *node) number() (float64, bool) {
	for e.op == "(" {
		e = e.args[0]
	}
	return e.num, e.op == "" && e.name == ""
}

// functions are the transformations of numbers that a formula may use.
var functions = map[string]func(float64) float64{
	"log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p, "exp": math.Exp,
	"sqrt": math.Sqrt, "abs": math.Abs,
}

// categorical makes a column of numbers a categorical one, and I takes operators as arithmetic.
const (
	categorical = "factor"
	asIs        = "I"
)

// String returns the expression as R prints it.
func (e *node) String() string {
	switch {
	case e.op == "" && e.name != "":
		if plainName(e.name) {
			return e.name
		}
		return "`" + e.name + "`"
	case e.op == "":
		return strconv.FormatFloat(e.num, 'g', -1, 64)
	case e.op == "(":
		return "(" + e.args[0].String() + ")"
	case e.call():
		return e.op + "(" + e.args[0].String() + ")"
	case len(e.args) == 1:
		return e.op + e.args[0].String()
	}
	space := " "
	if e.op == "^" || e.op == ":" || e.op == "/" {
		space = ""
	}
	return e.args[0].String() + space + e.op + space + e.args[1].String()
}

// plainName reports whether R needs no backquotes around a name.
func plainName(s string) bool {
	for i, r := range s {
		if !(letter(r) || i > 0 && (digit(r) || r == '_')) {
			return false
		}
	}
	return s != "" && s != "."
}

func letter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '.' || r > 127
}

func digit(r rune) bool { return '0' <= r && r <= '9' }

// columns adds the names of the columns that e uses to list.
func (e *node) columns(list []string) []string {
	if e.name != "" && !slices.Contains(list, e.name) {
		list = append(list, e.name)
	}
	for _, a := range e.args {
		list = a.columns(list)
	}
	return list
}

// value computes e in a row, NaN where a column has none there.
func (e *node) value(row int) float64 {
	switch {
	case e.values != nil:
		return e.values[row]
	case e.op == "":
		return e.num
	}
	x := e.args[0].value(row)
	if g := functions[e.op]; g != nil {
		return g(x)
	}
	if len(e.args) == 1 {
		if e.op == "-" {
			return -x
		}
		return x // brackets, I, +
	}
	y := e.args[1].value(row)
	switch e.op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return float64(x * y)
	case "/":
		return x / y
	}
	if n := int(y); float64(n) == y && n > 0 && n < 64 { // products are nearer to R's powers
		p := x
		for range n - 1 {
			p = float64(p * x)
		}
		return p
	}
	return math.Pow(x, y)
}

// A variable is a column of a frame, or a function of columns, as a formula has it.
type variable struct {
	expr   *node
	name   string    // as R prints it
	values []float64 // of a numeric one
	// of a categorical one: its levels in order, and the level of each row, -1 for none
	levels []string
	level  []int
}

func (v *variable) categorical() bool { return v.levels != nil }

// evaluate computes a variable in the rows of f. levels are those to code with; nil: those there
// are. A level that is not among them is an error.
func evaluate(f *Frame, e *node, levels []string) (*variable, error) {
	v := &variable{expr: e, name: e.String()}
	if err := f.has(e); err != nil {
		return nil, err
	}
	for _, name := range e.columns(nil) {
		c := f.Column(name)
		if c.Texts != nil && e.name == "" && e.op != categorical {
			return nil, bad("column "+name, "%s of text: row %d is %.60q; expected numbers", e,
				c.At+1, c.Texts[c.At])
		}
	}
	if c := f.Column(cmp.Or(e.name, e.only())); c != nil && (c.Texts != nil ||
		e.op == categorical) {
		return v, v.code(c, f.N, levels)
	}
	v.values = make([]float64, f.N)
	if e.name != "" {
		copy(v.values, f.Column(e.name).Numbers)
	} else {
		bound := e.bind(f)
		for i := range v.values {
			v.values[i] = bound.value(i)
		}
	}
	for i, x := range v.values {
		undefined := math.IsNaN(x) && !slices.ContainsFunc(e.columns(nil), func(n string) bool {
			return math.IsNaN(f.Column(n).Numbers[i])
		})
		if math.IsInf(x, 0) || undefined {
			return nil, bad("row "+strconv.Itoa(i+1), "%s is %v; expected a finite number",
				v.name, x)
		}
	}
	return v, nil
}

// has returns an [*Error] of a column of e that is not in f.
func (f *Frame) has(e *node) error {
	for _, name := range e.columns(nil) {
		if f.Column(name) == nil {
			return wrong("no column %s; the table has %s", name, list(f.Names()))
		}
	}
	return nil
}

// only returns the column of factor(column), "" of others.
func (e *node) only() string {
	if e.op == categorical {
		return e.args[0].name
	}
	return ""
}

// bind returns e over the columns of f.
func (e *node) bind(f *Frame) *node {
	b := *e
	if e.name != "" {
		b.values = f.Column(e.name).Numbers
	}
	b.args = nil
	for _, a := range e.args {
		b.args = append(b.args, a.bind(f))
	}
	return &b
}

// code sorts the rows of c into levels: texts by the alphabet, numbers by size.
func (v *variable) code(c *Column, n int, levels []string) error {
	text := func(i int) string {
		if c.Texts != nil {
			return c.Texts[i]
		}
		if math.IsNaN(c.Numbers[i]) {
			return ""
		}
		return strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
	}
	if levels == nil {
		seen := map[string]float64{}
		for i := range n {
			if t := text(i); t != "" {
				x := 0.0
				if c.Texts == nil {
					x = c.Numbers[i]
				}
				seen[t] = x
			}
		}
		for t := range seen {
			levels = append(levels, t)
		}
		slices.SortFunc(levels, func(a, b string) int {
			return cmp.Or(cmp.Compare(seen[a], seen[b]), strings.Compare(a, b))
		})
	}
	index := map[string]int{}
	for i, l := range levels {
		index[l] = i
	}
	v.levels, v.level = append([]string{}, levels...), make([]int, n)
	for i := range n {
		t := text(i)
		k, ok := index[t]
		switch {
		case ok:
			v.level[i] = k
		case t == "":
			v.level[i] = -1
		default:
			return bad("column "+c.Name+", row "+strconv.Itoa(i+1),
				"%.60q is no level of the model; it has %s", t, list(levels))
		}
	}
	return nil
}

// missing reports whether row i has no value.
func (v *variable) missing(i int) bool {
	if v.categorical() {
		return v.level[i] < 0
	}
	return math.IsNaN(v.values[i])
}

// list joins names for an error, at most 12 of them.
func list(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + ", ... (" + strconv.Itoa(len(names)) + ")"
	}
	return strings.Join(names, ", ")
}
