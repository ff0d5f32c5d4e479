package figures

import (
	"testing"

	"krdlab/krd/krdplot"
	"krdlab/runtimes"
)

// Those that are drawn together most, and neighbours in the table, have colours of their own.
func TestColoursOfSchedulers(t *testing.T) {
	colour := func(name string) string {
		return krdplot.LookAt(SchedulerLooks([]string{name})[0]).Hex()
	}
	if n, all := len(inLooks()), len(runtimes.Schedulers); n != all {
		t.Fatalf("%d schedulers have looks, expected %d: a name is none", n, all)
	}
	of := map[string]string{}
	for _, name := range drawnMost {
		if other := of[colour(name)]; other != "" {
			t.Errorf("%s and %s are both %s", other, name, colour(name))
		}
		of[colour(name)] = name
	}
	for i, s := range runtimes.Schedulers[1:] {
		if other := runtimes.Schedulers[i].Name; colour(other) == colour(s.Name) {
			t.Errorf("%s and %s are both %s", other, s.Name, colour(other))
		}
	}
}
