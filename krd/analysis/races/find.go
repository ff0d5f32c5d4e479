package races

import (
	"krdlab/loi"
)

// Kept is how many races are described at most.
const Kept = 100

// Races are the units that executions race for.
type Races struct {
	Units uint64
	Bytes uint64 // of them

	run  *Run
	list []pair // one for each of the first units
}

// A pair is two executions that race for a unit, the first of the order of one worker alone first,
// and what each does to it.
type pair struct {
	unit          uint32
	first, second uint32
	did, does     loi.Mode
}

// Find finds the units that executions of r race for, and for the first [Kept] of them the two
// executions that it met: the later one is the first that races with any. r must have units.
//
// Of a unit the last writer is kept, and the last reader that no reader since may run beside: a unit
// that any two executions race for is found, and no other (Feng and Leiserson, Theorem 6).
// Memory: 8 bytes a unit, and 5 an execution. Cost: nearly linear in the accesses.
func (r *Run) Find() *Races {
	f := &finder{bags: newBags(len(r.ends)), races: &Races{run: r}}
	if err := r.Graph.Serial(f); err != nil {
		panic(err) // it returns none
	}
	return f.races
}

// A finder goes through a program.
type finder struct {
	*bags
	races *Races
	cells []cell // by unit
}

// A cell is who touched a unit: executions, 0: none.
type cell struct{ writer, reader uint32 }

// raced is the writer of a unit that has its race.
const raced = ^uint32(0)

// Execute implements [dag.Visitor].
func (f *finder) Execute(n uint32) error {
	f.execute(n)
	units, modes := f.races.run.Accesses(n)
	for i, u := range units {
		f.cells = grown(f.cells, u)
		f.touch(u, n, modes[i])
	}
	return nil
}

// touch takes an access.
func (f *finder) touch(unit, n uint32, mode loi.Mode) {
	c := &f.cells[unit]
	if c.writer == raced {
		return
	}
	p := pair{unit: unit, second: n}
	switch {
	case c.writer != 0 && f.parallel(c.writer):
		p.first, p.did, p.does = c.writer, loi.Out, mode
	case mode&loi.Out != 0 && c.reader != 0 && f.parallel(c.reader):
		p.first, p.did, p.does = c.reader, loi.In, loi.Out
	}
	if p.first != 0 {
		c.writer = raced
		f.races.Units++
		f.races.Bytes += f.races.run.Units.Bytes(unit)
		if len(f.races.list) < Kept {
			f.races.list = append(f.races.list, p)
		}
		return
	}
	if mode&loi.In != 0 && (c.reader == 0 || !f.parallel(c.reader)) {
		c.reader = n
	}
	if mode&loi.Out != 0 {
		c.writer = n
	}
}
