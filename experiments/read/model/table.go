package model

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/request"
	"krdlab/hw/failure"
	"krdlab/hw/textfile"
	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi/imports"
)

// A Table holds the rows that a model is fitted to.
type Table struct {
	Name  string // of the file or the folders
	Frame *regress.Frame
	// Groups are texts by which rows can be left out, beside the columns: rows with the same text
	// belong together.
	Groups map[string][]string
	// Folds names the group or column that random folds do not part; "": rows are independent.
	Folds string
	// Block names the group that intervals of held-out predictions are drawn by; "": rows are.
	Block string
	// Experiment is nil of a table that is a file.
	Experiment *Origin
	doc.Concluded
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
	data, err := textfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var t *Table
	switch strings.ToLower(filepath.Ext(path)) {
	case ".parquet":
		t = &Table{}
		t.Frame, err = readParquet(data)
	case ".tsv":
		t, err = readCSV(data, '\t')
	default:
		t, err = readCSV(data, 0)
	}
	if err != nil {
		return nil, failure.As(failure.Data, fmt.Errorf("%s: %w", path, err))
	}
	t.Name = path
	for _, c := range t.Frame.Columns {
		if c.Name == "cell" { // of krdlab's own tables
			t.Folds = c.Name
		}
	}
	return t, nil
}

// readCSV reads comma-separated values; ones of semicolons or tabs where the first line has no
// comma.
func readCSV(data []byte, comma rune) (*Table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	for _, c := range ";\t" {
		if comma == 0 && bytes.ContainsRune(first, c) && !bytes.Contains(first, []byte(",")) {
			comma = c
		}
	}
	if comma == 0 {
		comma = ','
	}
	t := &Table{Frame: &regress.Frame{}}
	at, err := t.columns(data, comma)
	if err != nil {
		return nil, err
	}
	f := t.Frame
	r := records(data, comma)
	r.Read() // the names, without an error before
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, plainCSV(err, r)
		}
		for j := range f.Columns {
			c := &f.Columns[j]
			s := strings.TrimSpace(row[at[j]])
			switch v, ok := number(s); {
			case c.Texts == nil && !ok: // it is one of texts: read again, as they are written
				c.At, c.Texts, c.Numbers = f.N, []string{}, nil
				if err := reread(data, comma, at[j], c); err != nil {
					return nil, err
				}
			case c.Texts == nil:
				c.Numbers = append(c.Numbers, v)
			case missing(s):
				c.Texts = append(c.Texts, "")
			default:
				c.Texts = append(c.Texts, s)
			}
		}
		f.N++
	}
	return t, nil
}

// columns adds those of the first line to t, and returns which field of a line each is. Columns
// without a name, as R writes for the names of rows, are left out.
func (t *Table) columns(data []byte, comma rune) (at []int, err error) {
	r := records(data, comma)
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty; expected a first line with the names of the columns")
	} else if err != nil {
		return nil, plainCSV(err, r)
	}
	for i, name := range head {
		if name = strings.TrimSpace(name); name == "" && len(head) > 1 {
			t.Find(unnamedColumn, i+1)
			continue
		}
		if err := t.Frame.Add(name, i); err != nil {
			return nil, err
		}
		at = append(at, i)
	}
	if len(at) == 0 {
		return nil, errors.New("line 1: no column has a name")
	}
	return at, nil
}

// reread reads the first At + 1 values of a column as texts.
func reread(data []byte, comma rune, field int, c *regress.Column) error {
	r := records(data, comma)
	r.Read() // the names
	for range c.At + 1 {
		row, err := r.Read()
		if err != nil {
			return plainCSV(err, r)
		}
		s := strings.TrimSpace(row[field])
		if missing(s) {
			s = ""
		}
		c.Texts = append(c.Texts, s)
	}
	return nil
}

func records(data []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord, r.Comma = true, comma
	return r
}

// plainCSV returns an error of a reader by its line.
func plainCSV(err error, r *csv.Reader) error {
	var e *csv.ParseError
	switch {
	case !errors.As(err, &e):
		return err
	case errors.Is(e.Err, csv.ErrFieldCount):
		return fmt.Errorf("line %d: its number of values is not %d, that of the names in line 1",
			e.Line, r.FieldsPerRecord)
	case errors.Is(e.Err, csv.ErrQuote):
		return fmt.Errorf("line %d, character %d: a quote that is not closed, or stands within "+
			"a value",
			e.Line, e.Column)
	}
	return fmt.Errorf("line %d, character %d: a quote within a value that has none around it",
		e.Line, e.Column)
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

// text returns a number as a category.
func text(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// A few bytes of a Parquet file may stand for any number of values: it has at most so many, and a
// column at most so many bytes of different texts.
const (
	mostValues    = 1 << 24
	mostTextBytes = 1 << 26
)

// readParquet reads a file whose columns are flat. A library that gives up on damaged files by a
// panic makes an error of it.
func readParquet(data []byte) (f *regress.Frame, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("a damaged Parquet file: %v", p)
		}
	}()
	file, err := imports.OpenParquet(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("no Parquet file, or a damaged one: %w", err)
	}
	fields := file.Schema().Fields()
	if n := file.NumRows(); n > mostValues/int64(max(1, len(fields))) {
		return nil, fmt.Errorf("%s rows of %s; expected at most %s values", units.Grouped(uint64(n)),
			units.Count(len(fields), "column"), units.Grouped(mostValues))
	}
	f = &regress.Frame{N: int(file.NumRows())}
	for i, field := range fields {
		if field.Leaf() && field.Type().Kind() == parquet.Int96 {
			return nil, fmt.Errorf("column %s has numbers of 96 bits; expected at most 64",
				field.Name())
		}
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

// readColumn fills a column. Texts that are equal are one in memory.
func readColumn(file *parquet.File, j int, f *regress.Frame) error {
	c := &f.Columns[j]
	texts, bytes := map[string]string{}, 0
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
					if len(c.Texts)+len(c.Numbers) == f.N {
						pages.Close()
						return fmt.Errorf("more values than the %s of the file", units.Count(f.N, "row"))
					}
					if !words {
						c.Numbers = append(c.Numbers, float(v, kind))
						continue
					}
					s, known := texts[string(v.ByteArray())] // null is ""
					if !known {
						s = string(v.ByteArray())
						if bytes += len(s); bytes > mostTextBytes {
							pages.Close()
							return fmt.Errorf("value %d: texts of more than %s", len(c.Texts)+1,
								units.Bytes(mostTextBytes))
						}
						texts[s] = s
					}
					c.Texts = append(c.Texts, s)
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

// A Condition is one that rows must meet: COLUMN=VALUE, with =, !=, <, <=, > or >= (== is =).
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
	for _, op := range []string{"!=", "<=", ">=", "<", ">", "==", "="} {
		if rest, found := strings.CutPrefix(s[at:], op); found {
			c.Op, c.Value = op, strings.TrimSpace(rest)
			return c, true
		}
	}
	return c, false
}

// Where leaves the rows of t that meet a condition; none has a value that is not there. Errors: a
// column that is not there, a value that is no number of a column of numbers, no such row.
func (t *Table) Where(c Condition) error {
	column := t.Frame.Column(c.Column)
	if column == nil {
		return &request.Error{Flag: "where", Got: c.Column,
			Want: request.Suggest(c.Column, t.Frame.Names(), "")}
	}
	want, isNumber := number(c.Value)
	condition := c.Column + c.Op + c.Value
	if column.Texts == nil && (!isNumber || math.IsNaN(want)) {
		return &request.Error{Flag: "where", Got: condition,
			Want: fmt.Sprintf("%s has numbers; expected one, not %q", c.Column, c.Value)}
	}
	var rows []int
	for i := range t.Frame.N {
		order := 0
		switch {
		case column.Texts != nil && column.Texts[i] == "":
			continue
		case column.Texts != nil:
			order = strings.Compare(column.Texts[i], c.Value)
		case math.IsNaN(column.Numbers[i]):
			continue
		case column.Numbers[i] < want:
			order = -1
		case column.Numbers[i] > want:
			order = 1
		}
		if map[string]bool{"=": order == 0, "==": order == 0, "!=": order != 0, "<": order < 0,
			"<=": order <= 0,
			">":  order > 0, ">=": order >= 0}[c.Op] {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return failure.Errorf(failure.Data, "--where %s: none of %s has it", condition,
			units.Count(t.Frame.N, "row"))
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
	groups := map[string][]string{} // the old ones may be another table's
	for name, texts := range t.Groups {
		for _, i := range rows {
			groups[name] = append(groups[name], texts[i])
		}
	}
	t.Groups = groups
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
