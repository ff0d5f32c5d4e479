package front

import (
	"fmt"
	"go/ast"
	"go/token"
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
// when its value is known, others after.
//
//	x.Store(v)     A.AS(B, &(x), op).Store(v)
//	x.Add(v)       A.AV(B, A.AP(B, &t, &(x)).Add(v), t, op)
//	Add(p, v)      A.AV(B, Add(A.AP(B, &t, p), v), t, op)
//	x.Store(f())   x.Store(A.AX(B, A.AK(B, f(), &t, &(x)), t, op))
//	Add(p, f())    A.AV(B, Add(p, A.AK(B, f(), &t, p)), t, op)
//
// In op is also, times 256, how far behind the pointer an embedded variable stands.
// Where an argument calls, gc evaluates the pointer after it.
func (w *fn) atomicCall(e *ast.CallExpr, op loi.SyncOp, fun *piece, args []piece,
	text func() string) string {
	left := func(why string) string {
		w.leave(e, "atomic operation", why)
		return text()
	}
	x, method := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	method = method && w.info.Selections[x] != nil
	var head, on, tail, again string // the pointer, what stands around it, and it once more
	var pointer ast.Expr
	offset := int64(0) // of the variable behind it
	first := 0         // of the arguments that are values
	if method {
		pointer = x.X
		head, tail = w.splice(e.Fun.Pos(), x.Pos()), w.splice(x.X.End(), e.Fun.End())
		if strings.Contains(tail, "\n") {
			return left("it is on several lines")
		}
		var ok bool
		if on, again, offset, ok = w.atomicReceiver(e, x, fun.text, head, tail); !ok {
			return left("its variable cannot be named here")
		}
	} else {
		if len(e.Args) == 0 || w.several(e.Args[0]) || w.literalValue(e.Args[0]) {
			return left("its variable cannot be named here")
		}
		first = 1
		pointer, on, again = e.Args[0], args[0].text, w.raw(e.Args[0])
	}
	put := func(with string) {
		if method {
			fun.text = head + with + tail
		} else {
			args[0].text = with
		}
	}
	number := fmt.Sprint(offset<<8 | int64(op))
	calling := -1 // the last value that calls
	for i := first; i < len(e.Args); i++ {
		if w.calls(e.Args[i]) {
			calling = i
		}
	}
	if calling < 0 {
		w.events++
		if op == loi.SyncStore {
			put(w.call("AS", on, number))
			return text()
		}
		kept := w.fresh(w.prefix + "A.U")
		put(w.call("AP", "&"+kept, on))
		return w.call("AV", text(), kept, number)
	}
	v := e.Args[calling]
	if w.untyped(v) && !w.boolean(v) || w.several(v) {
		return left("its value has its type from where it stands")
	}
	_, direct := ast.Unparen(pointer).(*ast.CallExpr) // all calls are made in their order
	direct = direct && again == w.raw(pointer) && w.calls(pointer)
	of := ast.Unparen(pointer)
	if u, ok := of.(*ast.UnaryExpr); ok && u.Op == token.AND {
		if _, made := ast.Unparen(u.X).(*ast.CompositeLit); !made {
			of = u.X
		}
	}
	if !direct && (w.calls(pointer) || !w.again(of) || w.looksUp(pointer) ||
		differ(w.panics(pointer), w.loose(v, true)) || strings.Contains(again, "\n")) {
		return left(callFirst)
	}
	w.events++
	kept, value := w.fresh(w.prefix+"A.U"), args[calling].text
	if direct {
		put(w.call("AP", "&"+kept, on))
	} else {
		value = w.call("AK", value, "&"+kept, again)
	}
	if op == loi.SyncStore {
		args[calling].text = w.call("AX", value, kept, number)
		return text()
	}
	args[calling].text = value
	return w.call("AV", text(), kept, number)
}

// looksUp reports that an entry of a map is in x: gc evaluates it as it does calls.
func (w *fn) looksUp(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found {
			_, found = w.mapEntry(e)
		}
		return !found
	})
	return found
}

// atomicReceiver is a pointer to the variable whose method x is, in a call e: as the function of
// that was rewritten to text, between head and tail, and as in the source. False if it is embedded
// in what has no name here.
func (w *fn) atomicReceiver(e *ast.CallExpr, x *ast.SelectorExpr, text, head, tail string) (on,
	again string, offset int64, ok bool) {
	s := w.info.Selections[x]
	if s.Kind() != types.MethodVal {
		return "", "", 0, false
	}
	if on, ok = strings.CutPrefix(text, head); !ok {
		return "", "", 0, false
	}
	if on, ok = strings.CutSuffix(on, tail); !ok {
		return "", "", 0, false
	}
	path := s.Index()
	path = path[:len(path)-1]
	again = w.raw(x.X)
	t, last, rest := s.Recv(), s.Recv(), 0 // last is the type behind the last pointer, rest from there
	names, named := "", true
	for n, i := range path {
		f := deref(t).Underlying().(*types.Struct).Field(i)
		names, named = names+"."+f.Name(), named && (f.Exported() || f.Pkg() == w.pkg.Types)
		t = f.Type()
		if !pointerTo(t) {
			continue
		}
		if !named {
			return "", "", 0, false
		}
		again += names
		if text == w.raw(e.Fun) {
			on += names // else it is explicit
		}
		names, last, rest = "", t, n+1
	}
	if rest < len(path) {
		// The address is made without the field: what is nil panics in the method.
		if offset, ok = w.offset(deref(last), path[rest:]); !ok {
			if !named {
				return "", "", 0, false
			}
			on, again, last, offset = on+names, again+names, t, 0
		}
	}
	if !pointerTo(last) {
		on, again = "&("+on+")", "&("+again+")"
	}
	return on, again, offset, true
}

// several reports that x is a call of several results.
func (w *fn) several(x ast.Expr) bool {
	_, ok := w.info.TypeOf(x).(*types.Tuple)
	return ok
}

func pointerTo(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
