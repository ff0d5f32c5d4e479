package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/parquet-go/parquet-go"

	"krdlab/loi"
)

// An event is one execution as a test expects it, with the names of what it touches.
type event struct {
	worker     int
	kernel     string
	start, end uint64
	list       []access
}

type access struct {
	object string
	kind   loi.ObjectKind
	a      loi.Access // Object is 0
}

func (e event) String() string {
	s := fmt.Sprintf("%d %s %d-%d", e.worker, e.kernel, e.start, e.end)
	for _, a := range e.list {
		s += fmt.Sprintf(" %s(%v) %d:%d:%v", a.object, a.kind, a.a.Block, a.a.Bytes, a.a.Mode)
		if a.a.Rows > 1 {
			s += fmt.Sprintf(" x%d+%d", a.a.Rows, a.a.Stride)
		}
	}
	return s
}

// readEvents returns the events of a trace file, by worker.
func readEvents(t testing.TB, path string) (events []event, h *loi.Header) {
	t.Helper()
	tr, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	reg := &tr.Header.Registry
	for w := range tr.Header.Workers {
		c := tr.Cursor(w)
		for c.Next() {
			r := c.Record()
			e := event{worker: w, kernel: reg.Kernels[r.Kernel].Name, start: r.Start, end: r.End}
			for _, a := range c.AppendAccesses(nil) {
				o := &reg.Objects[a.Object]
				a.Object = 0
				e.list = append(e.list, access{o.Name, o.Kind, a})
			}
			events = append(events, e)
		}
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
	}
	return events, &tr.Header
}

func lines(events []event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// importText imports text from standard input and returns the lines of its events.
func importText(t testing.TB, text string, opt Options) (string, Summary, error) {
	t.Helper()
	return importReader(t, strings.NewReader(text), opt)
}

func importReader(t testing.TB, r io.Reader, opt Options) (string, Summary, error) {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.loi")
	sum, err := Import(context.Background(), Source{Path: "-", Stdin: r}, out, opt)
	left, _ := os.ReadDir(dir)
	if err != nil {
		if len(left) > 0 {
			t.Errorf("files remain after an error: %v", left)
		}
		return "", sum, err
	}
	if len(left) != 1 {
		t.Errorf("files beside the trace: %v", left)
	}
	events, _ := readEvents(t, out)
	var n uint64
	for _, e := range events {
		n += uint64(len(e.list))
	}
	if sum.Executions != uint64(len(events)) || sum.Accesses != n {
		t.Errorf("summary has %d executions and %d accesses, the trace %d and %d", sum.Executions,
			sum.Accesses, len(events), n)
	}
	return lines(events), sum, nil
}

const header = "time,worker,object,block,bytes,mode\n"

// rated is the header of a table with the rate of its clock.
const rated = "time,worker,object,block,bytes,mode,clock_hz\n"

// The rate of the clock reaches the trace from any row, however it is written, and from the
// metadata of Parquet; a table without it sets none.
func TestClockRate(t *testing.T) {
	table := parquetBytes(t, []exported{{1, 0, "A", 64, "r", "k", 2, 5}},
		parquet.KeyValueMetadata("krdlab.clock_hz", "2.5e9"))
	for in, want := range map[string]float64{
		header + "1,0,A,5,64,r\n":                                0,
		rated + "1,0,A,5,64,r,2000000000\n2,0,A,5,64,r,\n":       2e9,
		rated + "1,0,A,5,64,r,7\n2,0,A,5,64,r,7\n":               7,
		rated + "1,0,A,5,64,r,\n2,0,\"A\",5,64,r,2000000000.0\n": 2e9,
		rated + "1,0,A,5,64,r,\n":                                0,
		string(table):                                            2.5e9,
	} {
		out := filepath.Join(t.TempDir(), "x.loi")
		sum, err := Import(t.Context(), Source{Path: "-", Stdin: strings.NewReader(in)}, out, Options{})
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		trace, err := loi.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if got := trace.Header.Clock.Hz; got != want || sum.ClockHz != want {
			t.Errorf("%.80q: %v and %v, want %v", in, got, sum.ClockHz, want)
		}
		trace.Close()
	}
}

// good are inputs and what they mean.
var good = []struct {
	name, in string
	opt      Options
	want     string
}{
	{"csv", header + "1,0,A,5,64,r\n1,0,B,7,4096,w\n2,1,A,5,64,rw\n3,0,A,0x1F,1,inout\n", Options{},
		"0 access 1-1 A(keyed) 5:64:in B(keyed) 7:4096:out\n0 access 3-3 A(keyed) 31:1:inout\n1 " +
			"access 2-2 A(keyed) 5:64:inout\n"},
	{"csv order of columns, CRLF, BOM, no last line end",
		"\ufeffmode,bytes,time,worker,block,object\r\nr,8,1,0,18446744073709551615,x\r\nout,1099511627776,2,0,3,x", Options{},
		"0 access 1-1 x(keyed) 18446744073709551615:8:in\n0 access 2-2 x(keyed) " +
			"3:1099511627776:out\n"},
	{"csv empty last line", header + "1,0,A,5,64,r\n\n", Options{},
		"0 access 1-1 A(keyed) 5:64:in\n"},
	{"csv empty last line, CRLF", header + "1,0,A,5,64,r\r\n\r\n", Options{},
		"0 access 1-1 A(keyed) 5:64:in\n"},
	{"csv quotes", `"time",worker,"object",block,bytes,mode,kernel` +
		"\n1,\"0\",\"a \"\"b\"\", c\nd\",\"5\",64,\"r\",\"k,\"\n2,0,e,5,64,r,\n", Options{},
		"0 k, 1-1 a \"b\", c\nd(keyed) 5:64:in\n0 access 2-2 e(keyed) 5:64:in\n"},
	{"csv spans",
		"time,worker,object,offset,bytes,mode,rows,stride\n1,0,A,100,8,r,1,0\n2,0,A,0,8,w,3,1024\n3,0,A,4,8,w,,\n4,0,A,4,8,w,1,77\n", Options{},
		"0 access 1-1 A(span) 100:8:in\n0 access 2-2 A(span) 0:8:out x3+1024\n0 access 3-3 " +
			"A(span) 4:8:out\n0 access 4-4 A(span) 4:8:out\n"},
	{"csv blocks and spans, ends",
		"time,worker,object,block,offset,bytes,mode,kernel,end,rows,stride\n1,0,A,1,,8,r,k,9,1,0\n1,0,B,,1,8,r,k,9,2,8\n1,0,B,,1,8,r,k,10,2,8\n11,0,A,1,,8,r,k,,1,0\n", Options{},
		"0 k 1-9 A(keyed) 1:8:in B(span) 1:8:in x2+8\n0 k 1-10 B(span) 1:8:in x2+8\n0 k 11-11 " +
			"A(keyed) 1:8:in\n"},
	{"csv executions of workers that take turns",
		header + "1,0,A,1,8,r\n1,1,A,1,8,r\n1,0,A,2,8,r\n1,1,A,3,8,r\n", Options{},
		"0 access 1-1 A(keyed) 1:8:in A(keyed) 2:8:in\n1 access 1-1 A(keyed) 1:8:in A(keyed) " +
			"3:8:in\n"},
	{"csv kernels part executions",
		"time,worker,object,block,bytes,mode,kernel\n1,0,A,1,8,r,k\n1,0,A,2,8,r,l\n1,0,A,3,8,r,k\n",
		Options{},
		"0 k 1-1 A(keyed) 1:8:in\n0 l 1-1 A(keyed) 2:8:in\n0 k 1-1 A(keyed) 3:8:in\n"},
	{"csv sorted", header + "3,0,A,1,8,r\n1,0,A,2,8,r\n3,0,A,3,8,r\n2,1,A,4,8,r\n1,0,A,5,8,r\n",
		Options{Sort: true},
		"0 access 1-1 A(keyed) 2:8:in A(keyed) 5:8:in\n0 access 3-3 A(keyed) 1:8:in A(keyed) " +
			"3:8:in\n1 access 2-2 A(keyed) 4:8:in\n"},
	{"csv atoms",
		header + "1,0,A,1,8,r\n2,0,A,1,100,r\n3,0,A,2,8589934592,r\n4,0,B,9,3,r\n5,0,A,1,4,r\n",
		Options{Atoms: true},
		"0 access 1-1 A(span) 0:8:in\n0 access 2-2 A(span) 0:100:in\n0 access 3-3 A(span) " +
			"4294967296:8589934592:in\n0 access 4-4 B(span) 0:3:in\n0 access 5-5 A(span) 0:4:in\n"},
	{"csv same key of two objects", header + "1,0,A,1,8,r\n2,0,B,1,9,r\n", Options{},
		"0 access 1-1 A(keyed) 1:8:in\n0 access 2-2 B(keyed) 1:9:in\n"},
	{"csv unused worker", header + "1,2,A,1,8,r\n", Options{}, "2 access 1-1 A(keyed) 1:8:in\n"},
	{"lackey", "==12== Lackey, an example Valgrind tool\n--12-- a message\n**12** printed\nI  " +
		"0401ab70,3\n L 1ffeffe7e,8\n S 40,1\n M 3f,2 \n M 7f,66\t\n \n==12== \n", Options{},
		"0 access 1-1 memory(keyed) 134201337:64:in memory(keyed) 134201338:64:in\n0 access 2-2 " +
			"memory(keyed) 1:64:out\n" +
			"0 access 3-3 memory(keyed) 0:64:inout memory(keyed) 1:64:inout\n0 access 4-4 " +
			"memory(keyed) 1:64:inout memory(keyed) 2:64:inout memory(keyed) 3:64:inout\n"},
	{"lackey with instructions, lines of 16 bytes",
		"I  0401ab70,3\n L 1f,1\nI  ffffffffffffffff,1\n", Options{Instructions: true,
			LineBytes: 16},
		"0 access 1-1 code(keyed) 4201143:16:in\n0 access 2-2 memory(keyed) 1:16:in\n0 access " +
			"3-3 code(keyed) 1152921504606846975:16:in\n"},
	{"din, lines of 16 bytes", "0 1000\n1 0x100e remark\n2 400000\n 0\tFFFFFFFFFFFFFFFC \n\n",
		Options{Format: "din", LineBytes: 16},
		"0 access 1-1 memory(keyed) 256:16:in\n0 access 2-2 memory(keyed) 256:16:out memory(keyed) " +
			"257:16:out\n0 access 3-3 memory(keyed) 1152921504606846975:16:in\n"},
	{"din with instructions, of 8 bytes", "2 3c 1\n", Options{Format: "din", Instructions: true,
		AccessBytes: 8}, "0 access 1-1 code(keyed) 0:64:in code(keyed) 1:64:in\n"},
	{"keysize",
		"key,size\n17,100\nname,7\n17,100\n017,5\n18446744073709551615,9\n18446744073709551614,1\n\"a,b\",3\nname,7\n", Options{},
		"0 access 2-2 keys(keyed) 17:100:in\n0 access 3-3 keys(keyed) " +
			"18446744073709551615:7:in\n0 access 4-4 keys(keyed) 17:100:in\n" +
			"0 access 5-5 keys(keyed) 18446744073709551614:5:in\n0 access 6-6 keys(keyed) " +
			"18446744073709551613:9:in\n0 access 7-7 keys(keyed) 18446744073709551612:1:in\n" +
			"0 access 8-8 keys(keyed) 18446744073709551611:3:in\n0 access 9-9 keys(keyed) " +
			"18446744073709551615:7:in\n"},
	{"keysize, numbers before names", "18446744073709551615 1\r\nx\t2\r\n18446744073709551615  " +
		"1\r\n\r\n", Options{Format: "keysize"},
		"0 access 1-1 keys(keyed) 18446744073709551615:1:in\n0 access 2-2 keys(keyed) " +
			"18446744073709551614:2:in\n0 access 3-3 keys(keyed) 18446744073709551615:1:in\n"},
}

func TestImport(t *testing.T) {
	for _, g := range good {
		t.Run(g.name, func(t *testing.T) {
			got, _, err := importText(t, g.in, g.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got != g.want {
				t.Errorf("got\n%swant\n%s", got, g.want)
			}
		})
	}
}

// TestImportCompressed imports the same from compressed files and pipes, with progress.
func TestImportCompressed(t *testing.T) {
	var text strings.Builder
	text.WriteString(header)
	for i := range 40000 {
		fmt.Fprintf(&text, "%d,%d,A,%d,64,r\n", i, i%3, i%1000)
	}
	plain := []byte(text.String())
	var zs, gz bytes.Buffer
	zw, _ := zstd.NewWriter(&zs)
	zw.Write(plain)
	zw.Close()
	gw := gzip.NewWriter(&gz)
	gw.Write(plain)
	gw.Close()
	want, _, err := importText(t, string(plain), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"a.csv": plain, "b.csv.zst": zs.Bytes(),
		"c.csv.gz": gz.Bytes()} {
		got, sum, err := importReader(t, bytes.NewReader(b), Options{})
		if err != nil || got != want || sum.Format != "csv" || sum.Accesses != 40000 ||
			sum.Workers != 3 || sum.LastTime != 39999 {
			t.Errorf("%s from a pipe: %+v, %v", name, sum, err)
		}
		dir := t.TempDir()
		path, out := filepath.Join(dir, name), filepath.Join(dir, "out.loi")
		os.WriteFile(path, b, 0o666)
		var done, total, calls int64
		_, err = Import(context.Background(), Source{Path: path}, out,
			Options{Progress: func(d, n int64) {
				if d < done {
					t.Errorf("%s: progress goes from %d to %d", name, done, d)
				}
				done, total = d, n
				calls++
			}, Nodes: "0+2,1", L2Bytes: 1 << 20, LLCBytes: 1 << 24})
		if err != nil {
			t.Fatal(err)
		}
		if done != int64(len(b)) || total != int64(len(b)) || calls == 0 {
			t.Errorf("%s: progress ends with %d of %d, expected %d of them", name, done, total,
				len(b))
		}
		events, h := readEvents(t, out)
		if lines(events) != want {
			t.Errorf("%s: another trace", name)
		}
		if h.Nodes != 2 || h.Workers[0].Node != 0 || h.Workers[1].Node != 1 ||
			h.Workers[2].Node != 0 || h.L2Bytes != 1<<20 || h.LLCBytes != 1<<24 {
			t.Errorf("%s: header %+v", name, h)
		}
		want := []loi.KV{{Key: "imported from", Value: name}, {Key: "imported as", Value: "csv"}}
		if !slices.Equal(h.Meta, want) {
			t.Errorf("%s: notes %v, expected %v", name, h.Meta, want)
		}
		_, err = Import(context.Background(), Source{Path: path}, out, Options{})
		if !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: %v for a file that exists, expected os.ErrExist", name, err)
		}
	}
}
