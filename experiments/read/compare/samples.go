package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/run/estimate"
	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A SampleReport is how a sampled and an exact result of a Go program agree.
type SampleReport struct {
	Sample string `json:"sample"` // paths
	Exact  string `json:"exact"`
	Answer Answer `json:"answer"`
	Tests  int    `json:"tests"` // bins with a standard error
	// Seen is which difference, 0 to 1, would have been seen in any of these bins, as the only one.
	Seen  float64     `json:"seen"`
	Alpha float64     `json:"alpha"`
	Bins  []SampleBin `json:"bins"`
	doc.Concluded

	phases int // of the sample
}

// An Answer is the conclusion of a [SampleReport].
type Answer string

// The answers. CannotTell: no bin differs, but bins that are not known have as much as mostUntold.
const (
	Agree      Answer = "agree"
	Differ     Answer = "differ"
	CannotTell Answer = "cannot be told"
)

// A SampleBin is the share of the accesses in a bin, or, of the last, of those that are cold or
// farther than the sample saw.
type SampleBin struct {
	FromBytes uint64   `json:"from_bytes"`
	Rest      bool     `json:"rest"`   // the last
	Sample    float64  `json:"sample"` // 0 to 1
	Exact     float64  `json:"exact"`
	Error     *float64 `json:"error"` // standard error; null: the sample does not have it
	P         *float64 `json:"p"`     // two-sided, normal, after Holm's correction over all bins; null likewise
}

const (
	// mostUntold is the share of accesses in bins that are not known up to which results agree.
	mostUntold = 0.01
	// unlisted is the standard error of a bin that a sample does not list: it lists those with more.
	unlisted = 5e-3
)

// ErrSamples is wrapped by the error of files that are no sampled and exact result.
var ErrSamples = failure.New(failure.Data, "not the results of a sample and of an exact run")

// A traced is of a document of krdlab trace go what is compared.
type traced struct {
	path     string
	Package  *string
	Args     []string
	Accesses uint64
	KRD      *struct {
		Cold float64
		Bins []tracedBin
	}
	Sampling *struct {
		Phases int
		Cold   *tracedBin
		Bins   []tracedBin
	}
}

type tracedBin struct {
	From  uint64 `json:"from_bytes"`
	Count float64
	Error *float64
}

// AreTraced reports that two paths are to be compared by [OfSamples]: both are files, or one is a result,
// or a run directory, of krdlab trace go.
func AreTraced(a, b string) bool {
	file := func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	}
	_, first := readTraced(a)
	_, second := readTraced(b)
	return file(a) && file(b) || first == nil || second == nil
}

func readTraced(path string) (*traced, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, goprogram.KRDFile)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, failure.As(failure.Request, err)
	}
	t := &traced{path: path}
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", file, ErrSamples, err)
	}
	if t.Package == nil {
		return nil, fmt.Errorf("%s: %w: found no package in it, expected what krdlab trace go --json prints",
			file, ErrSamples)
	}
	return t, nil
}

// OfSamples compares the results of a sampled and an exact run of a program, in files or run
// directories, in any order.
func OfSamples(a, b string) (*SampleReport, error) {
	sample, err := readTraced(a)
	if err != nil {
		return nil, err
	}
	exact, err := readTraced(b)
	if err != nil {
		return nil, err
	}
	if sample.Sampling == nil {
		sample, exact = exact, sample
	}
	if sample.Sampling == nil || exact.Sampling != nil {
		both := map[bool]string{true: "are exact", false: "are samples"}[sample.Sampling == nil]
		return nil, fmt.Errorf("%w: %s and %s %s; expected one of krdlab trace go --sample --json, and "+
			"one without --sample", ErrSamples, a, b, both)
	}
	if exact.KRD == nil {
		return nil, fmt.Errorf("%s: %w: it has no distances", exact.path, ErrSamples)
	}
	return ofTraced(sample, exact), nil
}

func ofTraced(sample, exact *traced) *SampleReport {
	r := &SampleReport{Sample: sample.path, Exact: exact.path, Alpha: estimate.Alpha,
		Bins: sample.against(exact), phases: sample.Sampling.Phases}
	r.Conclude()
	if *sample.Package != *exact.Package || !slices.Equal(sample.Args, exact.Args) {
		r.Find(otherProgram, sample.name(), exact.name())
	}
	var p []float64
	untold := [2]float64{}
	for _, b := range r.Bins {
		if b.Error == nil {
			untold[0], untold[1] = untold[0]+b.Sample, untold[1]+b.Exact
			continue
		}
		p = append(p, math.Erfc(math.Abs(b.Sample-b.Exact) / *b.Error / math.Sqrt2))
	}
	r.Tests, p = len(p), estimate.Holm(p)
	r.Answer = Agree
	for i := range r.Bins {
		if b := &r.Bins[i]; b.Error != nil {
			b.P, p = &p[0], p[1:]
			r.Seen = max(r.Seen, *b.Error*math.Sqrt2*math.Erfcinv(r.Alpha/float64(r.Tests)))
			if *b.P < r.Alpha {
				r.Answer = Differ
			}
		}
	}
	if r.Answer == Agree && (r.Tests == 0 || max(untold[0], untold[1]) > mostUntold) {
		r.Answer = CannotTell
	}
	return r
}

func (t *traced) name() string { return strings.Join(append([]string{*t.Package}, t.Args...), " ") }

// against returns the shares of both. Accesses of the exact one beyond the last bin that the sample
// lists count as cold.
func (t *traced) against(exact *traced) (list []SampleBin) {
	s, all := t.Sampling, max(1, float64(t.Accesses))
	of := max(1, float64(exact.Accesses))
	errorOf := func(b *tracedBin) *float64 {
		if b == nil || b.Error == nil {
			return nil
		}
		return new(*b.Error / all)
	}
	rest := SampleBin{Rest: true, Exact: exact.KRD.Cold / of, Error: errorOf(s.Cold)}
	if s.Cold != nil {
		rest.Sample = s.Cold.Count / all
	}
	last := -1.0
	for i := range s.Bins {
		b := &s.Bins[i]
		list = append(list, SampleBin{FromBytes: b.From, Sample: b.Count / all, Error: errorOf(b)})
		last = float64(b.From)
	}
	for _, b := range exact.KRD.Bins {
		share := b.Count / of
		at := slices.IndexFunc(list, func(x SampleBin) bool { return x.FromBytes == b.From })
		switch {
		case at >= 0:
			list[at].Exact = share
		case float64(b.From) > last:
			rest.Exact += share
			if rest.FromBytes == 0 {
				rest.FromBytes = b.From
			}
		case b.Count > 0:
			list = append(list, SampleBin{FromBytes: b.From, Exact: share, Error: new(unlisted)})
		}
	}
	list = slices.DeleteFunc(list, func(b SampleBin) bool { return b.Sample == 0 && b.Exact == 0 })
	slices.SortFunc(list, func(a, b SampleBin) int { return cmp.Compare(a.FromBytes, b.FromBytes) })
	return append(list, rest)
}

// View returns what people read: the answer, then the bins.
func (r *SampleReport) View() *doc.Doc {
	d := &doc.Doc{Warnings: r.Warnings}
	var differ, untold []string
	t := doc.NewTable(1, "distance", "sample", "+-", "exact", "p (Holm)")
	for i := range r.Bins {
		b := &r.Bins[i]
		name := "from " + units.Bytes(b.FromBytes)
		if b.Rest {
			name = "cold, or beyond what a phase saw"
		}
		off, p := any(doc.Missing("the sample has too little of it")), any(doc.Missing("likewise"))
		switch {
		case b.Error == nil:
			if max(b.Sample, b.Exact) > 0 {
				untold = append(untold, name)
			}
		default:
			off, p = fmt.Sprintf("%.2f %%", 200**b.Error), fmt.Sprintf("%.3f", *b.P)
			if *b.P < r.Alpha {
				differ = append(differ, name)
			}
		}
		t.Row(name, fmt.Sprintf("%.2f %%", 100*b.Sample), off, fmt.Sprintf("%.2f %%", 100*b.Exact), p)
	}
	text := string(r.Answer)
	switch r.Answer {
	case Differ:
		text += " in: bins " + strings.Join(differ, ", ")
	case CannotTell:
		text += ": bins " + strings.Join(untold, ", ") + "; the sample has " +
			units.Count(r.phases, "phase") + ", and at least two are needed"
	case Agree:
		text += fmt.Sprintf(" within their intervals, in %s; a bin that is %s points off would have been seen",
			units.Count(r.Tests, "bin"), doc.Digits(100*r.Seen, 2))
	}
	if len(untold) > 0 && r.Answer != CannotTell {
		text += "; not known: " + strings.Join(untold, ", ")
	}
	d.Say("%s", text)
	d.Say("sample %s, exact %s; shares of all accesses; +-: two standard errors; %s, those with p below "+
		"%.2f differ", r.Sample, r.Exact, units.Count(r.Tests, "test"), r.Alpha)
	d.Add(t)
	return d
}
