package front

import (
	"go/token"
	"go/types"
)

// Costs of operations, in cycles of a core that does one at a time: their times, rounded, on the
// x86-64 cores of the last ten years (A. Fog, Instruction tables; loads that hit the first cache).
// Moves, addresses of known places and calls themselves cost nothing: the cost of a call is the
// function's.
const (
	costSimple   = 1  // integer addition, logic, shift, comparison, conversion between integers
	costMultiply = 3  // of integers
	costDivide   = 20 // likewise, and remainders
	costFloat    = 4  // addition, multiplication, comparison, conversion of floating-point numbers
	costRoot     = 15 // division of these
	costLoad     = 4
	costStore    = 1
	costString   = 20 // concatenation, comparison and conversion of strings
)

// cost returns the cost of an operator on values of type t.
func cost(op token.Token, t types.Type) uint32 {
	b, _ := core(t).(*types.Basic)
	kind := types.BasicInfo(types.IsInteger)
	if b != nil {
		kind = b.Info()
	}
	float := kind&(types.IsFloat|types.IsComplex) != 0
	switch {
	case kind&types.IsString != 0:
		return costString
	case op == token.QUO && float:
		return costRoot
	case float:
		return costFloat
	case op == token.QUO || op == token.REM:
		return costDivide
	case op == token.MUL:
		return costMultiply
	}
	return costSimple
}

// converted returns the cost of a conversion.
func converted(from, to types.Type) uint32 {
	a, _ := core(from).(*types.Basic)
	b, _ := core(to).(*types.Basic)
	switch {
	case a == nil || b == nil || types.Identical(a, b):
		return 0
	case (a.Info()|b.Info())&types.IsString != 0:
		return costString
	case (a.Info()|b.Info())&types.IsFloat != 0:
		return costFloat
	}
	return costSimple
}
