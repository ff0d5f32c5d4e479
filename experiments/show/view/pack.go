package view

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
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

	data []byte
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

// pack packs a run in at most so many bytes, as they stand in the page, if that can be: with one mark
// an execution, or of as few as fit.
func pack(name string, r *scene.Run, room int) *packed {
	group := 1
	for most := room / 4; len(r.Start)/group > most || len(r.Items)/group > 3*most; {
		group *= 2 // an execution and three accesses take 4 bytes at the least
	}
	for {
		p := describe(name, r, group)
		w := &writer{}
		if group == 1 {
			w.executions(r)
		} else {
			w.marks(r, group, room, p)
		}
		w.rest(r, p)
		p.data = w.compressed()
		size := base64.StdEncoding.EncodedLen(len(p.data))
		if size <= room || p.Marks <= fewMarks {
			return p
		}
		group *= 1 << bits.Len(uint(size/room)) // marks of twice as many take more than half as much
	}
}

// packAll packs runs in so many bytes together: what small ones leave is for the others, equally.
func packAll(runs []Run, room int) []*packed {
	list, order := make([]*packed, len(runs)), make([]int, len(runs))
	size := func(i int) int { return base64.StdEncoding.EncodedLen(len(list[i].data)) }
	for i := range runs {
		list[i], order[i] = pack(runs[i].Name, runs[i].Run, room), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	for n, i := range order {
		if share := room / (len(order) - n); size(i) > share {
			list[i] = pack(runs[i].Name, runs[i].Run, share)
		}
		room -= size(i)
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

func (w *writer) compressed() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(w.b) // to memory
	_ = z.Close()
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
			l, shares = coarse(l, r.Ticks)
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

// coarse cuts time into coarseCells and returns those in which a worker looked for work, with how
// much of them it did, in 255ths.
func coarse(l []scene.Span, ticks int64) (cells []scene.Span, shares []uint64) {
	edge := func(c int) int64 {
		return ticks/coarseCells*int64(c) + ticks%coarseCells*int64(c)/coarseCells
	}
	i := 0
	for c := range coarseCells {
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

// A mark is executions of a worker, one after the other.
type mark struct {
	worker, first, last int // executions
	start               int64
}

// marks writes marks of so many executions in place of each of them, and the map at some moments in
// place of accesses.
func (w *writer) marks(r *scene.Run, group, room int, p *packed) {
	list := r.ByWorker()
	var all []mark
	for of, l := range list {
		for i := 0; i < len(l); i += group {
			j := min(i+group, len(l))
			all = append(all, mark{of, i, j, r.Start[l[i]]})
		}
	}
	order := slices.Clone(all)
	slices.SortStableFunc(order, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	for _, m := range order {
		w.put(uint64(m.worker))
	}
	p.Marks, p.Accesses, p.Lists = len(all), 0, 0
	last, of := int64(0), -1
	for _, m := range all {
		if m.worker != of {
			last, of = 0, m.worker
		}
		w.signed(m.start - last)
		last = m.end(r, list)
	}
	for _, m := range all {
		w.put(uint64(m.end(r, list) - m.start))
	}
	writers, took := r.Writers(), times(r, list)
	for _, m := range all {
		w.mark(r, list[m.worker][m.first:m.last], writers, took)
	}
	w.moments(r, room, p)
}

// times returns the ticks of each execution; those with the stamps of one task share its time.
func times(r *scene.Run, list [][]int32) []int64 {
	took := make([]int64, len(r.Start))
	for _, l := range list {
		for i, j := 0, 0; i < len(l); i = j {
			from, to := r.Start[l[i]], r.End[l[i]]
			for j = i + 1; r.Task != nil && r.Task[l[i]] && j < len(l) && r.Task[l[j]] &&
				r.Start[l[j]] == from && r.End[l[j]] == to; j++ {
			}
			share, more := (to-from)/int64(j-i), (to-from)%int64(j-i)
			for k, x := range l[i:j] {
				if took[x] = share; int64(k) < more {
					took[x]++
				}
			}
		}
	}
	return took
}

func (m *mark) end(r *scene.Run, list [][]int32) (t int64) {
	for _, k := range list[m.worker][m.first:m.last] {
		t = max(t, r.End[k])
	}
	return t
}

// mark writes a mark: how many executions, the ticks in them, those of each class and of each bin of
// accesses, and what took most of its time: a kernel and a node that wrote.
func (w *writer) mark(r *scene.Run, l []int32, writers []int16, took []int64) {
	var busy int64
	kernels, nodes := map[int]int64{}, map[int]int64{}
	var times [scene.Classes + 1]int64
	var bins [scene.ColdBin + 1][scene.Classes]uint64
	for _, k := range l {
		d := took[k]
		busy += d
		kernels[int(r.Kernel[k])] += max(d, 1)
		nodes[int(writers[k])] += max(d, 1)
		times[r.Farthest(int(k))] += max(d, 1)
		for i := r.From[k]; i < r.From[k+1]; i++ {
			bins[r.Bins[i]][r.Classes[i]]++
		}
	}
	w.put(uint64(len(l)))
	w.put(uint64(busy))
	w.put(uint64(most(kernels)))
	w.put(uint64(most(nodes) + 1))
	for _, t := range times {
		w.put(uint64(t))
	}
	n := 0
	for b := range bins {
		for _, c := range bins[b] {
			n += one(c > 0)
		}
	}
	w.put(uint64(n))
	for b := range bins {
		for class, c := range bins[b] {
			if c > 0 {
				w.put(uint64(b))
				w.put(uint64(class))
				w.put(c)
			}
		}
	}
}

// most returns the key of the largest value, the least of several.
func most(m map[int]int64) int {
	best, at := int64(-1), 0
	for k, v := range m {
		if v > best || v == best && k < at {
			best, at = v, k
		}
	}
	return at
}

// moments writes who touched and wrote each unit last, at some moments at equal distances: those that
// have changed since the moment before.
func (w *writer) moments(r *scene.Run, room int, p *packed) {
	// a change of a unit takes about four bytes
	p.Moments = min(256, max(8, room/2/4/max(1, len(r.Bytes))))
	k, s := 0, r.Begin()
	dirty := make([]bool, len(r.Bytes))
	var list []scene.Unit
	for m := range p.Moments {
		until := r.Ticks / int64(p.Moments) * int64(m+1)
		if m == p.Moments-1 {
			until = r.Ticks
		}
		for ; k < len(r.Start) && r.Start[k] <= until; k++ {
			s.Execute(k, func(u scene.Unit) {
				if !dirty[u] {
					dirty[u] = true
					list = append(list, u)
				}
			})
		}
		slices.Sort(list)
		w.put(uint64(until))
		w.put(uint64(len(list)))
		last := int64(-1)
		for _, u := range list {
			dirty[u] = false
			w.put(uint64(int64(u) - last - 1))
			last = int64(u)
			t := &s.Units[u]
			w.put(uint64(t.Toucher + 1))
			w.put(uint64(t.Writer + 1))
			w.put(uint64(t.Nodes()))
			w.put(uint64(t.Bin))
		}
		list = list[:0]
	}
}
