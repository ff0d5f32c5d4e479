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

// data returns the columns and rows that are data.
func (t *Table) data() (columns []Column, rows [][]any) {
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
	for _, row := range t.Rows {
		cells := make([]any, 0, len(columns))
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
		rows = append(rows, cells)
	}
	if t.Foot {
		rows = rows[:len(rows)-1]
	}
	return columns, rows
}

// CSV writes the table with a header of keys. Unknown values are empty; lines end in LF (RFC 4180).
func (t *Table) CSV(w io.Writer) error {
	columns, rows := t.data()
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.Key
	}
	out.Write(line) // Error has its error
	for _, row := range rows {
		for i := range columns {
			switch v := row[i].(type) {
			case nil:
				line[i] = ""
			case float64:
				line[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				line[i] = fmt.Sprint(v)
			}
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// JSONL writes an object for each row, with all columns in their order; what is not known is null.
func (t *Table) JSONL(w io.Writer) error {
	columns, rows := t.data()
	out := bufio.NewWriter(w)
	for _, row := range rows {
		for i, c := range columns {
			separator := ","
			if i == 0 {
				separator = "{"
			}
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(row[i]); err != nil {
				return fmt.Errorf("column %s: %w", c.Key, err)
			}
			fmt.Fprintf(out, "%s%q:%s", separator, c.Key, bytes.TrimSpace(b.Bytes()))
		}
		out.WriteString("}\n") // Flush has its error
	}
	return out.Flush()
}

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
func (t *Table) Parquet(w io.Writer) error {
	types := map[Kind]reflect.Type{Text: reflect.TypeFor[*string](),
		Whole: reflect.TypeFor[*int64](), Real: reflect.TypeFor[*float64](),
		Truth: reflect.TypeFor[*bool]()}
	columns, rows := t.data()
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: types[c.Kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, c.Key))}
	}
	schema := parquet.NewSchema(t.Name,
		parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
	out := parquet.NewGenericWriter[any](w, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.CreatedBy("krdlab", "", ""))
	for _, row := range rows {
		values := make(parquet.Row, len(row))
		for i, v := range row {
			if v == nil {
				values[i] = parquet.NullValue().Level(0, 0, i)
				continue
			}
			values[i] = parquet.ValueOf(v).Level(0, 1, i)
		}
		if _, err := out.WriteRows([]parquet.Row{values}); err != nil {
			return err
		}
	}
	return out.Close()
}
