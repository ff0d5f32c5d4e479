package imports

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A tableColumn is one column of the row group that is being read.
type tableColumn struct {
	column   column
	leaf     int  // index in a row group
	narrow   bool // integers of 32 bits
	unsigned bool
	text     bool
	nullable bool // a block or an offset, where the table has both

	pages  parquet.Pages
	page   parquet.Page        // nil before the first
	values parquet.ValueReader // of page; nil at its end
	buf    [batchRows]parquet.Value
}

// open begins a row group.
func (c *tableColumn) open(chunk parquet.ColumnChunk) {
	c.close()
	c.pages = chunk.Pages()
}

func (c *tableColumn) close() {
	parquet.Release(c.page)
	c.page, c.values = nil, nil
	if c.pages != nil {
		c.pages.Close()
		c.pages = nil
	}
}

// fill sets one column of rows, which follow those of the last call. It returns how many rows it
// has set, and why no more.
func (c *tableColumn) fill(p *parquetReader, rows []row) (n int, err error) {
	for n < len(rows) {
		var got []parquet.Value
		err := p.bottom.guard(rows[n].pos, fmt.Sprintf("column %q is damaged",
			columnNames[c.column]), func() (err error) {
			got, err = c.read(c.buf[:len(rows)-n])
			return err
		})
		if err != nil {
			return n, err
		}
		k, err := c.set(p, rows[n:], got)
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// read returns the next values, at least one and at most as many as buf has room for. They are
// valid until the next call.
func (c *tableColumn) read(buf []parquet.Value) ([]parquet.Value, error) {
	for {
		if c.values != nil {
			n, err := c.values.ReadValues(buf)
			switch {
			case err == io.EOF:
				c.values = nil
			case err != nil:
				return nil, err
			case n == 0:
				return nil, io.ErrNoProgress
			}
			if n > 0 {
				return buf[:n], nil
			}
			continue
		}
		parquet.Release(c.page)
		c.page = nil
		page, err := c.pages.ReadPage()
		if err == io.EOF || err == nil && page == nil {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		c.page, c.values = page, page.Values()
	}
}

// ended returns the error that a column has more values than its row group has rows.
func (c *tableColumn) ended() error {
	switch _, err := c.read(c.buf[:1]); err {
	case nil:
		return errors.New("more values than the row group has rows")
	case io.ErrUnexpectedEOF:
		return nil
	default:
		return err
	}
}

// set sets one column of rows, and returns how many it has set.
func (c *tableColumn) set(p *parquetReader, rows []row, got []parquet.Value) (int, error) {
	for i := range got {
		r, v := &rows[i], &got[i]
		if v.IsNull() {
			if c.nullable {
				continue
			}
			return i, fault(r.pos, columnNames[c.column], "a null, expected a value")
		}
		if c.text {
			if err := c.setText(p, r, v.ByteArray()); err != nil {
				return i, err
			}
			continue
		}
		n := v.Uint64()
		if c.narrow {
			n = uint64(int64(v.Int32()))
			if c.unsigned {
				n = uint64(v.Uint32())
			}
		}
		if int64(n) < 0 && !c.unsigned {
			return i, fault(r.pos, columnNames[c.column], "%d is negative, expected a number "+
				"from 0", int64(n))
		}
		switch c.column {
		case colTime:
			r.time = n
		case colEnd:
			r.end = n
		case colBlock:
			r.block = n
			r.mode |= hasBlock
		case colOffset:
			r.block = n
			r.mode |= hasOffset
		default:
			if err := r.set(c.column, n); err != nil {
				return i, err
			}
		}
	}
	return len(got), nil
}

// setText sets the mode or a name of a row.
func (c *tableColumn) setText(p *parquetReader, r *row, s []byte) error {
	var fresh bool
	switch {
	case c.column == colMode:
		m := parseMode(s)
		if m == 0 {
			return fault(r.pos, columnNames[c.column], "%s, %s", quoteShort(s), modesWanted)
		}
		r.mode |= m
		return nil
	case c.column == colKernel && len(s) == 0:
		r.kernel, _ = p.kernel([]byte(defaultKernel))
		return nil
	case len(s) == 0:
	case c.column == colKernel:
		r.kernel, fresh = p.kernel(s)
	default:
		r.object, fresh = p.object(s)
	}
	if len(s) == 0 {
		return fault(r.pos, columnNames[c.column], "nothing, expected a name")
	}
	if bad := badName(s); fresh && bad != "" {
		return fault(r.pos, columnNames[c.column], "%s in %s, expected a name", bad, quoteShort(s))
	}
	return nil
}
