package imports

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"krdlab/loi"
)

// A pageColumn is one column of the row group that is being read, and its present page.
type pageColumn struct {
	column   column
	leaf     int // index in a row group
	wide     bool
	unsigned bool
	optional bool
	maxLevel byte // definition level of what is not null

	pages      parquet.Pages
	end        uint64 // rows of the file before the end of the row group
	row        uint64 // rows of the file before the page
	at         int    // values of the page that have been used
	values     []uint64
	null       []bool // by value, or nil if there are none
	bad        int    // index of the first value that is none, or len(values)
	badWhat    error
	dictionary parquet.Dictionary
	codes      []uint64 // of the values of the dictionary
	texts      []string // that do not do, by badCode less the code
}

// The codes of texts that do not do go down from badCode; those of modes and names are at most maxCode.
const (
	badCode = ^uint64(0)
	maxCode = 1<<32 - 1
)

func (c *pageColumn) close() {
	if c.pages != nil {
		c.pages.Close()
		c.pages = nil
	}
}

// fill sets one column of rows, which follow those of the last call. It returns how many rows it has set, and why no more.
func (c *pageColumn) fill(p *parquetReader, rows []row) (n int, err error) {
	for n < len(rows) {
		if c.at == len(c.values) {
			err := p.bottom.guard(c.row+uint64(len(c.values))+1, fmt.Sprintf("column %q is damaged", columnNames[c.column]), func() error { return c.load(p) })
			if err != nil {
				return n, err
			}
			continue
		}
		m := min(len(c.values)-c.at, len(rows)-n)
		good := min(m, c.bad-c.at)
		k, err := c.set(rows[n:n+good], c.values[c.at:c.at+good])
		n += k
		c.at += k
		if err != nil {
			return n, err
		}
		if good < m {
			return n, fault(c.row+uint64(c.bad)+1, columnNames[c.column], "%v", c.badWhat)
		}
	}
	return n, nil
}

// set sets one column of rows, and returns how many it has set.
func (c *pageColumn) set(rows []row, v []uint64) (int, error) {
	v = v[:len(rows)]
	switch c.column {
	case colTime:
		for i := range rows {
			rows[i].time = v[i]
		}
	case colEnd:
		for i := range rows {
			rows[i].end = v[i]
		}
	case colWorker:
		for i := range rows {
			if v[i] >= maxWorkers {
				return i, rows[i].set(colWorker, v[i])
			}
			rows[i].worker = uint32(v[i])
		}
	case colObject:
		for i := range rows {
			rows[i].object = uint32(v[i])
		}
	case colKernel:
		for i := range rows {
			rows[i].kernel = uint32(v[i])
		}
	case colBytes:
		for i := range rows {
			if v[i]-1 >= maxBytes {
				return i, rows[i].set(colBytes, v[i])
			}
			rows[i].bytes = v[i]
		}
	case colBlock, colOffset:
		bit := hasBlock
		if c.column == colOffset {
			bit = hasOffset
		}
		for i := range rows {
			if c.null != nil && c.null[c.at+i] {
				continue
			}
			rows[i].block = v[i]
			rows[i].mode |= loi.Mode(bit)
		}
	case colMode:
		for i := range rows {
			rows[i].mode |= loi.Mode(v[i])
		}
	default:
		for i := range rows {
			if err := rows[i].set(c.column, v[i]); err != nil {
				return i, err
			}
		}
	}
	return len(rows), nil
}

// load decodes the next page.
func (c *pageColumn) load(p *parquetReader) error {
	page, err := c.pages.ReadPage()
	if err == io.EOF || err == nil && page == nil {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	defer parquet.Release(page)
	c.row += uint64(len(c.values))
	c.at = 0
	n := int(page.NumValues())
	if n < 0 || uint64(n) > c.end-c.row {
		return fmt.Errorf("a page of %d values, where the row group has %d left", n, c.end-c.row)
	}
	c.values, c.null, c.badWhat = c.values[:0], nil, nil
	if c.column.text() {
		err = c.strings(p, page)
	} else {
		err = c.numbers(page)
	}
	if err != nil {
		return err
	}
	c.bad = len(c.values)
	if c.optional {
		c.spread(page.DefinitionLevels())
	}
	if len(c.values) != n {
		return fmt.Errorf("a page with %d values of %d", len(c.values), n)
	}
	c.findBad(p)
	return nil
}

// spread makes room for nulls among the values.
func (c *pageColumn) spread(levels []byte) {
	nulls := len(levels) - bytes.Count(levels, []byte{c.maxLevel})
	if nulls == 0 {
		return
	}
	k := len(c.values) - 1
	for range nulls {
		c.values = append(c.values, 0)
	}
	c.null = make([]bool, len(levels))
	for i := len(levels) - 1; i >= 0 && i < len(c.values); i-- {
		if levels[i] != c.maxLevel {
			c.values[i], c.null[i] = 0, true
		} else if k >= 0 {
			c.values[i] = c.values[k]
			k--
		}
	}
}

// findBad finds the first value of the page that is none.
func (c *pageColumn) findBad(p *parquetReader) {
	c.bad = len(c.values)
	wantNulls := (c.column == colBlock || c.column == colOffset) && p.has[colBlock] >= 0 && p.has[colOffset] >= 0
	var any uint64
	for _, v := range c.values {
		any |= v
	}
	if c.null == nil && (c.column.text() && any <= maxCode || !c.column.text() && (c.unsigned || int64(any) >= 0)) {
		return
	}
	for i, v := range c.values {
		null := c.null != nil && c.null[i]
		switch {
		case null && wantNulls:
		case null:
			c.badWhat = errors.New("a null, expected a value")
		case v > maxCode && c.column == colMode:
			c.badWhat = fmt.Errorf("%s, %s", c.texts[badCode-v], modesWanted)
		case v > maxCode && c.column.text():
			c.badWhat = fmt.Errorf("%s, expected a name without NUL bytes", c.texts[badCode-v])
		case !c.column.text() && !c.unsigned && int64(v) < 0:
			c.badWhat = fmt.Errorf("%d is negative, expected a number from 0", int64(v))
		}
		if c.badWhat != nil {
			c.bad = i
			return
		}
	}
}

// numbers appends the values of a page of integers, without its nulls; negative ones with their sign.
func (c *pageColumn) numbers(page parquet.Page) error {
	d := page.Dictionary()
	if d == nil {
		c.values = c.integers(c.values, page)
		return nil
	}
	if c.dictionary != d {
		c.codes = c.integers(c.codes[:0], d.Page())
		c.dictionary = d
	}
	return c.lookUp(page)
}

func (c *pageColumn) integers(to []uint64, page parquet.Page) []uint64 {
	data := page.Data()
	switch {
	case c.wide:
		for _, v := range data.Int64() {
			to = append(to, uint64(v))
		}
	case c.unsigned:
		for _, v := range data.Uint32() {
			to = append(to, uint64(v))
		}
	default:
		for _, v := range data.Int32() {
			to = append(to, uint64(int64(v)))
		}
	}
	return to
}

// lookUp appends the codes of the values of a page with a dictionary.
func (c *pageColumn) lookUp(page parquet.Page) error {
	data := page.Data()
	codes := c.codes
	for _, i := range data.Int32() {
		if uint(i) >= uint(len(codes)) {
			return fmt.Errorf("entry %d of a dictionary of %d", i, len(codes))
		}
		c.values = append(c.values, codes[i])
	}
	return nil
}

// strings appends the codes of the values of a page of strings, without its nulls.
func (c *pageColumn) strings(p *parquetReader, page parquet.Page) error {
	d := page.Dictionary()
	if d == nil {
		c.values = c.encode(p, c.values, page)
		return nil
	}
	if c.dictionary != d {
		c.codes = c.encode(p, c.codes[:0], d.Page())
		c.dictionary = d
	}
	return c.lookUp(page)
}

// encode appends the code of each string: the number of a name, or the mode.
func (c *pageColumn) encode(p *parquetReader, to []uint64, page parquet.Page) []uint64 {
	data := page.Data()
	b, offsets := data.ByteArray()
	for i := 1; i < len(offsets); i++ {
		to = append(to, c.code(p, b[offsets[i-1]:offsets[i]]))
	}
	return to
}

func (c *pageColumn) code(p *parquetReader, s []byte) uint64 {
	if c.column == colMode {
		if m := parseMode(s); m != 0 {
			return uint64(m)
		}
		return c.refuse(s)
	}
	if c.column == colKernel && len(s) == 0 {
		s = []byte(defaultKernel)
	}
	if len(s) == 0 || bytes.IndexByte(s, 0) >= 0 {
		return c.refuse(s)
	}
	names, list := &p.objects, &p.out.b.objects
	if c.column == colKernel {
		names, list = &p.kernels, &p.out.b.kernels
	}
	n, fresh := names.number(s)
	if fresh {
		*list = append(*list, names.names[n])
	}
	return uint64(n)
}

// refuse returns the code of a text that does not do.
func (c *pageColumn) refuse(s []byte) uint64 {
	c.texts = append(c.texts, quoteShort(s))
	return badCode - uint64(len(c.texts)-1)
}
