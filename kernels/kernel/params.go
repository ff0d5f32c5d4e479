package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"krdlab/hw/failure"
	"krdlab/kernels/isa"
)

// Params holds the values of a kernel's parameters by name: int for [IntParam], string for the
// others.
type Params map[string]any

// Int returns the value of an IntParam.
func (p Params) Int(name string) int { return p[name].(int) }

// Word returns the value of any other parameter.
func (p Params) Word(name string) string { return p[name].(string) }

// Real returns the value of a parameter of [Real], which was checked.
func (p Params) Real(name string) float64 {
	v, _ := strconv.ParseFloat(p.Word(name), 64)
	return v
}

// ISA returns the instruction set that the parameter of [ISA] names, auto resolved; a [*ParamError]
// for one that this machine lacks.
func (p Params) ISA() (isa.Set, error) {
	s, err := isa.Parse(p.Word("isa"))
	if err == nil {
		s, err = s.Resolve()
	}
	if err != nil {
		return 0, p.Errorf("isa", "%v", err)
	}
	return s, nil
}

// Errorf returns the [*ParamError] for the value of a parameter; format describes the allowed
// values.
func (p Params) Errorf(name, format string, args ...any) error {
	return &ParamError{name, fmt.Sprint(p[name]), fmt.Sprintf(format, args...)}
}

// A ParamKind is the type of a parameter's value.
type ParamKind int

// The kinds of parameters.
const (
	IntParam  ParamKind = iota // an int within Min and Max
	WordParam                  // one of Choices, or, with Parse, what that accepts
)

// A Param declares one parameter of a kernel. It becomes a flag of `krdlab run KERNEL` and a key of
// "params" in results.
type Param struct {
	Name     string    `json:"name"`
	Kind     ParamKind `json:"-"`
	Default  any       `json:"default"`
	Min, Max int       `json:"-"`
	Choices  []string  `json:"choices,omitempty"`
	// Parse, if not nil, accepts or refuses a word that is not among Choices; its error names the
	// expected form.
	Parse func(string) error `json:"-"`
	Help  string             `json:"help"`
}

// Int returns a parameter whose values are the whole numbers from least to most.
func Int(name string, def, least, most int, help string) Param {
	return Param{Name: name, Kind: IntParam, Default: def, Min: least, Max: most, Help: help}
}

// Word returns a parameter whose values are choices.
func Word(name, def string, choices []string, help string) Param {
	return Param{Name: name, Kind: WordParam, Default: def, Choices: choices, Help: help}
}

// Real returns a parameter whose values are numbers from least to most, see [Params.Real].
func Real(name, def string, least, most float64, help string) Param {
	return Param{Name: name, Kind: WordParam, Default: def, Help: help, Parse: func(s string) error {
		if v, err := strconv.ParseFloat(s, 64); err != nil || !(v >= least && v <= most) {
			return fmt.Errorf("it must be a number from %g to %g", least, most)
		}
		return nil
	}}
}

// ISA returns the parameter for the instruction set of a computation, see [Params.ISA].
func ISA(of string) Param {
	return Word("isa", "auto", isa.Names(),
		"instruction set of "+of+"; auto takes the best that this CPU has")
}

// A ParamError is a value that is not allowed.
type ParamError struct {
	Name, Got, Want string
}

func (e *ParamError) Error() string { return fmt.Sprintf("%s %s: %s", e.Name, e.Got, e.Want) }

// Class implements [failure.Classed].
func (*ParamError) Class() failure.Class { return failure.Request }

// Check returns a [*ParamError] if v is not a value of d.
func (d *Param) Check(v any) error {
	bad := func(want string) error { return &ParamError{d.Name, fmt.Sprint(v), want} }
	if d.Kind == IntParam {
		if n, ok := v.(int); ok && n >= d.Min && n <= d.Max {
			return nil
		}
		return bad(fmt.Sprintf("it must be a whole number from %d to %d", d.Min, d.Max))
	}
	s, ok := v.(string)
	if ok && slices.Contains(d.Choices, s) {
		return nil
	}
	if ok && d.Parse != nil {
		if err := d.Parse(s); err != nil {
			return bad(err.Error())
		}
		return nil
	}
	return bad("choose " + strings.Join(d.Choices, " or "))
}

// Defaults returns a value for every parameter of k.
func (k *Kernel) Defaults() Params {
	p := Params{}
	for _, d := range k.Params {
		p[d.Name] = d.Default
	}
	return p
}

// With returns the defaults of k with the values of p over them.
func (k *Kernel) With(p Params) Params {
	all := k.Defaults()
	for name, v := range p {
		all[name] = v
	}
	return all
}
