package doc

import (
	"encoding/json"
	"slices"
	"testing"
)

// An answer whose evidence does not do is not given.
func TestConclude(t *testing.T) {
	const fastest Code = "test_fastest"
	Catalogue(map[Code]Entry{fastest: {Level: Answer, Words: "%v is the fastest", Needs: Needs{N: 6, P: 0.05}}})
	defer delete(catalogue, fastest)
	for _, c := range []struct {
		e    *Evidence
		want string
	}{
		{&Evidence{N: 6, P: 0.01, Looks: 4}, "slaw is the fastest"},
		{nil, "test_fastest cannot be told: there is no evidence"},
		{&Evidence{N: 3, P: 0.01}, "test_fastest cannot be told: 3 are there, and 6 are needed"},
		{&Evidence{N: 6, P: 0.2, Looks: 4}, "test_fastest cannot be told: p is 0.2, corrected for 4 looks, and 0.05 is needed"},
	} {
		f := Find(fastest, "slaw")
		f.Evidence = c.e
		var d Concluded
		if d.Conclude(f); !slices.Equal(d.Warnings, []string{c.want}) || len(d.Findings) != 1 {
			t.Errorf("%+v: %q, expected %q", c.e, d.Warnings, c.want)
		}
	}
	if s := Find("from_the_future", 1, "two").Sentence(); s != "from_the_future [1 two]" {
		t.Error(s)
	}
}

// A finding of several is printed once, with their number; another subject is another finding.
func TestOnce(t *testing.T) {
	f := Find("test_once", 1)
	got := Sentences(Once("results", []Finding{f, f, f.About("A"), f, Find("test_once", 2)}))
	want := []string{"test_once [1] (3 results)", "A: test_once [1]", "test_once [2]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

// A finding that was written to a document and read has the same sentence, numbers above a million
// too.
func TestReadAgain(t *testing.T) {
	const lost Code = "test_lost"
	Catalogue(map[Code]Entry{lost: {Level: Doubt, Words: "%v records of %v"}})
	defer delete(catalogue, lost)
	f := Find(lost, uint64(12_000_000), "a")
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var again Finding
	if err := json.Unmarshal(text, &again); err != nil || again.Sentence() != f.Sentence() {
		t.Errorf("%q, read again %q, %v", f.Sentence(), again.Sentence(), err)
	}
}

// An argument is a number whatever its type.
func TestWholeOfAnyNumber(t *testing.T) {
	for i, x := range []any{uint32(3), int8(3), uint64(3), 3, 3.5} {
		if n := (Args{x}).Whole(0); n != 3 {
			t.Errorf("argument %d is %d, expected 3", i, n)
		}
	}
	if n := (Args{nil, "3"}); n.Whole(0) != 0 || n.Whole(1) != 0 || n.Whole(2) != 0 {
		t.Error("what is no number is not 0")
	}
}
