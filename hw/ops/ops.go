// Package ops names the kinds of operations that kernels consist of. A kernel states how many of
// each an execution has, a machine how many of each a core does in a second, and neither refers to
// the other; the work of an execution takes the sum. Kinds differ in what limits a core: its vector
// units, the front end, waiting for a result, a wrong guess at a branch.
package ops

// A Kind of operation.
type Kind int

// The kinds. Vectors are as wide as the core's; their elements count, not instructions.
const (
	// Fused is single precision, packed: multiplications and additions of products, two for each
	// element, with one factor from the L1.
	Fused Kind = iota
	// Single is single precision, packed: other operations, on registers.
	Single
	// Double is double precision, packed, on vectors that come from the L1 and go there.
	Double
	// Scalar is floating point in compiled code, of either precision, operands from the L1, none
	// waiting for another.
	Scalar
	// Chain is floating point in compiled code, each operation waiting for the one before.
	Chain
	// Divide is a division or a square root.
	Divide
	// Integer is an instruction of compiled code that does not compute in floating point: integers,
	// addresses, loads and stores in the L1, jumps that are predicted.
	Integer
	// Branch is a jump that was predicted wrongly.
	Branch
	// Hash is a block of 64 bytes of SHA-1.
	Hash
	// Kinds is how many there are.
	Kinds
)

var names = [Kinds]string{"fused", "single", "double", "scalar", "chain", "divide", "integer",
	"branch", "hash"}

// String returns the kind's name in a machine's file.
func (k Kind) String() string { return names[k] }

// Count is how many operations of each kind an execution has.
type Count [Kinds]uint64
