package build

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"krdlab/loi/front"
)

// embedded sees to it that a program embeds its sources as they are. An overlay has one text for a
// path, so a rewritten file that a package embeds gets another name for that, which replace then
// has, where the directive allows it; otherwise it is left alone.
func embedded(r *front.Rewritten, list []*packages.Package, replace map[string]string) error {
	for _, p := range list {
		for _, path := range p.EmbedFiles {
			if r.Files[path] == nil {
				continue
			}
			found, err := rename(r.Files, p, path)
			if err != nil {
				return err
			}
			if found {
				replace[path+otherName] = path
				continue
			}
			delete(r.Files, path)
			r.Left = append(r.Left, front.LeftFile(path, "the program embeds it"))
		}
	}
	return nil
}

// otherName ends the name by which a rewritten source is embedded as it was.
const otherName = ".krdlab"

// rename changes, in rewritten files, the directives of a package that embed a file; false if one
// of them cannot be changed without the program's seeing it: a pattern, or a variable of package
// embed's type, which has names.
func rename(files map[string][]byte, p *packages.Package, path string) (bool, error) {
	change := map[string]string{} // directives, by source
	for _, f := range p.Syntax {
		at := p.Fset.PositionFor(f.Package, false).Filename
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				s := s.(*ast.ValueSpec)
				for _, directive := range slices.Concat(embeds(s.Doc), embeds(d.Doc)) {
					patterns := strings.Fields(directive[len(embedDirective):])
					if !slices.ContainsFunc(patterns, func(x string) bool {
						return selects(filepath.Dir(at), x, path)
					}) {
						continue
					}
					if filepath.Join(filepath.Dir(at), patterns[0]) != path || len(patterns) > 1 ||
						!text(p, s) || change[at] != "" {
						return false, nil
					}
					change[at] = directive
				}
			}
		}
	}
	for at, directive := range change {
		source := files[at]
		if source == nil {
			var err error
			if source, err = os.ReadFile(at); err != nil {
				return false, err
			}
		}
		if bytes.Count(source, []byte(directive+"\n")) != 1 {
			return false, nil
		}
		files[at] = bytes.Replace(source, []byte(directive+"\n"),
			[]byte(directive+otherName+"\n"), 1)
	}
	return len(change) > 0, nil
}

// selects reports that a pattern of a directive in a folder may select a file: it may be the name
// of a folder that it lies in, and in quotes.
func selects(folder, pattern, path string) bool {
	pattern = strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:")
	for path != folder && path != filepath.Dir(path) {
		if ok, _ := filepath.Match(filepath.Join(folder, pattern), path); ok {
			return true
		}
		path = filepath.Dir(path)
	}
	return pattern == "."
}

const embedDirective = "//go:embed "

func embeds(doc *ast.CommentGroup) (list []string) {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, embedDirective) {
			list = append(list, c.Text)
		}
	}
	return list
}

// text reports that a variable is a string or bytes.
func text(p *packages.Package, s *ast.ValueSpec) bool {
	switch t := p.TypesInfo.TypeOf(s.Names[0]).Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.String
	case *types.Slice:
		return true
	}
	return false
}
