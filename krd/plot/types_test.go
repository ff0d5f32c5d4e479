package plot

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"krdlab/hw/units"
)

// The types that page.js is checked with are those of krd/
func TestTypes(t *testing.T) {
	b, err := os.ReadFile("../doc/types.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []any{Figure{}, Panel{}, Axis{}, Tick{}, Series{},
		Point{}, Rule{}} {
		if want := interfaceOf(reflect.TypeOf(of)); !strings.Contains(string(b), want) {
			t.Errorf("types.d.ts lacks\n%s", want)
		}
	}
	var kinds []string
	for _, k := range []Kind{Lines, Stacked} {
		kinds = append(kinds, "'"+string(k)+"'")
	}
	want := "type Kind = " + strings.Join(kinds, " | ") + ";\n"
	if !strings.Contains(string(b), want) {
		t.Errorf("types.d.ts lacks\n%s", want)
	}
}

// interfaceOf returns a struct that becomes JSON as TypeScript.
func interfaceOf(t reflect.Type) string {
	var b strings.Builder
	fmt.Fprintf(&b, "interface %s {\n", t.Name())
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if options == "omitempty" {
			name += "?"
		}
		fmt.Fprintf(&b, "  %s: %s;\n", name, scriptType(f.Type))
	}
	b.WriteString("}\n")
	return b.String()
}

func scriptType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[units.Number]():
		return "number | null"
	case t.Kind() == reflect.Slice:
		return scriptType(t.Elem()) + "[]"
	case t.Kind() == reflect.Int || t.Kind() == reflect.Float64:
		return "number"
	case t.Kind() == reflect.Bool:
		return "boolean"
	}
	return t.Name() // string too
}
