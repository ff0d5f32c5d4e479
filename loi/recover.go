package loi

import (
	"cmp"
	"math"
	"slices"
)

// unfinishedMax is the largest number of bytes after the last valid record of a worker that are
// taken for the record that it was writing when it was killed, which may be the list of a task
// (Recorder.Place); more than that is damage.
const unfinishedMax = 64 << 10

// A RecoverReport counts the findings of a recovery. Slices are by worker.
type RecoverReport struct {
	Clean     bool     `json:"clean_end"` // and no damage: there was nothing to do
	Records   []uint64 `json:"records"`   // kept
	Discarded []uint64 `json:"discarded"` // that are missing, see Trace.Discarded
	// at least so many bytes of chunks were damaged or missing
	LostBytes   []uint64 `json:"lost_bytes"`
	LossUnknown []bool   `json:"loss_unknown"` // how many records were in them, see Trace.LossUnknown
	// Until is the latest end of a kernel or task that was kept, in ticks since the earliest start
	// of one of any worker; -1: none was kept.
	Until        []int64 `json:"-"`
	Clock        Clock   `json:"-"`             // of Until
	Unfinished   []bool  `json:"unfinished"`    // the worker was writing a record when it was killed
	SkippedBytes uint64  `json:"skipped_bytes"` // between chunks, that belong to none
	BadChunks    int     `json:"bad_chunks"`    // cut off, missing or with a wrong checksum
	Disordered   uint64  `json:"disordered"`    // records kept whose stamps go back or overlap, see Info
}

// Damaged reports whether more is missing than the unfinished records.
func (r *RecoverReport) Damaged() bool {
	if r.BadChunks > 0 || r.SkippedBytes > 0 {
		return true
	}
	return slices.ContainsFunc(r.LostBytes, func(n uint64) bool { return n > 0 })
}

// Recover makes the most of a trace that has no clean end or is damaged, and writes it as the new
// clean file out, which may not exist and is marked as recovered. The record that a worker was
// writing when it was killed is gone; damaged parts are given up and make the trace lossy. A trace
// without a fault is copied as it is. It fails if the header cannot be read, with a [*FormatError].
// told is as for [Open].
func Recover(path, out string, told ...Told) (RecoverReport, error) {
	t, rep, err := OpenUnclean(path, told...)
	if err != nil {
		return rep, err
	}
	defer t.Close()
	return rep, t.Save(out)
}

// OpenUnclean opens a trace that has no clean end or is damaged: see Recover. If the stream of a
// compressed file is damaged or cut off, it takes the part before.
func OpenUnclean(path string, told ...Told) (*Trace, RecoverReport, error) {
	m, bad := load(path, passesOf(told))
	if bad != nil && m.data == nil {
		return nil, RecoverReport{}, openError("recover", bad)
	}
	t, rep, err := salvage(m.data, m.passes)
	if err != nil {
		m.drop()
		if bad != nil { // the reason of what is missing
			err = bad
		}
		return nil, rep, inFile(err, path)
	}
	if bad != nil {
		rep.Clean, t.Recovered = false, true
	}
	t.path, t.mapped, t.packed = path, m.mapped, m.packed
	return t, rep, nil
}

func salvage(data []byte, p *passes) (*Trace, RecoverReport, error) {
	t, err := parseHead(data)
	if err != nil {
		return nil, RecoverReport{}, err
	}
	t.passes = p
	n := len(t.chunks)
	rep := RecoverReport{LostBytes: slices.Clone(t.lost)}
	if entries, head, err := t.footer(); err == nil {
		// whole, unless it was killed just before it said so
		if t.checkChunks(entries, head) == nil {
			rep.Clean = t.state() == nil
			rep.Unfinished = make([]bool, n)
			t.Recovered = t.Recovered || !rep.Clean
			return t.counted(rep)
		}
		rep.Unfinished = make([]bool, n)
		t.keepGood(entries, head, &rep)
	} else {
		if err := t.keepWhole(&rep); err != nil {
			return nil, RecoverReport{}, err
		}
		rep.LostBytes = slices.Clone(t.lost)
	}
	t.Recovered = true
	for i := range t.chunks {
		if t.lost[i] > 0 {
			t.discarded[i] = max(t.discarded[i], 1)
		}
	}
	return t.counted(rep)
}

// counted completes the report of t.
func (t *Trace) counted(rep RecoverReport) (*Trace, RecoverReport, error) {
	a, err := t.tally()
	rep.Records, rep.Discarded = t.records, t.discarded
	rep.Disordered, rep.LossUnknown, rep.Clock = disordered(a), t.LossUnknown(), t.Header.Clock
	first := int64(math.MaxInt64)
	stamp := func(i int, tick uint64) int64 { return int64(tick) - t.Header.Workers[i].TSCOffset }
	for i := range a {
		if a[i].stamped() {
			first = min(first, stamp(i, a[i].FirstTick))
		}
	}
	for i := range a {
		until := int64(-1)
		if a[i].stamped() {
			until = max(0, stamp(i, a[i].LastTick)-first)
		}
		rep.Until = append(rep.Until, until)
	}
	return t, rep, err
}

// keepGood keeps the chunks of a closed file that have the right checksum and good records; for the
// others, the footer has how many records are gone.
func (t *Trace) keepGood(entries []entry, head uint32, rep *RecoverReport) {
	clear(t.records)
	for i := range t.chunks {
		t.chunks[i] = nil
		if t.headChecksum() != head { // the counts of the page cannot be trusted
			t.discarded[i], t.dropped[i], t.lost[i] = 1, 0, slotBytes
			rep.LostBytes[i] = slotBytes
		}
	}
	for _, e := range entries {
		t.pass(e.bytes)
		if e.seq == unusedChunk {
			continue
		}
		h, ok := decodeChunkHeader(t.data, e.offset, len(t.chunks))
		ok = ok && h.worker == e.worker && h.bytes == e.bytes &&
			checksum(t.data[e.offset:e.offset+e.bytes]) == e.crc
		if used, records, _ := t.valid(int(e.worker),
			t.data[e.offset+chunkHeaderBytes:][:e.used]); !ok || used != e.used ||
			records != e.records {
			rep.BadChunks++
			t.discarded[e.worker] += e.records
			rep.LostBytes[e.worker] += e.used
			continue
		}
		t.chunks[e.worker] = append(t.chunks[e.worker], t.section(e))
		t.records[e.worker] += e.records
	}
}

// keepWhole keeps the good records of the chunks of a file that was not closed. That of a Builder
// has names beside them, and workers that its head does not tell of.
func (t *Trace) keepWhole(rep *RecoverReport) error {
	end, most := uint64(len(t.data)), len(t.chunks)
	if t.Buffered {
		most = MaxWorkers
	}
	for off := t.pre.dataOffset; off+chunkHeaderBytes <= end; {
		h, ok := decodeChunkHeader(t.data, off, most)
		if !ok {
			if le.Uint64(t.data[off:]) == 0 && lastNonzero(t.data[off+chunkHeaderBytes:]) == 0 {
				break // room kept for the footer, or a chunk that was being made
			}
			if le.Uint64(t.data[off:]) != 0 { // zeros hide no chunk: those begun are counted
				rep.SkippedBytes += 8
			}
			off += 8
			continue
		}
		t.addWorkers(int(h.worker) + 1)
		e := entry{offset: off, bytes: h.bytes, worker: h.worker, seq: h.seq}
		if h.bytes > end-off {
			if h.seq != unusedChunk {
				t.lost[h.worker] += h.bytes - (end - off)
				rep.BadChunks++
			}
			e.bytes = (end - off) / 8 * 8
		}
		if e.seq != unusedChunk {
			t.chunks[e.worker] = append(t.chunks[e.worker], section{entry: e})
		} else {
			t.learn(t.data[off+chunkHeaderBytes : off+e.bytes])
		}
		off += e.bytes
	}
	if err := t.Header.Validate(); err != nil {
		return corrupt(int64(t.pre.dataOffset), "%v", err)
	}
	t.objects, t.kernels = nil, nil
	t.index()
	rep.Unfinished = make([]bool, len(t.chunks))
	for i := range t.chunks {
		t.keepWorker(i, rep)
		if t.Buffered { // the records that were in memory are not known
			t.lost[i] += 8
		}
	}
	return nil
}

// keepWorker finds the good records in the chunks that were found of a worker.
func (t *Trace) keepWorker(worker int, rep *RecoverReport) {
	list := t.chunks[worker]
	slices.SortFunc(list, func(a, b section) int { return cmp.Compare(a.seq, b.seq) })
	var begun uint64
	if worker < int(t.pre.workers) {
		begun = le.Uint64(t.slot(worker)[slotChunks:])
	}
	if n := len(list); n > 0 {
		begun = max(begun, uint64(list[n-1].seq)+1)
	}
	if missing := begun - uint64(len(list)); begun > uint64(len(list)) {
		t.lost[worker] += missing * chunkHeaderBytes
		rep.BadChunks += int(min(missing, 1<<30))
	}
	for i := range list {
		e := &list[i]
		b := t.data[e.offset+chunkHeaderBytes : e.offset+e.bytes]
		var ok bool
		e.used, e.records, ok = t.valid(worker, b)
		e.data = b[:e.used]
		t.records[worker] += e.records
		t.pass(e.bytes)
		rest := b[e.used:]
		tail := lastNonzero(rest)
		switch {
		case !ok:
			t.lost[worker] += tail
		case len(rest) < 16 || le.Uint64(rest[8:]) == endCommit: // it was full
		case i < len(list)-1 || tail > unfinishedMax:
			t.lost[worker] += max(tail, 8)
		default:
			rep.Unfinished[worker] = tail > 0
		}
	}
}

// valid returns the bytes and the number of the good records at the beginning of b, and whether
// they end as they should: at a zero, an end mark or the end of b.
func (t *Trace) valid(worker int, b []byte) (used, records uint64, ok bool) {
	c := Cursor{t: t, worker: worker, all: true, data: b}
	for {
		if _, what := scan(c.data, &c.raw); what != "" {
			return used, records, false
		}
		if c.raw.typ == 0 || c.raw.typ == endRecord {
			return used, records, true
		}
		if !c.decode() {
			return used, records, false
		}
		c.data = c.data[c.raw.bytes:]
		used += uint64(c.raw.bytes)
		records++
	}
}

// lastNonzero returns the number of bytes of b up to its last one that is not zero.
func lastNonzero(b []byte) uint64 {
	n := len(b)
	for n >= 8 && le.Uint64(b[n-8:n]) == 0 {
		n -= 8
	}
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return uint64(n)
}
