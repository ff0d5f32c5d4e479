package fmm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/hw/textfile"
	"krdlab/kernels/kernel"
)

// An InputError is a file of bodies whose content is bad. It is a [kernel.ErrData].
type InputError struct {
	File string
	Line int // from 1; 0: the file as a whole
	Want string
	Got  string // what stands there, may be empty
}

func (e *InputError) Error() string {
	where := e.File
	if e.Line > 0 {
		where += ":" + strconv.Itoa(e.Line)
	}
	if e.Got == "" {
		return fmt.Sprintf("%s: %s", where, e.Want)
	}
	return fmt.Sprintf("%s: %s, found %s", where, e.Want, e.Got)
}

// Class implements [failure.Classed].
func (*InputError) Class() failure.Class { return failure.Data }

// Unwrap returns [kernel.ErrData].
func (e *InputError) Unwrap() error { return kernel.ErrData }

// largest is the largest coordinate and charge that a file may have: squares of accelerations are
// still numbers.
const largest = 1e60

const (
	header       = "x,y,z,q"
	outputHeader = "x,y,z,q,potential,ax,ay,az"
	maxLine      = 1 << 16
)

// readBodies reads the file: lines x,y,z,q, blanks around numbers allowed, the first line may be
// that header; empty lines are left out. An [*InputError] names the line. A file with the header
// alone has no bodies and is none.
func readBodies(path string) ([]body, error) {
	f, err := textfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("bodies: %w", err)
	}
	defer f.Close()
	return parseBodies(f, path)
}

func parseBodies(r io.Reader, name string) ([]body, error) {
	var bodies []body
	bad := func(line int, want, got string) error {
		if len(got) > 40 {
			got = got[:40] + "..."
		}
		if got != "" {
			got = strconv.Quote(got)
		}
		return &InputError{name, line, want, got}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	line := 0
	for s.Scan() {
		line++
		text := strings.TrimSpace(s.Text())
		if line == 1 {
			text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
			if strings.ReplaceAll(strings.ToLower(text), " ", "") == header {
				continue
			}
		}
		if text == "" {
			continue
		}
		var v [4]float64
		n := 0
		for field := range strings.SplitSeq(text, ",") {
			field = strings.TrimSpace(field)
			if n < len(v) {
				var err error
				v[n], err = strconv.ParseFloat(field, 64)
				switch {
				case errors.Is(err, strconv.ErrRange):
					return nil, bad(line, "expected "+header[2*n:2*n+1]+" of at most 1e60 in size",
						field)
				case err != nil:
					return nil, bad(line, "expected a number for "+header[2*n:2*n+1], field)
				case math.IsNaN(v[n]) || math.IsInf(v[n], 0):
					return nil, bad(line, "expected a finite number for "+header[2*n:2*n+1], field)
				case math.Abs(v[n]) > largest:
					return nil, bad(line, "expected "+header[2*n:2*n+1]+" of at most 1e60 in size",
						field)
				}
			}
			n++
		}
		if n != len(v) {
			return nil, bad(line, fmt.Sprintf("expected 4 columns %s, there are %d", header, n), "")
		}
		if len(bodies) == maxBodies {
			return nil, bad(line, fmt.Sprintf("expected at most %d bodies", maxBodies), "")
		}
		bodies = append(bodies, body{v[0], v[1], v[2], v[3]})
	}
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, bad(line+1, fmt.Sprintf("expected lines of less than %d bytes", maxLine), "")
	} else if err != nil {
		return nil, fmt.Errorf("bodies: %w", err)
	}
	if len(bodies) == 0 {
		return nil, bad(0, "expected lines "+header+", there are no bodies", "")
	}
	return bodies, nil
}

// Save writes the bodies and their fields to the output file, in the order and units of the input,
// with as many digits as tell the numbers apart: those of the input in double precision, the fields
// in single precision. Without such a file it does nothing. A file that exists is not overwritten:
// the error is fs.ErrExist.
func (in *instance) Save() error {
	if in.output == "" {
		return nil
	}
	in.downward()
	f, err := os.OpenFile(in.output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("output: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	in.writeFields(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// writeFields writes the output; w keeps its first error.
func (in *instance) writeFields(w *bufio.Writer) {
	place := make([]int32, len(in.origin)) // in the order of the tree
	for i, b := range in.origin {
		place[b] = int32(i)
	}
	line := []byte(outputHeader + "\n")
	for i, b := range in.input {
		w.Write(line)
		v := in.denormal(in.result(int(place[i])))
		line = line[:0]
		for _, x := range [...]float64{b.x, b.y, b.z, b.q} {
			line = append(strconv.AppendFloat(line, x, 'g', -1, 64), ',')
		}
		for _, x := range [...]float64{v.p, v.x, v.y, v.z} {
			line = append(strconv.AppendFloat(line, x, 'g', 9, 64), ',')
		}
		line[len(line)-1] = '\n'
	}
	w.Write(line)
}
