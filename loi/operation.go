package loi

import "fmt"

// An Operation is a place in the source of a program where values are computed and written. It does
// the same each time, so it stands in the registry; an [EventOperation] records that it was done,
// and which accesses were its own. Package krd/analysis/dependences computes the dependences from
// both.
type Operation struct {
	Name   string        // what it writes, for people: "s", "y[r]", "if"
	Kind   OperationKind // what it is in the source
	Kernel KernelID      // the function that it stands in
	Region RegionID      // likewise; NoRegion: not known
	Callee RegionID      // of a call, the function that it calls; NoRegion: not known; of others 0
	Line   uint32
	Work   uint32 // costs of all that it computes
	Values []Value
}

// OperationKind is the kind of an operation in the source. The zero value is invalid.
type OperationKind uint8

// The kinds of operations.
const (
	Compute   OperationKind = iota + 1 // a statement
	Condition                          // of an if or a case
	Head                               // an iteration of the innermost loop begins
	CallSite                           // a call is about to be made: its values are arguments
	Return                             // its values are results of the function
	// Entry is never done. Its values are the parameters of the function, in order, a receiver being
	// the first; a function without parameters has none.
	Entry
	GoSite    // a goroutine is about to be started: its values are arguments
	DeferSite // a call is deferred: its values are arguments

	lastOperationKind = DeferSite
)

var operationKindNames = [...]string{Compute: "compute", Condition: "condition", Head: "head",
	CallSite: "call", Return: "return", Entry: "entry", GoSite: "spawn", DeferSite: "defer"}

// Calls reports whether an operation of this kind is of a call, and so may have a Callee.
func (k OperationKind) Calls() bool { return k == CallSite || k == GoSite || k == DeferSite }

// String returns "compute", or "kind(N)".
func (k OperationKind) String() string { return nameOf(operationKindNames[:], uint8(k), "kind") }

// A Value is written by an operation to a place: the longest of its operands' paths ends there.
type Value struct {
	To   Place
	Name string // of it in the source, where it has one: "s"
	When When
	Then bool // what the operation wrote before it is written first, and not at the same time
	New  bool // the place is a variable that begins here: what was there before is another's
	// Step: nothing but the operands decides on it: no call, nothing received. Of updates that add the
	// same it is the same number. 0: something else may.
	Step     uint32
	Rounds   bool // it is of floating point
	Blind    bool // some of its reads or writes are left alone: they have no access
	Update   Update
	Operands []Operand
}

// When selects the iterations in which a [Head] writes a value.
type When uint8

// Before the first iteration of a loop, and before the others.
const (
	Always When = iota
	First
	Later
)

var whenNames = [...]string{Always: "always", First: "first", Later: "later"}

// String returns "first", or "when(N)".
func (w When) String() string { return nameOf(whenNames[:], uint8(w), "when") }

// A Place is where a value is.
type Place struct {
	Kind PlaceKind
	N    uint32
}

// PlaceKind is the kind of a place.
type PlaceKind uint8

// The kinds of places.
const (
	// a local variable or a condition, one for each activation of the function; parameters are the
	// first, from 0
	Slot PlaceKind = iota
	// what an access touched: the N-th term of the operation, as the event numbers them
	Memory
	// the N-th result of the call without an operation of its own that ended last in the activation;
	// operands alone
	Returned
	// of the call that is about to be made: its N-th argument, a receiver being the first; of a
	// return: its N-th result
	Passed
	// of a value: sent to a channel, by the last send of the worker; of an operand: received by the
	// N-th of the operation's receives, which are the last of the worker
	Channel

	lastPlaceKind = Channel
)

var placeKindNames = [...]string{Slot: "slot", Memory: "memory", Returned: "returned",
	Passed: "passed", Channel: "channel"}

// String returns "slot", or "place(N)".
func (k PlaceKind) String() string { return nameOf(placeKindNames[:], uint8(k), "place") }

// An Operand is a place that a value depends on.
type Operand struct {
	From Place
	Cost uint32 // of the longest path from it to the value
	// Control: whether the value is written depends on it, and not the value.
	Control bool
	// Update: it is read for such an update alone, of what the value is written to, or of what is
	// written where the value, a condition, says.
	Update Update
}

// An Update makes a value from the one at its place before, by an operator whose operands may be
// grouped in any way. So many iterations can update a place as a reduction. In a loop it is one
// only if no other operation there forbids it by reading or writing the place.
type Update uint8

// The operators. A value that is set together with one that is the least or greatest so far (argmin)
// is of that update too, without an operand that is.
const (
	NoUpdate Update = iota
	Sum             // what is subtracted is added
	Product         // of integers or floating point
	And             // of bits
	Or
	Xor
	All // &&
	Any // ||
	Least
	Greatest
	Joined // to the end of a string or slice: the parts keep their order

	lastUpdate = Joined
)

var updateNames = [...]string{NoUpdate: "none", Sum: "+", Product: "*", And: "&", Or: "|", Xor: "^",
	All: "&&", Any: "||", Least: "min", Greatest: "max", Joined: "append"}

// String returns "+", or "update(N)".
func (u Update) String() string { return nameOf(updateNames[:], uint8(u), "update") }

func nameOf(names []string, n uint8, what string) string {
	if int(n) >= len(names) || names[n] == "" {
		return fmt.Sprintf("%s(%d)", what, n)
	}
	return names[n]
}

// MaxValues and MaxOperands are how many values an operation may have, and operands a value.
const (
	MaxValues   = 1 << 10
	MaxOperands = 1 << 12

	maxOperations = 1 << 20
)

// A place has a number below that of all places in the header, and spareSlots: a variable may have a
// slot that no operation names, because an operation has more operands than it may.
const spareSlots = 256

// Operation returns the number of the operation that an [EventOperation] is of, and its accesses:
// for each access of its worker since the operation before in the same activation, in order, 1 plus
// the number of its term, 0: it has none. false if r is none.
func (r *Record) Operation() (number uint32, terms []uint32, ok bool) {
	if r.Type != EventRecord || r.Event != EventOperation || len(r.Args) == 0 {
		return 0, nil, false
	}
	return r.Args[0], r.Args[1:], true
}

// MaxTerms is how many accesses an [EventOperation] can tell of: its last ones.
const MaxTerms = maxArgs - 1

func (r *Registry) validateOperations() error {
	if len(r.Operations) > maxOperations {
		return fmt.Errorf("trace header: %d operations, expected at most %d", len(r.Operations),
			maxOperations)
	}
	places := uint64(spareSlots)
	for i := range r.Operations {
		for _, v := range r.Operations[i].Values {
			places += 1 + uint64(len(v.Operands))
		}
	}
	for i := range r.Operations {
		o := &r.Operations[i]
		far := func(p Place) error {
			if uint64(p.N) < places {
				return nil
			}
			return fmt.Errorf("trace header: operation %d, %q, has %v %d, expected less than %d: the "+
				"places of all operations, and %d", i, o.Name, p.Kind, p.N, places, spareSlots)
		}
		switch {
		case o.Name == "":
			return fmt.Errorf("trace header: operation %d has no name", i)
		case o.Kind < Compute || o.Kind > lastOperationKind:
			return fmt.Errorf("trace header: operation %q has %v", o.Name, o.Kind)
		case int(o.Kernel) >= len(r.Kernels):
			return fmt.Errorf("trace header: operation %q is in kernel %d of %d", o.Name, o.Kernel,
				len(r.Kernels))
		case o.Region != NoRegion && int(o.Region) >= len(r.Regions):
			return fmt.Errorf("trace header: operation %q is in region %d of %d", o.Name, o.Region,
				len(r.Regions))
		case o.Callee != 0 && !o.Kind.Calls() || o.Kind.Calls() && o.Callee != NoRegion &&
			int(o.Callee) >= len(r.Regions):
			return fmt.Errorf("trace header: operation %q calls region %d of %d", o.Name, o.Callee,
				len(r.Regions))
		case len(o.Values) > MaxValues:
			return fmt.Errorf("trace header: operation %q has %d values, expected at most %d", o.Name,
				len(o.Values), MaxValues)
		}
		for _, v := range o.Values {
			if v.When > Later || v.Update > lastUpdate || v.To.Kind > lastPlaceKind ||
				v.To.Kind == Returned || len(v.Operands) > MaxOperands {
				return fmt.Errorf("trace header: operation %q has a value %v, %v, of %d operands", o.Name,
					v.To.Kind, v.When, len(v.Operands))
			}
			if err := far(v.To); err != nil {
				return err
			}
			for _, x := range v.Operands {
				if x.From.Kind > Returned && x.From.Kind != Channel || x.Update > lastUpdate {
					return fmt.Errorf("trace header: operation %q has an operand %v, %v", o.Name,
						x.From.Kind, x.Update)
				}
				if err := far(x.From); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// withUpdates is added to the number of operations: before, operands had marks of whole loops.
const withUpdates = 2 * maxOperations

// knownCallee is added to the kind of a call that is followed by its callee.
const knownCallee = 1 << 4

func flag(set bool, bit uint64) uint64 {
	if set {
		return bit
	}
	return 0
}

// updateShift is that of the update of a value, above its flags.
const updateShift = 5

func (v *Value) flags() uint64 {
	return flag(v.Then, 1) | flag(v.New, 2) | flag(v.Step != 0, 4) | flag(v.Rounds, 8) |
		flag(v.Blind, 16) | uint64(v.Update)<<updateShift
}

// flagged sets them, but for the step.
func (v *Value) flagged(b uint64) {
	v.Then, v.New, v.Rounds = b&1 != 0, b&2 != 0, b&8 != 0
	v.Blind, v.Update = b&16 != 0, Update(b>>updateShift)
}

// encodeOperations writes them behind the header, if there are any.
func (e *encoder) encodeOperations(list []Operation) {
	if len(list) == 0 {
		return
	}
	e.uint(uint64(len(list)) | withUpdates)
	for _, o := range list {
		e.str(o.Name)
		called := o.Kind.Calls() && o.Callee != NoRegion
		if e.uint(uint64(o.Kind) | flag(called, knownCallee)); called {
			e.uint(uint64(o.Callee))
		}
		e.uint(uint64(o.Kernel))
		e.uint(uint64(o.Region + 1)) // NoRegion: 0
		e.uint(uint64(o.Line))
		e.uint(uint64(o.Work))
		e.uint(uint64(len(o.Values)))
		for _, v := range o.Values {
			e.uint(uint64(v.To.Kind))
			e.uint(uint64(v.To.N))
			e.str(v.Name)
			e.uint(uint64(v.When))
			if e.uint(v.flags()); v.Step != 0 {
				e.uint(uint64(v.Step))
			}
			e.uint(uint64(len(v.Operands)))
			for _, x := range v.Operands {
				e.uint(uint64(x.From.Kind))
				e.uint(uint64(x.From.N))
				e.uint(uint64(x.Cost))
				e.bool(x.Control)
				e.uint(uint64(x.Update))
			}
		}
	}
}

// decodeOperations reads what encodeOperations wrote.
func (d *decoder) decodeOperations() (list []Operation) {
	const all = 1<<32 - 1
	n := d.uint(withUpdates | maxOperations)
	if n&withUpdates == 0 && n > 0 {
		d.fail("operations in the form before updates: the trace is to be recorded anew")
	}
	if n &^= withUpdates; n > uint64(len(d.b)-d.at)/7 {
		d.fail("a list of %d operations does not fit the %d bytes left", n, len(d.b)-d.at)
	}
	for ; n > 0 && d.bad == ""; n-- {
		o := Operation{Name: d.str()}
		kind := d.uint(uint64(lastOperationKind) | knownCallee)
		if o.Kind = OperationKind(kind &^ knownCallee); kind&knownCallee != 0 {
			if o.Callee = RegionID(d.uint(maxRegions - 1)); !o.Kind.Calls() {
				d.fail("an operation that is no call has a callee")
			}
		} else if o.Kind.Calls() {
			o.Callee = NoRegion
		}
		o.Kernel, o.Region = KernelID(d.uint(maxKernels)), RegionID(d.uint(maxRegions)-1)
		o.Line, o.Work = uint32(d.uint(all)), uint32(d.uint(all))
		for n := d.count(6, MaxValues); n > 0 && d.bad == ""; n-- {
			v := Value{To: d.place(lastPlaceKind), Name: d.str(), When: When(d.uint(uint64(Later)))}
			flags := d.uint(uint64(lastUpdate)<<updateShift | (1<<updateShift - 1))
			if v.flagged(flags); flags&4 != 0 {
				v.Step = uint32(d.uint(all))
			}
			for n := d.count(5, MaxOperands); n > 0 && d.bad == ""; n-- {
				v.Operands = append(v.Operands, Operand{From: d.place(lastPlaceKind), Cost: uint32(d.uint(all)),
					Control: d.bool(), Update: Update(d.uint(uint64(lastUpdate)))})
			}
			o.Values = append(o.Values, v)
		}
		list = append(list, o)
	}
	return list
}

func (d *decoder) place(last PlaceKind) Place {
	return Place{PlaceKind(d.uint(uint64(last))), uint32(d.uint(1<<32 - 1))}
}
