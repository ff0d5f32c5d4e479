package kernel

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw/failure"
)

// Params holds the values of a kernel's parameters by name: int for [IntParam], string for the
// others.
type Params map[string]any

// Int returns the value of an IntParam.
func (p Params) Int(name string) int { return p[name].(int) }

// Word returns the value of any other parameter.
func (p Params) Word(name string) string { return p[name].(string) }

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
	// Parse, if not nil, says whether a word that is not among Choices is allowed; its error says
	// what is expected.
	Parse func(string) error `json:"-"`
	Help  string             `json:"help"`
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
