// Package engine computes which reuse distances are possible over all interleavings of a
// program's threads: exactly, by a dynamic program or by enumeration, and by samplers (the
// disconpro paper: "Memory Distance Measurement for Concurrent Programs").
//
//	Program -> graph of states (one for each input) -> Exact, Enumerate, samplers -> Result
//
// A [Program] is threads of steps: one access, lock, unlock, barrier, fork or join. Locals and
// branches belong to the step before them, and those before the first step to the thread's start.
// Package text reads programs from files; other sources make them from traces.
package engine

// A Program is threads over objects, shared values and locks.
type Program struct {
	Objects  []string // what accesses name; shared values are the first of them
	Shared   []Values // initial values of the first objects
	Locks    []string
	Barriers []string
	Threads  []Thread
}

// Values are the possible initial values of a shared value: one, or several of an input, which are
// equally likely.
type Values []int64

// A Thread is instructions, begun at the program's start unless some thread forks it.
type Thread struct {
	Name   string
	Code   []Op
	Locals int  // how many there are; they begin as 0
	Forked bool // it begins when it is forked
}

// Steps returns how many steps an interleaving has at most: those of the longest way through each
// thread, whatever its conditions are.
func (p *Program) Steps() (sum int) {
	for i := range p.Threads {
		code := p.Threads[i].Code
		longest := make([]int, len(code)+1)
		for at := len(code) - 1; at >= 0; at-- {
			switch op := &code[at]; {
			case op.Kind == Jump:
				longest[at] = longest[op.To]
			case op.Kind == Branch:
				longest[at] = max(longest[at+1], longest[op.To])
			case op.Kind.Step():
				longest[at] = longest[at+1] + 1
			default:
				longest[at] = longest[at+1]
			}
		}
		sum += longest[0]
	}
	return sum
}

// A Kind is the kind of an instruction.
type Kind uint8

// The kinds of instructions. Those up to Join are steps.
const (
	Access  Kind = iota // of the object Arg
	Read                // of the shared value Arg, into the local To
	Write               // of the value of Expr to the shared value Arg
	Lock                // Arg; it waits until the lock is free
	Unlock              // Arg
	Barrier             // Arg; what follows waits for every thread that names it
	Fork                // the thread Arg
	Join                // the thread Arg; it waits until that has ended
	Set                 // the local To to Expr
	Branch              // to instruction To if Expr is 0
	Jump                // to instruction To
)

// Step reports whether an instruction of the kind is a step.
func (k Kind) Step() bool { return k <= Join }

// An Op is one instruction.
type Op struct {
	Kind Kind
	Arg  int
	To   int
	Expr Expr
	At   Position
}

// A Position is where an instruction stands in a text, from 1; the zero value is nowhere.
type Position struct{ Line, Column int }

// An Expr is a postfix expression over locals.
type Expr []Term

// A Term is a constant, a local or an operator of an expression.
type Term struct {
	Op    Operator
	Value int64 // constant, or number of the local
}

// An Operator of an expression.
type Operator uint8

// The operators. Logical ones give 0 or 1; both of their operands are computed.
const (
	Constant Operator = iota
	Local
	Add
	Subtract
	Multiply
	Divide
	Remainder
	Equal
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	And
	Or
	Not
	Negate
)

// value computes e. ok is false where it divides by 0.
func (e Expr) value(locals []int64) (v int64, ok bool) {
	var stack [16]int64
	s := stack[:0]
	for _, t := range e {
		switch t.Op {
		case Constant:
			s = append(s, t.Value)
			continue
		case Local:
			s = append(s, locals[t.Value])
			continue
		case Not:
			s[len(s)-1] = truth(s[len(s)-1] == 0)
			continue
		case Negate:
			s[len(s)-1] = -s[len(s)-1]
			continue
		}
		a, b := s[len(s)-2], s[len(s)-1]
		s = s[:len(s)-1]
		x := &s[len(s)-1]
		switch t.Op {
		case Add:
			*x = a + b
		case Subtract:
			*x = a - b
		case Multiply:
			*x = a * b
		case Divide, Remainder:
			if b == 0 {
				return 0, false
			}
			if t.Op == Divide {
				*x = a / b
			} else {
				*x = a % b
			}
		case Equal:
			*x = truth(a == b)
		case NotEqual:
			*x = truth(a != b)
		case Less:
			*x = truth(a < b)
		case LessEqual:
			*x = truth(a <= b)
		case Greater:
			*x = truth(a > b)
		case GreaterEqual:
			*x = truth(a >= b)
		case And:
			*x = truth(a != 0 && b != 0)
		case Or:
			*x = truth(a != 0 || b != 0)
		}
	}
	return s[0], true
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
