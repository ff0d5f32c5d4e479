package goprogram

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"

	"krdlab/krd"
)

// A SourceLine is a line of the program and its accesses.
type SourceLine struct {
	File     string `json:"file"` // absolute path
	Line     int    `json:"line"`
	Function string `json:"function"`
	Text     string `json:"text"` // "": the file cannot be read
	Part
}

// lines returns the lines that make the accesses of groups, by file and number.
func (a *analysis) lines(groups []krd.GroupHistogram) []SourceLine {
	type key struct {
		file string
		line int
	}
	at, functions := map[string]key{}, map[string]string{}
	var all sums
	for i := range groups {
		s := &a.sites[a.reader.Groups[groups[i].Group].Site-1]
		name := fmt.Sprintf("%s:%d", s.File, s.Line)
		if functions[name] == "" {
			at[name], functions[name] = key{s.File, s.Line}, s.Function
		}
		all.add(name, &groups[i])
	}
	sources := map[string][][]byte{}
	var list []SourceLine
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k := at[name]
		text, ok := sources[k.file]
		if !ok {
			if b, err := os.ReadFile(k.file); err == nil {
				text = bytes.Split(b, []byte("\n"))
			}
			sources[k.file] = text
		}
		l := SourceLine{File: k.file, Line: k.line, Function: functions[name], Part: *all[name]}
		if k.line <= len(text) {
			l.Text = string(bytes.TrimRight(text[k.line-1], " \t\r"))
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(x, y SourceLine) int {
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
	return list
}
