package front

import (
	"go/ast"
	"go/types"
	"slices"
)

// A Struct is a structure whose fields are accessed.
type Struct struct {
	Name   string // "main.node"
	Bytes  uint64
	Leaves []Leaf // Name is "" where accesses may be in code that is not rewritten
	is     types.Type
}

// structOf returns the outermost structure that a datum is within, or is; nil: none of the packages
// that are rewritten, or one that depends on type parameters.
func (w *fn) structOf(e ast.Expr) *Struct {
	in := w.info.TypeOf(e)
	for out := true; out; {
		out = false
		switch x := e.(type) {
		case *ast.ParenExpr:
			e, out = x.X, true
		case *ast.IndexExpr:
			if _, array := types.Unalias(w.info.TypeOf(x.X)).Underlying().(*types.Array); array {
				e, out = x.X, true
			}
		case *ast.SelectorExpr:
			if s := w.info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
				t := s.Recv()
				in, e, out = t, x.X, true
				for _, i := range s.Index() {
					if p, ok := t.Underlying().(*types.Pointer); ok {
						t, in, out = p.Elem(), p.Elem(), false
					}
					t = t.Underlying().(*types.Struct).Field(i).Type()
				}
			}
		}
	}
	return w.structure(in)
}

// structure returns that of a type.
func (r *rewriter) structure(t types.Type) *Struct {
	n, ok := types.Unalias(t).(*types.Named)
	if _, is := t.Underlying().(*types.Struct); !ok || !is || parametric(t) || !r.here(n) {
		return nil
	}
	name := pathString(t)
	s := r.out.structs[name]
	if s == nil {
		s = &Struct{typeString(t), uint64(r.sizes.Sizeof(t)), leaves(r.sizes, t), t}
		r.out.structs[name] = s
	}
	return s
}

// pathString returns a type with the paths of packages, since several may have one name.
func pathString(t types.Type) string { return types.TypeString(t, nil) }

// here reports that a type is of a package that is rewritten.
func (r *source) here(n *types.Named) bool {
	return n.Obj().Pkg() != nil && slices.Contains(r.paths, n.Obj().Pkg().Path())
}

// hideFields notes the fields that a node names: they may be accessed there unseen.
func (r *rewriter) hideFields(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			if s := r.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
				r.out.hidden[pathString(owner(s))+"."+e.Sel.Name] = true
			}
		}
		return true
	})
}

// hideOperands notes the structures that a call hands on as values of any type, or unsafe:
// reflection may access all that is reached from there.
func (r *rewriter) hideOperands(c *ast.CallExpr) {
	to, sig := r.info.Types[c.Fun], (*types.Signature)(nil)
	if to.Type == nil || to.IsBuiltin() {
		return
	}
	if !to.IsType() {
		sig, _ = core(to.Type).(*types.Signature)
	}
	for i, e := range c.Args {
		t := to.Type
		if sig != nil {
			last := sig.Params().Len() - 1
			t = sig.Params().At(min(i, last)).Type()
			if s, ok := t.(*types.Slice); ok && sig.Variadic() && i >= last && !c.Ellipsis.IsValid() {
				t = s.Elem()
			}
		}
		u, _ := t.(*types.TypeParam)
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer ||
			u == nil && types.IsInterface(t) && t.Underlying().(*types.Interface).Empty() {
			r.hideReached(r.info.TypeOf(e))
		}
	}
}

// hideReached notes all types that are reached from a value of a type.
func (r *rewriter) hideReached(t types.Type) {
	if _, named := types.Unalias(t).(*types.Named); named {
		if r.out.hidden[pathString(t)] {
			return
		}
		r.out.hidden[pathString(t)] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		r.hideReached(u.Key())
		r.hideReached(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			r.hideReached(f.Type())
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		r.hideReached(u.Elem())
	}
}

// hide takes from s's leaves the names of those whose accesses may not be seen: t, at an offset of
// s, is among them if hidden, or has some.
func (r *rewriter) hide(s *Struct, t types.Type, offset uint64, hidden bool) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok && !r.here(n) {
			hidden = true
		}
		hidden = hidden || r.out.hidden[pathString(t)]
		fields := slices.Collect(u.Fields())
		for i, at := range r.sizes.Offsetsof(fields) {
			r.hide(s, fields[i].Type(), offset+uint64(at),
				hidden || r.out.hidden[pathString(t)+"."+fields[i].Name()])
		}
	case *types.Array:
		for i := range min(u.Len(), MostLeaves) {
			r.hide(s, u.Elem(), offset+uint64(i*r.sizes.Sizeof(u.Elem())), hidden)
		}
	default:
		for i := range s.Leaves {
			if hidden && s.Leaves[i].Offset == offset {
				s.Leaves[i].Name = ""
			}
		}
	}
}
