package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"krdlab/loi"
)

// entry registers the parameters of the function, if it has some, with their slots. It is never
// done: a reader of the trace learns from it how many there are.
func (v *values) entry() {
	m := v.maker(v.at, loi.Entry, v.name)
	for _, list := range []*ast.FieldList{v.recv, v.kind.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{nil}
			}
			for _, x := range names {
				m.value(loi.Place{Kind: loi.Slot, N: v.fresh32()}, loi.Always, false)
				if x == nil {
					continue
				}
				m.on.Name = x.Name
				if o, ok := v.info.Defs[x].(*types.Var); ok && x.Name != "_" {
					v.slots[o] = v.next - 1
				}
			}
		}
	}
	if len(m.op.Values) > 0 {
		m.done()
	}
}

// send adds the value sent to a channel.
func (m *maker) send(s *ast.SendStmt) {
	m.value(loi.Place{Kind: loi.Channel}, loi.Always, false)
	m.on.Name = types.ExprString(s.Value)
	m.expr(s.Value, 0)
	m.expr(s.Chan, 0)
}

// receive adds what a receive has received, nil being that of a range; above is the cost from it
// on.
func (m *maker) receive(e *ast.UnaryExpr, above uint32) {
	n := 0
	for n < len(m.received) && m.received[n] != e {
		n++
	}
	if n == len(m.received) {
		m.received = append(m.received, e)
	}
	m.from(loi.Place{Kind: loi.Channel, N: uint32(n)}, above)
}

// chosen puts the operation of a communication of a select at the beginning of its case, if what it
// receives goes somewhere.
func (v *values) chosen(c *ast.CommClause) {
	m := v.maker(c.Comm, loi.Compute, "select")
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		m.op.Name = types.ExprString(s.Chan)
		m.send(s)
	case *ast.AssignStmt:
		from, ok := ast.Unparen(s.Rhs[0]).(*ast.UnaryExpr)
		if !ok || from.Op != token.ARROW {
			return
		}
		m.op.Name = types.ExprString(s.Lhs[0])
		for _, x := range s.Lhs {
			if m.store(x, loi.Always, false) {
				m.receive(from, 0)
			}
		}
	}
	if len(m.op.Values) > 0 {
		v.top(c.Colon+1, v.call("O", strconv.Itoa(m.done()))+"; ")
	}
}

// deferring puts the operation of a return at the end of a function without results that defers:
// calls behind that are deferred.
func (v *values) deferring() {
	if v.defers && v.kind.Results.NumFields() == 0 {
		m := v.maker(v.at, loi.Return, "return")
		v.braces(v.block, "", "; "+v.call("O", strconv.Itoa(m.done()))+" ")
	}
}
