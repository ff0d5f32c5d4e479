package front

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"krdlab/loi"
)

// atomicsOf rewrites the atomic operations of a function.
func atomicsOf(w *fn) {
	if !w.opt.Sync {
		return
	}
	eachCall(w.block, func(e *ast.CallExpr) {
		if op := w.atomic(e); op != 0 {
			w.atomicCall(e, op)
		}
	}, func(lit *ast.FuncLit) {
		if in := w.literals[lit]; in != nil {
			atomicsOf(in)
		}
	})
}

// eachCall visits the calls in n, inner ones first, and the function literals, but nothing in
// those.
func eachCall(n ast.Node, call func(*ast.CallExpr), literal func(*ast.FuncLit)) {
	var open []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			if e, ok := open[len(open)-1].(*ast.CallExpr); ok {
				call(e)
			}
			open = open[:len(open)-1]
			return true
		}
		if lit, ok := n.(*ast.FuncLit); ok {
			literal(lit)
			return false
		}
		open = append(open, n)
		return true
	})
}

// atomic returns which operation of package sync/atomic a call is, if those are recorded; 0: none.
func (w *fn) atomic(e *ast.CallExpr) loi.SyncOp {
	if !w.opt.Sync || w.visited[e] != loi.CallSite {
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

// atomicCall records an atomic operation: a store before it is made, when its value is known,
// others after.
//
// The last number is the operation, from bit 8 on how far behind the pointer an embedded variable
// stands, and from bit 32 on the site. Where an argument calls, gc evaluates the pointer after it.
//
//	x.Store(3)  =>  A.AS(B, x, 1<<32|16).Store(3)
//	i = int(x.Add(1))  =>  i = int(A.AV(B, A.AP(B, &krd1, x).Add(1), krd1, 1<<32|17))
//	x.Store(int64(g()))  =>  x.Store(A.AX(B, A.AK(B, int64(g()), &krd1, x), krd1, 1<<32|16))
//	_ = make(chan int)  =>  _ = A.NM(B, make(chan int), 1)
func (w *fn) atomicCall(e *ast.CallExpr, op loi.SyncOp) {
	left := func(why string) { w.leave(e, "atomic operation", why) }
	x, method := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	method = method && w.info.Selections[x] != nil
	var pointer ast.Expr
	var open, end, again string // what makes a pointer of it, and that once more
	offset := int64(0)          // of the variable behind it
	first := 0                  // of the arguments that are values
	if method {
		pointer = x.X
		if strings.Contains(w.stretch(x.X.End(), e.Fun.End()), "\n") {
			left("it is on several lines")
			return
		}
		var ok bool
		if open, end, again, offset, ok = w.atomicReceiver(e, x, w.edited(e.Fun)); !ok {
			left("its variable cannot be named here")
			return
		}
	} else {
		if len(e.Args) == 0 || w.several(e.Args[0]) || w.literalValue(e.Args[0]) {
			left("its variable cannot be named here")
			return
		}
		first = 1
		pointer, again = e.Args[0], w.raw(e.Args[0])
	}
	if offset >= 1<<24 {
		left("its variable cannot be named here")
		return
	}
	calling := -1 // the last value that calls
	for i := first; i < len(e.Args); i++ {
		if w.calls(e.Args[i]) {
			calling = i
		}
	}
	if calling < 0 {
		number := w.atomicSite(e, pointer, method, op, offset)
		w.wrap(pointer, open, end)
		if op == loi.SyncStore {
			w.pass(pointer, "AS", number)
			return
		}
		kept := w.fresh(w.prefix + "A.U")
		w.pointing(pointer, "AP", kept)
		w.pass(e, "AV", kept, number)
		return
	}
	v := e.Args[calling]
	if w.untyped(v) && !w.boolean(v) || w.several(v) {
		left("its value has its type from where it stands")
		return
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
		left(callFirst)
		return
	}
	number := w.atomicSite(e, pointer, method, op, offset)
	kept := w.fresh(w.prefix + "A.U")
	if direct {
		w.wrap(pointer, open, end)
		w.pointing(pointer, "AP", kept)
	} else {
		w.pass(v, "AK", "&"+kept, again)
	}
	if op == loi.SyncStore {
		w.pass(v, "AX", kept, number)
		return
	}
	w.pass(e, "AV", kept, number)
}

// atomicSite makes the site of an operation, and returns the number of its code.
func (w *fn) atomicSite(e *ast.CallExpr, pointer ast.Expr, method bool, op loi.SyncOp, offset int64) string {
	s := Site{Kind: Atomic, Mode: loi.InOut, File: w.path, Line: w.line(e), Function: w.name, Bytes: 8}
	switch op {
	case loi.SyncLoad:
		s.Mode = loi.In
	case loi.SyncStore:
		s.Mode = loi.Out
	}
	t := w.info.TypeOf(pointer)
	if of, ok := ast.Unparen(pointer).(*ast.UnaryExpr); ok && of.Op == token.AND {
		pointer = of.X
	}
	s.Object = w.object(pointer)
	if method {
		t = w.info.Selections[ast.Unparen(e.Fun).(*ast.SelectorExpr)].Obj().(*types.Func).Signature().Recv().Type()
	}
	if !parametric(deref(t)) {
		s.Bytes = uint64(w.sizes.Sizeof(deref(t)))
	}
	w.events++
	w.out.Sites = append(w.out.Sites, s)
	return fmt.Sprintf("%d<<32|%d", len(w.out.Sites), offset<<8|int64(op))
}

// looksUp reports that an entry of a map is in x: gc evaluates it as it does calls.
func (r *source) looksUp(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found {
			_, found = r.mapEntry(e)
		}
		return !found
	})
	return found
}

// atomicReceiver returns the text around the operand of x that makes a pointer to the variable
// whose method x is, in a call e, and the pointer as in the source. Embedded pointers are explicit
// if the call was edited. It returns false if the variable is embedded in a type without a name
// here.
func (w *fn) atomicReceiver(e *ast.CallExpr, x *ast.SelectorExpr, edited bool) (open, end,
	again string, offset int64, ok bool) {
	s := w.info.Selections[x]
	if s.Kind() != types.MethodVal {
		return "", "", "", 0, false
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
			return "", "", "", 0, false
		}
		again += names
		if !edited {
			end += names // else it is explicit
		}
		names, last, rest = "", t, n+1
	}
	if rest < len(path) {
		// The address is made without the field: a nil pointer panics in the method.
		if offset, ok = w.offset(deref(last), path[rest:]); !ok {
			if !named {
				return "", "", "", 0, false
			}
			end, again, last, offset = end+names, again+names, t, 0
		}
	}
	if !pointerTo(last) {
		open, end, again = "&(", end+")", "&("+again+")"
	}
	return open, end, again, offset, true
}

// several reports that x is a call of several results.
func (r *source) several(x ast.Expr) bool {
	_, ok := r.info.TypeOf(x).(*types.Tuple)
	return ok
}

func pointerTo(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
