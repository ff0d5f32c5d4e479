package front

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
)

// LeavesShift is where in the number of a site stands, in sources that record a sample, how many
// accesses it makes at once: those that the sample does not have are counted so.
//
//	p.ctr = 1  =>  p.ctr = 1; A.L(B, &(p.ctr), 4294967297)
const LeavesShift = 32

// A loop that is run while nothing is recorded runs its plain body from the beginning on: WS and WL
// return 0 and have counted its accesses, by a site of the loop's own. So the first loop asks for that in its condition, and
// where the second one has calls, the plain one stands between.

// sampled returns the text in place of W where a sample is recorded.
func (l *steady) sampled(index string) string {
	leaves, s := 0, Site{Kind: SteadyLoop, File: l.w.path, Function: l.w.name, Loop: l.w.loop, Line: l.w.loop}
	for _, number := range l.sites {
		n, _ := strconv.Atoi(number)
		leaves += n >> LeavesShift
		s.Unseen = append(s.Unseen, n&(1<<LeavesShift-1))
	}
	slices.Sort(s.Unseen)
	l.w.out.Sites = append(l.w.out.Sites, s)
	times := "0"
	switch {
	case l.step == "1" && l.op == tripLess:
		times = fmt.Sprintf("%sA.T1(%s, %s)", l.w.prefix, index, l.limit)
	case !l.loads:
		times = fmt.Sprintf("%sA.T(%s, %s, %s, %d)", l.w.prefix, index, l.limit, l.step, l.op)
	}
	name := "WS"
	if len(l.loose) > 0 {
		name = "WL"
	}
	return l.w.call(name, strconv.Itoa(len(l.sites)), times, strconv.Itoa(leaves<<LeavesShift|len(l.w.out.Sites)))
}

// orUnseen returns the condition that the second loop runs from the beginning on.
func (l *steady) orUnseen(start string) string {
	if l.w.opt.Sample {
		return " || " + start + " == 0"
	}
	return ""
}

// loadsAny reports that e loads something, or calls: it may not be evaluated before it stands.
func loadsAny(e ast.Expr) (loads bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr:
			loads = true
		}
		return true
	})
	return loads
}

// unless returns the text before the condition of the first loop. If the second loop has calls, it
// also returns the plain loop, which runs when nothing is recorded.
func (l *steady) unless(start string, s *ast.ForStmt) (test, plain string) {
	if !l.w.opt.Sample {
		return "", ""
	}
	if len(l.loose) > 0 {
		plain = l.w.lineOf(s.Cond.Pos()) + "for ; " + start + " == 0 && " + l.w.raw(s.Cond) + "; " +
			l.w.raw(s.Post) + " " + l.w.raw(s.Body) + "; "
	}
	return start + " != 0 && ", plain
}
