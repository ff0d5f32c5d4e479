package gofront

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"krdlab/loi"
)

// atomic returns which operation of package sync/atomic a call is, if those are recorded; 0: none.
func (w *fn) atomic(e *ast.CallExpr) loi.SyncOp {
	if !w.opt.Sync {
		return 0
	}
	var id *ast.Ident
	switch x := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		id = x.Sel
	case *ast.Ident: // of a package that is imported by .
		id = x
	default:
		return 0
	}
	f, ok := w.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync/atomic" {
		return 0
	}
	switch name := f.Name(); {
	case strings.HasPrefix(name, "Load"):
		return loi.SyncLoad
	case strings.HasPrefix(name, "Store"):
		return loi.SyncStore
	}
	return loi.SyncUpdate
}

// atomicCall is an atomic operation, and what records it: a store is recorded before it is made,
// others after.
//
//	x.Store(v)     A.AS(B, &(x), op).Store(v)
//	x.Add(v)       A.AV(B, A.AP(B, &t, &(x)).Add(v), t, op)
//	Add(p, v)      A.AV(B, Add(A.AP(B, &t, p), v), t, op)
func (w *fn) atomicCall(e *ast.CallExpr, op loi.SyncOp, fun *piece, args []piece,
	text func() string) string {
	number, kept := fmt.Sprint(uint8(op)), ""
	w.events++
	wrap := func(pointer string) string {
		if op == loi.SyncStore {
			return w.call("AS", pointer, number)
		}
		kept = w.fresh("uintptr")
		return w.call("AP", "&"+kept, pointer)
	}
	if x, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && w.info.Selections[x] != nil {
		on, found := strings.CutSuffix(fun.text, "."+x.Sel.Name)
		if !found || w.info.Selections[x].Kind() != types.MethodVal {
			return text() // on several lines, or a method expression
		}
		if _, pointer := w.info.TypeOf(x.X).Underlying().(*types.Pointer); !pointer {
			on = "&(" + on + ")"
		}
		fun.text = wrap(on) + "." + x.Sel.Name
	} else if len(args) > 0 {
		args[0].text = wrap(args[0].text)
	}
	if kept == "" {
		return text()
	}
	return w.call("AV", text(), kept, number)
}
