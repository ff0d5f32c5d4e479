package machine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"krdlab/hw"
)

// hardware measures the computer that the program runs on. Memory is taken once for each domain and
// given back by close.
type hardware struct {
	t       *hw.Topology
	m       *Machine
	clock   hw.Clock
	byNode  [][]int // the CPUs that may be used, one of each core
	size    uint64
	memory  map[int][]byte // by domain
	notes   string
	loose   atomic.Bool // threads could not be pinned
	scratch []uint32
}

func newHardware(t *hw.Topology, m *Machine) (*hardware, error) {
	h := &hardware{t: t, m: m, clock: hw.CalibrateClock(), byNode: make([][]int, m.Nodes),
		memory: map[int][]byte{}}
	cpus, err := t.Available(hw.Binding{}, false)
	if err != nil {
		return nil, err
	}
	for _, cpu := range cpus {
		n := t.NodeOf(cpu)
		h.byNode[n] = append(h.byNode[n], cpu)
	}
	h.size = max(4*m.LLC.Bytes, 2*m.LLC.Bytes*uint64(m.Memory.NodesPerDomain), 32<<20)
	if free, err := hw.FreeMemory(); err == nil {
		h.size = min(h.size, uint64(max(free.FreeBytes, 0))/4/uint64(m.Domains()))
	} else {
		h.size = min(h.size, 256<<20)
	}
	h.size &^= 1<<21 - 1
	if h.size < m.L2.Bytes {
		return nil, fmt.Errorf("a quarter of the free memory is %d bytes, less than an L2 of %d",
			h.size, m.L2.Bytes)
	}
	h.notes = "ordinary pages"
	if setting := hw.HostFacts().HugePages; setting != "" {
		h.notes = "transparent huge pages: " + setting
	}
	return h, nil
}

func (h *hardware) close() {
	for _, b := range h.memory {
		hw.Unmap(b) // nothing can be done about an error, and the process ends soon
	}
	h.memory = nil
}

func (h *hardware) most() uint64         { return h.size }
func (h *hardware) cores(node int) []int { return h.byNode[node] }

func (h *hardware) conditions() string {
	if h.loose.Load() {
		return h.notes + ", threads not pinned"
	}
	return h.notes
}

// on runs f on a thread that is bound to a CPU, where the system can do that.
func (h *hardware) on(cpu int, f func()) error {
	err := hw.OnCPU(cpu, f)
	if errors.Is(err, hw.ErrUnsupported) {
		h.loose.Store(true)
		f()
		err = nil
	}
	return err
}

// ps returns the time since a stamp.
func (h *hardware) ps(since uint64) uint64 {
	return uint64(h.clock.Nanoseconds(hw.TSC()-since) * 1000)
}

// take returns memory of a domain. Pages are placed by who touches them first, a core of the domain
// if the system cannot be asked.
func (h *hardware) take(domain int) ([]byte, error) {
	if b := h.memory[domain]; b != nil {
		return b, nil
	}
	b, err := hw.Map(int(h.size))
	if err != nil {
		return nil, err
	}
	cpu := -1
	for n := domain * h.m.Memory.NodesPerDomain; n < (domain+1)*h.m.Memory.NodesPerDomain &&
		cpu < 0; n++ {
		if len(h.byNode[n]) > 0 {
			cpu = h.byNode[n][0]
		}
	}
	if cpu < 0 {
		hw.Unmap(b)
		return nil, fmt.Errorf("no core of memory %d can be used", domain+1)
	}
	if err := h.on(cpu, func() {
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}); err != nil {
		return nil, err
	}
	h.memory[domain] = b
	return b, nil
}

// sink keeps the compiler from dropping loads whose values are not used.
var sink atomic.Uint64

func (h *hardware) walk(cpu, domain int, bytes uint64, chains, loads, samples int) ([]uint64,
	error) {
	b, err := h.take(domain)
	if err != nil {
		return nil, err
	}
	if bytes > uint64(len(b)) {
		return nil, fmt.Errorf("walk over %d bytes: there are %d", bytes, len(b))
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), bytes/8)
	var out []uint64
	err = h.on(cpu, func() {
		step := h.m.L1.LineBytes / 8
		lines := len(words) / step
		h.scratch = cycle(words, step, h.scratch)
		sink.Add(chase(words, 0, min(lines, 1<<22))) // warm up: caches and pages
		at := make([]uint64, chains)
		for i := range at {
			at[i] = uint64(lines * i / chains * step) // anywhere in the cycle
		}
		for range samples {
			start := hw.TSC()
			if chains == 1 {
				at[0] = chase(words, at[0], loads)
			} else {
				chaseAll(words, at, loads)
			}
			out = append(out, h.ps(start))
		}
		sink.Add(at[0])
	})
	return out, err
}

// cycle writes at the start of each line (of step words) the index of the start of another, so that
// following them visits all lines in random order (Sattolo 1986). It returns what it used, for the
// next time.
func cycle(words []uint64, step int, order []uint32) []uint32 {
	lines := len(words) / step
	order = slices.Grow(order[:0], lines)[:lines]
	for i := range order {
		order[i] = uint32(i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := lines - 1; i > 0; i-- {
		j := random.IntN(i)
		order[i], order[j] = order[j], order[i]
	}
	for i, next := range order {
		words[i*step] = uint64(int(next) * step)
	}
	return order
}

// chase makes n loads, each from the place that the one before loaded.
func chase(words []uint64, at uint64, n int) uint64 {
	for range n {
		at = words[at]
	}
	return at
}

// chaseAll works like chase, for several walks side by side.
func chaseAll(words, at []uint64, n int) {
	for range n {
		for i := range at {
			at[i] = words[at[i]]
		}
	}
}

func (h *hardware) rows(cpu, domain int, bytes uint64, samples int) ([]uint64, error) {
	b, err := h.take(domain)
	if err != nil {
		return nil, err
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), bytes/8)
	row := rowLines * h.m.L1.LineBytes / 8
	order := slices.Grow(h.scratch[:0], len(words)/row)[:len(words)/row]
	h.scratch = order
	for i := range order {
		order[i] = uint32(i)
	}
	random := rand.New(rand.NewPCG(3, 4))
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var out []uint64
	err = h.on(cpu, func() {
		for range samples {
			start := hw.TSC()
			sink.Add(sumRows(words, order, row))
			out = append(out, h.ps(start))
		}
	})
	return out, err
}

// sumRows adds the words of rows of so many, row after row.
func sumRows(words []uint64, order []uint32, row int) uint64 {
	var a, b uint64
	for _, r := range order {
		of := words[int(r)*row : int(r+1)*row]
		for i := 0; i+1 < len(of); i += 2 {
			a += of[i]
			b += of[i+1]
		}
	}
	return a + b
}

func (h *hardware) stream(cpus []int, bytes uint64, times, samples int) ([]uint64, error) {
	parts := make([][]uint64, len(cpus))
	start := map[int]uint64{}
	for i, cpu := range cpus {
		domain := h.m.Domain(h.t.NodeOf(cpu))
		b, err := h.take(domain)
		if err != nil {
			return nil, err
		}
		at := start[domain]
		start[domain] = at + bytes&^63
		if start[domain] > uint64(len(b)) {
			return nil, fmt.Errorf("%d cores read %d bytes each: there are %d", len(cpus), bytes,
				len(b))
		}
		parts[i] = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b[at:]))), bytes&^63/8)
	}
	var out []uint64
	for range samples {
		var ready, done sync.WaitGroup
		var began, ended, failed atomic.Uint64
		began.Store(^uint64(0))
		var first error
		var once sync.Once
		ready.Add(len(cpus))
		for i, cpu := range cpus {
			done.Go(func() {
				arrived := false
				err := h.on(cpu, func() {
					ready.Done()
					arrived = true
					ready.Wait()
					t0 := hw.TSC()
					for range times {
						sink.Add(read(parts[i], h.m.L1.LineBytes/8))
					}
					t1 := hw.TSC()
					lower(&began, t0)
					raise(&ended, t1)
				})
				if err != nil {
					once.Do(func() { first = err })
					failed.Add(1)
					if !arrived {
						ready.Done()
					}
				}
			})
		}
		done.Wait()
		if failed.Load() > 0 {
			return nil, first
		}
		out = append(out, uint64(h.clock.Nanoseconds(ended.Load()-began.Load())*1000))
	}
	return out, nil
}

func lower(x *atomic.Uint64, v uint64) {
	for old := x.Load(); v < old && !x.CompareAndSwap(old, v); old = x.Load() {
	}
}

func raise(x *atomic.Uint64, v uint64) {
	for old := x.Load(); v > old && !x.CompareAndSwap(old, v); old = x.Load() {
	}
}

// read loads a word of each line, in four quarters side by side; the memory system moves whole
// lines.
func read(words []uint64, step int) uint64 {
	var a, b, c, d uint64
	q := len(words) / 4 / step * step
	w, x, y, z := words[:q], words[q:2*q], words[2*q:3*q], words[3*q:]
	for i := 0; i+step <= q; i += step {
		a += w[i]
		b += x[i]
		c += y[i]
		d += z[i]
	}
	for i := q; i < len(z); i += step {
		a += z[i]
	}
	return a + b + c + d
}

func (h *hardware) spin(cpu int, n uint64, samples int) ([]uint64, error) {
	var out []uint64
	err := h.on(cpu, func() {
		sink.Add(additions(n / 10)) // the clock rises to its speed
		for range samples {
			start := hw.TSC()
			sink.Add(additions(n))
			out = append(out, h.ps(start))
		}
	})
	return out, err
}

// additions makes n operations, a multiple of 16 rounded down, each on the result of the one
// before: one cycle each.
func additions(n uint64) uint64 {
	x, y := n, n|1
	for range n / 16 {
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
		x += y
		y ^= x
	}
	return x + y
}
