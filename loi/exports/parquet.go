package exports

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"krdlab/loi"
)

// rowGroup is the number of rows in a row group, and batch the number handed over at a time.
const (
	rowGroup = 1 << 20
	batch    = 1 << 12
)

// common are the columns that all tables have. Stamps and numbers of workers are signed, so that
// differences of them are right in DuckDB and pandas; the number of a block is not, since a key may
// have all 64 bits.
type common struct {
	Time   int64  `parquet:"time,delta"`
	Worker int32  `parquet:"worker"`
	Object string `parquet:"object,dict"`
	Bytes  int64  `parquet:"bytes"`
	Mode   string `parquet:"mode,dict"`
	Kernel string `parquet:"kernel,dict"`
	End    int64  `parquet:"end,delta"`
}

type blockRow struct {
	common
	Block uint64 `parquet:"block"`
}

type spanRow struct {
	common
	Offset uint64 `parquet:"offset"`
	Rows   int64  `parquet:"rows"`
	Stride int64  `parquet:"stride"`
}

type mixedRow struct {
	common
	Block  *uint64 `parquet:"block"`
	Offset *uint64 `parquet:"offset"`
	Rows   int64   `parquet:"rows"`
	Stride int64   `parquet:"stride"`
}

func writeParquet(w io.Writer, t *loi.Trace, p *loi.Progress) error {
	blocks, spans := shapes(t)
	switch {
	case !spans:
		return writeRows(w, t, p, func(row *blockRow, a *loi.Access) *common {
			row.Block = a.Block
			return &row.common
		})
	case !blocks:
		return writeRows(w, t, p, func(row *spanRow, a *loi.Access) *common {
			row.Offset, row.Rows, row.Stride = a.Block, int64(max(a.Rows, 1)), int64(a.Stride)
			return &row.common
		})
	}
	objects, places, n := t.Header.Registry.Objects, make([]uint64, batch), 0
	return writeRows(w, t, p, func(row *mixedRow, a *loi.Access) *common {
		place := &places[n%batch]
		n++
		*place = a.Block
		if row.Block, row.Offset = place, nil; objects[a.Object].Kind == loi.Span {
			row.Block, row.Offset = nil, place
		}
		row.Rows, row.Stride = int64(max(a.Rows, 1)), int64(a.Stride)
		return &row.common
	})
}

// writeRows writes one row for each access; fill sets the columns of its shape and returns the
// others, which writeRows sets.
func writeRows[T any](w io.Writer, t *loi.Trace, p *loi.Progress,
	fill func(row *T, a *loi.Access) *common) error {
	clock, err := newClock(t, "parquet")
	if err != nil {
		return err
	}
	objects, kernels := names(&t.Header.Registry)
	out := parquet.NewGenericWriter[T](w,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.MaxRowsPerRowGroup(rowGroup))
	for _, kv := range describe(t) {
		out.SetKeyValueMetadata("krdlab."+kv.Key, kv.Value)
	}
	rows := make([]T, 0, batch)
	for e, err := range t.Ordered(program(p)) {
		if err != nil {
			return err
		}
		start, end, list := clock.at(e.Start), clock.at(e.End), e.Accesses()
		if max(start, end) > math.MaxInt64 {
			return &RangeError{Format: "parquet", Worker: e.Worker,
				What: fmt.Sprintf("stamp %d, expected at most %d", max(start, end),
					int64(math.MaxInt64))}
		}
		for i := range list {
			a := &list[i]
			rows = rows[:len(rows)+1]
			// No size and no stride of a trace needs more than 62 bits.
			*fill(&rows[len(rows)-1], a) = common{
				Time: int64(start), Worker: int32(e.Worker), Object: objects[a.Object],
				Bytes: int64(a.Bytes),
				Mode:  letters(a.Mode), Kernel: kernels[e.Kernel], End: int64(end),
			}
			if len(rows) == batch {
				if _, err := out.Write(rows); err != nil {
					return fmt.Errorf("export as parquet: %w", err)
				}
				rows = rows[:0]
			}
		}
	}
	if _, err := out.Write(rows); err != nil {
		return fmt.Errorf("export as parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("export as parquet: %w", err)
	}
	return nil
}

// names returns the names of objects and kernels for formats that want UTF-8.
func names(r *loi.Registry) (objects, kernels []string) {
	for i := range r.Objects {
		objects = append(objects, strings.ToValidUTF8(r.Objects[i].Name, "\uFFFD"))
	}
	for i := range r.Kernels {
		kernels = append(kernels, strings.ToValidUTF8(r.Kernels[i].Name, "\uFFFD"))
	}
	return objects, kernels
}
