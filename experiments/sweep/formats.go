package sweep

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteCSV writes the table with a header; what was not measured is empty (RFC 4180, lines end in
// LF).
func (t *Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = c.Name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range t.Rows {
		for i, v := range row {
			line[i] = ""
			switch v := v.(type) {
			case nil:
			case float64:
				line[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				line[i] = fmt.Sprint(v)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteJSONL writes an object for each row, with all columns in their order; what was not measured
// is null.
func (t *Table) WriteJSONL(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, row := range t.Rows {
		for i, v := range row {
			separator := ","
			if i == 0 {
				separator = "{"
			}
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			if err := e.Encode(v); err != nil {
				return fmt.Errorf("column %s: %w", t.Columns[i].Name, err)
			}
			fmt.Fprintf(out, "%s%q:%s", separator, t.Columns[i].Name, bytes.TrimSpace(b.Bytes()))
		}
		out.WriteString("}\n") // Flush has its error
	}
	return out.Flush()
}

// WriteParquet writes the table as Parquet, compressed by zstd; all columns are optional.
func (t *Table) WriteParquet(w io.Writer) error {
	types := map[Kind]reflect.Type{Text: reflect.TypeFor[*string](),
		Whole: reflect.TypeFor[*int64](), Real: reflect.TypeFor[*float64](),
		Truth: reflect.TypeFor[*bool]()}
	fields := make([]reflect.StructField, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: types[c.Kind],
			Tag: reflect.StructTag(fmt.Sprintf(`parquet:"%s,optional"`, c.Name))}
	}
	schema := parquet.NewSchema("repetition",
		parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
	out := parquet.NewGenericWriter[any](w, schema,
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}), parquet.CreatedBy("krdlab", "",
			""))
	for _, row := range t.Rows {
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
