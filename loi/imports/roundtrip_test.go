package imports

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"context"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"krdlab/hw/hwtest"
	"krdlab/loi"
)

var objectNames = []string{"A", "b c", "comma,", "quote\"d", "two\nlines", "naïve", "é\r\n", " ",
	"x"}

// generate returns rows of executions of a few workers, in order of time, and the events that they
// are.
func generate(rng *rand.Rand, n int, spans bool) (rows []optionalTable, want []event) {
	open := map[int]*event{}
	size := func(key uint64) int64 { return int64(key%7*key%1000 + 1) }
	flush := func(w int) {
		if e := open[w]; e != nil {
			want = append(want, *e)
		}
	}
	now := rng.Uint64N(1 << 40)
	for range n {
		if rng.IntN(3) == 0 {
			now += 1 + rng.Uint64N(1<<rng.UintN(30))
		}
		w := rng.IntN(4) * 100
		k := []string{"access", "leaf, quoted", "\"k"}[rng.IntN(3)]
		end := now + rng.Uint64N(2)*1000
		e := open[w]
		if e == nil || e.start != now || e.end != end || e.kernel != k {
			flush(w)
			e = &event{worker: w, kernel: k, start: now, end: end}
			open[w] = e
		}
		i := rng.IntN(len(objectNames))
		m := loi.Mode(1 + rng.IntN(3))
		r := optionalTable{Time: at(int64(now)), Worker: at(int16(w)), Object: at(objectNames[i]),
			Mode: []byte(m.String()), Kernel: k, End: int64(end)}
		a := access{object: objectNames[i], kind: loi.Keyed, a: loi.Access{Mode: m}}
		if spans && i%2 == 0 {
			a.kind = loi.Span
			a.a.Block, a.a.Bytes = rng.Uint64N(1<<32), 1+rng.Uint64N(1<<12)
			r.Offset, r.Bytes = at(uint32(a.a.Block)), at(int64(a.a.Bytes))
			if r.Rows = int32(rng.IntN(4)); r.Rows > 1 {
				r.Stride = uint16(a.a.Bytes) + uint16(rng.IntN(100))
				a.a.Rows, a.a.Stride = uint32(r.Rows), uint64(r.Stride)
			}
		} else {
			a.a.Block = rng.Uint64N(1<<rng.UintN(63) + 1)
			a.a.Bytes = uint64(size(a.a.Block))
			r.Block, r.Bytes = at(int64(a.a.Block)), at(int64(a.a.Bytes))
		}
		e.list = append(e.list, a)
		rows = append(rows, r)
	}
	for _, w := range []int{0, 100, 200, 300} {
		flush(w)
	}
	slices.SortStableFunc(want, func(a, b event) int { return a.worker - b.worker })
	return rows, want
}

// writeTable writes rows as CSV, in one of the many forms that mean the same.
func writeTable(rng *rand.Rand, rows []optionalTable, spans bool) []byte {
	columns := []column{colTime, colWorker, colObject, colBlock, colBytes, colMode, colKernel,
		colEnd}
	if spans {
		columns = append(columns, colOffset, colRows, colStride)
	}
	rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	eol := []string{"\n", "\r\n"}[rng.IntN(2)]
	odd := rng.IntN(20) // how many of 20 fields are in no plain form
	var b bytes.Buffer
	for i, c := range columns {
		b.WriteString([]string{"", ","}[min(i, 1)] + columnNames[c])
	}
	for _, r := range rows {
		b.WriteString(eol)
		for i, c := range columns {
			b.WriteString([]string{"", ","}[min(i, 1)])
			var f string
			switch c {
			case colTime:
				f = fmt.Sprint(*r.Time)
			case colWorker:
				f = fmt.Sprint(*r.Worker)
			case colObject:
				f = *r.Object
			case colBlock:
				if r.Block != nil {
					f = fmt.Sprint(*r.Block)
				}
			case colOffset:
				if r.Offset != nil {
					f = fmt.Sprint(*r.Offset)
				}
			case colBytes:
				f = fmt.Sprint(*r.Bytes)
			case colMode:
				f = string(r.Mode)
			case colKernel:
				f = r.Kernel
			case colEnd:
				f = fmt.Sprint(r.End)
			case colRows:
				f = fmt.Sprint(r.Rows)
			case colStride:
				f = fmt.Sprint(r.Stride)
			}
			var v uint64
			if n, _ := fmt.Sscanf(f, "%d", &v); n == 1 && !c.text() && rng.IntN(20) < odd &&
				rng.IntN(2) == 0 {
				f = fmt.Sprintf([]string{"%#x", "0X%X", "%020d"}[rng.IntN(3)], v)
			}
			if strings.ContainsAny(f, ",\"\n\r") || rng.IntN(20) < odd && f != "" {
				f = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
			}
			b.WriteString(f)
		}
	}
	b.WriteString([]string{"", eol, eol + eol}[rng.IntN(3)])
	return b.Bytes()
}

// roundTrip imports n rows that were generated from seed as CSV and as Parquet, and compares.
func roundTrip(t testing.TB, seed uint64, n int, spans bool) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows, want := generate(rng, n, spans)
	opt := []parquet.WriterOption{parquet.PageBufferSize(100 + rng.IntN(10000)),
		parquet.MaxRowsPerRowGroup(1 + rng.Int64N(int64(2*n))),
		parquet.DataPageVersion(1 + rng.IntN(2))}
	content := map[string][]byte{"csv": writeTable(rng, rows, spans), "parquet": parquetBytes(t,
		rows, opt...)}
	for format, b := range content {
		out := filepath.Join(t.TempDir(), fmt.Sprint(rand.Uint64(), ".loi"))
		src := Source{Path: "-", Stdin: bytes.NewReader(b)}
		if seed%4 == 0 && n < 1000 {
			src.Stdin = iotest.OneByteReader(src.Stdin)
		}
		if _, err := Import(context.Background(), src, out,
			Options{Sort: seed%3 == 0}); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		got, _ := readEvents(t, out)
		if lines(got) != lines(want) {
			return fmt.Errorf("%s: got\n%s\nwant\n%s", format, lines(got), lines(want))
		}
	}
	return nil
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		if err := roundTrip(t, rapid.Uint64().Draw(r, "seed"), rapid.IntRange(1, 100).Draw(r,
			"rows"), rapid.Bool().Draw(r, "spans")); err != nil {
			r.Fatal(err)
		}
	})
}

// TestRoundTripLong reads lines of all forms over the ends of the blocks read at a time.
func TestRoundTripLong(t *testing.T) {
	hwtest.SkipRace(t)
	for seed := range uint64(6) {
		if err := roundTrip(t, seed, 20000, seed%2 == 0); err != nil {
			t.Fatalf("seed %d: %.2000v", seed, err)
		}
	}
}
