package races

import "krdlab/loi"

// DataPath returns the weight of the heaviest chain of executions in which each reads data that one
// before it wrote, in the order of one worker alone. An execution that writes a unit again does not
// wait. Cost: a look at each access, and 8 bytes a unit.
func (r *Run) DataPath(weigh func(n uint32) uint64) uint64 {
	d := &dataPath{run: r, weigh: weigh}
	if err := r.Graph.Serial(d); err != nil {
		panic(err) // it returns none
	}
	return d.longest
}

// A dataPath follows when each unit is there if all that it does not depend on is done at once.
type dataPath struct {
	run     *Run
	weigh   func(uint32) uint64
	written []uint64 // by unit
	longest uint64
}

// Execute implements [dag.Visitor].
func (d *dataPath) Execute(n uint32) error {
	units, modes := d.run.Accesses(n)
	at := uint64(0)
	for i, u := range units {
		if modes[i]&loi.In != 0 && int(u) < len(d.written) {
			at = max(at, d.written[u])
		}
	}
	at += d.weigh(n)
	d.longest = max(d.longest, at)
	for i, u := range units {
		if modes[i]&loi.Out != 0 {
			d.written = grown(d.written, u)
			d.written[u] = at
		}
	}
	return nil
}

// Begin implements, with Sync and End, [dag.Visitor].
func (d *dataPath) Begin(int) error { return nil }
func (d *dataPath) Sync()           {}
func (d *dataPath) End()            {}

// grown returns list with an element for unit u.
func grown[T any](list []T, u uint32) []T {
	if n := int(u) + 1; n > len(list) {
		list = append(list, make([]T, n-len(list))...)
	}
	return list
}
