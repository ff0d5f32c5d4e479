package textfile

import (
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A Key is a key of a TOML text, or the header of a table.
type Key struct {
	Kind  unstable.Kind // Table, ArrayTable or KeyValue
	Table []string      // that a KeyValue is in
	Names []string      // the key's parts, which dots part
	Line  int
}

// TOML decodes a text. keys are in the order of the text, those within inline tables too. The error
// is an [*Error] without a file.
func TOML(text []byte) (tree map[string]any, keys []Key, err error) {
	if text, err = UTF8(text); err != nil {
		return nil, nil, err
	}
	// which finds what a parser of expressions does not: a key that is there twice
	if err := toml.Unmarshal(text, &tree); err != nil {
		line := 1
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = d.Position()
		}
		return nil, nil, &Error{Line: line, Found: strings.TrimPrefix(err.Error(), "toml: "),
			Want: "TOML"}
	}
	var p unstable.Parser
	p.Reset(text)
	var add func(table []string, e *unstable.Node) []string
	add = func(table []string, e *unstable.Node) []string {
		k := Key{Kind: e.Kind, Table: table}
		for it := e.Key(); it.Next(); {
			k.Names = append(k.Names, string(it.Node().Data))
			k.Line = p.Shape(it.Node().Raw).Start.Line
		}
		keys = append(keys, k)
		path := append(table[:len(table):len(table)], k.Names...)
		if e.Kind == unstable.KeyValue && e.Value().Kind == unstable.InlineTable {
			for it := e.Value().Children(); it.Next(); {
				if it.Node().Kind == unstable.KeyValue {
					add(path, it.Node())
				}
			}
		}
		return path
	}
	var table []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = add(nil, e)
		case unstable.KeyValue:
			add(table, e)
		}
	}
	return tree, keys, nil
}
