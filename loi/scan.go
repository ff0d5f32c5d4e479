package loi

// A rawRecord is a record as it lies in a chunk, its structure checked and its content not.
type rawRecord struct {
	typ   RecordType
	flags Flags
	id    uint16
	n     int // arguments, accesses, calls or executions
	start uint64
	end   uint64
	body  []byte // arguments, accesses, calls or executions; a whole number of words
	bytes int    // of the whole record
}

// scan reads the record at the beginning of b, which must be within b. A zero commit word, an end
// mark or the end of b give a record of type 0 or endRecord. If there is no record at byte at of b,
// what is the reason.
func scan(b []byte, r *rawRecord) (at int, what string) {
	if len(b) < 16 {
		r.typ = 0
		return 0, ""
	}
	c := le.Uint64(b[8:])
	r.typ = RecordType(c >> typeShift & 0xf)
	if c == 0 || c == endCommit {
		return 0, ""
	}
	r.flags = Flags(c >> flagShift & 0xf)
	r.id = uint16(c >> idShift)
	r.n = int(c >> countShift)
	r.start = le.Uint64(b)
	r.end = r.start + c&(1<<idShift-1)
	if r.flags&^flagsOfFile != 0 {
		return 8, sprint("a record has unknown flags %#x", uint8(r.flags))
	}
	at = 16
	if r.flags&flagLong != 0 {
		if len(b) < 24 {
			return 8, "a record goes past the end of its chunk"
		}
		if c&(1<<idShift-1) != 0 {
			return 8, "a record has two durations"
		}
		r.end = le.Uint64(b[16:])
		r.flags &^= flagLong
		at = 24
	}
	words := 0
	switch r.typ {
	case KernelRecord, EventRecord:
		words = (r.n + 1) / 2
		if words > (len(b)-at)/8 {
			return 8, sprint("a record with %d arguments goes past the end of its chunk", r.n)
		}
	case runRecord:
		if r.flags != 0 || r.n != 0 || at != 16 {
			return 8, "a run has flags or arguments"
		}
		if r.n = int(c & runMax); r.n == 0 || r.n > (len(b)-at)/runEntryBytes {
			return 8, sprint("a run of %d executions goes past the end of its chunk, or has none",
				r.n)
		}
		r.end = r.start
		words = r.n * (runEntryBytes / 8)
	case AccessesRecord, TaskRecord:
		if len(b) < at+8 {
			return 8, "a record goes past the end of its chunk"
		}
		n := le.Uint64(b[at:])
		at += 8
		list := b[at:]
		if n > uint64(len(list)/8) || r.n != 0 {
			return at - 8, sprint("a record with a list of %d goes past the end of its chunk", n)
		}
		r.n = int(n)
		for range n {
			k := 1
			if len(list)/8 <= words {
				return at - 8, sprint("a record with a list of %d goes past the end of its chunk",
					n)
			}
			w := le.Uint64(list[8*words:])
			if r.typ == AccessesRecord {
				if shape := int(w >> accessShapeShift); shape < len(shapeWords) {
					k = shapeWords[shape]
				}
			} else if w>>callCountShift&callCountMask == callLong {
				k += (int(w>>longCallCount) + 1) / 2
				if w>>longCallCount > maxArgs {
					return at + 8*words, sprint("a call with %d arguments, expected at most %d",
						w>>longCallCount, maxArgs)
				}
			}
			words += k
		}
		if words > len(list)/8 {
			return at - 8, sprint("a record with a list of %d goes past the end of its chunk", n)
		}
	default:
		return 8, sprint("a record has the unknown type %d", r.typ)
	}
	r.body = b[at : at+8*words]
	r.bytes = at + 8*words
	return 0, ""
}

// countRecords returns the number of records in the records of a chunk, and the bytes that they
// take.
func countRecords(b []byte) (n, used uint64) {
	var r rawRecord
	for {
		if _, what := scan(b[used:], &r); what != "" || r.typ == 0 || r.typ == endRecord {
			return n, used
		}
		used += uint64(r.bytes)
		n++
	}
}
