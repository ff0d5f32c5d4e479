package dag

// A Visitor is led through a graph by [Graph.Serial].
type Visitor interface {
	// Begin begins a child: a task, by its index in Graph.Tasks, or -1 for one that is none.
	Begin(task int) error
	// Execute makes the child run an execution, or task record, by its number from 1.
	Execute(n uint32) error
	// Sync ends a phase of the task: its children have ended, and what follows comes now.
	Sync()
	// End ends the child. A task has had a Sync for each of its phases.
	End()
}

// Serial leads v through the graph depth first, as one worker alone would run it: through the program,
// which is task 0, and its only child, the root. Children of a phase come in the order of their
// numbers. An error of v ends it.
func (g *Graph) Serial(v Visitor) error { return g.serial(v, 0) }

func (g *Graph) serial(v Visitor, i int) error {
	t := &g.Tasks[i]
	if err := v.Begin(i); err != nil {
		return err
	}
	if err := g.execute(v, &t.Begin); err != nil {
		return err
	}
	for p := range t.Phases {
		ph := &t.Phases[p]
		for c := range ph.Children {
			if err := g.child(v, &ph.Children[c]); err != nil {
				return err
			}
		}
		v.Sync()
		if err := g.execute(v, &ph.After); err != nil {
			return err
		}
	}
	v.End()
	return nil
}

func (g *Graph) child(v Visitor, c *ChildNode) error {
	if c.Task >= 0 {
		return g.serial(v, c.Task)
	}
	if err := v.Begin(-1); err != nil {
		return err
	}
	if err := g.execute(v, &c.Piece); err != nil {
		return err
	}
	v.End()
	return nil
}

func (g *Graph) execute(v Visitor, p *Piece) error {
	for n := range g.Executions(p) {
		if err := v.Execute(n); err != nil {
			return err
		}
	}
	return nil
}
