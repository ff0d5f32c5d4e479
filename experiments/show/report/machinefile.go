package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/hw/machine"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A machineFile is the file of a simulated machine.
type machineFile struct {
	Name    string
	Origin  string // where the content is from
	Lines   []string
	Guesses int    // numbers that nobody measured or published
	Error   string // why there is no content
}

// machineFiles returns the files of the simulated machines of the plan, or what this krdlab has
// built in under the name of a run's machine.
func machineFiles(e *dataset.Experiment) (list []machineFile) {
	seen := map[string]bool{}
	planned := map[string]string{} // by cell
	for _, p := range e.Plan {
		planned[p.ID] = p.Machine
	}
	for _, c := range e.Cells {
		if c.Result.Substrate != loi.Simulated {
			continue
		}
		name := c.Result.Machine.Name
		if m := planned[c.ID]; m != "" && m != dataset.Native {
			name = m
		}
		if !seen[name] {
			seen[name] = true
			list = append(list, readMachine(e.Dir, name))
		}
	}
	return list
}

// fold returns the file as a part of the page.
func (f *machineFile) fold() *doc.Fold {
	d := &doc.Fold{Doc: doc.Doc{Title: "File of the machine " + f.Name}}
	if f.Error != "" {
		d.Say("%s", f.Error)
	}
	if len(f.Lines) == 0 {
		return d
	}
	if f.Origin != "" {
		d.Say("From %s.", f.Origin)
	}
	if f.Guesses == 0 {
		d.Say("No number of it is a guess.")
	} else {
		d.Say("%d numbers are guesses, marked %q or %q: nobody measured or published them.", f.Guesses,
			machine.Estimated, machine.NotCalibrated)
	}
	d.Add(doc.Listing(f.Lines))
	return d
}

func readMachine(dir, name string) machineFile {
	f := machineFile{Name: name}
	path := filepath.Join(dataset.MachinesDir, name+".toml")
	var text []byte
	err := fs.ErrNotExist
	if filepath.IsLocal(path) {
		text, err = os.ReadFile(filepath.Join(dir, path))
	}
	var m *machine.Machine
	switch {
	case err == nil:
		f.Origin = path + " of the experiment"
		m, err = machine.Parse(path, text)
	case errors.Is(err, fs.ErrNotExist):
		if m, err = machine.ByName(name); err != nil {
			f.Error = fmt.Sprintf("%s is not there, and no machine of that name is built in", path)
			return f
		}
		f.Origin = "as built into the krdlab that made this page; the run does not keep it, and " +
			"another version may have had other numbers"
	}
	if err == nil {
		var b bytes.Buffer
		if err = m.Write(&b); err == nil {
			text = b.Bytes()
		}
	}
	if err != nil {
		f.Error = err.Error()
	}
	for l := range strings.Lines(string(text)) {
		_, note, _ := strings.Cut(l, " # ")
		if m != nil && (strings.HasPrefix(note, machine.Estimated) || strings.HasPrefix(note, machine.NotCalibrated)) {
			f.Guesses++ // otherwise it is a comment of the file's author
		}
		f.Lines = append(f.Lines, strings.TrimRight(l, "\n"))
	}
	return f
}
