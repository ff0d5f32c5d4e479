package view

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/gzip"

	"krdlab/experiments/show/scene"
)

// A packed run is one in the form of the page: its description as JSON, and columns of numbers as
// variable-length integers (those of encoding/binary, signed ones zigzag), compressed. The script
// reads them in the order in which they are written here: model.js, Run.
type packed struct {
	Name      string        `json:"name"`
	Kernel    string        `json:"kernel"`
	Params    string        `json:"params"`
	Machine   string        `json:"machine"`
	Substrate string        `json:"substrate"`
	Synthetic bool          `json:"synthetic"`
	Tasks     bool          `json:"taskStamps"` // stamps are of tasks, whose executions share their time
	Hz        float64       `json:"hz"`         // ticks a second; 0: not known
	Ticks     int64         `json:"ticks"`
	Nodes     int           `json:"nodes"`
	Workers   []int         `json:"workers"` // the node of each
	L2        uint64        `json:"l2"`      // bytes; 0: not known
	LLC       uint64        `json:"llc"`
	Lost      string        `json:"lost"` // what is missing; "": nothing
	Kernels   []string      `json:"kernels"`
	Objects   []area        `json:"objects"`
	Count     int           `json:"count"`    // executions
	Marks     int           `json:"marks"`    // of the timeline
	Group     int           `json:"group"`    // executions of a mark; 1: each has its own
	Accesses  int           `json:"accesses"` // that are listed: all, or none where marks are of several
	Units     int           `json:"units"`
	Lists     int           `json:"lists"`
	Steals    int           `json:"steals"`   // that are listed
	Stole     int           `json:"stole"`    // all
	StoleFar  int           `json:"stoleFar"` // from another node
	Moments   int           `json:"moments"`  // of the map, where accesses are not listed
	Searches  bool          `json:"searches"`
	Stealing  bool          `json:"stealing"`
	Tree      *scene.Folded `json:"tree"`
	NoTree    string        `json:"noTree"` // why there is none
	Window    *window       `json:"window,omitempty"`

	data []byte
}

// A window is that of a run which is not whole.
type window struct {
	From  int64   `json:"from"` // ticks
	To    int64   `json:"to"`
	Wrote []int16 `json:"wrote"` // of the executions that began before it: [scene.Before]
	State bool    `json:"state"` // units are listed as they are when it begins
}

type area struct {
	Name    string `json:"name"`
	First   int    `json:"first"`
	Units   int    `json:"units"`
	Bytes   uint64 `json:"bytes"`
	Rows    int    `json:"rows"`
	Columns int    `json:"columns"`
	Matrix  bool   `json:"matrix"`
	Curve   bool   `json:"curve"`
}

// fewMarks is how many marks a run has at least, if it has as many executions: fewer would save
// little, since its units, searches and steals take room too.
const fewMarks = 1000

// A packer packs a run in ever less room. It keeps the sums of a pass over the executions for the next
// room.
type packer struct {
	name    string
	run     *scene.Run
	one     *packed // with a mark an execution; nil: not tried yet, or it was too large
	tried   bool
	group   int // executions of a mark; 0: none have been made
	marks   []mark
	moments []moment
	before  *writer // the units before the window; nil: not made yet
}

// state writes the units as they are when the window begins, if that takes at most half of the room and
// the page shows how they change.
func (k *packer) state(w *writer, p *packed, room int) {
	if k.run.Before == nil || p.Group > 1 && p.Moments == 0 {
		return
	}
	if k.before == nil {
		k.before = &writer{}
		k.before.past(k.run)
	}
	if p.Window.State = k.before.compressed(room/2) != nil; p.Window.State {
		w.b = append(w.b, k.before.b...)
	}
}

// pack returns the run in at most so many bytes, as they stand in the page, if that can be: with one
// mark an execution, or of as few as fit, and then with moments that take at most half of them.
// Cost: two passes over the executions, whatever the room.
func (k *packer) pack(room int) *packed {
	r := k.run
	if most := room / 4; !k.tried && len(r.Start) <= most && len(r.Items) <= 3*most {
		// an execution and three accesses take 4 bytes at the least
		k.tried, k.one = true, k.finished(1, room, room, func(w *writer, _ *packed) { w.executions(r) })
	}
	if k.one != nil && k.one.size() <= room {
		return k.one
	}
	if k.one, k.tried = nil, true; k.group == 0 {
		for k.group = 2; len(r.Start)/k.group > min(mostMarks, room/16); {
			k.group *= 2
		}
		k.sum(mostMoments(room, len(r.Bytes)))
	}
	for len(k.moments) > 0 && momentsSize(k.moments) > room/2 {
		k.moments = thinned(k.moments)
	}
	for {
		p := k.finished(k.group, math.MaxInt, room, func(w *writer, p *packed) {
			w.marks(k.marks)
			w.moments(k.moments)
			p.Marks, p.Accesses, p.Lists, p.Moments = len(k.marks), 0, 0, len(k.moments)
		})
		switch size := p.size(); {
		case size <= room || len(k.marks) <= fewMarks && len(k.moments) == 0:
			return p
		case len(k.marks) <= fewMarks:
			k.moments = thinned(k.moments)
		default: // marks of twice as many take more than half as much
			for range bits.Len(uint(size / room)) {
				k.group *= 2
				k.marks = merged(k.marks)
			}
		}
	}
}

// finished returns a packed run with the columns that f writes, and the rest; nil if it takes more
// than so many bytes. It should take room.
func (k *packer) finished(group, most, room int, f func(w *writer, p *packed)) *packed {
	p, w := describe(k.name, k.run, group), &writer{}
	f(w, p)
	w.rest(k.run, p)
	k.state(w, p, room)
	if p.data = w.compressed(most); p.data == nil {
		return nil
	}
	return p
}

// size returns the bytes of the run's columns in the page.
func (p *packed) size() int { return base64.StdEncoding.EncodedLen(len(p.data)) }

// packAll packs runs in so many bytes together: what small ones leave is for the others, equally.
func packAll(runs []Run, room int) []*packed {
	list, packers, order := make([]*packed, len(runs)), make([]*packer, len(runs)), make([]int, len(runs))
	for i := range runs {
		packers[i], order[i] = &packer{name: runs[i].Name, run: runs[i].Run}, i
		list[i] = packers[i].pack(room)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].size(), list[b].size()) })
	for n, i := range order {
		if share := room / (len(order) - n); list[i].size() > share {
			list[i] = packers[i].pack(share)
		}
		room -= list[i].size()
	}
	return list
}

func describe(name string, r *scene.Run, group int) *packed {
	h := r.Header
	p := &packed{Name: name, Kernel: h.Kernel, Machine: h.Machine,
		Substrate: h.Substrate, Synthetic: h.Synthetic, Tasks: r.Task != nil, Hz: h.Clock.Hz,
		Ticks: r.Ticks, Nodes: h.Nodes, L2: h.L2Bytes, LLC: h.LLCBytes, Kernels: []string{},
		Objects: []area{}, Count: len(r.Start), Marks: len(r.Start), Group: group,
		Accesses: len(r.Items), Units: len(r.Bytes), Lists: len(r.Lists), Steals: len(r.Steals),
		Stole: len(r.Steals), Searches: r.Searches, Stealing: r.Stealing}
	for i, kv := range h.Params {
		if i > 0 {
			p.Params += " "
		}
		p.Params += kv.Key + "=" + kv.Value
	}
	if r.Before != nil {
		p.Window = &window{From: r.Window.From, To: r.Window.To, Wrote: append([]int16{}, r.Before.Wrote...)}
	}
	if r.Loss != nil {
		p.Lost = r.Loss.Error()
	}
	for _, s := range r.Steals {
		if h.Workers[s.Thief].Node != h.Workers[s.Victim].Node {
			p.StoleFar++
		}
	}
	for _, w := range h.Workers {
		p.Workers = append(p.Workers, w.Node)
	}
	for _, k := range h.Registry.Kernels {
		p.Kernels = append(p.Kernels, k.Name)
	}
	for _, o := range r.Objects {
		rows, columns := o.Layout.Size(o.Units)
		p.Objects = append(p.Objects, area{Name: o.Name, First: int(o.First),
			Units: o.Units, Bytes: o.Bytes, Rows: rows, Columns: columns, Matrix: o.Layout.Across > 0,
			Curve: o.Layout.Curve})
	}
	return p
}

// A writer writes columns.
type writer struct{ b []byte }

func (w *writer) put(v uint64)   { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) signed(v int64) { w.b = binary.AppendVarint(w.b, v) }

// compressed returns the columns compressed; nil if they take more than so many bytes in the page.
func (w *writer) compressed(room int) []byte {
	const step = 1 << 20
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	for b := w.b; len(b) > 0 && out.Len() <= room; b = b[min(step, len(b)):] {
		_, _ = z.Write(b[:min(step, len(b))]) // to memory
	}
	_ = z.Close()
	if base64.StdEncoding.EncodedLen(out.Len()) > room {
		return nil
	}
	return out.Bytes()
}

// executions writes all of them: whose each is, in the order in which they began; then the columns,
// worker by worker.
func (w *writer) executions(r *scene.Run) {
	for _, of := range r.Worker {
		w.put(uint64(of))
	}
	list := r.ByWorker()
	each := func(f func(k int32)) {
		for _, l := range list {
			for _, k := range l {
				f(k)
			}
		}
	}
	last := int64(0)
	for _, l := range list {
		last = 0
		for _, k := range l {
			w.signed(r.Start[k] - last)
			last = r.End[k]
		}
	}
	each(func(k int32) { w.put(uint64(r.End[k] - r.Start[k])) })
	each(func(k int32) { w.put(uint64(r.Kernel[k])) })
	if r.Task != nil {
		each(func(k int32) { w.put(uint64(one(r.Task[k]))) })
	}
	each(func(k int32) { w.put(uint64(r.From[k+1] - r.From[k])) })
	// in arguments of the same place blocks are near each other
	for _, l := range list {
		var before []uint32
		for _, k := range l {
			for i, item := range r.Items[r.From[k]:r.From[k+1]] {
				if i == len(before) {
					before = append(before, 0)
				}
				w.signed(int64(item) - int64(before[i]))
				before[i] = item
			}
		}
	}
	each(func(k int32) {
		for i := r.From[k]; i < r.From[k+1]; i++ {
			w.put(uint64(r.Modes[i]) | uint64(r.Classes[i])<<2)
		}
	})
	each(func(k int32) {
		for _, bin := range r.Bins[r.From[k]:r.From[k+1]] {
			w.put(uint64(bin))
		}
	})
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rest writes units, lists of them where accesses are listed, searches and steals. Where marks are of
// several executions, searches are how much of each cell of time a worker looks for work, and some of
// the steals, at equal distances, stand for all.
func (w *writer) rest(r *scene.Run, p *packed) {
	last := int64(0)
	for _, b := range r.Bytes {
		w.signed(int64(b) - last)
		last = int64(b)
	}
	if p.Group == 1 {
		for _, l := range r.Lists {
			w.put(uint64(len(l)))
			last := int64(0)
			for _, u := range l {
				w.signed(int64(u) - last)
				last = int64(u)
			}
		}
	}
	for _, l := range r.Idle {
		var shares []uint64
		if p.Group > 1 {
			l, shares = coarse(l, r.Window, p.cells())
		}
		w.put(uint64(len(l)))
		last := int64(0)
		for i, s := range l {
			w.signed(s.From - last)
			w.put(uint64(s.To - s.From))
			last = s.To
			if shares != nil {
				w.put(shares[i])
			}
		}
	}
	steals := r.Steals
	if p.Group > 1 && len(steals) > coarseSteals {
		steals = nil
		for i := range coarseSteals {
			steals = append(steals, r.Steals[i*len(r.Steals)/coarseSteals])
		}
		p.Steals = coarseSteals
	}
	last = 0
	for _, s := range steals {
		w.signed(s.At - last)
		last = s.At
		w.put(uint64(s.Thief))
		w.put(uint64(s.Victim))
	}
}

const (
	coarseCells  = 4096
	coarseSteals = 20000
)

// cells returns into how many cells the time of each worker is cut: fewer for many workers, whose
// searches would take the room of the marks.
func (p *packed) cells() int { return max(64, min(coarseCells, 1<<20/len(p.Workers))) }

// part returns where part i of n of a span begins.
func part(of scene.Span, i, n int) int64 {
	ticks := of.To - of.From
	return of.From + ticks/int64(n)*int64(i) + ticks%int64(n)*int64(i)/int64(n)
}

// past writes the nodes that have touched each unit before the window, the last worker that did and that
// wrote, and the bin of the last access: of the touched units, in the order of these.
func (w *writer) past(r *scene.Run) {
	b := r.Before
	w.put(uint64(len(b.Order)))
	last := int64(0)
	for _, u := range b.Order {
		w.signed(int64(u) - last)
		last = int64(u)
	}
	for _, u := range b.Order {
		t := &b.Units[u]
		w.put(uint64(t.Toucher))
		w.put(uint64(t.Writer + 1))
		w.put(uint64(t.Bin))
		w.put(uint64(t.Nodes))
		last := -1
		for n := range r.Header.Nodes {
			if b.Had(u, n) {
				w.put(uint64(n - last - 1))
				last = n
			}
		}
	}
}

// coarse cuts a window of time into so many cells and returns those in which a worker looked for work, with how
// much of them it did, in 255ths.
func coarse(l []scene.Span, of scene.Span, n int) (cells []scene.Span, shares []uint64) {
	edge := func(c int) int64 { return part(of, c, n) }
	i := 0
	for c := range n {
		from, to := edge(c), edge(c+1)
		var sum int64
		for ; i < len(l) && l[i].From < to; i++ {
			sum += max(0, min(l[i].To, to)-max(l[i].From, from))
			if l[i].To > to {
				break
			}
		}
		if sum > 0 {
			cells = append(cells, scene.Span{From: from, To: to})
			shares = append(shares, uint64(max(1, (sum*255+(to-from)/2)/(to-from))))
		}
	}
	return cells, shares
}
