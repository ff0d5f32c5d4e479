package virda

import (
	"context"
	"fmt"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/study"
	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// The caches of the paper's computer, a Core 2 Quad Q9550: what one core has of them.
const (
	lineBytes  = 64
	paperL1    = 32 << 10
	paperL1Way = 8
	paperLLC   = 6 << 20 // the L2 that two cores share
	paperWays  = 24
)

// ways are those of the simulated last-level cache, the paper's and all of its lines.
var ways = []int{paperWays, paperLLC / lineBytes}

// waysName names a cache of so many ways.
func waysName(ways int) string {
	if ways == paperWays {
		return fmt.Sprintf("%d ways", ways)
	}
	return "fully associative"
}

// Missed holds the misses of a program in simulated caches with the paper's sizes.
type Missed struct {
	Operations uint64   `json:"operations"` // loads and stores; an update is one of each
	Misses     []uint64 `json:"misses"`     // lines that missed the last-level cache, by ways
}

// Document implements [analysis.Result].
func (m *Missed) Document() any { return m }

// View implements [analysis.Result].
func (m *Missed) View() *doc.Doc { return &doc.Doc{} }

// perThousand returns the misses in 1 000 operations of the cache of ways[i].
func (m *Missed) perThousand(i int) float64 {
	return 1000 * float64(m.Misses[i]) / float64(max(m.Operations, 1))
}

// A replayed simulates the caches while the program runs. Lines have their places in virtual space;
// pages lie in pseudo-random frames. All accesses are loads: with one core a store misses where a
// load does.
//
// It leaves accesses out that change no cache: those to the line accessed last, and iterations of a
// loop whose lines are those of the iteration before. These hit the L1, which holds them all, and
// leave its order as it is.
type replayed struct {
	Missed
	lines  uint64
	models []*cachemodel.Model // by ways
	last   uint64
	list   []cachemodel.Access
	before []uint64 // lines of the iteration before
}

// newReplayed returns caches for a program that accesses so many bytes in virtual space.
func newReplayed(bytes uint64) (*replayed, error) {
	r := &replayed{lines: bytes/lineBytes + 1, last: ^uint64(0)}
	layout := cachemodel.Layout{}
	for range r.lines {
		layout.Add(lineBytes, lineBytes)
	}
	for _, n := range ways {
		m, err := machine.ByName("desktop") // its times do not matter
		if err != nil {
			return nil, err
		}
		m.Nodes, m.CoresPerNode, m.LLC.Inclusive = 1, 1, true
		m.L1.Bytes, m.L1.Ways = paperL1, paperL1Way
		m.L2.Bytes, m.L2.Ways = paperL1, paperL1Way
		m.LLC.Bytes, m.LLC.Ways = paperLLC, n
		opt := cachemodel.Options{Granularity: cachemodel.Lines}
		if n*lineBytes == paperLLC {
			opt.Granularity = cachemodel.Blocks
		}
		model, err := cachemodel.New(m, &layout, opt)
		if err != nil {
			return nil, err
		}
		r.models = append(r.models, model)
	}
	return r, nil
}

// access notes an access to a line.
func (r *replayed) access(line uint64) error {
	if line >= r.lines {
		return failure.Errorf(failure.Failed, "the program accesses line %d of virtual space, expected less than %d",
			line, r.lines)
	}
	if line != r.last {
		r.last, r.list = line, append(r.list, cachemodel.Access{Block: uint32(line)})
	}
	return nil
}

func operations(m loi.Mode) uint64 {
	if m == loi.InOut {
		return 2
	}
	return 1
}

// simulate runs the noted accesses through the caches.
func (r *replayed) simulate() {
	for _, m := range r.models {
		m.Kernel(0, 0, 0, 0, r.list)
	}
	r.list = r.list[:0]
}

// Accesses implements [analysis.Live].
func (r *replayed) Accesses(_ int, places []uint64, bytes []uint32, modes []loi.Mode) error {
	for i, p := range places {
		r.Operations += operations(modes[i])
		for line := p / lineBytes; line <= (p+uint64(max(bytes[i], 1))-1)/lineBytes; line++ {
			if err := r.access(line); err != nil {
				return err
			}
		}
	}
	r.simulate()
	return nil
}

// Loop implements [analysis.Live]. Data of more than a line are not in the loops of these programs.
func (r *replayed) Loop(_ int, times uint64, list []analysis.Strided) error {
	for i := range list {
		r.Operations += times * operations(list[i].Mode)
	}
	r.before = r.before[:0]
	for n := range times {
		same := n > 0 && len(list) <= paperL1Way
		for i := range list {
			line := (list[i].Place + n*uint64(list[i].Step)) / lineBytes
			if n == 0 {
				r.before = append(r.before, line)
			}
			same = same && r.before[i] == line
			r.before[i] = line
		}
		if same {
			continue
		}
		for _, line := range r.before {
			if err := r.access(line); err != nil {
				return err
			}
		}
	}
	r.simulate()
	return nil
}

// Enter implements [analysis.Live].
func (r *replayed) Enter(int, loi.RegionID, uint32) error { return nil }

// Leave implements [analysis.Live].
func (r *replayed) Leave(int, uint32) error { return nil }

// End implements [analysis.Live].
func (r *replayed) End() (analysis.Result, error) {
	for _, m := range r.models {
		c := m.Total()
		r.Misses = append(r.Misses, c.LLCMisses)
	}
	return &r.Missed, nil
}

// beside is how many bytes of virtual space a program may have beside the data of its kernel.
const beside = 4 << 20

// misses runs SciMark in the simulated caches; bytes is the size of its data.
func misses(ctx context.Context, w *study.Worker, args []string, bytes uint64) (any, error) {
	d, err := run(ctx, w, &goprogram.Request{Args: args, Unit: goprogram.Lines,
		Live: func(*loi.Header) (analysis.Live, error) { return newReplayed(bytes + beside) }})
	if err != nil {
		return nil, err
	}
	return d.Result.Document(), nil
}
