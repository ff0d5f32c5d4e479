package model

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"krdlab/experiments/request"
	"krdlab/experiments/stats/regress"
	"krdlab/hw/failure"
	"krdlab/hw/units"
)

// A Table is what a model is fitted to.
type Table struct {
	Name  string // of the file or the folders
	Frame *regress.Frame
	// Groups are what rows can be left out by, beside the columns: they belong together where the
	// text is the same.
	Groups map[string][]string
	// Folds names the group or column that random folds do not part; "": rows are independent.
	Folds string
	// Block names the group that intervals of held-out predictions are drawn by; "": rows are.
	Block string
	// Experiment is nil of a table that is a file.
	Experiment *Origin
	Warnings   []string
}

// IsTable reports whether a path is that of a table, by its name.
func IsTable(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv", ".parquet":
		return true
	}
	return false
}

// Read reads a CSV or Parquet file, whose first line, or schema, names the columns. A column of
// numbers has a number or nothing ("", NA, NaN, null, n/a) in each row; any other is one of texts.
// Errors: those of the file system; a file that is no table, by its line or column.
func Read(path string) (*Table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: path}
	if strings.EqualFold(filepath.Ext(path), ".parquet") {
		t.Frame, err = readParquet(data)
	} else {
		t.Frame, err = readCSV(data)
	}
	if err != nil {
		return nil, failure.As(failure.Data, fmt.Errorf("%s: %w", path, err))
	}
	for _, c := range t.Frame.Columns {
		if c.Name == "cell" { // of krdlab's own tables
			t.Folds = c.Name
		}
	}
	return t, nil
}

func readCSV(data []byte) (*regress.Frame, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	for _, comma := range ";\t" {
		if bytes.ContainsRune(first, comma) && !bytes.Contains(first, []byte(",")) {
			r.Comma = comma
		}
	}
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty, expected a first line with the names of the columns")
	} else if err != nil {
		return nil, err
	}
	f := &regress.Frame{}
	for i, name := range head {
		if err := f.Add(strings.TrimSpace(name), i); err != nil {
			return nil, err
		}
	}
	texts := make([][]string, len(head)) // of columns that have one
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		for j, s := range row {
			c := &f.Columns[j]
			s = strings.TrimSpace(s)
			v, ok := number(s)
			if !ok && texts[j] == nil {
				c.At = f.N
				texts[j] = make([]string, f.N)
				for i, v := range c.Numbers {
					texts[j][i] = text(v)
				}
			}
			if texts[j] != nil {
				if missing(s) {
					s = ""
				}
				texts[j] = append(texts[j], s)
			}
			c.Numbers = append(c.Numbers, v)
		}
		f.N++
	}
	for j := range f.Columns {
		if texts[j] != nil {
			f.Columns[j].Texts, f.Columns[j].Numbers = texts[j], nil
		}
	}
	return f, nil
}

func missing(s string) bool {
	switch s {
	case "", "NA", "NaN", "nan", "null", "NULL", "n/a", "N/A":
		return true
	}
	return false
}

// number reads a number; what is missing is NaN.
func number(s string) (v float64, ok bool) {
	if missing(s) {
		return math.NaN(), true
	}
	switch s {
	case "true", "TRUE":
		return 1, true
	case "false", "FALSE":
		return 0, true
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(s, "_xX") {
		return math.NaN(), false
	}
	return v, true
}

// text is a number as a category.
func text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// readParquet reads a file whose columns are flat. A library that gives up on damaged files by a
// panic makes an error of it.
func readParquet(data []byte) (f *regress.Frame, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("a damaged Parquet file: %v", p)
		}
	}()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no Parquet file, or a damaged one: %w", err)
	}
	f = &regress.Frame{N: int(file.NumRows())}
	fields := file.Schema().Fields()
	for i, field := range fields {
		if !field.Leaf() || field.Repeated() {
			return nil, fmt.Errorf("column %s is nested; expected numbers and texts only",
				field.Name())
		}
		if err := f.Add(field.Name(), i); err != nil {
			return nil, err
		}
	}
	for j := range fields {
		if err := readColumn(file, j, f); err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Columns[j].Name, err)
		}
	}
	return f, nil
}

func readColumn(file *parquet.File, j int, f *regress.Frame) error {
	c := &f.Columns[j]
	kind := file.Schema().Fields()[j].Type().Kind()
	buffer := make([]parquet.Value, 1024)
	words := kind == parquet.ByteArray || kind == parquet.FixedLenByteArray
	for _, group := range file.RowGroups() {
		pages := group.ColumnChunks()[j].Pages()
		for {
			page, err := pages.ReadPage()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				pages.Close()
				return err
			}
			values := page.Values()
			for {
				n, err := values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					switch {
					case words && v.IsNull():
						c.Texts = append(c.Texts, "")
					case words:
						c.Texts = append(c.Texts, string(v.ByteArray()))
					default:
						c.Numbers = append(c.Numbers, float(v, kind))
					}
				}
				if errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					pages.Close()
					return err
				}
			}
			parquet.Release(page)
		}
		if err := pages.Close(); err != nil {
			return err
		}
	}
	if n := max(len(c.Texts), len(c.Numbers)); n != f.N {
		return fmt.Errorf("%s in a file of %d", units.Count(n, "value"), f.N)
	}
	return nil
}

func float(v parquet.Value, kind parquet.Kind) float64 {
	switch {
	case v.IsNull():
		return math.NaN()
	case kind == parquet.Boolean:
		if v.Boolean() {
			return 1
		}
		return 0
	case kind == parquet.Int32:
		return float64(v.Int32())
	case kind == parquet.Int64:
		return float64(v.Int64())
	case kind == parquet.Float:
		return float64(v.Float())
	case kind == parquet.Double:
		return v.Double()
	}
	return math.NaN()
}

// A Condition is one that rows must meet: COLUMN=VALUE, with =, !=, <, <=, > or >=.
type Condition struct {
	Column, Op, Value string
}

// ParseCondition reads one.
func ParseCondition(s string) (c Condition, ok bool) {
	at := strings.IndexAny(s, "!<>=")
	if at < 1 {
		return c, false
	}
	c.Column = strings.TrimSpace(s[:at])
	for _, op := range []string{"!=", "<=", ">=", "<", ">", "="} {
		if rest, found := strings.CutPrefix(s[at:], op); found {
			c.Op, c.Value = op, strings.TrimSpace(rest)
			return c, true
		}
	}
	return c, false
}

// Where leaves the rows of t that meet a condition. The error names a column that is not there.
func (t *Table) Where(c Condition) error {
	column := t.Frame.Column(c.Column)
	if column == nil {
		return &request.Error{Flag: "where", Got: c.Column,
			Want: request.Suggest(c.Column, t.Frame.Names(), "")}
	}
	want, isNumber := number(c.Value)
	var rows []int
	for i := range t.Frame.N {
		order := 0
		switch {
		case column.Texts != nil:
			order = strings.Compare(column.Texts[i], c.Value)
		case !isNumber || math.IsNaN(column.Numbers[i]):
			continue
		case column.Numbers[i] < want:
			order = -1
		case column.Numbers[i] > want:
			order = 1
		}
		if map[string]bool{"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0,
			">": order > 0, ">=": order >= 0}[c.Op] {
			rows = append(rows, i)
		}
	}
	t.keep(rows)
	return nil
}

// keep leaves some rows.
func (t *Table) keep(rows []int) {
	f := &regress.Frame{N: len(rows)}
	for _, c := range t.Frame.Columns {
		k := regress.Column{Name: c.Name}
		for n, i := range rows {
			if c.Texts == nil {
				k.Numbers = append(k.Numbers, c.Numbers[i])
				continue
			}
			k.Texts = append(k.Texts, c.Texts[i])
			if i <= c.At || n == 0 {
				k.At = n
			}
		}
		if c.Texts != nil && k.Texts == nil {
			k.Texts = []string{}
		}
		f.Columns = append(f.Columns, k)
	}
	t.Frame = f
	for name, texts := range t.Groups {
		var kept []string
		for _, i := range rows {
			kept = append(kept, texts[i])
		}
		t.Groups[name] = kept
	}
}

// group returns what rows belong together by a group or column of a name, which a flag asks for.
func (t *Table) group(flag, name string) ([]string, error) {
	if g := t.Groups[name]; g != nil {
		return g, nil
	}
	c := t.Frame.Column(name)
	if c == nil {
		there := append(slices.Sorted(maps.Keys(t.Groups)), t.Frame.Names()...)
		slices.Sort(there)
		return nil, &request.Error{Flag: flag, Got: name,
			Want: request.Suggest(name, slices.Compact(there), "")}
	}
	if c.Texts != nil {
		return c.Texts, nil
	}
	texts := make([]string, len(c.Numbers))
	for i, v := range c.Numbers {
		texts[i] = text(v)
	}
	return texts, nil
}
