package loi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"krdlab/hw/textfile"
)

// textLineMax is the length of the longest line that ParseText reads.
const textLineMax = 16 << 20

// ParseText reads the text form of a trace (see [WriteText]) and returns it as a trace in memory,
// which Save makes a file. The lines of the header come before the first record; objects come
// before the kernels that name them. A fault in a line gives a [*TextError].
func ParseText(r io.Reader) (*Trace, error) {
	p := &textParser{objects: make(map[string]ObjectID), kernels: make(map[string]KernelID)}
	s := bufio.NewScanner(r)
	s.Buffer(nil, textLineMax)
	for s.Scan() {
		p.n++
		if bad := textfile.Bad(s.Bytes()); bad != "" { // in a comment or a name
			p.fail("%s, expected UTF-8", bad)
		} else {
			p.toks, p.err = lex(s.Text())
		}
		if p.err == nil && len(p.toks) > 0 {
			p.line()
			if p.err == nil && len(p.toks) > 0 {
				p.fail("%q is too much here", p.toks[0].s)
			}
		}
		if p.err != nil {
			return nil, &TextError{Line: p.n, What: p.err.Error()}
		}
	}
	if err := s.Err(); err != nil {
		return nil, &TextError{Line: p.n + 1, What: err.Error()}
	}
	if p.begin(); p.err != nil {
		return nil, &TextError{Line: p.n, What: p.err.Error()}
	}
	return p.image()
}

type textParser struct {
	n       int // line
	toks    []token
	err     error // first thing wrong in the line
	begun   bool  // the first line was read
	ended   bool
	t       *Trace // nil until the header is complete
	head    Trace  // being filled
	objects map[string]ObjectID
	kernels map[string]KernelID
	kinds   []ObjectKind // by object, when the header is complete
	losses  [][4]uint64  // worker, and what t.discarded, dropped and lost of it become
	records [][]byte     // by worker
	counts  []uint64
	total   uint64
}

func (p *textParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// line reads one line, and takes what it reads from p.toks.
func (p *textParser) line() {
	first := p.word()
	switch {
	case !p.begun:
		if first != "loi-text" {
			p.fail("expected \"loi-text %d\"", Version)
			return
		}
		if v := p.uint(math.MaxUint64); p.err == nil && v != Version {
			p.fail("text of version %d, expected \"loi-text %d\"", v, Version)
		}
		p.begun = true
	case p.ended:
		p.fail("%q after the end line", first)
	case first == "end":
		p.begin()
		if n := p.uint(math.MaxUint64); p.err == nil && n != p.total {
			p.fail("the end line has %d records, there were %d", n, p.total)
		}
		p.ended = true
	case first != "" && first[0] >= '0' && first[0] <= '9':
		if p.begin(); p.err == nil {
			p.record(first)
		}
	case p.t != nil:
		p.fail("%q after the first record", first)
	default:
		p.header(first)
	}
}

// begin ends the header.
func (p *textParser) begin() {
	if p.t != nil || p.err != nil {
		return
	}
	if !p.begun {
		p.fail("expected \"loi-text %d\"", Version)
		return
	}
	if p.err = p.head.Header.Validate(); p.err != nil {
		return
	}
	n := len(p.head.Header.Workers)
	p.records, p.counts = make([][]byte, n), make([]uint64, n)
	p.t = &p.head
	p.t.discarded, p.t.dropped, p.t.lost = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for _, l := range p.losses {
		if l[0] >= uint64(n) {
			p.fail("losses of worker %d of %d", l[0], n)
			return
		}
		p.t.discarded[l[0]] += l[1]
		p.t.dropped[l[0]] += l[2]
		p.t.lost[l[0]] += l[3]
	}
	p.t.index()
	p.kinds = p.t.Header.Registry.kinds()
}

func (p *textParser) header(first string) {
	h := &p.head.Header
	switch first {
	case "substrate":
		h.Substrate = p.word()
	case "synthetic":
		h.Synthetic = true
	case "recovered":
		p.head.Recovered = true
	case "buffered":
		p.head.Buffered = true
	case "clock":
		h.Clock.Source = p.word()
		w := p.word()
		var err error
		if h.Clock.Hz, err = strconv.ParseFloat(w, 64); err != nil {
			p.fail("%q, expected a frequency in Hz", w)
		}
		h.Clock.Invariant = p.accept("invariant")
	case "nodes":
		h.Nodes = int(p.uint(MaxWorkers))
	case "l2":
		h.L2Bytes, h.L2Known = p.cache()
	case "llc":
		h.LLCBytes, h.LLCKnown = p.cache()
	case "grain":
		h.Grain = p.word()
	case "program":
		h.Kernel = p.word()
	case "param":
		k := p.word()
		h.Params = append(h.Params, KV{Key: k, Value: p.word()})
	case "scheduler":
		h.Scheduler = p.word()
	case "unordered":
		h.Unordered = true
	case "cores":
		h.Cores = int(p.uint(maxCores))
	case "seed":
		h.Seed = p.uint(math.MaxUint64)
	case "machine":
		h.Machine = p.word()
	case "machine-hash":
		h.MachineHash = p.word()
	case "region":
		r := Region{Name: p.word(), Parent: NoRegion}
		for k := Function; k <= lastRegionKind; k++ {
			if p.accept(k.String()) {
				r.Kind = k
			}
		}
		if p.accept("in") {
			r.Parent = RegionID(p.uint(maxRegions))
		}
		h.Registry.Regions = append(h.Registry.Regions, r)
	case "operation":
		p.operation()
	case "meta":
		k := p.word()
		h.Meta = append(h.Meta, KV{Key: k, Value: p.word()})
	case "worker":
		if n := p.uint(MaxWorkers); n != uint64(len(h.Workers)) {
			p.fail("worker %d, expected %d", n, len(h.Workers))
		}
		p.expect("cpu")
		cpu := p.int()
		p.expect("node")
		node := p.uint(MaxWorkers)
		p.expect("offset")
		h.Workers = append(h.Workers, Worker{CPU: int(cpu), Node: int(node), TSCOffset: p.int()})
	case "object":
		p.object()
	case "kernel":
		p.kernel()
	case "discarded":
		w := p.uint(MaxWorkers)
		n := p.uint(math.MaxUint64)
		p.losses = append(p.losses, [4]uint64{w, n, p.uint(math.MaxUint64), 0})
	case "lost":
		w := p.uint(MaxWorkers)
		p.losses = append(p.losses, [4]uint64{w, 0, 0, p.uint(math.MaxUint64)})
	default:
		p.fail("%q is unknown", first)
	}
}

// cache reads what textPrinter.cache writes.
func (p *textParser) cache() (bytes uint64, known string) {
	bytes = p.uint(math.MaxUint64)
	if len(p.toks) > 0 {
		known = p.word()
	}
	return bytes, known
}

func (p *textParser) object() {
	o := Object{Name: p.word()}
	for k := Keyed; k <= Span; k++ {
		if p.accept(k.String()) {
			o.Kind = k
		}
	}
	for len(p.toks) > 0 && p.err == nil {
		w := p.word()
		var r SizeRun
		if n, err := fmt.Sscanf(w, "%dx%d", &r.Count, &r.Bytes); n != 2 || err != nil ||
			u(r.Count)+"x"+u(r.Bytes) != w {
			p.fail("%q, expected blocks as count x bytes, such as 64x8192", w)
		}
		o.Blocks = append(o.Blocks, r)
	}
	reg := &p.head.Header.Registry
	p.objects[o.Name] = ObjectID(len(reg.Objects))
	reg.Objects = append(reg.Objects, o)
}

func (p *textParser) kernel() {
	k := Kernel{Name: p.word()}
	if p.follows("(") && p.accept("of") {
		for _, a := range p.args() {
			if a >= maxParams {
				p.fail("argument %d, expected less than %d", a, maxParams)
			}
			k.Of = append(k.Of, uint8(a))
		}
	}
	for len(p.toks) > 0 && p.err == nil {
		o := p.objectName()
		k.Params = append(k.Params, Param{Object: o, Mode: p.mode()})
	}
	reg := &p.head.Header.Registry
	p.kernels[k.Name] = KernelID(len(reg.Kernels))
	reg.Kernels = append(reg.Kernels, k)
}

// record reads the rest of a record line that begins with the number of its worker.
func (p *textParser) record(worker string) {
	w, err := strconv.ParseUint(worker, 10, 32)
	if err != nil || w >= uint64(len(p.records)) {
		p.fail("a record of worker %s of %d", worker, len(p.records))
		return
	}
	rec := Record{Start: p.uint(math.MaxUint64)}
	if rec.End = rec.Start; p.accept("event") {
		rec.Type = EventRecord
		kind := p.word()
		known := false
		if rec.Event, known = eventKind(kind); !known {
			n, err := strconv.ParseUint(kind, 10, 16)
			if err != nil {
				p.fail("%q is not a kind of event", kind)
			}
			rec.Event = EventKind(n)
		}
		rec.Args = p.args()
	} else {
		rec.End = p.uint(math.MaxUint64)
		p.execution(&rec)
		for p.err == nil && len(p.toks) > 0 {
			switch {
			case p.accept("preempted"):
				rec.Flags |= Preempted
			case p.accept("moved"):
				rec.Flags |= Moved
			default:
				p.fail("%q, expected \"preempted\" or \"moved\"", p.toks[0].s)
			}
		}
	}
	if p.err == nil {
		p.records[w] = appendRecord(p.records[w], p.kinds, &rec)
		p.counts[w]++
		p.total++
	}
}

// execution reads what follows the stamps of a kernel or a task.
func (p *textParser) execution(rec *Record) {
	if len(p.toks) > 0 && p.toks[0].s == "task" && !p.follows("(") && !p.follows("{") {
		p.word()
		rec.Type = TaskRecord
		for p.err == nil && len(p.toks) > 0 && p.follows("(") {
			k := p.kernelName()
			rec.Calls = append(rec.Calls, Call{Kernel: k, Args: p.args()})
			p.check(k, rec.Calls[len(rec.Calls)-1].Args)
		}
		return
	}
	rec.Kernel = p.kernelName()
	if len(p.toks) > 0 && p.toks[0].punct("(") {
		rec.Type, rec.Args = KernelRecord, p.args()
		p.check(rec.Kernel, rec.Args)
		return
	}
	rec.Type = AccessesRecord
	p.punct("{")
	for i := 0; p.err == nil && !p.acceptPunct("}"); i++ {
		if i > 0 {
			p.punct(",")
		}
		a := Access{Object: p.objectName()}
		p.punct("[")
		p.part(&a)
		p.punct("]")
		a.Mode = p.mode()
		if what := p.wrong(&a); p.err == nil && what != "" {
			p.fail("%s", what)
		}
		rec.Explicit = append(rec.Explicit, a)
	}
}

// part reads what an access touches of its object, see part in the writer.
func (p *textParser) part(a *Access) {
	if p.err != nil {
		return
	}
	switch p.kinds[a.Object] {
	case Partition:
		a.Block = p.uint(math.MaxUint32)
	case Keyed:
		w := p.word()
		var err error
		if a.Block, err = strconv.ParseUint(w, 0, 64); err != nil {
			p.fail("%q, expected a key such as 0x2a", w)
		}
		p.punct(":")
		a.Bytes = p.uint(math.MaxUint64)
	case Span:
		w := p.word()
		if n, _ := fmt.Sscanf(w, "%d+%dx%d/%d", &a.Block, &a.Bytes, &a.Rows, &a.Stride); n < 2 ||
			part(Span, a) != w {
			p.fail("%q, expected a range such as 4096+256 or 4096+256x32/9000", w)
		}
	}
}

// wrong returns the fault of an access, or "".
func (p *textParser) wrong(a *Access) string {
	if p.err != nil {
		return ""
	}
	o, name := &p.t.objects[a.Object], p.t.Header.Registry.Objects[a.Object].Name
	if o.kind != Partition {
		if what := checkNamed(o.kind, a); what != "" {
			return sprint("an access to object %q has %s", name, what)
		}
	} else if a.Block >= uint64(o.n) {
		return sprint("block %d of object %q, which has %d", a.Block, name, o.n)
	}
	return ""
}

func (p *textParser) check(k KernelID, args []uint32) {
	if what := p.t.checkArgs(k, args); p.err == nil && what != "" {
		p.fail("%s", what)
	}
}

// image makes the trace whose records have been read.
func (p *textParser) image() (*Trace, error) {
	t := p.t
	t.chunks = make([][]section, len(p.records))
	for i, b := range p.records {
		t.chunks[i] = []section{{entry{used: uint64(len(b)), records: p.counts[i]}, b}}
	}
	var out bytes.Buffer
	if err := t.write(&out); err != nil {
		return nil, err
	}
	return parse(out.Bytes())
}
