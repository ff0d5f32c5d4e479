package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetReader reads a table of accesses column by column: a batch of rows is filled with one
// column after the other.
type parquetReader struct {
	names
	file    *parquet.File
	bottom  *tableBytes
	columns []*tableColumn
	has     columnSet
	row     uint64 // rows read
}

// tableBytes distinguishes a disk that fails from content that is bad.
type tableBytes struct {
	r   io.ReaderAt
	err error
}

func (t *tableBytes) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("offset %d", off) // by a file that is too short
	}
	n, err := t.r.ReadAt(b, off)
	if err != nil && err != io.EOF {
		t.err = err
	}
	return n, err
}

// guard calls f, which calls the library, and makes an error of a panic: damaged files give it
// some.
func (t *tableBytes) guard(row uint64, what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		switch {
		case t.err != nil:
			err = t.err
		case err != nil && !errors.As(err, new(*DataError)):
			err = &DataError{Line: row, What: what, Err: err}
		}
	}()
	return f()
}

// parseParquet reads the Parquet file r of size bytes. hz becomes the rate of the clock, if the
// metadata have it.
func parseParquet(ctx context.Context, r io.ReaderAt, size int64, out *outlet,
	progress func(done, total int64), hz *float64) error {
	if size == 0 {
		return fault(0, "", "empty, expected a Parquet file")
	}
	p := &parquetReader{bottom: &tableBytes{r: r}, names: names{out: out}}
	err := p.bottom.guard(0, "no Parquet file, or one that is cut off or damaged",
		func() (err error) {
			p.file, err = OpenParquet(p.bottom, size)
			return err
		})
	if err != nil {
		return err
	}
	if err := p.bottom.guard(0, "a damaged schema", p.schema); err != nil {
		return err
	}
	if text, ok := p.file.Lookup("krdlab.clock_hz"); ok {
		if v, err := strconv.ParseFloat(text, 64); err == nil && v >= 1 && v <= maxHz {
			*hz = v
		}
	}
	if p.has[colKernel] < 0 {
		p.kernel([]byte(defaultKernel))
	}
	for _, group := range p.file.RowGroups() {
		if err := p.group(group, func() {
			if progress != nil {
				progress(int64(float64(size)*min(float64(p.row)/float64(max(p.file.NumRows(), 1)),
					1)), size)
			}
		}); err != nil {
			return err
		}
	}
	if p.row != uint64(p.file.NumRows()) {
		return fault(0, "", "%d rows in the row groups of a file of %d", p.row, p.file.NumRows())
	}
	return ctx.Err()
}

// group reads a row group and calls tick now and then.
func (p *parquetReader) group(group parquet.RowGroup, tick func()) error {
	var left int64
	err := p.bottom.guard(p.row+1, "a damaged row group", func() error {
		left = group.NumRows()
		chunks := group.ColumnChunks()
		for _, c := range p.columns {
			c.open(chunks[c.leaf])
		}
		return nil
	})
	defer func() {
		for _, c := range p.columns {
			c.close()
		}
	}()
	if err != nil {
		return err
	}
	for n := 0; left > 0; left -= int64(n) {
		n = int(min(left, batchRows))
		rows := p.out.b.rows[:n:batchRows]
		for i := range rows {
			p.row++
			rows[i] = row{pos: p.row}
		}
		var first error // by row
		good := n       // rows before it
		for _, c := range p.columns {
			k, err := c.fill(p, rows)
			if k < good {
				first, good = err, k
			}
		}
		for i := range rows[:good] {
			if err := p.whole(&rows[i]); err != nil {
				first, good = err, i
				break
			}
		}
		p.out.b.rows = rows[:good]
		if err := p.out.flush(); err != nil {
			return err
		}
		if first != nil {
			return first
		}
		if p.row/batchRows%64 == 0 {
			tick()
		}
	}
	tick()
	for _, c := range p.columns {
		if err := p.bottom.guard(p.row, fmt.Sprintf("column %q is damaged",
			columnNames[c.column]), c.ended); err != nil {
			return err
		}
	}
	return nil
}

// whole checks what no column can tell alone.
func (p *parquetReader) whole(r *row) error {
	switch {
	case r.mode&hasBlock != 0 && r.mode&hasOffset != 0:
		return fault(r.pos, "", "a block and an offset, expected one of them and a null")
	case r.mode&(hasBlock|hasOffset) == 0:
		return fault(r.pos, "", "neither a block nor an offset, expected one of them")
	}
	r.span = r.mode&hasOffset != 0
	r.mode &^= hasBlock | hasOffset
	if p.has[colEnd] < 0 {
		r.end = r.time
	}
	if r.end < r.time {
		return fault(r.pos, "end", "%d, expected at least the time %d", r.end, r.time)
	}
	if r.span || r.rows > 1 {
		return r.shape()
	}
	r.rows, r.stride = 0, 0
	return nil
}

// While a row is being filled, its mode has these bits too.
const (
	hasBlock  = 0x40
	hasOffset = 0x80
)

// schema finds the columns and checks their types. Its errors are not the library's.
func (p *parquetReader) schema() error {
	p.has = noColumns()
	for _, leaf := range p.file.Root().Columns() {
		c, err := p.has.add(leaf.Name(), 0)
		if err != nil {
			return fault(0, "", "%v", err)
		}
		if c == colClockHz { // the metadata have it
			continue
		}
		pc := &tableColumn{column: c, leaf: leaf.Index(), text: c.text()}
		if err := pc.setType(leaf); err != nil {
			return err
		}
		p.columns = append(p.columns, pc)
	}
	if err := p.has.complete(); err != nil {
		return fault(0, "", "%v", err)
	}
	for _, c := range p.columns {
		c.nullable = p.has[colBlock] >= 0 && p.has[colOffset] >= 0 &&
			(c.column == colBlock || c.column == colOffset)
	}
	return nil
}

// setType checks the type of a column.
func (c *tableColumn) setType(leaf *parquet.Column) error {
	name := columnNames[c.column]
	wanted := "an integer"
	if c.column.text() {
		wanted = "a string"
	}
	if !leaf.Leaf() || leaf.Repeated() {
		return fault(0, name, "nested or repeated, expected %s", wanted)
	}
	t := leaf.Type()
	var logical format.LogicalTypeValue
	if l := t.LogicalType(); l != nil {
		logical = l.Value
	}
	integer, isInteger := logical.(*format.IntType)
	_, isString := logical.(*format.StringType)
	_, isEnum := logical.(*format.EnumType)
	ok := false
	switch kind := t.Kind(); {
	case c.column.text():
		ok = kind == parquet.ByteArray && (logical == nil || isString || isEnum)
	case kind == parquet.Int32 || kind == parquet.Int64:
		c.narrow = kind == parquet.Int32
		c.unsigned = isInteger && !integer.IsSigned
		ok = logical == nil || isInteger
	}
	if !ok {
		return fault(0, name, "its type is %s, expected %s", strings.ToLower(t.String()), wanted)
	}
	return nil
}
