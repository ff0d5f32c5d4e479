package app

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"krdlab/experiments/request"
	"krdlab/hw"
)

// given is a flag that describes the caches of this computer, as [request.ParseCaches] reads it.
type given string

// Set reads s.
func (g *given) Set(s string) error {
	_, err := request.ParseCaches(s)
	if wrong, ok := errors.AsType[*request.Error](err); ok {
		return hintError(wrong.Want)
	}
	*g = given(s)
	return err
}

func (g *given) String() string { return string(*g) }

// Type names the value for messages.
func (g *given) Type() string { return request.CachesForm }

// cachesVar defines the flag.
func cachesVar(p *pflag.FlagSet, g *given) {
	p.Var(g, "caches", "the caches of this computer, `L1D,L2,LLC`, each SIZE[:WAYS[:LINE]], "+
		"instead of those that are known of it (krdlab topo); @N after the LLC: N cores share it: "+
		request.CachesExample)
	expects(p, "caches", "expected "+request.CachesForm+", such as "+request.CachesExample)
}

// host returns the topology of this computer, with the caches that a flag gives, if it does.
func (a *app) host(g given) (*hw.Topology, error) {
	t, err := a.topology()
	if err != nil {
		return nil, fmt.Errorf("this machine's topology: %w", err)
	}
	if g == "" {
		return t, nil
	}
	c, err := request.ParseCaches(string(g))
	if err != nil {
		return nil, err
	}
	return t.WithCaches(c), nil
}
