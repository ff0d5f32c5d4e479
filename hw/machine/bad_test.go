package machine

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// good returns a file that reads, to be broken.
func good(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/good.toml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each case replaces a line of a good file, and the whole message is compared.
func TestBadFiles(t *testing.T) {
	const (
		times     = `a time like "45ns" or "4 cycles" (ps, ns, us, ms, cycles of core.clock; sums with +)`
		sizes     = `a size like "32KiB" (B, KiB, MiB, GiB)`
		count     = `a whole number from 1 to 16777216`
		rateLike  = `a rate like "7.7Gop/s" (op/s, kop/s, Mop/s, Gop/s)`
		tables    = `costs, families, fits, ranges, sources, name, description, nodes, cores_per_node, nodes_per_socket, core, rates, l1, l2, llc, memory`
		costNames = `one of spawn, pop, steal_local, steal_remote, steal_failed, mail, join, rest, lock, lock_handover, lock_delay, kernel, frame`
	)
	for _, c := range []struct{ name, old, new, want string }{
		{"no TOML", `nodes = 4`, `nodes = `,
			`bad.toml:2: found unexpected character U+000A at start of value, expected TOML`},
		{"twice", `nodes = 4`, "nodes = 4\nnodes = 4",
			`bad.toml:3: found key nodes is already defined, expected TOML`},
		{"fits", `nodes = 4`, "nodes = 4\nfits = 3",
			`bad.toml:3: fits: found 3, expected tables [[fits]]`},
		{"a fit of nothing", `nodes = 4`,
			"nodes = 4\nfits = [{quantity = \"wti\", kernel = \"matmul\", cores = 1}]",
			`bad.toml:3: fits: found "wti" as quantity of table 1, expected "serial.time_ns" or "ovr"`},
		{"a fit without cores", `nodes = 4`,
			"nodes = 4\nfits = [{quantity = \"ovr\", kernel = \"matmul\"}]",
			`bad.toml:3: fits: found nothing as cores of table 1, expected ` + count},
		{"a fit of more", `nodes = 4`, "nodes = 4\nfits = [{quantity = \"ovr\", kernel = \"a\", cores = 1, target = -1, value = 3}]",
			"bad.toml:3: fits: found -1 as target of table 1, expected a number above 0\n" +
				"bad.toml:3: fits: found an unknown field as value of table 1, expected one of " +
				"quantity, kernel, params, cores, scheduler, target"},
		{"no nodes", `nodes = 4`, `nodes = 0`, `bad.toml:2: nodes: found 0, expected ` + count},
		{"no cores", `cores_per_node = 2`, `cores_per_node = 0`,
			`bad.toml:3: cores_per_node: found 0, expected ` + count},
		{"negative cores", `cores_per_node = 2`, `cores_per_node = -6`,
			`bad.toml:3: cores_per_node: found -6, expected ` + count},
		{"half a core", `cores_per_node = 2`, `cores_per_node = 2.5`,
			`bad.toml:3: cores_per_node: found 2.5, expected ` + count},
		{"too many cores", `cores_per_node = 2`, `cores_per_node = 3000`,
			`bad.toml:3: cores_per_node: found 4 nodes of 3000 cores, expected at most 8192 cores`},
		{"too many nodes", `nodes = 4`, `nodes = 1028`,
			`bad.toml:2: nodes: found 1028, expected at most 1024`},
		{"sockets", `nodes_per_socket = 2`, `nodes_per_socket = 3`,
			`bad.toml:4: nodes_per_socket: found 3, expected a divisor of the 4 nodes`},
		{"domains", `nodes_per_domain = 2`, `nodes_per_domain = 3`,
			`bad.toml:39: memory.nodes_per_domain: found 3, expected a divisor of the 4 nodes`},
		{"name", `name = "good"`, `name = "good one"`,
			`bad.toml:1: name: found "good one", expected letters, digits, dots, underscores and hyphens, at most 64`},
		{"missing", `clock = "2GHz"`, ``,
			`bad.toml:6: core.clock: found nothing, expected a frequency like "1.86GHz" (Hz, kHz, MHz, GHz)`},
		{"missing table", "[l2]\nsize = \"64KiB\"\nways = 4\nline = \"64B\"\nlatency = \"5ns\"\n",
			``, "bad.toml:1: l2: found nothing, expected a table with size, ways, line, latency, bandwidth\n" +
				"bad.toml:24: l1.bandwidth: found an unknown field, expected one of size, ways, line, latency"},
		{"not a table", "[l2]\nsize = \"64KiB\"\nways = 4\nline = \"64B\"\nlatency = \"5ns\"\n",
			"[[l2]]\nsize = \"64KiB\"\n", `bad.toml:24: l2: found an array, expected a table`},
		{"a table", `ways = 3`, `ways = {n = 3}`,
			`bad.toml:33: llc.ways: found a table, expected ` + count},
		{"unit", `size = "3MiB"`, `size = "3MB"`, `bad.toml:32: llc.size: found "3MB", expected ` +
			sizes},
		{"no unit", `size = "3MiB"`, `size = 3145728`,
			`bad.toml:32: llc.size: found 3145728, expected ` + sizes},
		{"negative", "\nlocal = \"100ns\"", "\nlocal = \"-100ns\"",
			`bad.toml:40: memory.local: found "-100ns", expected ` + times + `, not negative`},
		{"fraction", "\nlocal = \"100ns\"", "\nlocal = \"100.0005ns\"",
			`bad.toml:40: memory.local: found "100.0005ns", expected a whole number of ps`},
		{"huge", "\nlocal = \"100ns\"", "\nlocal = \"1000.1ms\"",
			`bad.toml:40: memory.local: found "1000.1ms", expected at most 1000ms`},
		{"zero", "\nlocal = \"100ns\"", "\nlocal = \"0ns\"",
			`bad.toml:40: memory.local: found 0ns, expected more than that`},
		{"ways", `ways = 3`, `ways = 5`,
			`bad.toml:32: llc.size: found 3MiB, expected a multiple of 320B (5 ways of 64B)`},
		{"lines differ", `line = "64B" # llc`, `line = "128B"`,
			`bad.toml:34: llc.line: found 128B, expected 64B as in l1: lines of different sizes are not modelled`},
		{"line", `line = "64B" # l1`, `line = "48B"`, "bad.toml:21: l1.line: found 48B, expected " +
			"a power of two from 4B to 4KiB"},
		{"small llc", `size = "3MiB"`, `size = "48KiB"`, "bad.toml:32: llc.size: found 48KiB, " +
			"expected at least the 64KiB of l2\n" +
			"bad.toml:32: llc.size: found 48KiB, expected at least 128KiB, the L2 of 2 cores, " +
			"which an inclusive LLC holds"},
		{"inclusive", `size = "3MiB"`, `size = "96KiB"`,
			`bad.toml:32: llc.size: found 96KiB, expected at least 128KiB, the L2 of 2 cores, which an inclusive LLC holds`},
		{"fast llc", `latency = "20ns"`, `latency = "4.999ns"`,
			`bad.toml:35: llc.latency: found 4.999ns, expected at least the 5ns of l2`},
		{"bool", `inclusive = true`, `inclusive = "yes"`,
			`bad.toml:37: llc.inclusive: found "yes", expected true or false`},
		{"near is far", `remote = "150ns"`, `remote = "90ns"`,
			`bad.toml:41: memory.remote: found 90ns from memory 1 to 2, expected at least the 100ns of memory.local`},
		{"rows", `remote = "150ns"`, `remote = [["100ns", "150ns"]]`,
			`bad.toml:41: memory.remote: found 1 rows, expected a time, or a matrix of times with a row and a column for each of 2 memories`},
		{"columns", `remote = "150ns"`, `remote = [["100ns", "150ns"], ["150ns"]]`,
			`bad.toml:41: memory.remote: found 1 columns in row 2, expected a time, or a matrix of times with a row and a column for each of 2 memories`},
		{"diagonal", `remote = "150ns"`, `remote = [["100ns", "150ns"], ["150ns", "110ns"]]`,
			`bad.toml:41: memory.remote: found 110ns from memory 2 to 2, expected 100ns as in memory.local`},
		{"one memory", `nodes_per_domain = 2`, `nodes_per_domain = 4`,
			`bad.toml:41: memory.remote: found "150ns", expected nothing: the machine has one memory`},
		{"page", `page = "4KiB"`, `page = "5KiB"`,
			`bad.toml:45: memory.page: found 5KiB, expected a power of two of at least a line, 64B`},
		{"word", `placement = "interleave"`, `placement = "striped"`,
			`bad.toml:46: memory.placement: found "striped", expected "interleave" or "node0"`},
		{"unknown", `overlap = 8`, "overlap = 8\nprefetch = 2",
			`bad.toml:48: memory.prefetch: found an unknown field, expected one of nodes_per_domain, local, remote, core_bandwidth, bandwidth, node_bandwidth, page, placement, overlap, gather`},
		{"unknown at top", `nodes = 4`, "nodes = 4\nsockets = 2",
			`bad.toml:3: sockets: found an unknown field, expected one of ` + tables},
		{"unknown table", `[costs]`, "[l4]\nsize = \"1MiB\"\n[costs]",
			`bad.toml:50: l4: found an unknown table, expected one of ` + tables},
		{"dotted name", `nodes = 4`, "nodes = 4\n\"l1.size\" = \"16KiB\"",
			`bad.toml:3: "l1.size": found an unknown field, expected one of ` + tables},
		{"missing cost", `rest = "1us"`, ``, `bad.toml:50: costs.rest: found nothing, expected ` +
			times},
		{"a free rest", `rest = "1us"`, `rest = "0ns"`,
			`bad.toml:58: costs.rest: found 0ns, expected at least 1ns: idle workers repeat it`},
		{"prices that idle workers repeat", "pop = \"5ns\"\nsteal_local = \"100ns\"\n" +
			"steal_remote = \"300ns\"\nsteal_failed = \"50ns\"\nmail = \"20ns\"\njoin = \"15ns\"\n",
			"pop = \"0.5ns\"\nsteal_local = \"0ns\"\nsteal_remote = \"0ns\"\n" +
				"steal_failed = \"0ns\"\nmail = \"1 cycles\"\njoin = \"999ps\"\n",
			"bad.toml:52: costs.pop: found 500ps, expected at least 1ns: idle workers repeat it\n" +
				"bad.toml:55: costs.steal_failed: found 0ns, expected at least 1ns: idle workers " +
				"repeat it\n" +
				"bad.toml:56: costs.mail: found 500ps, expected at least 1ns: idle workers repeat " +
				"it\n" +
				"bad.toml:57: costs.join: found 999ps, expected at least 1ns: idle workers " +
				"repeat it"},
		{"a free lock of a family", `lock = "50ns" # shepherd`, `lock = "0ns"`,
			"bad.toml:64: families.qthreads-socket.lock: found 0ns, expected at least 1ns: idle " +
				"workers repeat it"},
		{"unknown cost", `rest = "1us"`, "rest = \"1us\"\nsleep = \"1us\"",
			`bad.toml:59: costs.sleep: found an unknown field, expected ` + costNames},
		{"unknown cost of a family", `lock = "50ns" # shepherd`, `locks = "50ns"`,
			`bad.toml:64: families.qthreads-socket.locks: found an unknown field, expected ` +
				costNames},
		{"family", `[families.qthreads-socket]`,
			"[families]\nshepherds = 3\n[families.qthreads-socket]",
			`bad.toml:64: families.shepherds: found 3, expected a table`},
		{"prices by scheduler", `[families.qthreads-socket]`, `[policies.shepherd-socket]`,
			`bad.toml:63: policies: found an unknown table, expected one of ` + tables},
		{"rate", `scalar = "2Gop/s"`, `scalar = "2GFLOP/s"`,
			`bad.toml:12: rates.scalar: found "2GFLOP/s", expected ` + rateLike},
		{"a kind of operation", `hash = "10Mop/s"`, "hash = \"10Mop/s\"\nm2l = \"1Gop/s\"",
			`bad.toml:18: rates.m2l: found an unknown field, expected one of fused, single, double, scalar, chain, divide, integer, branch, hash`},
		{"a file of before", "[rates]", "flops = \"10GFLOP/s\"\n[kernels.m2l]\ncall = \"1ns\"\n[other]",
			"bad.toml:1: rates: found nothing, expected a table with fused, single, double, scalar, chain, divide, integer, branch, hash\n" +
				"bad.toml:8: core.flops: found one rate for all operations, expected [rates] with one for each kind\n" +
				"bad.toml:9: kernels: found rates of kernels, expected none: [rates] has those of their operations\n" +
				"bad.toml:11: other: found an unknown table, expected one of " + tables},
		{"source", `"l1.latency" = "measured"`, `"l1.latncy" = "measured"`,
			`bad.toml:68: sources."l1.latncy": found no field or table "l1.latncy" of this machine, expected the path of one that is there`},
		{"source of a rate", `"l1.latency" = "measured"`, `rates.m2l = "measured"`,
			`bad.toml:68: sources.rates.m2l: found no field or table "rates.m2l" of this machine, expected the path of one that is there`},
		{"number for a source", `"l1.latency" = "measured"`, `"l1.latency" = 4`,
			`bad.toml:68: sources."l1.latency": found 4, expected a text that says where the number is from`},
		{"two sources", `"l1.latency" = "measured"`,
			"\"l1.latency\" = \"measured\"\nl1.latency = \"guessed\"",
			`bad.toml:68: sources."l1.latency": found a second source of l1.latency, expected one`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := good(t)
			if strings.Count(text, c.old) != 1 {
				t.Fatalf("%q is in the good file %d times", c.old, strings.Count(text, c.old))
			}
			_, err := Parse("bad.toml", []byte(strings.Replace(text, c.old, c.new, 1)))
			if err == nil {
				t.Fatal("it was accepted")
			}
			if err.Error() != c.want {
				t.Errorf("the error is\n%s\nit should be\n%s", err, c.want)
			}
			var f *FieldError
			if !errors.As(err, &f) || f.File != "bad.toml" || f.Line == 0 {
				t.Errorf("the error holds %+v", f)
			}
		})
	}
}

// Whatever Parse accepts can be written and is then the same; nothing makes it panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good(f)))
	for _, name := range Names() {
		text, err := builtin.ReadFile("machines/" + name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(strings.Replace(good(f), "nodes = 4", "nodes = 4\nfits = [{quantity = \"ovr\", "+
		"kernel = \"a\", cores = 1, target = 9223372036854775807}]", 1)))
	f.Add([]byte("l1 = {size = \"1B\", a.b = 1}\n[[x]]\n[\"\\u0022\"]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("f", text)
		if err != nil {
			return
		}
		var b, c bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatalf("read and not written: %v", err)
		}
		again, err := Parse("written", b.Bytes())
		if err != nil {
			t.Fatalf("written and not read: %v\n%s", err, b.Bytes())
		}
		if err := again.Write(&c); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Fatalf("the second writing differs (%v):\n%s\n%s", err, b.Bytes(), c.Bytes())
		}
		if again.Hash() != m.Hash() {
			t.Fatal("another hash")
		}
		if _, err := m.Topology(); err != nil {
			t.Fatal(err)
		}
	})
}

// Text with a byte order mark is read as without it; in another encoding it is an error with its
// line.
func TestEncoding(t *testing.T) {
	m, err := Parse("m.toml", []byte(good(t)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("m.toml", []byte("\ufeff"+strings.ReplaceAll(good(t), "\n", " \r\n")))
	if err != nil || got.Hash() != m.Hash() {
		t.Errorf("with a mark, CRLF and blanks: %v", err)
	}
	for text, want := range map[string]string{
		"# a\n# caf\xe9\n": `m.toml:2: found bytes that are no UTF-8 in "# caf\xe9", expected UTF-8`,
		"\xff\xfe#\x00":    "m.toml:1: found UTF-16, expected UTF-8",
	} {
		if _, err := Parse("m.toml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
