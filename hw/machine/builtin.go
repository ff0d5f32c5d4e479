package machine

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// Every machine that is built in is one file, whose name is that of the machine.
//
//go:embed machines/*.toml
var builtin embed.FS

// Names returns the names of the machines that are built in, sorted.
func Names() []string {
	files, err := builtin.ReadDir("machines")
	if err != nil {
		panic(err) // it is in the program
	}
	var names []string
	for _, f := range files { // sorted by name; "-" sorts before ".", so that names are too
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// ByName returns a machine that is built in, a new copy at each call. Error: [ErrNoSuchMachine], wrapped with the names that there are.
func ByName(name string) (*Machine, error) {
	file := path.Join("machines", name+".toml")
	text, err := builtin.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %q; there are %s", ErrNoSuchMachine, name, strings.Join(Names(), ", "))
	}
	return Parse(file, text)
}
