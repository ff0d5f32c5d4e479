package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"krdlab/experiments/run/result"
)

// Latest returns the folders in dir of the n experiments and runs that were planned, or
// finished, last, the newest at the end: fewer where there are fewer, none where there is no such folder. With
// runs, those of experiments are left out.
func Latest(dir string, n int, runs bool) []string {
	type folder struct {
		path string
		at   time.Time
	}
	var found []folder
	entries, _ := os.ReadDir(dir) // what cannot be read has none
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(path, PartialSuffix) {
			continue
		}
		for _, written := range []string{PlanFile, result.ManifestFile} { // and not changed later
			if runs && written == PlanFile {
				continue
			}
			if info, err := os.Stat(filepath.Join(path, written)); err == nil {
				found = append(found, folder{path, info.ModTime()})
				break
			}
		}
	}
	slices.SortStableFunc(found, func(x, y folder) int { return x.at.Compare(y.at) })
	var paths []string
	for _, f := range found[max(0, len(found)-n):] {
		paths = append(paths, f.path)
	}
	return paths
}
