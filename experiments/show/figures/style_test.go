package figures

import (
	"testing"

	"krdlab/krd/plot"
	"krdlab/runtimes"
)

// Those that are drawn together most, and neighbours in the table, have colours of their own.
func TestColoursOfSchedulers(t *testing.T) {
	colour := func(name string) string {
		return plot.LookAt(SchedulerLooks([]string{name})[0]).Hex()
	}
	of := map[string]string{}
	for _, name := range []string{"workfirst", "helpfirst", "shepherd-core", "shepherd-socket",
		"numa-ws", "adws"} {
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
