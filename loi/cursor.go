package loi

import "slices"

// A Cursor goes through the records of one worker in the order in which they were made, which is
// program order. It is for one goroutine.
type Cursor struct {
	t      *Trace
	worker int
	all    bool // tasks as they stand
	events bool
	chunks []section
	data   []byte // records of the current chunk that are still to come
	passed int    // bytes of the records of that chunk
	end    int64  // where data ends in the file
	raw    rawRecord
	rec    Record
	calls  []byte // of a task record, still to be given one by one
	left   int
	args   []uint32
	list   []Access  // of a record that lists them
	run    []byte    // entries of the latest run
	at     int       // where in run the next entry is
	one    [1]Access // of the current entry
	err    error
}

// Cursor returns a cursor over the kernel executions of a worker. Events are left out; a task
// record gives each of its kernels as a record of its own with the stamps of the task and the flag
// Unstamped.
func (t *Trace) Cursor(worker int) *Cursor {
	return &Cursor{t: t, worker: worker, chunks: t.chunks[worker]}
}

// All returns a cursor over all records of a worker as they stand in the file, events and tasks
// among them; but each execution of a run is given apart.
func (t *Trace) All(worker int) *Cursor {
	c := t.Cursor(worker)
	c.all, c.events = true, true
	return c
}

// Next goes to the next record and reports whether there is one. At the end, see Err.
func (c *Cursor) Next() bool {
	for c.err == nil {
		if c.at < len(c.run) {
			c.nextEntry()
			return true
		}
		if c.left > 0 {
			return c.nextCall()
		}
		if c.plain() {
			return true
		}
		if len(c.data) == 0 {
			if len(c.chunks) == 0 {
				return false
			}
			c.t.pass(uint64(c.passed))
			e := &c.chunks[0]
			c.chunks = c.chunks[1:]
			c.data, c.passed = e.data, len(e.data)
			c.end = int64(e.offset + chunkHeaderBytes + e.used)
			continue
		}
		if at, what := scan(c.data, &c.raw); what != "" {
			return c.fail(at, "%s", what)
		}
		if c.raw.typ == 0 || c.raw.typ == endRecord {
			return c.fail(0, "the chunk has %d bytes of records more, but here is none",
				len(c.data))
		}
		if !c.decode() {
			return false
		}
		c.data = c.data[c.raw.bytes:]
		if c.at < len(c.run) {
			continue
		}
		switch c.rec.Type {
		case KernelRecord, AccessesRecord:
			return true
		case EventRecord:
			if c.events {
				return true
			}
		case TaskRecord:
			if c.all {
				return true
			}
		}
	}
	return false
}

// plain goes to the next record if it is a good kernel by signature whose duration fits the commit
// word, as nearly all are. All else, and all that is wrong, is for the slow way.
func (c *Cursor) plain() bool {
	b := c.data
	if len(b) < 16 {
		return false
	}
	start, commit := le.Uint64(b), le.Uint64(b[8:])
	id, n := int(commit>>idShift&0xffff), int(commit>>countShift)
	const kind = 0xf<<typeShift | uint64(flagLong|0x08)<<flagShift
	if commit&kind != uint64(KernelRecord)<<typeShift || id >= len(c.t.kernels) {
		return false
	}
	limits := c.t.kernels[id].limits
	size := 16 + (n+1)/2*8
	if n != len(limits) || size > len(b) {
		return false
	}
	r := &c.rec
	if r.Type != KernelRecord || len(r.Args) != n {
		r.Type, r.Event = KernelRecord, 0
		r.Args, r.Explicit, r.Calls = slices.Grow(r.Args[:0], n)[:n], c.list[:0], r.Calls[:0]
	}
	args, body := r.Args[:len(limits)], b[16:size]
	for i := range limits {
		a := le.Uint32(body[4*i:])
		if a >= limits[i] {
			return false
		}
		args[i] = a
	}
	r.Kernel, r.Start, r.End = KernelID(id), start, start+commit&(1<<idShift-1)
	r.Flags = Flags(commit >> flagShift & 0xf)
	c.data = b[size:]
	return true
}

// Err returns what stopped the cursor before the end, a [*FormatError]: a record that names a
// kernel, an object or a block that is not registered, that has other arguments than its kernel
// declares, or that gives a block another size.
func (c *Cursor) Err() error { return c.err }

// Record returns the current record, valid until the next call of Next.
func (c *Cursor) Record() *Record { return &c.rec }

// AppendAccesses appends the accesses of the current record, which is a kernel execution, to dst in
// declared order.
func (c *Cursor) AppendAccesses(dst []Access) []Access {
	return c.t.appendAccesses(dst, &c.rec)
}

func (t *Trace) appendAccesses(dst []Access, r *Record) []Access {
	if r.Type != KernelRecord {
		return append(dst, r.Explicit...)
	}
	return t.appendDeclared(dst, r.Kernel, r.Args)
}

// appendDeclared appends the accesses of an execution of k by its signature.
func (t *Trace) appendDeclared(dst []Access, id KernelID, args []uint32) []Access {
	k := &t.Header.Registry.Kernels[id]
	for i, p := range k.Params {
		b := args[k.ArgOf(i)]
		dst = append(dst, Access{Object: p.Object, Block: uint64(b),
			Bytes: t.objects[p.Object].size(b), Mode: p.Mode})
	}
	return dst
}

// fail stops the cursor for what it found at byte at of the rest of the chunk.
func (c *Cursor) fail(at int, format string, args ...any) bool {
	e := corrupt(c.end-int64(len(c.data))+int64(at), "worker %d: "+format, append([]any{c.worker},
		args...)...)
	e.File = c.t.path
	c.err = e
	return false
}

// decode checks the content of c.raw against the registry and makes it the current record.
func (c *Cursor) decode() bool {
	r, raw := &c.rec, &c.raw
	r.Type, r.Flags, r.Start, r.End = raw.typ, raw.flags, raw.start, raw.end
	r.Kernel, r.Event = 0, 0
	r.Args, r.Explicit, r.Calls = r.Args[:0], c.list[:0], r.Calls[:0]
	switch raw.typ {
	case KernelRecord:
		r.Kernel = KernelID(raw.id)
		r.Args = appendArgs(r.Args, raw.body, raw.n)
		if what := c.t.checkArgs(r.Kernel, r.Args); what != "" {
			return c.fail(8, "%s", what)
		}
	case EventRecord:
		r.Event = EventKind(raw.id)
		r.Args = appendArgs(r.Args, raw.body, raw.n)
	case AccessesRecord:
		r.Kernel = KernelID(raw.id)
		return c.decodeAccesses()
	case runRecord:
		r.Kernel = KernelID(raw.id)
		return c.decodeRun()
	case TaskRecord:
		if c.all {
			return c.decodeCalls()
		}
		c.calls, c.left = raw.body, raw.n
	}
	return true
}

// checkArgs returns the fault of the arguments of an execution of k.
func (t *Trace) checkArgs(k KernelID, args []uint32) string {
	if int(k) >= len(t.kernels) {
		return sprint("a record names kernel %d of %d", k, len(t.kernels))
	}
	return t.Header.Registry.Kernels[k].CheckArgs(args, t.kernels[k].limits)
}

func (c *Cursor) decodeAccesses() bool {
	t, r, body := c.t, &c.rec, c.raw.body
	if int(r.Kernel) >= len(t.kernels) {
		return c.fail(8, "a record names kernel %d of %d", r.Kernel, len(t.kernels))
	}
	c.list = c.list[:0]
	for range c.raw.n {
		var a Access
		n, what := t.takeAccess(body, &a)
		if what != "" {
			return c.fail(c.raw.bytes-len(body), "kernel %q: %s",
				t.Header.Registry.Kernels[r.Kernel].Name, what)
		}
		body = body[n:]
		c.list = append(c.list, a)
	}
	r.Explicit = c.list
	return true
}

// decodeRun checks a run and leaves its executions to nextEntry.
func (c *Cursor) decodeRun() bool {
	r := &c.rec
	if int(r.Kernel) >= len(c.t.kernels) {
		return c.fail(8, "a record names kernel %d of %d", r.Kernel, len(c.t.kernels))
	}
	if at, what := c.t.checkRun(c.raw.body); what != "" {
		return c.fail(c.raw.bytes-len(c.raw.body)+at, "kernel %q: %s",
			c.t.Header.Registry.Kernels[r.Kernel].Name, what)
	}
	c.one[0] = Access{}
	r.Type, r.Explicit, c.run, c.at = AccessesRecord, c.one[:], c.raw.body, 0
	return true
}

// nextCall makes the next kernel of a task record the current record.
func (c *Cursor) nextCall() bool {
	k, n, rest := takeCall(c.calls, c.rec.Args[:0])
	c.calls, c.left = rest, c.left-1
	c.rec.Type, c.rec.Kernel, c.rec.Args, c.rec.Flags = KernelRecord, k, n, c.raw.flags|Unstamped
	if what := c.t.checkArgs(k, n); what != "" {
		return c.fail(0, "task before this: %s", what)
	}
	return true
}

func (c *Cursor) decodeCalls() bool {
	c.args = c.args[:0]
	body := c.raw.body
	for range c.raw.n {
		var k KernelID
		from := len(c.args)
		k, c.args, body = takeCall(body, c.args)
		args := c.args[from:len(c.args):len(c.args)]
		if what := c.t.checkArgs(k, args); what != "" {
			return c.fail(8, "%s", what)
		}
		c.rec.Calls = append(c.rec.Calls, Call{Kernel: k, Args: args})
	}
	return true
}

// takeCall takes one call from b and appends its arguments to args.
func takeCall(b []byte, args []uint32) (KernelID, []uint32, []byte) {
	w := le.Uint64(b)
	b = b[8:]
	n := int(w >> callCountShift & callCountMask)
	if n == callLong {
		n = int(w >> longCallCount)
		return KernelID(w >> longCallKernel), appendArgs(args, b, n), b[(n+1)/2*8:]
	}
	for i := range n {
		args = append(args, uint32(w>>(callArgShift+i*callArgBits))&callArgMax)
	}
	return KernelID(w & callKernelMax), args, b
}

func appendArgs(dst []uint32, b []byte, n int) []uint32 {
	for i := range n {
		dst = append(dst, le.Uint32(b[4*i:]))
	}
	return dst
}
