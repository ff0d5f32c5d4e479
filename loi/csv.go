package loi

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
)

// WriteCSV writes the kernel executions of t as comma-separated values (RFC 4180), one row for each access, workers one
// after the other; a kernel without accesses has one row whose last four columns are empty. Stamps are as they were taken,
// without the offsets of the workers; kernels of a task record have the stamps of the task. The block is the key in a keyed object
// and the offset in a span; a trace with two-dimensional blocks is an error.
func WriteCSV(w io.Writer, t *Trace) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	out := csv.NewWriter(buf)
	out.Write([]string{"worker", "kernel", "start_ticks", "end_ticks", "object", "block", "bytes", "mode"})
	row := make([]string, 8)
	var list []Access
	for i := range t.Header.Workers {
		c := t.Cursor(i)
		for c.Next() {
			r := c.Record()
			row[0], row[1], row[2], row[3] = u(uint32(i)), t.Header.Registry.Kernels[r.Kernel].Name, u(r.Start), u(r.End)
			list = c.AppendAccesses(list[:0])
			if len(list) == 0 {
				row[4], row[5], row[6], row[7] = "", "", "", ""
				out.Write(row)
			}
			for _, a := range list {
				if a.Rows > 1 {
					return fmt.Errorf("csv: worker %d touches %d rows of object %q at once, for which there is no column", i, a.Rows, t.Header.Registry.Objects[a.Object].Name)
				}
				row[4], row[5], row[6], row[7] = t.Header.Registry.Objects[a.Object].Name, u(a.Block), u(a.Bytes), a.Mode.String()
				out.Write(row)
			}
		}
		if c.Err() != nil {
			return c.Err()
		}
	}
	out.Flush()
	if out.Error() != nil {
		return out.Error()
	}
	return buf.Flush()
}
