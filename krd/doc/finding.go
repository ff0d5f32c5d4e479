package doc

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// A Finding is a conclusion or a doubt as a value: a code, and the numbers and names that belong to
// it. The catalogue has its words; nothing looks at sentences.
type Finding struct {
	Code Code `json:"code"`
	// Subject is the input, the cell or the programs that it is about; "": what was asked for.
	Subject string `json:"subject,omitempty"`
	Args    []any  `json:"args"`
	// Count is how many have it, where several do, of what Of names.
	Count int    `json:"count,omitempty"`
	Of    string `json:"of,omitempty"`
	// Evidence supports an answer; nil: it needs none.
	Evidence *Evidence `json:"evidence,omitempty"`
}

// A Code names what a finding is about. Documents keep codes: they are added, never renamed.
type Code string

// Find returns a finding.
func Find(code Code, args ...any) Finding {
	if args == nil {
		args = []any{}
	}
	return Finding{Code: code, Args: args}
}

// A Level is the kind of a finding.
type Level string

// The levels. An Answer answers the question, a Fault is wrong or missing, a Doubt means that
// numbers are wrong or may be, a Limit names a missing result and its reason, a Note is a remark,
// and Good is a check that supports the numbers.
const (
	Answer Level = "answer"
	Fault  Level = "fault"
	Doubt  Level = "doubt"
	Limit  Level = "limit"
	Note   Level = "note"
	Good   Level = "ok"
)

// An Entry is the line of a code in the catalogue.
type Entry struct {
	Level Level
	Words string            // the sentence, with a verb for each argument
	Say   func(Args) string // it, where Words cannot say it
	// Example are arguments with which the catalogue is printed.
	Example []any
	Needs   Needs // of an answer
	// Next is the command that shows more, or does better, with a verb for an argument; "": none.
	Next string
}

// Evidence supports an answer.
type Evidence struct {
	N     int     `json:"n"`               // runs, rows or draws of the side that has least
	P     float64 `json:"p,omitempty"`     // after the correction for the looks that were taken
	Looks int     `json:"looks,omitempty"` // how many there were
}

// Needs are the least evidence of an answer; 0: none.
type Needs struct {
	N int     // at least
	P float64 // at most
}

// String returns the needs in words; "": none.
func (n Needs) String() (s string) {
	if n.N > 0 {
		s = fmt.Sprintf("%d at least", n.N)
	}
	if n.P > 0 {
		s += fmt.Sprintf(", p of %g at most, corrected", n.P)
	}
	return strings.TrimPrefix(s, ", ")
}

// lacks returns the missing evidence in words; "": none.
func (n Needs) lacks(e *Evidence) string {
	switch {
	case n == Needs{}:
	case e == nil:
		return "there is no evidence"
	case e.N < n.N:
		return fmt.Sprintf("%d are there, and %d are needed", e.N, n.N)
	case n.P > 0 && !(e.P <= n.P):
		return fmt.Sprintf("p is %.2g, corrected for %d looks, and %g is needed", e.P, max(1, e.Looks), n.P)
	}
	return ""
}

const (
	// CannotTell is said in the place of an answer whose evidence does not do: its code, what it lacks.
	CannotTell Code = "cannot_tell"
	// Uncoded is a sentence without a code of its own: the sentence.
	Uncoded Code = "text"
)

var catalogue = map[Code]Entry{
	Uncoded:    {Level: Note, Words: "%v", Example: []any{"a sentence without a code of its own"}},
	CannotTell: {Level: Limit, Words: "%v cannot be told: %v", Example: []any{"fastest", "3 are there, and 6 are needed"}},
}

// Catalogue adds codes to the catalogue. It panics if one is there: a code has one meaning.
func Catalogue(entries map[Code]Entry) {
	for code, e := range entries {
		if _, again := catalogue[code]; again {
			panic("doc: finding " + string(code) + " stands in the catalogue twice")
		}
		catalogue[code] = e
	}
}

// Codes returns those of the catalogue, ascending.
func Codes() []Code { return slices.Sorted(maps.Keys(catalogue)) }

// In returns what the catalogue has of a code.
func (c Code) In() (Entry, bool) {
	e, ok := catalogue[c]
	return e, ok
}

// Sentence returns the subject, the words and the count of f. A code without words is printed as it is.
func (f Finding) Sentence() string {
	s := f.words()
	if f.Subject != "" {
		s = f.Subject + ": " + s
	}
	if f.Count > 1 {
		s += fmt.Sprintf(" (%d %s)", f.Count, f.Of)
	}
	return s
}

func (f Finding) words() string {
	switch e := catalogue[f.Code]; {
	case e.Say != nil:
		return e.Say(f.Args)
	case e.Words != "":
		args := slices.Clone(f.Args)
		for i, x := range args { // a whole number of a document that was read is one
			if n, ok := x.(float64); ok && n == math.Trunc(n) && math.Abs(n) < 1<<53 && !strings.Contains(e.Words, "%.") {
				args[i] = int64(n)
			}
		}
		return fmt.Sprintf(e.Words, args...)
	}
	return fmt.Sprintf("%s %v", f.Code, f.Args)
}

// Next returns the command that shows more, or does better; "": none.
func (f Finding) Next() string {
	if next := catalogue[f.Code].Next; strings.Contains(next, "%") {
		return fmt.Sprintf(next, f.Args...)
	}
	return catalogue[f.Code].Next
}

// About returns f with a subject.
func (f Finding) About(subject string) Finding {
	f.Subject = subject
	return f
}

// Once returns findings, each of the same words and subject once, with how many there were of what of
// names.
func Once(of string, list []Finding) (once []Finding) {
	at := map[string]int{}
	for _, f := range list {
		s := f.Sentence()
		if i, again := at[s]; again {
			once[i].Count, once[i].Of = max(2, once[i].Count+1), of
			continue
		}
		at[s] = len(once)
		once = append(once, f)
	}
	return once
}

// Alike are all findings of a code, of [Uncoded] all of a text.
type Alike struct {
	Code   Code
	Text   string   // the words of the first
	Count  int      // how many there are
	Of     []string // their subjects, each once
	Others int      // other words that they have
	words  []string
}

// ByCode returns findings by code, in the order of the first of each.
func ByCode(list []Finding) (all []Alike) {
	at := map[string]int{}
	for _, f := range list {
		subject := f.Subject
		text := f.About("").Sentence()
		key := string(f.Code)
		if f.Code == Uncoded {
			key = text
		}
		i, again := at[key]
		if !again {
			i, at[key] = len(all), len(all)
			all = append(all, Alike{Code: f.Code, Text: text})
		}
		x := &all[i]
		if x.Count++; !slices.Contains(x.words, text) {
			x.words = append(x.words, text)
		}
		if x.Others = len(x.words) - 1; !slices.Contains(x.Of, subject) {
			x.Of = append(x.Of, subject)
		}
	}
	return all
}

// Sentences returns the words of findings, never nil.
func Sentences(list []Finding) []string {
	words := make([]string, len(list))
	for i, f := range list {
		words[i] = f.Sentence()
	}
	return words
}

// Concluded is the part of a document that has its findings, and their sentences as warnings.
type Concluded struct {
	Warnings []string  `json:"warnings"`
	Findings []Finding `json:"findings"`
}

// Recorded returns the findings of a document that was read: where it is of before it had all of them,
// its warnings are texts.
func Recorded(warnings []string, findings []Finding) (list []Finding) {
	for i, s := range warnings {
		f := Find(Uncoded, s)
		if i < len(findings) {
			f = findings[i]
		}
		list = append(list, f)
	}
	return list
}

// Conclude adds findings, or, for an answer with too little evidence, a limit. Without any, a
// document prints that there are none.
func (c *Concluded) Conclude(list ...Finding) {
	if c.Findings == nil {
		c.Findings, c.Warnings = []Finding{}, []string{}
	}
	for _, f := range list {
		if lack := catalogue[f.Code].Needs.lacks(f.Evidence); lack != "" {
			f = Find(CannotTell, string(f.Code), lack).About(f.Subject)
		}
		c.Findings, c.Warnings = append(c.Findings, f), append(c.Warnings, f.Sentence())
	}
}

// Apart returns the sentences of faults and answers, the faults first, and those of all else.
func (c *Concluded) Apart() (first, rest []string) {
	var answers []string
	for i, f := range c.Findings {
		switch catalogue[f.Code].Level {
		case Fault:
			first = append(first, c.Warnings[i])
		case Answer:
			answers = append(answers, c.Warnings[i])
		default:
			rest = append(rest, c.Warnings[i])
		}
	}
	return append(first, answers...), rest
}

// Find adds a finding that needs no evidence.
func (c *Concluded) Find(code Code, args ...any) { c.Conclude(Find(code, args...)) }

// Args are the arguments of a finding, just made or read from a document: what is not there, or of
// another type, is unknown.
type Args []any

// At returns an argument, nil: it is not there.
func (a Args) At(i int) any {
	if i < len(a) {
		return a[i]
	}
	return nil
}

// Number returns an argument as a number, NaN: it is none.
func (a Args) Number(i int) float64 {
	switch x := a.At(i).(type) {
	case interface{ Float() float64 }:
		return x.Float()
	case float64:
		return x
	case nil: // an unknown number of a document
		return math.NaN()
	}
	return float64(a.Whole(i))
}

// Whole returns an argument as a whole number, 0: it is none.
func (a Args) Whole(i int) int {
	switch x := reflect.ValueOf(a.At(i)); {
	case x.CanInt():
		return int(x.Int())
	case x.CanUint():
		return int(x.Uint())
	case x.CanFloat(): // JSON has no other
		return int(x.Float())
	}
	return 0
}

// Text returns an argument that is a text.
func (a Args) Text(i int) string {
	s, _ := a.At(i).(string)
	return s
}
