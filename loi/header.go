package loi

import (
	"fmt"
	"math"
	"slices"
)

// Substrates a trace can come from.
const (
	Native    = "native"
	Simulated = "simulated"
)

// A Clock describes the clock of a trace's stamps.
type Clock struct {
	Source    string  // "tsc", "monotonic", "virtual"
	Hz        float64 // ticks per second; 0 if unknown
	Invariant bool    // the rate does not change with the frequency of the core
}

// A Worker describes where the records of one worker were taken.
type Worker struct {
	CPU  int // logical CPU it was pinned to; -1 if it was not
	Node int // the LLC domain it belongs to, from 0
	// TSCOffset is how many ticks the clock of this worker is ahead of that of worker 0. Stamps in
	// the file are as they were taken; stamp - TSCOffset are on one common clock.
	TSCOffset int64
}

// A KV is a parameter of what was run, or a free-form note.
type KV struct {
	Key   string `json:"name"`
	Value string `json:"value"`
}

// A Header holds all that the analysis of a trace needs besides its records.
type Header struct {
	Registry Registry `json:"-"`
	Clock    Clock    `json:"-"`
	Workers  []Worker `json:"-"` // by worker number
	// LLC domains; 0 in Create and Builder.Close means the largest Worker.Node + 1
	Nodes    int    `json:"nodes"`
	L2Bytes  uint64 `json:"-"` // per core; 0 if unknown
	LLCBytes uint64 `json:"-"` // per node; 0 if unknown
	// how L2Bytes and LLCBytes are known, as "told" or "assumed"; "" where that is not recorded
	L2Known   string `json:"l2_known,omitempty"`
	LLCKnown  string `json:"llc_known,omitempty"`
	Substrate string `json:"substrate"` // Native or Simulated
	Synthetic bool   `json:"synthetic"` // the worker-to-node map was imposed and is not the machine's
	Grain     string `json:"grain"`     // what one pair of stamps covers: "kernel" or "task"

	// The run, as far as it is known. Kernel is the program, which may execute several of
	// Registry.Kernels; it is none of them.
	Kernel    string `json:"kernel,omitempty"`
	Scheduler string `json:"scheduler,omitempty"`
	Params    []KV   `json:"params,omitempty"`  // of Kernel, in its order
	Cores     int    `json:"cores,omitempty"`   // that the scheduler was given; 0 if unknown
	Seed      uint64 `json:"seed"`              // of the first repetition
	Machine   string `json:"machine,omitempty"` // its name
	// MachineHash is the hash of the machine's description where it is simulated or from a file.
	MachineHash string `json:"machine_hash,omitempty"`
	// Unordered records that the records of a worker need not be in the order of their starts: those
	// of Go's own scheduler belong to CPUs.
	Unordered bool `json:"unordered"`

	Meta []KV `json:"-"` // free-form, in this order
}

// WorkersAreGoroutines is the entry of Meta in the trace of a Go program without a scheduler of
// tasks: its workers are goroutines, in one node.
var WorkersAreGoroutines = KV{Key: "workers are", Value: "goroutines"}

// Goroutines reports whether the workers are goroutines.
func (h *Header) Goroutines() bool { return slices.Contains(h.Meta, WorkersAreGoroutines) }

// UnitKey is the key of the entry of Meta for what one datum is, in the trace of a Go program.
const UnitKey = "unit"

// LostKey is the key of the entry of Meta for how often a program did what its trace lacks.
const LostKey = "accesses lost"

// Values of the note on one datum in the trace of a Go program.
const (
	UnitLine  = "line"
	UnitDatum = "datum"
)

// placeBits are those of a place in virtual space; above them a key has the size of a datum.
const placeBits = 56

// PlaceOf returns where in virtual space, in bytes, the datum is that an access names, of the trace
// of a Go program with such a unit.
func PlaceOf(unit string, a *Access) uint64 {
	if unit == UnitLine {
		return a.Block * a.Bytes
	}
	return a.Block & (1<<placeBits - 1)
}

// Unit returns what one datum is, as the trace of a Go program has it; "" elsewhere.
func (h *Header) Unit() string {
	for _, kv := range h.Meta {
		if kv.Key == UnitKey {
			return kv.Value
		}
	}
	return ""
}

const (
	maxParams  = 255
	maxKernels = math.MaxUint16     // number 0xffff is not used
	maxObjects = math.MaxUint16 + 1 // ObjectID is 16 bits
	maxRegions = math.MaxUint16     // number 0xffff is NoRegion
	maxCores   = math.MaxInt32
)

// MaxWorkers is how many workers a trace may have.
const MaxWorkers = 1 << 16

// Validate returns what makes h unfit for a trace: no worker, a node out of range, a name that is
// empty or used twice, a parameter that names no partition or has no mode, an empty block,
// registered blocks of another kind of object, or more than 2^32-1 blocks in all.
func (h *Header) Validate() error {
	if n := len(h.Workers); n < 1 || n > MaxWorkers {
		return fmt.Errorf("trace header: %d workers, expected 1 to %d", n, MaxWorkers)
	}
	for i, w := range h.Workers {
		if w.Node < 0 || w.Node >= h.Nodes {
			return fmt.Errorf("trace header: worker %d is on node %d of %d", i, w.Node, h.Nodes)
		}
		if w.CPU < -1 || w.CPU >= math.MaxInt32 {
			return fmt.Errorf("trace header: worker %d is on cpu %d", i, w.CPU)
		}
	}
	if h.Nodes > MaxWorkers {
		return fmt.Errorf("trace header: %d nodes, expected at most %d", h.Nodes, MaxWorkers)
	}
	if h.Substrate != Native && h.Substrate != Simulated {
		return fmt.Errorf("trace header: substrate %q, expected %q or %q", h.Substrate, Native,
			Simulated)
	}
	if !(h.Clock.Hz >= 0) || math.IsInf(h.Clock.Hz, 0) {
		return fmt.Errorf("trace header: clock of %v Hz", h.Clock.Hz)
	}
	if h.Cores < 0 || h.Cores > maxCores {
		return fmt.Errorf("trace header: %d cores, expected 0 to %d", h.Cores, maxCores)
	}
	return h.Registry.validate()
}

// setNodes sets Nodes if it is 0.
func (h *Header) setNodes() {
	if h.Nodes == 0 {
		for _, w := range h.Workers {
			h.Nodes = max(h.Nodes, w.Node+1)
		}
	}
}

func (r *Registry) validate() error {
	if len(r.Objects) > maxObjects || len(r.Kernels) > maxKernels {
		return fmt.Errorf("trace header: %d objects and %d kernels, expected at most %d and %d",
			len(r.Objects), len(r.Kernels), maxObjects, maxKernels)
	}
	var blocks uint64
	seen := make(map[string]bool)
	for i := range r.Objects {
		o := &r.Objects[i]
		if o.Name == "" || seen[o.Name] {
			return fmt.Errorf("trace header: object %d has the name %q, empty or used before", i,
				o.Name)
		}
		seen[o.Name] = true
		if o.Kind > Span {
			return fmt.Errorf("trace header: object %q has %v", o.Name, o.Kind)
		}
		if o.Kind != Partition && len(o.Blocks) > 0 {
			return fmt.Errorf("trace header: object %q is %v and has registered blocks", o.Name,
				o.Kind)
		}
		var bytes float64
		for _, run := range o.Blocks {
			if run.Count == 0 || run.Bytes == 0 {
				return fmt.Errorf("trace header: object %q has %d blocks of %d bytes", o.Name,
					run.Count, run.Bytes)
			}
			blocks += uint64(run.Count)
			bytes += float64(run.Count) * float64(run.Bytes)
		}
		if bytes >= math.MaxInt64 {
			return fmt.Errorf("trace header: object %q is larger than 2^63 bytes", o.Name)
		}
	}
	if blocks > math.MaxUint32 {
		return fmt.Errorf("trace header: %d blocks in all objects, expected at most %d", blocks,
			uint32(math.MaxUint32))
	}
	clear(seen)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		if k.Name == "" || seen[k.Name] {
			return fmt.Errorf("trace header: kernel %d has the name %q, empty or used before", i,
				k.Name)
		}
		seen[k.Name] = true
		if len(k.Params) > maxParams {
			return fmt.Errorf("trace header: kernel %q has %d parameters, expected at most %d",
				k.Name, len(k.Params), maxParams)
		}
		for j, p := range k.Params {
			if int(p.Object) >= len(r.Objects) {
				return fmt.Errorf("trace header: parameter %d of kernel %q names object %d of %d",
					j, k.Name, p.Object, len(r.Objects))
			}
			if o := &r.Objects[p.Object]; o.Kind != Partition {
				return fmt.Errorf("trace header: parameter %d of kernel %q names object %q, "+
					"which is %v, expected a partition", j, k.Name, o.Name, o.Kind)
			}
			if p.Mode < In || p.Mode > InOut {
				return fmt.Errorf("trace header: parameter %d of kernel %q has %v", j, k.Name,
					p.Mode)
			}
		}
		if k.Of == nil {
			continue
		}
		if len(k.Of) != len(k.Params) {
			return fmt.Errorf(
				"trace header: kernel %q has %d parameters and the arguments of %d", k.Name,
				len(k.Params), len(k.Of))
		}
		for a := range k.Args() {
			if !slices.Contains(k.Of, uint8(a)) {
				return fmt.Errorf("trace header: no parameter of kernel %q is of its argument %d",
					k.Name, a)
			}
		}
	}
	if err := r.validateRegions(); err != nil {
		return err
	}
	return r.validateOperations()
}

func (r *Registry) validateRegions() error {
	if len(r.Regions) > maxRegions {
		return fmt.Errorf("trace header: %d regions, expected at most %d", len(r.Regions),
			maxRegions)
	}
	for i := range r.Regions {
		x := &r.Regions[i]
		switch {
		case x.Name == "":
			return fmt.Errorf("trace header: region %d has no name", i)
		case x.Kind < Function || x.Kind > lastRegionKind:
			return fmt.Errorf("trace header: region %q has %v", x.Name, x.Kind)
		case x.Parent != NoRegion && int(x.Parent) >= i:
			return fmt.Errorf("trace header: region %q, number %d, has the parent %d, expected "+
				"an earlier one", x.Name, i, x.Parent)
		}
	}
	return nil
}
