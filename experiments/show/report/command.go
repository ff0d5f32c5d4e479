package report

import (
	"regexp"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
)

// commands returns what was typed to make the experiment, each command once, ready for a shell.
func commands(e *dataset.Experiment) (list []string) {
	if e.Info != nil && len(e.Info.Argv) > 0 {
		return []string{shell(e.Info.Argv)}
	}
	for _, m := range manifests(e) {
		if line := shell(m.Argv); line != "" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

var harmless = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// shell quotes words as a POSIX shell reads them. The first is krdlab, however it was called.
func shell(argv []string) string {
	words := slices.Clone(argv)
	for i, w := range words {
		if i == 0 {
			w = "krdlab"
		}
		if !harmless.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
