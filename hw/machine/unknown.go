package machine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// unknown refuses fields that were not taken.
func (r *reader) unknown() {
	// the keys of each table
	known := map[string][]string{"": {"costs", "families", "fits", "ranges", "sources"},
		"families": slices.Sorted(maps.Keys(r.m.Families))}
	r.m.walk(func(f *field) {
		table, last, _ := cutLast(f.path)
		if _, _, nested := cutLast(table); !nested && table != "" &&
			!slices.Contains(known[""], table) {
			known[""] = append(known[""], table)
		}
		known[table] = append(known[table], last)
	})
	isTable := func(path string) bool { _, ok := known[path]; return ok }
	for _, path := range slices.Sorted(maps.Keys(r.values)) {
		table, _, _ := cutLast(path)
		switch {
		case isTable(path):
			r.fail(path, show(r.values[path]), "a table")
		case r.used[path]:
		case path == "core.flops":
			r.fail(path, "one rate for all operations", "[rates] with one for each kind")
		case table == "families":
			r.fail(path, show(r.values[path]), "a table")
		case isTable(table):
			r.fail(path, "an unknown field", "one of "+strings.Join(known[table], ", "))
		default: // in a table that is an error itself
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.tables)) {
		table, _, _ := cutLast(path)
		if path == "kernels" {
			r.fail(path, "rates of kernels", "none: [rates] has those of their operations")
			continue
		}
		if path != "" && !isTable(path) && isTable(table) && !r.used[path] {
			r.fail(path, "an unknown table", "one of "+strings.Join(known[table], ", "))
		}
	}
}

// sources reads the texts under [sources]. Keys may be nested tables (l1.latency = "...") or paths
// ("l1.latency" = "...").
func (r *reader) sources(at, path string, v any, places map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			r.sources(under(at, key(k)), under(path, k), v[k], places)
		}
	case string:
		switch {
		case !places[path]:
			r.fail(at, "no field or table "+strconv.Quote(path)+" of this machine",
				"the path of one that is there")
		case !oneLine(v) || v == "":
			r.fail(at, show(v), "one line of text")
		case r.m.Sources[path] != "":
			r.fail(at, "a second source of "+path, "one")
		default:
			if r.m.Sources == nil {
				r.m.Sources = map[string]string{}
			}
			r.m.Sources[path] = v
		}
	default:
		r.fail(at, show(v), "a text that says where the number is from")
	}
}

// show returns what was found.
func show(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) > 60 {
			v = v[:60] + "..."
		}
		return strconv.Quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
