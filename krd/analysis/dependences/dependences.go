// Package dependences implements the analysis `dependences`: it finds which loops of a program
// carry flow dependences, from which operation to which, and how far.
//
// It keeps a shadow of each datum in memory and of each slot of an activation: which operation
// wrote it last, and in which iterations. An operation that reads a place depends on that one. If
// both are in the same loop, entered once, and in other iterations of it, that loop carries the
// dependence; its distance is how many iterations are between, and so for the loops within, as far
// as they are the same in the source.
//
// Control dependences are those on conditions. One within an iteration is no dependence that is
// carried; the head of a loop depends on what decided in the iteration before that there is
// another. What was decided earlier than that has come through the head of that one.
//
// Package flow follows the values. Dependences between goroutines, which are none that a loop
// carries, are kept apart.
//
// Memory: a cell for each datum accessed, each iteration whose values are still there, and 64 bytes
// for each send and receive that an operation is of. Cost: a look-up in a map for each access and
// for each operand that is carried.
package dependences

import (
	"krdlab/hw/failure"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/flow"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "dependences",
	Summary: "Flow dependences that the loops of a Go program carry, with their distances",
	Long: "For each loop that was executed, list which operation depends on a value that another, " +
		"or itself, computed in an earlier iteration: through which variable or data, whether as " +
		"data or since it decides what is executed, how many iterations before, and how often. Those of " +
		"induction variables and reductions are marked. A loop without others can be executed in " +
		"any order. Dependences between goroutines are listed apart, those through channels if the " +
		"trace was made with --sync.",
	Example: "  krdlab trace go . --values --out program.loi && krdlab dependences program.loi\n" +
		"  krdlab dependences program.loi --without induction,reduction",
	Options: func() any { return &Options{} },
	Check:   check,
	Needs:   analysis.Needs{Regions: true, Operations: true},
	Begin:   begin,
}

// Options are the flags.
type Options struct {
	Without []string `flag:"without" help:"leave out these MARKS: induction, reduction"`
}

// ErrMark is wrapped by the error of an option that names no mark.
var ErrMark = failure.New(failure.Request, "no mark of dependences")

func check(options any) error {
	for _, w := range options.(*Options).Without {
		if w != loi.Induction.String() && w != loi.Reduction.String() {
			return failure.Errorf(failure.Request, "--without %s: %w; expected induction or reduction", w,
				ErrMark)
		}
	}
	return nil
}

// A place is a datum.
type place struct {
	object loi.ObjectID
	block  uint64
}

// A cell is who wrote a place last; the zero value is nobody that is known.
type cell struct {
	at        *flow.Iteration
	operation uint32 // 1 + its number
	value     uint16 // of the operation
	object    int32  // that it is part of; -1: a slot
	worker    int32  // that did the operation
}

// sink takes the events.
type sink struct {
	in      *analysis.Input
	opt     *Options
	flow    *flow.Flow[cell]
	memory  map[place]cell
	found   map[edge]*times
	kinds   map[edge]int // so many distances of each are kept apart
	order   []edge
	between map[crossing]uint64 // dependences between goroutines: how often each was met
	crossed []crossing          // in the order in which they were met
}

// An edge is a dependence of the source.
type edge struct {
	loop     loi.RegionID
	from, to uint32 // operations
	name     string // of the value in the source; "": it has none
	object   int32
	control  bool
	mark     loi.Mark
	distance string // packed; "": of those that kinds does not keep apart, and in kinds
}

// mostDistances is how many distances of a dependence are kept apart, the first that are met: an
// index that is data has any number.
const mostDistances = 8

type times struct {
	vector []int64 // nil: several
	n      uint64
}

func begin(options any, in *analysis.Input) (analysis.Sink, error) {
	s := &sink{in: in, opt: options.(*Options), memory: map[place]cell{}, found: map[edge]*times{},
		kinds: map[edge]int{}, between: map[crossing]uint64{}}
	s.flow = flow.New[cell](in.Header, s)
	return s, nil
}

// Event implements [analysis.Sink].
func (s *sink) Event(e *loi.Event) error {
	s.flow.Event(e)
	return nil
}

// Load implements [flow.Analysis].
func (s *sink) Load(_ int, a *loi.Access, c *cell) { *c = s.memory[place{a.Object, a.Block}] }

// Store implements [flow.Analysis].
func (s *sink) Store(_ int, a *loi.Access, c cell) {
	at := place{a.Object, a.Block}
	if c.operation == 0 {
		delete(s.memory, at)
		return
	}
	c.object = int32(a.Object)
	s.memory[at] = c
}

// Value implements [flow.Analysis].
func (s *sink) Value(x *flow.Step, value uint16, c *cell) {
	*c = cell{x.At, x.Number + 1, value, -1, int32(x.Worker)}
}
