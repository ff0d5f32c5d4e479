package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"krdlab/hw"
	"krdlab/hw/textfile"
)

// Kept returns the file in the user's cache folder with the caches that were measured, by computer.
func Kept() (path string, err error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "krdlab", "caches.json"), nil
}

// identity identifies the computer of t as well as the system allows.
func identity(t *hw.Topology) string {
	return fmt.Sprintf("%s, %d CPUs, %s", t.Name, len(t.CPUs), hw.ComputerID())
}

// ReadEdges returns what was kept of the computer of t in the file at path; nil where it has
// nothing. A file that cannot be read is an error.
func ReadEdges(path string, t *hw.Topology) (*Edges, error) {
	all, err := readKept(path)
	return all[identity(t)], err
}

func readKept(path string) (map[string]*Edges, error) {
	all := map[string]*Edges{}
	b, err := textfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		return map[string]*Edges{}, fmt.Errorf("measured caches: %s: %w; delete it to measure again",
			path, err)
	}
	return all, nil
}

// Keep writes e into the file at path, beside what it has of other computers. The file is whole at
// any time; of two processes that write at once, one may lose what the other has, which is measured
// again.
func (e *Edges) Keep(path string, t *hw.Topology) error {
	all, err := readKept(path)
	if err != nil {
		return err
	}
	all[identity(t)] = e
	b, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "caches-") // another process may write too
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Of returns t with the sizes of e where t has none; those that are told stay. Walks show neither
// ways nor lines: 8 ways and 64 B are assumed.
func (e *Edges) Of(t *hw.Topology) *hw.Topology {
	known := t.Machine()
	var c hw.Caches
	cache := func(bytes uint64, k hw.Known, into *hw.Cache) {
		if k != hw.Told {
			*into = hw.Cache{Bytes: hw.Size(bytes), Ways: 8, LineBytes: 64, Known: hw.Measured}
		}
	}
	cache(e.L1dBytes, known.CachesKnown.L1d, &c.L1d)
	cache(e.L2Bytes, known.CachesKnown.L2, &c.L2)
	cache(e.LLCBytes, known.CachesKnown.LLC, &c.LLC)
	if c.LLC.Bytes > 0 {
		c.Cores = e.Cores
	}
	return t.WithCaches(c)
}
