package house

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var listWords = flag.Bool("list-words", false, "print each place that TestWords counts")

// phrases are those that CONVENTIONS calls translated: a clause as subject or complement, and parts of
// a program that speak.
var phrases = map[string]*regexp.Regexp{
	"is what":  regexp.MustCompile(`\b(?:is|are|was|were|be) what\b`),
	"of which": regexp.MustCompile(`\bof which\b|\bthat which\b`),
	"What ...": regexp.MustCompile(`(?:^|[.;:] )What [^?]*?[.;:]`),
	"says":     regexp.MustCompile(`\b\w+ (?:says|tells|knows)\b`),
}

// mostWords is how often each kind of text may have each phrase. "noun" counts functions whose comment
// does not begin with their name and a verb in the third person.
var mostWords = map[string]map[string]int{
	"docs":     {"of which": 2}, // quotations, one of them of a table
	"strings":  {"of which": 1}, // likewise
	"comments": {"is what": 10, "of which": 10, "What ...": 15, "says": 10, "noun": 10},
}

// TestWords counts them in docs, in texts for users, and in comments.
func TestWords(t *testing.T) {
	got := map[string]map[string]int{"docs": {}, "strings": {}, "comments": {}}
	count := func(kind, place, text string) {
		for name, p := range phrases {
			for _, found := range p.FindAllString(text, -1) {
				if of, _, _ := strings.Cut(found, " "); name == "says" && speakers[of] {
					continue
				}
				if got[kind][name]++; *listWords {
					fmt.Printf("%s: %s: %s: %s\n", place, kind, name, found)
				}
			}
		}
	}
	for _, s := range tree(t) {
		if s.syntax == nil {
			for i, p := range paragraphs(s.text) {
				count("docs", fmt.Sprintf("%s, paragraph %d", s.name, i+1), p)
			}
			continue
		}
		if ast.IsGenerated(s.syntax) {
			continue
		}
		at := func(p token.Pos) string { return fmt.Sprintf("%s:%d", s.name, s.fset.Position(p).Line) }
		for _, c := range s.syntax.Comments {
			count("comments", at(c.Pos()), strings.Join(strings.Fields(c.Text()), " "))
		}
		if s.test {
			continue
		}
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
					count("strings", at(n.Pos()), text)
				}
			case *ast.FuncDecl:
				if n.Doc != nil && !begins(n.Doc.Text(), n.Name.Name) {
					if got["comments"]["noun"]++; *listWords {
						fmt.Printf("%s: comments: noun: %.80s\n", at(n.Pos()), n.Doc.Text())
					}
				}
			}
			return true
		})
	}
	for kind, counts := range got {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			if n, most := counts[name], mostWords[kind][name]; n > most {
				t.Errorf("%q %d times in %s, expected at most %d (-list-words prints where)", name, n, kind, most)
			}
		}
	}
}

// speakers may say, tell and know: people, and words before a relative clause.
var speakers = map[string]bool{"that": true, "who": true, "he": true, "she": true, "paper": true,
	"author": true, "which": true, "nobody": true}

// begins reports whether a comment begins with the name of its function and a verb in the third person,
// or is about several functions or none.
func begins(text, name string) bool {
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != name {
		return true
	}
	verb := strings.TrimRight(words[1], ",:")
	return strings.HasSuffix(verb, "s") && !slices.Contains([]string{"is", "was", "has", "as", "this"}, verb) ||
		slices.Contains([]string{"and", "or", "must", "may", "can", "implements"}, verb)
}

// paragraphs returns those of a page, and its rows of tables, without code and headings.
func paragraphs(text string) (list []string) {
	code, open := false, ""
	end := func() {
		if open != "" {
			list = append(list, open)
		}
		open = ""
	}
	for _, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
			end()
		case code, strings.HasPrefix(line, "    "), strings.HasPrefix(line, "#"), strings.TrimSpace(line) == "":
			end()
		case strings.HasPrefix(line, "|"):
			end()
			list = append(list, line)
		default:
			open = strings.TrimSpace(open + " " + strings.TrimSpace(line))
		}
	}
	end()
	return list
}

// The count sees each phrase, and comments that begin as they should.
func TestWordsAreSeen(t *testing.T) {
	for name, text := range map[string]string{"is what": "This is what it does.", "of which": "three, of which two",
		"What ...": "It runs. What it does is kept.", "says": "The table says so."} {
		if !phrases[name].MatchString(text) || phrases[name].MatchString("It returns the sum.") {
			t.Errorf("%s is not seen in %q, or where it is not", name, text)
		}
	}
	if !begins("sum returns it", "sum") || begins("sum is the sum", "sum") || begins("sum the sum", "sum") ||
		!begins("The sum is exact", "TestSum") {
		t.Error("beginnings are not told apart")
	}
	got := paragraphs("# a\nb\nc\n\n    code\n| d |\n```\ne\n```\nf\n")
	if !slices.Equal(got, []string{"b c", "| d |", "f"}) {
		t.Errorf("%q", got)
	}
}
