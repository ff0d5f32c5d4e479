package loi

import (
	"fmt"
	"math"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

func hex(b []byte) string { return fmt.Sprintf("% x", b) }

// encodeHeader returns the header as it stands in a file: integers as unsigned varints, strings with
// their length first.
func encodeHeader(h *Header) []byte {
	var e encoder
	e.str(h.Clock.Source)
	e.uint(math.Float64bits(h.Clock.Hz))
	e.bool(h.Clock.Invariant)
	e.uint(uint64(h.Nodes))
	e.uint(h.L2Bytes)
	e.uint(h.LLCBytes)
	e.str(h.L2Known)
	e.str(h.LLCKnown)
	e.str(h.Substrate)
	e.bool(h.Synthetic)
	e.str(h.Grain)
	encodeProgram(&e, h)
	e.uint(uint64(len(h.Workers)))
	for _, w := range h.Workers {
		e.uint(uint64(w.CPU + 1))
		e.uint(uint64(w.Node))
		e.uint(uint64(w.TSCOffset))
	}
	e.uint(uint64(len(h.Registry.Objects)))
	for _, o := range h.Registry.Objects {
		e.str(o.Name)
		e.uint(uint64(o.Kind))
		e.uint(uint64(len(o.Blocks)))
		for _, r := range o.Blocks {
			e.uint(uint64(r.Count))
			e.uint(r.Bytes)
		}
	}
	e.uint(uint64(len(h.Registry.Kernels)))
	for _, k := range h.Registry.Kernels {
		e.str(k.Name)
		e.uint(uint64(len(k.Params)))
		for _, p := range k.Params {
			e.uint(uint64(p.Object))
			e.uint(uint64(p.Mode))
		}
		e.uint(uint64(len(k.Of)))
		for _, a := range k.Of {
			e.uint(uint64(a))
		}
	}
	e.uint(uint64(len(h.Registry.Regions)))
	for _, r := range h.Registry.Regions {
		e.str(r.Name)
		e.uint(uint64(r.Kind))
		e.uint(uint64(r.Parent + 1)) // NoRegion: 0
	}
	e.pairs(h.Meta)
	e.encodeOperations(h.Registry.Operations)
	return e.b
}

// encodeProgram writes what was run.
func encodeProgram(e *encoder, h *Header) {
	e.str(h.Kernel)
	e.str(h.Scheduler)
	e.pairs(h.Params)
	e.uint(uint64(h.Cores))
	e.uint(h.Seed)
	e.str(h.Machine)
	e.str(h.MachineHash)
	e.bool(h.Unordered)
}

func decodeProgram(d *decoder, h *Header) {
	h.Kernel, h.Scheduler = d.str(), d.str()
	h.Params = d.pairs()
	h.Cores, h.Seed = int(d.uint(maxCores)), d.uint(math.MaxUint64)
	h.Machine, h.MachineHash = d.str(), d.str()
	h.Unordered = d.bool()
}

// decodeHeader reads what encodeHeader wrote; the whole of b must be used. Offsets in errors count from base.
func decodeHeader(b []byte, base int64) (Header, error) {
	d := decoder{b: b}
	var h Header
	h.Clock.Source = d.str()
	h.Clock.Hz = math.Float64frombits(d.uint(math.MaxUint64))
	h.Clock.Invariant = d.bool()
	h.Nodes = int(d.uint(MaxWorkers))
	h.L2Bytes = d.uint(math.MaxUint64)
	h.LLCBytes = d.uint(math.MaxUint64)
	h.L2Known, h.LLCKnown = d.str(), d.str()
	h.Substrate = d.str()
	h.Synthetic = d.bool()
	h.Grain = d.str()
	decodeProgram(&d, &h)
	for n := d.count(3, MaxWorkers); n > 0; n-- {
		h.Workers = append(h.Workers, Worker{
			CPU:       int(d.uint(math.MaxInt32)) - 1,
			Node:      int(d.uint(MaxWorkers)),
			TSCOffset: int64(d.uint(math.MaxUint64)),
		})
	}
	for n := d.count(2, maxObjects); n > 0; n-- {
		o := Object{Name: d.str(), Kind: ObjectKind(d.uint(uint64(Span)))}
		for r := d.count(2, math.MaxInt32); r > 0; r-- {
			o.Blocks = append(o.Blocks, SizeRun{Count: uint32(d.uint(math.MaxUint32)),
				Bytes: d.uint(math.MaxUint64)})
		}
		h.Registry.Objects = append(h.Registry.Objects, o)
	}
	for n := d.count(2, maxKernels); n > 0; n-- {
		k := Kernel{Name: d.str()}
		for p := d.count(2, maxParams); p > 0; p-- {
			k.Params = append(k.Params, Param{Object: ObjectID(d.uint(math.MaxUint16)),
				Mode: Mode(d.uint(uint64(InOut)))})
		}
		for n := d.count(1, maxParams); n > 0; n-- {
			k.Of = append(k.Of, uint8(d.uint(math.MaxUint8)))
		}
		h.Registry.Kernels = append(h.Registry.Kernels, k)
	}
	for n := d.count(3, maxRegions); n > 0; n-- {
		h.Registry.Regions = append(h.Registry.Regions, Region{Name: d.str(),
			Kind:   RegionKind(d.uint(uint64(lastRegionKind))),
			Parent: RegionID(d.uint(maxRegions) - 1)})
	}
	h.Meta = d.pairs()
	if d.bad == "" && d.at < len(b) {
		if h.Registry.Operations = d.decodeOperations(); len(h.Registry.Operations) == 0 {
			d.fail("a list without elements at its end")
		}
	}
	switch {
	case d.bad != "":
		return h, corrupt(base+int64(d.at), "header: %s", d.bad)
	case d.at != len(b):
		return h, corrupt(base+int64(d.at), "header: %d bytes after its end", len(b)-d.at)
	}
	if err := h.Validate(); err != nil {
		return h, corrupt(base, "%v", err)
	}
	return h, nil
}

type encoder struct{ b []byte }

func (e *encoder) pairs(list []KV) {
	e.uint(uint64(len(list)))
	for _, kv := range list {
		e.str(kv.Key)
		e.str(kv.Value)
	}
}

func (e *encoder) uint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		e.b = append(e.b, byte(v)|0x80)
	}
	e.b = append(e.b, byte(v))
}

func (e *encoder) str(s string) {
	e.uint(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) bool(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

// decoder reads from b; the first thing that is wrong stays in bad, and all later values are zero.
type decoder struct {
	b   []byte
	at  int
	bad string
}

func (d *decoder) fail(format string, args ...any) {
	if d.bad == "" {
		d.bad = fmt.Sprintf(format, args...)
	}
}

// uint reads an integer of at most limit.
func (d *decoder) uint(limit uint64) uint64 {
	if d.bad != "" {
		return 0
	}
	var v uint64
	for i := 0; ; i++ {
		if d.at+i >= len(d.b) {
			d.fail("it ends inside a number")
			return 0
		}
		c := d.b[d.at+i]
		if i == 9 && c > 1 {
			d.fail("a number is longer than 64 bits")
			return 0
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if v > limit {
				d.fail("a number is %d, expected at most %d", v, limit)
				return 0
			}
			d.at += i + 1
			return v
		}
	}
}

// count reads the length of a list whose elements take at least size bytes each.
func (d *decoder) count(size int, limit uint64) int {
	n := d.uint(limit)
	if n > uint64(len(d.b)-d.at)/uint64(size) {
		d.fail("a list of %d does not fit the %d bytes left", n, len(d.b)-d.at)
		return 0
	}
	return int(n)
}

func (d *decoder) pairs() (list []KV) {
	for n := d.count(2, math.MaxInt32); n > 0; n-- {
		list = append(list, KV{Key: d.str(), Value: d.str()})
	}
	return list
}

func (d *decoder) str() string {
	n := d.count(1, math.MaxInt32)
	s := string(d.b[d.at : d.at+n])
	d.at += n
	return s
}

func (d *decoder) bool() bool { return d.uint(1) == 1 }
