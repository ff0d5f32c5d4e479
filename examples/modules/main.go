// Command modules runs one of three libraries that others wrote on data that it makes, and checks
// the result: flate compresses text and back (klauspost/compress), toml writes a document and reads
// it (pelletier/go-toml), table renders a table, whose numbers are read back (jedib0t/go-pretty).
//
//	go run ./examples/modules flate -n 1000000
//
// It is a program as anybody writes one, for krdlab's front end of Go programs to be tried on with
// the packages of other modules; nothing in it refers to krdlab.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/klauspost/compress/flate"
	"github.com/pelletier/go-toml/v2"
)

// A job is one of the three; n is the size, do returns what to print, and an error if the result is
// wrong.
type job struct {
	name, of string
	n        int
	do       func(n int) (string, error)
}

var jobs = []job{
	{"flate", "bytes of text", 100_000, deflate},
	{"toml", "tables of the document", 200, document},
	{"table", "rows", 200, render},
}

func main() {
	text, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
	fmt.Println(text)
}

func run(args []string) (string, error) {
	for _, j := range jobs {
		if len(args) == 0 || args[0] != j.name {
			continue
		}
		f := flag.NewFlagSet(j.name, flag.ContinueOnError)
		n := f.Int("n", j.n, j.of)
		if err := f.Parse(args[1:]); err != nil {
			return "", err
		}
		if f.NArg() > 0 {
			return "", fmt.Errorf("%q is no flag", f.Arg(0))
		}
		if *n < 1 {
			return "", errors.New("-n must be at least 1")
		}
		text, err := j.do(*n)
		if err != nil {
			return "", fmt.Errorf("%s: %w", j.name, err)
		}
		return fmt.Sprintf("%s: n %d: %s", j.name, *n, text), nil
	}
	return "", errors.New("expected flate, toml or table, then flags (-h lists them)")
}

// A random is a linear congruential generator (Knuth's MMIX).
type random uint64

// below returns a number from 0 to n - 1.
func (r *random) below(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r) >> 33 % uint64(n))
}

// seed is where the generators begin.
const seed = 113

// words are the words of texts; those at the front are more frequent.
var words = strings.Fields("the of and to in a is that for it as was with be by on not he his " +
	"but at are this have from which one all were when there can an your their said if do will each " +
	"about " +
	"how up out them then she many some so these would other into has more her two like him see time")

// word returns one of words.
func (r *random) word() string { return words[r.below(1+r.below(len(words)))] }

// text makes n bytes.
func text(n int) []byte {
	r := random(seed)
	var b bytes.Buffer
	for b.Len() < n {
		b.WriteString(r.word())
		b.WriteByte(" \n"[r.below(12)/11])
	}
	return b.Bytes()[:n]
}

// deflate compresses n bytes of text and back.
func deflate(n int) (string, error) {
	in := text(n)
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(in); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	bytesOut := packed.Len()
	out, err := io.ReadAll(flate.NewReader(&packed))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes compressed", bytesOut), same(in, out)
}

// errWrong is that of a result which is not what it was made from.
var errWrong = errors.New("the result is wrong")

func same(in, out any) error {
	if !reflect.DeepEqual(in, out) {
		return errWrong
	}
	return nil
}

// A record is a table of the document.
type record struct {
	Name   string             `toml:"name"`
	Count  int64              `toml:"count"`
	Share  float64            `toml:"share"`
	On     bool               `toml:"on"`
	Tags   []string           `toml:"tags"`
	Values map[string]float64 `toml:"values"`
}

type records struct {
	Records []record `toml:"records"`
}

// document writes a document of n tables and reads it.
func document(n int) (string, error) {
	r, in := random(seed), records{}
	for i := range n {
		x := record{Name: fmt.Sprintf("%s-%d", r.word(), i), Count: int64(r.below(1 << 20)),
			Share: float64(r.below(1000)) / 1000, On: r.below(2) == 1, Values: map[string]float64{}}
		for range 1 + r.below(5) {
			x.Tags = append(x.Tags, r.word())
			x.Values[r.word()] = float64(r.below(1<<16)) / 16
		}
		in.Records = append(in.Records, x)
	}
	written, err := toml.Marshal(in)
	if err != nil {
		return "", err
	}
	var out records
	if err := toml.Unmarshal(written, &out); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes written", len(written)), same(in, out)
}

// render renders n rows, and sums up the numbers of what was rendered.
func render(n int) (string, error) {
	r, want := random(seed), 0
	t := table.NewWriter()
	t.AppendHeader(table.Row{"row", "word", "number", "text"})
	for i := range n {
		number := r.below(1 << 16)
		want += number
		t.AppendRow(table.Row{i, r.word(), number, strings.Repeat(r.word()+" ", 1+r.below(6))})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 4, WidthMax: 16}})
	out, got := t.Render(), 0
	for line := range strings.Lines(out) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue // a border
		}
		if number, err := strconv.Atoi(strings.TrimSpace(cells[3])); err == nil {
			got += number
		}
	}
	return fmt.Sprintf("%d bytes rendered, sum %d", len(out), got), same(want, got)
}
