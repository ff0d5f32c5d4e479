// Package sweeps has the files of sweeps that are built in, for krdlab sweep NAME.
package sweeps

import (
	"embed"
	"path"
	"strings"
)

//go:embed *.toml
var files embed.FS

// Named returns the text of the file of that name; false where there is none.
func Named(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".toml")
	return text, err == nil
}

// Has reports whether there is one of that name.
func Has(name string) bool {
	_, ok := Named(name)
	return ok
}

// Names returns those of all, sorted.
func Names() (names []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	return names
}
