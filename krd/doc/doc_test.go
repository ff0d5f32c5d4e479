package doc

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func some(v float64) Number { return Some(v) }

// every has each type of cell that a row may have.
func every() *Table {
	t := &Table{Name: "cells", Title: "Everything.", Remarks: []string{"n/a is not 0."}, Keys: 2,
		Columns: []Column{{Key: "machine", Head: "machine"}, {Key: "scheduler", Head: "scheduler"},
			{Key: "time_ns", Head: "time", Kind: Real, Unit: Nanoseconds, Spread: Below},
			{Key: "far", Head: "share\nfar", Kind: Real, Unit: Fraction},
			{Key: "cold", Head: "\ncold", Kind: Real},
			{Key: "steals", Head: "steals", Kind: Whole},
			{Key: "fixed", Head: "fixed", Kind: Truth}}}
	q := Quantity{Median: some(2e6), Low: some(1.9e6), High: some(2.1e6), N: 8}
	t.Row("a <b>", "work|first", q, some(0.125), Share{1, 4}, uint64(1)<<60, true)
	t.Row("a <b>", "go", Missing("no clock"), Number{}, nil, Noted{7, "of one"}, false)
	t.Row("c", "all", q, some(0.5), Share{}, 12, false)
	return t
}

// Data has base units and all digits; what is not known is empty, and its reason for people alone.
func TestData(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*Table, *strings.Builder) error
		want  string
	}{
		"CSV": {func(t *Table, b *strings.Builder) error { return t.CSV(b) },
			"machine,scheduler,time_ns,far,cold,steals,fixed\n" +
				"a <b>,work|first,2e+06,0.125,0.25,1152921504606846976,true\n" +
				"a <b>,go,,,,7,false\nc,all,2e+06,0.5,,12,false\n"},
		"JSONL": {func(t *Table, b *strings.Builder) error { return t.JSONL(b) },
			`{"machine":"a <b>","scheduler":"work|first","time_ns":2000000,"far":0.125,` +
				`"cold":0.25,"steals":1152921504606846976,"fixed":true}` + "\n" +
				`{"machine":"a <b>","scheduler":"go","time_ns":null,"far":null,"cold":null,` +
				`"steals":7,"fixed":false}` + "\n" +
				`{"machine":"c","scheduler":"all","time_ns":2000000,"far":0.5,"cold":null,` +
				`"steals":12,"fixed":false}` + "\n"},
	} {
		var b strings.Builder
		if err := c.write(every(), &b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
	ends := &Table{Columns: []Column{{Head: "for people"}, {Key: "ns", Head: "time", Ends: true,
		Unit: Nanoseconds}, {Key: "id", Head: "id", Data: true}}}
	ends.Row("a", Quantity{Median: some(2e6), Low: some(1e6), High: some(4e6)}, 7)
	ends.Row("b", Quantity{Median: some(3e6), Reason: Deterministic}, 8)
	ends.Row("c", Missing("no clock"), 9)
	var csv strings.Builder
	if err := ends.CSV(&csv); err != nil ||
		csv.String() != "ns,ns_low,ns_high,id\n2e+06,1e+06,4e+06,7\n3e+06,3e+06,3e+06,8\n,,,9\n" {
		t.Errorf("ends of intervals: %v\n%s", err, csv.String())
	}
	if g := ends.grid(new(notes)); strings.Join(g.head, "|") != "for people|time, ms" {
		t.Errorf("people see the columns %v", g.head)
	}
	foot := every()
	foot.Foot = true
	var b strings.Builder
	if err := foot.CSV(&b); err != nil || strings.Contains(b.String(), "all") {
		t.Errorf("a sum among the data: %v\n%s", err, b.String())
	}
}

// A document reads the same at a terminal, as a page and as Markdown.
func TestRenderers(t *testing.T) {
	d := &Doc{Title: "Title", Warnings: []string{"beware"}}
	d.Say("One %s.", "sentence")
	d.Say("Another.")
	d.Add(every())
	d.Add(&Doc{Title: "Inner", Parts: []Part{Paragraph{"x < y"}}})
	var text, md strings.Builder
	if err := d.Text(NewPage(&text, 0)); err != nil {
		t.Fatal(err)
	}
	const want = "Title\nOne sentence.\nAnother.\n\nEverything.\n"
	if !strings.HasPrefix(text.String(), want) {
		t.Errorf("%s", text.String())
	}
	for _, s := range []string{"1.90-2.10", "n/a [1]", "7 [2]", "25.00 %", "[1] no clock\n",
		"[2] of one\n", "n/a is not 0.\n", "\nInner\nx < y\n", "warning: beware\n"} {
		if !strings.Contains(text.String(), s) {
			t.Errorf("no %q in\n%s", s, text.String())
		}
	}
	if err := d.Markdown(&md, 2); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"## Title\n\nOne sentence.\nAnother.\n\n", `| work\|first | 2.00 1.90-2.10 |`,
		"| machine | scheduler | time, ms |", "| --- | --- | --: |", "\n[1] no clock\n", "### Inner\n"} {
		if !strings.Contains(md.String(), s) {
			t.Errorf("no %q in\n%s", s, md.String())
		}
	}
	var html strings.Builder
	if err := d.Standalone(&html); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"<h1>Title</h1>", "<p>One sentence.</p>", "a &lt;b&gt;",
		`<th scope="row" class="name">work|first</th>`,
		`<td>2.00 <span class="interval">1.90–2.10</span></td>`, "<td>n/a <sup>1</sup></td>",
		`<ol class="notes"><li>no clock</li><li>of one</li></ol>`, "<th scope=\"col\">share cold</th>",
		"<h2>Inner</h2>", "x &lt; y", "Everything. n/a is not 0."} {
		if !strings.Contains(html.String(), s) {
			t.Errorf("no %q in\n%s", s, html.String())
		}
	}
	if strings.Contains(html.String(), "<script") {
		t.Error("a page without charts carries scripts")
	}
	if n := strings.Count(html.String(), "<tbody>"); n != 2 {
		t.Errorf("%d groups of rows, expected one for each machine", n)
	}
}

// Figures, folds, listings and links are on a page as they are, and as text without what only a page
// has.
func TestPageParts(t *testing.T) {
	const drawing = `<svg xmlns="x" width="5" height="6" viewBox="0 0 5 6"><rect style="fill:#0072B2"/></svg>`
	draw := func(w io.Writer) error {
		_, err := io.WriteString(w, drawing)
		return err
	}
	table := NewTable(3, "level", "files", "ours")
	table.Row(Doubt, Links{{"a<b", "./a"}, {"c", "#d"}}, Folded{"7 %", []string{"another reading: 8 %"}})
	part := &Doc{ID: "part", Title: "Part"}
	part.Add(table)
	part.Add(&Figure{ID: `f"<`, Title: "Bars & lines", Caption: []string{"Of n."}, Draw: draw, Numbers: table})
	part.Add(&Figure{ID: "g", Title: "A map", Draw: draw, Paper: true, Chart: map[string]string{"id": "g</script>"}})
	part.Add(&Fold{Doc{Title: "Details", Parts: []Part{Listing{"go test <x>", "echo"}}}})
	d := &Doc{Title: "Page", Parts: []Part{part}}
	var html, text, md strings.Builder
	if err := d.Standalone(&html); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`<section id="part" aria-labelledby="part-head">`, `<h2 id="part-head">Part</h2>`,
		`<span class="level doubt">doubt</span>`, `<a href="./a">a&lt;b</a>, <a href="#d">c</a>`,
		"<details><summary>7 %</summary><p>another reading: 8 %</p></details>",
		`<h3 class="title">Figure 1. Bars &amp; lines</h3>`, "Figure 2. A map", "<p>Of n.</p>",
		`<figure id="f&#34;&lt;" class="picture">`,
		`<svg viewBox="0 0 5 6" role="img"`, ".d0{fill:var(--c0072B2,#0072B2)}", ".d1{fill:#0072B2}",
		"<details><summary>Details</summary>\n<pre tabindex=\"0\">go test &lt;x&gt;\necho</pre>",
		`{"g":{"id":"g\u003c/script\u003e"}}`, "Apache-2.0"} {
		if !strings.Contains(html.String(), s) {
			t.Errorf("no %q in\n%.4000s", s, html.String())
		}
	}
	if err := d.Text(NewPage(&text, 0)); err != nil {
		t.Fatal(err)
	}
	if err := d.Markdown(&md, 1); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"doubt", "a<b, c", "7 %", "Figure: Bars & lines\nOf n.\n", "Details\n",
		"go test <x>\necho\n"} {
		if !strings.Contains(text.String(), s) || !strings.Contains(md.String(), s) {
			t.Errorf("no %q in\n%s\nor\n%s", s, text.String(), md.String())
		}
	}
	part.Add(&Figure{ID: "h", Draw: func(w io.Writer) error { return errors.New("no ink") }})
	if err := d.Standalone(io.Discard); err == nil || !strings.Contains(err.Error(), "figure h: no ink") {
		t.Errorf("%v", err)
	}
}

// A column without values is left out for people, not in data; columns that are alike have one
// unit.
func TestKnownAndLike(t *testing.T) {
	table := &Table{Columns: []Column{{Key: "name", Head: "name"},
		{Key: "a", Head: "A", Kind: Real, Unit: Nanoseconds, Like: 1},
		{Key: "b", Head: "B", Kind: Real, Unit: Nanoseconds, Like: 1},
		{Key: "c", Head: "C", Kind: Real, Known: true}}}
	table.Row("x", some(2e9), some(5e6), Number{})
	table.Row("y", some(1e9), some(4e6), Missing("never"))
	var b, data strings.Builder
	p := NewPage(&b, 0)
	p.Table(table)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(b.String()); strings.Join(got[:5], " ") != "name A, s B, s" {
		t.Errorf("%q", got)
	}
	if err := table.CSV(&data); err != nil || !strings.HasPrefix(data.String(), "name,a,b,c\n") {
		t.Errorf("%v %s", err, data.String())
	}
}
