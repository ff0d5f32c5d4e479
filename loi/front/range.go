package front

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"krdlab/loi"
)

// rangeStmt rewrites a loop with range.
//
//	for i := range p.arr { _ = i }  =>  for i := range p.arr { _ = i }
func (w *accesses) rangeStmt(s *ast.RangeStmt) {
	var body string
	t := w.info.TypeOf(s.X)
	visits := s.Value != nil && !isBlank(s.Value)
	each := []string{} // counts of every iteration
	for _, e := range []ast.Expr{s.Key, s.Value} {
		if e == nil || isBlank(e) {
			continue
		}
		if _, isMap := w.mapEntry(e); s.Tok == token.ASSIGN && (w.where(e) == heap || isMap) {
			each = append(each, w.counted(e, "store of "+w.object(e), "it is the variable of a loop",
				loi.Out, w.info.TypeOf(e), 0))
		} else if s.Tok == token.DEFINE {
			w.looped(s, func() { body += inside(w.defined(e, true)) })
		}
	}
	alone := func(t types.Type, items int) {
		each = append(each, w.counted(s, "elements of a loop", "its key or their size is not known",
			loi.In, t, items))
	}
	key := "" // a name that is made up
	switch u := core(t).(type) {
	case *types.Slice:
		w.val(s.X, false)
		if !visits || w.empty(u.Elem()) {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			if parametric(u.Elem()) {
				bytes := w.fresh(w.prefix + "A.U")
				of := w.fresh(w.prefix + "A.U")
				w.pointing(s.X, "RX", base, bytes, of)
				w.looped(s, func() {
					site := w.windowSite(s, "range", loi.In, typeString(t), u.Elem())
					body += " " + w.call("EX", base, name, bytes, of, site) + ";"
				})
				break
			}
			w.pointing(s.X, "R", base)
			w.looped(s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Basic:
		w.val(s.X, false)
		if u.Info()&types.IsString == 0 || !visits {
			break
		}
		if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RS", base)
			w.looped(s, func() {
				body += w.element(s, typeString(t), types.Typ[types.Byte], base, name)
			})
		} else {
			alone(types.Typ[types.Byte], 0)
		}
	case *types.Array:
		if !visits {
			break
		}
		w.plain(s.X, false)
		if w.where(s.X) != heap || w.empty(u.Elem()) {
			break
		}
		if parametric(u.Elem()) {
			alone(u.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.wrap(s.X, "&(", ")")
			w.pointing(s.X, "RP", base)
			w.before(s.X, "*")
			w.looped(s, func() { body += w.element(s, typeString(t), u.Elem(), base, name) })
		} else {
			alone(u.Elem(), 0)
		}
	case *types.Pointer: // to an array
		if !visits {
			break
		}
		w.val(s.X, false)
		a, _ := u.Elem().Underlying().(*types.Array)
		if a == nil || w.empty(a.Elem()) {
			break
		}
		if _, plain := types.Unalias(t).(*types.Pointer); !plain || parametric(a.Elem()) {
			alone(a.Elem(), 0)
		} else if name, ok := w.rangeKey(s, &key, "int"); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RP", base)
			w.looped(s, func() { body += w.element(s, typeString(u.Elem()), a.Elem(), base, name) })
		} else {
			alone(a.Elem(), 0)
		}
	case *types.Map:
		w.val(s.X, false)
		if s.Key == nil {
			break
		}
		if name, ok := w.rangeKey(s, &key, ""); ok {
			base := w.fresh(w.prefix + "A.U")
			w.pointing(s.X, "RM", base)
			w.looped(s, func() {
				site := w.mapSite(s, "range-map", loi.In, t, u)
				body += " " + w.call("MP", base, site) + "; " + w.call("K", name, site) + ";"
			})
		} else {
			alone(nil, 2)
		}
	default: // integers, channels, functions
		w.val(s.X, false)
		if _, several := types.Unalias(t).(*types.TypeParam); several && u == nil && visits {
			alone(nil, 0)
		}
	}
	w.looped(s, func() { w.block(s.Body) })
	if key != "" {
		w.replace(s.Key.Pos(), s.Key.End(), key)
	}
	w.braces(s.Body, w.counts(each)+body, "")
	w.visits[s] = visit{key, body, len(each) > 0}
}

// pointing makes n the last argument of a call of the agent, behind the buffer and pointers to
// variables.
func (w *fn) pointing(n ast.Node, name string, variables ...string) {
	w.wrap(n, w.prefix+"A."+name+"("+w.prefix+"B, &"+strings.Join(variables, ", &")+", ", ")")
}

// A visit describes an iteration of a loop with range: the name made up for its key, the text that
// records the element, and whether something is counted.
type visit struct {
	key, element string
	counted      bool
}

// element records a visit of element name of what base points to.
func (w *accesses) element(s *ast.RangeStmt, object string, t types.Type, base, name string) string {
	site := w.windowSite(s, "range", loi.In, object, t)
	last := &w.out.Sites[len(w.out.Sites)-1]
	last.Bytes = last.Element
	return " " + w.call("E", base, name, strconv.FormatUint(last.Element, 10), site) + ";"
}

// rangeKey returns the name of a loop's key, made up where it has none; false if it cannot be had.
func (w *accesses) rangeKey(s *ast.RangeStmt, key *string, t string) (string, bool) {
	if !isBlank(s.Key) {
		if s.Tok == token.DEFINE {
			return s.Key.(*ast.Ident).Name, true
		}
		id, ok := ast.Unparen(s.Key).(*ast.Ident)
		if ok && w.where(id) == local && t != "" &&
			types.Identical(w.info.TypeOf(id), types.Typ[types.Int]) {
			return id.Name, true
		}
		return "", false
	}
	if s.Tok == token.DEFINE {
		t = ""
	} else if t == "" {
		return "", false
	}
	name := w.fresh(t)
	*key = name
	return name, true
}
