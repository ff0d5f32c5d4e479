package dag

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"krdlab/loi"
)

func TestSchedule(t *testing.T) {
	s := &Schedule{Program: "matmul n=64 leaf=32x32x64", Nodes: []int{0, 0, 1},
		Steps: []Step{{0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {1, loi.AfterPhase, 2}}}
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "krdlab schedule 1\nprogram matmul n=64 leaf=32x32x64\nnodes 0 0 1\n" +
		"0 0 2\n1 1 0\n1 0 1\n1 after 2\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
	got, err := ReadSchedule(strings.NewReader(want))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A text that is no schedule is refused, with the line.
func TestScheduleRefused(t *testing.T) {
	const head = "krdlab schedule 1\nprogram p\nnodes 0 0\n"
	for text, want := range map[string]string{
		"":                                     `line 1: bad schedule: found ""`,
		"krdlab schedule 2\n":                  "line 1:",
		"krdlab schedule 1\nnodes 0":           "line 2:",
		"krdlab schedule 1\nprogram ":          "line 3:",
		strings.Replace(head, "0 0", "0 x", 1): "line 3:",
		head:                                   "line 4:",
		head + "0 0\n":                         "line 4:",
		head + "0 0 0\n1 1 2\n":                "line 5: bad schedule: found \"1 1 2\", expected a worker below 2",
		head + "0 -1 0\n":                      "line 4:",
		head + "0 0 0 0\n":                     "line 4:",
		head + "0 4294967295 0\n":              "line 4:",
		head + "99999999999 0 0\n":             "line 4:",
		head + strings.Repeat("9", maxScheduleLine+1): "line 4:",
	} {
		_, err := ReadSchedule(strings.NewReader(text))
		if !errors.Is(err, ErrSchedule) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// FuzzSchedule reads bytes as a schedule; a good one is written and read again without a change.
func FuzzSchedule(f *testing.F) {
	const head = "krdlab schedule 1\nprogram fib n=6\nnodes 0 0 1\n"
	for _, steps := range []string{"0 0 2\n1 1 0\n1 after 2\n", "4294967295 4294967294 2\n",
		"0  0\t1\n", "0 after 0\r\n", "0 0 3\n", "+1 0 0\n"} {
		f.Add(head + steps)
	}
	f.Add(strings.Replace(head, "0 0 1", "2147483647", 1) + "0 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ReadSchedule(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, ErrSchedule) {
				t.Fatalf("%v is no ErrSchedule", err)
			}
			return
		}
		if len(s.Steps)+len(s.Nodes) > len(text) {
			t.Fatalf("%d steps and %d nodes of %d bytes", len(s.Steps), len(s.Nodes), len(text))
		}
		var b strings.Builder
		if err := s.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadSchedule(strings.NewReader(b.String()))
		if err != nil || !reflect.DeepEqual(s, again) {
			t.Fatalf("%v: %+v, then %+v", err, s, again)
		}
	})
}
