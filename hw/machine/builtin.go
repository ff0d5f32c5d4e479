package machine

import (
	"embed"
	"fmt"
	"slices"
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
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	slices.Sort(names) // files are sorted with their ".toml", which is another order
	return names
}

// ByName returns a machine that is built in, a new copy at each call. Error: [ErrNoSuchMachine],
// wrapped with the names that there are.
func ByName(name string) (*Machine, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w: %q; there are %s", ErrNoSuchMachine, name,
			strings.Join(Names(), ", "))
	}
	file := "machines/" + name + ".toml"
	text, err := builtin.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}
