package imports

import (
	"bytes"
	"math"
	"strings"
)

// header reads the line with the names of the columns and returns its length with its end, or 0 if
// that end is not in data.
func (p *csvParser) header(data []byte, last bool) (int, error) {
	if len(data) == 0 {
		return 0, nil
	}
	if data[0] == '\n' || bytes.HasPrefix(data, []byte("\r\n")) {
		return 0, fault(1, "", "an empty line, expected a header line with the columns %s",
			columnsWanted)
	}
	n, _, err := p.split(data, 1, last)
	if n == 0 || err != nil {
		return 0, err
	}
	has := noColumns()
	var columns []column
	for i, f := range p.fields {
		c, err := has.add(string(f), i)
		if err != nil {
			return 0, fault(1, "", "%v", err)
		}
		columns = append(columns, c)
	}
	if err := has.complete(); err != nil {
		return 0, fault(1, "", "%v", err)
	}
	p.columns, p.has = columns, has
	if has[colKernel] < 0 {
		p.kernel([]byte(defaultKernel))
	}
	return n, nil
}

// slow reads the line at the beginning of data into r as plain does, whatever its form, and returns
// its fault. It returns how many bytes and lines of the file that was, 0 if its end is not in data.
// An empty line at the end leaves r.bytes 0.
func (p *csvParser) slow(data []byte, line uint64, last bool, r *row) (n int, lines uint64,
	err error) {
	*r = row{pos: line}
	if data[0] == '\n' || data[0] == '\r' && data[1] == '\n' {
		n = bytes.IndexByte(data, '\n') + 1
		if last && n == len(data) {
			return n, 1, nil
		}
		if n == len(data) {
			return 0, 0, nil // whether it is the last depends on the next bytes
		}
		return 0, 0, fault(line, "", "an empty line, expected %d fields", len(p.columns))
	}
	n, lines, err = p.split(data, line, last)
	if n == 0 || err != nil {
		return 0, 0, err
	}
	if len(p.fields) != len(p.columns) {
		return 0, 0, fault(line, "", "%d fields, expected %d as in the header", len(p.fields),
			len(p.columns))
	}
	for i, c := range p.columns {
		if err := p.field(r, c, p.fields[i]); err != nil {
			return 0, 0, err
		}
	}
	if err := p.whole(r); err != nil {
		return 0, 0, err
	}
	return n, lines, nil
}

// field reads one field of a line into r.
func (p *csvParser) field(r *row, c column, f []byte) error {
	name := columnNames[c]
	switch c {
	case colMode:
		if r.mode = parseMode(f); r.mode == 0 {
			return fault(r.pos, name, "%s, %s", quoteShort(f), modesWanted)
		}
		return nil
	case colObject, colKernel:
		switch {
		case badName(f) != "":
			return fault(r.pos, name, "%s in %s, expected a name", badName(f), quoteShort(f))
		case c == colKernel && len(f) == 0:
			r.kernel, _ = p.kernel([]byte(defaultKernel))
		case c == colKernel:
			r.kernel, _ = p.kernel(f)
		case len(f) == 0:
			return fault(r.pos, name, "nothing, expected the name of an object")
		default:
			r.object, _ = p.object(f)
		}
		return nil
	}
	switch c {
	case colBlock, colOffset, colEnd, colRows, colStride, colClockHz: // may be left out
		if len(f) == 0 {
			return nil
		}
	}
	if c == colClockHz { // data frames make a column with gaps one of floats
		f = bytes.TrimSuffix(f, []byte(".0"))
	}
	v, err := number(f)
	if err != nil {
		return fault(r.pos, name, "%v", err)
	}
	if c == colClockHz {
		switch {
		case v == 0 || v > maxHz:
			return fault(r.pos, name, "%d ticks a second, expected 1 to 2^53", v)
		case p.hz != 0 && v != p.hz:
			return fault(r.pos, name, "%d ticks a second, but %d in a row before", v, p.hz)
		}
		p.hz = v
		return nil
	}
	return r.set(c, v)
}

// set sets a number of r.
func (r *row) set(c column, v uint64) error {
	switch c {
	case colTime:
		r.time = v
	case colWorker:
		if v >= MaxWorkers {
			return fault(r.pos, columnNames[c], "worker %d, expected at most %d", v, MaxWorkers-1)
		}
		r.worker = uint32(v)
	case colBlock, colOffset:
		r.block, r.span = v, c == colOffset
	case colBytes:
		switch {
		case v == 0:
			return fault(r.pos, columnNames[c], "an access of 0 bytes, expected at least 1")
		case v > maxBytes:
			return fault(r.pos, columnNames[c], "%d bytes, expected at most 2^62", v)
		}
		r.bytes = v
	case colEnd:
		r.end = v
	case colRows:
		if v > math.MaxUint32 {
			return fault(r.pos, columnNames[c], "%d rows, expected at most %d", v,
				uint32(math.MaxUint32))
		}
		r.rows = uint32(v)
	case colStride:
		r.stride = v
	}
	return nil
}

// whole checks what no field can tell alone.
func (p *csvParser) whole(r *row) error {
	field := func(c column) []byte {
		if p.has[c] < 0 {
			return nil
		}
		return p.fields[p.has[c]]
	}
	block, offset := len(field(colBlock)) > 0, len(field(colOffset)) > 0
	switch {
	case block && offset:
		return fault(r.pos, "", "a block and an offset, expected one of them")
	case !block && !offset && p.has[colOffset] < 0:
		return fault(r.pos, "block", "nothing, expected a number")
	case !block && !offset && p.has[colBlock] < 0:
		return fault(r.pos, "offset", "nothing, expected a number")
	case !block && !offset:
		return fault(r.pos, "", "neither a block nor an offset, expected one of them")
	}
	if len(field(colEnd)) == 0 {
		r.end = r.time
	}
	if r.end < r.time {
		return fault(r.pos, "end", "%d, expected at least the time %d", r.end, r.time)
	}
	return r.shape()
}

// split cuts the line at the beginning of data into p.fields, unquoted, and returns how many bytes
// and lines of the file it is; 0 if its end is not in data. A field that is quoted and has quotes
// in it is moved to p.scratch.
func (p *csvParser) split(data []byte, line uint64, last bool) (n int, lines uint64, err error) {
	p.fields, p.scratch = p.fields[:0], p.scratch[:0]
	lines = 1
	for {
		if n < len(data) && data[n] == '"' {
			f, used := p.unquote(data[n:])
			if used == 0 {
				if last {
					return 0, 0, fault(line, p.columnAt(len(p.fields)), "a quote without an end")
				}
				return 0, 0, nil
			}
			lines += uint64(bytes.Count(data[n:n+used], []byte{'\n'}))
			p.fields = append(p.fields, f)
			n += used
		} else {
			i := bytes.IndexAny(data[n:], ",\n")
			if i < 0 {
				return 0, 0, nil
			}
			f := data[n : n+i]
			n += i
			if data[n] == '\n' {
				f = bytes.TrimSuffix(f, []byte{'\r'})
			}
			p.fields = append(p.fields, f)
		}
		rest := data[n:]
		switch {
		case len(rest) > 0 && rest[0] == ',':
			n++
		case len(rest) > 0 && rest[0] == '\n':
			return n + 1, lines, nil
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return n + 2, lines, nil
		case len(rest) < 2:
			return 0, 0, nil
		default:
			return 0, 0, fault(line, p.columnAt(len(p.fields)-1), "%s after a quoted field, "+
				"expected a comma or the end of the line", quoteShort(rest[:1]))
		}
	}
}

// columnAt names the i-th column, if the header has been read.
func (p *csvParser) columnAt(i int) string {
	if i < len(p.columns) {
		return columnNames[p.columns[i]]
	}
	return ""
}

// unquote returns the quoted field at the beginning of data and its length with the quotes, 0 if it
// does not end in data.
func (p *csvParser) unquote(data []byte) (field []byte, n int) {
	from := len(p.scratch)
	for n = 1; ; {
		i := bytes.IndexByte(data[n:], '"')
		if i < 0 {
			return nil, 0
		}
		p.scratch = append(p.scratch, data[n:n+i]...)
		n += i + 1
		if n == len(data) || data[n] != '"' {
			return p.scratch[from:len(p.scratch):len(p.scratch)], n
		}
		p.scratch = append(p.scratch, '"')
		n++
	}
}

// looksLikeHeader reports whether a line names columns of a table of accesses.
func looksLikeHeader(line string) bool {
	for f := range strings.SplitSeq(line, ",") {
		f = strings.Trim(strings.TrimRight(f, "\r"), `"`)
		if f == "time" || f == "worker" || f == "object" {
			return true
		}
	}
	return false
}
