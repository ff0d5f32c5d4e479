package sweep

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"krdlab/experiments/run/dataset"
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

// WriteTables reads the experiment in dir and writes its tables into it, in place of those that are
// there. Processes that do so at the same time take turns, so that what is there in the end has
// everything that was finished. The experiment is returned. Errors: those of [Read] and
// dataset.Load; a [*FolderError]; of writing.
func WriteTables(dir string) (e *dataset.Experiment, err error) {
	if _, err := Read(dir); err != nil { // before a lock is made in a folder that is something else
		return nil, err
	}
	lock, err := wait(filepath.Join(dir, tableLock), "tables of "+dir)
	if err != nil {
		return nil, err
	}
	defer lock.release()
	if e, err = dataset.Load(dir); err != nil {
		return nil, err
	}
	return e, writeTables(dir, e)
}

func writeTables(dir string, e *dataset.Experiment) error {
	t := NewTable(e)
	for i, write := range []func(io.Writer) error{t.CSV, t.JSONL, t.Parquet,
		func(w io.Writer) error { return WriteBench(w, e) }} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("%s: %w", Tables[i], err)
		}
		if err := writeFile(filepath.Join(dir, Tables[i]), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
