package loi

// A run record holds executions of one kernel that have one access each, to a keyed object or one
// range of a span, and take no time. An entry is two words: the key or the offset; and the size,
// the ticks since the start of the entry before, the mode and the object.
const (
	runBytesBits   = 24
	runDeltaShift  = runBytesBits
	runDeltaBits   = 20
	runModeShift   = runDeltaShift + runDeltaBits
	runModeBits    = 4
	runObjectShift = runModeShift + runModeBits
	runEntryBytes  = 16

	runBytesMax = 1<<runBytesBits - 1
	runDeltaMax = 1<<runDeltaBits - 1
	runMax      = 1<<idShift - 1 // entries, whose number takes the place of the duration
)

// checkRun returns the fault of the first bad entry of a run, at byte at of body.
func (t *Trace) checkRun(body []byte) (at int, what string) {
	for ; at < len(body); at += runEntryBytes {
		var a Access
		takeEntry(body[at:], &a)
		if int(a.Object) >= len(t.objects) {
			return at, sprint("an access to object %d, which is not registered", a.Object)
		}
		kind := t.objects[a.Object].kind
		if a.Bytes != 0 && a.Mode >= In && a.Mode <= InOut && (kind == Keyed || kind == Span &&
			a.Block <= maxExtent-a.Bytes) {
			continue
		}
		name := t.Header.Registry.Objects[a.Object].Name
		if kind == Partition {
			return at, sprint("a run has an access to object %q, which is %v", name, kind)
		}
		return at, sprint("an access to object %q has %s", name, checkNamed(kind, &a))
	}
	return 0, ""
}

// takeEntry reads the entry at the beginning of b but for its ticks, which it returns.
func takeEntry(b []byte, a *Access) (delta uint64) {
	_ = b[15]
	w := le.Uint64(b[8:])
	a.Object, a.Mode = ObjectID(w>>runObjectShift), Mode(w>>runModeShift&(1<<runModeBits-1))
	a.Block, a.Bytes = le.Uint64(b), w&runBytesMax
	return w >> runDeltaShift & runDeltaMax
}

// nextEntry makes the next execution of a run the current record.
func (c *Cursor) nextEntry() {
	c.rec.Start += takeEntry(c.run[c.at:c.at+runEntryBytes], &c.one[0])
	c.rec.End = c.rec.Start
	c.at += runEntryBytes
}
