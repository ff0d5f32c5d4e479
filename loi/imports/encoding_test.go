package imports

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"krdlab/loi"
)

// utf16LE encodes a text as UTF-16, without a mark.
func utf16LE(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

// Changes that editors and other systems make to a text do not matter, or are an error with its
// line: a byte order mark, ends of lines, white space at the ends of lines and of the file, Latin-1
// and UTF-16.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		format, in string
		// what is wrong with white space at the ends of lines, with empty lines at the end, and with
		// é in Latin-1; "" for nothing
		space, blanks, latin1 string
	}{
		{"csv", header + "1,0,é,1,64,r\n2,0,x,1,64,w\n",
			`line 1: unknown column "mode `, "line 4: an empty line", `line 2: column "object": ` +
				`bytes that are no UTF-8 in "\xe9", expected a name`},
		{"lackey", " L 10,4\n S 18,4\n L 20,4\n", "", "", ""},
		{"keysize", "key,size\né,64\n5,64\n", "", "", ""},
		{"keysize", "é 64\n5\t64\n", "", "", ""},
		{"text", textOf(t, header+"1,0,é,1,64,r\n2,0,x,1,64,w\n"), "", "",
			`bytes that are no UTF-8 in "`},
	} {
		crlf := strings.ReplaceAll(c.in, "\n", "\r\n")
		want, _, err := importText(t, c.in, Options{Format: c.format})
		if err != nil || want == "" {
			t.Fatalf("%s: %q, %v", c.format, want, err)
		}
		for _, v := range []struct{ name, in, err string }{
			{"mark", "\ufeff" + c.in, ""},
			{"CRLF", crlf, ""},
			{"mark, CRLF", "\ufeff" + crlf, ""},
			{"blanks", strings.ReplaceAll(c.in, "\n", " \t\n"), c.space},
			{"blanks, CRLF", strings.ReplaceAll(c.in, "\n", " \r\n"), c.space},
			{"empty line", c.in + "\n", ""},
			{"empty lines", c.in + "\n \n\r\n", c.blanks},
			{"no end", strings.TrimSuffix(c.in, "\n"), ""},
			{"Latin-1", strings.ReplaceAll(c.in, "é", "\xe9"), c.latin1},
			{"UTF-16", "\xff\xfe" + utf16LE(c.in), "line 1: found UTF-16, expected UTF-8"},
			{"UTF-16 without a mark", utf16LE(strings.ReplaceAll(c.in, "é", "e")),
				"line 1: found UTF-16, expected UTF-8"},
		} {
			got, _, err := importText(t, v.in, Options{Format: c.format})
			if v.err == "" && (err != nil || got != want) ||
				v.err != "" && (err == nil || !strings.Contains(err.Error(), v.err)) {
				t.Errorf("%s, %s: %v\n%swant %q\n%s", c.format, v.name, err, got, v.err, want)
			}
		}
	}
}

// textOf returns the text form of the trace of a table.
func textOf(t *testing.T, table string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "t.loi")
	if _, err := Import(t.Context(), Source{Path: "-", Stdin: strings.NewReader(table)}, out,
		Options{}); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	var b strings.Builder
	if err := loi.WriteText(&b, trace); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
