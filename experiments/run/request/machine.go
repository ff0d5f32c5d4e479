package request

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
)

// The places that are no name and no file of a machine.
const (
	// Auto is native where this computer has the cores asked for, and [DefaultMachine] simulated
	// where it does not.
	Auto   = "auto"
	Native = "native"
	Host   = "host" // this computer, simulated
)

// Machines finds machines by name, each once: what is measured of this computer must not differ
// from one request to the next.
type Machines struct {
	Host  *hw.Topology // this computer
	Taken func(string) // is told of a file that has the name of a machine; may be nil
	found map[string]*machine.Machine
	on    map[*machine.Machine]*hw.Topology
}

// topology returns the topology of a machine, made once. Errors: those of [machine.Machine.Topology].
func (m *Machines) topology(of *machine.Machine) (*hw.Topology, error) {
	if t := m.on[of]; t != nil {
		return t, nil
	}
	t, err := of.Topology()
	if err != nil {
		return nil, err
	}
	if m.on == nil {
		m.on = map[*machine.Machine]*hw.Topology{}
	}
	m.on[of] = t
	return t, nil
}

// Find returns a machine by its name, or from a file. Errors: an [*Error] where it is neither, of
// class [failure.Request] too where the file is wrong.
func (m *Machines) Find(name string) (*machine.Machine, error) {
	if found := m.found[name]; found != nil {
		return found, nil
	}
	found, err := load(name, m.Host)
	if err != nil {
		return nil, err
	}
	if m.found == nil {
		m.found = map[string]*machine.Machine{}
	}
	m.found[name] = found
	if base, _, _ := strings.Cut(name, ":"); m.Taken != nil && isFile(base) &&
		slices.Contains(append(machine.Names(), Host), base) {
		m.Taken(base)
	}
	return found, nil
}

// A suffix of the name of a machine asks for a variant of it.
const (
	cachesSuffix = "caches=1/" // and a number: that part of the caches
	pricesSuffix = "prices="   // and a family of the machine, or another machine
)

// variant returns the machine that a suffix, without its colon, asks for; false where it is none.
func variant(name, of, suffix string, host *hw.Topology) (m *machine.Machine, ok bool, err error) {
	part, caches := strings.CutPrefix(suffix, cachesSuffix)
	from, prices := strings.CutPrefix(suffix, pricesSuffix)
	if !caches && !prices {
		return nil, false, nil
	}
	n, err := strconv.Atoi(part)
	if caches && (err != nil || n < 1) {
		return nil, true, &Error{Flag: "machine", Got: name,
			Want: "expected a whole number behind :" + cachesSuffix + ", such as 16"}
	}
	whole, err := load(of, host)
	if err != nil {
		return nil, true, err
	}
	if _, prices := machine.Unpriced(whole.Name); caches && prices != "" {
		return nil, true, &Error{Flag: "machine", Got: name,
			Want: "expected :" + cachesSuffix + "N before :" + pricesSuffix}
	}
	if caches {
		m, err = whole.WithCaches(n)
	} else if _, ok := whole.Families[from]; ok {
		m = whole.WithPrices(from)
	} else if other, lerr := load(from, host); lerr == nil {
		m = whole.WithPricesOf(other)
	} else {
		return nil, true, failure.As(failure.Request, fmt.Errorf("--machine %s: expected behind "+
			":%s one of the machine's families (%s), or a machine: %w", name, pricesSuffix,
			strings.Join(slices.Sorted(maps.Keys(whole.Families)), ", "), lerr))
	}
	if err != nil {
		return nil, true, failure.As(failure.Request, fmt.Errorf("%s: %w", name, err))
	}
	return m, true, nil
}

func load(name string, host *hw.Topology) (*machine.Machine, error) {
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		if m, ok, err := variant(name, name[:i], name[i+1:], host); ok {
			return m, err
		}
	}
	if name == Host && !isFile(name) {
		return machine.Host(host)
	}
	if m, err := machine.ByName(name); !isFile(name) && !errors.Is(err, machine.ErrNoSuchMachine) {
		return m, err
	}
	info, serr := os.Stat(name)
	if serr == nil && info.IsDir() {
		return nil, &Error{Flag: "machine", Got: name,
			Want: "it is a folder; expected a TOML file, or the name of a machine (krdlab list " +
				"machines)"}
	}
	if serr != nil && !strings.ContainsAny(name, "/.") {
		return nil, &Error{Flag: "machine", Got: name,
			Want: "there is no such machine, and no such file; " +
				Suggest(name, append([]string{Auto, Native, Host}, machine.Names()...),
					"krdlab list machines has all")}
	}
	m, err := machine.Load(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; expected the "+
			"TOML file of a machine, or the name of one (krdlab list machines)", name)
	} else if err != nil {
		return nil, failure.As(failure.Request, fewer(err))
	}
	return m, nil
}

// isFile reports whether name is a file, which comes before a machine of that name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// fewer keeps the first of the many fields that are missing in a file that is no machine at all,
// and what is wrong with those that are there.
func fewer(err error) error {
	const most = 5
	var kept []string
	missing := 0
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if strings.Contains(line, ": found nothing, ") {
			if missing++; missing > most {
				continue
			}
		}
		kept = append(kept, line)
	}
	if missing <= most+1 {
		return err
	}
	return fmt.Errorf("%s\nand %d more fields are missing", strings.Join(kept, "\n"), missing-most)
}

// AllCores returns how many workers a machine has CPUs for: one for each physical core that the
// process may use, or each CPU with smt.
func AllCores(t *hw.Topology, smt bool) int {
	cpus, err := t.Available(hw.Binding{}, smt)
	if err != nil {
		return 0
	}
	return len(cpus)
}
