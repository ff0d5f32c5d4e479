package front

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"krdlab/loi"
)

// Accesses that are left alone are counted, by a site of their own: the call that counts stands
// where it is made as often as the access, and where it changes nothing. That is before the
// statement; for expressions evaluated more often or on a condition, around a whole condition (CV),
// around the left side of && or || (And, Or), or at the beginning of a loop's or a communication's
// body.

// left notes n, which is left alone, and leaves it to the enclosing construct to count its
// accesses: items data of type t, nil: of one leaf.
func (w *accesses) left(n ast.Node, what, why string, mode loi.Mode, t types.Type, items int) {
	w.pending = append(w.pending, w.counted(n, what, why, mode, t, items))
}

// counted notes n and returns the site that counts it.
func (w *accesses) counted(n ast.Node, what, why string, mode loi.Mode, t types.Type,
	items int) string {
	w.leave(n, what, why)
	site := w.site(n, LeftAlone, mode, what, t)
	w.out.Sites[len(w.out.Sites)-1].Items = items
	w.out.Left[len(w.out.Left)-1].Site = len(w.out.Sites)
	return site
}

// since takes the sites that wait since there were so many.
func (w *accesses) since(mark int) []string {
	some := slices.Clone(w.pending[mark:])
	w.pending = w.pending[:mark]
	return some
}

// counts returns statements that count the accesses of sites.
func (w *accesses) counts(sites []string) (text string) {
	for _, s := range sites {
		text += w.call("C", s) + "; "
	}
	return text
}

// around makes an expression count while it is evaluated.
func (w *accesses) around(name string, e ast.Expr, sites []string) {
	for _, s := range sites {
		w.pass(e, name, s)
	}
}

// dropped takes note that no call can count the accesses of these sites: they make no event of w.
func (w *accesses) dropped(sites []string) {
	w.events -= len(sites)
	for i := range w.out.Left {
		if l := &w.out.Left[i]; slices.Contains(sites, strconv.Itoa(l.Site)) {
			l.Site = 0
		}
	}
}

// whole rewrites e as a value, with the counts of the accesses left alone in it and since mark. It
// is for expressions without a statement of their own to count before, such as the condition of a
// loop.
func (w *accesses) whole(e ast.Expr, mark int) {
	w.val(e, false)
	some := w.since(mark)
	if !w.boolean(e) && w.untyped(e) {
		w.dropped(some)
	} else {
		w.around("CV", e, some)
	}
}

// boolean reports that e is of type bool.
func (r *source) boolean(e ast.Expr) bool {
	return types.Identical(r.info.TypeOf(e), types.Typ[types.Bool])
}

// A mark is how far the rewriting has come.
type mark struct{ sites, left, events, pending, edits int }

func (w *accesses) mark() mark {
	return mark{len(w.out.Sites), len(w.out.Left), w.events, len(w.pending), len(w.made)}
}

// undo takes back what was made since m, whose text is not used.
func (w *accesses) undo(m mark) {
	w.out.Sites, w.out.Left = w.out.Sites[:m.sites], w.out.Left[:m.left]
	w.events, w.pending, w.made = m.events, w.pending[:m.pending], w.made[:m.edits]
}
