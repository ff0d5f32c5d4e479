package machine

import (
	"github.com/pelletier/go-toml/v2/unstable"
)

// A lineIndex has the line of each key and table of a TOML text, by path.
type lineIndex map[string]int

// lineTable finds the lines of a text that parses.
func lineTable(text []byte) lineIndex {
	lines := lineIndex{"": 1}
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = lines.keys(&p, "", e.Key())
		case unstable.KeyValue:
			lines.value(&p, table, e)
		}
	}
	return lines
}

// keys enters the keys of a dotted key under a path, and returns the path of the last.
func (l lineIndex) keys(p *unstable.Parser, path string, it unstable.Iterator) string {
	for it.Next() {
		n := it.Node()
		path = under(path, key(string(n.Data)))
		if l[path] == 0 {
			l[path] = p.Shape(n.Raw).Start.Line
		}
	}
	return path
}

func (l lineIndex) value(p *unstable.Parser, table string, e *unstable.Node) {
	path := l.keys(p, table, e.Key())
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for it := v.Children(); it.Next(); {
			if n := it.Node(); n.Kind == unstable.KeyValue {
				l.value(p, path, n)
			}
		}
	}
}

// of returns the line of a path, or of the nearest table around it that is there.
func (l lineIndex) of(path string) int {
	for {
		if line := l[path]; line != 0 {
			return line
		}
		path, _, _ = cutLast(path)
	}
}
