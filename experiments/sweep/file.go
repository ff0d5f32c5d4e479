package sweep

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"krdlab/hw/failure"
	"krdlab/hw/textfile"
)

// A File is what a TOML file asks for: settings that hold for every kernel, and a table for each
// kernel. docs/sweeps.md has the format.
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

// ReadFile reads the file path. What the keys mean, and whether there are such keys, is for the
// caller to say. Errors: a [*FileError], or that the file cannot be read.
func ReadFile(path string) (*File, error) {
	text, err := textfile.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseFile(path, text)
}

// ParseFile is ReadFile of a text.
func ParseFile(path string, text []byte) (*File, error) {
	text, err := textfile.UTF8(text)
	if e, ok := errors.AsType[*textfile.Error](err); ok {
		return nil, &FileError{path, e.Line, "", e}
	}
	var tree map[string]any
	// which finds what a parser of expressions does not: a key that is there twice
	if err := toml.Unmarshal(text, &tree); err != nil {
		line := 1
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = d.Position()
		}
		return nil, &FileError{path, line, "",
			errors.New(strings.TrimPrefix(err.Error(), "toml: "))}
	}
	f := &File{Path: path}
	var p unstable.Parser
	p.Reset(text)
	settings := &f.Common
	for p.NextExpression() {
		e := p.Expression()
		keys, line := keysOf(&p, e)
		bad := func(format string, args ...any) error {
			return &FileError{path, line, strings.Join(keys, "."), fmt.Errorf(format, args...)}
		}
		switch e.Kind {
		case unstable.Table:
			if len(keys) != 2 || keys[0] != "kernel" {
				return nil, bad("there is no such table; name one for each kernel, such as " +
					"[kernel.matmul]")
			}
			f.Kernels = append(f.Kernels, FileKernel{Name: keys[1], Line: line})
			settings = &f.Kernels[len(f.Kernels)-1].Settings
		case unstable.ArrayTable:
			return nil, bad("tables in double brackets have no meaning here; write [kernel.NAME]")
		case unstable.KeyValue:
			if len(keys) != 1 {
				return nil, bad("keys with dots have no meaning here; write [kernel.NAME] above " +
					"the settings of a kernel")
			}
			values, err := valuesOf(e.Value())
			if err != nil {
				return nil, bad("%w", err)
			}
			*settings = append(*settings, Setting{keys[0], line, values})
		}
	}
	if len(f.Kernels) == 0 {
		return nil, &FileError{path, 1, "kernel", errors.New("no kernel is named; write a table " +
			"such as [kernel.matmul], which may be empty")}
	}
	return f, nil
}

func keysOf(p *unstable.Parser, e *unstable.Node) (keys []string, line int) {
	if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable && e.Kind != unstable.KeyValue {
		return nil, 0
	}
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = p.Shape(it.Node().Raw).Start.Line
		}
		keys = append(keys, string(it.Node().Data))
	}
	return keys, line
}

// valuesOf returns a value as the command line would have it, or those of an array.
func valuesOf(v *unstable.Node) ([]string, error) {
	switch v.Kind {
	case unstable.String, unstable.Bool:
		return []string{string(v.Data)}, nil
	case unstable.Integer, unstable.Float:
		return []string{strings.ReplaceAll(strings.TrimPrefix(string(v.Data), "+"), "_", "")}, nil
	case unstable.Array:
		var values []string
		for it := v.Children(); it.Next(); {
			one, err := valuesOf(it.Node())
			if err != nil {
				return nil, err
			}
			if it.Node().Kind == unstable.Array {
				return nil, errors.New("found an array within an array, expected a text, a " +
					"number, true or false")
			}
			values = append(values, one...)
		}
		if len(values) == 0 {
			return nil, errors.New("found an empty array, expected at least one value")
		}
		return values, nil
	}
	found := "a date or a time"
	if v.Kind == unstable.InlineTable {
		found = "a table"
	}
	return nil, fmt.Errorf("found %s, expected a text, a number, true, false, or an array of them",
		found)
}
