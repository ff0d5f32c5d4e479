package runtimes

import "unsafe"

// Data holds the queues, tasks and stacks of a runtime, in virtual time.
type Data interface {
	// Add returns the number of a new structure of so many bytes in the memory of a worker. No number
	// is 0.
	Add(worker int, bytes uint64) uint32
	// Touch makes a worker access a structure, and returns how much longer that takes, in ticks, than
	// if it lay in the worker's own cache.
	Touch(worker int, now uint64, structure uint32, write bool) uint64
}

// An Anatomy lists the structures that the operations of a runtime touch. docs/policies.md has the files
// that each was read in.
type Anatomy struct {
	Apart   bool   // what thieves and what the owner of a deque write of its ends are two lines, not one
	Nodes   bool   // an entry of a queue is a node of a list, a line; otherwise a pointer, 8 to a line
	Task    uint64 // bytes of a task's record that are used
	Stack   uint64 // of its stack's top; 0: it runs on that of its worker
	Early   bool   // the stack is made with the task, and not when that begins
	ToMaker bool   // a task's memory goes back to the worker that made it, not to the one that ended it
	// Words: that a task has ended is told by a word that is full or empty, which lies in one of so
	// many tables that all workers share: when it is spawned, when it ends, and when its parent goes on
	Words int
}

// anatomies are those of the families.
var anatomies = map[string]Anatomy{
	massiveThreads: {Task: 128, Stack: 256, Early: true},
	tbb:            {Apart: true, Task: 128, ToMaker: true},
	tbbAffinity:    {Apart: true, Task: 128, ToMaker: true},
	qthreadsCore:   {Nodes: true, Task: 128, Stack: 256, Words: 128},
	qthreadsSocket: {Nodes: true, Task: 128, Stack: 256, Words: 128},
}

// AnatomyOf returns the anatomy of a family; ok: there is one.
func AnatomyOf(family string) (a Anatomy, ok bool) {
	a, ok = anatomies[family]
	return a, ok
}

const (
	lineBytes    = 64
	pointers     = 8   // to a line
	pointerLines = 32  // of a deque's array; entries beyond it lie where others did
	tableBytes   = 128 // of a table of words: its lock and its head
	wordBytes    = 128 // of a word: its place in the table, and its state
)

// Steal calls touch with the size of each structure that a steal of one entry touches.
func (a Anatomy) Steal(touch func(bytes uint64)) {
	touch(lineBytes)
	if a.Apart {
		touch(lineBytes)
	}
	touch(lineBytes) // the node, or the pointer
	touch(a.Task)
	if a.Early {
		touch(a.Stack)
	}
}

// structures are the data of the runtime in a run in virtual time. Where there is none yet its number
// is 0.
//
// A look in vain at a queue reads the end that thieves write; its price holds what that takes. The
// steal token is not modelled, and what is done under a lock does not make it longer for those who
// wait for it.
type structures struct {
	Data
	Anatomy
	past    *historian
	queues  []queueLines
	workers []workerLines
	makers  []int32 // of tasks, by number
	frames  frameTable
	tables  []uint32 // of words
}

// queueLines are those of a queue.
type queueLines struct {
	thieves, owner uint32               // its ends: the same line, unless Apart
	array          [pointerLines]uint32 // of a deque
	seen           uint64               // the nodes that have seen the thieves' end since it was written
}

// workerLines are those of a worker: finished structures, which are used again newest first.
type workerLines struct {
	tasks, stacks, nodes, words []uint32
	mail                        uint32 // the line with its mailbox, or its request
	back                        uint32 // the line at which others give back its tasks
}

// taskLines are those of a child.
type taskLines struct{ task, stack, node, word uint32 }

// frameLines are those of a frame that has begun, and of its children.
type frameLines struct {
	own      taskLines
	children []taskLines
}

// frameTable finds the structures of frames: a table of open addressing by the frame's address. A
// frame stays one (see [Worker.retire]), so that nothing is taken out.
type frameTable struct {
	keys []*Frame
	at   []frameLines
	used int
}

func (t *frameTable) of(f *Frame) *frameLines {
	if 2*t.used >= len(t.keys) {
		t.grow()
	}
	i := t.slot(f)
	if t.keys[i] == nil {
		t.keys[i] = f
		t.used++
	}
	return &t.at[i]
}

// slot returns where f is, or is to be.
func (t *frameTable) slot(f *Frame) int {
	mask := len(t.keys) - 1
	i := int(uint64(uintptr(unsafe.Pointer(f)))*0x9e3779b97f4a7c15>>32) & mask
	for t.keys[i] != nil && t.keys[i] != f {
		i = (i + 1) & mask
	}
	return i
}

func (t *frameTable) grow() {
	old := *t
	n := max(64, 2*len(old.keys))
	t.keys, t.at = make([]*Frame, n), make([]frameLines, n)
	for i, f := range old.keys {
		if f != nil {
			j := t.slot(f)
			t.keys[j], t.at[j] = f, old.at[i]
		}
	}
}

func newStructures(s *stepper) *structures {
	return &structures{Data: s.costs.Data, Anatomy: s.costs.Anatomy, past: s.past,
		queues: make([]queueLines, len(s.queues)), workers: make([]workerLines, len(s.all)),
		tables: make([]uint32, s.costs.Anatomy.Words)}
}

// touch makes v access a structure.
func (d *structures) touch(v *stepWorker, structure uint32, write bool) {
	longer := d.Touch(v.id, v.now, structure, write)
	d.past.touches(v.id, structure, write, uint32(min(longer, notCharged-1)))
	v.now += longer
}

// line makes v write the line that has its number in n.
func (d *structures) line(v *stepWorker, n *uint32) {
	if *n == 0 {
		*n = d.Add(v.id, lineBytes)
	}
	d.touch(v, *n, true)
}

// take returns a structure that v has kept, or a new one.
func (d *structures) take(v *stepWorker, kept *[]uint32, bytes uint64) uint32 {
	if n := len(*kept) - 1; n >= 0 {
		x := (*kept)[n]
		*kept = (*kept)[:n]
		return x
	}
	return d.Add(v.id, bytes)
}

// makeTask gives v a task's record.
func (d *structures) makeTask(v *stepWorker) uint32 {
	task := d.take(v, &d.workers[v.id].tasks, d.Task)
	if d.ToMaker {
		for int(task) >= len(d.makers) {
			d.makers = append(d.makers, 0)
		}
		d.makers[task] = int32(v.id)
	}
	d.touch(v, task, true)
	return task
}

// makeStack gives v a stack, if tasks have one.
func (d *structures) makeStack(v *stepWorker) uint32 {
	if d.Stack == 0 {
		return 0
	}
	stack := d.take(v, &d.workers[v.id].stacks, d.Stack)
	d.touch(v, stack, true)
	return stack
}

// child returns the structures of child i of f.
func (d *structures) child(f *Frame, i int32) *taskLines {
	p := d.frames.of(f)
	for int(i) >= len(p.children) {
		p.children = append(p.children, taskLines{})
	}
	return &p.children[i]
}

// spawned makes the records of child i of f, which v spawns.
func (d *structures) spawned(v *stepWorker, f *Frame, i int32) {
	x := taskLines{task: d.makeTask(v)}
	if d.Early {
		x.stack = d.makeStack(v)
	}
	if d.Nodes {
		x.node = d.makeNode(v)
	}
	if d.Words > 0 {
		x.word = d.take(v, &d.workers[v.id].words, wordBytes)
		d.setWord(v, x.word)
	}
	*d.child(f, i) = x
}

// setWord makes v change a word, or look at it, under the lock of its table.
func (d *structures) setWord(v *stepWorker, word uint32) {
	table := &d.tables[int(word*0x9e3779b1>>16)%len(d.tables)]
	if *table == 0 {
		*table = d.Add(v.id, tableBytes)
	}
	d.touch(v, *table, true)
	d.touch(v, word, true)
}

// looked makes v look at a queue in vain.
func (d *structures) looked(v *stepWorker, queue int) {
	q := &d.queues[queue]
	if bit := uint64(1) << v.node; q.seen&bit == 0 && q.thieves != 0 {
		q.seen |= bit
		d.Touch(v.id, v.now, q.thieves, false)
		d.past.touches(v.id, q.thieves, false, notCharged)
	}
}

func (d *structures) makeNode(v *stepWorker) uint32 {
	node := d.take(v, &d.workers[v.id].nodes, lineBytes)
	d.touch(v, node, true)
	return node
}

// changed makes v write the owner's end of a queue, and the last place of its own deque. Where the
// ends are apart it writes that of thieves when there is something again, or nothing.
func (d *structures) changed(v *stepWorker, queue int, added bool) {
	q := &d.queues[queue]
	if d.Apart {
		d.line(v, &q.owner)
	}
	if !d.Apart || v.size() == int64(btoi(added)) {
		q.seen = 0
		d.line(v, &q.thieves)
	}
	if !d.Nodes {
		d.line(v, &q.array[v.tail/pointers%pointerLines])
	}
}

// spawnedAll makes the records of n children of f, which v has queued together.
func (d *structures) spawnedAll(v *stepWorker, f *Frame, n int32) {
	for i := range n {
		d.spawned(v, f, i)
	}
}

// requeued makes the node of the rest of f, which v has queued, or kept in its cache.
func (d *structures) requeued(v *stepWorker, f *Frame, kept bool) {
	if d.Nodes {
		node := d.makeNode(v)
		d.frames.of(f).own.node = node
	}
	if !kept {
		d.changed(v, v.queue, true)
	}
}

// took makes v free the node of an entry that it has taken out of a queue.
func (d *structures) took(v *stepWorker, e entry) {
	if !d.Nodes || e.f == nil || e.i < entryRest {
		return
	}
	x := &d.frames.of(e.f).own
	if e.i >= 0 {
		x = d.child(e.f, e.i)
	}
	if x.node != 0 {
		d.touch(v, x.node, true)
		d.workers[v.id].nodes = append(d.workers[v.id].nodes, x.node)
		x.node = 0
	}
}

// stole makes v touch the ends of a queue and the entry that it has stolen there.
func (d *structures) stole(v *stepWorker, queue int, e entry) {
	q := &d.queues[queue]
	q.seen = 0
	d.line(v, &q.thieves)
	if d.Apart && q.owner != 0 {
		d.touch(v, q.owner, false)
	}
	if !d.Nodes {
		at := v.sim.all[queue].head.Load() - 1
		d.line(v, &q.array[max(at, 0)/pointers%pointerLines])
	}
	d.took(v, e)
	if v.pc == pcChildren {
		d.uses(v, e.f)
	}
}

// kept makes v link the entries of a steal but the first into its own queue.
func (d *structures) kept(v *stepWorker) {
	if len(v.batch) < 2 {
		return
	}
	for _, e := range v.batch[1:] {
		if d.Nodes && e.i >= 0 {
			if n := d.child(e.f, e.i).node; n != 0 {
				d.touch(v, n, true)
			}
		}
	}
	d.changed(v, v.queue, true)
}

// begins makes v use the record and the stack of child i of f, which was queued or spawned.
func (d *structures) begins(v *stepWorker, f *Frame, i int32) {
	x := d.child(f, i)
	if x.task == 0 {
		return
	}
	d.touch(v, x.task, true)
	if x.stack != 0 {
		d.touch(v, x.stack, true)
	} else {
		x.stack = d.makeStack(v)
	}
}

// framed notes that child i of f is frame c; one that was called has a record on its caller's stack.
func (d *structures) framed(v *stepWorker, f *Frame, i int32, c *Frame) {
	var own taskLines
	if v.last {
		own.task = d.makeTask(v)
	} else {
		x := d.child(f, i)
		own, *x = *x, taskLines{word: x.word}
	}
	d.frames.of(c).own = own
}

// uses makes v use the record and the stack of f.
func (d *structures) uses(v *stepWorker, f *Frame) {
	d.resume(v, &d.frames.of(f).own)
}

// resume makes v use the record and the stack of a task.
func (d *structures) resume(v *stepWorker, own *taskLines) {
	if own.task != 0 {
		d.touch(v, own.task, true)
	}
	if own.stack != 0 {
		d.touch(v, own.stack, true)
	}
}

// joins makes v count an arrival at the join of f, in its record.
func (d *structures) joins(v *stepWorker, f *Frame) {
	if task := d.frames.of(f).own.task; task != 0 {
		d.touch(v, task, true)
	}
}

// ends gives back the structures of a task that has ended on v.
func (d *structures) ends(v *stepWorker, x *taskLines) {
	w := &d.workers[v.id]
	if x.task != 0 {
		if d.ToMaker && int(d.makers[x.task]) != v.id {
			w = &d.workers[d.makers[x.task]]
			d.line(v, &w.back)
		}
		w.tasks = append(w.tasks, x.task)
	}
	if x.stack != 0 {
		d.workers[v.id].stacks = append(d.workers[v.id].stacks, x.stack)
	}
	if x.word != 0 {
		d.setWord(v, x.word)
	}
	*x = taskLines{word: x.word}
}

// joined makes v go on behind a join of f, and read the words of its children.
func (d *structures) joined(v *stepWorker, f *Frame) {
	p := d.frames.of(f)
	d.resume(v, &p.own)
	if d.Words == 0 {
		return
	}
	for i := range p.children {
		if x := &p.children[i]; x.word != 0 {
			d.setWord(v, x.word)
			d.workers[v.id].words = append(d.workers[v.id].words, x.word)
			x.word = 0
		}
	}
}

// post makes v write the mailbox of a worker, or the line with which it is asked or answered.
func (d *structures) post(v *stepWorker, to int) { d.line(v, &d.workers[to].mail) }

// found makes v touch the place in which a move of its search has found an entry.
func (d *structures) found(v *stepWorker, m Move, from int, got found) {
	switch m.Kind {
	case MoveSteal:
		d.stole(v, from, got.e)
	case MoveOwn:
		d.changed(v, v.queue, false)
		d.took(v, got.e)
	case MoveMail, MoveHear:
		d.post(v, v.id)
	}
}
