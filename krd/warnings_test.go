package krd

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"krdlab/krd/doc"
)

// Every code has a sentence, whose arguments survive a document.
func TestWarningsHaveSentences(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "warnings.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := 0
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := v.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		codes++
		code := Code(strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
		words, ok := sentences[code]
		if !ok {
			t.Errorf("the code %s has no sentence", code)
		}
		var args []any
		for range strings.Count(words, "%") {
			args = append(args, uint64(7))
		}
		w := doc.Find(code, args...)
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var back Warning
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if s := Sentence(w); s != Sentence(back) || strings.Contains(s, "%!") {
			t.Errorf("%s: %q, read back %q", code, s, back)
		}
		return true
	})
	if codes == 0 || codes != len(sentences) {
		t.Errorf("%d codes and %d sentences", codes, len(sentences))
	}
	if s := Sentence(doc.Find("from_the_future", 1, "two")); s != "from_the_future [1 two]" {
		t.Error(s)
	}
}
