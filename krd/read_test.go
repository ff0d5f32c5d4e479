package krd

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// The documents of krdlab krd and of krdlab trace go are read; other documents, and ones that
// contradict themselves, are refused with what was found.
func TestRead(t *testing.T) {
	r := &Report{SchemaVersion: SchemaVersion, Distance: Exclusive, Weight: WeightCount,
		Histogram: Histogram{Accesses: 6, AccessCount: 6, Cold: 3, Bins: []Bin{binOf(0, 1), binOf(1, 2)}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	got, parts, err := Read(bytes.NewReader(text))
	if err != nil || got.Accesses != 6 || got.Bins[1].Count != 2 || parts.Functions != nil {
		t.Errorf("%+v, %+v, %v", got, parts, err)
	}
	if got, parts, err = Read(strings.NewReader(`{"unit":"line","trace":null,"krd":` + string(text) +
		`,"functions":[{"name":"f"}]}`)); err != nil || got.Unit != "line" || got.Cold != 3 ||
		len(parts.Functions) != 1 {
		t.Errorf("%+v, %+v, %v", got, parts, err)
	}
	replaced := func(from, to string) string {
		s := strings.Replace(string(text), from, to, 1)
		if s == string(text) {
			t.Fatalf("there is no %s in %s", from, text)
		}
		return s
	}
	for want, text := range map[string]string{
		"unexpected end":             "",
		"no bins":                    "{}",
		"array":                      "[" + string(text) + "]",
		"in the trace x.loi":         `{"trace":"x.loi","krd":null}`,
		"schema_version is 9":        replaced(`"schema_version":1`, `"schema_version":9`),
		"bin 1 is from 3 to 2 bytes": replaced(`"from_bytes":1`, `"from_bytes":3`),
		"sum to 6, and accesses are": replaced(`"accesses":6`, `"accesses":7`),
	} {
		if _, _, err := Read(strings.NewReader(text)); !errors.Is(err, ErrDocument) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
