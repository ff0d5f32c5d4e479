package machine

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"krdlab/hw/units"
)

// Write writes m as TOML that [Parse] reads back as the same Machine (a latency that was given in
// cycles is a time). Numbers neither measured nor published are marked by a comment. Errors: those
// of [Machine.Validate], and of w.
func (m *Machine) Write(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("write machine %q: %w", m.Name, err)
	}
	var b bytes.Buffer
	table := ""
	m.walk(func(f *field) {
		if !f.shown() && f.base == nil {
			return
		}
		t, name, _ := cutLast(f.path)
		if t != table {
			fmt.Fprintf(&b, "\n[%s]\n", t) // of a family also where it has no price of its own
			table = t
		}
		if !f.shown() {
			return
		}
		fmt.Fprintf(&b, "%s = %s", name, f.text())
		switch {
		case f.label():
		case m.fitted(f.path):
			b.WriteString(" # " + fitted)
		case strings.HasPrefix(m.Source(f.path), NotCalibrated):
			b.WriteString(" # " + NotCalibrated)
		case m.Guessed(f.path):
			b.WriteString(" # " + Estimated)
		}
		b.WriteByte('\n')
	})
	if len(m.Ranges) > 0 {
		b.WriteString("\n[ranges]\n")
		fields := m.fields()
		for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
			fmt.Fprintf(&b, "%s = %s\n", path, m.Ranges[path].text(fields[path].of))
		}
	}
	if len(m.Sources) > 0 {
		b.WriteString("\n[sources]\n")
		for _, path := range slices.Sorted(maps.Keys(m.Sources)) {
			fmt.Fprintf(&b, "%s = %s\n", quote(path), quote(m.Sources[path]))
		}
	}
	for _, f := range m.Fits {
		b.WriteString("\n[[fits]]\n")
		for _, x := range f.fields() {
			if x.shown() {
				fmt.Fprintf(&b, "%s = %s\n", x.path, x.text())
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Hash returns the SHA-256, in hexadecimal, of all that decides a result: every number, and the
// ranges of guesses where there are any, and neither the name nor texts.
func (m *Machine) Hash() string {
	h := sha256.New()
	fields := make(map[string]field, 128)
	m.walk(func(f *field) {
		fields[f.path] = *f
		if f.shown() && !f.label() {
			fmt.Fprintf(h, "%s = %s\n", f.path, f.text())
		}
	})
	for _, path := range slices.Sorted(maps.Keys(m.Ranges)) {
		fmt.Fprintf(h, "range %s = %s\n", path, m.Ranges[path].text(fields[path].of))
	}
	return hex.EncodeToString(h.Sum(nil))
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
