// Command nas runs one of five of the NAS Parallel Benchmarks, serially: cg, ft, is, lu or mg, in
// the classes S, W and A, and verifies the result:
//
//	go run ./examples/nas cg --class W
//	go run ./examples/nas lu --iterations 2
//
// They are written from their specification (Bailey et al., RNR-94-007, 1994, and NAS-95-020,
// 1995); sizes and reference values are those of NPB 3.3. It is a program as anybody writes one,
// for krdlab's front end of Go programs to be tried on; nothing in it refers to krdlab.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// classes are sizes of problems, by letter. Tables of sizes have their order.
const classes = "SWA"

// benchmark is one of the five. run makes steps of the given class, and returns what it computed as
// text and as numbers, with those expected after all steps.
type benchmark struct {
	name    string
	steps   [len(classes)]int
	epsilon float64 // relative error of a number that verifies
	run     func(class, steps int) (text string, got, want []float64)
}

var benchmarks = []benchmark{
	{"cg", [...]int{cgSteps, cgSteps, cgSteps}, 1e-10, runCG},
	{"ft", [...]int{ftSteps, ftSteps, ftSteps}, 1e-12, runFT},
	{"is", [...]int{isSteps, isSteps, isSteps}, 0, runIS},
	{"lu", [...]int{luClasses[0].steps, luClasses[1].steps, luClasses[2].steps}, 1e-8, runLU},
	{"mg", [...]int{mgSteps, mgSteps, mgSteps}, 1e-8, runMG},
}

func main() {
	text, err := run(os.Args[1:])
	if text != "" {
		fmt.Println(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nas:", err)
		os.Exit(1)
	}
}

// run returns the line to print, and an error if there is none or the result does not verify.
func run(args []string) (string, error) {
	at := slices.IndexFunc(benchmarks, func(b benchmark) bool {
		return len(args) > 0 && args[0] == b.name
	})
	if at < 0 {
		return "", errors.New("expected cg, ft, is, lu or mg, then flags (-h lists them)")
	}
	b := benchmarks[at]
	f := flag.NewFlagSet(b.name, flag.ContinueOnError)
	name := f.String("class", "S", "the size: S, W or A")
	steps := f.Int("iterations", 0, "steps, for a shorter run (0: those of the class)")
	if err := f.Parse(args[1:]); err != nil {
		return "", err
	}
	if f.NArg() > 0 {
		return "", fmt.Errorf("%q is no flag", f.Arg(0))
	}
	class := strings.Index(classes, *name)
	if class < 0 || len(*name) != 1 {
		return "", fmt.Errorf("--class %s: expected S, W or A", *name)
	}
	if *steps < 0 || *steps > b.steps[class] {
		return "", fmt.Errorf("--iterations %d: expected up to %d", *steps, b.steps[class])
	}
	if *steps == 0 {
		*steps = b.steps[class]
	}
	text, got, want := b.run(class, *steps)
	text = fmt.Sprintf("%s, class %s, %d iterations: %s; ", b.name, *name, *steps, text)
	if *steps < b.steps[class] {
		return text + "not verified", nil
	}
	if err := verify(got, want, b.epsilon); err != nil {
		return text + "wrong", err
	}
	return text + "verified", nil
}

// verify returns an error if a number's relative error is more than epsilon.
func verify(got, want []float64, epsilon float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, expected %d", len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= epsilon*math.Abs(want[i])) {
			return fmt.Errorf("number %d is %.15g, expected %.15g", i+1, got[i], want[i])
		}
	}
	return nil
}
