package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A kind is one of the shares that are compared.
type kind int

const (
	bins      kind = iota // of all accesses, by bin
	beyond                // of all accesses, cold or from 1 MiB on
	functions             // of a function's accesses, cold or from a distance on
	fields                // of a field's, likewise
	kinds
)

var kindNames = [kinds]string{"bin", "beyond", "function", "field"}

// A key names a share: of a bin or from a distance on, or cold.
type key struct {
	kind
	row  string
	from uint64
	cold bool
}

func (k key) String() string {
	at := fmt.Sprintf("from %d", k.from)
	if k.cold {
		at = "cold"
	}
	return fmt.Sprint(kindNames[k.kind], " ", k.row, " ", at)
}

// An estimate is a share with its standard error; NaN: n/a. weight is the row's share of all
// accesses, where it is known.
type estimate struct {
	share, err, weight float64
	has                bool // the document has the error, or that it is n/a
}

func errorOf(e *float64, all float64) float64 {
	if e == nil {
		return math.NaN()
	}
	return *e / all
}

const mib = 1 << 20

// rowsFrom are the distances of the tables of krdlab trace go.
var rowsFrom = []uint64{32 << 10, mib}

// shares returns what a document has.
func (d *result) shares() map[key]estimate {
	all, list := float64(d.Accesses), map[key]estimate{}
	if d.KRD == nil {
		return list
	}
	far := d.KRD.Cold
	for _, b := range d.KRD.Bins {
		if b.From >= mib {
			far += b.Count
		}
		if d.Sampling == nil {
			list[key{bins, "", b.From, false}] = estimate{b.Count / all, 0, 1, true}
		}
	}
	list[key{beyond, "", mib, false}] = estimate{far / all, 0, 1, false}
	if d.Sampling == nil {
		list[key{bins, "", 0, true}] = estimate{d.KRD.Cold / all, 0, 1, true}
	} else {
		for _, b := range d.Sampling.Bins {
			list[key{bins, "", b.From, false}] = estimate{b.Count / all, errorOf(b.Error, all), 1, true}
		}
		if c := d.Sampling.Cold; c != nil {
			list[key{bins, "", 0, true}] = estimate{c.Count / all, errorOf(c.Error, all), 1, true}
		}
	}
	d.rows(list, functions, d.Functions)
	d.rows(list, fields, d.Objects)
	return list
}

// rows adds the shares of rows that are cold or from some distances on: what of these is cold, no
// sample can tell.
func (d *result) rows(list map[key]estimate, k kind, parts []part) {
	for i := range parts {
		p := &parts[i]
		for _, from := range rowsFrom {
			e := estimate{0, math.NaN(), p.Accesses / float64(d.Accesses), len(p.Beyond) > 0}
			if p.Cold != nil {
				e.share = *p.Cold / p.Accesses
			}
			for _, b := range p.Bins {
				if b.From >= from {
					e.share += b.Count / p.Accesses
				}
			}
			for _, b := range p.Beyond {
				if b.From == from && b.Count != nil {
					e.share, e.err = *b.Count/p.Accesses, errorOf(b.Error, p.Accesses)
				}
			}
			list[key{k, p.Name, from, false}] = e
		}
	}
}

const (
	leastShare = 0.01 // of what is compared
	largeShare = 0.05 // of bins whose intervals are to be small, and of rows
)

// A compared share is an exact one with its estimates.
type compared struct {
	key
	exact     float64
	estimates []estimate
}

// compare returns the shares that are large enough in an exact result, with their estimates.
func compare(exact *result, samples []*result) (list []compared) {
	found := make([]map[key]estimate, len(samples))
	for i, s := range samples {
		found[i] = s.shares()
	}
	for k, e := range exact.shares() {
		if k.kind != beyond && e.share < leastShare || e.weight < largeShare {
			continue
		}
		c := compared{key: k, exact: e.share}
		for i := range samples {
			got, ok := found[i][k]
			if !ok && k.kind == bins && samples[i].KRD != nil {
				got.has = true // it is small, by the document
			}
			c.estimates = append(c.estimates, got)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b compared) int {
		for _, n := range []int{int(a.kind - b.kind), strings.Compare(a.row, b.row)} {
			if n != 0 {
				return n
			}
		}
		if a.cold != b.cold {
			return map[bool]int{true: 1, false: -1}[a.cold]
		}
		return int(a.from>>1) - int(b.from>>1)
	})
	return list
}

// known calls f with the estimates that have an interval.
func (c *compared) known(f func(e estimate)) {
	for _, e := range c.estimates {
		if e.has && !math.IsNaN(e.err) {
			f(e)
		}
	}
}

// covered returns in how many of the intervals of 95 % the exact share is, of how many, and how many
// estimates have none.
func (c *compared) covered() (in, of, missing int) {
	for _, e := range c.estimates {
		if e.has && math.IsNaN(e.err) {
			missing++
		}
	}
	c.known(func(e estimate) {
		of++
		if math.Abs(e.share-c.exact) <= 2*e.err {
			in++
		}
	})
	return in, of, missing
}

// bias returns the mean error.
func (c *compared) bias() (b float64) {
	for _, e := range c.estimates {
		b += (e.share - c.exact) / float64(len(c.estimates))
	}
	return b
}

// A summary is of the shares of a kind.
type summary struct {
	in, of, missing, all int
	widths               []float64 // half of the intervals of the large ones
	worst                float64   // the largest mean error
	biases               []float64 // the absolute mean errors
}

type summaries [kinds]summary

func (s *summary) add(c *compared) {
	x := summary{all: len(c.estimates), worst: c.bias(), biases: []float64{math.Abs(c.bias())}}
	x.in, x.of, x.missing = c.covered()
	if c.exact >= largeShare {
		c.known(func(e estimate) { x.widths = append(x.widths, 2*e.err) })
	}
	s.merge(&x)
}

func (s *summary) merge(x *summary) {
	s.in, s.of, s.missing, s.all = s.in+x.in, s.of+x.of, s.missing+x.missing, s.all+x.all
	s.widths, s.biases = slices.Concat(s.widths, x.widths), slices.Concat(s.biases, x.biases)
	if math.Abs(x.worst) > math.Abs(s.worst) {
		s.worst = x.worst
	}
}

func (s *summary) coverage() float64 { return float64(s.in) / float64(s.of) }

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

func median(list []float64) float64 {
	if len(list) == 0 {
		return math.NaN()
	}
	list = slices.Sorted(slices.Values(list))
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2
}

// atMost returns the chance that of n with the chance p each, independently, k or fewer are.
func atMost(k, n int, p float64) (sum float64) {
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log(1-p))
	}
	return sum
}
