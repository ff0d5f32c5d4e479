package loi

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Info holds the facts of a trace file without its records and, where Verified, with them.
type Info struct {
	Path    string `json:"path"`
	Version int    `json:"trace_version"`
	Bytes   uint64 `json:"bytes"` // of the file; of a compressed one, when decompressed
	Packed  uint64 `json:"-"`     // bytes of a compressed file; 0 if it is not compressed
	// it has a clean end; if not, the numbers are those of what could be recovered
	Clean     bool   `json:"clean_end"`
	Recovered bool   `json:"recovered"`
	Buffered  bool   `json:"-"`
	Verified  bool   `json:"verified"` // every record was read, and Workers is valid
	Header    Header `json:"-"`
	Chunks    int    `json:"-"`
	Used      uint64 `json:"-"` // bytes of records
	// by worker, as they are stored: a run counts as one, see Activity for executions
	Records   []uint64   `json:"-"`
	Discarded []uint64   `json:"-"` // by worker; the newest ones, that found no room
	LostBytes []uint64   `json:"-"` // by worker; given up by a recovery, see Trace.LostBytes
	Workers   []Activity `json:"-"` // by worker; nil unless Verified
	// how many events of each kind there are; of Stat and Verify
	Events []EventCount `json:"-"`
}

// Activity sums up the records of a worker.
type Activity struct {
	Kernels, Accesses, Events, Tasks uint64
	Flagged                          uint64 // kernels that were preempted or moved
	// smallest start and largest end; 0 if there is no kernel
	FirstTick, LastTick uint64
	KernelTicks         uint64 // sum of end - start over kernels and tasks
	// kernels or tasks that start before the previous one did, or end before they start
	Backward uint64
	// kernels or tasks that start before the previous one ended; flagged ones excluded
	Overlapping uint64

	records uint64
}

// stamped reports whether there is a kernel or a task, so that the ticks mean something.
func (a *Activity) stamped() bool { return a.Kernels+a.Tasks > 0 }

// EventCount is how many events of a kind there are.
type EventCount struct {
	Kind  string `json:"kind"`
	Count uint64 `json:"count"`
}

// raw gives each record as it stands, up to the damage. It is valid until the next.
func (t *Trace) raw() iter.Seq[*rawRecord] {
	return func(yield func(*rawRecord) bool) {
		var r rawRecord
		for _, chunks := range t.chunks {
			for _, c := range chunks {
				for b := c.data; ; b = b[r.bytes:] {
					if _, bad := scan(b, &r); bad != "" || r.typ == 0 || r.typ == endRecord {
						break
					}
					if !yield(&r) {
						return
					}
				}
				t.pass(c.used)
			}
		}
	}
}

// kinds gives the kind of each event, known or not. Cost: a quick look at each record.
func (t *Trace) kinds() iter.Seq[EventKind] {
	return func(yield func(EventKind) bool) {
		for r := range t.raw() {
			if r.typ == EventRecord && !yield(EventKind(r.id)) {
				return
			}
		}
	}
}

// countEvents returns the number of events of each kind that there are, in the order of kinds;
// those of kinds that are not known are "other".
func (t *Trace) countEvents() (list []EventCount) {
	var counts [len(eventNames) + 1]uint64
	for k := range t.kinds() {
		counts[min(int(k), len(eventNames))]++
	}
	for k, n := range counts {
		if n > 0 && k > 0 && k < len(eventNames) {
			list = append(list, EventCount{eventNames[k], n})
		}
	}
	if n := counts[0] + counts[len(eventNames)]; n > 0 {
		list = append(list, EventCount{"other", n})
	}
	return list
}

// Tells reports whether there is an event of one of some kinds. Cost: at most a quick look at each
// record.
func (t *Trace) Tells(kinds ...EventKind) bool {
	for k := range t.kinds() {
		if slices.Contains(kinds, k) {
			return true
		}
	}
	return false
}

// Accesses reports whether any kernel execution lists its accesses. Cost: a quick look at each
// record up to the first of them.
func (t *Trace) Accesses() bool {
	declared := t.Header.Registry.Accesses()
	for r := range t.raw() {
		switch r.typ {
		case AccessesRecord, runRecord:
			return true
		case KernelRecord, TaskRecord:
			if declared && r.n > 0 {
				return true
			}
		}
	}
	return false
}

// disordered returns the number of stamps that are out of order.
func disordered(a []Activity) (n uint64) {
	for i := range a {
		n += a[i].Backward + a[i].Overlapping
	}
	return n
}

// Stat reads what the header and the footer of a trace tell, and checks all checksums. For a file
// without a clean end, it returns what could be recovered together with the error, a
// [*FormatError]. told is as for [Open].
func Stat(path string, told ...Told) (*Info, error) {
	t, err := Open(path, told...)
	clean := err == nil
	if errors.Is(err, ErrUnclean) {
		var bad error
		if t, _, bad = OpenUnclean(path, told...); bad != nil {
			return nil, bad
		}
	} else if err != nil {
		return nil, err
	}
	defer t.Close()
	in := t.Info()
	in.Clean, in.Events = clean, t.countEvents()
	return in, err
}

// Verify works like Stat, and checks and counts each record. A bad record gives a [*FormatError];
// stamps out of order are counted, and are no error.
func Verify(path string, told ...Told) (*Info, error) {
	t, err := Open(path, told...)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	in := t.Info()
	in.Clean, in.Verified, in.Events = true, true, t.countEvents()
	if in.Workers, err = t.tally(); err != nil {
		return nil, err
	}
	for i := range in.Workers {
		if n := in.Workers[i].records; n != in.Records[i] {
			return nil, inFile(corrupt(int64(t.pre.dataOffset),
				"worker %d has %d records, the table of chunks has %d", i, n, in.Records[i]), path)
		}
	}
	return in, nil
}

// Info returns the facts of t without going through its records.
func (t *Trace) Info() *Info {
	in := &Info{
		Path: t.path, Version: Version, Bytes: uint64(len(t.data)), Packed: t.packed,
		Recovered: t.Recovered, Buffered: t.Buffered, Header: t.Header,
		Records: t.records, Discarded: t.discarded, LostBytes: t.lost,
	}
	for _, list := range t.chunks {
		in.Chunks += len(list)
		for _, e := range list {
			in.Used += e.used
		}
	}
	return in
}

// String names the file and what there is in it, in one line.
func (in *Info) String() string {
	var n, lost, unknown uint64
	for i := range in.Records {
		n += in.Records[i]
		lost += in.Discarded[i]
		unknown += in.LostBytes[i]
	}
	missing := fmt.Sprintf("%d discarded", lost)
	if unknown > 0 {
		missing = "an unknown number lost"
	}
	s := fmt.Sprintf("%s: version %d, %d bytes, %d workers, %d records, %s", in.Path,
		in.Version, in.Bytes, len(in.Records), n, missing)
	if in.Verified {
		var k, a uint64
		for i := range in.Workers {
			k += in.Workers[i].Kernels
			a += in.Workers[i].Accesses
		}
		s += fmt.Sprintf(", %d kernel executions, %d accesses", k, a)
	}
	if in.Packed != 0 {
		s += fmt.Sprintf(", compressed to %d bytes", in.Packed)
	}
	if in.Recovered {
		s += ", recovered"
	}
	if !in.Clean {
		s += ", no clean end"
	}
	return s
}

// tally goes through all records; the error is that of the first bad one.
func (t *Trace) tally() ([]Activity, error) {
	all := make([]Activity, len(t.chunks))
	for i := range t.chunks {
		a := &all[i]
		var prev Record
		c := t.All(i)
		for {
			same := c.at < len(c.run) // what comes next is of the same record in the file
			if !c.Next() {
				break
			}
			if !same {
				a.records++
			}
			a.add(c.Record(), &prev)
		}
		if c.Err() != nil {
			return all, c.Err()
		}
	}
	return all, nil
}

// add counts r; prev is the kernel or task before it.
func (a *Activity) add(r, prev *Record) {
	switch r.Type {
	case EventRecord:
		a.Events++
		return
	case TaskRecord:
		a.Tasks++
		a.Kernels += uint64(len(r.Calls))
		for _, c := range r.Calls {
			a.Accesses += uint64(len(c.Args))
		}
	default:
		a.Kernels++
		a.Accesses += uint64(len(r.Args) + len(r.Explicit))
	}
	if r.Flags != 0 {
		a.Flagged++
	}
	if prev.Type == 0 || r.Start < a.FirstTick {
		a.FirstTick = r.Start
	}
	a.LastTick = max(a.LastTick, r.End)
	if r.End > r.Start {
		a.KernelTicks += r.End - r.Start
	}
	switch {
	case r.End < r.Start, r.Start < prev.Start:
		a.Backward++
	case r.Start < prev.End && r.Flags == 0 && prev.Flags == 0:
		a.Overlapping++
	}
	*prev = Record{Type: r.Type, Start: r.Start, End: r.End, Flags: r.Flags}
}
