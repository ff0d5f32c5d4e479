package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"krdlab/experiments/run/result"
	"krdlab/hw/failure"
)

// Latest returns the folders in dir of the n experiments and runs that were planned, or finished,
// last and fit, the newest at the end: fewer where there are fewer, none where there is no such
// folder. Skipped are the newer ones that do not fit, the newest first.
func Latest(dir string, n int, fits func(path string) error) (latest, skipped []string) {
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
			if info, err := os.Stat(filepath.Join(path, written)); err == nil {
				found = append(found, folder{path, info.ModTime()})
				break
			}
		}
	}
	slices.SortStableFunc(found, func(x, y folder) int { return x.at.Compare(y.at) })
	for _, f := range slices.Backward(found) {
		if len(latest) == n {
			break
		}
		if fits(f.path) != nil {
			skipped = append(skipped, f.path)
			continue
		}
		latest = append(latest, f.path)
	}
	slices.Reverse(latest)
	return latest, skipped
}

// HasResults returns an error unless dir is an experiment, or a run with results.
func HasResults(dir string) error {
	if exists(filepath.Join(dir, PlanFile)) || exists(filepath.Join(dir, result.ResultFile)) {
		return nil
	}
	return failure.Errorf(failure.Data, "%s: no results of krdlab run or sweep", dir)
}
