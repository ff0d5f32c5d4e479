package front

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Edits are changes of a source that leave what they do not name as it stands, byte for byte: text
// around a stretch of it, or in its place.
//
//	wrap(p, "&(", ")")    p.f -> &(p).f
//
// Of two stretches one lies in the other or they are apart. Around the same stretch, a statement's
// edits stand outside an expression's, and else what comes later outside; a replacement takes with it
// what was there before.
type edits struct {
	src  []byte
	from int // position of its first byte
	made []edit

	byPlace []int // so many of made as are sorted, by lo
}

type edit struct {
	kind          editKind
	level         level
	lo, hi        int // offsets
	before, after string
}

// A level is how far outside an edit stands.
type level int

const (
	inner level = iota - 1
	expression
	statement
	outer
)

type editKind int

const (
	wrapped  editKind = iota // what stands from lo to hi
	braced                   // a block: lo is behind its opening brace, hi at its closing one
	replaced                 // before stands in the place of what is from lo to hi
)

func (e *edits) add(kind editKind, at level, lo, hi token.Pos, before, after string) {
	if kind == replaced || before != "" || after != "" {
		e.made = append(e.made, edit{kind, at, int(lo) - e.from, int(hi) - e.from, before, after})
	}
}

// wrap puts text before and behind a node.
func (e *edits) wrap(n ast.Node, before, after string) {
	at := expression
	if _, ok := n.(ast.Stmt); ok {
		at = statement
	}
	e.add(wrapped, at, n.Pos(), n.End(), before, after)
}

func (e *edits) before(n ast.Node, text string) { e.wrap(n, text, "") }
func (e *edits) after(n ast.Node, text string)  { e.wrap(n, "", text) }

// braces puts text inside the braces of a block, at its beginning and its end.
func (e *edits) braces(b *ast.BlockStmt, top, foot string) {
	e.add(braced, expression, b.Lbrace+1, b.Rbrace, top, foot)
}

// top puts text at a place where statements begin, behind a brace or a colon: behind what others put
// there by braces.
func (e *edits) top(at token.Pos, text string) { e.add(braced, inner, at, at, text, "") }

// replace puts text in the place of what stands from lo to hi.
func (e *edits) replace(lo, hi token.Pos, text string) {
	e.add(replaced, expression, lo, hi, text, "")
}

// raw returns a node as it stands in the source.
func (e *edits) raw(n ast.Node) string { return e.stretch(n.Pos(), n.End()) }

func (e *edits) stretch(lo, hi token.Pos) string {
	return string(e.src[int(lo)-e.from : int(hi)-e.from])
}

// within returns the numbers of the edits between two offsets.
func (e *edits) within(lo, hi int) (all []int) {
	if sorted := len(e.byPlace); len(e.made) < sorted || len(e.made) > sorted+sorted/8+64 {
		e.byPlace = e.byPlace[:0]
		for n := range e.made {
			e.byPlace = append(e.byPlace, n)
		}
		slices.SortStableFunc(e.byPlace, func(a, b int) int { return e.made[a].lo - e.made[b].lo })
	}
	at, _ := slices.BinarySearchFunc(e.byPlace, lo, func(n, lo int) int { return e.made[n].lo - lo })
	for ; at < len(e.byPlace) && e.made[e.byPlace[at]].lo <= hi; at++ {
		all = append(all, e.byPlace[at])
	}
	for n := len(e.byPlace); n < len(e.made); n++ {
		all = append(all, n)
	}
	all = slices.DeleteFunc(all, func(n int) bool { return e.made[n].lo < lo || e.made[n].hi > hi })
	slices.Sort(all)
	return all
}

// edited reports that something is changed in a node.
func (e *edits) edited(n ast.Node) bool {
	return len(e.within(int(n.Pos())-e.from, int(n.End())-e.from)) > 0
}

// changed returns an expression with its edits.
func (e *edits) changed(n ast.Expr) string {
	var list []edit
	lo, hi := int(n.Pos())-e.from, int(n.End())-e.from
	for _, i := range e.within(lo, hi) {
		if x := e.made[i]; x.level <= expression || x.lo > lo || x.hi < hi {
			list = append(list, x)
		}
	}
	return e.render(n.Pos(), n.End(), list)
}

// raise moves the edits of just this expression, from the number since on, outside of others.
func (e *edits) raise(n ast.Expr, since int) {
	for i := range e.made[since:] {
		if x := &e.made[since+i]; x.lo == int(n.Pos())-e.from && x.hi == int(n.End())-e.from {
			x.level = statement
		}
	}
}

// restore takes back what was changed in a node since there were so many edits.
func (e *edits) restore(n ast.Node, since int) {
	lo, hi := int(n.Pos())-e.from, int(n.End())-e.from
	e.made = append(e.made[:since], slices.DeleteFunc(e.made[since:], func(x edit) bool {
		return x.lo >= lo && x.hi <= hi
	})...)
}

// draft returns a node as do changes it; the node stays as it was.
func (e *edits) draft(n ast.Node, do func()) string {
	mark := len(e.made)
	do()
	text := e.render(n.Pos(), n.End(), e.made[mark:])
	e.made = e.made[:mark]
	return text
}

// A spot is where an edit puts text.
type spot struct {
	at    int
	side  side
	other int // the end of the stretch that at is not
	level level
	nth   int // edit
	text  string
}

type side int

const ( // in the order of what they put at one place
	begins side = iota // a block
	closes             // a stretch
	ends               // a block
	opens              // a stretch
)

// render returns the source from one place to another, with the edits in list that lie between.
func (e *edits) render(from, to token.Pos, list []edit) string {
	lo, hi := int(from)-e.from, int(to)-e.from
	var spots []spot
	for n, x := range list {
		switch {
		case x.lo < lo || x.hi > hi:
		case x.kind == braced:
			if x.lo == lo || x.hi == hi {
				continue
			}
			spots = append(spots, spot{x.lo, begins, x.hi, x.level, n, x.before},
				spot{x.hi, ends, x.lo, x.level, n, x.after})
		default:
			spots = append(spots, spot{x.lo, opens, x.hi, x.level, n, x.before},
				spot{x.hi, closes, x.lo, x.level, n, x.after})
		}
	}
	slices.SortFunc(spots, func(a, b spot) int {
		if c := cmp.Or(a.at-b.at, int(a.side-b.side)); c != 0 {
			return c
		}
		switch a.side {
		case begins:
			if a.level == inner && b.level == inner {
				return a.nth - b.nth
			}
			return cmp.Or(int(b.level-a.level), b.nth-a.nth)
		case ends:
			return a.nth - b.nth
		case closes:
			return cmp.Or(b.other-a.other, int(a.level-b.level), a.nth-b.nth)
		}
		return cmp.Or(b.other-a.other, int(b.level-a.level), b.nth-a.nth)
	})
	var b strings.Builder
	gone := edit{hi: -1} // the last replacement
	last := 0            // its number
	for _, s := range spots {
		if s.at < gone.hi || s.at == gone.hi && s.side == closes &&
			(s.other > gone.lo || s.other == gone.lo &&
				(s.level < gone.level || s.level == gone.level && s.nth < last)) {
			continue
		}
		b.Write(e.src[lo:s.at])
		b.WriteString(s.text)
		lo = max(lo, s.at)
		if x := list[s.nth]; x.kind == replaced && s.side == opens {
			gone, last, lo = x, s.nth, x.hi
		}
	}
	b.Write(e.src[lo:hi])
	return b.String()
}
