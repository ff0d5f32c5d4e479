package regress

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Term is a set of predictors whose product it is: numbers of them, ascending. The empty one is
// the intercept.
type Term []int

func (t Term) key() string { return fmt.Sprint([]int(t)) }

// within reports whether all predictors of t are in u.
func (t Term) within(u Term) bool {
	return !slices.ContainsFunc(t, func(v int) bool { return !slices.Contains(u, v) })
}

func (t Term) times(u Term) Term {
	p := slices.Concat(t, u)
	slices.Sort(p)
	return slices.Compact(p)
}

// A Formula is y ~ terms | groups, in R's notation: + adds and - removes terms, a:b is a product,
// a*b is a + b + a:b, a/b is a + a:b, (a + b)^n has the products of up to n, "." is every other
// column, and 0 (or - 1) leaves the intercept out. Names that are no words stand in backquotes.
// log, log2, log10, log1p, exp, sqrt, abs and I (for arithmetic) transform, factor makes numbers
// categories. Terms behind | are absorbed: rows are compared within its values only, as if each had
// an intercept of its own.
type Formula struct {
	Response  string   // as R prints it
	Variables []string // the predictors, in the order in which they appear
	Terms     []Term   // without the intercept, by order and then as written, as R has them
	Intercept bool
	Groups    string // the column that is absorbed; ""

	response *node
	exprs    []*node
}

// Name returns the name of a term: those of its predictors, in the order of the formula.
func (f *Formula) Name(t Term) string {
	if len(t) == 0 {
		return "(Intercept)"
	}
	names := make([]string, len(t))
	for i, v := range t {
		names[i] = f.Variables[v]
	}
	return strings.Join(names, ":")
}

// String returns the formula with each of its terms.
func (f *Formula) String() string {
	var words []string
	for _, t := range f.Terms {
		words = append(words, f.Name(t))
	}
	switch {
	case !f.Intercept:
		words = append(words, "0")
	case len(words) == 0:
		words = []string{"1"}
	}
	s := f.Response + " ~ " + strings.Join(words, " + ")
	if f.Groups != "" {
		s += " | " + (&node{name: f.Groups}).String()
	}
	return s
}

// With returns f with other terms, of the same predictors.
func (f *Formula) With(terms []Term) *Formula {
	g := *f
	g.Terms = slices.Clone(terms)
	slices.SortStableFunc(g.Terms, func(a, b Term) int { return len(a) - len(b) })
	return &g
}

// Main returns f with the terms of one predictor only.
func (f *Formula) Main() *Formula {
	return f.With(slices.DeleteFunc(slices.Clone(f.Terms),
		func(t Term) bool { return len(t) > 1 }))
}

// Crossed returns f with all products of up to order of its predictors; order 1 returns f. The error
// is of too many terms.
func (f *Formula) Crossed(order int) (*Formula, error) {
	if order < 2 {
		return f, nil
	}
	main := f.Main().Terms
	terms, err := power(slices.Concat(f.Terms, main), main, order)
	if err != nil {
		return nil, err
	}
	return f.With(terms), nil
}

// Next returns f with the products of one predictor more than its largest terms have, whose parts are
// all terms of f; f where there are none.
func (f *Formula) Next() *Formula {
	var keys, added []string
	n := 0
	for _, t := range f.Terms {
		keys, n = append(keys, t.key()), max(n, len(t))
	}
	terms := slices.Clone(f.Terms)
	for _, t := range f.Terms {
		for v := range f.Variables {
			u := t.times(Term{v})
			if len(u) == n+1 && !slices.Contains(added, u.key()) && !slices.ContainsFunc(u, func(v int) bool {
				part := slices.DeleteFunc(slices.Clone(u), func(w int) bool { return v == w })
				return !slices.Contains(keys, part.key())
			}) {
				terms, added = append(terms, u), append(added, u.key())
			}
		}
	}
	return f.With(terms)
}

// Without returns f without the terms that a pattern names, and the number of these: a name as the
// formula has it, the predictors of a product in any order, * for any text in each (a:*).
func (f *Formula) Without(pattern string) (*Formula, int) {
	parts := strings.Split(pattern, ":")
	kept := slices.DeleteFunc(slices.Clone(f.Terms), func(t Term) bool {
		return len(t) == len(parts) && f.fits(t, parts)
	})
	return f.With(kept), len(f.Terms) - len(kept)
}

// fits reports whether the predictors of t fit patterns, one each.
func (f *Formula) fits(t Term, patterns []string) bool {
	if len(t) == 0 {
		return true
	}
	for i, v := range t {
		rest := slices.Delete(slices.Clone(t), i, i+1)
		name := f.Variables[v]
		if ok, err := path.Match(patterns[0], name); (ok && err == nil || patterns[0] == name) &&
			f.fits(rest, patterns[1:]) {
			return true
		}
	}
	return false
}

// Parse reads a formula. columns are the names of the table, for "."; predictors, where there are
// some, come first in the order of [Formula.Variables]. The error is an [*Error] that names the
// place.
func Parse(text string, columns []string, predictors ...string) (*Formula, error) {
	f := &Formula{Intercept: true}
	var err error
	for _, name := range predictors {
		p := &parser{text: name}
		p.next()
		e, err := p.expression(0, true)
		if err != nil {
			return nil, err
		}
		f.add(e)
	}
	if len(text) > maxFormula {
		return nil, wrong("it has %d bytes; expected at most %d", len(text), maxFormula)
	}
	p := &parser{text: text}
	p.next()
	if p.token == "~" || p.token == "" {
		return nil, wrong("%.200q has no response; expected y ~ a + b", text)
	}
	if f.response, err = p.expression(0, true); err != nil {
		return nil, err
	}
	if p.token != "~" {
		return nil, p.unexpected("~")
	}
	p.next()
	right, err := p.expression(0, false)
	if err != nil {
		return nil, err
	}
	f.Response = f.response.String()
	if p.token == "|" {
		p.next()
		if p.kind != 'n' {
			return nil, p.unexpected("a column")
		}
		f.Groups = p.token
		p.next()
	}
	if p.token != "" {
		return nil, p.unexpected("the end, or an operator")
	}
	var others []string
	for _, c := range columns {
		if !slices.Contains(f.response.columns(nil), c) && c != f.Groups {
			others = append(others, c)
		}
	}
	terms, err := f.expand(right, others)
	if err != nil {
		return nil, err
	}
	terms = unique(terms)
	f.Terms = f.With(terms).Terms
	return f, nil
}

// add returns the number of a predictor.
func (f *Formula) add(e *node) int {
	name := e.String()
	if i := slices.Index(f.Variables, name); i >= 0 {
		return i
	}
	f.Variables, f.exprs = append(f.Variables, name), append(f.exprs, e)
	return len(f.Variables) - 1
}

// expand returns the terms of an expression, and sets the intercept.
func (f *Formula) expand(e *node, others []string) ([]Term, error) {
	switch {
	case e.op == "" && e.name == ".":
		var terms []Term
		for _, c := range others {
			terms = append(terms, Term{f.add(&node{name: c})})
		}
		return terms, nil
	case e.op == "" && e.name == "" && (e.num == 0 || e.num == 1):
		f.Intercept = e.num == 1
		return nil, nil
	case e.op == "":
		if e.name == "" {
			return nil, wrong("%s is no term; expected a column, 0 or 1", e)
		}
		return []Term{{f.add(e)}}, nil
	case e.op == "(":
		return f.expand(e.args[0], others)
	case e.call():
		return []Term{{f.add(e)}}, nil
	case len(e.args) == 1 && e.op == "+": // +a at the beginning
		return f.expand(e.args[0], others)
	case len(e.args) == 1: // -a
		if n, ok := e.args[0].number(); ok && (n == 0 || n == 1) {
			f.Intercept = n == 0
			return nil, nil
		}
		_, err := f.expand(e.args[0], others)
		f.Intercept = true
		return nil, err
	}
	left, err := f.expand(e.args[0], others)
	if err != nil {
		return nil, err
	}
	if e.op == "^" {
		n, ok := e.args[1].number()
		if !ok || n != math.Trunc(n) || n < 1 || n > 9 {
			return nil, wrong("the exponent %s; expected a whole number from 1 to 9, or I(%s) for "+
				"arithmetic", e.args[1], e)
		}
		return power(left, left, int(n))
	}
	if n, ok := e.args[1].number(); e.op == "-" && ok && (n == 0 || n == 1) {
		f.Intercept = n == 0
		return left, nil
	}
	intercept := f.Intercept
	right, err := f.expand(e.args[1], others)
	if err != nil {
		return nil, err
	}
	var products []Term
	if e.op == "*" || e.op == ":" {
		if len(left)*len(right) > 4*maxTerms {
			return nil, tooMany()
		}
		for _, t := range left {
			for _, u := range right {
				products = append(products, t.times(u))
			}
		}
	}
	switch e.op {
	case "+":
		return few(unique(slices.Concat(left, right)))
	case "-":
		f.Intercept = intercept
		return slices.DeleteFunc(left, func(t Term) bool {
			return slices.ContainsFunc(right, func(u Term) bool { return u.key() == t.key() })
		}), nil
	case "*":
		return few(unique(slices.Concat(left, right, products)))
	case "/":
		var all Term
		for _, t := range left {
			all = all.times(t)
		}
		for _, u := range right {
			left = append(left, all.times(u))
		}
		return unique(left), nil
	}
	return few(unique(products)) // ":"
}

// maxTerms is how many terms a formula may have, and maxFormula how many bytes.
const (
	maxTerms   = 4096
	maxFormula = 1 << 17
)

func tooMany() error { return wrong("more than %d terms; expected fewer", maxTerms) }

func few(terms []Term) ([]Term, error) {
	if len(terms) > maxTerms {
		return nil, tooMany()
	}
	return terms, nil
}

// power returns terms with all their products with up to order-1 others; a product is made in at
// most 2 * order ways. The error is of too many.
func power(terms, others []Term, order int) ([]Term, error) {
	terms = unique(terms)
	last := terms
	for range order - 1 {
		if len(terms) > maxTerms || len(last)*len(others) > 2*order*maxTerms {
			return nil, tooMany()
		}
		var next []Term
		for _, t := range last {
			for _, u := range others {
				next = append(next, t.times(u))
			}
		}
		last = unique(next)
		terms = unique(slices.Concat(terms, last))
	}
	return few(terms)
}

// unique returns each term once, in its first place.
func unique(terms []Term) []Term {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(terms), func(t Term) bool {
		k := t.key()
		was := seen[k]
		seen[k] = true
		return was
	})
}

// A parser reads the tokens of a formula.
type parser struct {
	text  string
	at    int    // after the token
	from  int    // of the token
	token string // "" at the end
	kind  byte   // 'n' name, '0' number, 'o' operator, '?' anything else
}

func (p *parser) next() {
	for p.at < len(p.text) && strings.ContainsRune(" \t\n", rune(p.text[p.at])) {
		p.at++
	}
	p.from = p.at
	if p.at == len(p.text) {
		p.token, p.kind = "", 'o'
		return
	}
	rest := p.text[p.at:]
	r, size := utf8.DecodeRuneInString(rest)
	n := size
	switch {
	case r == '`':
		end := strings.IndexByte(rest[1:], '`')
		if end < 1 {
			p.token, p.kind, p.at = rest, '?', len(p.text)
			return
		}
		p.token, p.kind, p.at = rest[1:1+end], 'n', p.at+end+2
		return
	case digit(r) || r == '.' && len(rest) > 1 && digit(rune(rest[1])):
		p.kind = '0'
		for n < len(rest) && (digit(rune(rest[n])) || rest[n] == '.' || rest[n] == 'e' ||
			rest[n] == 'E' || strings.ContainsRune("+-", rune(rest[n])) &&
			strings.ContainsRune("eE", rune(rest[n-1]))) {
			n++
		}
	case letter(r):
		p.kind = 'n'
		for n < len(rest) {
			r, size := utf8.DecodeRuneInString(rest[n:])
			if !letter(r) && !digit(r) && r != '_' {
				break
			}
			n += size
		}
	case strings.ContainsRune("+-*/^:()~|", r):
		p.kind = 'o'
	default:
		p.kind = '?'
	}
	p.token, p.at = rest[:n], p.at+n
}

func (p *parser) unexpected(want string) error {
	found := strconv.Quote(p.token)
	if p.token == "" {
		found = "the end"
	}
	return wrong("%s at character %d of %.200q; expected %s", found,
		utf8.RuneCountInString(p.text[:p.from])+1, p.text, want)
}

// strengths are the binary operators, the weakest first. Of arithmetic ":" is none.
var strengths = []string{"+-", "*/", ":", "^"}

// expression reads one whose operators are at least as strong as level; in arithmetic, operators
// are those of numbers.
func (p *parser) expression(level int, arithmetic bool) (*node, error) {
	if level == len(strengths) {
		return p.operand(arithmetic)
	}
	if level == 0 && p.kind == 'o' && (p.token == "-" || p.token == "+") {
		op := p.token
		p.next()
		e, err := p.expression(1, arithmetic)
		if err != nil {
			return nil, err
		}
		return p.rest(&node{op: op, args: []*node{e}}, 0, arithmetic)
	}
	e, err := p.expression(level+1, arithmetic)
	if err != nil {
		return nil, err
	}
	return p.rest(e, level, arithmetic)
}

// rest reads the operators of a level after their first operand.
func (p *parser) rest(e *node, level int, arithmetic bool) (*node, error) {
	for p.kind == 'o' && p.token != "" && strings.Contains(strengths[level], p.token) &&
		!(arithmetic && p.token == ":") {
		op := p.token
		p.next()
		right, err := p.expression(level+1, arithmetic)
		if err != nil {
			return nil, err
		}
		e = &node{op: op, args: []*node{e, right}}
	}
	return e, nil
}

func (p *parser) operand(arithmetic bool) (*node, error) {
	token, kind := p.token, p.kind
	switch kind {
	case '0':
		v, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return nil, p.unexpected("a number")
		}
		p.next()
		return &node{num: v}, nil
	case 'n':
		quoted := p.text[p.from] == '`'
		p.next()
		if quoted || p.token != "(" {
			return &node{name: token}, nil
		}
		if functions[token] == nil && token != asIs && token != categorical {
			return nil, wrong("no function %s; expected log, log2, log10, log1p, exp, sqrt, "+
				"abs, I or factor", token)
		}
		p.next()
		e, err := p.expression(0, true)
		if err != nil {
			return nil, err
		}
		if p.token != ")" {
			return nil, p.unexpected(")")
		}
		if token == categorical && e.name == "" {
			return nil, wrong("factor(%s); expected factor(COLUMN)", e)
		}
		p.next()
		return &node{op: token, args: []*node{e}}, nil
	case 'o':
		if arithmetic && (token == "-" || token == "+") {
			p.next()
			e, err := p.operand(true)
			return &node{op: token, args: []*node{e}}, err
		}
		if token == "(" {
			p.next()
			e, err := p.expression(0, arithmetic)
			if err != nil {
				return nil, err
			}
			if p.token != ")" {
				return nil, p.unexpected(")")
			}
			p.next()
			return &node{op: "(", args: []*node{e}}, nil
		}
	}
	return nil, p.unexpected("a column, a number or (")
}

// Columns returns the columns that the terms of f and its response use.
func (f *Formula) Columns() (predictors, response []string) {
	for _, t := range f.Terms {
		for _, v := range t {
			predictors = f.exprs[v].columns(predictors)
		}
	}
	return predictors, f.response.columns(nil)
}
