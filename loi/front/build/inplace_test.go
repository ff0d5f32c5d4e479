package build_test

import (
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

// inPlace are packages of the standard library whose own tests are run with the package rewritten
// where it is.
var inPlace = []string{"container/list", "encoding/csv", "encoding/json", "bufio", "bytes",
	"compress/flate", "container/ring", "context", "encoding/base64",
	"encoding/binary", "encoding/gob", "encoding/hex", "encoding/xml", "errors", "fmt",
	"go/parser", "go/scanner", "go/token", "html/template", "io", "iter", "maps", "math/big",
	"math/rand", "os/exec", "path/filepath", "reflect", "regexp", "regexp/syntax", "slices", "sort",
	"strconv", "strings", "text/tabwriter", "text/template", "text/template/parse", "unicode/utf8", "unique"}

// TestStandardInPlace runs the own tests of packages of the standard library as they are and with
// the package rewritten.
func TestStandardInPlace(t *testing.T) {
	dir := corpus.Lay(t, "nothing", map[string][]byte{
		"go.mod": []byte("module nothing\n\ngo 1.26\n")})
	for _, p := range inPlace[:long.Or(1, len(inPlace))] {
		t.Run(p, func(t *testing.T) {
			for name, how := range some("all") {
				b := passing(t, dir, build.Request{Path: p, Test: true,
					Include: []string{build.Standard + p}, Options: how})
				if len(b.Files) == 0 || !slices.Equal(b.Packages, []string{p}) {
					t.Errorf("%s: %d files of %v", name, len(b.Files), b.Packages)
				}
				as, rewritten := ownTests(t, built.Plain(b), b.Folder), ownTests(t, b.Binary, b.Folder)
				if len(as) < 3 {
					t.Errorf("%s: only %q", name, as)
				}
				for i := range max(len(as), len(rewritten)) {
					if i >= len(as) || i >= len(rewritten) || as[i] != rewritten[i] {
						t.Errorf("%s: as it is, and rewritten:\n%q\n%q", name, as[min(i, len(as)):min(i+3,
							len(as))], rewritten[min(i, len(rewritten)):min(i+3, len(rewritten))])
						break
					}
				}
			}
		})
	}
}

// elapsed is the time that a test took, in what it prints.
var elapsed = regexp.MustCompile(`\(?[0-9.]+s\)?`)

// ownTests returns the results of a program of tests in a folder, without times and addresses, and
// how it ended.
func ownTests(t *testing.T, program, folder string) (lines []string) {
	t.Helper()
	c := exec.Command(program, "-test.v", "-test.short")
	c.Dir = folder
	text, err := c.CombinedOutput()
	if x := (*exec.ExitError)(nil); err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if word := strings.TrimSpace(line); strings.HasPrefix(word, "--- ") ||
			strings.HasPrefix(word, "panic") {
			word = elapsed.ReplaceAllString(word, "")
			lines = append(lines, numbers.ReplaceAllString(word, ""))
		}
	}
	slices.Sort(lines) // tests may run in parallel
	return append(lines, c.ProcessState.String())
}

// TestEscapesInPlace asks the compiler what it puts on the heap and what it inlines in packages of
// the standard library: as for the main module's, rewriting changes neither.
func TestEscapesInPlace(t *testing.T) {
	dir := corpus.Lay(t, "escapes", map[string][]byte{"main.go": []byte(allMethods),
		"go.mod": []byte("module example.org/escapes\n\ngo 1.26\n")})
	list := []string{"encoding/csv", "text/tabwriter", "bufio", "container/list"}
	var as, flags []string
	for _, p := range list {
		as = append(as, "-gcflags="+p+"=-m")
	}
	b := entire(t, built.Of(t, dir, build.Request{Path: ".", Include: []string{
		"std:encoding/csv", "std:text/...", "std:bufio", "std:container/list"}}))
	for _, p := range list {
		flags = append(flags, "-gcflags="+p+"="+build.FlagsOf(b)+" -m")
	}
	sizeless := func(lines map[string]bool) map[string]bool { // a length has another text
		all := map[string]bool{}
		for line := range lines {
			all[madeOfSize.ReplaceAllString(line, "make(...)")] = true
		}
		return all
	}
	before := sizeless(escapes(t, dir, append(as, ".")...))
	after := sizeless(escapes(t, dir, append(flags, "-overlay", build.OverlayOf(b), ".")...))
	if len(before) < 100 {
		t.Fatalf("only %d lines", len(before))
	}
	for line := range before {
		if !after[line] {
			t.Errorf("%s: not when rewritten", line)
		}
	}
	for line := range after {
		if !before[line] {
			t.Errorf("%s: only when rewritten", line)
		}
	}
}

var madeOfSize = regexp.MustCompile(`make\(.*\)`)

// allMethods is a program that has all methods of some types: only of what it has is known what is
// inlined in it.
const allMethods = `package main

import (
	"bufio"
	"container/list"
	"encoding/csv"
	"fmt"
	"reflect"
	"text/tabwriter"
)

func main() {
	for _, x := range []any{bufio.NewReader(nil), bufio.NewWriter(nil), bufio.NewScanner(nil),
		bufio.ReadWriter{}, list.New(), list.New().PushBack(1), csv.NewReader(nil),
		csv.NewWriter(nil), &csv.ParseError{}, tabwriter.NewWriter(nil, 1, 1, 1, ' ', 0)} {
		for i := range reflect.ValueOf(x).NumMethod() {
			fmt.Println(reflect.ValueOf(x).Method(i))
		}
	}
	fmt.Println(bufio.ScanBytes, bufio.ScanLines, bufio.ScanRunes, bufio.ScanWords)
}
`
