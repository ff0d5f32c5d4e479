package model

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/failure"

	"github.com/parquet-go/parquet-go"
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

// FuzzReadParquet: damaged files are refused, and columns have as many values as there are rows.
func FuzzReadParquet(f *testing.F) {
	type row struct {
		Y float64
		K string
	}
	var good bytes.Buffer
	if err := parquet.Write(&good, []row{{1, "a"}, {2, "b"}, {3, "a"}}); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add([]byte("PAR1 and no more PAR1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := readParquet(data)
		if err != nil {
			return
		}
		for _, c := range frame.Columns {
			if max(len(c.Numbers), len(c.Texts)) != frame.N {
				t.Errorf("%s has %d numbers and %d texts in %d rows", c.Name, len(c.Numbers), len(c.Texts),
					frame.N)
			}
		}
	})
}

// FuzzReadModel: what is no document of a model is refused, and what is one predicts.
func FuzzReadModel(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"formula":"y ~ x","n":3,"df":1,"terms":[{"name":"(Intercept)"}],` +
		`"hull":{"columns":[],"factor":[]},"columns":[{"name":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadModel(path); err == nil {
			r.Change("x=+1", nil)
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
