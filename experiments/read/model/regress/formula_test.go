package regress

import (
	"slices"
	"strings"
	"testing"
)

// formulas have the intercept and the labels that terms() of R 4.2.2 gives, over y, a, b, c and d.
var formulas = [][2]string{
	{"y ~ a + b:c", "1 + a + b:c"},
	{"y ~ a*b - a", "1 + b + a:b"},
	{"y ~ a/b", "1 + a + a:b"},
	{"y ~ (a+b)/c", "1 + a + b + a:b:c"},
	{"y ~ a^2", "1 + a"},
	{"y ~ (a+b+c)^3 - a:b:c", "1 + a + b + c + a:b + a:c + b:c"},
	{"y ~ b:a + a", "1 + a + b:a"},
	{"y ~ a:b + b*a", "1 + b + a + a:b"},
	{"y ~ a + b - 1", "0 + a + b"},
	{"y ~ a + b + 0", "0 + a + b"},
	{"y ~ 0 + a", "0 + a"},
	{"y ~ -1 + a", "0 + a"},
	{"y ~ a*b*c - a:b:c", "1 + a + b + c + a:b + a:c + b:c"},
	{"y ~ a + b*c:d", "1 + a + b + c:d + b:c:d"},
	{"y ~ (a+b):(c+d)", "1 + a:c + a:d + b:c + b:d"},
	{"y ~ (a+b)*(c+d) - b:d", "1 + a + b + c + d + a:c + a:d + b:c"},
	{"y ~ I(a^2) + a", "1 + I(a^2) + a"},
	{"log(y) ~ a", "1 + a"},
	{"y ~ `b c`:a + a", "1 + a + `b c`:a"},
	{"y ~ .", "1 + a + b + c + d"},
	{"y ~ . - a", "1 + b + c + d"},
	{"y ~ .^2", "1 + a + b + c + d + a:b + a:c + a:d + b:c + b:d + c:d"},
	{"y ~ (.)^2 - b:c", "1 + a + b + c + d + a:b + a:c + a:d + b:d + c:d"},
	{"log(y) ~ . + I(a^2)", "1 + a + b + c + d + I(a^2)"},
	{"y ~ a*b^2", "1 + a + b + a:b"},
	{"y ~ a:b^2", "1 + a:b"},
	{"y ~ a/b/c", "1 + a + a:b + a:b:c"},
	{"y ~ a/(b+c)", "1 + a + a:b + a:c"},
	{"y ~ a - a", "1"},
	{"y ~ 1", "1"},
	{"y ~ a + 1 - 1 + 1", "1 + a"},
	{"y ~ -a + b", "1 + b"},
	{"y ~ a - (b - a)", "1 + a"},
	{"y ~ (a+b)^2 - a", "1 + b + a:b"},
	{"y ~ a*b - b:a", "1 + a + b"},
	{"y ~ b:a + c:a:b", "1 + b:a + b:a:c"},
	{"y~a*b/c", "1 + a + b + a:b + a:b:c"},
	{"y~a/b*c", "1 + a + c + a:b + a:c + a:b:c"},
	{"y ~ a:(b+c)^2", "1 + a:b + a:c + a:b:c"},
	{"y ~ a + 0 + 1", "1 + a"},
	{"y ~ (a - 1) + b", "0 + a + b"},
	{"y ~ a + (b - 1)", "0 + a + b"},
	{"y ~ I(a+b)*c", "1 + I(a + b) + c + I(a + b):c"},
	{"y ~ I(a*b) + I(a/b) + I(-a) + I((a+b)^2)", "1 + I(a * b) + I(a/b) + I(-a) + I((a + b)^2)"},
	{"y ~ sqrt(a)*log(b)", "1 + sqrt(a) + log(b) + sqrt(a):log(b)"},
	{"y ~ a - b + b", "1 + a + b"},
	{"y ~ a + (b + 0)", "0 + a + b"},
	{"y ~ (0+a)*b", "0 + a + b + a:b"},
	{"y ~ a-(1)", "0 + a"},
	{"y ~ a+a:b-1", "0 + a + a:b"},
	{"y ~ (a:b)^2", "1 + a:b"},
	{"y ~ (a*b + c)^2", "1 + a + b + c + a:b + a:c + b:c + a:b:c"},
	{"y ~ y + a", "1 + y + a"},
	{"y ~ a - 0", "1 + a"},
	{"y~0", "0"},
	{"y ~ a*a", "1 + a"},
	{"y ~ a:1", "1"},
	{"y~a*1", "1 + a"},
	{"y ~ (a+1)^2", "1 + a"},
	{"y~(a+1):b", "1 + a:b"},
	{"y~-1-a", "0"},
	{"y~+a", "1 + a"},
}

// words returns the intercept and the terms of f.
func words(f *Formula) string {
	list := []string{"0"}
	if f.Intercept {
		list[0] = "1"
	}
	for _, t := range f.Terms {
		list = append(list, f.Name(t))
	}
	return strings.Join(list, " + ")
}

func TestTerms(t *testing.T) {
	columns := []string{"y", "a", "b", "c", "d"}
	for _, c := range formulas {
		f, err := Parse(c[0], columns)
		if err != nil {
			t.Errorf("%s: %v", c[0], err)
			continue
		}
		if got := words(f); got != c[1] {
			t.Errorf("%s: %s, R has %s", c[0], got, c[1])
		}
	}
}

// A product is next where each of its parts is a term.
func TestNext(t *testing.T) {
	for _, c := range [][2]string{
		{"y ~ (a+b+c)^2", "1 + a + b + c + a:b + a:c + b:c + a:b:c"},
		{"y ~ (a+b+c+d)^2 - b:d", "1 + a + b + c + d + a:b + a:c + a:d + b:c + c:d + a:b:c + a:c:d"},
		{"y ~ a*b + c", "1 + a + b + c + a:b"},
		{"y ~ a + b", "1 + a + b + a:b"},
		{"y ~ 1", "1"},
	} {
		f, err := Parse(c[0], []string{"y", "a", "b", "c", "d"})
		if err != nil {
			t.Fatal(err)
		}
		if got := words(f.Next()); got != c[1] {
			t.Errorf("after %s: %s, expected %s", c[0], got, c[1])
		}
	}
}

func TestGroups(t *testing.T) {
	for text, want := range map[string]string{
		"y ~ a | g": "g", "y ~ . - a | `my group`": "my group",
		"log(y) ~ a*b|g": "g", "y ~ a": ""} {
		f, err := Parse(text, []string{"y", "a", "b", "g", "my group"})
		if err != nil {
			t.Error(err)
		} else if f.Groups != want || slices.Contains(f.Variables, want) {
			t.Errorf("%s: groups %q, predictors %v; want %q", text, f.Groups, f.Variables, want)
		}
	}
}

func TestBadFormulas(t *testing.T) {
	for text, want := range map[string]string{
		"":              "has no response; expected y ~ a + b",
		"~ a":           "has no response; expected y ~ a + b",
		"y":             `the end at character 2 of "y"; expected ~`,
		"y ~":           "the end at character 4 of \"y ~\"; expected a column, a number or (",
		"y ~ a +":       "the end at character 8",
		"y ~ a b":       `"b" at character 7 of "y ~ a b"; expected the end, or an operator`,
		"y ~ (a + b":    "the end at character 11 of \"y ~ (a + b\"; expected )",
		"y ~ a)":        `")" at character 6`,
		"y ~ sin(a)":    "no function sin; expected log, log2",
		"y ~ a^b":       "the exponent b; expected a whole number from 1 to 9, or I(a^b)",
		"y ~ a^0":       "the exponent 0; expected a whole number",
		"y ~ a^1.5":     "the exponent 1.5; expected a whole number",
		"y ~ a^12":      "the exponent 12; expected a whole number",
		"y ~ 2":         "2 is no term; expected a column, 0 or 1",
		"y ~ `a":        "\"`a\" at character 5",
		"y ~ ``":        "\"``\" at character 5",
		"y ~ a | ":      "the end at character 9 of \"y ~ a | \"; expected a column",
		"y ~ a | 1":     `"1" at character 9 of "y ~ a | 1"; expected a column`,
		"y ~ a | b + c": `"+" at character 11`,
		"y ~ a & b":     `"&" at character 7`,
		"y ~ a ~ b":     `"~" at character 7`,
		"y ~ log(a:b)":  `":" at character 10 of "y ~ log(a:b)"; expected )`,
		"y ~ log()":     `")" at character 9`,
		"y ~ factor(1)": "factor(1); expected factor(COLUMN)",
		"y ~ 1e999":     `"1e999" at character 5 of "y ~ 1e999"; expected a number`,
		"y ~ I(.)":      "no column .",
		"y ~ -z":        "no column z; the table has a, b, c, p",
		"y ~ a - z":     "no column z; the table has a, b, c, p",
		"y ~ ä + %":     `"%" at character 9`,
	} {
		f, err := Parse(text, []string{"y", "a", "b", "c"})
		if err == nil {
			_, err = NewDesign(mixed(1, 9, false), f)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: nothing panics, and a formula printed and read again has the same terms.
func FuzzParse(f *testing.F) {
	for _, c := range formulas {
		f.Add(c[0])
	}
	f.Add("log(y)/2 ~ factor(a):`b b` + I(-a^-(2 - b)) | `g g`")
	f.Add("-y ~ ((a + b)^2)^2")
	columns := []string{"y", "a", "b c", "é"}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60 || strings.Count(text, ".")+strings.Count(text, "^") > 4 {
			t.Skip()
		}
		p, err := Parse(text, columns)
		if err != nil {
			return
		}
		q, err := Parse(p.String(), columns, p.Variables...)
		if err != nil {
			t.Fatalf("%q is %q: %v", text, p, err)
		}
		if words(p) != words(q) || p.Response != q.Response || p.Groups != q.Groups {
			t.Fatalf("%q is %q, and that %q", text, p, q)
		}
	})
}
