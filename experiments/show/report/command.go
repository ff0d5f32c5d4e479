package report

import (
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
)

// commands returns what was typed to make the experiment, each command once, ready for a shell.
func commands(e *dataset.Experiment) (list []string) {
	if e.Info != nil && len(e.Info.Argv) > 0 {
		return []string{result.Shell(e.Info.Argv)}
	}
	for _, m := range manifests(e) {
		if line := result.Shell(m.Argv); line != "" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}
