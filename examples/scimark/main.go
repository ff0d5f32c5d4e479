// Command scimark runs one of four kernels of SciMark 2 (Pozo and Miller, NIST, 2000): fft, lu, sor
// or sparse, with the loops and the layout of data of the Java original, and checks the result:
//
//	go run ./examples/scimark sor -n 1000 -iterations 10
//	go run ./examples/scimark fft -class large
//	go run ./examples/scimark fft -loops interchanged -time
//
// A class sets what is not given. It is a program as anybody writes one, for krdlab's front end of
// Go programs to be tried on; nothing in it refers to krdlab.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// size is how large a problem is.
type size struct{ n, nz, iterations int }

// kernel is one of the four. run returns what to print and the time of the kernel, without what
// prepares and checks, and an error if the result is wrong.
type kernel struct {
	name         string
	small, large size
	run          func(size) (string, time.Duration, error)
}

// kernels have the sizes of SciMark, which repeats them until two seconds are over.
var kernels = []kernel{
	{"fft", size{1 << 10, 0, 1}, size{1 << 20, 0, 1}, runFFT},
	{"lu", size{100, 0, 1}, size{1000, 0, 1}, runLU},
	{"sor", size{100, 0, 10}, size{1000, 0, 10}, runSOR},
	{"sparse", size{1000, 5000, 10}, size{100000, 1000000, 10}, runSparse},
}

func main() {
	text, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "scimark:", err)
		os.Exit(1)
	}
	fmt.Println(text)
}

func run(args []string) (string, error) {
	for _, k := range kernels {
		if len(args) == 0 || args[0] != k.name {
			continue
		}
		f := flag.NewFlagSet(k.name, flag.ContinueOnError)
		var s size
		f.IntVar(&s.n, "n", 0, "numbers, or rows and columns (0: of the class)")
		f.IntVar(&s.nz, "nz", 0, "sparse: elements that are not zero (0: of the class)")
		f.IntVar(&s.iterations, "iterations", 0, "times that the kernel runs (0: of the class)")
		class := f.String("class", "small", "small or large")
		timed := f.Bool("time", false, "print the time of the kernel alone, too")
		loops := "original"
		if k.name == "fft" {
			f.StringVar(&loops, "loops", loops, "the loops over the butterflies of a pass: original "+
				"(by factor, then by block) or interchanged")
		}
		if err := f.Parse(args[1:]); err != nil {
			return "", err
		}
		of := k.small
		switch {
		case *class == "large":
			of = k.large
		case *class != "small":
			return "", fmt.Errorf("-class %s: expected small or large", *class)
		}
		if f.NArg() > 0 {
			return "", fmt.Errorf("%q is no flag", f.Arg(0))
		}
		if s.n == 0 {
			s.n = of.n
		}
		if s.nz == 0 {
			s.nz = of.nz
		}
		if s.iterations == 0 {
			s.iterations = of.iterations
		}
		if min(s.n, s.iterations) < 1 {
			return "", errors.New("-n and -iterations must be at least 1")
		}
		switch loops {
		case "original":
		case "interchanged":
			k.run = runInterchanged
		default:
			return "", fmt.Errorf("-loops %s: expected original or interchanged", loops)
		}
		text, took, err := k.run(s)
		if *timed {
			text = fmt.Sprintf("%s; %d ns", text, took.Nanoseconds())
		}
		return k.name + ": " + text, err
	}
	return "", errors.New("expected fft, lu, sor or sparse, then flags (-h lists them)")
}

// seed is where fill begins.
const seed = 113

// fill sets v to numbers between 0 and 1 and returns the state of the generator, a linear
// congruential one (Knuth's MMIX).
func fill(v []float64, state uint64) uint64 {
	for i := range v {
		state = state*6364136223846793005 + 1442695040888963407
		v[i] = float64(state>>11) / (1 << 53)
	}
	return state
}

// newMatrix returns n rows of n elements.
func newMatrix(n int) [][]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	return a
}

// fillMatrix fills one row after the other.
func fillMatrix(a [][]float64) {
	state := uint64(seed)
	for i := range a {
		state = fill(a[i], state)
	}
}

// sum returns a number that differs for different results.
func sum(v []float64) float64 {
	total := 0.0
	for i := range v {
		total += v[i]
	}
	return total
}
