package exports

import (
	"io"
	"math"
	"strconv"
	"strings"

	"krdlab/loi"
)

// writeCSV writes one line for each access, under a header line (RFC 4180, but lines end in LF
// alone). Blocks have the columns time,worker,object,block,bytes,mode,kernel,end; a trace of spans
// alone has offset in place of block, then rows and stride; a trace with both has block and offset,
// one of them empty. Where the rate of the clock is known, clock_hz is the last column: whole ticks
// a second in the first row, empty in the others. The importer takes all of them. Kernel executions
// without accesses have no line.
func writeCSV(w io.Writer, t *loi.Trace, p *loi.Progress) error {
	clock, err := newClock(t, "csv")
	if err != nil {
		return err
	}
	blocks, spans := shapes(t)
	out := newOutput(w)
	out.b = append(out.b, "time,worker,object,"...)
	if blocks {
		out.b = append(out.b, "block,"...)
	}
	if spans {
		out.b = append(out.b, "offset,"...)
	}
	out.b = append(out.b, "bytes,mode,kernel,end"...)
	if spans {
		out.b = append(out.b, ",rows,stride"...)
	}
	rate := "" // of the next row
	hz := math.Round(t.Header.Clock.Hz)
	rated := hz >= 1 && hz <= 1<<53
	if rated {
		out.b = append(out.b, ",clock_hz"...)
		rate = strconv.FormatFloat(hz, 'f', 0, 64)
	}
	out.b = append(out.b, '\n')

	reg := &t.Header.Registry
	objects := make([]csvObject, len(reg.Objects))
	for i := range objects {
		o := csvObject{name: quoted(reg.Objects[i].Name) + ","}
		switch {
		case blocks && spans && reg.Objects[i].Kind == loi.Span:
			o.name += ","
		case blocks && spans:
			o.after = ","
		}
		objects[i] = o
	}
	kernels := make([]string, len(reg.Kernels))
	for i := range kernels {
		kernels[i] = "," + quoted(reg.Kernels[i].Name) + ","
	}
	// of the lines of one execution: what stands before the object and from the kernel on
	var head, tail []byte
	for e, err := range t.Ordered(program(p)) {
		if err != nil {
			return err
		}
		head = strconv.AppendUint(head[:0], clock.at(e.Start), 10)
		head = append(head, ',')
		head = strconv.AppendUint(head, uint64(e.Worker), 10)
		head = append(head, ',')
		tail = append(tail[:0], kernels[e.Kernel]...)
		tail = strconv.AppendUint(tail, clock.at(e.End), 10)
		b, list := out.b, e.Accesses()
		for i := range list {
			a := &list[i]
			o := &objects[a.Object]
			b = append(b, head...)
			b = append(b, o.name...)
			b = strconv.AppendUint(b, a.Block, 10)
			b = append(b, o.after...)
			b = append(b, ',')
			b = strconv.AppendUint(b, a.Bytes, 10)
			b = append(b, ',')
			b = append(b, letters(a.Mode)...)
			b = append(b, tail...)
			if spans {
				b = append(b, ',')
				b = strconv.AppendUint(b, uint64(max(a.Rows, 1)), 10)
				b = append(b, ',')
				b = strconv.AppendUint(b, a.Stride, 10)
			}
			if rated {
				b = append(b, ',')
				b = append(b, rate...)
				rate = ""
			}
			b = append(b, '\n')
		}
		out.b = b
		if err := out.spill(); err != nil {
			return err
		}
	}
	return out.flush()
}

// csvObject holds the text around the block or offset of an access.
type csvObject struct {
	name  string // the name, a comma, and one more for the empty block of a span
	after string // a comma for the empty offset of a block
}

// quoted returns a field of a CSV line.
func quoted(s string) string {
	if !strings.ContainsAny(s, ",\"\r\n") && strings.TrimSpace(s) == s {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
