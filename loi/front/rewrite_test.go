package front

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// declarations are what the statements of TestStatements use.
const declarations = `
type Basket struct {
	ctr int; a, b *Basket; in struct{ u, v int8 }; Emb; *Ptr; s []int; arr [4]int; f func() int
}
type Emb struct{ e int }
type Ptr struct{ q int }
func (Emb) Val() int { return 0 }
func (*Ptr) Ref() int { return 0 }
type Empty struct{}
var global int
var table [4]int
func g() int { return 0 }
func h(...any) int { return 0 }
func h2() []int { return nil }
`

// statements: what stands in a function, and what it becomes. A is the agent, B the buffer.
var statements = []struct{ name, in, out string }{
	{"load", `_ = p.ctr`, `_ = (*AL(B, &(p.ctr), 1))`},
	{"pointer", `_ = *p`, `_ = (*AL(B, p, 1))`},
	{"leaf", `_ = p.in.v`, `_ = (*AL(B, &(p.in.v), 1))`},
	{"chain", `_ = p.a.ctr`, `_ = (*AL(B, &((*AL(B, &(p.a), 1)).ctr), 2))`},
	{"embedded", `_ = p.e`, `_ = (*AL(B, &(p.e), 1))`},
	{"embedded pointer", `_ = p.q`, `_ = (*AL(B, &((*AL(B, &(p.Ptr), 1)).q), 2))`},
	{"element", `_ = s[i]`, `_ = (*AL(B, &(s[i]), 1))`},
	{"local array", `_ = l[i]`, `_ = l[i]`},
	{"local struct", `_ = v.in.u`, `_ = v.in.u`},
	{"global", `_ = global`, `_ = (*AL(B, &(global), 1))`},
	{"address", `_ = &p.ctr`, `_ = &p.ctr`},
	{"array sliced", `_ = p.arr[:]`, `_ = p.arr[:]`},
	{"constant length", `_ = [len(table)]int{}`, `_ = [len(table)]int{}`},
	{"nothing in it", `_ = *empty`, `_ = *empty`},
	{"value method", `p.Val()`, `(*AL(B, &(p.Emb), 1)).Val()`},
	{"pointer method", `p.Ref()`, `(*AL(B, &(p.Ptr), 1)).Ref()`},
	{"function field", `p.f()`, `(*AL(B, &(p.f), 1))()`},
	{"short circuit", `_ = p != nil && p.ctr > g()`, `_ = p != nil && AP(B, p, 0, 1).ctr > g()`},
	{"call behind", `_ = s[i] + g()`, `_ = AQ(B, s, i, 0, 1)[i] + g()`},
	{"call behind, global", `_ = global + g()`, `_ = (*AL(B, &(global), 1)) + g()`},
	{"call behind, unsettled", `_ = p.s[i] + g()`,
		`AC(B, 1); _ = AP(B, p, 48, 2).s[i] + g()`},
	{"call before", `_ = g() + s[i]`, `_ = g() + (*AL(B, &(s[i]), 1))`},
	{"byte of a string", `_ = str[i]`, `_ = str[AI(B, str, i, 1)]`},
	{"store", `p.ctr = 1`, `p.ctr = 1; AL(B, &(p.ctr), 1)`},
	{"store of a call", `p.ctr = g()`, `p.ctr = g(); AL(B, &(p.ctr), 1)`},
	{"update", `p.ctr += 2`, `p.ctr += 2; AL(B, &(p.ctr), 1)`},
	{"update of an element", `s[i] += l[i]`, `*AV(B, &(s[i])) += l[i]; AL(B, &(s[i]), 1)`},
	{"increment", `s[i]++`, `s[i]++; AL(B, &(s[i]), 1)`},
	{"store through itself", `p.a.a = nil`, `*AL(B, &((*AL(B, &(p.a), 1)).a), 2) = nil`},
	{"store through itself, late", `p.a.a = bs[i]`,
		`{ krd1 := (*AL(B, &(bs[i]), 1)); *AL(B, &((*AL(B, &(p.a), 2)).a), 3) = krd1 }`},
	{"call in the place", `s[g()] = 1`, `*AL(B, &(s[g()]), 1) = 1`},
	{"calls on both sides", `s[g()] = g()`, `AC(B, 1); s[g()] = g()`},
	{"swap", `s[i], s[j] = s[j], s[i]`, `s[i], s[j] = s[j], s[i]; AL(B, &(s[j]), 3); ` +
		`AL(B, &(s[i]), 4); AL(B, &(s[i]), 1); AL(B, &(s[j]), 2)`},
	{"pair", `i, j = s[i], l[i]`, `i, j = AQ(B, s, i, 0, 1)[i], l[i]`},
	{"pair, in order", `_, j = s[i], s[j]`,
		`_, j = (*AL(B, &(s[i]), 1)), (*AL(B, &(s[j]), 2))`},
	{"index assigned too", `i, s[i] = 1, 2`, `AC(B, 1); i, s[i] = 1, 2`},
	{"index assigned too, first", `s[i], i = 1, 2`, `*AL(B, &(s[i]), 1), i = 1, 2`},
	{"map", `_ = m[k]`, `_ = AM(B, m, 1)[AK(B, k, 1)]`},
	{"map, converted key", `_ = anys[k]`, `_ = AM(B, anys, 1)[AK(B, any(k), 1)]`},
	{"map update", `m["a"]++`, `AM(B, m, 1)[AK(B, "a", 1)]++`},
	{"delete", `delete(m, k)`, `delete(AM(B, m, 1), AK(B, k, 1))`},
	{"append", `s = append(s, 1)`, `s = ANS(B, append(AG(B, s, 1), 1), 1)`},
	{"append what calls", `p.s = append(p.s, h(1))`, `{ krd1 := h(1); p.s = ANS(B, append(AG(B, ` +
		`(*AL(B, &(p.s), 2)), 3), krd1), 3); AL(B, &(p.s), 1) }`},
	{"append a slice", `s = append(s, s...)`, `s = ANS(B, append(AG(B, s, 1), AG(B, s, 2)...), 1)`},
	{"copy, half of it unsettled", `copy(p.s, h2())`, `ACN(B, ACN(B, copy(AP(B, p, 48, 1).s, h2()), 2), 3)`},
	{"copy to what is sliced", `copy(s[i:], h2())`, `copy(AG(B, s[i:], 1), AG(B, h2(), 2))`},
	{"index below the length", `_ = table[i&3] + g()`, `_ = (*AL(B, &(table[i&3]), 1)) + g()`},
	{"copy", `copy(s, p.s)`, `copy(AG(B, s, 2), AG(B, (*AL(B, &(p.s), 1)), 3))`},
	{"new", `_ = new(int)`, `_ = AN(B, new(int), 1)`},
	{"literal", `_ = &Basket{}`, `_ = AN(B, &Basket{}, 1)`},
	{"make", `_ = make([]int, i)`, `_ = ANS(B, make([]int, i), 1)`},
	{"post", `for ; ; s[i]++ { break }`, `for ; ; *AL(B, &(s[i]), 1)++ { break }`},
	{"range", `for _, x := range s { _ = x }`,
		`{ krd5 := AR(B, &krd2, s); krd1, krd6 := 0, len(krd5); krd3, krd4 := AW(B, 1), 2; ` +
			`for ; krd1 < krd6; krd1++ { x := krd5[krd1]; AE(B, krd2, krd1, 8, 1); _ = x ; ` +
			`if krd4--; krd4 == 0 && AWE(B, krd3, 1, AT(krd1, krd6, 1, 0), AX(krd5, 1)) { krd1++; break }}; ` +
			`/*line :16:165*/for ; krd1 < krd6; krd1++ { x := krd5[krd1]; _ = x } }`},
	{"range over keys", `for i := range p.arr { _ = i }`, `for i := range p.arr { _ = i }`},
	{"range over a map", `for k := range m { _ = k }`,
		`for k := range ARM(B, &krd1, m) { AMP(B, krd1, 1); AK(B, k, 1); _ = k }`},
	{"labels", `L: for { p.ctr = 1; continue L }`,
		`L: for { p.ctr = 1; AL(B, &(p.ctr), 1); continue L }`},
	{"function literal", `_ = func() int { return p.ctr }`,
		`_ = func() int { B := AB(); return (*AL(B, &(p.ctr), 1)) }`},
}

func TestStatements(t *testing.T) {
	for _, c := range statements {
		t.Run(c.name, func(t *testing.T) {
			begin := "package main\n" + declarations + "func f(p *Basket, bs []*Basket, s []int, " +
				"i, j int, l [4]int, v Basket, " +
				"str string, m map[string]int, anys map[any]int, k string, empty *Empty) {"
			out := rewriteText(t, begin+c.in+" }\n")
			short := strings.NewReplacer("krdA.", "A", "krdB", "B").Replace(out)
			got := short[strings.Index(short, "empty *Empty) {")+len("empty *Empty) {"):]
			got = strings.TrimPrefix(got, " B := AB();")
			for strings.HasPrefix(got, " var krd") {
				_, got, _ = strings.Cut(got, ";")
			}
			got = strings.TrimSuffix(got, " }\n")
			if got != c.out {
				t.Errorf("%s\nbecomes  %s\nexpected %s", c.in, got, c.out)
			}
		})
	}
}

// rewriteText rewrites one file that imports nothing.
func rewriteText(t *testing.T, text string) string {
	t.Helper()
	out, path := rewriteFile(t, text)
	if rewritten, ok := out.Files[path]; ok {
		return string(rewritten)
	}
	return text
}

// TestKernelComments has comments that name no kernel, in the order of their lines.
func TestKernelComments(t *testing.T) {
	out, _ := rewriteFile(t, `package main

//krd:kernel first
//krd:kernel second
func f(s []int) {
	//krd:kernel
	for i := range s {
		s[i]++
	}
	//krd:kernel nothing
	switch {
	}
}

//krd:kernels of no kind
func main() { f(nil) }

//krd:kernel end
`)
	var got []string
	for _, l := range out.Left {
		got = append(got, fmt.Sprintf("%d %s: %s", l.Position.Line, l.What, l.Why))
	}
	expected := []string{"3 //krd:kernel first: another stands below it",
		"6 //krd:kernel: it has no name",
		"10 //krd:kernel nothing: it stands above no function and no loop",
		"18 //krd:kernel end: it stands above no function and no loop"}
	if !slices.Equal(got, expected) {
		t.Errorf("left %q, expected %q", got, expected)
	}
	if len(out.Regions) != 1 || out.Regions[0].Kernel != "second" {
		t.Errorf("regions %v", out.Regions)
	}
}

// rewriteFile rewrites one file that imports nothing, and is its path.
func rewriteFile(t *testing.T, text string) (*Rewritten, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &packages.Package{Name: "main", PkgPath: "main", Fset: token.NewFileSet(),
		GoFiles: []string{path}, TypesSizes: types.SizesFor("gc", "amd64"),
		Module: &packages.Module{GoVersion: "1.26"}}
	f, err := parser.ParseFile(p.Fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	p.Syntax = []*ast.File{f}
	p.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits:  map[ast.Node]types.Object{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}}
	p.Types, err = (&types.Config{Importer: importer.Default()}).Check("main", p.Fset, p.Syntax,
		p.TypesInfo)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Rewrite([]*packages.Package{p}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out, path
}
