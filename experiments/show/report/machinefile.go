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
	"krdlab/loi"
)

// A machineFile is what a simulated machine was told to be.
type machineFile struct {
	Name    string
	Origin  string // where the content is from
	Lines   []machineLine
	Guesses int    // numbers that nobody measured or published
	Error   string // why there is no content
}

type machineLine struct {
	Text  string
	Guess bool
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
		line := machineLine{Text: strings.TrimRight(l, "\n"), Guess: strings.HasPrefix(note,
			machine.Estimated) || strings.HasPrefix(note, machine.NotCalibrated)}
		if m == nil {
			line.Guess = false // comments of the file's author
		}
		if line.Guess {
			f.Guesses++
		}
		f.Lines = append(f.Lines, line)
	}
	return f
}
