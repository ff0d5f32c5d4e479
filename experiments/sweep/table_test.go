package sweep_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/perf/benchfmt"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
)

var update = flag.Bool("update", false, "write the golden files anew")

// small is the made experiment; a misses count and the KRD of its first repetition are unknown.
func small() *doc.Table {
	e := datasettest.Small()
	p := &e.Cells[0].Result.Repetitions[0]
	p.KRD, p.LLCMissesPerCore, p.WorkNS = nil, result.Number{}, nil
	return sweep.NewTable(e)
}

// The header and some rows are as they were: columns may be added, never renamed.
func TestTableGolden(t *testing.T) {
	table := small()
	table.Rows = append(table.Rows[:2:2], table.Rows[len(table.Rows)-1])
	var b bytes.Buffer
	if err := table.CSV(&b); err != nil {
		t.Fatal(err)
	}
	var bench bytes.Buffer
	if err := sweep.WriteBench(&bench, datasettest.Small()); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(bench.String(), "\n")
	for name, got := range map[string]string{"table.golden": b.String(),
		"bench.golden": strings.Join(append(lines[:12:12], lines[len(lines)-2]), "")} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.MkdirAll("testdata", 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s, expected\n%s", name, got, want)
		}
	}
}

// All three formats hold the same values, and nothing where nothing was measured.
func TestFormatsAgree(t *testing.T) {
	table := small()
	var c, j, p bytes.Buffer
	for _, err := range []error{table.CSV(&c), table.JSONL(&j), table.Parquet(&p)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	lines, err := csv.NewReader(&c).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(p.Bytes()), int64(p.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var rows []parquet.Row
	for _, group := range f.RowGroups() {
		r := group.Rows()
		buf := make([]parquet.Row, 1000)
		n, _ := r.ReadRows(buf)
		for _, row := range buf[:n] {
			rows = append(rows, row.Clone())
		}
		r.Close()
	}
	objects := strings.Split(strings.TrimSpace(j.String()), "\n")
	if len(lines) != len(table.Rows)+1 || len(rows) != len(table.Rows) ||
		len(objects) != len(table.Rows) || len(table.Rows) == 0 {
		t.Fatalf("%d lines of CSV, %d rows of Parquet, %d of JSON, expected %d", len(lines)-1,
			len(rows), len(objects), len(table.Rows))
	}
	nulls := 0
	for n, row := range table.Rows {
		d := json.NewDecoder(strings.NewReader(objects[n]))
		d.UseNumber()
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		for i, column := range table.Columns {
			if lines[0][i] != column.Key || f.Schema().Fields()[i].Name() != column.Key {
				t.Fatalf("column %d is %s in CSV, %s in Parquet, expected %s", i, lines[0][i],
					f.Schema().Fields()[i].Name(), column.Key)
			}
			inJSON, ok := object[column.Key]
			if !ok {
				t.Fatalf("row %d has no %s in JSON", n, column.Key)
			}
			cell := doc.Data(row[i])
			if cell == nil {
				nulls++
				if lines[n+1][i] != "" || inJSON != nil || !rows[n][i].IsNull() {
					t.Errorf("row %d, %s, not measured: %q in CSV, %v in JSON, %v in Parquet", n,
						column.Key, lines[n+1][i], inJSON, rows[n][i])
				}
				continue
			}
			texts := []string{lines[n+1][i], fmt.Sprint(inJSON), rows[n][i].String()}
			for _, text := range texts {
				want := fmt.Sprint(cell)
				if x, isReal := cell.(float64); isReal {
					var y float64
					if _, err := fmt.Sscan(text, &y); err != nil || x != y {
						t.Errorf("row %d, %s: %q, expected %v", n, column.Key, texts, x)
					}
				} else if text != want {
					t.Errorf("row %d, %s: %q, expected %s", n, column.Key, texts, want)
				}
			}
		}
	}
	if nulls == 0 {
		t.Error("nothing was unmeasured")
	}
}

// benchstat's reader understands every line, and finds the values that the table has.
func TestBenchFormat(t *testing.T) {
	e := datasettest.Small()
	var b bytes.Buffer
	if err := sweep.WriteBench(&b, e); err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(&b, "bench.txt")
	rows, n := e.Rows(), 0
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		case *benchfmt.Result:
			row := &rows[n]
			n++
			_, parts := rec.Name.Parts()
			want := fmt.Sprintf("[/n=512 /leaf=32x32x64 /layout=tiled /isa=auto /inputs=integers "+
				"/seed=1 /sched=%s /cores=%d]", row.Cell.Result.Scheduler, row.Cell.Result.Cores)
			if string(rec.Name.Base()) != "Matmul" || fmt.Sprintf("%s", parts) != want {
				t.Fatalf("line %d: %s, expected %s", n, rec.Name, want)
			}
			for unit, want := range map[string]float64{"speedup": row.Speedup.Float(),
				"ovr": row.OVR.Float(), "wti": row.WTI.Float(),
				"llc-misses/core": row.LLCMissesPerCore.Float()} {
				if got, ok := rec.Value(unit); !ok || got != want {
					t.Errorf("line %d: %v %s, expected %v", n, got, unit, want)
				}
			}
			if got, ok := rec.Value("sec/op"); !ok || got/row.TimeNS.Float()*1e9-1 > 1e-12 ||
				got/row.TimeNS.Float()*1e9-1 < -1e-12 {
				t.Errorf("line %d: %v s, expected %v ns", n, got, row.TimeNS.Float())
			}
			if rec.GetConfig("substrate") != "simulated" ||
				rec.GetConfig("llc-source") != "model" || rec.GetConfig("machine") != "made-4s" {
				t.Errorf("line %d: configuration %v", n, rec.Config)
			}
		}
	}
	if err := r.Err(); err != nil || n != len(rows) {
		t.Errorf("%d of %d lines, %v", n, len(rows), err)
	}
	if better := r.Units().GetBetter("speedup"); better != 1 {
		t.Errorf("better speed-up is %d, expected more", better)
	}
}

// The tables that WriteTables writes a cell at a time are those of the whole experiment in memory; also
// where a parameter is not of the plan's kind and machines of one name are told apart, which it sees
// only after a first pass, and where more results are there than it holds.
func TestWriteTables(t *testing.T) {
	m := *paper(t)
	m.Name = datasettest.Small().Plan[0].Machine
	a, b := datasettest.Place{Computer: "a"}, datasettest.Place{Computer: "b"}
	many := datasettest.Small()
	schedulers := len(many.Plan[0].Schedulers)
	for i := len(many.Plan); len(many.Cells) <= 2000; i++ {
		cell := many.Plan[0]
		cell.Index, cell.Seed, cell.ID = i, uint64(i), fmt.Sprint(i)
		many.Plan = append(many.Plan, cell)
		for _, c := range many.Cells[:schedulers] {
			r := *c.Result
			r.Seed, c.ID, c.Result = cell.Seed, cell.ID, &r
			many.Cells = append(many.Cells, c)
		}
	}
	for name, e := range map[string]*dataset.Experiment{"simulated": datasettest.Small(),
		"two computers": datasettest.NativeAt(2, a, b, a, b), "many": many} {
		dir := filepath.Join(t.TempDir(), "exp")
		if err := datasettest.Write(e, dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, dataset.MachinesDir), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, dataset.MachinesDir, m.Name+".toml"))
		if err == nil {
			err = errors.Join(m.Write(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := dataset.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sweep.WriteTables(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got.Results != len(want.Cells) || got.Rows != len(want.Rows()) ||
			!slices.Equal(got.Notes, want.Notes) || got.Whole() != (e != many) ||
			got.Whole() != (len(got.Cells) == len(want.Cells)) || len(got.Cells) == 0 {
			t.Errorf("%s: %d results, %d rows, notes %q; expected %d, %d, %q", name, got.Results, got.Rows,
				got.Notes, len(want.Cells), len(want.Rows()), want.Notes)
		}
		for i := range got.Cells {
			if a, b := got.Cells[i].MachineName(), want.Cells[i].MachineName(); a != b {
				t.Errorf("%s: cell %d is of %q, expected %q", name, i, a, b)
			}
		}
		table := sweep.NewTable(want)
		for i, write := range []func(io.Writer) error{table.CSV, table.JSONL, table.Parquet,
			func(w io.Writer) error { return sweep.WriteBench(w, want) }} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(filepath.Join(dir, sweep.Tables[i]))
			if err != nil || !bytes.Equal(b.Bytes(), file) || len(file) == 0 {
				t.Errorf("%s: %s has %d bytes, expected the %d of the whole, %v", name, sweep.Tables[i],
					len(file), b.Len(), err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
}
