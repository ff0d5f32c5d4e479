package loi

// appendRecord appends rec as it stands in a chunk of a trace whose objects have these kinds. Lists
// longer than the format allows are the caller's to refuse.
func appendRecord(b []byte, kinds []ObjectKind, rec *Record) []byte {
	var body []uint64
	id, n := uint16(rec.Kernel), 0
	switch rec.Type {
	case KernelRecord, EventRecord:
		n = len(rec.Args)
		body = make([]uint64, (n+1)/2)
		putArgs(body, rec.Args)
		if rec.Type == EventRecord {
			id = uint16(rec.Event)
		}
	case AccessesRecord:
		body = make([]uint64, accessWords(kinds, rec.Explicit))
		putAccesses(body, kinds, rec.Explicit)
	case TaskRecord:
		var t TaskList
		for _, c := range rec.Calls {
			t.Add(c.Kernel, c.Args...)
		}
		id, body = 0, append([]uint64{uint64(t.Len())}, t.words()...)
	}
	fl, d := rec.Flags&(Preempted|Moved), rec.End-rec.Start
	b = le.AppendUint64(b, rec.Start)
	if d>>idShift == 0 {
		b = le.AppendUint64(b, commitWord(rec.Type, fl, id, n, d))
	} else {
		b = le.AppendUint64(b, commitWord(rec.Type, fl|flagLong, id, n, 0))
		b = le.AppendUint64(b, rec.End)
	}
	for _, w := range body {
		b = le.AppendUint64(b, w)
	}
	return b
}
