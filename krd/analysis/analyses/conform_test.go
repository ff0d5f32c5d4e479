package analyses

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Every line of the table is described, and gives results of every kind of trace that can be shown,
// written as data and repeated.
func TestTable(t *testing.T) {
	if len(Table) == 0 {
		t.Fatal("the table is empty")
	}
	for _, s := range faults(Table, samples(t)) {
		t.Error(s)
	}
}

// faults returns the faults of a table of analyses.
func faults(list []*analysis.Analysis, samples []sample) (bad []string) {
	names := map[string]bool{}
	for _, a := range list {
		if names[a.Name] {
			bad = append(bad, a.Name+": another analysis has the name")
		}
		names[a.Name] = true
		for _, s := range described(a) {
			bad = append(bad, a.Name+": "+s)
		}
	}
	list = slices.DeleteFunc(slices.Clone(list), func(a *analysis.Analysis) bool {
		return analysis.Fault(a.New()) != nil
	})
	for i := range samples {
		s := &samples[i]
		alone, able := map[*analysis.Analysis][]byte{}, []*analysis.Analysis(nil)
		for _, a := range list {
			out, faults := conforms(a, s)
			for _, f := range faults {
				bad = append(bad, fmt.Sprintf("%s, trace %s: %s", a.Name, s.name, f))
			}
			if out != nil {
				alone[a], able = out, append(able, a)
			}
		}
		results, err := run(s, s.lossy(), able...)
		if err != nil {
			bad = append(bad, fmt.Sprintf("all, trace %s: %v", s.name, err))
			continue
		}
		for i, a := range able {
			if out, _ := json.Marshal(results[i].Document()); !bytes.Equal(out, alone[a]) {
				bad = append(bad, fmt.Sprintf("%s, trace %s: together with others it gives %.200s, "+
					"alone %.200s", a.Name, s.name, out, alone[a]))
			}
		}
	}
	return bad
}

// run looks at a sample with analyses that have their defaults.
func run(s *sample, allowLoss bool, list ...*analysis.Analysis) ([]analysis.Result, error) {
	var asked []analysis.Asked
	for _, a := range list {
		asked = append(asked, analysis.Asked{Analysis: a})
	}
	return analysis.Run(context.Background(), s.trace, asked,
		analysis.Options{AllowLoss: allowLoss, Time: s.time, Progress: func(done, total uint64) {}})
}

// wrong matches text that no document has: package fmt's marks of a bad argument, NaN and Inf.
var wrong = regexp.MustCompile(`%!|\bNaN\b|\bInf\b`)

// word is the name of an analysis, a flag or a format.
var word = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// described returns the omissions in a line of the table.
func described(a *analysis.Analysis) (bad []string) {
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if !word.MatchString(a.Name) {
		say("its name is no word")
	}
	if a.Summary == "" || strings.Contains(a.Summary, "\n") {
		say("its summary is %q, expected one line", a.Summary)
	}
	if strings.TrimSpace(a.Long) == "" {
		say("it has no long description")
	}
	for line := range strings.Lines(a.Example) {
		if !strings.HasPrefix(line, "  ") {
			say("the line %q of its example is not indented", line)
		}
	}
	if f := a.Formats(); f != nil && !slices.Contains(f, "svg") {
		say("svg is not among its formats %v", f)
	}
	if err := analysis.Fault(a.New()); err != nil {
		say("%v", err)
	}
	opt, other := reflect.ValueOf(a.New()), reflect.ValueOf(a.New())
	if opt.Kind() != reflect.Pointer || opt.Elem().Kind() != reflect.Struct {
		return bad
	}
	if opt.Pointer() == other.Pointer() && opt.Elem().NumField() > 0 {
		say("its options are not new each time")
	}
	flags := map[string]bool{}
	for i := range opt.Elem().NumField() {
		f, v := opt.Elem().Type().Field(i), opt.Elem().Field(i)
		if !f.IsExported() {
			continue
		}
		name, choice := f.Tag.Get("flag"), f.Tag.Get("choice")
		if !word.MatchString(name) || f.Tag.Get("help") == "" {
			say("the option %s has no flag or no help", f.Name)
		}
		if flags[name] {
			say("two options have the flag %q", name)
		}
		flags[name] = true
		switch p := v.Addr().Interface().(type) {
		case *string:
			if choice != "" && *p != "" && !slices.Contains(strings.Split(choice, ","), *p) {
				say("the default %q of %s is none of %s", *p, f.Name, choice)
			}
			continue
		case *bool, *int, *uint64, *float64, *[]string:
		default:
			say("the option %s is a %T", f.Name, v.Interface())
		}
		if choice != "" {
			say("the option %s is no string and has a choice", f.Name)
		}
	}
	return bad
}

// conforms runs an analysis on a sample. It returns its document as JSON, nil if there is none, and
// its faults.
func conforms(a *analysis.Analysis, s *sample) (out []byte, bad []string) {
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	var loss *loi.LossError
	if _, err := run(s, false, a); s.lossy() && !errors.As(err, &loss) {
		say("the loss gives %v", err)
	}
	results, err := run(s, true, a)
	var need *analysis.NeedError
	if a.Needs.Accesses && !s.trace.Accesses() || a.Needs.Tasks && !s.tasks || a.Needs.Regions && !s.regions ||
		a.Needs.Scopes && !s.regions && !s.tasks {
		if !errors.As(err, &need) {
			say("what it needs is missing, and the error is %v", err)
		}
		return nil, bad
	}
	if s.disordered && !a.Needs.ByWorker {
		var order *loi.OrderError
		if errors.As(err, &order) {
			return nil, bad
		}
		if _, ok := a.New().(analysis.OverEvents); ok { // Trace may have an order of its own
			say("kernels out of order give the error %v", err)
			return nil, bad
		}
	}
	if err != nil {
		say("%v", err)
		return nil, bad
	}
	if results[0] == nil {
		say("there is no result")
		return nil, bad
	}
	out, all, faults := shown(a, s, results[0])
	bad = append(bad, faults...)
	again, err := run(s, true, a)
	if err != nil {
		return out, append(bad, "the second time: "+err.Error())
	}
	if _, second, _ := shown(a, s, again[0]); second != all {
		bad = append(bad, "the second time it gives something else")
	}
	return out, bad
}

// shown returns the document of a result as JSON, all forms of it that are text, and their faults.
func shown(a *analysis.Analysis, s *sample, r analysis.Result) (out []byte, all string,
	bad []string) {
	var b strings.Builder
	say := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	form := func(name string, write func(io.Writer) error) string {
		var one strings.Builder
		if err := write(&one); err != nil {
			say("%s: %v", name, err)
		}
		if at := wrong.FindStringIndex(one.String()); at != nil && utf8.ValidString(one.String()) {
			say("%s has %.60q", name, one.String()[max(0, at[0]-20):])
		}
		if one.Len() == 0 {
			say("%s is empty", name)
		}
		b.WriteString(one.String())
		return one.String()
	}
	form("JSON", func(w io.Writer) (err error) {
		if out, err = json.Marshal(r.Document()); err != nil {
			return err
		}
		_, err = w.Write(out)
		return err
	})
	var head struct {
		Schema   *int      `json:"schema_version"`
		Warnings *[]string `json:"warnings"`
	}
	if err := json.Unmarshal(out, &head); err != nil {
		say("JSON: %v", err)
	} else if head.Schema == nil || *head.Schema < 1 {
		say("JSON has no schema_version")
	} else if head.Warnings == nil {
		say("JSON has no array of warnings")
	} else if len(*head.Warnings) == 0 && s.doubtful() {
		say("the document does not warn of the trace")
	}
	v := r.View()
	if v.Title == "" {
		say("the view has no title")
	}
	if len(v.Warnings) == 0 && s.doubtful() {
		say("the view does not warn of the trace")
	}
	for _, columns := range []int{0, 30, 100} {
		form(fmt.Sprintf("text of %d columns", columns), func(w io.Writer) error {
			return r.View().Text(doc.NewPage(w, columns))
		})
	}
	form("HTML", v.Standalone)
	form("Markdown", func(w io.Writer) error { return v.Markdown(w, 2) })
	lists := [][]*doc.Table{tables(v)}
	tabled, _ := a.New().(analysis.Tabled)
	if d, ok := r.(analysis.Data); ok {
		lists = append(lists, d.Tables())
	}
	for i, list := range lists {
		names := map[string]bool{}
		for _, t := range list {
			if t.Name == "" {
				continue
			}
			if names[t.Name] {
				say("two tables are named %q", t.Name)
			}
			names[t.Name] = true
			if tabled != nil && i == len(lists)-1 && !slices.Contains(tabled.TableNames(), t.Name) {
				say("the table %q is none of TableNames", t.Name)
			}
			if strings.TrimSpace(form("CSV of "+t.Name, t.CSV)) == "" {
				say("the table %q has no columns of data", t.Name)
			}
		}
	}
	d, drawn := r.(analysis.Drawn)
	if drawn != (a.Formats() != nil) {
		if s.name != "empty" { // it may have nothing to draw
			say("it has the formats %v, and its result is a %T", a.Formats(), r)
		}
		return out, b.String(), bad
	}
	for _, format := range a.Formats() {
		if format != "svg" && s.name != "of regions" && !long.Tests { // drawing pixels is dear
			continue
		}
		picture := form(format, func(w io.Writer) error { return d.Draw(w, format) })
		if format != "svg" {
			continue
		}
		if err := xml.Unmarshal([]byte(picture), &struct {
			XMLName xml.Name `xml:"svg"`
		}{}); err != nil {
			say("svg: %v", err)
		}
	}
	return out, b.String(), bad
}

// tables are those of a document and of its parts.
func tables(d *doc.Doc) (list []*doc.Table) {
	for _, p := range d.Parts {
		switch p := p.(type) {
		case *doc.Table:
			list = append(list, p)
		case *doc.Doc:
			list = append(list, tables(p)...)
		}
	}
	return list
}
