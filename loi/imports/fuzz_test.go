package imports

import (
	"bytes"
	"errors"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// fuzzImport imports content; whatever it is, the outcome is a trace or one of the two kinds of
// errors.
func fuzzImport(t *testing.T, content []byte, format string, opt Options) {
	s, err := importNull(t, content, format, opt)
	var data *DataError
	var option *OptionError
	switch {
	case err == nil && s.accesses == 0:
		t.Errorf("%s: no access and no error for %.200q", format, content)
	case err != nil && !errors.As(err, &data) && !errors.As(err, &option):
		t.Errorf("%s: %v (%T) for %.200q", format, err, err, content)
	case data != nil && (data.File == "" || data.What == ""):
		t.Errorf("%s: %+v does not say enough", format, data)
	}
}

// seeds adds the inputs of the other tests.
func seeds(f *testing.F) {
	for _, g := range good {
		f.Add([]byte(g.in))
	}
	for _, b := range bad {
		if len(b.in) < 1000 {
			f.Add([]byte(b.in))
		}
	}
}

// FuzzText imports as each text format, and as what it looks like.
func FuzzText(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, content []byte) {
		if bytes.HasPrefix(content, zstdMagic) || bytes.HasPrefix(content, gzipMagic) ||
			bytes.HasPrefix(content, []byte("PAR1")) {
			return
		}
		for _, format := range []string{"csv", "lackey", "din", "keysize", ""} {
			fuzzImport(t, content, format, Options{Instructions: true})
			fuzzImport(t, content, format, Options{Sort: true, Atoms: true, LineBytes: 1 << 12})
		}
	})
}

// FuzzCSVLine reads a line as a plain one and field by field: lines that both take must give the
// same.
func FuzzCSVLine(f *testing.F) {
	for _, h := range []string{header, spanHeader,
		"mode,bytes,time,worker,block,object,kernel,end\n",
		"offset,time,worker,object,block,bytes,mode,rows,stride\n"} {
		for _, l := range []string{"1,0,A,5,64,r\n", "1,0,A,5,64,r,1,0\r\n", "r,1,2,3,4,x,k,2\n",
			",1,0,x,1,1,inout,0,7\n", "1,0,\"A\",5,64,r\n", "1,0,A,99999999999999999999,64,r\n",
			"1,0,A,0x1,64,r\n"} {
			f.Add(h, l)
		}
	}
	f.Fuzz(func(t *testing.T, head, line string) {
		p := &csvParser{names: names{out: &outlet{b: newBatch()}}}
		if n, err := p.header([]byte(head), true); n == 0 || err != nil || len(line) == 0 ||
			line[len(line)-1] != '\n' {
			return
		}
		var plain, slow row
		n := p.plain([]byte(line), &plain)
		m, lines, err := p.slow([]byte(line), 7, true, &slow)
		if n == 0 {
			return
		}
		plain.pos = 7
		if err != nil || m != n || lines != 1 || slow != plain {
			t.Errorf("%q: plain takes %d bytes for %+v, slow %d in %d lines for %+v, %v", line, n,
				plain, m, lines, slow, err)
		}
	})
}

func FuzzParquet(f *testing.F) {
	f.Add(parquetBytes(f, []plainTable{{1, 2, "A", 3, 4, "r"}, {2, 2, "A", 3, 4, "r"}}))
	f.Add(parquetBytes(f, []packedTable{{"r", 1, "A", 2, 3, 4}}, parquet.DataPageVersion(1)))
	f.Add(parquetBytes(f, []optionalTable{{at(int64(1)), at(int16(0)), at("A"), at(int64(5)), nil,
		at(int64(64)), []byte("r"), "", 1, 1, 0}}))
	f.Add([]byte("PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) { fuzzImport(t, content, "parquet", Options{}) })
}
