package exports

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// A protoField is a line of testdata/perfetto.proto, a protoSchema all of them by message and
// number.
type protoField struct {
	name, typ string
	repeated  bool
}

type protoSchema map[string]map[protowire.Number]protoField

// A node is a decoded message: numbers as uint64, strings, and messages as *node, in the order in
// which they come.
type node struct {
	fields []string
	values map[string][]any
}

func (n *node) get(name string) any {
	if n == nil || len(n.values[name]) == 0 {
		return nil
	}
	return n.values[name][0]
}

func (n *node) uint(name string) uint64 { v, _ := n.get(name).(uint64); return v }
func (n *node) text(name string) string { v, _ := n.get(name).(string); return v }
func (n *node) child(name string) *node { v, _ := n.get(name).(*node); return v }
func (n *node) has(name string) bool    { return n.get(name) != nil }
func (n *node) list(name string) []*node {
	var out []*node
	if n != nil {
		for _, v := range n.values[name] {
			out = append(out, v.(*node))
		}
	}
	return out
}

func readSchema(t *testing.T) protoSchema {
	t.Helper()
	text, err := os.ReadFile("testdata/perfetto.proto")
	if err != nil {
		t.Fatal(err)
	}
	schema, message := protoSchema{}, ""
	field := regexp.MustCompile(`^  (optional|repeated) (\w+) (\w+) = (\d+);$`)
	for _, line := range strings.Split(string(text), "\n") {
		if name, ok := strings.CutPrefix(line, "message "); ok {
			message = strings.TrimSuffix(name, " {")
			schema[message] = map[protowire.Number]protoField{}
		} else if m := field.FindStringSubmatch(line); m != nil {
			var n protowire.Number
			fmt.Sscan(m[4], &n)
			if old, ok := schema[message][n]; ok {
				t.Fatalf("%s: number %d is both %s and %s", message, n, old.name, m[3])
			}
			schema[message][n] = protoField{m[3], m[2], m[1] == "repeated"}
		}
	}
	if len(schema) != 12 || len(schema["TrackEvent"]) != 8 {
		t.Fatalf("%d messages, TrackEvent with %d fields", len(schema), len(schema["TrackEvent"]))
	}
	return schema
}

// decode fails for a field that the schema does not have or has with another wire type, and for one
// too many.
func (s protoSchema) decode(t *testing.T, typ string, b []byte) *node {
	t.Helper()
	n := &node{values: map[string][]any{}}
	for len(b) > 0 {
		num, wire, k := protowire.ConsumeTag(b)
		f, ok := s[typ][num]
		if k < 0 || !ok {
			t.Fatalf("%s: no field %d (%v)", typ, num, protowire.ParseError(min(k, 0)))
		}
		b = b[k:]
		want, v := protowire.VarintType, any(nil)
		switch f.typ {
		case "uint64", "uint32", "int64", "int32", "bool":
			var u uint64
			u, k = protowire.ConsumeVarint(b)
			v = u
		case "fixed64":
			var u uint64
			u, k = protowire.ConsumeFixed64(b)
			want, v = protowire.Fixed64Type, u
		default:
			var c []byte
			c, k = protowire.ConsumeBytes(b)
			want = protowire.BytesType
			if k < 0 {
				break
			}
			if v = string(c); f.typ != "string" && f.typ != "bytes" {
				v = s.decode(t, f.typ, c)
			}
		}
		if wire != want || k < 0 {
			t.Fatalf("%s.%s: wire type %d, expected %d (%v)", typ, f.name, wire, want,
				protowire.ParseError(min(k, 0)))
		}
		if !f.repeated && n.has(f.name) {
			t.Fatalf("%s.%s comes twice", typ, f.name)
		}
		if !slices.Contains(n.fields, f.name) {
			n.fields = append(n.fields, f.name)
		}
		n.values[f.name] = append(n.values[f.name], v)
		b = b[k:]
	}
	return n
}

// A timeline is a file as Perfetto's trace processor reads it: tracks, and events with all names
// resolved.
type timeline struct {
	tracks map[uint64]string // by uuid: path of names
	events []happening       // in the order of time, then of the file
}

type happening struct {
	ns       uint64
	typ      uint64
	track    string
	name     string
	args     string
	counter  int64
	out, end []uint64 // flows that go on, and that end here
}

// read decodes and resolves data, and checks what Perfetto demands of a stream of packets.
func readTimeline(t *testing.T, data string) *timeline {
	t.Helper()
	root := readSchema(t).decode(t, "Trace", []byte(data))
	tl := &timeline{tracks: map[uint64]string{}}
	events, names, texts := map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
	add := func(into map[uint64]string, list []*node, text string) {
		for _, n := range list {
			if _, twice := into[n.uint("iid")]; twice || n.uint("iid") == 0 {
				t.Errorf("iid %d is used twice or 0", n.uint("iid"))
			}
			into[n.uint("iid")] = n.text(text)
		}
	}
	pids, tids := map[uint64]bool{}, map[uint64]bool{}
	for i, p := range root.list("packet") {
		if p.uint("trusted_packet_sequence_id") != 1 {
			t.Fatalf("packet %d is of sequence %d", i, p.uint("trusted_packet_sequence_id"))
		}
		if first := i == 0; first != (p.uint("sequence_flags") == 1) ||
			first != p.has("first_packet_on_sequence") {
			t.Errorf("packet %d has flags %d", i, p.uint("sequence_flags"))
		}
		data := p.child("interned_data")
		add(events, data.list("event_names"), "name")
		add(names, data.list("debug_annotation_names"), "name")
		add(texts, data.list("debug_annotation_string_values"), "str")
		if d := p.child("track_descriptor"); d != nil {
			name := d.text("name")
			if pr := d.child("process"); pr != nil {
				name, pids[pr.uint("pid")] = pr.text("process_name"), true
			}
			if th := d.child("thread"); th != nil {
				name = th.text("thread_name")
				if !pids[th.uint("pid")] || tids[th.uint("tid")] {
					t.Errorf("thread %q has process %d, tid %d", name, th.uint("pid"),
						th.uint("tid"))
				}
				tids[th.uint("tid")] = true
			}
			if d.has("parent_uuid") {
				parent, ok := tl.tracks[d.uint("parent_uuid")]
				if !ok {
					t.Errorf("track %q comes before its parent %d", name, d.uint("parent_uuid"))
				}
				name = parent + "/" + name
			}
			if _, twice := tl.tracks[d.uint("uuid")]; twice {
				t.Errorf("track %d comes twice", d.uint("uuid"))
			}
			if c := d.child("counter"); c != nil {
				name += fmt.Sprintf(" (unit %d)", c.uint("unit"))
			}
			tl.tracks[d.uint("uuid")] = name
		}
		e := p.child("track_event")
		if e == nil {
			continue
		}
		track, ok := tl.tracks[e.uint("track_uuid")]
		if !ok || p.uint("sequence_flags") != 2 {
			t.Errorf("packet %d: track %d, flags %d", i, e.uint("track_uuid"),
				p.uint("sequence_flags"))
		}
		h := happening{ns: p.uint("timestamp"), typ: e.uint("type"), track: track,
			name: e.text("name"), counter: int64(e.uint("counter_value"))}
		if e.has("name_iid") {
			if h.name, ok = events[e.uint("name_iid")]; !ok {
				t.Errorf("no event name %d", e.uint("name_iid"))
			}
		}
		var words []string
		for _, a := range e.list("debug_annotations") {
			words = append(words, annotation(t, a, names, texts))
		}
		h.args = strings.Join(words, " ")
		for _, v := range e.values["flow_ids"] {
			h.out = append(h.out, v.(uint64))
		}
		for _, v := range e.values["terminating_flow_ids"] {
			h.end = append(h.end, v.(uint64))
		}
		tl.events = append(tl.events, h)
	}
	for tid := range tids {
		if pids[tid] {
			t.Errorf("thread %d has the number of a process", tid)
		}
	}
	slices.SortStableFunc(tl.events, func(a, b happening) int {
		return cmp.Compare(a.ns, b.ns)
	})
	return tl
}

func annotation(t *testing.T, a *node, names, texts map[uint64]string) string {
	name := a.text("name")
	if a.has("name_iid") {
		var ok bool
		if name, ok = names[a.uint("name_iid")]; !ok {
			t.Errorf("no annotation name %d", a.uint("name_iid"))
		}
	}
	value := ""
	switch {
	case a.has("string_value_iid"):
		var ok bool
		if value, ok = texts[a.uint("string_value_iid")]; !ok {
			t.Errorf("no string %d", a.uint("string_value_iid"))
		}
	case a.has("string_value"):
		value = a.text("string_value")
	case a.has("uint_value"):
		value = fmt.Sprint(a.uint("uint_value"))
	case a.has("bool_value"):
		value = fmt.Sprint(a.uint("bool_value") == 1)
	case a.has("dict_entries"):
		var list []string
		for _, d := range a.list("dict_entries") {
			list = append(list, annotation(t, d, names, texts))
		}
		value = "{" + strings.Join(list, " ") + "}"
	case a.has("array_values"):
		var list []string
		for _, d := range a.list("array_values") {
			list = append(list, annotation(t, d, names, texts))
		}
		value = "[" + strings.Join(list, " ") + "]"
	default:
		t.Errorf("annotation %q has no value", name)
	}
	if name == "" {
		return value
	}
	return name + "=" + value
}
