package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const spanHeader = "time,worker,object,offset,bytes,mode,rows,stride\n"

// bad are faulty inputs, and the text of their error after the name "stdin".
var bad = []struct{ format, in, want string }{
	{"", "", "empty, expected a trace as csv, parquet, lackey, din, keysize, text"},
	{"csv", "", "empty, expected a header line with the columns " + columnsWanted},
	{"csv", "\ufeff", "empty, expected a header line with the columns " + columnsWanted},
	{"csv", header, "no access, expected at least one"},
	{"csv", "1,0,A,5,64,r\n", `line 1: unknown column "1", expected ` + columnsWanted},
	{"", "time,worker,object,block,bytes,mode,colour\n",
		`line 1: unknown column "colour", expected ` + columnsWanted},
	{"", "time,worker,time,object,block,bytes,mode\n", `line 1: there are two columns "time"`},
	{"", "time,worker,object,block,mode\n", `line 1: no column "bytes", expected ` + columnsWanted},
	{"", "time,worker,object,bytes,mode\n",
		`line 1: no column "block" and no column "offset", expected one of them`},
	{"", "time,worker,object,block,bytes,mode,rows,stride\n",
		`line 1: a column "rows" or "stride" without a column "offset"; blocks have no rows`},
	{"", "time,worker,object,offset,bytes,mode,rows\n",
		`line 1: one column of "rows" and "stride", expected both or none`},
	{"", rated + "1,0,A,5,64,r,0\n", `line 2: column "clock_hz": 0 ticks a second, expected 1 to 2^53`},
	{"", rated + "1,0,A,5,64,r,7\n2,0,A,5,64,r,8\n",
		`line 3: column "clock_hz": 8 ticks a second, but 7 in a row before`},
	{"", rated + "1,0,A,5,64,r,7.5\n", `line 2: column "clock_hz": "7.5" is not a number, expected a whole one`},
	{"", "time,worker,\"object", `line 1: a quote without an end`},
	{"", header + "1,0,A,5,64\n", "line 2: 5 fields, expected 6 as in the header"},
	{"", header + "1,0,A,5,64,r,\n", "line 2: 7 fields, expected 6 as in the header"},
	{"", header + "1,0,A,5,64,r\n\n2,0,A,5,64,r\n", "line 3: an empty line, expected 6 fields"},
	{"", header + "1,0,A,5,64,r\nx,0,A,5,64,r\n",
		`line 3: column "time": "x" is not a number, expected a whole one`},
	{"", header + "1.5,0,A,5,64,r\n",
		`line 2: column "time": "1.5" is not a number, expected a whole one`},
	{"", header + ",0,A,5,64,r\n", `line 2: column "time": nothing, expected a number`},
	{"", header + "1,-1,A,5,64,r\n",
		`line 2: column "worker": "-1" is negative, expected a number from 0`},
	{"", header + "1,1000000,A,5,64,r\n",
		`line 2: column "worker": worker 1000000, expected at most 65535`},
	{"", header + "1,0,,5,64,r\n",
		`line 2: column "object": nothing, expected the name of an object`},
	{"", header + "1,0,A\x00,5,64,r\n",
		`line 2: column "object": a NUL byte in "A\x00", expected a name`},
	{"", header + "1,0,A,5,64,r\n2,0,caf\xe9,5,64,r\n",
		`line 3: column "object": bytes that are no UTF-8 in "caf\xe9", expected a name`},
	{"", header + "1,0,\"caf\xe9\",5,64,r\n",
		`line 2: column "object": bytes that are no UTF-8 in "caf\xe9", expected a name`},
	{"", header + "1,0,A,5\x00,64,r\n",
		`line 2: column "block": a NUL byte in "5\x00", expected a number`},
	{"", header + "1,0,A,,64,r\n", `line 2: column "block": nothing, expected a number`},
	{"", header + "1,0,A,0x,64,r\n",
		`line 2: column "block": "0x" is not a number, expected a whole one`},
	{"", header + "1,0,A,0xfg,64,r\n",
		`line 2: column "block": "0xfg" is not a number, expected a whole one`},
	{"", header + "1,0,A,18446744073709551616,64,r\n",
		`line 2: column "block": "18446744073709551616" is too large, expected a number below 2^64`},
	{"", header + "1,0,A,0x10000000000000000,64,r\n",
		`line 2: column "block": "0x10000000000000000" is too large, expected a number below 2^64`},
	{"", header + "1,0,A,5,0,r\n",
		`line 2: column "bytes": an access of 0 bytes, expected at least 1`},
	{"", header + "1,0,A,5,4611686018427387905,r\n",
		`line 2: column "bytes": 4611686018427387905 bytes, expected at most 2^62`},
	{"", header + "1,0,A,5,64,x\n",
		`line 2: column "mode": "x", expected r, w or rw (or in, out or inout)`},
	{"", header + "1,0,A,5,64,\"r\n", `line 2: column "mode": a quote without an end`},
	{"", header + "1,0,A,\"5\"6,64,r\n",
		`line 2: column "block": "6" after a quoted field, expected a comma or the end of the line`},
	{"", header + "1,0,A,5,64,r\n2,0,A,5,65,r\n",
		`line 3: column "bytes": block 5 of object "A" has 65 bytes here and had 64 before; a block keeps its size unless splitting into atoms is asked for`},
	{"", header + "5,0,A,5,64,r\n6,1,A,5,64,r\n4,0,A,5,64,r\n",
		`line 4: column "time": time 4 of worker 0 comes after time 5, expected times that do not go back, unless sorting is asked for`},
	{"", header + "1,0,A,5,64,r\n2,0,A,5,65,r\n3,0,A,5,65,q\n",
		`line 3: column "bytes": block 5 of object "A" has 65 bytes here and had 64 before; a block keeps its size unless splitting into atoms is asked for`},
	{"", "time,worker,object,block,bytes,mode,end\n5,0,A,5,64,r,4\n",
		`line 2: column "end": 4, expected at least the time 5`},
	{"", "time,worker,object,block,offset,bytes,mode\n1,0,A,5,6,64,r\n",
		`line 2: a block and an offset, expected one of them`},
	{"", "time,worker,object,block,offset,bytes,mode\n1,0,A,,,64,r\n",
		`line 2: neither a block nor an offset, expected one of them`},
	{"", "time,worker,object,block,offset,bytes,mode\n1,0,A,,5,64,r\n2,0,A,5,,64,r\n",
		`line 3: column "object": object "A" has a block here and had an offset before, expected one of them throughout`},
	{"", "time,worker,object,block,offset,bytes,mode,rows,stride\n1,0,A,5,,64,r,2,64\n",
		`line 2: column "rows": 2 rows of a block, expected 1: only what has an offset has more`},
	{"", spanHeader + "1,0,A,,64,r,1,0\n", `line 2: column "offset": nothing, expected a number`},
	{"", spanHeader + "1,0,A,0,64,r,2,63\n",
		`line 2: column "stride": 2 rows of 64 bytes that are 63 bytes apart, expected at least 64`},
	{"", spanHeader + "1,0,A,0,64,r,4294967296,64\n",
		`line 2: column "rows": 4294967296 rows, expected at most 4294967295`},
	{"", spanHeader + "1,0,A,0,4,r,2147483648,8\n",
		`line 2: column "rows": 2147483648 rows, with 0 of other accesses before, expected at most 2147483647 in all`},
	{"", spanHeader + "1,0,A,0,4,r,2147483647,8\n2,0,A,0,4,w,2147483647,8\n" +
		"3,0,A,0,8,r,4294967295,8\n4,0,B,0,4,r,2,8\n",
		`line 5: column "rows": 2 rows, with 2147483647 of other accesses before, expected at most 2147483647 in all`},
	{"", spanHeader + "1,0,A,4611686018427387841,64,r,1,0\n",
		`line 2: column "offset": 64 bytes at offset 4611686018427387841, expected to end before 2^62`},
	{"", spanHeader + "1,0,A,4611686018427387800,64,r,2,64\n",
		`line 2: column "offset": 2 rows of 64 bytes, 64 bytes apart, at offset 4611686018427387800, expected to end before 2^62`},
	{"", header + "1,0," + strings.Repeat("A", maxLine+1) + ",5,64,r\n",
		`line 2: a line of more than 1048576 bytes`},
	{"", header + "1,0,\"" + strings.Repeat("A\n", maxLine) + "\",5,64,r\n",
		`line 2: a line of more than 1048576 bytes`},
	{"", header + "1,0,B,5,64,r\n" + strings.Repeat("A", 2*maxLine),
		`line 3: a line of more than 1048576 bytes`},
	{"din", "0 1000\n3 1004\n", "line 2: \"3 1004\" is no line of Dinero, expected a label (0 read, 1 " +
		"write, 2 fetch of an instruction) and a hexadecimal address of 64 bits, such as \"0 7fff10\""},
	{"din", "0 ffffffffffffffff\n", "line 1: 4 bytes at address 0xffffffffffffffff, which end past 2^64"},
	{"din", "0 1ffffffffffffffff\n", "line 1: \"0 1ffffffffffffffff\" is no line of Dinero, expected a " +
		"label (0 read, 1 write, 2 fetch of an instruction) and a hexadecimal address of 64 bits, such " +
		"as \"0 7fff10\""},
	{"lackey", "", `empty, expected lines of lackey such as " L 1ffeffe7e,8"`},
	{"", "==1== Lackey\n==1==\n", "no access, expected at least one"},
	{"", "I  0401ab70,3\n", "no access, expected at least one"},
	{"", "==1== Lackey\nhello\n",
		`line 2: "hello" is no line of lackey, expected one such as " L 1ffeffe7e,8"; valgrind's --log-file keeps the program's own output apart`},
	{"", "==1== Lackey\n L 1ffeffe7e\n",
		`line 2: "1ffeffe7e" is no address and size, expected a hexadecimal and a decimal number with a comma between`},
	{"", "==1== Lackey\n L ,8\n",
		`line 2: ",8" is no address and size, expected a hexadecimal and a decimal number with a comma between`},
	{"", "==1== Lackey\n L 10000000000000000,8\n",
		`line 2: address "10000000000000000,8" is too large, expected one of 64 bits`},
	{"", "==1== Lackey\n L 1,\n", `line 2: size: nothing, expected a number`},
	{"", "==1== Lackey\n L 1,x\n", `line 2: size: "x" is not a number, expected a whole one`},
	{"", "==1== Lackey\n L 1,-4\n", `line 2: size: "-4" is negative, expected a number from 0`},
	{"", "==1== Lackey\n L 1,0\n", `line 2: size: an access of 0 bytes, expected at least 1`},
	{"", "==1== Lackey\n L 1,65537\n",
		`line 2: size: an access of 65537 bytes, expected at most 65536`},
	{"", "==1== Lackey\n L ffffffffffffffff,2\n",
		`line 2: 2 bytes at address 0xffffffffffffffff, which end past 2^64`},
	{"", " L 1,8\n" + strings.Repeat(" ", maxLine+1), `line 2: a line of more than 1048576 bytes`},
	{"keysize", "", "empty, expected lines with a key and a size"},
	{"keysize", "key,size\n", "no access, expected at least one"},
	{"keysize", "key\n",
		`line 1: "key" has one field, expected a key and a size with a comma, a space or a tab between`},
	{"", "1,2\n\n3,4\n", "line 2: an empty line, expected a key and a size"},
	{"", "1,2\n3,4,5\n", `line 2: "3,4,5" has more than two fields, expected a key and a size`},
	{"", "1,2\n\"a\",4,5\n", `line 2: 3 fields, expected a key and a size`},
	{"", "1,2\n\"a,4\n", `line 2: a quote without an end`},
	{"", "1,2\n,5\n", `line 2: column "key": nothing, expected a number or a name`},
	{"", "1,2\n3,0\n", `line 2: column "size": an access of 0 bytes, expected at least 1`},
	{"", "1,2\n3,x\n", `line 2: column "size": "x" is not a number, expected a whole one`},
	{"", "1,2\n3\x00,1\n", `line 2: a NUL byte in "3\x00,1", expected a key and a size`},
	{"", "1,2\n1,3\n",
		`line 2: column "bytes": block 1 of object "keys" has 3 bytes here and had 2 before; a block keeps its size unless splitting into atoms is asked for`},
	{"parquet", "", "empty, expected a trace as csv, parquet, lackey, din, keysize, text"},
}

func TestImportBad(t *testing.T) {
	for i, b := range bad {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			format := b.format
			if b.format == "parquet" {
				format = ""
			}
			_, _, err := importText(t, b.in, Options{Format: format})
			var data *DataError
			if !errors.As(err, &data) {
				t.Fatalf("%v (%T), expected a *DataError", err, err)
			}
			if got, want := err.Error(), "stdin: "+b.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestImportOptions checks errors of the command and not of the content.
func TestImportOptions(t *testing.T) {
	text := header + "1,0,A,5,64,r\n2,6,A,5,64,r\n"
	for _, c := range []struct {
		opt      Options
		in, want string
	}{
		{Options{Format: "xls"}, text,
			`option Format: "xls", expected one of csv, parquet, lackey, din, keysize, text`},
		{Options{LineBytes: 48}, text, `option LineBytes: 48, expected a power of two up to 65536`},
		{Options{LineBytes: 1 << 17}, text,
			`option LineBytes: 131072, expected a power of two up to 65536`},
		{Options{}, "hello, world, this is text\n",
			`option Format: stdin looks like none of csv, parquet, lackey, din, keysize, text; say which it is`},
		{Options{}, "0 1000\n1 1004\n",
			`option Format: stdin looks like din (label and address), or like keysize; say which it is`},
		{Options{AccessBytes: 4}, text,
			`option AccessBytes: it is for din, and the input is csv; leave it out`},
		{Options{Nodes: "0-5"}, text,
			`option Nodes: worker 6 of the input is in no set, expected each in one; the sets have workers 0 to 5`},
		{Options{Nodes: "0-3,3-6"}, text, `option Nodes: worker 3 is named twice in "0-3,3-6"`},
		{Options{Nodes: "0-3,5-6"}, text,
			`option Nodes: worker 4 is in no set of "0-3,5-6", expected each worker up to 6 in one`},
		{Options{Nodes: "3-0"}, text, `option Nodes: the range 3-0 goes down`},
		{Options{Nodes: "0-6,"}, text,
			`option Nodes: "" in "0-6," is no range of workers, expected one such as 0-5`},
		{Options{Nodes: "0-x"}, text,
			`option Nodes: "0-x" in "0-x" is no range of workers, expected one such as 0-5`},
		{Options{Nodes: "-1"}, text,
			`option Nodes: "-1" in "-1" is no range of workers, expected one such as 0-5`},
		{Options{Nodes: "0-65536"}, text, `option Nodes: worker 65536, expected at most 65535`},
	} {
		_, _, err := importText(t, c.in, c.opt)
		var option *OptionError
		var data *DataError
		if !errors.As(err, &option) || errors.As(err, &data) || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
	_, err := Import(context.Background(), Source{Path: "-"}, filepath.Join(t.TempDir(), "x.loi"),
		Options{})
	if want := `option Source: "-" without a reader for it`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// brokenReader fails after what it holds.
type brokenReader struct {
	io.Reader
	err error
}

func (b brokenReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

// TestImportFailures checks failures that are neither the content's nor the command's.
func TestImportFailures(t *testing.T) {
	var data *DataError
	var option *OptionError
	broken := errors.New("the disk is on fire")
	_, _, err := importReader(t, brokenReader{strings.NewReader("PAR1"), broken},
		Options{Format: "parquet"})
	if !errors.Is(err, broken) || errors.As(err, &data) {
		t.Errorf("parquet: %v, expected the error of the reader and no *DataError", err)
	}
	_, _, err = importReader(t, brokenReader{strings.NewReader(header + "1,0,A,1,1,r\n"), broken},
		Options{})
	if !errors.Is(err, broken) || errors.As(err, &data) ||
		err.Error() != "stdin: the disk is on fire" {
		t.Errorf("%v, expected the error of the reader and no *DataError", err)
	}

	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	w.Write([]byte(header))
	w.Flush() // and no end
	_, _, err = importReader(t, brokenReader{&gz, broken}, Options{Format: "csv"})
	if !errors.Is(err, broken) || errors.As(err, &data) ||
		err.Error() != "stdin: the disk is on fire" {
		t.Errorf("%v, expected the error of the reader and no *DataError", err)
	}

	dir := t.TempDir()
	_, err = Import(context.Background(), Source{Path: filepath.Join(dir, "none.csv")},
		filepath.Join(dir, "out.loi"), Options{})
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &data) || errors.As(err, &option) {
		t.Errorf("%v, expected fs.ErrNotExist", err)
	}
	_, err = Import(context.Background(), Source{Path: dir}, filepath.Join(dir, "out.loi"),
		Options{})
	if err == nil || !strings.HasSuffix(err.Error(), "is a directory, expected a file") {
		t.Errorf("%v for a directory", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	endless := &endlessCSV{after: func(n int) {
		if n == 10 {
			cancel()
		}
	}}
	_, err = Import(ctx, Source{Path: "-", Stdin: endless}, filepath.Join(dir, "out.loi"),
		Options{})
	if !errors.Is(err, context.Canceled) || errors.As(err, &data) {
		t.Errorf("%v, expected that the import was cancelled", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files remain: %v", left)
	}
}

// endlessCSV is a table without an end. It calls after with the number of each read.
type endlessCSV struct {
	n     int
	after func(int)
}

func (e *endlessCSV) Read(p []byte) (int, error) {
	e.n++
	defer e.after(e.n)
	if e.n == 1 {
		return copy(p, header), nil
	}
	line := "1,0,A,1,1,r\n"
	return copy(p, strings.Repeat(line, len(p)/len(line))), nil
}

// TestImportBadCompression reads compressed content that ends too early or is damaged.
func TestImportBadCompression(t *testing.T) {
	text := []byte(header + strings.Repeat("1,0,A,1,1,r\n", 1000))
	var zs, gz bytes.Buffer
	zw, _ := zstd.NewWriter(&zs)
	zw.Write(text)
	zw.Close()
	gw := gzip.NewWriter(&gz)
	gw.Write(text)
	gw.Close()
	for name, whole := range map[string][]byte{"zstd": zs.Bytes(), "gzip": gz.Bytes()} {
		for n := 4; n < len(whole); n++ {
			_, _, err := importReader(t, bytes.NewReader(whole[:n]), Options{Format: "csv"})
			var data *DataError
			if !errors.As(err, &data) || data.What != "cannot be decompressed with "+name ||
				data.Err == nil {
				t.Errorf("%d of %d bytes of %s: %v", n, len(whole), name, err)
			}
		}
		damaged := bytes.Clone(whole)
		damaged[len(damaged)/2] ^= 0x10
		_, _, err := importReader(t, bytes.NewReader(damaged), Options{Format: "csv"})
		var data *DataError
		if !errors.As(err, &data) {
			t.Errorf("damaged %s: %v, expected a *DataError", name, err)
		}
	}
}
