package doc

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Data returns a cell as data: nil where there is no value, otherwise a string, int64, uint64,
// float64 or bool. The value of a quantity is its median.
func Data(v any) any {
	switch v := v.(type) {
	case Missing:
		return nil
	case Noted:
		return Data(v.Value)
	case Quantity:
		return Data(v.Median)
	case Number:
		if !v.Known() {
			return nil
		}
		return v.Float()
	case Share:
		return Data(Some(v.Part / v.Whole))
	case int:
		return int64(v)
	case Links:
		return v.text()
	case Folded:
		return v.Text
	case Level:
		return string(v)
	}
	return v
}

// dataColumns returns the columns that are data.
func (t *Table) dataColumns() (columns []Column) {
	for _, c := range t.Columns {
		switch {
		case c.Key != "" && c.Ends:
			low, high := c, c
			low.Key, high.Key = c.Key+"_low", c.Key+"_high"
			columns = append(columns, c, low, high)
		case c.Key != "":
			columns = append(columns, c)
		}
	}
	return columns
}

// dataRow returns the cells of a row that are data.
func (t *Table) dataRow(row []any) []any {
	cells := make([]any, 0, len(t.Columns))
	for i, c := range t.Columns {
		switch {
		case c.Key != "" && c.Ends:
			q, _ := quantityOf(row[i])
			low, high, ok := q.Bounds()
			cells = append(cells, Data(row[i]), nil, nil)
			if ok {
				cells[len(cells)-2], cells[len(cells)-1] = Data(Some(low)), Data(Some(high))
			}
		case c.Key != "":
			cells = append(cells, Data(row[i]))
		}
	}
	return cells
}

// A Rows writes the rows of a table as they come, so that they need not be held.
type Rows interface {
	// Add writes a row, which has a cell for each column of the table.
	Add(row []any) error
	// Close writes what is left. It must be called.
	Close() error
}

// write writes the rows of the table to out.
func (t *Table) write(out Rows, err error) error {
	rows := t.Rows
	if t.Foot {
		rows = rows[:len(rows)-1]
	}
	for i := 0; i < len(rows) && err == nil; i++ {
		err = out.Add(rows[i])
	}
	if err != nil {
		return err
	}
	return out.Close()
}

// CSV writes the table with a header of keys. Unknown values are empty; lines end in LF (RFC 4180).
func (t *Table) CSV(w io.Writer) error { return t.write(t.StreamCSV(w)) }

// StreamCSV returns what writes rows of t as [Table.CSV] does.
func (t *Table) StreamCSV(w io.Writer) (Rows, error) {
	columns := t.dataColumns()
	out := &csvRows{t, csv.NewWriter(w), make([]string, len(columns))}
	for i, c := range columns {
		out.line[i] = c.Key
	}
	return out, out.Write(out.line)
}

type csvRows struct {
	table *Table
	*csv.Writer
	line []string
}

func (r *csvRows) Add(row []any) error {
	for i, v := range r.table.dataRow(row) {
		switch v := v.(type) {
		case nil:
			r.line[i] = ""
		case string:
			r.line[i] = v
		case float64:
			r.line[i] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			r.line[i] = fmt.Sprint(v)
		}
	}
	return r.Write(r.line)
}

func (r *csvRows) Close() error {
	r.Flush()
	return r.Error()
}

// JSONL writes an object for each row, with all columns in their order; what is not known is null.
func (t *Table) JSONL(w io.Writer) error { return t.write(t.StreamJSONL(w)) }

// StreamJSONL returns what writes rows of t as [Table.JSONL] does.
func (t *Table) StreamJSONL(w io.Writer) (Rows, error) {
	r := &jsonRows{table: t, out: bufio.NewWriter(w)}
	for i, c := range t.dataColumns() {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		r.keys = append(r.keys, fmt.Sprintf("%s%q:", separator, c.Key))
	}
	r.encoder = json.NewEncoder(&r.value)
	r.encoder.SetEscapeHTML(false)
	return r, nil
}

type jsonRows struct {
	table   *Table
	out     *bufio.Writer
	keys    []string // with what stands before and after each
	value   bytes.Buffer
	encoder *json.Encoder // into value
}

func (r *jsonRows) Add(row []any) error {
	for i, v := range r.table.dataRow(row) {
		r.value.Reset()
		if err := r.encoder.Encode(v); err != nil {
			return fmt.Errorf("column %s: %w", r.table.dataColumns()[i].Key, err)
		}
		r.out.WriteString(r.keys[i]) // Flush has its error
		r.out.Write(bytes.TrimSpace(r.value.Bytes()))
	}
	_, err := r.out.WriteString("}\n")
	return err
}

func (r *jsonRows) Close() error { return r.out.Flush() }

// MarshalJSON implements [json.Marshaler]: an array of the objects of [Table.JSONL].
func (t *Table) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	if err := t.JSONL(&b); err != nil {
		return nil, err
	}
	rows := bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
	return slices.Concat([]byte("["), bytes.Join(rows, []byte(",")), []byte("]")), nil
}

// Parquet writes the table, compressed by zstd; all columns are optional, and of their Kind.
func (t *Table) Parquet(w io.Writer) error { return t.write(t.StreamParquet(w)) }

// StreamParquet returns what writes rows of t as [Table.Parquet] does.
func (t *Table) StreamParquet(w io.Writer) (Rows, error) {
	types := map[Kind]reflect.Type{Text: reflect.TypeFor[*string](),
		Whole: reflect.TypeFor[*int64](), Real: reflect.TypeFor[*float64](),
		Truth: reflect.TypeFor[*bool]()}
	columns := t.dataColumns()
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: types[c.Kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, c.Key))}
	}
	schema := parquet.NewSchema(t.Name,
		parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
	return &parquetRows{t, parquet.NewGenericWriter[any](w, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.CreatedBy("krdlab", "", "")), nil}, nil
}

type parquetRows struct {
	table *Table
	*parquet.GenericWriter[any]
	values parquet.Row
}

func (r *parquetRows) Add(row []any) error {
	r.values = r.values[:0]
	for i, v := range r.table.dataRow(row) {
		if v == nil {
			r.values = append(r.values, parquet.NullValue().Level(0, 0, i))
			continue
		}
		r.values = append(r.values, parquet.ValueOf(v).Level(0, 1, i))
	}
	_, err := r.WriteRows([]parquet.Row{r.values})
	return err
}
