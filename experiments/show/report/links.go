package report

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// A link leads to a file of the experiment, relative to the page's folder and escaped.
type link = doc.Link

// A cellLinks is a cell with its files.
type cellLinks struct {
	ID, Kernel, Cores, Seed, State string
	Files                          []link
}

// A linker makes links from a page to files.
type linker struct{ from, root string }

// newLinker returns the linker of a page in the folder from, for an experiment in the folder root.
func newLinker(from, root string) (*linker, error) {
	a, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	b, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	return &linker{a, b}, nil
}

// to returns a link to a file that is named relative to the experiment.
func (l *linker) to(name string) link {
	rel, err := filepath.Rel(l.from, filepath.Join(l.root, name))
	if err != nil {
		return link{Text: filepath.ToSlash(name)}
	}
	u := url.URL{Path: filepath.ToSlash(rel)}
	href := u.String()
	if !strings.HasPrefix(href, ".") { // a first segment with a colon is no scheme
		href = "./" + strings.TrimPrefix(href, "./")
	}
	return link{Text: filepath.ToSlash(name), Href: href}
}

// files returns the section of the data.
func files(e *dataset.Experiment, l *linker, page string) *doc.Doc {
	d := section("data", "Data")
	fold := &doc.Fold{Doc: doc.Doc{Title: "Files, with links"}}
	d.Add(fold)
	fold.Say("Links lead to files beside this page; they work as long as the page stays where it was made.")
	if top := topFiles(e, l, page); len(top) > 0 {
		t := doc.NewTable(1, "files of the experiment")
		t.Row(doc.Links(top))
		fold.Add(t)
	}
	t := doc.NewTable(2, "cell", "kernel", "cores", "seed", "state", "files")
	t.Title, t.Columns[4].Kind, t.Columns[5].Kind = "Files of each cell.", doc.Text, doc.Text
	for _, c := range cellFiles(e, l) {
		t.Row(c.ID, c.Kernel, c.Cores, c.Seed, c.State, doc.Links(c.Files))
	}
	fold.Add(t)
	fold.Say("Traces (.loi) are read by krdlab krd and krdlab trace; krdlab trace export FILE --format perfetto " +
		"makes a time line of one.")
	return d
}

// topFiles returns the files beside the cells, but for page, which is being written.
func topFiles(e *dataset.Experiment, l *linker, page string) (links []link) {
	entries, err := os.ReadDir(e.Dir)
	if err != nil {
		return nil
	}
	for _, d := range entries {
		if d.Type().IsRegular() && !(filepath.Join(l.root, d.Name()) == filepath.Join(l.from,
			page)) && !isPage(d.Name()) {
			links = append(links, l.to(d.Name()))
		}
	}
	if files, err := filepath.Glob(filepath.Join(globQuote(e.Dir), dataset.MachinesDir,
		"*.toml")); err == nil {
		for _, f := range files {
			links = append(links, l.to(path.Join(dataset.MachinesDir, filepath.Base(f))))
		}
	}
	return links
}

// isPage reports whether name is a page: other pages made of the same experiment are no data, and
// would make pages depend on each other.
func isPage(name string) bool { return strings.EqualFold(filepath.Ext(name), ".html") }

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// viewsOf returns the pages of traces that are there, relative to the experiment, by the IDs of the
// cells that they are of.
func viewsOf(e *dataset.Experiment) map[string]string {
	views := map[string]string{}
	groups := e.Groups()
	for i := range groups {
		for _, c := range groups[i].Cells {
			name := dataset.ViewFile // of a single run
			if len(e.Plan) > 0 {
				name = groups[i].ViewOf(c.Result.Cores)
			}
			if _, err := os.Stat(filepath.Join(e.Dir, filepath.FromSlash(name))); err == nil {
				views[c.ID] = name
			}
		}
	}
	return views
}

// cellFiles lists the cells of the plan, or the single run, with their state and files.
func cellFiles(e *dataset.Experiment, l *linker) (list []cellLinks) {
	views := viewsOf(e)
	problems := map[string][]string{}
	for _, p := range e.Problems {
		problems[p.Cell] = append(problems[p.Cell], string(p.Kind))
	}
	add := func(id string) *cellLinks {
		c := cellLinks{ID: id, State: "used"}
		if p := problems[id]; p != nil {
			c.State = strings.Join(slices.Compact(slices.Sorted(slices.Values(p))), ", ")
		}
		for _, got := range e.Cells {
			if got.ID != id {
				continue
			}
			rel := filepath.ToSlash(within(e, got.Dir))
			if len(c.Files) == 0 {
				for _, name := range []string{result.ResultFile, result.ManifestFile} {
					if _, err := os.Stat(filepath.Join(got.Dir, name)); err == nil {
						c.Files = append(c.Files, short(l.to(path.Join(rel, name)), name))
					}
				}
			}
			if t := got.Result.Trace; t != nil && t.Path != "" && filepath.IsLocal(t.Path) {
				if _, err := os.Stat(filepath.Join(got.Dir, t.Path)); err == nil {
					c.Files = append(c.Files, short(l.to(path.Join(rel, t.Path)), t.Path))
				}
			}
		}
		if len(c.Files) == 0 {
			name := path.Join(dataset.CellsDir, id+dataset.FailedSuffix)
			if _, err := os.Stat(filepath.Join(e.Dir, filepath.FromSlash(name))); err == nil {
				c.Files = append(c.Files, short(l.to(name), id+dataset.FailedSuffix))
			}
		}
		if name, ok := views[id]; ok {
			c.Files = append(c.Files, short(l.to(name), path.Base(name)))
		}
		list = append(list, c)
		return &list[len(list)-1]
	}
	for _, p := range e.Plan {
		c := add(p.ID)
		c.Kernel, c.Cores, c.Seed = p.Kernel, fmt.Sprint(p.Cores), fmt.Sprint(p.Seed)
	}
	if len(e.Plan) == 0 && len(e.Cells) > 0 {
		c, r := add(e.Cells[0].ID), e.Cells[0].Result
		c.Kernel, c.Cores, c.Seed = r.Kernel, fmt.Sprint(r.Cores), fmt.Sprint(r.Seed)
	}
	return list
}

func short(l link, text string) link {
	l.Text = text
	return l
}
