package runtimes

import (
	"errors"
	"strings"
	"testing"
)

// paramPolicy is a policy with two parameters.
type paramPolicy struct {
	Serial
	tries, remote int
}

var paramTable = []Scheduler{
	{Name: "serial", Policy: Serial{}},
	{Name: "numa", Params: []Param{{Name: "tries", Default: 1, Min: 1, Max: 9},
		{Name: "remote", Default: 10, Max: 100}},
		Make: func(p Params) Policy { return paramPolicy{tries: p["tries"], remote: p["remote"]} }},
}

func TestParseScheduler(t *testing.T) {
	for text, want := range map[string]struct {
		name          string
		tries, remote int
	}{
		"numa":                   {"numa", 1, 10},
		"numa:tries=1":           {"numa", 1, 10},
		"numa:remote=20":         {"numa:remote=20", 1, 20},
		"numa:remote=0:tries=3":  {"numa:tries=3:remote=0", 3, 0},
		"numa:tries=9:remote=10": {"numa:tries=9", 9, 10},
	} {
		s, err := parseScheduler(paramTable, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p := s.Policy.(paramPolicy)
		if s.Name != want.name || p.tries != want.tries || p.remote != want.remote ||
			s.Base() != "numa" {
			t.Errorf("%s: %s with %+v, want %+v", text, s.Name, p, want)
		}
		if again, err := parseScheduler(paramTable, s.Name); err != nil || again.Name != s.Name ||
			again.Policy != s.Policy {
			t.Errorf("%s does not read as itself: %v, %v", s.Name, again.Policy, err)
		}
	}
	for text, want := range map[string]string{
		"nume":                 `scheduler: found "nume", expected one of serial, numa`,
		"":                     `scheduler: found "", expected one of serial, numa`,
		"numa:":                `numa:: numa: found "", expected tries=1 or remote=10`,
		"numa:far=3":           `numa: found "far", expected tries=1 or remote=10`,
		"serial:x=1":           `serial: found "x", expected no parameter`,
		"numa:tries":           `tries: found "", expected a whole number from 1 to 9`,
		"numa:tries=0":         `tries: found "0", expected a whole number from 1 to 9`,
		"numa:remote=2.5":      `remote: found "2.5", expected a whole number from 0 to 100`,
		"numa:tries=2:a=3":     `found "a"`,
		"numa:tries=2:tries=3": `tries: found "3", expected one value`,
	} {
		_, err := parseScheduler(paramTable, text)
		var e *SchedulerError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || e.Text != text {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Each line has all facts that others read.
func TestLinesOfSchedulers(t *testing.T) {
	for _, s := range Schedulers {
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		if twin, ok := SchedulerByName(s.Twin); s.Twin != "" && (!ok || twin.Twin != "") {
			t.Errorf("%s: its twin %q is no line, or has one", s.Name, s.Twin)
		}
	}
}

// The error of a line names its fault.
func TestValidateScheduler(t *testing.T) {
	good := Scheduler{Name: "a-1", Doc: "d", Policy: WorkFirst{}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	one := Param{Name: "x", Default: 1, Min: 1, Max: 1, Help: "h"}
	work := func(Params) Policy { return WorkFirst{} }
	for want, change := range map[string]func(s *Scheduler){
		"the name":    func(s *Scheduler) { s.Name = "a:b" },
		"the family":  func(s *Scheduler) { s.Family = "A" },
		"no Doc":      func(s *Scheduler) { s.Doc = "" },
		"no policy":   func(s *Scheduler) { s.Policy = nil },
		"go together": func(s *Scheduler) { s.Params = []Param{one} },
		"SpawnChild": func(s *Scheduler) {
			s.Policy = anyPolicy{Rules{Spawn: SpawnChild,
				Join: JoinStarter}}
		},
		"parameter \"\"": func(s *Scheduler) { s.Make, s.Params = work, []Param{{}} },
		"parameter \"x\"": func(s *Scheduler) {
			one.Default = 2
			s.Make, s.Params = work, []Param{one}
		},
	} {
		s := good
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
