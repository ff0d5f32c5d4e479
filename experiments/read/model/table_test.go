package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/read/model/regress"
	"krdlab/hw/failure"
	"krdlab/hw/units"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// printed writes the columns of a table: name=values, texts in quotes.
func printed(t *Table) string {
	var words []string
	for _, c := range t.Frame.Columns {
		if c.Texts != nil {
			words = append(words, fmt.Sprintf("%s=%q", c.Name, c.Texts))
		} else {
			words = append(words, fmt.Sprintf("%s=%v", c.Name, c.Numbers))
		}
	}
	return strings.Join(words, " ")
}

func TestReadCSV(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"y,x\n1,2\n", "y=[1] x=[2]"},
		{"\ufeffy;x\r\n1;2.5\r\n3;4e2\r\n", "y=[1 3] x=[2.5 400]"},
		{"y\tx\n1\t2", "y=[1] x=[2]"},
		{"\"a b\",\"c:d\"\n1,\" 2 \"\n\n3,4\n", "a b=[1 3] c:d=[2 4]"},
		{"x\n1\nNA\nNaN\nn/a\n", "x=[1 NaN NaN NaN]"},
		{"x\ntrue\nFALSE\n", "x=[1 0]"},
		{"y,x\n1,01\n2,NA\n3,true\n4,b\n5,01\n", `y=[1 2 3 4 5] x=["01" "" "true" "b" "01"]`},
		{"\"\",y,x\na,1,2\nb,3,4\n", "y=[1 3] x=[2 4]"}, // R's write.csv
		{"x,y,\n1,2,\n", "x=[1] y=[2]"},
		{"x\n1e999\n-inf\n", "x=[+Inf -Inf]"}, // which a fit refuses, with the row
		{"x\n1_000\n0x10\n", `x=["1_000" "0x10"]`},
		{"a,b\n", "a=[] b=[]"},
	} {
		table, err := readCSV([]byte(c.text), 0)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if got := printed(table); got != c.want {
			t.Errorf("%q is %s, expected %s", c.text, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"a,a\n1,2\n", "column 2"},
		{",\n1,2\n", "no column has a name"},
		{"a,b\n1,2\n3\n", "line 3"},
		{"a,b\n1,2,3\n", "line 2"},
		{"a,b\n1,\"2\n", "line 2"},
		{"a,b\n1,2\"3\n", "line 2, character"},
	} {
		if table, err := readCSV([]byte(c.text), 0); err == nil {
			t.Errorf("%q is %s, expected an error", c.text, printed(table))
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; expected %q in it", c.text, err, c.want)
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"y,x\n1,2\n3,a\n", "\ufeffa;b\r\n1;\"2\"\r\n", "a\n", ",a\n1,2\n",
		"a,a\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := readCSV(data, 0)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, c := range table.Frame.Columns {
			if c.Name == "" || seen[c.Name] {
				t.Errorf("a column has the name %q", c.Name)
			}
			seen[c.Name] = true
			switch {
			case c.Texts == nil && len(c.Numbers) != table.Frame.N,
				c.Texts != nil && len(c.Texts) != table.Frame.N:
				t.Errorf("%s has %d numbers and %d texts in %d rows", c.Name, len(c.Numbers),
					len(c.Texts), table.Frame.N)
			case c.Texts != nil && (c.At >= len(c.Texts) || c.Texts[c.At] == ""):
				t.Errorf("%s has no text in row %d, which is the first that is no number", c.Name,
					c.At+1)
			}
		}
	})
}

// parquetOf writes columns of numbers and texts, which may be missing, as a Parquet file.
func parquetOf(t testing.TB, f *regress.Frame) []byte {
	t.Helper()
	group := parquet.Group{}
	for _, c := range f.Columns {
		group[c.Name] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		if c.Texts != nil {
			group[c.Name] = parquet.Optional(parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
		}
	}
	schema := parquet.NewSchema("t", group)
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, schema)
	for i := range f.N {
		row := make(parquet.Row, len(f.Columns))
		for k, field := range schema.Fields() {
			c, v, level := f.Column(field.Name()), parquet.NullValue(), 0
			if c.Texts != nil && c.Texts[i] != "" {
				v, level = parquet.ByteArrayValue([]byte(c.Texts[i])), 1
			} else if c.Texts == nil && !math.IsNaN(c.Numbers[i]) {
				v, level = parquet.DoubleValue(c.Numbers[i]), 1
			}
			row[k] = v.Level(0, level, k)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// FuzzReadParquet: what is refused names the file or a column; what is read has as many values as
// there are rows, and is the same when it is written and read again.
func FuzzReadParquet(f *testing.F) {
	type row struct {
		Y float64
		K string
		I *int32 `parquet:"i,optional"`
		B bool
		F float32 `parquet:"f,split"`
	}
	one := int32(1)
	rows := []row{{1, "a", nil, true, 2}, {2, "b", &one, false, 3}, {math.NaN(), "", &one, true, 4}}
	for _, o := range []parquet.WriterOption{parquet.DataPageVersion(1), parquet.DataPageVersion(2),
		parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(2)} {
		var good bytes.Buffer
		if err := parquet.Write(&good, rows, o); err != nil {
			f.Fatal(err)
		}
		f.Add(good.Bytes())
	}
	f.Add(parquetOf(f, read(f, cars).Frame))
	f.Add([]byte("PAR1 and no more PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := readParquet(data)
		if err != nil {
			if s := err.Error(); !strings.Contains(s, "Parquet") && !strings.Contains(s, "column") {
				t.Errorf("%v: neither a column is named, nor that it is a Parquet file", err)
			}
			return
		}
		for _, c := range frame.Columns {
			if max(len(c.Numbers), len(c.Texts)) != frame.N {
				t.Errorf("%s has %d numbers and %d texts in %d rows", c.Name, len(c.Numbers), len(c.Texts),
					frame.N)
			}
		}
		if t.Failed() || frame.N == 0 {
			return
		}
		again, err := readParquet(parquetOf(t, frame))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range frame.Columns {
			d := again.Column(c.Name)
			if d == nil || fmt.Sprint(c.Numbers, c.Texts) != fmt.Sprint(d.Numbers, d.Texts) {
				t.Errorf("%+v is %+v when it is read again", c, d)
			}
		}
	})
}

// A file that states other rows than its columns have is refused, and so is one of more than a table
// may have, before they are read.
func TestParquetRows(t *testing.T) {
	good := parquetOf(t, read(t, cars).Frame)
	n := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	for rows, want := range map[int64]string{31: "column am: more values than the 31 rows of the file",
		33: "column am: 32 values in a file of 33", 1 << 40: units.Grouped(1<<40) + " rows of 12 columns; " +
			"expected at most " + units.Grouped(mostValues) + " values", -1: "num_rows=-1 is negative"} {
		var meta format.FileMetaData
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), good[n:len(good)-8], &meta); err != nil {
			t.Fatal(err)
		}
		meta.NumRows = rows
		footer, err := thrift.Marshal(new(thrift.CompactProtocol), meta)
		if err != nil {
			t.Fatal(err)
		}
		bad := append(slices.Clone(good[:n]), footer...)
		bad = append(binary.LittleEndian.AppendUint32(bad, uint32(len(footer))), "PAR1"...)
		if _, err := readParquet(bad); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%d rows: %v; expected %q", rows, err, want)
		}
	}
}

// FuzzReadModel: what is no document of a model is refused by its name; what is one is the same when
// it is written and read again, and predicts for its means what a change of a predictor begins with.
func FuzzReadModel(f *testing.F) {
	for _, formula := range []string{"mpg ~ wt * hp", "mpg ~ 1", "mpg ~ wt + I(2 * wt) + hp",
		"log(mpg) ~ 0 + factor(cyl) * wt + log(hp) + I(disp / 100)"} {
		data, err := json.Marshal(of(f, read(f, cars), Options{Formula: formula, Folds: 4, Seed: 1}))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "m.json")
		readAs := func(data []byte) (*Report, error) {
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
			return ReadModel(path)
		}
		r, err := readAs(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), path+": ") {
				t.Errorf("%v: the file is not named", err)
			}
			return
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readAs(written)
		if err != nil {
			t.Fatalf("%v of what was read, and written as %.500s", err, written)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(written, second) {
			t.Errorf("%.500s is %.500s when it is read again, %v", written, second, err)
		}
		for _, c := range r.Columns {
			if c.Levels != nil {
				continue
			}
			x, err := r.Change(c.Name+"=+1", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(x); err != nil {
				t.Errorf("%+v: %v", x, err)
			}
		}
	})
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	table := read(t, write("a.tsv", "a,b\tcell\n1\t2\n"))
	if got := printed(table); got != "a,b=[1] cell=[2]" || table.Folds != "cell" {
		t.Errorf("%s, folds by %q; expected a,b=[1] cell=[2], by cell", got, table.Folds)
	}
	for _, path := range []string{write("e.csv", ""), write("e.parquet", ""),
		write("d.parquet", "PAR1 and no more PAR1")} {
		_, err := Read(path)
		if failure.Of(err) != failure.Data || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v; expected an error of the data that names it", path, err)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		where string
		want  int
	}{
		{"cyl=4", 11}, {"cyl==4", 11}, {"cyl!=4", 21}, {"cyl<6", 11}, {"cyl<=6", 18}, {"cyl>6", 14},
		{"cyl>=6", 21}, {"model=Fiat 128", 1}, {" mpg > 30 ", 4},
	} {
		table := read(t, cars)
		condition, ok := ParseCondition(c.where)
		if err := table.Where(condition); !ok || err != nil || table.Frame.N != c.want ||
			len(table.Frame.Column("wt").Numbers) != c.want {
			t.Errorf("%s leaves %d rows, %v; expected %d", c.where, table.Frame.N, err, c.want)
		}
	}
	for where, want := range map[string]failure.Class{"zyl=4": failure.Request,
		"cyl=x":   failure.Request,
		"cyl!=NA": failure.Request, "cyl>100": failure.Data} {
		condition, _ := ParseCondition(where)
		if err := read(t, cars).Where(condition); err == nil || failure.Of(err) != want {
			t.Errorf("%s: %v; expected an error of class %v", where, err, want)
		}
	}
	if _, ok := ParseCondition("cyl"); ok {
		t.Error("cyl is taken for a condition")
	}
	table, err := readCSV([]byte("s\na\nNA\nb\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Where(Condition{"s", "!=", "a"}); err != nil || table.Frame.N != 1 {
		t.Errorf("s!=a leaves %d rows, %v; expected 1: one has no value", table.Frame.N, err)
	}
	if v := read(t, cars).Frame.Column("wt").Numbers[0]; math.IsNaN(v) {
		t.Error("wt of the first row is not there")
	}
}
