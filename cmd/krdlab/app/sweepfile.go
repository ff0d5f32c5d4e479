package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"krdlab/experiments/run/request"
	"krdlab/experiments/sweep"
	"krdlab/experiments/sweep/sweeps"
	"krdlab/hw/failure"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// fileRequests reads a file of settings: each is the flag of that name. given are the flags of the
// command line, which come before those of the file. The flags that it returns are those of the
// first kernel, with what holds for the whole sweep.
func (a *app) fileRequests(ctx context.Context, path string,
	given *sweepFlags) ([]request.Request, *sweepFlags, error) {
	file, err := readSweep(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w; expected the TOML file of a sweep, or kernels (krdlab list "+
			"kernels)", err)
	} else if err != nil {
		return nil, nil, err
	}
	var all []request.Request
	var first *sweepFlags
	var machines *request.Machines
	var caches string
	for _, table := range file.Kernels {
		at := &sweep.FileError{Path: path, Line: table.Line, Field: "kernel." + table.Name}
		k, err := request.FindKernel(table.Name)
		if err != nil {
			var config *request.Error
			if errors.As(err, &config) {
				err = errors.New(config.Want)
			}
			at.Err = err
			return nil, nil, at
		}
		f := newSweepFlags(pflag.NewFlagSet(path, pflag.ContinueOnError), k)
		for _, s := range file.Common { // those too that the table overrides
			if err := f.knows(s.Key, false); err != nil {
				return nil, nil, &sweep.FileError{Path: path, Line: s.Line, Field: s.Key,
					Err: err}
			}
		}
		lines := map[string]int{}
		for _, s := range overridden(usable(file, k), table.Settings) {
			lines[s.Key] = s.Line
			if err := f.setFromFile(s, slices.ContainsFunc(table.Settings,
				func(t sweep.Setting) bool { return t.Key == s.Key })); err != nil {
				return nil, nil, &sweep.FileError{Path: path, Line: s.Line, Field: s.Key,
					Err: err}
			}
		}
		if err := f.override(given, lines); err != nil {
			return nil, nil, err
		}
		if string(f.caches) != caches || machines == nil {
			if machines, err = a.machines(ctx, f.caches); err != nil {
				return nil, nil, err
			}
			caches = string(f.caches)
		}
		configs, err := f.requests(ctx, machines)
		if config, ok := errors.AsType[*request.Error](err); ok &&
			lines[config.Flag] > 0 {
			return nil, nil, &sweep.FileError{Path: path, Line: lines[config.Flag],
				Field: config.Flag, Err: fmt.Errorf("%s: %s", config.Got, config.Want)}
		} else if err != nil {
			at.Err = err
			return nil, nil, failure.As(failure.Of(err), at)
		}
		all = append(all, configs...)
		if first == nil {
			first = f
		}
	}
	return all, first, nil
}

// readSweep reads the file of a sweep, or the built-in one of that name.
func readSweep(path string) (*sweep.File, error) {
	if text, ok := sweeps.Named(path); ok {
		return sweep.ParseFile(path, text)
	}
	return sweep.ReadFile(path)
}

// usable lists the common settings of a file without those that change nothing for k and do for
// another of its kernels.
func usable(file *sweep.File, k *kernel.Kernel) []sweep.Setting {
	return slices.DeleteFunc(slices.Clone(file.Common), func(s sweep.Setting) bool {
		return slices.Contains(unusable(k), s.Key) &&
			slices.ContainsFunc(file.Kernels, func(t sweep.FileKernel) bool {
				other, ok := kernels.ByName(t.Name)
				return ok && !slices.Contains(unusable(other), s.Key)
			})
	})
}

// overridden lists the common settings that a table does not have, and the table's.
func overridden(common, table []sweep.Setting) []sweep.Setting {
	var list []sweep.Setting
	for _, s := range common {
		if !slices.ContainsFunc(table, func(t sweep.Setting) bool { return t.Key == s.Key }) {
			list = append(list, s)
		}
	}
	return append(list, table...)
}

// notInFiles are the flags of what is done with a sweep, as opposed to what it is.
var notInFiles = []string{"dry-run", "plan-only", "view", "help"}

// knows returns an error unless a file may have the setting name: in a kernel's table, or above it.
func (f *sweepFlags) knows(name string, table bool) error {
	var names []string
	f.set.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(notInFiles, flag.Name) && (table || f.params[flag.Name] == nil) {
			names = append(names, flag.Name)
		}
	})
	switch {
	case slices.Contains(names, name):
		return nil
	case f.params[name] != nil:
		return fmt.Errorf("it is a setting of %s: write it below [kernel.%s]", f.kernel.Name,
			f.kernel.Name)
	}
	return fmt.Errorf("there is no such setting; %s", request.Suggest(name, names,
		"see krdlab sweep KERNEL --help"))
}

// setFromFile sets the flag of a setting. Only a kernel's table may have the kernel's own.
func (f *sweepFlags) setFromFile(s sweep.Setting, table bool) error {
	if err := f.knows(s.Key, table); err != nil {
		return err
	}
	flag := f.set.Lookup(s.Key)
	if _, isList := flag.Value.(*list); isList {
		for _, v := range s.Values {
			if err := f.set.Set(s.Key, v); err != nil {
				return err
			}
		}
		return nil
	}
	if s.Key == "sched" || s.Key == "bind" { // lists in one text
		return f.set.Set(s.Key, strings.Join(s.Values, ","))
	}
	if len(s.Values) != 1 {
		return fmt.Errorf("found %d values, expected one", len(s.Values))
	}
	if err := flag.Value.Set(s.Values[0]); err != nil {
		return fmt.Errorf("found %s, expected a %s", s.Values[0], strings.NewReplacer("uint64",
			"whole number", "int", "whole number", "bool",
			"true or false").Replace(flag.Value.Type()))
	}
	return f.set.Set(s.Key, s.Values[0])
}

// override sets what was given on the command line. lines are those of the file's settings; what is
// overridden is no longer theirs.
func (f *sweepFlags) override(given *sweepFlags, lines map[string]int) (err error) {
	given.set.Visit(func(flag *pflag.Flag) {
		target := f.set.Lookup(strings.TrimPrefix(flag.Name, f.kernel.Name+"."))
		if target == nil || target.Hidden || err != nil { // hidden: it would change nothing
			return
		}
		delete(lines, target.Name)
		l, isList := flag.Value.(*list)
		if !isList {
			err = f.set.Set(target.Name, flag.Value.String())
			return
		}
		target.Value.(*list).set = false
		for _, v := range l.given {
			err = errors.Join(err, f.set.Set(target.Name, v))
		}
	})
	return err
}
