package scene

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// A Before holds the state of a run at the start of its window.
type Before struct {
	// Wrote is [State.Wrote] of the executions that began before the window and last into it: they are
	// the first ones of the run.
	Wrote []int16
	Units []Touched // by unit, at the start of the window; accesses have no numbers
	Order []Unit    // those that were touched, in the order of their last access

	had   []uint64 // as in State
	words int
}

// Had reports whether a node touched a unit.
func (b *Before) Had(u Unit, node int) bool { return b.had[int(u)*b.words+node/64]>>(node%64)&1 != 0 }

// A WindowError is a window in which a run has no execution.
type WindowError struct {
	Window     Span
	Ticks      int64 // how long the run is
	Executions int   // that it has
}

// Class implements [failure.Classed].
func (*WindowError) Class() failure.Class { return failure.Request }

func (e *WindowError) Error() string {
	return fmt.Sprintf("no execution from tick %d to %d; the run has %d, from tick 0 to %d", e.Window.From,
		e.Window.To, e.Executions, e.Ticks)
}

// ReadWindow reads the executions, searches and steals of a trace that overlap a window, in ticks
// from the beginning of the run. Distances, classes and units are those of the whole run. An execution that
// ends as the window begins is outside, one that begins as it ends is inside. Errors: those of [Read];
// a [*WindowError] if no execution is in the window. Cost: as Read, but for columns of the window
// alone; 34 bytes a unit and 8 for each 64 nodes.
func ReadWindow(t *loi.Trace, window Span, allowLoss bool) (*Run, error) {
	return read(t, Span{max(0, window.From), window.To}, allowLoss)
}

// A past holds the units as they are before the window, by the numbers of the reader.
type past struct {
	units []Touched
	at    []uint64 // the number of the last access, from 1 on; 0: none
	had   []uint64
	words int
	n     uint64 // accesses until now
}

// unseen does an execution that ended before the window.
func (d *reader) unseen(e *loi.Event, list []loi.Access) error {
	for i := range list {
		found, far, _, err := d.access(e, &list[i])
		if err != nil {
			return err
		}
		d.past.touch(e, list[i].Mode, found, far, d.run.Header)
	}
	return nil
}

// later takes note of the units of an execution after the window.
func (d *reader) later(list []loi.Access) error {
	for i := range list {
		found, err := d.units.Of(&list[i])
		if err != nil {
			return err
		}
		for _, u := range found {
			d.lies(u, &list[i])
		}
	}
	return nil
}

// begun takes note of whose data an execution accesses that began before the window.
func (d *reader) begun(e *loi.Event, list []loi.Access) error {
	wrote := make([]uint64, d.run.Header.Nodes)
	for i := range list {
		found, err := d.units.Of(&list[i])
		if err != nil {
			return err
		}
		for _, u := range found {
			if int(u) < len(d.past.units) && d.past.units[u].Writer != Nobody {
				wrote[nodeOf(d.run.Header, int(d.past.units[u].Writer))] += d.units.Bytes(u)
			}
		}
	}
	d.run.Before.Wrote = append(d.run.Before.Wrote, int16(mostOf(wrote)))
	return nil
}

// touch takes note of an access.
func (p *past) touch(e *loi.Event, mode loi.Mode, found []uint32, far uint64, h *loi.Header) {
	p.n++
	p.words = (h.Nodes + 63) / 64
	node := nodeOf(h, e.Worker)
	for _, u := range found {
		for int(u) >= len(p.units) {
			p.units, p.at = append(p.units, untouched), append(p.at, 0)
			p.had = append(p.had, make([]uint64, p.words)...)
		}
		t := &p.units[u]
		t.Toucher, t.Bin, p.at[u] = int32(e.Worker), binOf(far), p.n
		if mode&loi.Out != 0 {
			t.Writer = int32(e.Worker)
		}
		if had, bit := &p.had[int(u)*p.words+node/64], uint64(1)<<(node%64); *had&bit == 0 {
			*had |= bit
			t.Nodes++
		}
	}
}

// end gives r the units as they are numbered at last: to, by the numbers of the reader.
func (p *past) end(r *Run, to []uint32) {
	b, at := r.Before, make([]uint64, len(r.Bytes))
	b.words = (r.Header.Nodes + 63) / 64
	b.Units, b.had = slices.Repeat([]Touched{untouched}, len(r.Bytes)), make([]uint64, len(r.Bytes)*b.words)
	for u := range p.units {
		if p.at[u] == 0 {
			continue
		}
		n := to[u]
		b.Units[n], at[n] = p.units[u], p.at[u]
		copy(b.had[int(n)*b.words:], p.had[u*b.words:(u+1)*b.words])
		b.Order = append(b.Order, n)
	}
	slices.SortFunc(b.Order, func(u, v Unit) int { return cmp.Or(cmp.Compare(at[u], at[v]), cmp.Compare(u, v)) })
}
