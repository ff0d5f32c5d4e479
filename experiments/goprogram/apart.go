package goprogram

import (
	"krdlab/loi"
	"krdlab/loi/collect"
)

// An apart makes two accesses of each update, a load and a store that follow each other. In Java what
// stands right of x op= y is loaded between them.
type apart struct {
	of     collect.Batch
	update collect.Loop
}

// batch returns b, whose updates are two accesses; it is valid until the next call.
func (x *apart) batch(r *collect.Reader, b *collect.Batch) *collect.Batch {
	out := &x.of
	out.Places, out.Real, out.Bytes, out.Groups = out.Places[:0], out.Real[:0], out.Bytes[:0], out.Groups[:0]
	out.Turns, out.Acts = append(out.Turns[:0], b.Turns...), append(out.Acts[:0], b.Acts...)
	turns, acts := out.Turns, out.Acts
	for i, g := range b.Groups {
		for len(acts) > 0 && acts[0].After <= i {
			acts[0].After, acts = len(out.Places), acts[1:]
		}
		times := 1
		if r.Mode(g) == loi.InOut {
			times = 2
		}
		for range times {
			out.Places, out.Bytes = append(out.Places, b.Places[i]), append(out.Bytes, b.Bytes[i])
			out.Groups = append(out.Groups, g)
			if len(b.Real) > 0 {
				out.Real = append(out.Real, b.Real[i])
			}
		}
		for len(turns) > 0 && turns[0].End == i+1 {
			turns[0].End, turns = len(out.Places), turns[1:]
		}
	}
	for i := range acts {
		acts[i].After = len(out.Places)
	}
	return out
}

// loop batches a loop.
func (x *apart) loop(r *collect.Reader, l *collect.Loop) *collect.Loop {
	list := x.update.Accesses[:0]
	x.update = *l
	for _, a := range l.Accesses {
		if list = append(list, a); r.Mode(a.Group) == loi.InOut {
			list = append(list, a)
		}
	}
	x.update.Accesses = list
	return &x.update
}
