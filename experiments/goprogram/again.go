package goprogram

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
)

// readCommand reads what was typed to make the document; without a manifest it stays unknown.
func (d *Document) readCommand() {
	var m struct{ Argv []string }
	text, err := os.ReadFile(filepath.Join(d.Dir, result.ManifestFile))
	if err == nil && json.Unmarshal(text, &m) == nil {
		d.argv = m.Argv
	}
}

// again returns the command that was typed, without the folder, which must not exist.
func (d *Document) again() string {
	argv := slices.Clone(d.argv)
	if len(argv) == 0 { // there is no manifest
		argv = append(strings.Fields("krdlab go"), d.Package)
		if len(d.Args) > 0 {
			argv = append(append(argv, "--"), d.Args...)
		}
	}
	for i, w := range argv {
		switch {
		case w == "--":
			return result.Shell(argv)
		case w == "--dir":
			return result.Shell(slices.Delete(argv, i, min(i+2, len(argv))))
		case strings.HasPrefix(w, "--dir="):
			return result.Shell(slices.Delete(argv, i, i+1))
		}
	}
	return result.Shell(argv)
}
