package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/show/figures"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

//go:embed page.html page.css page.js
var sources embed.FS

var pageTemplate = template.Must(template.ParseFS(sources, "page.html"))

// A page is what page.html shows.
type page struct {
	Title     string
	Notes     []string  // of the experiment
	Matrices  []picture // of the experiment as a whole
	Best      []string  // what those of speed-up on the largest numbers of cores say
	Groups    []groupPart
	Families  []family
	Models    []modelPart
	Verdict   string
	Validity  []judgement
	Problems  []string
	Facts     []fact
	Simulated bool // some of it
	Native    bool
	Places    []place
	Machines  []machineFile
	Warnings  []warning
	Warned    int // all of them, with repetitions
	Commands  []string
	Resumes   bool // the command goes on where the experiment ended, and does not make another
	Revision  string
	Tables    []link
	Cells     []cellLinks
	Charts    map[string]*plot.Figure // by anchor
	CSS       template.CSS
	JS        template.JS
	ECharts   template.HTML
	Licences  []licence
}

// A groupPart is the part of a page on one group.
type groupPart struct {
	Anchor, Title, Substrate string
	Simulated                bool
	Pages                    string // where the pages of the data are, if simulated
	Findings                 []string
	Pictures                 []picture
	Skipped                  []string
	Times, Reuse, Kernels    *doc.Table // nil: there is none
	NoReuse                  string     // why
	Traced                   []traced
}

// Write writes the page of an experiment. at is the file that it will be, from which links go out;
// the same experiment and place give the same bytes. Traces of the experiment are read for their
// tables of workers; one that cannot be is said on the page.
//
// Errors: those of w, and figures that cannot be written. Cost: about a second for a hundred cells,
// and the reading of their traces.
func Write(w io.Writer, e *dataset.Experiment, at string) error {
	p, err := newPage(e, at)
	if err != nil {
		return fmt.Errorf("report of %s: %w", e.Dir, err)
	}
	return pageTemplate.Execute(w, p)
}

func newPage(e *dataset.Experiment, at string) (*page, error) {
	p := &page{Title: e.Name, Facts: environment(e), Places: places(e), Machines: machineFiles(e),
		Warnings: warnings(e),
		Commands: commands(e), Charts: map[string]*plot.Figure{}}
	if e.Info != nil {
		p.Notes = e.Info.Notes
	}
	p.Resumes = len(e.Plan) > 0
	p.Validity = validity(e)
	p.Verdict = verdict(e, p.Validity)
	for _, x := range e.Problems {
		p.Problems = append(p.Problems, x.String())
	}
	for _, x := range p.Warnings {
		p.Warned += x.Count
	}
	for _, m := range manifests(e) {
		if r := m.Build.Revision; r != nil {
			p.Revision = *r
			break
		}
	}
	p.Native = len(natives(e)) > 0
	p.Simulated = len(natives(e)) < len(e.Cells)
	number, classes := 0, &styles{}
	groups := e.Groups()
	for _, m := range figures.Matrices(e) {
		drawn, err := newPicture(&m.Figure, "m-"+m.Prefix, &number, classes)
		if err != nil {
			return nil, err
		}
		p.Matrices = append(p.Matrices, *drawn)
		if m.Headline {
			p.Best = append(p.Best, fmt.Sprintf("%s on %s: %s.", m.Title, m.Machine,
				strings.Join(doc.Sentences(m.Findings), "; ")))
		}
	}
	for i := range groups {
		part, err := newGroup(e, &groups[i], fmt.Sprintf("g%d", i+1), len(groups) > fewGroups,
			&number, classes)
		if err != nil {
			return nil, err
		}
		p.Groups = append(p.Groups, *part)
		for _, f := range part.Pictures {
			if p0 := &f.Figure.Panels[0]; p0.Kind.Noun() == "" && !p0.Flipped { // what is printed shows them all
				p.Charts[f.Anchor] = f.Figure
			}
		}
	}
	if len(groups) > 0 {
		var err error
		if p.Families, err = correlations(e); err != nil {
			return nil, err
		}
		if p.Models, err = models(e, &number, classes); err != nil {
			return nil, err
		}
	}
	l, err := newLinker(filepath.Dir(at), e.Dir)
	if err != nil {
		return nil, err
	}
	p.Tables, p.Cells = topFiles(e, l, filepath.Base(at)), cellFiles(e, l)
	return p, p.embed(classes)
}

// fewGroups is of how many groups a page has all figures: of more those of [leading], since it
// would be too large for a browser.
const fewGroups = 6

// leading are the families of figures that a page of many groups has.
var leading = []string{"speedup", "ovr", "wti", "far"}

func newGroup(e *dataset.Experiment, g *dataset.Group, anchor string, few bool, number *int,
	classes *styles) (*groupPart, error) {
	part := &groupPart{Anchor: anchor, Title: g.String(), Substrate: g.Substrate,
		Simulated: g.Substrate == loi.Simulated, Pages: g.Pages()}
	var err error
	if part.Pictures, part.Skipped, err = pictures(g, anchor, few, number,
		classes); err != nil {
		return nil, err
	}
	found := brief.Conclude(g.Results())
	for _, p := range part.Pictures {
		found.Conclude(p.Figure.Findings...)
	}
	answers, limits := found.Apart()
	part.Findings = append(answers, limits...)
	part.Times, part.Kernels = timesTable(g), kernelTable(g)
	if part.Reuse = reuseTable(g); part.Reuse == nil {
		part.NoReuse = stats.WhyNoKRD(g.Cells[0].Result)
	}
	part.Traced = tracedRuns(e, g)
	return part, nil
}

// embed adds what the page carries to be whole by itself.
func (p *page) embed(classes *styles) error {
	css, err := sources.ReadFile("page.css")
	if err != nil {
		return err
	}
	js, err := sources.ReadFile("page.js")
	if err != nil {
		return err
	}
	p.CSS, p.JS = template.CSS(string(css)+classes.css()), template.JS(js)
	if len(p.Charts) > 0 {
		p.ECharts = packed()
	}
	p.Licences, err = licences()
	return err
}
