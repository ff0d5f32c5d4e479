// Package view makes a page of runs: when each worker ran what, who had which data, and how far apart
// its uses are, linked with each other. It is one HTML file that needs nothing else.
//
//	loi.Trace -> scene.Run -> packed columns -> page.html, with the scripts
//
// The scripts (*.js) are plain JavaScript, typed in comments, and draw on canvases. They show the
// columns and nothing else. Tests check the values that the page computes itself (who touched a
// block last at a time, what lies between two uses) against package scene.
//
// # Rejected
//
//   - A library for rendering: regl, PixiJS and deck.gl need WebGL, which headless browsers and
//     remote desktops do in software; uPlot draws series; d3 would bring scales and axes, and
//     the page has one. From afar a timeline is an image of rows and columns, made anew in 30 ms
//     for a million executions.
//   - Levels of detail in every file: they would double it, and a choice of the reader changes
//     which mark a column shows. Only runs that are too large for 23 MiB have them (marks of
//     several executions).
package view

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"krdlab/experiments/show/scene"
	"krdlab/krd/plot"
)

//go:embed page.html page.css model.js paint.js timeline.js map.js reuse.js tree.js page.js
var sources embed.FS

var pageTemplate = template.Must(template.ParseFS(sources, "page.html"))

// scripts are those of the page, in the order in which they run.
var scripts = []string{"model.js", "paint.js", "timeline.js", "map.js", "reuse.js", "tree.js", "page.js"}

// MaxBytes is how large the data of a page may be. Runs that would take more are shown by marks of
// several executions.
const MaxBytes = 22 << 20

// A Run is one that the page shows.
type Run struct {
	Name string
	*scene.Run
	Tasks   *scene.Folded // nil: there are none
	NoTasks string        // why
}

// Write writes a page of runs, side by side. Errors: those of w. Cost: two passes over the
// executions, about 0.3 s for a million; memory for a million marks at most, 300 bytes each.
func Write(w io.Writer, title string, runs []Run) error {
	return write(w, title, runs, MaxBytes)
}

// write does as Write with so many bytes of data.
func write(w io.Writer, title string, runs []Run, room int) error {
	page := struct {
		Title string
		CSS   template.CSS
		JS    template.JS
		Data  template.JS
		Runs  []template.HTML
	}{Title: title}
	var head struct {
		Palette []string  `json:"palette"`
		Classes any       `json:"classes"` // names and colours
		Runs    []*packed `json:"runs"`
	}
	for _, c := range plot.Palette[1:] { // black is for letters
		head.Palette = append(head.Palette, fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))
	}
	head.Classes = scene.Looks[:scene.NoAccess+1]
	for i, p := range packAll(runs, room) {
		p.Tree, p.NoTree = runs[i].Tasks, runs[i].NoTasks
		head.Runs = append(head.Runs, p)
		page.Runs = append(page.Runs, template.HTML(fmt.Sprintf(
			`<script type="text/plain" id="run%d">%s</script>`, i,
			base64.StdEncoding.EncodeToString(p.data))))
	}
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	page.Data = template.JS(data)
	var js strings.Builder
	for _, name := range scripts {
		b, err := sources.ReadFile(name)
		if err != nil {
			return err
		}
		js.Write(b)
	}
	page.JS = template.JS(js.String())
	css, err := sources.ReadFile("page.css")
	if err != nil {
		return err
	}
	page.CSS = template.CSS(css)
	return pageTemplate.Execute(w, page)
}
