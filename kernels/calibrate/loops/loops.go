// Package loops are the loops that a calibration times to learn how many operations of each kind
// (package ops) a core does in a second. Their data stays in the L1, and none is a kernel of the
// table.
package loops

import (
	"crypto/sha1"
	"hash/crc32"

	"krdlab/hw/ops"
	"krdlab/kernels/isa"
)

//go:generate go run ./gen

// A Loop is timed: Run makes rounds, each with so many operations of a kind.
type Loop struct {
	Kind ops.Kind
	Ops  uint64
	Run  func(rounds int)
	// Less, if not nil, runs the part of as many rounds beside the operations: its time does not
	// count.
	Less func(rounds int)
	How  string // what a round is
}

// elements are those of a vector in the L1.
const elements = 512

// New returns a loop for each kind. Packed ones use the best instructions of the CPU.
func New() []Loop {
	set := isa.Supported()[0]
	single, double := make([]float32, elements), make([]float64, 2*elements)
	for i := range single {
		single[i] = 1
	}
	for i := range double {
		double[i] = 0.5
	}
	x, y := double[:elements], double[elements:]
	text := make([]byte, 8*elements)
	for i := range text {
		text[i] = byte(i * i)
	}
	var sums [2]uint32
	var jumped uint64
	p := packedOf(set)
	var sum float64
	digest := sha1.New()
	return []Loop{
		{Kind: ops.Fused, Ops: 2 * p.vectors * p.floats, Run: func(n int) { p.fused(n, &single[0]) },
			How: "multiply-adds, " + set.String()},
		{Kind: ops.Single, Ops: 2 * p.vectors * p.floats, Run: func(n int) { p.single(n, &single[0]) },
			How: "multiplications and additions, " + set.String()},
		{Kind: ops.Double, Ops: p.vectors * p.floats, Run: func(n int) { p.double(n, &double[1]) },
			How: "sums of neighbours times a constant, " + set.String()},
		{Kind: ops.Scalar, Ops: 2 * elements, Run: func(n int) {
			for range n {
				addTimes(y, 0, x)
			}
		}, How: "a vector more a multiple of another, compiled"},
		{Kind: ops.Chain, Ops: elements, Run: func(n int) {
			for range n {
				sum = sumOf(sum, x)
			}
		}, How: "the sum of a vector, compiled"},
		{Kind: ops.Divide, Ops: elements, Run: func(n int) {
			for range n {
				sum = divide(2+sum, elements)
			}
		}, How: "divisions, each by the result of the one before, compiled"},
		{Kind: ops.Integer, Ops: instructions * uint64(len(text)) / 2, Run: func(n int) {
			for range n {
				sums[0], sums[1] = checksums(sums[0], sums[1], crc32.IEEETable, text)
			}
		}, How: "checksums of two texts side by side, compiled"},
		{Kind: ops.Branch, Ops: elements / 2, Run: func(n int) { jumped += jumps(n*elements, 1<<40) },
			Less: func(n int) { jumped += jumps(n*elements, 0) },
			How:  "jumps that chance decides; half are foreseen"},
		{Kind: ops.Hash, Ops: uint64(len(text) / sha1.BlockSize), Run: func(n int) {
			for range n {
				digest.Write(text)
			}
		}, How: "crypto/sha1"},
	}
}

// addTimes computes y += f x.
func addTimes[T float32 | float64](y []T, f T, x []T) {
	for len(y) >= 4 && len(x) >= 4 {
		y[0] += f * x[0]
		y[1] += f * x[1]
		y[2] += f * x[2]
		y[3] += f * x[3]
		y, x = y[4:], x[4:]
	}
}

func sumOf(sum float64, x []float64) float64 {
	for _, v := range x {
		sum += v
	}
	return sum
}

// divide divides 2, n times, each by the result of the division before.
func divide(v float64, n int) float64 {
	for range n {
		v = 2 / v
	}
	return v
}

// instructions are those of checksums for a byte of either text: five for each, and the loop's.
const instructions = 15

// checksums returns those of two texts of one length, byte by byte through a table (the usual way
// to compute a CRC): each step waits for the one before, and the two texts do not wait for each
// other.
func checksums(a, b uint32, table *crc32.Table, text []byte) (uint32, uint32) {
	x, y := text[:len(text)/2], text[len(text)/2:]
	y = y[:len(x)]
	for i, c := range x {
		a = table[byte(a)^c] ^ a>>8
		b = table[byte(b)^y[i]] ^ b>>8
	}
	return a, b
}

// jumps makes n jumps that a bit of a random number decides, or none decides. Inlined, the numbers
// would be left out where they decide nothing.
//
//go:noinline
func jumps(n int, bit uint64) uint64 {
	v, a, b := uint64(1), uint64(0), uint64(3)
	for range n {
		v ^= v << 13
		v ^= v >> 7
		v ^= v << 17
		if v&bit != 0 {
			a = a*5 + b
			b ^= a
		} else {
			b = b*3 + a
			a ^= b
		}
	}
	return a + b
}

// packed are the loops of an instruction set: so many vectors a round, of so many floats.
type packed struct {
	vectors, floats uint64
	fused, single   func(n int, x *float32)
	double          func(n int, x *float64)
}
