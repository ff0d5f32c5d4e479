package loi

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteText writes t in the text form, which [ParseText] reads: one line for each fact of the
// header and one for each record, workers one after the other.
//
//	loi-text 4                            the version of the file format
//	substrate native                      or simulated; then, if so, a line: synthetic
//	recovered, buffered                   each a line of its own, if so
//	clock tsc 1.86e+09 invariant          source, Hz (0: unknown), and the word if it is so
//	nodes 1
//	l2 262144 told                        bytes, 0: unknown; how it is known, where recorded
//	llc 18874368
//	grain kernel
//	program matmul                        what was run; this and what follows where it is known
//	param n 64                            of the program, in its order
//	scheduler workfirst
//	unordered                             starts of a worker may go back
//	cores 6
//	seed 1                                0 if it is left out
//	machine NAME
//	machine-hash HASH
//	meta KEY VALUE
//	worker 0 cpu 0 node 0 offset 0        in order of number; cpu -1: not pinned
//	object A 64x8192 1x100                blocks as count x bytes
//	kernel gemm A:in B:in C:inout         name and declared signature
//	region "for i" loop in 0              function, loop or task; number of the one around it
//	operation s compute kernel 0 region 0 line 7 work 5 to slot 0 from slot 0 cost 4 reduction 1
//	operation f call kernel 0 region 0 callee 1 line 8 work 0 to passed 0 from slot 0 cost 0
//	discarded 0 12 12                     worker, records, kernel executions in them
//	lost 0 4096                           worker, bytes
//	object K keyed                        blocks have keys and are not registered
//	object S span                         an address space of bytes
//	0 100 150 gemm(1,2,3) preempted       worker, start, end in ticks, kernel and arguments, flags
//	0 150 170 gemm{A[1]:in,C[3]:out}      accesses listed
//	0 150 170 get{K[0x2a:64]:in}          the block with key 0x2a (or decimal), of 64 bytes
//	0 150 170 get{S[4096+256]:in}         256 bytes from offset 4096
//	0 150 170 get{S[4096+256x32/9000]:in} 32 such rows, each 9000 bytes after the one before
//	0 170 event steal(1,0,2)              worker, time, kind (or its number) and arguments
//	0 180 290 task p2p(1,2) m2l(3,4)      one task and its kernels
//	end 4                                 number of records; may be left out
//
// The executions of a run are records of their own here, and in the number at the end. A name with
// other characters than letters, digits and _.-/+ is quoted as in Go. A # begins a comment.
func WriteText(w io.Writer, t *Trace) error {
	p := &textPrinter{w: bufio.NewWriter(w), t: t}
	p.header()
	var n uint64
	for i := range t.Header.Workers {
		c := t.All(i)
		for c.Next() {
			p.record(i, c.Record())
			n++
		}
		if c.Err() != nil {
			return c.Err()
		}
	}
	p.line("end", u(n))
	return p.w.Flush()
}

type textPrinter struct {
	w *bufio.Writer // its first error comes out of Flush
	t *Trace
}

func u[T ~uint8 | ~uint16 | ~uint32 | ~uint64](v T) string {
	return strconv.FormatUint(uint64(v),
		10)
}

func (p *textPrinter) line(words ...string) {
	p.w.WriteString(strings.Join(words, " "))
	p.w.WriteByte('\n')
}

func (p *textPrinter) header() {
	h := &p.t.Header
	p.line("loi-text", strconv.Itoa(Version))
	p.line("substrate", h.Substrate)
	for _, f := range []struct {
		word string
		set  bool
	}{{"synthetic", h.Synthetic}, {"recovered", p.t.Recovered}, {"buffered", p.t.Buffered}} {
		if f.set {
			p.line(f.word)
		}
	}
	clock := []string{"clock", name(h.Clock.Source), strconv.FormatFloat(h.Clock.Hz, 'g', -1, 64)}
	if h.Clock.Invariant {
		clock = append(clock, "invariant")
	}
	p.line(clock...)
	p.line("nodes", strconv.Itoa(h.Nodes))
	p.cache("l2", h.L2Bytes, h.L2Known)
	p.cache("llc", h.LLCBytes, h.LLCKnown)
	p.line("grain", name(h.Grain))
	p.program()
	for _, kv := range h.Meta {
		p.line("meta", name(kv.Key), name(kv.Value))
	}
	for i, w := range h.Workers {
		p.line("worker", strconv.Itoa(i), "cpu", strconv.Itoa(w.CPU), "node", strconv.Itoa(w.Node),
			"offset", strconv.FormatInt(w.TSCOffset, 10))
	}
	for _, o := range h.Registry.Objects {
		words := []string{"object", name(o.Name)}
		if o.Kind != Partition {
			words = append(words, o.Kind.String())
		}
		for _, r := range o.Blocks {
			words = append(words, u(r.Count)+"x"+u(r.Bytes))
		}
		p.line(words...)
	}
	for _, k := range h.Registry.Kernels {
		words := []string{"kernel", name(k.Name)}
		if k.Of != nil {
			args := make([]uint32, len(k.Of))
			for i, a := range k.Of {
				args[i] = uint32(a)
			}
			words = append(words, "of"+argList(args))
		}
		for _, a := range k.Params {
			words = append(words, name(h.Registry.Objects[a.Object].Name)+":"+a.Mode.String())
		}
		p.line(words...)
	}
	for _, r := range h.Registry.Regions {
		words := []string{"region", name(r.Name), r.Kind.String()}
		if r.Parent != NoRegion {
			words = append(words, "in", u(r.Parent))
		}
		p.line(words...)
	}
	for i := range h.Registry.Operations {
		p.operation(&h.Registry.Operations[i])
	}
	for i := range h.Workers {
		if p.t.discarded[i] != 0 || p.t.dropped[i] != 0 {
			p.line("discarded", strconv.Itoa(i), u(p.t.discarded[i]), u(p.t.dropped[i]))
		}
		if p.t.lost[i] != 0 {
			p.line("lost", strconv.Itoa(i), u(p.t.lost[i]))
		}
	}
}

// cache writes a size and, where that is recorded, how it is known.
func (p *textPrinter) cache(word string, bytes uint64, known string) {
	words := []string{word, u(bytes)}
	if known != "" {
		words = append(words, name(known))
	}
	p.line(words...)
}

// program writes what was run, as far as it is known.
func (p *textPrinter) program() {
	h := &p.t.Header
	add := func(known bool, words ...string) {
		if known {
			p.line(words...)
		}
	}
	add(h.Kernel != "", "program", name(h.Kernel))
	for _, kv := range h.Params {
		p.line("param", name(kv.Key), name(kv.Value))
	}
	add(h.Scheduler != "", "scheduler", name(h.Scheduler))
	add(h.Unordered, "unordered")
	add(h.Cores != 0, "cores", strconv.Itoa(h.Cores))
	add(h.Seed != 0, "seed", u(h.Seed))
	add(h.Machine != "", "machine", name(h.Machine))
	add(h.MachineHash != "", "machine-hash", name(h.MachineHash))
}

func (p *textPrinter) record(worker int, r *Record) {
	reg := &p.t.Header.Registry
	words := []string{strconv.Itoa(worker), u(r.Start)}
	switch r.Type {
	case KernelRecord:
		words = append(words, u(r.End), name(reg.Kernels[r.Kernel].Name)+argList(r.Args))
	case EventRecord:
		kind := r.Event.String()
		if _, known := eventKind(kind); !known {
			kind = u(r.Event)
		}
		words = append(words, "event", kind+argList(r.Args))
	case AccessesRecord:
		list := make([]string, len(r.Explicit))
		for i, a := range r.Explicit {
			list[i] = reg.Place(&a) + ":" + a.Mode.String()
		}
		words = append(words, u(r.End), name(reg.Kernels[r.Kernel].Name)+"{"+strings.Join(list,
			",")+"}")
	case TaskRecord:
		words = append(words, u(r.End), "task")
		for _, c := range r.Calls {
			words = append(words, name(reg.Kernels[c.Kernel].Name)+argList(c.Args))
		}
	}
	if r.Flags&Preempted != 0 {
		words = append(words, "preempted")
	}
	if r.Flags&Moved != 0 {
		words = append(words, "moved")
	}
	p.line(words...)
}

// Place names what an access touches as the text form does: block 7 of A is A[7].
func (r *Registry) Place(a *Access) string {
	o := &r.Objects[a.Object]
	return name(o.Name) + "[" + part(o.Kind, a) + "]"
}

// part names what an access touches of an object, as it stands in brackets.
func part(kind ObjectKind, a *Access) string {
	switch {
	case kind == Keyed:
		return "0x" + strconv.FormatUint(a.Block, 16) + ":" + u(a.Bytes)
	case kind == Span && a.Rows > 1:
		return u(a.Block) + "+" + u(a.Bytes) + "x" + u(a.Rows) + "/" + u(a.Stride)
	case kind == Span:
		return u(a.Block) + "+" + u(a.Bytes)
	}
	return u(a.Block)
}

func argList(args []uint32) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = u(a)
	}
	return "(" + strings.Join(list, ",") + ")"
}

func eventKind(s string) (EventKind, bool) {
	k := slices.Index(eventNames[:], s)
	return EventKind(max(k, 0)), k > 0
}

// plain reports whether c may stand in a name without quotes.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("_.-/+", c) >= 0
}

// name quotes s if need be.
func name(s string) string {
	for i := range len(s) {
		if !plain(s[i]) {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
