package imports

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

func parquetBytes[T any](t testing.TB, rows []T, opt ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, opt...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Tables with the same columns in other types.
type plainTable struct {
	Time   int64  `parquet:"time"`
	Worker int32  `parquet:"worker"`
	Object string `parquet:"object"`
	Block  uint64 `parquet:"block"`
	Bytes  int64  `parquet:"bytes"`
	Mode   string `parquet:"mode"`
}

type packedTable struct {
	Mode   string `parquet:"mode,dict"`
	Block  uint64 `parquet:"block,dict"`
	Object string `parquet:"object,dict,enum"`
	Worker uint8  `parquet:"worker,dict"`
	Bytes  uint32 `parquet:"bytes,dict"`
	Time   uint64 `parquet:"time,delta"`
}

type optionalTable struct {
	Time   *int64  `parquet:"time"`
	Worker *int16  `parquet:"worker"`
	Object *string `parquet:"object,dict"`
	Block  *int64  `parquet:"block"`
	Offset *uint32 `parquet:"offset,dict"`
	Bytes  *int64  `parquet:"bytes"`
	Mode   []byte  `parquet:"mode"`
	Kernel string  `parquet:"kernel"`
	End    int64   `parquet:"end"`
	Rows   int32   `parquet:"rows"`
	Stride uint16  `parquet:"stride"`
}

func at[T any](v T) *T { return &v }

// TestParquet reads the same accesses in several types, page and row group sizes.
func TestParquet(t *testing.T) {
	const n = 5000
	var text strings.Builder
	text.WriteString(header)
	var plain []plainTable
	var packed []packedTable
	for i := range uint64(n) {
		w, o, m := i%7, fmt.Sprint("object ", i%5), []string{"r", "w", "rw"}[i%3]
		block := (i * i % 97) << 57 >> (i % 5)
		fmt.Fprintf(&text, "%d,%d,%s,%d,64,%s\n", i/3, w, o, block, m)
		plain = append(plain, plainTable{int64(i / 3), int32(w), o, block, 64, m})
		packed = append(packed, packedTable{m, block, o, uint8(w), 64, i / 3})
	}
	want, _, err := importText(t, text.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	small := []parquet.WriterOption{parquet.PageBufferSize(1000), parquet.MaxRowsPerRowGroup(777)}
	for name, b := range map[string][]byte{
		"plain":              parquetBytes(t, plain),
		"plain, small pages": parquetBytes(t, plain, small...),
		"plain, version 1": parquetBytes(t, plain, parquet.DataPageVersion(1),
			parquet.PageBufferSize(500)),
		"plain, snappy": parquetBytes(t, plain, parquet.Compression(&parquet.Snappy),
			parquet.PageBufferSize(3000)),
		"packed":        parquetBytes(t, packed),
		"packed, small": parquetBytes(t, packed, small...),
	} {
		got, sum, err := importReader(t, bytes.NewReader(b), Options{})
		if err != nil || got != want || sum.Format != "parquet" {
			t.Errorf("%s: not the same trace: %+v, %v", name, sum, err)
		}
	}

	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write(parquetBytes(t, packed))
	w.Close()
	if got, _, err := importReader(t, &gz, Options{}); err != nil || got != want {
		t.Errorf("compressed: not the same trace, %v", err)
	}
}

func TestParquetOptional(t *testing.T) {
	rows := []optionalTable{
		{at(int64(1)), at(int16(0)), at("A"), at(int64(5)), nil, at(int64(64)), []byte("r"), "", 1,
			1, 0},
		{at(int64(1)), at(int16(0)), at("B"), nil, at(uint32(5)), at(int64(64)), []byte("inout"),
			"", 1, 1, 0},
		{at(int64(2)), at(int16(1)), at("B"), nil, at(uint32(6)), at(int64(64)), []byte("out"), "k",
			4, 2, 100},
		{at(int64(3)), at(int16(1)), at("A"), at(int64(0)), nil, at(int64(64)), []byte("w"), "k", 4,
			0, 0},
	}
	want := "0 access 1-1 A(keyed) 5:64:in B(span) 5:64:inout\n1 k 2-4 B(span) 6:64:out " +
		"x2+100\n1 k 3-4 A(keyed) 0:64:out\n"
	if got, _, err := importReader(t, bytes.NewReader(parquetBytes(t, rows)),
		Options{}); err != nil || got != want {
		t.Errorf("got\n%s%v\nwant\n%s", got, err, want)
	}
	for _, c := range []struct {
		change func(r *optionalTable)
		want   string
	}{
		{func(r *optionalTable) { r.Time = nil }, `column "time": a null, expected a value`},
		{func(r *optionalTable) { r.Time = at(int64(-1)) },
			`column "time": -1 is negative, expected a number from 0`},
		{func(r *optionalTable) { r.Worker = nil }, `column "worker": a null, expected a value`},
		{func(r *optionalTable) { r.Worker = at(int16(-7)) },
			`column "worker": -7 is negative, expected a number from 0`},
		{func(r *optionalTable) { r.Object = nil }, `column "object": a null, expected a value`},
		{func(r *optionalTable) { r.Object = at("") },
			`column "object": nothing, expected a name`},
		{func(r *optionalTable) { r.Kernel = "a\x00b" },
			`column "kernel": a NUL byte in "a\x00b", expected a name`},
		{func(r *optionalTable) { r.Block, r.Offset = nil, nil },
			`neither a block nor an offset, expected one of them`},
		{func(r *optionalTable) { r.Block, r.Offset = at(int64(1)), at(uint32(1)) },
			`a block and an offset, expected one of them and a null`},
		{func(r *optionalTable) { r.Block, r.Offset = at(int64(-1)), nil },
			`column "block": -1 is negative, expected a number from 0`},
		{func(r *optionalTable) { r.Bytes = nil }, `column "bytes": a null, expected a value`},
		{func(r *optionalTable) { r.Bytes = at(int64(0)) },
			`column "bytes": an access of 0 bytes, expected at least 1`},
		{func(r *optionalTable) { r.Bytes = at(int64(1<<62 + 1)) },
			`column "bytes": 4611686018427387905 bytes, expected at most 2^62`},
		{func(r *optionalTable) { r.Mode = []byte("read") },
			`column "mode": "read", expected r, w or rw (or in, out or inout)`},
		{func(r *optionalTable) { r.End = 1 }, `column "end": 1, expected at least the time 2`},
		{func(r *optionalTable) { r.Rows = -2 },
			`column "rows": -2 is negative, expected a number from 0`},
		{func(r *optionalTable) { r.Stride = 63 },
			`column "stride": 2 rows of 64 bytes that are 63 bytes apart, expected at least 64`},
		{func(r *optionalTable) { r.Time = at(int64(7)); r.End = 8 },
			`column "time": time 3 of worker 1 comes after time 7, expected times that do not go back, unless sorting is asked for`},
	} {
		changed := append([]optionalTable{}, rows...)
		c.change(&changed[2])
		at := "3"
		if strings.Contains(c.want, "comes after") {
			at = "4"
		}
		_, _, err := importReader(t, bytes.NewReader(parquetBytes(t, changed)), Options{})
		var data *DataError
		if want := "stdin: row " + at + ": " + c.want; !errors.As(err, &data) ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestParquetFirstError reads two errors in one batch; that of the earlier row is given, whatever
// the order of the columns.
func TestParquetFirstError(t *testing.T) {
	for _, first := range []string{"time", "bytes"} {
		rows := make([]plainTable, 3000)
		for i := range rows {
			rows[i] = plainTable{int64(i), 0, "A", 1, 64, "r"}
		}
		rows[2500].Time, rows[2600].Bytes = -1, 0
		want := `row 2501: column "time"`
		if first == "bytes" {
			rows[2400].Bytes = 0
			want = `row 2401: column "bytes"`
		}
		_, _, err := importReader(t, bytes.NewReader(parquetBytes(t, rows)), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func TestParquetSchema(t *testing.T) {
	type base struct {
		Time   int64  `parquet:"time"`
		Worker int32  `parquet:"worker"`
		Object string `parquet:"object"`
		Block  uint64 `parquet:"block"`
		Bytes  int64  `parquet:"bytes"`
	}
	check := func(name, want string, b []byte) {
		t.Helper()
		_, _, err := importReader(t, bytes.NewReader(b), Options{})
		var data *DataError
		if !errors.As(err, &data) || err.Error() != "stdin: "+want {
			t.Errorf("%s: got  %v\nwant %s", name, err, want)
		}
	}
	check("missing", `no column "mode", expected `+columnsWanted, parquetBytes(t, []base{{}}))
	check("unknown", `unknown column "colour", expected `+columnsWanted, parquetBytes(t, []struct {
		base
		Mode   string `parquet:"mode"`
		Colour string `parquet:"colour"`
	}{{}}))
	check("float", `column "mode": its type is double, expected a string`,
		parquetBytes(t, []struct {
			base
			Mode float64 `parquet:"mode"`
		}{{}}))
	check("time of day",
		`column "end": its type is timestamp(isadjustedtoutc=true,unit=nanos), expected an integer`,
		parquetBytes(t, []struct {
			base
			Mode string `parquet:"mode"`
			End  int64  `parquet:"end,timestamp(nanosecond)"`
		}{{}}))
	check("list", `column "mode": nested or repeated, expected a string`, parquetBytes(t, []struct {
		base
		Mode []string `parquet:"mode"`
	}{{}}))
	check("nested", `column "mode": nested or repeated, expected a string`,
		parquetBytes(t, []struct {
			base
			Mode struct{ A int } `parquet:"mode"`
		}{{}}))
	check("LZ4",
		"compressed with LZ4_RAW, expected no compression, or snappy, gzip, brotli or zstd",
		parquetBytes(t, []plainTable{{1, 0, "A", 1, 1, "r"}}, parquet.Compression(&parquet.Lz4Raw)))
	check("no rows", "no access, expected at least one", parquetBytes(t, []plainTable{}))
}

// TestParquetTruncated cuts files off at every length, and damages them at every byte.
func TestParquetTruncated(t *testing.T) {
	hwtest.SkipRace(t)
	every := long.Or(3, 1) // one in so many bytes
	rows := make([]packedTable, 300)
	for i := range rows {
		rows[i] = packedTable{"r", uint64(i % 10), "A", uint8(i % 3), 64, uint64(i)}
	}
	for name, opt := range map[string][]parquet.WriterOption{
		"large pages": nil,
		"small pages": {parquet.PageBufferSize(200), parquet.MaxRowsPerRowGroup(100),
			parquet.DataPageVersion(1)},
	} {
		whole := parquetBytes(t, rows, opt...)
		for n := 0; n < len(whole); n += every {
			_, err := importNull(t, whole[:n], "parquet", Options{})
			var data *DataError
			if !errors.As(err, &data) {
				t.Fatalf("%s: %d of %d bytes: %v, expected a *DataError", name, n, len(whole), err)
			}
			if n > 100 && !strings.HasPrefix(err.Error(), "stdin: no Parquet file, or one that "+
				"is cut off or damaged: ") {
				t.Errorf("%s: %d of %d bytes: %v", name, n, len(whole), err)
			}
		}
		for i := 0; i < len(whole); i += every {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << (i % 8)
			s, err := importNull(t, damaged, "parquet", Options{})
			var data *DataError
			if err != nil && !errors.As(err, &data) {
				t.Errorf("%s: byte %d is damaged: %v, expected a *DataError", name, i, err)
			}
			if err == nil && s.accesses != uint64(len(rows)) {
				t.Errorf("%s: byte %d is damaged: %d accesses and no error, expected %d", name, i,
					s.accesses, len(rows))
			}
		}
	}
}

// TestParquetDamaged damages a few bytes of small files at random: lengths and numbers that are not
// true, pages of other sizes.
func TestParquetDamaged(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	files := [][]byte{
		parquetBytes(t, []plainTable{{1, 2, "A", 3, 4, "r"}, {2, 2, "A", 3, 4, "r"}}),
		parquetBytes(t, []packedTable{{"r", 1, "A", 2, 3, 4}},
			parquet.Compression(&parquet.Snappy)),
		parquetBytes(t, []optionalTable{{at(int64(1)), at(int16(0)), at("A"), at(int64(5)), nil,
			at(int64(64)), []byte("r"), "", 1, 1, 0}}, parquet.DataPageVersion(1)),
	}
	for i := range 1500 {
		b := bytes.Clone(files[i%len(files)])
		for range 1 + rng.IntN(3) {
			b[rng.IntN(len(b))] = byte(rng.Uint32())
		}
		fuzzImport(t, b, "parquet", Options{})
	}
}

// TestFooter reads footers that claim more than there is.
func TestFooter(t *testing.T) {
	for _, c := range []struct{ footer, want string }{
		{"\x00", ""},
		{"\x15\x02\x19\x2c\x15\x02\x00\x15\x04\x00\x18\x02ab\x00", ""},
		{"\x11\x12\x13\x07\x17abcdefgh\x1b\x00\x1b\x01\x85\x01a\x02\x1a\x21\x01\x02\x0c\xc8\x01\x00\x00", ""},
		{"", "a footer that is no Thrift structure"},
		{"\x15", "a footer that is no Thrift structure"},
		{"\x1d\x00", "a footer that is no Thrift structure"},
		{"\x19\xfc\xff\xff\xff\x7f\x00\x00", "a footer that is no Thrift structure"},
		{"\x18\x05ab\x00", "a footer that is no Thrift structure"},
		{"\x1b\x7f\x88\x00\x00", "a footer that is no Thrift structure"},
		{strings.Repeat("\x1c", 1000), "a footer that is no Thrift structure"},
		{strings.Repeat("\x19\x19", 1000), "a footer that is no Thrift structure"},
	} {
		b := "PAR1" + c.footer + string([]byte{byte(len(c.footer)), byte(len(c.footer) >> 8), 0,
			0}) + "PAR1"
		err := checkFooter(strings.NewReader(b), int64(len(b)))
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%q: %v, expected %q", c.footer, err, c.want)
		}
	}
	for b, want := range map[string]string{
		"PAR1PAR1":                 "8 bytes, expected at least 12",
		"PARE\x00\x00\x00\x00PARE": "it is encrypted",
		"PAR2\x00\x00\x00\x00PAR1": `it begins with "PAR2", expected "PAR1"`,
		"PAR1\x00\x00\x00\x00PAR2": `it ends in "PAR2", expected "PAR1"`,
		"PAR1\x01\x00\x00\x00PAR1": "a footer of 1 bytes in a file of 12",
	} {
		if err := checkFooter(strings.NewReader(b), int64(len(b))); err == nil ||
			err.Error() != want {
			t.Errorf("%q: %v, expected %q", b, err, want)
		}
	}
	deep := thriftWalker{rest: bytes.Repeat([]byte{0x19}, 16<<20)} // would end the stack
	if deep.structure(0) {
		t.Error("16 M lists in lists are a structure")
	}
}
