package imports

import "bytes"

// csvParser reads comma-separated values (RFC 4180, lines may end in LF alone). A line in its plain
// form, unquoted decimal numbers and names, is read in one pass over its bytes; any other line, bad
// ones among them, is read again field by field (csvslow.go), which is where all errors come from.
type csvParser struct {
	names
	columns []column // in the order of the file
	has     columnSet
	fields  [][]byte
	scratch []byte
	hz      uint64 // ticks a second; 0: no row has said it yet
}

// parse reads in to its end.
func (p *csvParser) parse(b *blocks) error {
	var line uint64 = 1 // at the beginning of data
	kept := 0
	for {
		if kept > maxLine {
			return tooLong(line)
		}
		data, last, err := b.next(kept)
		if err != nil {
			return err
		}
		if line == 1 && p.columns == nil {
			n, err := p.header(data, last)
			if err != nil {
				return err
			}
			if n == 0 {
				if last {
					return fault(0, "", "empty, expected a header line with the columns %s",
						columnsWanted)
				}
				kept = len(data)
				continue
			}
			data = data[n:]
			line = 2
		}
		n, lines, err := p.lines(data, line, last)
		if err != nil {
			return err
		}
		line += lines
		kept = len(data) - n
		if last {
			return nil
		}
	}
}

// lines reads the lines that begin in data, and returns how many bytes and lines that was. line is
// the number of the first. A line whose end is not in data is left.
func (p *csvParser) lines(data []byte, line uint64, last bool) (n int, lines uint64, err error) {
	whole := bytes.LastIndexByte(data, '\n') + 1
	for n < whole {
		r := p.out.next()
		used := p.plain(data[n:whole], r)
		count := uint64(1)
		if used == 0 {
			used, count, err = p.slow(data[n:whole], line+lines, last && whole == len(data), r)
			if err != nil {
				return 0, 0, err
			}
			if used == 0 {
				break // a quoted line feed: the line goes on
			}
		}
		if used > maxLine {
			return 0, 0, tooLong(line + lines)
		}
		n += used
		if r.bytes != 0 { // else: an empty line at the end
			r.pos = line + lines
			if err := p.out.add(); err != nil {
				return 0, 0, err
			}
		}
		lines += count
	}
	return n, lines, nil
}

// plain reads the line at the beginning of data, which has a line feed, into r and returns its
// length with the line feed, or 0 if the line is not plain.
func (p *csvParser) plain(data []byte, r *row) int {
	*r = row{}
	at, end := 0, byte(',')
	places := 0 // 1: a block, 2: an offset
	for i, c := range p.columns {
		if i == len(p.columns)-1 {
			end = '\n'
		}
		from := at
		if c.text() {
			for data[at] != ',' && data[at] > '\r' && data[at] != '"' {
				at++
			}
			field := data[from:at]
			if len(field) == 0 {
				return 0
			}
			fresh := false
			switch c {
			case colMode:
				if r.mode = parseMode(field); r.mode == 0 {
					return 0
				}
			case colObject:
				r.object, fresh = p.object(field)
			default:
				r.kernel, fresh = p.kernel(field)
			}
			if fresh && badName(field) != "" {
				return 0
			}
		} else {
			var v uint64
			for {
				d := data[at] - '0'
				if d > 9 {
					break
				}
				v = v*10 + uint64(d)
				at++
			}
			if at-from > 19 {
				return 0
			}
			if at == from && c != colBlock && c != colOffset && c != colClockHz {
				return 0
			}
			switch c {
			case colTime:
				r.time = v
			case colWorker:
				if v >= MaxWorkers {
					return 0
				}
				r.worker = uint32(v)
			case colBlock, colOffset:
				if at > from {
					r.block, r.span = v, c == colOffset
					places++
				}
			case colBytes:
				r.bytes = v
			case colEnd:
				r.end = v
			case colRows:
				if v > 1<<32-1 {
					return 0
				}
				r.rows = uint32(v)
			case colStride:
				r.stride = v
			case colClockHz:
				if at > from && (v == 0 || v != p.hz) {
					return 0
				}
			}
		}
		if data[at] != end {
			if end != '\n' || data[at] != '\r' || data[at+1] != '\n' {
				return 0
			}
			at++
		}
		at++
	}
	if p.has[colEnd] < 0 {
		r.end = r.time
	}
	if p.has[colKernel] < 0 {
		r.kernel = 0
	}
	if places != 1 || r.bytes-1 >= maxBytes || r.end < r.time {
		return 0
	}
	if (r.span || r.rows|uint32(r.stride|r.stride>>32) != 0) && r.shape() != nil {
		return 0
	}
	return at
}
