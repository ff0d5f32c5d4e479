package front

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestEdits: what encloses what, whatever comes first.
func TestEdits(t *testing.T) {
	const source = "package p\n\nfunc f() { x.y = z[i]; {} }\n"
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	body := file.Decls[0].(*ast.FuncDecl).Body
	s := body.List[0].(*ast.AssignStmt)
	lhs, rhs := s.Lhs[0].(*ast.SelectorExpr), s.Rhs[0].(*ast.IndexExpr)
	for _, c := range []struct {
		name string
		do   func(*edits)
		want string
	}{
		{"nothing", func(*edits) {}, "{ x.y = z[i]; {} }"},
		{"the same stretch", func(e *edits) { e.wrap(lhs, "(", ")"); e.wrap(lhs, "[", "]") },
			"{ [(x.y)] = z[i]; {} }"},
		{"the outer first", func(e *edits) { e.wrap(s, "<", ">"); e.wrap(lhs, "(", ")"); e.wrap(lhs.X, "[", "]") },
			"{ <([x].y) = z[i]>; {} }"},
		{"the end of a statement", func(e *edits) { e.after(s, "; s"); e.after(rhs, " r"); e.after(s, "; t") },
			"{ x.y = z[i] r; s; t; {} }"},
		{"empty block", func(e *edits) {
			b := body.List[1].(*ast.BlockStmt)
			e.braces(b, "", "foot 1 ")
			e.braces(b, "top 1 ", "foot 2 ")
			e.braces(b, "top 2 ", "")
		}, "{ x.y = z[i]; {top 2 top 1 foot 1 foot 2 } }"},
		{"replaced", func(e *edits) {
			e.wrap(rhs.X, "(", ")")
			e.wrap(rhs, "[", "]")
			e.replace(rhs.Pos(), rhs.End(), "R")
			e.wrap(rhs, "<", ">")
		}, "{ x.y = <R>; {} }"},
		{"a beginning replaced", func(e *edits) {
			e.wrap(s, "<", ">")
			e.wrap(lhs, "(", ")")
			e.replace(lhs.Pos(), rhs.Pos(), "t := ")
			e.wrap(rhs, "[", "]")
		}, "{ <t := [z[i]]>; {} }"},
		{"draft", func(e *edits) {
			e.wrap(lhs, "(", ")")
			e.after(s, "; "+e.draft(lhs, func() { e.wrap(lhs.X, "&", "") }))
		}, "{ (x.y) = z[i]; &x.y; {} }"},
		{"restored", func(e *edits) { e.wrap(lhs, "(", ")"); e.wrap(rhs, "(", ")"); e.restore(lhs, 0) },
			"{ x.y = (z[i]); {} }"},
	} {
		e := &edits{src: []byte(source), from: int(file.FileStart)}
		c.do(e)
		if got := e.render(body.Pos(), body.End(), e.made); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
