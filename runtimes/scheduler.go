package runtimes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi/dag"
)

// A Scheduler is a policy with the facts that the rest of the program reads, so that no code hangs
// on its name.
type Scheduler struct {
	Name  string // on the command line, with the parameters that are not at their defaults
	Paper string // in the KRD paper, or ""
	Doc   string // one line
	// Origin is where the policy was published, as authors, title, venue; Year is when. Empty and 0
	// for one without a source.
	Origin string
	Year   int
	// Family is the runtime as which its operations are priced on a simulated machine: the name of
	// a table [families.NAME] of machine files. "" takes the machine's common prices.
	Family string
	// Twin is a scheduler of the table that does nearly the same, "" for none.
	Twin string
	// Random: another seed gives another run, as the policy draws from [Search.Rand], or goes by
	// the order of [Search.Victims], where those at the same distance are shuffled by seed.
	Random bool
	// Speedup is the share of the ideal speed-up that tests expect at least where there is work
	// enough; 0 is a quarter.
	Speedup float64
	// BreadthFirst: memory grows with the width of the tree, not with its depth.
	BreadthFirst bool
	// Unordered: the records of a worker in a trace may be out of order.
	Unordered bool
	Params    []Param
	// Make makes the policy with the given parameters, which must all be its own; nil if there are
	// none.
	Make   func(Params) Policy
	Policy // nil in a line with Make: the table's has all parameters at their defaults
	// Schedule is followed by [Following]; nil for others.
	Schedule *dag.Schedule
}

// Serial reports whether the scheduler has one worker and only calls.
func (s Scheduler) Serial() bool { return s.Rules().Spawn == SpawnCall }

// ThreadsOnly reports that the scheduler exists on threads and not in virtual time.
func (s Scheduler) ThreadsOnly() bool { return s.Rules().Spawn == SpawnGo }

// Holds reports whether the scheduler can have so many workers: one that divides ranges of workers has
// no more than the parts of a range.
func (s Scheduler) Holds(workers int) bool { return !s.Rules().Place || workers <= maxPlaced }

// DepthFirst reports that on one core it runs what the serial run does in that order, or, parent
// first, the children of each phase in mirrored order.
func (s Scheduler) DepthFirst() bool {
	r := s.Rules()
	return r.Spawn == SpawnCall || r.Spawn == SpawnChild ||
		r.Spawn == SpawnParent && r.Last == LastCall && r.Take == TakeNewest && !r.Place
}

// Validate returns an error for a line of the table that is incomplete, or whose rules, with all
// parameters at their defaults, the drivers do not carry out.
func (s Scheduler) Validate() error {
	bad := func(why string, args ...any) error {
		return fmt.Errorf("scheduler %q: %s", s.Name, fmt.Sprintf(why, args...))
	}
	switch {
	case !lineName.MatchString(s.Name):
		return bad("the name is not of lower-case letters, digits and single hyphens")
	case s.Family != "" && !lineName.MatchString(s.Family):
		return bad("the family %q is not of lower-case letters, digits and single hyphens",
			s.Family)
	case (s.Origin == "") != (s.Year == 0):
		return bad("Origin and Year go together")
	case s.Doc == "":
		return bad("there is no Doc")
	case (s.Make == nil) != (len(s.Params) == 0):
		return bad("Make and Params go together")
	}
	for _, p := range s.Params {
		if !lineName.MatchString(p.Name) || p.Help == "" || p.Default < p.Min || p.Default > p.Max {
			return bad("the parameter %q has no name or help, or its default is out of its range",
				p.Name)
		}
	}
	s = s.with(nil)
	if s.Policy == nil {
		return bad("there is no policy")
	}
	if err := s.Rules().Validate(); err != nil {
		return bad("%v", err)
	}
	return nil
}

var lineName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// A Param is a number that a policy can be given on the command line.
type Param struct {
	Name    string `json:"name"` // lower-case letters and digits, hyphens between them
	Default int    `json:"default"`
	Min     int    `json:"min"`
	Max     int    `json:"max"`
	Help    string `json:"help"`
}

// Params are the values of a scheduler's parameters.
type Params map[string]int

// A SchedulerError reports a fault in the text of a scheduler.
type SchedulerError struct {
	Text  string // "shepherd:scan=x"
	Field string // the parameter, or "" for the name
	Found string
	Want  string
}

func (e *SchedulerError) Error() string {
	what := "scheduler"
	if e.Field != "" {
		what += " " + e.Text + ": " + e.Field
	}
	return fmt.Sprintf("%s: found %q, expected %s", what, e.Found, e.Want)
}

// Class implements [failure.Classed].
func (*SchedulerError) Class() failure.Class { return failure.Request }

// ParseScheduler reads a name of the table and the values of its parameters, as in
// "numa-ws:remote=20:tries=2". Others have their defaults. The result's name is canonical:
// parameters stand in the table's order, and those at their defaults are left out. Errors:
// [*SchedulerError].
func ParseScheduler(text string) (Scheduler, error) { return parseScheduler(Schedulers, text) }

func parseScheduler(table []Scheduler, text string) (Scheduler, error) {
	name, given, _ := strings.Cut(text, ":")
	i := slices.IndexFunc(table, func(s Scheduler) bool { return s.Name == name })
	if i < 0 {
		names := make([]string, len(table))
		for i, s := range table {
			names[i] = s.Name
		}
		return Scheduler{}, &SchedulerError{Text: text, Found: name,
			Want: "one of " + strings.Join(names, ", ")}
	}
	s := table[i]
	if len(name) == len(text) {
		return s.with(nil), nil
	}
	values := Params{}
	for part := range strings.SplitSeq(given, ":") {
		field, value, _ := strings.Cut(part, "=")
		j := slices.IndexFunc(s.Params, func(p Param) bool { return p.Name == field })
		if j < 0 {
			return Scheduler{}, &SchedulerError{text, name, field, s.paramNames()}
		}
		p := s.Params[j]
		if _, twice := values[field]; twice {
			return Scheduler{}, &SchedulerError{text, field, value, "one value"}
		}
		v, err := strconv.Atoi(value)
		if err != nil || v < p.Min || v > p.Max {
			return Scheduler{}, &SchedulerError{text, field, value,
				fmt.Sprintf("a whole number from %d to %d", p.Min, p.Max)}
		}
		values[field] = v
	}
	s = s.with(values)
	if err := s.Rules().Validate(); err != nil {
		return Scheduler{}, &SchedulerError{Text: text, Found: given,
			Want: "parameters that go together: " + err.Error()}
	}
	return s, nil
}

func (s *Scheduler) paramNames() string {
	if len(s.Params) == 0 {
		return "no parameter"
	}
	names := make([]string, len(s.Params))
	for i, p := range s.Params {
		names[i] = p.Name + "=" + strconv.Itoa(p.Default)
	}
	return strings.Join(names, " or ")
}

// with returns s with the given parameters and the others at their defaults.
func (s Scheduler) with(given Params) Scheduler {
	if s.Make == nil {
		return s
	}
	all := Params{}
	for _, p := range s.Params {
		v, ok := given[p.Name]
		if !ok {
			v = p.Default
		}
		all[p.Name] = v
		if v != p.Default {
			s.Name += fmt.Sprintf(":%s=%d", p.Name, v)
		}
	}
	s.Policy = s.Make(all)
	return s
}

// Variants returns s with one parameter at a time at its least or greatest value, where that is not
// its default.
func (s Scheduler) Variants() (list []Scheduler) {
	for _, p := range s.Params {
		for _, v := range []int{p.Min, p.Max} {
			if v != p.Default {
				s := s
				s.Name = s.Base()
				list = append(list, s.with(Params{p.Name: v}))
			}
		}
	}
	return list
}

// Base returns the name in the table, without parameters.
func (s Scheduler) Base() string {
	name, _, _ := strings.Cut(s.Name, ":")
	return name
}

// SchedulerByName returns the line of the table with that name.
func SchedulerByName(name string) (Scheduler, bool) {
	for _, s := range Schedulers {
		if s.Name == name {
			return s, true
		}
	}
	return Scheduler{}, false
}
