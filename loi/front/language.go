package front

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"go/version"
)

// generics is the build tag of the language that rewritten files need.
const generics = "go1.18"

// newer adds a build line by which a file of an older language is compiled as Go 1.21:
//
//	package p            ->  //go:build go1.18
//	                         //line :1:1
//	                         package p
//	//go:build a || b    ->  //go:build (a || b) && go1.18
//
// A build line that implies a version of Go gives its file the later of that and Go 1.21 (Go 1.26:
// initFiles in cmd/compile/internal/types2/check.go; go/build/constraint.GoVersion returns it), so
// a file that has one needs nothing. Loop variables stay as they are before Go 1.22. Nothing else
// that compiled changes its meaning: each newer rule, wherever types2 asks for a version up to
// 1.21, allows what was an error. GODEBUG, go:embed and go:linkname go by go.mod.
func (r *rewriter) newer(f *ast.File) {
	if m := r.pkg.Module; m == nil || f.GoVersion != "" ||
		version.Compare(fmt.Sprintf("go%s", m.GoVersion), generics) >= 0 { // none is Go 1.16, and less here
		return
	}
	var line *ast.Comment
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				line = c
			}
		}
	}
	if line != nil {
		if x, err := constraint.Parse(line.Text); err == nil {
			x = &constraint.AndExpr{X: x, Y: &constraint.TagExpr{Tag: generics}}
			r.replace(line.Pos(), line.End(), "//go:build "+x.String())
			return
		}
	}
	start := f.FileStart
	if mark := "\uFEFF"; bytes.HasPrefix(r.src, []byte(mark)) { // it must stay the first
		start += token.Pos(len(mark))
	}
	r.add(wrapped, outer, start, start, "//go:build "+generics+"\n//line :1:1\n", "")
}
