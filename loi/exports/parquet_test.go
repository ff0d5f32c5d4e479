package exports

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// table reads a Parquet file: its columns with their types, and its rows as text, null as "-".
func table(t *testing.T, data string) (f *parquet.File, columns []string, rows []string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader([]byte(data)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range f.Schema().Fields() {
		typ := field.Type().String()
		if field.Optional() {
			typ += "?"
		}
		columns = append(columns, field.Name()+" "+typ)
	}
	for _, g := range f.RowGroups() {
		r := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				var words []string
				for _, v := range row {
					switch typ := columns[v.Column()]; {
					case v.IsNull():
						words = append(words, "-")
					case strings.Contains(typ, "INT(64,false)"):
						words = append(words, strconv.FormatUint(v.Uint64(), 10))
					default:
						words = append(words, v.String())
					}
				}
				rows = append(rows, strings.Join(words, " "))
			}
			if err != nil {
				break
			}
		}
		r.Close()
	}
	return f, columns, rows
}

func TestParquetOfBlocks(t *testing.T) {
	f, columns, rows := table(t, write(t, parse(t, mixedText), "parquet"))
	want := []string{"time INT(64,true)", "worker INT(32,true)", "object STRING",
		"bytes INT(64,true)", "mode STRING", "kernel STRING",
		"end INT(64,true)", "block INT(64,false)"}
	if !reflect.DeepEqual(columns, want) {
		t.Errorf("columns %q, expected %q", columns, want)
	}
	want = []string{`100 0 A 100 r gemm 150 64`, `100 0 B, "tiles" 64 r gemm 150 3`,
		`100 0 A 8192 rw gemm 150 2`, `170 0 A 8192 r gemm 190 0`,
		`170 0 B, "tiles" 64 r gemm 190 0`, `170 0 A 8192 rw gemm 190 0`,
		`200 0 A 8192 r gemm 260 1`, `200 0 B, "tiles" 64 r gemm 260 2`,
		`200 0 A 8192 rw gemm 260 3`, `200 0 A 8192 w a, b 260 4`, `7 1 A 100 w gemm 9 64`}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows\n%s\nexpected\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	for key, want := range map[string]string{"krdlab.nodes": "1,0", "krdlab.clock_hz": "2000000000",
		"krdlab.l2_bytes":          "262144",
		"krdlab.discarded_records": "12", "krdlab.lost_bytes": "4096",
		"krdlab.meta.a key": `and, a "value"`} {
		if got, ok := f.Lookup(key); !ok || got != want {
			t.Errorf("%s is %q, expected %q", key, got, want)
		}
	}
	if got, ok := f.Lookup("krdlab.llc_bytes"); ok {
		t.Errorf("llc_bytes is %q, but is not known", got)
	}
}

func TestParquetOfSpans(t *testing.T) {
	_, columns, rows := table(t, write(t, spansOnly(t), "parquet"))
	want := []string{"offset INT(64,false)", "rows INT(64,true)", "stride INT(64,true)"}
	if !reflect.DeepEqual(columns[7:], want) {
		t.Errorf("columns %q, expected %q at the end", columns, want)
	}
	want = []string{"10 0 S 8 r k 15 2305843009213693952 1 0", "10 0 S 2 w k 15 5 3 7"}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows %q, expected %q", rows, want)
	}
}

func TestParquetOfAllShapes(t *testing.T) {
	_, columns, rows := table(t, write(t, allShapes(t), "parquet"))
	want := []string{"block INT(64,false)?", "offset INT(64,false)?", "rows INT(64,true)",
		"stride INT(64,true)"}
	if !reflect.DeepEqual(columns[7:], want) {
		t.Errorf("columns %q, expected %q at the end", columns, want)
	}
	want = []string{"10 0 P 64 r k 15 0 - 1 0",
		"10 0 K 1099511627776 w k 15 18446744073709551615 - 1 0", "10 0 S 100 rw k 15 - 4096 1 0",
		"10 0 S 256 r k 15 - 0 32 16384", "20 0 K 1 r k 25 0 - 1 0"}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows %q, expected %q", rows, want)
	}
}

func TestParquetOfNothing(t *testing.T) {
	f, columns, rows := table(t, write(t, parse(t, emptyText), "parquet"))
	if f.NumRows() != 0 || len(columns) != 8 || len(rows) != 0 {
		t.Errorf("%d rows of %q: %q", f.NumRows(), columns, rows)
	}
}

// TestParquetBatches writes more rows than are handed over at a time, with both kinds of places, so
// that none is overwritten.
func TestParquetBatches(t *testing.T) {
	var text strings.Builder
	text.WriteString(emptyText + "object A 10000x64\nkernel k A:in A:out A:inout\n")
	const n = 3*batch/3 + 17
	for i := range n {
		text.WriteString(fmt.Sprintf("0 %d %d k(%d,%d,%d)\n", i, i, i, i+1, i+2))
	}
	f, _, rows := table(t, write(t, parse(t, text.String()), "parquet"))
	if f.NumRows() != 3*n || len(rows) != 3*n {
		t.Fatalf("%d rows, %d read, expected %d", f.NumRows(), len(rows), 3*n)
	}
	for i := range n {
		for j, mode := range []string{"r", "w", "rw"} {
			if got, want := rows[3*i+j], fmt.Sprintf("%d 0 A 64 %s k %d %d", i, mode, i,
				i+j); got != want {
				t.Fatalf("row %d is %q, expected %q", 3*i+j, got, want)
			}
		}
	}
}

func TestNodes(t *testing.T) {
	tr := parse(t, "loi-text 4\nsubstrate native\nclock tsc 0\nnodes 3\n"+
		"worker 0 cpu -1 node 1 offset 0\nworker 1 cpu -1 node 1 offset 0\nworker 2 cpu -1 node "+
		"0 offset 0\n"+
		"worker 3 cpu -1 node 1 offset 0\nworker 4 cpu -1 node 2 offset 0\n")
	if got := nodes(&tr.Header); got != "2,0-1+3,4" {
		t.Errorf("nodes %q", got)
	}
}
