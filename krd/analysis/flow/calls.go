package flow

import (
	"slices"

	"krdlab/loi"
)

// A call is one that is about to be made: its arguments, and where its results go.
//
// Of a call that names its callee, that function takes the arguments, if it is the next that begins
// in the activation. Of others (values, methods of interfaces) the next one does if it has as many
// parameters; whether a function that is not rewritten began it cannot be seen. In both cases, if
// another begins, the arguments of all calls of the activation are dropped: their callee is not
// rewritten, or was not called. A function that no known call began has no known arguments, and its
// results are for operations that read those of a call without an operation. A deferred call is one
// of an activation that has done its return.
type call[C any] struct {
	callee loi.RegionID // NoRegion: not known
	passed []C
	to     []uint32 // slots for the results
	going  bool     // by a go statement
	under  C        // the conditions that it is under, for a [Conditioned]
}

// fits reports that a call may be one of a function with so many parameters.
func (c *call[C]) fits(function loi.RegionID, parameters int) bool {
	if c.callee != loi.NoRegion {
		return c.callee == function
	}
	return len(c.passed) == parameters
}

// begins takes the call by which a function begins that an activation calls, nil if it is not
// known: the last of those that are about to be made, or the last deferred one that fits.
func (a *activation[C]) begins(function loi.RegionID, parameters int) *call[C] {
	if n := len(a.calls) - 1; n >= 0 && a.calls[n].fits(function, parameters) {
		c := a.calls[n]
		a.calls = a.calls[:n]
		return c
	}
	a.calls = nil
	for i, c := range slices.Backward(a.deferred) {
		if a.returning && c.fits(function, parameters) {
			a.deferred = a.deferred[:i]
			return c
		}
	}
	return nil
}

// mostCalls is how many calls an activation keeps that are about to be made, or deferred.
const mostCalls = 1 << 16

// calling adds a call of an activation by an operation.
func (a *activation[C]) calling(kind loi.OperationKind, c *call[C]) {
	list := &a.calls
	if kind == loi.DeferSite {
		list = &a.deferred
	}
	if len(*list) == mostCalls {
		*list = slices.Delete(*list, 0, mostCalls/2)
	}
	*list = append(*list, c)
}

// ends gives the results of an activation to the call that began it, which stands in the caller.
func (a *activation[C]) ends(caller *activation[C]) {
	if a.by == nil {
		caller.returned, a.results = a.results, nil
		return
	}
	for i, to := range a.by.to[:min(len(a.by.to), len(a.results))] {
		x := at(&caller.slots, to)
		*x, a.results[i] = a.results[i], *x
	}
}

// caller returns the activation of the code being executed: in the body of a loop over a function
// not the innermost.
func caller[C any](stack []frame[C]) *activation[C] {
	return activationOf(stack, stack[len(stack)-1].root)
}

// root returns the function that a region stands in.
func (f *Flow[C]) root(region loi.RegionID) loi.RegionID {
	list := f.registry.Regions
	for list[region].Parent != loi.NoRegion {
		region = list[region].Parent
	}
	return region
}

// began counts that a function with parameters began.
func (f *Flow[C]) began(function loi.RegionID, by *call[C]) {
	if f.parameters[function] == 0 {
		return
	}
	b := f.Functions[function]
	if b == nil {
		b = &Function{}
		f.Functions[function] = b
	}
	b.Begun++
	if by != nil {
		b.Known++
	}
}

// parametersOf returns how many parameters the functions have that have some.
func parametersOf(r *loi.Registry) map[loi.RegionID]int {
	n := map[loi.RegionID]int{}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.Kind == loi.Entry {
			n[o.Region] = len(o.Values)
		}
	}
	return n
}

// goroutines has the calls of go statements.
//
// Where the trace has who started whom, the first function of a goroutine takes the arguments
// passed to it. Elsewhere the first function of a worker takes the oldest call that fits.
type goroutines[C any] struct {
	workers []started[C]
	known   map[uint32]*call[C] // of goroutines that have not begun
	waiting []*call[C]          // of others, the oldest first
}

// started is the state of a worker.
type started[C any] struct {
	going *call[C] // of its go statement that is executed
	begun *call[C] // that began it
	told  bool     // its start
}

// calling adds a call of a go statement of a worker.
func (g *goroutines[C]) calling(worker int, c *call[C]) {
	if len(g.waiting) == mostCalls {
		g.waiting = slices.Delete(g.waiting, 0, mostCalls/2)
	}
	g.waiting, g.workers[worker].going = append(g.waiting, c), c
}

// tell takes an event that a worker starts goroutine n, or is that one and begins.
func (g *goroutines[C]) tell(worker int, kind loi.EventKind, n uint32) {
	w := &g.workers[worker]
	if kind == loi.EventStart {
		w.told, w.begun = true, g.known[n]
		delete(g.known, n)
		return
	}
	if w.going != nil {
		g.known[n] = w.going
		if i := slices.Index(g.waiting, w.going); i >= 0 {
			g.waiting = slices.Delete(g.waiting, i, i+1)
		}
		w.going = nil
	}
}

// begins takes the call by which a function begins that no other called, nil if it is not known.
func (g *goroutines[C]) begins(worker int, function loi.RegionID, parameters int) *call[C] {
	w := &g.workers[worker]
	c := w.begun
	if w.begun = nil; w.told {
		if c != nil && c.fits(function, parameters) {
			return c
		}
		return nil
	}
	w.told = true // what is called next is not its first
	for i, c := range g.waiting {
		if c.fits(function, parameters) {
			g.waiting = slices.Delete(g.waiting, i, i+1)
			return c
		}
	}
	return nil
}
