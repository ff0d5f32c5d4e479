package runtimes

// DepthRestricted is [HelpFirst] with a bound on the stack (Sukha, "Brief announcement: A lower
// bound for depth-restricted work stealing", SPAA 2009, as Threading Building Blocks had it then): a
// worker that waits at a join of a task at depth d steals only tasks deeper than d, from anyone. So
// the tasks on a worker's stack lie deeper and deeper, and are no more than the tree is deep; the
// price is a worker that rests beside shallower work, up to a serial run in the worst case.
//
// Departures: a thief looks at the oldest entry of a deque only, which is the shallowest there, and
// leaves the victim if that is not deep enough.
type DepthRestricted struct{}

func (DepthRestricted) Rules() Rules { return (&HelpFirst{Deeper: true}).Rules() }

// Look alternates between a random victim and the worker's own deque.
func (DepthRestricted) Look(s *Search) Move { return (&HelpFirst{}).Look(s) }
