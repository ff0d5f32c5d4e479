package machine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/units"
)

// Write writes m as TOML that [Parse] reads back as the same Machine (a latency that was given in
// cycles is a time). Numbers that nobody measured or published have a comment that says so. Errors:
// those of [Machine.Validate], and of w.
func (m *Machine) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("write machine %q: %w", m.Name, err)
	}
	var b bytes.Buffer
	table := ""
	for _, l := range m.lines() {
		t, name, _ := cutLast(l.path)
		if t != table {
			fmt.Fprintf(&b, "\n[%s]\n", t)
			table = t
		}
		if name == "" { // a table without fields
			continue
		}
		fmt.Fprintf(&b, "%s = %s", name, l.value)
		switch {
		case !l.number:
		case m.fitted(l.path):
			b.WriteString(" # " + fitted)
		case strings.HasPrefix(m.Source(l.path), NotCalibrated):
			b.WriteString(" # " + NotCalibrated)
		case m.Guessed(l.path):
			b.WriteString(" # " + Estimated)
		}
		b.WriteByte('\n')
	}
	if len(m.Ranges) > 0 {
		b.WriteString("\n[ranges]\n")
		for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
			fmt.Fprintf(&b, "%s = %s\n", path, m.rangeText(path))
		}
	}
	if len(m.Sources) > 0 {
		b.WriteString("\n[sources]\n")
		for _, path := range slices.Sorted(maps.Keys(m.Sources)) {
			fmt.Fprintf(&b, "%s = %s\n", quote(path), quote(m.Sources[path]))
		}
	}
	for _, f := range m.Fits {
		fmt.Fprintf(&b, "\n[[fits]]\nquantity = %s\nkernel = %s\n", quote(f.Quantity),
			quote(f.Kernel))
		if f.Params != "" {
			fmt.Fprintf(&b, "params = %s\n", quote(f.Params))
		}
		fmt.Fprintf(&b, "cores = %d\n", f.Cores)
		if f.Scheduler != "" {
			fmt.Fprintf(&b, "scheduler = %s\n", quote(f.Scheduler))
		}
		if f.Target != 0 {
			fmt.Fprintf(&b, "target = %s\n", targetText(f.Target))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Hash returns the SHA-256, in hexadecimal, of all that decides a result: every number, and the
// ranges of guesses where there are any, and neither the name nor texts.
func (m *Machine) Hash() string {
	h := sha256.New()
	for _, l := range m.lines() {
		if l.number {
			fmt.Fprintf(h, "%s = %s\n", l.path, l.value)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
		fmt.Fprintf(h, "range %s = %s\n", path, m.rangeText(path))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A line is a field of a file.
type line struct {
	path, value string
	number      bool // not the name nor the description
}

// lines returns the fields of m in the order of a file.
func (m *Machine) lines() []line {
	var out []line
	for _, f := range fields {
		if !m.shown(&f) {
			continue
		}
		var s string
		if f.path == remotePath {
			s = m.remoteText()
		} else {
			switch p := f.at(m).(type) {
			case *string:
				s = quote(*p)
			case *bool:
				s = strconv.FormatBool(*p)
			case *uint64:
				s = quote(f.of.Format(*p))
			case *int:
				s = strconv.Itoa(*p)
				if f.of != nil {
					s = quote(f.of.Format(uint64(*p)))
				}
			}
		}
		out = append(out, line{f.path, s, f.path != "name" && f.path != "description"})
	}
	for _, p := range prices {
		if p.shown(&m.Costs) {
			out = append(out, line{"costs." + p.name, quote(units.Times.Format(*p.at(&m.Costs))),
				true})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Families)) {
		own := m.Families[name]
		empty := true
		for _, p := range prices {
			if *p.at(&own) != *p.at(&m.Costs) {
				empty = false
				out = append(out, line{"families." + name + "." + p.name,
					quote(units.Times.Format(*p.at(&own))), true})
			}
		}
		if empty {
			out = append(out, line{"families." + name + ".", "", false})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Kernels)) {
		rate := m.Kernels[name]
		for _, p := range parts {
			if v := *p.at(&rate); v != 0 {
				out = append(out, line{"kernels." + name + "." + p.name, quote(p.of.Format(v)),
					true})
			}
		}
	}
	return out
}

// remoteText returns memory.remote: one time if all are equal, otherwise a matrix by memories.
func (m *Machine) remoteText() string {
	x, n, d := &m.Memory, m.Memory.NodesPerDomain, m.Domains()
	same := true
	var rows []string
	for a := range d {
		var cells []string
		for b := range d {
			ps := x.RemotePS[a*n][b*n]
			same = same && (a == b || ps == x.RemotePS[0][n])
			cells = append(cells, quote(units.Times.Format(ps)))
		}
		rows = append(rows, "  ["+strings.Join(cells, ", ")+"],\n")
	}
	if same {
		return quote(units.Times.Format(x.RemotePS[0][n]))
	}
	return "[\n" + strings.Join(rows, "") + "]"
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quote writes a TOML basic string; s has no control characters.
func quote(s string) string {
	return `"` + escapes.Replace(s) + `"`
}
