package sweep

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/krd/doc"
)

// The tables of an experiment folder.
const (
	CSVFile     = "table.csv"
	JSONLFile   = "table.jsonl"
	ParquetFile = "table.parquet"
	BenchFile   = "bench.txt"
)

// Tables are the files that WriteTables writes.
var Tables = []string{CSVFile, JSONLFile, ParquetFile, BenchFile}

// mostHeld is of how many results WriteTables holds all.
const mostHeld = 2000

// A Collected is an experiment whose tables were written. One of more than 2000 results has no more
// of them than two of each machine, see [dataset.Scan].
type Collected struct {
	*dataset.Experiment
	Results, Rows int
}

// Whole reports whether all results are held.
func (c *Collected) Whole() bool { return c.Results <= mostHeld }

// WriteTables reads the experiment in dir and writes its tables into it, in place of those that are
// there. Processes that do so at the same time take turns, so that what is there in the end has
// everything that was finished. The experiment is returned. Errors: those of [Read]; a
// [*FolderError]; of writing. Cost: a pass over the results, a cell at a time; two where machines
// have other names together than alone, or parameters other values than planned.
func WriteTables(dir string) (*Collected, error) {
	plan, err := Read(dir) // before a lock is made in a folder that is something else
	if err != nil {
		return nil, err
	}
	lock, err := wait(filepath.Join(dir, tableLock), "tables of "+dir)
	if err != nil {
		return nil, err
	}
	defer lock.release()
	params, named := paramKinds{}, (func(*dataset.Cell))(nil)
	for i := range plan.Cells {
		if plan.Finished(dir, i) {
			params.learn(plan.Cells[i].Params)
		}
	}
	for {
		t, err := newTables(dir, params, named)
		if err != nil {
			return nil, err
		}
		c, err := t.scan(dir, plan)
		if err != nil {
			t.discard()
			return nil, err
		}
		if maps.Equal(t.found, params) && (named != nil || !t.renamed) {
			return c, t.commit()
		}
		t.discard()
		params, named = t.found, c.Rename
	}
}

// tables are those of an experiment while they are written.
type tables struct {
	columns []column
	found   paramKinds
	named   func(*dataset.Cell) // names the machine of a cell; nil: as its result does
	renamed bool                // machines have other names than in their results
	files   []*newFile          // by Tables
	rows    []doc.Rows          // CSV, JSONL and Parquet
	bench   *bench
}

func newTables(dir string, params paramKinds, named func(*dataset.Cell)) (*tables, error) {
	t := &tables{columns: columns(params), found: paramKinds{}, named: named}
	if err := t.open(dir); err != nil {
		t.discard()
		return nil, err
	}
	return t, nil
}

func (t *tables) open(dir string) (err error) {
	for _, name := range Tables {
		f, err := createFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		t.files = append(t.files, f)
	}
	of := tableOf(t.columns)
	for i, stream := range []func(io.Writer) (doc.Rows, error){of.StreamCSV, of.StreamJSONL, of.StreamParquet} {
		r, err := stream(t.files[i])
		if err != nil {
			return err
		}
		t.rows = append(t.rows, r)
	}
	t.bench, err = newBench(t.files[len(t.files)-1])
	return err
}

// scan writes the rows of all cells.
func (t *tables) scan(dir string, plan *Plan) (*Collected, error) {
	c := &Collected{}
	var held []dataset.Cell
	e, err := dataset.Scan(dir, plan.Cells, func(cells []dataset.Cell) error {
		for i := range cells {
			cell := &cells[i]
			t.found.learn(cell.Result.Params)
			if t.named != nil {
				t.named(cell)
			}
			rows := cell.Rows()
			c.Results, c.Rows = c.Results+1, c.Rows+len(rows)
			if c.Results <= mostHeld {
				held = append(held, *cell)
			} else {
				held = nil
			}
			if err := t.add(cell, rows); err != nil {
				return err
			}
		}
		return nil
	})
	c.Experiment = e
	t.renamed = slices.ContainsFunc(e.Cells,
		func(c dataset.Cell) bool { return c.MachineName() != c.Result.Machine.Name })
	if c.Results <= mostHeld {
		e.Cells = held
	}
	return c, err
}

// add writes the rows of a cell.
func (t *tables) add(c *dataset.Cell, rows []dataset.Row) error {
	for i := range rows {
		row := rowOf(t.columns, &rows[i])
		for i, out := range t.rows {
			if err := out.Add(row); err != nil {
				return fmt.Errorf("%s: %w", Tables[i], err)
			}
		}
	}
	if err := t.bench.add(c, rows); err != nil {
		return fmt.Errorf("%s: %w", BenchFile, err)
	}
	return nil
}

// commit puts the tables in place of those that are there.
func (t *tables) commit() error {
	var errs []error
	for _, r := range t.rows {
		errs = append(errs, r.Close())
	}
	if err := errors.Join(errs...); err != nil {
		t.discard()
		return err
	}
	for _, f := range t.files {
		errs = append(errs, f.commit())
	}
	return errors.Join(errs...)
}

func (t *tables) discard() {
	for _, f := range t.files {
		f.discard()
	}
}
