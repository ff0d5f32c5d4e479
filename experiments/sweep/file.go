package sweep

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"krdlab/hw/failure"
	"krdlab/hw/textfile"
)

// A File holds the requests of a TOML file: settings that hold for every kernel, and a table for
// each kernel. docs/sweeps.md has the format.
type File struct {
	Path    string
	Common  []Setting
	Kernels []FileKernel
}

// A FileKernel is the table [kernel.NAME] of a file.
type FileKernel struct {
	Name     string
	Line     int
	Settings []Setting
}

// A Setting is a key with its values: one, or those of an array.
type Setting struct {
	Key    string
	Line   int
	Values []string
}

// A FileError is something in a file that is not as it should be.
type FileError struct {
	Path  string
	Line  int
	Field string // "" where the text is no TOML
	Err   error
}

func (e *FileError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s: %v", e.Path, e.Line, e.Field, e.Err)
}

// Class implements [failure.Classed].
func (*FileError) Class() failure.Class { return failure.Request }

func (e *FileError) Unwrap() error { return e.Err }

// ReadFile reads the file path. The caller interprets and checks the keys. Errors: a [*FileError],
// or that the file cannot be read.
func ReadFile(path string) (*File, error) {
	text, err := textfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseFile(path, text)
}

// ParseFile does as ReadFile for a text.
func ParseFile(path string, text []byte) (*File, error) {
	tree, keys, err := textfile.TOML(text)
	if e, ok := errors.AsType[*textfile.Error](err); ok {
		return nil, &FileError{path, e.Line, "", e}
	}
	f := &File{Path: path}
	settings, table := &f.Common, tree
	for _, k := range keys {
		bad := func(format string, args ...any) error {
			return &FileError{path, k.Line, strings.Join(k.Names, "."), fmt.Errorf(format, args...)}
		}
		switch {
		case k.Kind == unstable.ArrayTable:
			return nil, bad("tables in double brackets have no meaning here; write [kernel.NAME]")
		case k.Kind == unstable.Table && (len(k.Names) != 2 || k.Names[0] != "kernel"):
			return nil, bad("there is no such table; name one for each kernel, such as " +
				"[kernel.matmul]")
		case k.Kind == unstable.Table:
			name := k.Names[1]
			f.Kernels = append(f.Kernels, FileKernel{Name: name, Line: k.Line})
			settings = &f.Kernels[len(f.Kernels)-1].Settings
			table = tree["kernel"].(map[string]any)[name].(map[string]any)
		case len(k.Names) != 1:
			return nil, bad("keys with dots have no meaning here; write [kernel.NAME] above the " +
				"settings of a kernel")
		default:
			values, err := valuesOf(table[k.Names[0]])
			if err != nil {
				return nil, bad("%w", err)
			}
			*settings = append(*settings, Setting{k.Names[0], k.Line, values})
		}
	}
	if len(f.Kernels) == 0 {
		return nil, &FileError{path, 1, "kernel", errors.New("no kernel is named; write a table " +
			"such as [kernel.matmul], which may be empty")}
	}
	return f, nil
}

// valuesOf returns a value as the command line would have it, or those of an array.
func valuesOf(v any) (values []string, err error) {
	found := "a date or a time"
	switch v := v.(type) {
	case string, bool, int64, float64:
		return []string{fmt.Sprint(v)}, nil
	case []any:
		for _, v := range v {
			if _, ok := v.([]any); ok {
				return nil, errors.New("found an array within an array, expected a text, a " +
					"number, true or false")
			}
			one, err := valuesOf(v)
			if err != nil {
				return nil, err
			}
			values = append(values, one...)
		}
		if len(values) == 0 {
			return nil, errors.New("found an empty array, expected at least one value")
		}
		return values, nil
	case map[string]any:
		found = "a table"
	}
	return nil, fmt.Errorf("found %s, expected a text, a number, true, false, or an array of them",
		found)
}
