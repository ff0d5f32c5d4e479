package goprogram

import "testing"

// Local variables that the compiler moves to the heap are data; so are the data behind a library's
// pointer in a variable of a package.
func TestVariablesThatEscape(t *testing.T) {
	d, out, err := trace(t, Data, "escapes", nil)
	if err != nil || out != "100 {190 190} 3072 100 300 11\n" {
		t.Fatalf("%v, output %q", err, out)
	}
	for name, want := range map[string]uint64{
		"main.captured.x":  101, // in the goroutine, and here
		"main.addressed.y": 50,
		"main.stored":      51,
		"main.pair.b":      20,
		"main.parameter.p": 21,
		"main.n":           30,
	} {
		if n := part(t, d.Objects, name).Accesses; n != want {
			t.Errorf("%s: %d accesses, expected %d", name, n, want)
		}
	}
	for name, want := range map[string][2]uint64{ // accesses, cold
		"main.captured.func1": {100, 1}, "main.captured": {1, 0}, "main.addressed": {150, 1},
		"main.structured": {60, 2}, "main.parameter": {21, 1}, "main.array": {100, 100},
		"main.flags": {60, 2},
	} {
		if f := part(t, d.Functions, name); f.Accesses != want[0] || f.First() != want[1] {
			t.Errorf("%s: %d accesses, %d cold, expected %v", name, f.Accesses, f.First(), want)
		}
	}
	if d.Accounts.Unknown != 0 || d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd", d.Accounts.Unknown, d.OddEvents)
	}
}

// Values of a literal are stored; zeros that nobody wrote are not.
func TestInitialValues(t *testing.T) {
	d, _, err := trace(t, Data, "initial", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{"main.fields": 3, "main.places": 4, "main.zeros": 0,
		"main.slice": 3, "main.keyed": 0, "main.array": 2, "main.value": 1, "main.zero": 0,
		"main.made": 0, "main.variables": 4} {
		n, cold := uint64(0), uint64(0)
		for _, p := range d.Functions {
			if p.Name == name {
				n, cold = p.Accesses, p.First()
			}
		}
		if n != want || name != "main.variables" && cold != n {
			t.Errorf("%s: %d accesses, %d of them cold, expected %d", name, n, cold, want)
		}
	}
	if d.Accounts.Left != 1 || len(d.places(leftAccount)) != 1 || d.Accounts.Unknown != 0 ||
		d.OddEvents != 0 {
		t.Errorf("%d unknown, %d odd, left %+v", d.Accounts.Unknown, d.OddEvents, d.Places)
	}
}
