package calibrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"krdlab/examples"
	"krdlab/experiments/goprogram"
	"krdlab/hw"
	"krdlab/loi/front"
	"krdlab/loi/front/build"
	"krdlab/loi/front/corpus"
	"krdlab/loi/front/corpus/built"
)

func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A program is one that is sampled: a case of package corpus, or SciMark.
type program struct {
	name, args string
	scimark    bool
	short      string // args in the short shape, whose exact result is in testdata; "": none
	dir        string // of another program
}

var programs = []program{
	{name: "fft 16 384", args: "fft -n 16384 -iterations 300", scimark: true},
	{name: "fft 262 144", args: "fft -n 262144 -iterations 10", scimark: true},
	{name: "lu 300", args: "lu -n 300 -iterations 60", scimark: true},
	{name: "lu 1000", args: "lu -n 1000 -iterations 3", scimark: true},
	{name: "sor 250", args: "sor -n 250 -iterations 2500", scimark: true},
	{name: "sor 1000", args: "sor -n 1000 -iterations 200", scimark: true},
	{name: "sparse 10 000", args: "sparse -n 10000 -nz 50000 -iterations 5000", scimark: true},
	{name: "sparse 100 000", args: "sparse -n 100000 -nz 1000000 -iterations 300", scimark: true},
	{name: "sums by columns, rows", args: "sums 200 1200", short: "sums 100 512"},
	{name: "lu by columns", args: "calibrated lu 600"},
	{name: "hash join", args: "calibrated join 100"},
	{name: "binary tree", args: "calibrated tree 4000", short: "calibrated tree 300"},
	{name: "mergesort", args: "calibrated mergesort 6"},
	{name: "flate", args: "calibrated flate 50"},
	{name: "free list", args: "calibrated freelist 20000"},
	{name: "pipeline", args: "calibrated pipeline 15000"},
	{name: "phases", args: "calibrated phases 100"},
	{name: "rare far phase", args: "calibrated rare 20", short: "calibrated rare 3"},
}

// A result holds the compared fields of the document of a program.
type result struct {
	Accesses uint64
	TracedNs float64 `json:"traced_ns"`
	KRD      *struct {
		Cold float64
		Bins []bin
	} `json:"krd"`
	Sampling *struct {
		Phases, Bursts int
		Cold           *bin
		Bins           []bin
	}
	Functions, Objects []part
}

type bin struct {
	From  uint64 `json:"from_bytes"`
	Count float64
	Error *float64
}

// A part is a row by function or by field.
type part struct {
	Name     string
	Accesses float64
	Cold     *float64 // null: a sample has too little of it
	Bins     []bin
	Beyond   []row // of a sample, cold or from some distances on
}

type row struct {
	From         uint64 `json:"from_bytes"`
	Count, Error *float64
}

// request returns what traces the program.
func (p *program) request(t *testing.T, args string, sample bool) *goprogram.Request {
	t.Helper()
	b := build.Request{Dir: corpus.Dir(t), Path: corpus.Set(strings.Fields(args)[0]),
		Options: front.Options{Sample: sample}}
	if p.dir != "" {
		b.Dir, b.Path = p.dir, "."
	}
	if p.scimark {
		files := map[string][]byte{"go.mod": []byte("module scimark\n\ngo 1.24\n")}
		list, err := examples.SciMark.ReadDir("scimark")
		for _, e := range list {
			if err == nil {
				files[e.Name()], err = examples.SciMark.ReadFile("scimark/" + e.Name())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		b.Dir, b.Path = corpus.Lay(t, "scimark", files), "."
	}
	return &goprogram.Request{Build: b, Built: built.Of(t, b.Dir, b), Args: strings.Fields(args),
		Unit: goprogram.Lines}
}

// trace traces the program and returns its document as it is written.
func (p *program) trace(t *testing.T, args string, sample bool) *result {
	t.Helper()
	topology, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	r := p.request(t, args, sample)
	var out bytes.Buffer
	r.Out, r.Stdout, r.Stderr = filepath.Join(t.TempDir(), "run"), &out, &out
	d, err := goprogram.Run(t.Context(), r, []string{"krdlab"}, topology)
	if err != nil {
		t.Fatalf("%s: %v\n%.500s", p.name, err, &out)
	}
	if sample != (d.Sampling != nil) || d.OddEvents > 0 || d.Accounts.Lost > 0 {
		t.Errorf("%s: sampled %v, %d odd events, %d lost", p.name, d.Sampling != nil, d.OddEvents,
			d.Accounts.Lost)
	}
	corpus.AsMain(r.Args[0], d)
	text, err := json.Marshal(d)
	got := new(result)
	if err == nil {
		err = json.Unmarshal(text, got)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// native returns the nanoseconds of the program as it is.
func (p *program) native(t *testing.T, args string) float64 {
	t.Helper()
	r := p.request(t, args, true)
	c := exec.CommandContext(t.Context(), built.Plain(r.Built), r.Args...)
	began := time.Now()
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%.500s", p.name, err, text)
	}
	return float64(time.Since(began).Nanoseconds())
}
