package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
)

// Merge makes a new experiment folder out of those in dirs, which stay as they are: run directories
// are linked, or copied where the file system cannot. A cell that several of them planned alike is
// there once if it is simulated, since it is then the same everywhere; of a native one each
// measurement is kept. A cell that nobody finished stays in the plan, with why it failed.
//
// Errors: result.ErrExists for out; [*DataError]; those of the file system.
func Merge(ctx context.Context, dirs []string, out string, info dataset.Info) error {
	if exists(out) {
		return fmt.Errorf("%s: %w; choose another --out", out, result.ErrExists)
	}
	merged := &Plan{Machines: map[string]*machine.Machine{}}
	var from []string // by cell: where it is, without suffix
	var used []bool   // by cell: it is finished there, and can be used
	index := map[string]int{}
	for _, dir := range dirs {
		p, err := Read(dir)
		if err != nil {
			return err
		}
		for _, c := range p.Cells {
			path := filepath.Join(dir, dataset.CellsDir, c.ID)
			isDone := exists(path)
			isUsed := isDone && c.Unused(dir, p.Machines[c.Machine]) == nil
			if c.Machine != dataset.Native {
				c.Machine = merged.nameOf(p.Machines[c.Machine])
			}
			what := identity(c)
			if n, there := index[what]; there {
				simulated, done := c.Machine != dataset.Native, exists(from[n])
				if isDone && !done || simulated && isUsed && !used[n] {
					from[n], used[n] = path, isUsed
				}
				if !isDone || !done || simulated {
					continue
				}
			}
			c.Index = len(merged.Cells)
			c.ID = idOf(c)
			index[what] = c.Index
			merged.Cells, from = append(merged.Cells, c), append(from, path)
			used = append(used, isUsed)
		}
		info.Merge(filepath.Base(filepath.Clean(dir)))
	}
	tmp := out + dataset.PartialSuffix
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return err
	}
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return fmt.Errorf("%w; remove it if no other merge is making it", err)
	}
	defer os.RemoveAll(tmp)
	if err := merged.write(tmp, info); err != nil {
		return err
	}
	for i, path := range from {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		to := filepath.Join(tmp, dataset.CellsDir, merged.Cells[i].ID)
		var err error
		if exists(path) {
			err = linkTree(path, to)
		} else if exists(path + dataset.FailedSuffix) {
			f := readFailure(path+dataset.FailedSuffix, "")
			f.ID = merged.Cells[i].ID
			err = writeJSON(to+dataset.FailedSuffix, f)
		}
		if err != nil {
			return fmt.Errorf("cell %s: %w", path, err)
		}
	}
	if err := os.Rename(tmp, out); err != nil {
		return err
	}
	return syncPath(filepath.Dir(out))
}

// linkTree makes a folder to with the files of from. They are never written again, so that links
// will do.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.Mkdir(target, 0o777)
		case !e.Type().IsRegular():
			return nil
		case os.Link(path, target) == nil:
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Sync(), f.Close())
}
