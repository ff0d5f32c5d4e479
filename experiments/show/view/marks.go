package view

import (
	"cmp"
	"math"
	"slices"

	"krdlab/experiments/show/scene"
)

// mostMarks is how many marks of several executions a page has at most: more than a hundred for each
// column of a screen on each of a few workers. The script keeps some 100 bytes for each.
const mostMarks = 1 << 20

// A mark is executions of a worker, one after the other.
type mark struct {
	worker, executions int
	start, end         int64                    // of the first and the last that ends
	busy               int64                    // ticks in them
	times              [scene.Classes + 1]int64 // by the class of the farthest access, a tick an execution at least
	kernels, nodes     []share                  // the same by kernel, and by the node that wrote most of their data
	bins               []binCount               // ascending
}

// A share is the ticks of a key.
type share struct {
	key   int
	ticks int64
}

// A binCount is how many accesses are in a bin and of a class.
type binCount struct {
	bin, class uint8
	n          uint32
}

// add adds ticks to those of a key.
func add(l []share, key int, ticks int64) []share {
	for i := range l {
		if l[i].key == key {
			l[i].ticks += ticks
			return l
		}
	}
	return append(l, share{key, ticks})
}

// most returns the key of the most ticks, the least of several.
func most(l []share) int {
	return slices.MaxFunc(l, func(a, b share) int {
		return cmp.Or(cmp.Compare(a.ticks, b.ticks), cmp.Compare(b.key, a.key))
	}).key
}

// A moment is the units whose last access has changed since the one before.
type moment struct {
	until int64
	units []touched // ascending
}

// touched is a unit at a moment: see [scene.Touched].
type touched struct {
	unit            scene.Unit
	toucher, writer int32
	nodes           uint16
	bin             uint8
}

// mostMoments returns how many moments, a power of two, have room in half of that of a page. A change
// of a unit takes about four bytes.
func mostMoments(room, units int) int {
	n := 1
	for n < 256 && 2*n*units <= room/2/4 {
		n *= 2
	}
	return n
}

// An open mark is one that executions are added to.
type openMark struct {
	mark
	bins [scene.ColdBin + 1][scene.Classes]uint32
}

// sum makes marks of k.group executions, worker by worker, and so many moments, a power of two. Cost: a pass
// over the executions.
func (k *packer) sum(moments int) {
	r := k.run
	by, open := make([][]mark, len(r.Header.Workers)), make([]openMark, len(r.Header.Workers))
	counts, all := make([]int, len(by)), 0 // marks by worker, in one array
	for _, w := range r.Worker {
		counts[w]++
	}
	for w, n := range counts {
		counts[w] = (n + k.group - 1) / k.group
		all += counts[w]
	}
	k.marks = make([]mark, all)
	for w, to := 0, k.marks; w < len(by); w++ {
		by[w], to = to[:0:counts[w]], to[counts[w]:]
	}
	state, took := r.Begin(), times(r)
	dirty := make([]bool, len(r.Bytes))
	var list []scene.Unit
	note := func(u scene.Unit) {
		if !dirty[u] {
			dirty[u] = true
			list = append(list, u)
		}
	}
	x := 0
	for m := range moments {
		until := part(r.Window, m+1, moments)
		for ; x < len(r.Start) && r.Start[x] <= until; x++ {
			w := r.Worker[x]
			o := &open[w]
			o.add(r, x, took(x), state.Wrote(x))
			if state.Execute(x, note); o.executions == k.group {
				by[w] = append(by[w], o.close(int(w)))
			}
		}
		slices.Sort(list)
		k.moments = append(k.moments, moment{until, make([]touched, len(list))})
		for i, u := range list {
			t := &state.Units[u]
			k.moments[m].units[i] = touched{u, t.Toucher, t.Writer, t.Nodes, t.Bin}
			dirty[u] = false
		}
		list = list[:0]
	}
	for w := range by {
		if open[w].executions > 0 {
			by[w] = append(by[w], open[w].close(w))
		}
	}
}

// add adds execution x, of so many ticks, most of whose data a node wrote.
func (o *openMark) add(r *scene.Run, x int, took int64, wrote int) {
	if o.executions == 0 {
		o.start = max(r.Start[x], r.Window.From)
	}
	o.executions++
	o.end, o.busy = max(o.end, min(r.End[x], r.Window.To)), o.busy+took
	took = max(took, 1)
	o.kernels, o.nodes = add(o.kernels, int(r.Kernel[x]), took), add(o.nodes, wrote, took)
	o.times[r.Farthest(x)] += took
	for i := r.From[x]; i < r.From[x+1]; i++ {
		o.bins[r.Bins[i]][r.Classes[i]]++
	}
}

// close returns the mark, and makes o one without executions.
func (o *openMark) close(worker int) mark {
	m := o.mark
	m.worker, m.kernels, m.nodes = worker, slices.Clone(o.kernels), slices.Clone(o.nodes)
	for b := range o.bins {
		for class, n := range o.bins[b] {
			if n > 0 {
				m.bins = append(m.bins, binCount{uint8(b), uint8(class), n})
			}
		}
	}
	*o = openMark{mark: mark{kernels: o.kernels[:0], nodes: o.nodes[:0]}}
	return m
}

// times returns a function of the ticks of an execution in the window; those with the stamps of one
// task share its time.
func times(r *scene.Run) func(x int) int64 {
	within := func(x int32) (from, to int64) { return max(r.Start[x], r.Window.From), min(r.End[x], r.Window.To) }
	if r.Task == nil {
		return func(x int) int64 { from, to := within(int32(x)); return to - from }
	}
	took := make([]int64, len(r.Start))
	for _, l := range r.ByWorker() {
		for i, j := 0, 0; i < len(l); i = j {
			from, to := r.Start[l[i]], r.End[l[i]]
			for j = i + 1; r.Task[l[i]] && j < len(l) && r.Task[l[j]] &&
				r.Start[l[j]] == from && r.End[l[j]] == to; j++ {
			}
			from, to = within(l[i])
			share, more := (to-from)/int64(j-i), (to-from)%int64(j-i)
			for k, x := range l[i:j] {
				if took[x] = share; int64(k) < more {
					took[x]++
				}
			}
		}
	}
	return func(x int) int64 { return took[x] }
}

// merged returns marks of twice as many executions; those of l are overwritten.
func merged(l []mark) []mark {
	n := 0
	for i := 0; i < len(l); i++ {
		m := l[i]
		if i+1 < len(l) && l[i+1].worker == m.worker {
			i++
			m.join(&l[i])
		}
		l[n] = m
		n++
	}
	clear(l[n:])
	return l[:n]
}

// join adds the executions of o, which follow.
func (m *mark) join(o *mark) {
	m.executions, m.end, m.busy = m.executions+o.executions, max(m.end, o.end), m.busy+o.busy
	for class, t := range o.times {
		m.times[class] += t
	}
	for _, s := range o.kernels {
		m.kernels = add(m.kernels, s.key, s.ticks)
	}
	for _, s := range o.nodes {
		m.nodes = add(m.nodes, s.key, s.ticks)
	}
	m.bins = union(m.bins, o.bins, func(a, b binCount) int {
		return cmp.Or(cmp.Compare(a.bin, b.bin), cmp.Compare(a.class, b.class))
	}, func(a, b binCount) binCount { a.n += b.n; return a })
}

// union returns what is in one of two ascending lists, or what both makes of it if it is in both.
func union[T any](a, b []T, compare func(a, b T) int, both func(a, b T) T) []T {
	l := make([]T, 0, max(len(a), len(b)))
	for len(a) > 0 && len(b) > 0 {
		c := compare(a[0], b[0])
		switch {
		case c < 0:
			l = append(l, a[0])
		case c > 0:
			l = append(l, b[0])
		default:
			l = append(l, both(a[0], b[0]))
		}
		if c <= 0 {
			a = a[1:]
		}
		if c >= 0 {
			b = b[1:]
		}
	}
	return append(append(l, a...), b...)
}

// thinned returns half of the moments, a power of two; none of one.
func thinned(l []moment) []moment {
	half := make([]moment, len(l)/2)
	for i := range half {
		half[i] = moment{l[2*i+1].until, union(l[2*i].units, l[2*i+1].units, func(a, b touched) int {
			return cmp.Compare(a.unit, b.unit)
		}, func(_, b touched) touched { return b })}
	}
	return half
}

// momentsSize returns the bytes that moments take in the page without anything else.
func momentsSize(l []moment) int {
	w, p := &writer{}, packed{}
	w.moments(l)
	p.data = w.compressed(math.MaxInt)
	return p.size()
}

// marks writes marks: whose each is, in the order in which they began; the columns of stamps; of each
// how many executions it is, the ticks in them, what took most of its time, a kernel and a node that wrote,
// the ticks of each class, and the accesses of each bin.
func (w *writer) marks(list []mark) {
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(list[a].start, list[b].start) })
	for _, i := range order {
		w.put(uint64(list[i].worker))
	}
	last, of := int64(0), -1
	for i := range list {
		m := &list[i]
		if m.worker != of {
			last, of = 0, m.worker
		}
		w.signed(m.start - last)
		last = m.end
	}
	for i := range list {
		w.put(uint64(list[i].end - list[i].start))
	}
	for i := range list {
		m := &list[i]
		w.put(uint64(m.executions))
		w.put(uint64(m.busy))
		w.put(uint64(most(m.kernels)))
		w.put(uint64(most(m.nodes) + 1))
		for _, t := range m.times {
			w.put(uint64(t))
		}
		w.put(uint64(len(m.bins)))
		for _, b := range m.bins {
			w.put(uint64(b.bin))
			w.put(uint64(b.class))
			w.put(uint64(b.n))
		}
	}
}

// moments writes who touched and wrote each unit last, at some moments at equal distances: those that
// have changed since the moment before.
func (w *writer) moments(list []moment) {
	for _, m := range list {
		w.put(uint64(m.until))
		w.put(uint64(len(m.units)))
		last := int64(-1)
		for _, t := range m.units {
			w.put(uint64(int64(t.unit) - last - 1))
			last = int64(t.unit)
			w.put(uint64(t.toucher + 1))
			w.put(uint64(t.writer + 1))
			w.put(uint64(t.nodes))
			w.put(uint64(t.bin))
		}
	}
}
