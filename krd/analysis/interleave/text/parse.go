package text

import (
	"fmt"
	"slices"
	"strconv"

	"krdlab/krd/analysis/interleave/engine"
)

// A parser makes a program of tokens. Its methods panic with an [Error].
type parser struct {
	p      *engine.Program
	tokens []token
	at     int
	forked []reference // threads that statements name
	// numbers by name
	objects, locks, barriers map[string]int

	thread *engine.Thread
	locals map[string]int // of the thread
	set    []token        // where locals are first set, of all threads
	depth  int            // of blocks and parentheses
}

// A reference is a name of a thread that may come later.
type reference struct {
	thread, op int
	name       token
}

// maxDepth is how deep blocks and parentheses may be in each other.
const maxDepth = 200

func (x *parser) fail(t token, format string, args ...any) {
	panic(&Error{t.Position, fmt.Sprintf(format, args...)})
}

// quoted returns a token for a message.
func quoted(t token) string {
	switch t.text {
	case "\n":
		return "the end of the line"
	case "":
		return "the end of the text"
	}
	return strconv.Quote(t.text)
}

func (x *parser) peek() token { return x.tokens[x.at] }

func (x *parser) next() token {
	t := x.tokens[x.at]
	if t.text != "" {
		x.at++
	}
	return t
}

// take goes on if the next token is text.
func (x *parser) take(text string) bool {
	if x.peek().text != text {
		return false
	}
	x.next()
	return true
}

func (x *parser) expect(text, where string) {
	if t := x.peek(); t.text != text {
		x.fail(t, "found %s, expected %q %s", quoted(t), text, where)
	}
	x.next()
}

// name reads the next token, which must be a name; what is its kind, for the error.
func (x *parser) name(what string) token {
	t := x.next()
	if keywords[t.text] {
		x.fail(t, "found the word %q, which is no name, expected the name of %s", t.text, what)
	}
	if !t.name() {
		x.fail(t, "found %s, expected the name of %s", quoted(t), what)
	}
	return t
}

// number reads the next number, with its sign.
func (x *parser) number() int64 {
	t := x.next()
	text := t.text
	if text == "-" {
		text += x.next().text
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		if t.text == "-" {
			t.text = text
		}
		x.fail(t, "found %s, expected a whole number of 64 bits", quoted(t))
	}
	return n
}

// program reads declarations and threads.
func (x *parser) program() {
	for {
		switch t := x.next(); t.text {
		case "":
			return
		case "\n", ";":
		case "shared":
			for again := true; again; again = x.take(",") {
				name := x.name("a shared value")
				x.expect("=", "and its first value")
				x.declare(name, engine.Values{x.number()})
			}
			x.lineEnd()
		case "input":
			name := x.name("an input")
			x.expect("in", "and a set of values in braces")
			x.expect("{", "of a set of values")
			var v engine.Values
			in := map[int64]bool{}
			for again := true; again; again = x.take(",") {
				at := x.peek()
				n := x.number()
				if in[n] {
					x.fail(at, "%d is in the set twice", n)
				}
				v, in[n] = append(v, n), true
			}
			x.expect("}", "at the end of the set")
			x.declare(name, v)
			x.lineEnd()
		case "thread":
			x.oneThread()
		default:
			x.fail(t, "found %s, expected shared, input or thread", quoted(t))
		}
	}
}

func (x *parser) lineEnd() {
	if t := x.peek(); t.text != "\n" && t.text != ";" && t.text != "" {
		x.fail(t, "found %s, expected the end of the declaration", quoted(t))
	}
}

// declare adds a shared value. Declarations come before threads, so that a name means one thing.
func (x *parser) declare(name token, v engine.Values) {
	if len(x.p.Threads) > 0 {
		x.fail(name, "%s is declared after a thread, expected before all threads", name.text)
	}
	if _, seen := x.objects[name.text]; seen {
		x.fail(name, "%s is declared twice", name.text)
	}
	number(x.objects, &x.p.Objects, name.text)
	x.p.Shared = append(x.p.Shared, v)
}

// maxThreads is how many threads a program may have.
const maxThreads = 255

func (x *parser) oneThread() {
	t := x.next()
	if !t.name() && !(t.text != "" && digit(t.text[0])) {
		x.fail(t, "found %s, expected the name of a thread", quoted(t))
	}
	if slices.ContainsFunc(x.p.Threads, func(o engine.Thread) bool { return o.Name == t.text }) {
		x.fail(t, "there is a thread %s already", t.text)
	}
	if len(x.p.Threads) == maxThreads {
		x.fail(t, "expected at most %d threads", maxThreads)
	}
	x.expect(":", "after the name of the thread")
	x.p.Threads = append(x.p.Threads, engine.Thread{Name: t.text})
	x.thread = &x.p.Threads[len(x.p.Threads)-1]
	x.locals = map[string]int{}
	x.statements(func(t token) bool {
		return t.text == "" || t.text == "thread" || t.text == "shared" || t.text == "input"
	})
	x.thread.Locals = len(x.locals)
}

// statements reads up to a token at which end holds.
func (x *parser) statements(end func(token) bool) {
	for !end(x.peek()) {
		switch t := x.peek(); t.text {
		case "\n", ";":
			x.next()
		default:
			x.statement()
			if t := x.peek(); t.text != "\n" && t.text != ";" && !end(t) {
				x.fail(t, "found %s, expected the end of the statement: ; or a new line", quoted(t))
			}
		}
	}
}

func (x *parser) emit(op engine.Op) int {
	x.thread.Code = append(x.thread.Code, op)
	return len(x.thread.Code) - 1
}

func (x *parser) statement() {
	t := x.next()
	op := engine.Op{At: t.Position}
	switch t.text {
	case "r", "w", "rw":
		name := x.name("an object")
		if x.shared(name) >= 0 && t.text != "r" {
			x.fail(name, "%s is a shared value: write it as %s = expression", name.text, name.text)
		}
		op.Kind, op.Arg = engine.Access, number(x.objects, &x.p.Objects, name.text)
	case "lock":
		op.Kind, op.Arg = engine.Lock, number(x.locks, &x.p.Locks, x.name("a lock").text)
	case "unlock":
		op.Kind, op.Arg = engine.Unlock, number(x.locks, &x.p.Locks, x.name("a lock").text)
	case "barrier":
		op.Kind, op.Arg = engine.Barrier, number(x.barriers, &x.p.Barriers, x.name("a barrier").text)
	case "fork", "join":
		op.Kind = engine.Fork
		if t.text == "join" {
			op.Kind = engine.Join
		}
		name := x.next()
		if !name.name() && !(name.text != "" && digit(name.text[0])) {
			x.fail(name, "found %s, expected the name of a thread", quoted(name))
		}
		x.forked = append(x.forked, reference{len(x.p.Threads) - 1, len(x.thread.Code), name})
	case "if":
		x.branch(op)
		return
	default:
		x.assignment(t, op)
		return
	}
	x.emit(op)
}

// number returns the number of a name in a list, where it may be new.
func number(numbers map[string]int, list *[]string, name string) int {
	i, seen := numbers[name]
	if !seen {
		i = len(*list)
		*list, numbers[name] = append(*list, name), i
	}
	return i
}

// shared returns the number of the shared value of a name, -1 if there is none.
func (x *parser) shared(name token) int {
	if i, seen := x.objects[name.text]; seen && i < len(x.p.Shared) {
		return i
	}
	return -1
}

// branch reads what follows if.
func (x *parser) branch(op engine.Op) {
	if x.depth++; x.depth > maxDepth {
		x.fail(x.peek(), "blocks are more than %d deep", maxDepth)
	}
	op.Kind, op.Expr = engine.Branch, x.expression()
	from := x.emit(op)
	x.block("after the condition")
	if x.at+1 < len(x.tokens) && x.elseFollows() {
		jump := x.emit(engine.Op{Kind: engine.Jump, At: op.At})
		x.thread.Code[from].To = len(x.thread.Code)
		if t := x.peek(); t.text == "if" {
			x.next()
			x.branch(engine.Op{At: t.Position})
		} else {
			x.block("or if after else")
		}
		x.thread.Code[jump].To = len(x.thread.Code)
	} else {
		x.thread.Code[from].To = len(x.thread.Code)
	}
	x.depth--
}

// elseFollows takes else, on a later line too.
func (x *parser) elseFollows() bool {
	at := x.at
	for x.take("\n") {
	}
	if x.take("else") {
		return true
	}
	x.at = at
	return false
}

func (x *parser) block(where string) {
	x.expect("{", where)
	x.statements(func(t token) bool { return t.text == "}" || t.text == "" })
	x.expect("}", "at the end of the block")
}

// assignment reads name = expression.
func (x *parser) assignment(name token, op engine.Op) {
	if !name.name() {
		x.fail(name, "found %s, expected a statement", quoted(name))
	}
	x.expect("=", "after "+name.text+", or r, w or rw before it")
	if i := x.shared(name); i >= 0 {
		op.Kind, op.Arg, op.Expr = engine.Write, i, x.expression()
		x.emit(op)
		return
	}
	read := -1
	if t := x.peek(); t.name() {
		after := x.tokens[x.at+1].text
		if i := x.shared(t); i >= 0 && (after == "\n" ||
			after == ";" || after == "}" || after == "") {
			read = i
			x.next()
		}
	}
	if read >= 0 {
		op.Kind, op.Arg = engine.Read, read
	} else {
		op.Kind, op.Expr = engine.Set, x.expression()
	}
	to, seen := x.locals[name.text]
	if !seen {
		to = len(x.locals)
		x.locals[name.text], x.set = to, append(x.set, name)
	}
	op.To = to
	x.emit(op)
}

// binary are the operators by precedence, the weakest first.
var binary = []map[string]engine.Operator{
	{"||": engine.Or}, {"&&": engine.And},
	{"==": engine.Equal, "!=": engine.NotEqual, "<": engine.Less,
		"<=": engine.LessEqual, ">": engine.Greater, ">=": engine.GreaterEqual},
	{"+": engine.Add, "-": engine.Subtract},
	{"*": engine.Multiply, "/": engine.Divide, "%": engine.Remainder},
}

func (x *parser) expression() engine.Expr { return x.level(0) }

func (x *parser) level(n int) engine.Expr {
	if n == len(binary) {
		return x.operand()
	}
	e := x.level(n + 1)
	for {
		op, ok := binary[n][x.peek().text]
		if !ok {
			return e
		}
		x.next()
		e = append(append(e, x.level(n+1)...), engine.Term{Op: op})
	}
}

func (x *parser) operand() engine.Expr {
	if x.depth++; x.depth > maxDepth {
		x.fail(x.peek(), "expressions are more than %d deep", maxDepth)
	}
	defer func() { x.depth-- }()
	switch t := x.peek(); {
	case t.text == "(":
		x.next()
		e := x.expression()
		x.expect(")", "at the end of the expression")
		return e
	case t.text == "!":
		x.next()
		return append(x.operand(), engine.Term{Op: engine.Not})
	case t.text == "-" && digit(append([]byte(x.tokens[x.at+1].text), 0)[0]), t.text != "" &&
		digit(t.text[0]):
		return engine.Expr{{Op: engine.Constant, Value: x.number()}}
	case t.text == "-":
		x.next()
		return append(x.operand(), engine.Term{Op: engine.Negate})
	case t.name():
		x.next()
		i, ok := x.locals[t.text]
		if ok {
			return engine.Expr{{Op: engine.Local, Value: int64(i)}}
		}
		if x.shared(t) >= 0 {
			x.fail(t, "%s is a shared value: read it first, as in a = %s", t.text, t.text)
		}
		x.fail(t, "%s has no value in this thread before; declare it (shared %s = 0), or set it", t.text,
			t.text)
	default:
		x.fail(t, "found %s, expected a number, a local or (", quoted(t))
	}
	return nil
}

// finish resolves the names of threads.
func (x *parser) finish() {
	if len(x.p.Threads) == 0 {
		x.fail(x.peek(), "there is no thread")
	}
	for _, t := range x.set {
		if _, seen := x.objects[t.text]; seen {
			x.fail(t, "%s is a local here, and an object without a value elsewhere (r, w or rw); "+
				"declare shared %s = 0 to have it as both", t.text, t.text)
		}
	}
	threads := map[string]int{}
	for i := range x.p.Threads {
		threads[x.p.Threads[i].Name] = i
	}
	for _, f := range x.forked {
		i, seen := threads[f.name.text]
		if !seen {
			x.fail(f.name, "there is no thread %s", f.name.text)
		}
		op := &x.p.Threads[f.thread].Code[f.op]
		if op.Arg = i; op.Kind == engine.Fork {
			x.p.Threads[i].Forked = true
		}
	}
}
