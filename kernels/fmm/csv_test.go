package fmm

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"krdlab/kernels/kernel"
)

func TestParseBodies(t *testing.T) {
	for _, test := range []struct {
		text string
		want []body
	}{
		{"1,2,3,4\n", []body{{1, 2, 3, 4}}},
		{"x,y,z,q\n1,2,3,4", []body{{1, 2, 3, 4}}},
		{"\ufeffX, Y, Z, Q\r\n 1 , 2e-3,-3,+4.5\r\n\r\n0x1p4,0,0,-1\r\n", []body{{1, 2e-3, -3, 4.5},
			{16, 0, 0, -1}}},
	} {
		got, err := parseBodies(strings.NewReader(test.text), "b.csv")
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestBadFiles(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "b.csv: expected lines x,y,z,q, there are no bodies"},
		{"x,y,z,q\n\n", "b.csv: expected lines x,y,z,q, there are no bodies"},
		{"1,2,3\n", "b.csv:1: expected 4 columns x,y,z,q, there are 3"},
		{"x,y,z,q\n1,2,3,4\n1,2,3,4,5\n", "b.csv:3: expected 4 columns x,y,z,q, there are 5"},
		{"1,2,3,4\n1,two,3,4\n", `b.csv:2: expected a number for y, found "two"`},
		{"1,2,,4\n", "b.csv:1: expected a number for z"},
		{"1,2,3,4\n1,2,3,4\nNaN,2,3,4\n", `b.csv:3: expected a finite number for x, found "NaN"`},
		{"1,2,-inf,4\n", `b.csv:1: expected a finite number for z, found "-inf"`},
		{"1,2,3,1e999\n", `b.csv:1: expected q of at most 1e60 in size, found "1e999"`},
		{"1,2e61,3,1\n", `b.csv:1: expected y of at most 1e60 in size, found "2e61"`},
		{"a,b,c,d\n", `b.csv:1: expected a number for x, found "a"`},
		{"1;2;3;4\n", `b.csv:1: expected a number for x, found "1;2;3;4"`},
		{"1,2,3,4\nx,y,z,q\n", `b.csv:2: expected a number for x, found "x"`},
		{strings.Repeat("z", 100) + ",2,3,4\n", `b.csv:1: expected a number for x, found "` +
			strings.Repeat("z", 40) + `..."`},
		{"1,2,3,4\n" + strings.Repeat("1", maxLine+1),
			"b.csv:2: expected lines of less than 65536 bytes"},
	} {
		_, err := parseBodies(strings.NewReader(test.text), "b.csv")
		var input *InputError
		if !errors.As(err, &input) || !errors.Is(err, kernel.ErrData) || err.Error() != test.want {
			t.Errorf("%.60q:\n%v, want\n%s", test.text, err, test.want)
		}
	}
	path := filepath.Join(t.TempDir(), "missing.csv")
	if _, err := Kernel.New(Kernel.With(kernel.Params{"input": path}),
		kernel.Env{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := Kernel.Plan(Kernel.With(kernel.Params{"input": path})); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// Bodies come out as they go in, in their order, with the field of the definition; nothing is
// overwritten.
func TestInputToOutput(t *testing.T) {
	dir := t.TempDir()
	bodies := generate(plummer, 500, 3, 10, 8)
	text := header + "\n"
	for i := range bodies {
		b := &bodies[i]
		b.x += 100
		if b.q *= 7; i%4 == 0 {
			b.q = -b.q
		}
		for _, v := range []float64{b.x, b.y, b.z} {
			text += strconv.FormatFloat(v, 'g', -1, 64) + ","
		}
		text += strconv.FormatFloat(b.q, 'g', -1, 64) + "\n"
	}
	p := kernel.Params{"input": filepath.Join(dir, "in.csv"), "output": filepath.Join(dir,
		"out.csv"), "order": 8}
	if err := os.WriteFile(p.Word("input"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := Kernel.Plan(Kernel.With(p))
	if err != nil || plan.Bytes < 500*100 || plan.Resolved.Word("isa") == "auto" {
		t.Errorf("plan %+v, %v", plan, err)
	}
	made, err := Kernel.New(Kernel.With(p), kernel.Env{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	in := made.(*instance)
	in.Reset(false)
	run(t, in)
	if c := in.Check(); !c.Passed {
		t.Errorf("%+v", c)
	}
	if err := made.(kernel.Saver).Save(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(p.Word("output"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 501 || strings.Join(rows[0], ",") != outputHeader {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		var v [8]float64
		for k, s := range row {
			if v[k], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		want := direct(bodies, i)
		if (body{v[0], v[1], v[2], v[3]}) != bodies[i] || length(v[5]-want.x, v[6]-want.y,
			v[7]-want.z) > 0.02*length(want.x, want.y, want.z) {
			t.Errorf("row %d is %v, want %v with %v", i+1, row, bodies[i], want)
		}
	}
	if err := in.Save(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second save: %v", err)
	}
	_, err = Kernel.Plan(Kernel.With(p))
	var pe *kernel.ParamError
	if !errors.As(err, &pe) || pe.Name != "output" {
		t.Errorf("an output that exists: %v", err)
	}
}

func TestBadParametersAreNamed(t *testing.T) {
	for name, value := range map[string]any{
		"dist": "disc", "radius": "-1", "cut": "0", "theta": "1", "order": 11, "ncrit": 0,
		"bodies": -1, "mutual": "maybe", "isa": "mmx",
		"cutoff": -1, "split": -1,
	} {
		_, err := Kernel.New(Kernel.With(kernel.Params{"bodies": 8, name: value}), kernel.Env{})
		var pe *kernel.ParamError
		if !errors.As(err, &pe) || pe.Name != name {
			t.Errorf("%s=%v: error %v does not name the parameter", name, value, err)
		}
	}
}
