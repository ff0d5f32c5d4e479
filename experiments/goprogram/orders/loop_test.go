package orders

import (
	"fmt"
	"strings"
)

// A loop is the only one of its function that is asked about: what it needs is made before it, and
// what is read after it is printed.
type loop struct {
	row   string // of the table of what removes dependences
	head  string // a key of heads
	n     int    // iterations
	twice bool   // it is executed again with what the first time has left
	index *variable
	vars  []*variable // that live longer than an iteration
	temps []*variable // that do not
	body  []*stmt

	key      *variable // what the row is about
	same     bool      // the result is the same in all orders, with what could be named
	orders   [][]int   // of iterations
	steps    [2][]int  // of each variable from the first iteration to the second, of each execution
	patterns *[]*least // once they are looked for
	// updates are by what operator each element is updated in plain order, "=" if also otherwise
	updates [][]string
}

type kind int

const (
	scalar kind = iota
	elements
	array // a variable that is an array
	field // of the struct that t points to
	mapping
	list // a slice that is appended to
	local
)

// A variable is known by its name; those of the interpreter by its number.
type variable struct {
	name string
	kind
	id   int
	init []int
	read bool      // after the loop
	part *variable // that it is a part of, a slice from an index on
	from int
}

// An expr is by its op: "lit" has n, "var" v, "[]" v and an index, "len" v; operators, min and max
// have two.
type expr struct {
	op   string
	n    int
	v    *variable
	args []*expr
}

// A stmt is by its op: assignments ("=", "+=", ...), ":=", "both" (two assignments as one), "if"
// (e, then, other), "for" (to, from 0 up to e), "append", "reset" (to nothing), "add" (a call of a
// method or closure), "break" and "continue".
type stmt struct {
	op          string
	to, e       *expr
	then, other []*stmt
}

func lit(n int) *expr                       { return &expr{op: "lit", n: n} }
func of(v *variable) *expr                  { return &expr{op: "var", v: v} }
func at(v *variable, i *expr) *expr         { return &expr{op: "[]", v: v, args: []*expr{i}} }
func bin(a *expr, op string, b *expr) *expr { return &expr{op: op, args: []*expr{a, b}} }
func set(to *expr, op string, e *expr) *stmt {
	return &stmt{op: op, to: to, e: e}
}
func when(c *expr, then ...*stmt) *stmt { return &stmt{op: "if", e: c, then: then} }
func each(j *variable, n *expr, body ...*stmt) *stmt {
	return &stmt{op: "for", to: of(j), e: n, then: body}
}

func (e *expr) String() string {
	switch e.op {
	case "lit":
		return fmt.Sprint(e.n)
	case "var":
		return e.v.name
	case "[]":
		return fmt.Sprintf("%s[%v]", e.v.name, e.args[0])
	case "len":
		return fmt.Sprintf("len(%s)", e.v.name)
	case "min", "max":
		return fmt.Sprintf("%s(%v, %v)", e.op, e.args[0], e.args[1])
	}
	var s [2]string
	for i, a := range e.args {
		if s[i] = a.String(); len(a.args) == 2 && a.op != "min" && a.op != "max" {
			s[i] = "(" + s[i] + ")"
		}
	}
	return s[0] + " " + e.op + " " + s[1]
}

// names adds the variables that an expression, which may be nil, names.
func (e *expr) names(to map[*variable]bool) {
	if e != nil {
		to[e.v] = true
		for _, a := range e.args {
			a.names(to)
		}
	}
}

// text writes statements.
func text(b *strings.Builder, list []*stmt, tabs string) {
	for _, s := range list {
		b.WriteString(tabs)
		switch s.op {
		case "if":
			fmt.Fprintf(b, "if %v {\n", s.e)
			text(b, s.then, tabs+"\t")
			if len(s.other) > 0 {
				b.WriteString(tabs + "} else {\n")
				text(b, s.other, tabs+"\t")
			}
			b.WriteString(tabs + "}\n")
		case "for":
			fmt.Fprintf(b, "for %[1]v := 0; %[1]v < %v; %[1]v++ {\n", s.to, s.e)
			text(b, s.then, tabs+"\t")
			b.WriteString(tabs + "}\n")
		case "append":
			fmt.Fprintf(b, "%v = append(%[1]v, %v)\n", s.to, s.e)
		case "reset":
			fmt.Fprintf(b, "%v = %[1]v[:0]\n", s.to)
		case "add":
			if name, is := strings.CutPrefix(s.to.v.name, "t."); is {
				fmt.Fprintf(b, "t.add%s(%v)\n", name, s.e)
			} else {
				fmt.Fprintf(b, "add%s(%v)\n", s.to.v.name, s.e)
			}
		case "both":
			x, y := s.then[0], s.then[1]
			fmt.Fprintf(b, "%v, %v = %v, %v\n", x.to, y.to, x.e, y.e)
		case "break", "continue":
			b.WriteString(s.op + "\n")
		default:
			if one := s.e.op == "lit" && s.e.n == 1; one && (s.op == "+=" || s.op == "-=") {
				fmt.Fprintf(b, "%v%s\n", s.to, s.op[:1]+s.op[:1])
			} else {
				fmt.Fprintf(b, "%v %s %v\n", s.to, s.op, s.e)
			}
			if s.op == ":=" {
				fmt.Fprintf(b, "%s_ = %v\n", tabs, s.to)
			}
		}
	}
}

// heads are the heads of loops, each with what is before it and after its body.
var heads = map[string][3]string{
	"up":     {"", "for i := 0; i < n; i++ {", ""},
	"range":  {"", "for i := range n {", ""},
	"values": {"", "for i, e := range c[:n] {", ""},
	"down":   {"", "for i := n - 1; i >= 0; i-- {", ""},
	"from":   {"", "for i := 2; i < n+2; i++ {", ""},
	"by two": {"", "for i := 0; i < 2*n; i += 2 {", ""},
	"before": {"", "for i = 0; i < n; i++ {", ""},
	"while":  {"i = 0\n", "for i < n {", "i++\n"},
}

// source returns the function with the name; line is that of the loop in it, from 0.
func (l *loop) source(name string) (source string, line int) {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s() {\n\tn, t := %d, new(T)\n\t_ = t\n", name, l.n)
	named := map[*variable]bool{l.index: true, l.variable("c"): l.head == "values"}
	closures := map[*variable]bool{}
	walk(l.body, func(s *stmt) {
		s.to.names(named)
		s.e.names(named)
		if s.op == "add" && s.to.v.kind == scalar {
			closures[s.to.v] = true
		}
	})
	for _, v := range l.vars {
		named[v.part] = named[v.part] || named[v]
	}
	for _, v := range l.vars {
		if !v.read && !named[v] {
			continue
		}
		values := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v.init)), ", "), "[]")
		switch {
		case v.part != nil:
			fmt.Fprintf(&b, "\t%s := %s[%d:]\n", v.name, v.part.name, v.from)
		case v.kind == scalar:
			fmt.Fprintf(&b, "\t%s := %s\n\t_ = %[1]s\n", v.name, values)
		case v.kind == field:
			fmt.Fprintf(&b, "\t%s = %s\n", v.name, values)
		case v.kind == array:
			fmt.Fprintf(&b, "\t%s := [...]int{%s}\n", v.name, values)
		case v.kind == mapping:
			fmt.Fprintf(&b, "\t%s := map[int]int{}\n", v.name)
		case v.kind == list:
			fmt.Fprintf(&b, "\t%s := []int{%s}\n", v.name, values)
		case v.name == "c" || v.name == "d" || v.name == "f":
			fmt.Fprintf(&b, "\t%s := []int{%s}\n", v.name, values)
		default:
			fmt.Fprintf(&b, "\t%s := make([]int, %d)\n\tcopy(%[1]s, []int{%[3]s})\n", v.name,
				len(v.init), values)
		}
		if closures[v] {
			fmt.Fprintf(&b, "\tadd%s := func(y int) { %[1]s += y }\n", v.name)
		}
	}
	tabs := "\t"
	if l.twice {
		b.WriteString("\tfor range 2 {\n")
		tabs = "\t\t"
	}
	h := heads[l.head]
	if h[0] != "" {
		b.WriteString(tabs + h[0])
	}
	line = strings.Count(b.String(), "\n")
	b.WriteString(tabs + h[1] + "\n")
	switch l.head {
	case "values":
		b.WriteString(tabs + "\t_, _ = i, e\n")
	case "range":
		b.WriteString(tabs + "\t_ = i\n")
	}
	text(&b, l.body, tabs+"\t")
	if h[2] != "" {
		b.WriteString(tabs + "\t" + h[2])
	}
	b.WriteString(tabs + "}\n")
	if l.twice {
		b.WriteString("\t}\n")
	}
	for _, v := range l.vars {
		switch {
		case !v.read:
		case v.kind == scalar || v.kind == field:
			fmt.Fprintf(&b, "\tput(%s)\n", v.name)
		case v.kind == mapping:
			fmt.Fprintf(&b, "\tfor x := range %d {\n\t\tput(%s[x])\n\t}\n", len(v.init), v.name)
		default:
			fmt.Fprintf(&b, "\tfor _, x := range %s {\n\t\tput(x)\n\t}\n", v.name)
		}
	}
	b.WriteString("}\n")
	return b.String(), line
}

// rest is the code that the functions of a program use.
const rest = `package main

import (
	"os"
	"strconv"
)

type T struct{ p, q, r, s, u, v int }

func (t *T) addp(x int) { t.p += x }
func (t *T) addq(x int) { t.q += x }
func (t *T) addr(x int) { t.r += x }
func (t *T) adds(x int) { t.s += x }
func (t *T) addu(x int) { t.u += x }
func (t *T) addv(x int) { t.v += x }

var out []byte

func put(x int) { out = append(strconv.AppendInt(out, int64(x), 10), ' ') }

func main() {
	for _, f := range functions {
		f()
		out = append(out, '\n')
	}
	os.Stdout.Write(out)
}

`

// program returns the source of a program of the loops, whose functions are l0, l1, ..., and the
// lines of the loops.
func program(loops []*loop) (source string, lines []int) {
	var b strings.Builder
	b.WriteString(rest + "var functions = []func(){")
	for i := range loops {
		fmt.Fprintf(&b, "l%d, ", i)
	}
	b.WriteString("}\n")
	at := strings.Count(b.String(), "\n") + 1
	for i, l := range loops {
		s, line := l.source(fmt.Sprintf("l%d", i))
		b.WriteString("\n" + s)
		lines = append(lines, at+1+line)
		at += strings.Count(s, "\n") + 1
	}
	return b.String(), lines
}
