package dag

import "krdlab/loi"

// unseen is the Child.Task of a child that no event has told of.
const unseen = -2

// place names a child of a phase of a task, or what follows the phase.
type place struct{ task, phase, child uint32 }

// begun is an event of a task that begins.
type begun struct {
	id, children uint32
	at           place // as a child of its parent
	piece        Piece
}

// ended is an event of a child that ended, or of a phase: then children is how many the next one
// has.
type ended struct {
	at       place
	children uint32
	piece    Piece
}

type builder struct {
	tasks    []begun
	children []ended
	phases   []ended
	of       map[place]Piece // unordered workers: the kernels of each piece
	index    map[uint32]int  // of a task by its number
	graph    Graph
}

// read reads the events of a worker.
func (b *builder) read(t *loi.Trace, worker int) error {
	var since, last Piece // kernels since the last event, and those of the last record
	offset := t.Header.Workers[worker].TSCOffset
	c := t.All(worker)
	for c.Next() {
		r := c.Record()
		if r.Type != loi.EventRecord {
			last = Piece{Kernels: 1, Ticks: r.End - r.Start}
			if r.Type == loi.TaskRecord {
				last.Kernels = uint64(len(r.Calls))
			}
			since.Kernels += last.Kernels
			since.Ticks += last.Ticks
			continue
		}
		a := r.Args
		piece := Piece{Worker: worker, At: int64(r.Start) - offset}
		if !t.Header.Unordered {
			piece.Kernels, piece.Ticks = since.Kernels, since.Ticks
		}
		switch {
		case r.Event == loi.EventTask && len(a) == 5:
			b.tasks = append(b.tasks, begun{a[0], a[4], place{a[1], a[2], a[3]}, piece})
		case r.Event == loi.EventChild && len(a) == 3:
			b.children = append(b.children, ended{place{a[0], a[1], a[2]}, 0, piece})
		case r.Event == loi.EventPhase && len(a) == 3:
			b.phases = append(b.phases, ended{place{a[0], a[1], loi.AfterPhase}, a[2], piece})
		case r.Event == loi.EventOf && len(a) == 3:
			if b.of == nil {
				b.of = map[place]Piece{}
			}
			at := place{a[0], a[1], a[2]}
			x := b.of[at]
			x.Kernels += last.Kernels
			x.Ticks += last.Ticks
			b.of[at], last = x, Piece{}
			continue
		default:
			continue
		}
		since = Piece{}
	}
	return c.Err()
}

// link makes the graph of all events.
func (b *builder) link() error {
	g := &b.graph
	for i := range b.tasks {
		x := &b.tasks[i]
		if _, twice := b.index[x.id]; twice {
			return incomplete("task %d begins twice, or there are more than 2^32", x.id)
		}
		b.index[x.id] = len(g.Tasks)
		g.Tasks = append(g.Tasks, Task{ID: x.id, Phase: int(x.at.phase), Child: int(x.at.child),
			Begin: b.complete(x.at, x.piece)})
	}
	if err := b.linkPhases(); err != nil {
		return err
	}
	for i := range b.tasks {
		x := &b.tasks[i]
		c, parent, err := b.child(x.at)
		if err != nil {
			return err
		}
		c.Task = i + 1
		g.Tasks[i+1].Parent = parent
	}
	for i := range b.children {
		x := &b.children[i]
		c, _, err := b.child(x.at)
		if err != nil {
			return err
		}
		*c = Child{Task: -1, Piece: b.complete(x.at, x.piece)}
	}
	for i := range g.Tasks {
		for p := range g.Tasks[i].Phases {
			for c := range g.Tasks[i].Phases[p].Children {
				if g.Tasks[i].Phases[p].Children[c].Task == unseen {
					return incomplete("child %d of phase %d of task %d never ran", c, p,
						g.Tasks[i].ID)
				}
			}
		}
	}
	if n := len(g.upward()); n != len(g.Tasks) {
		return incomplete("%d of %d tasks are descendants of themselves", len(g.Tasks)-n,
			len(g.Tasks))
	}
	return nil
}

// linkPhases gives each task its phases.
func (b *builder) linkPhases() error {
	g := &b.graph
	count := make([]uint32, len(g.Tasks)) // of phases
	for i := range b.phases {
		t, known := b.index[b.phases[i].at.task]
		if !known || t == 0 {
			return incomplete("a phase of task %d ended, which never began", b.phases[i].at.task)
		}
		count[t]++
	}
	first := make([]int, len(g.Tasks)+1) // of each task's phases in next
	for t, n := range count {
		first[t+1] = first[t] + int(n)
	}
	next := make([]*ended, len(b.phases)) // by task and phase
	for i := range b.phases {
		x := &b.phases[i]
		t := b.index[x.at.task]
		if x.at.phase >= count[t] || next[first[t]+int(x.at.phase)] != nil {
			return incomplete("phase %d of task %d ended twice, or one before it did not",
				x.at.phase, x.at.task)
		}
		next[first[t]+int(x.at.phase)] = x
	}
	room := uint64(len(b.tasks) + len(b.children)) // each is a child of one phase
	for t := 1; t < len(g.Tasks); t++ {
		task, n := &g.Tasks[t], b.tasks[t-1].children
		for _, x := range next[first[t]:first[t+1]] {
			if n == 0 || uint64(n) > room {
				return incomplete("phase %d of task %d has %d children", x.at.phase, task.ID, n)
			}
			room -= uint64(n)
			ph := Phase{Children: make([]Child, n), After: b.complete(x.at, x.piece)}
			for c := range ph.Children {
				ph.Children[c].Task = unseen
			}
			task.Phases = append(task.Phases, ph)
			n = x.children
		}
		if n != 0 {
			return incomplete("task %d did not end", task.ID)
		}
	}
	return nil
}

// child returns a child that no event has told of yet, and the index of its parent.
func (b *builder) child(at place) (c *Child, parent int, err error) {
	t, known := b.index[at.task]
	if !known || at.phase >= uint32(len(b.graph.Tasks[t].Phases)) {
		return nil, 0, incomplete("a child of phase %d of task %d, which there is not", at.phase,
			at.task)
	}
	list := b.graph.Tasks[t].Phases[at.phase].Children
	if at.child >= uint32(len(list)) || list[at.child].Task != unseen {
		return nil, 0, incomplete("child %d of phase %d of task %d ran twice, or is one too many",
			at.child, at.phase, at.task)
	}
	return &list[at.child], t, nil
}

// complete adds to a piece the kernels that events of their own assign to it.
func (b *builder) complete(at place, p Piece) Piece {
	x := b.of[at]
	p.Kernels += x.Kernels
	p.Ticks += x.Ticks
	return p
}
