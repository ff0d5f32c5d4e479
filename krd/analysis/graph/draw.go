package graph

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// table returns the nodes of the folded graph.
func (r *result) table() *doc.Table {
	d := r.d
	t := &doc.Table{Name: "graph", Columns: []doc.Column{
		{Key: "node", Head: "node", Kind: doc.Whole},
		{Key: "depth", Head: "depth", Kind: doc.Whole},
		{Key: "count", Head: "how many", Kind: doc.Whole},
		{Key: "kernel", Head: "kernel"},
		{Key: "kernels", Head: "kernels of their own", Kind: doc.Whole},
		{Key: "phases", Head: "phases", Kind: doc.Whole},
		{Key: "children", Head: "children of each", Kind: doc.Real},
		{Key: "work_share", Head: "work of their own, %", Kind: doc.Real, Unit: doc.PerCent},
	}}
	t.Title = "The graph, tasks of the same shape as one node"
	if d.Folded {
		t.Title = "The graph, folded: there are too many shapes, and those that are about as high are one node"
	}
	for i, n := range d.Nodes {
		var children, phases any = doc.Some(n.Children), n.Phases
		if !n.Task {
			children, phases = nil, nil
		}
		share := doc.Number{}
		if w := d.Work.Float(); w > 0 {
			share = doc.Some(n.Work.Float() / w)
		}
		t.Row(i, n.Depth, n.Count, n.Kernel, n.Kernels, phases, children, share)
	}
	return t
}

// label returns the lines in the box of node i.
func (r *result) label(i int) (lines []string) {
	n := &r.d.Nodes[i]
	if r.d.Goroutines != nil {
		return r.goroutineLabel(n)
	}
	what := "code"
	if n.Task {
		what = "task"
	}
	first := units.Count(n.Count, what)
	if what == "code" {
		first = units.Grouped(n.Count) + " × no task"
		if n.Kernel != "" {
			first = units.Grouped(n.Count) + " × " + short(n.Kernel)
		}
	}
	lines = append(lines, first)
	if n.Task {
		s := units.Count(n.Phases, "phase") + ", " + strings.TrimSuffix(fmt.Sprintf("%.1f", n.Children),
			".0") + " children"
		lines = append(lines, s)
		if n.Kernel != "" {
			lines = append(lines, "runs "+short(n.Kernel))
		}
	} else if n.Kernels > n.Count {
		lines = append(lines, units.Grouped(n.Kernels)+" kernels")
	}
	if w := r.d.Work.Float(); n.Work.Float() > 0 {
		lines = append(lines, fmt.Sprintf("%.3g %% of the work", 100*n.Work.Float()/w))
	}
	return lines
}

// short cuts a name that does not fit into a box.
func short(name string) string {
	if r := []rune(name); len(r) > 16 {
		return string(r[:15]) + "…"
	}
	return name
}

// times returns how often a node of an edge has the child.
func (r *result) times(e *Edge) string {
	if r.d.Goroutines != nil {
		return goroutineTimes(e)
	}
	each := float64(e.Count) / float64(r.d.Nodes[e.From].Count)
	return fmt.Sprintf("× %.3g", each)
}

// Draw implements [analysis.Drawn]: dot is the language of Graphviz.
func (r *result) Draw(w io.Writer, format string) error {
	out := bufio.NewWriter(w)
	if format == "dot" {
		r.dot(out)
	} else {
		r.svg(out)
	}
	return out.Flush()
}

func (r *result) dot(w io.Writer) {
	fmt.Fprintf(w, "digraph tasks {\n\tnode [shape=box];\n")
	for i := range r.d.Nodes {
		fmt.Fprintf(w, "\tn%d [label=%q];\n", i, strings.Join(r.label(i), "\n"))
	}
	for i := range r.d.Edges {
		e := &r.d.Edges[i]
		style := ""
		if r.d.Goroutines != nil && e.Count == 0 {
			style = " style=dashed"
		}
		fmt.Fprintf(w, "\tn%d -> n%d [label=%q%s];\n", e.From, e.To, r.times(e), style)
	}
	fmt.Fprintf(w, "}\n// %s\n", plot.Mark)
}

// Of the drawing, in pixels.
const (
	boxWidth, boxHeight  = 168, 74
	gapAcross, gapDown   = 34, 58
	inRow                = 7 // boxes beside each other
	margin, lineHeight   = 24, 16
	titleHeight, swerves = 34, 64
	letter               = 8 // of the title
)

// places returns the left upper corners of the boxes, on a sheet of at least a width: the nodes of
// a depth in rows, each as near as may be to those above it.
func (r *result) places(least float64) (x, y []float64, width, height float64) {
	d := r.d
	x, y = make([]float64, len(d.Nodes)), make([]float64, len(d.Nodes))
	above := make([][]int, len(d.Nodes))
	for _, e := range d.Edges {
		if d.Nodes[e.From].Depth < d.Nodes[e.To].Depth {
			above[e.To] = append(above[e.To], e.From)
		}
	}
	layers := map[int][]int{}
	deepest, widest := 0, 1
	for i, n := range d.Nodes {
		layers[n.Depth] = append(layers[n.Depth], i)
		deepest = max(deepest, n.Depth)
	}
	for _, l := range layers {
		widest = max(widest, min(len(l), inRow))
	}
	width = max(least, float64(widest*(boxWidth+gapAcross)-gapAcross)+2*(margin+swerves))
	top := float64(margin + titleHeight)
	for depth := range deepest + 1 {
		nodes := layers[depth]
		wish := map[int]float64{}
		for _, i := range nodes {
			for _, a := range above[i] {
				wish[i] += x[a] / float64(len(above[i]))
			}
		}
		slices.SortStableFunc(nodes, func(a, b int) int { return cmp.Compare(wish[a], wish[b]) })
		for row := range slices.Chunk(nodes, inRow) {
			left := (width - float64(len(row)*(boxWidth+gapAcross)-gapAcross)) / 2
			for k, i := range row {
				x[i], y[i] = left+float64(k*(boxWidth+gapAcross)), top
			}
			top += boxHeight + gapDown
		}
	}
	return x, y, width, top - gapDown + margin
}

func (r *result) svg(w io.Writer) {
	title := r.View().Title
	if p := r.d.Parallelism; p.Known() {
		title += fmt.Sprintf(": parallelism %v", ratio(p))
	}
	x, y, width, height := r.places(float64(letter*len(title) + 2*margin))
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" `+
		`height="%.0f" font-family="sans-serif" font-size="12" role="img" aria-label="%s">`+"\n",
		width, height, width, height, html.EscapeString(title))
	fmt.Fprintf(w, `<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="%d" `+
		`font-size="15" fill="#222">%s</text>`+"\n", margin, margin+8, html.EscapeString(title))
	type text struct {
		x, y float64
		s    string
	}
	var labels []text
	if r.d.Goroutines != nil {
		fmt.Fprintln(w, `<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" `+
			`markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#8a94a3"/></marker>`)
	}
	for i := range r.d.Edges {
		e := &r.d.Edges[i]
		x0, y0 := x[e.From]+boxWidth/2, y[e.From]+boxHeight
		x1, y1 := x[e.To]+boxWidth/2, y[e.To]
		if r.d.Goroutines != nil {
			if !r.d.drawn(e) {
				continue
			}
			curve, at := goroutinePath(e, x, y)
			fmt.Fprintf(w, `<path d="%s" fill="none" stroke="#8a94a3" marker-end="url(#arrow)"/>`+"\n",
				curve)
			labels = append(labels, text{at[0], at[1], r.times(e)})
			continue
		}
		side := 0.0 // what passes other boxes goes around them
		if y1-y0 > gapDown+1 {
			side = (boxWidth/2 + swerves) * 4 / 3
			if x1 < x0 {
				side = -side
			}
		}
		fmt.Fprintf(w, `<path d="M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f" fill="none" `+
			`stroke="#8a94a3"/>`+"\n", x0, y0, x0+side, y0+gapDown/2, x1+side, y1-gapDown/2, x1, y1)
		at := text{x1 + 4, y1 - 6, r.times(e)}
		if side != 0 {
			at.x, at.y = (x0+x1)/2+side*3/4+3, (y0+y1)/2
		} else if x1 != x0 {
			at.x, at.y = (x0+3*x1)/4+6, y1-14
		}
		labels = append(labels, at)
	}
	for i, n := range r.d.Nodes {
		share := 0.0
		if work := r.d.Work.Float(); work > 0 {
			share = n.Work.Float() / work
		}
		fill := fmt.Sprintf("#%02x%02xff", 244-int(90*share), 247-int(70*share))
		round := 3
		if n.Task {
			round = 12
		}
		fmt.Fprintf(w, `<rect x="%.0f" y="%.0f" width="%d" height="%d" rx="%d" fill="%s" `+
			`stroke="#44546a"/>`+"\n", x[i], y[i], boxWidth, boxHeight, round, fill)
		lines := r.label(i)
		from := y[i] + (boxHeight-float64(len(lines)*lineHeight))/2 + 12
		for k, line := range lines {
			fmt.Fprintf(w, `<text x="%.0f" y="%.0f" text-anchor="middle" fill="#222">%s</text>`+"\n",
				x[i]+boxWidth/2, from+float64(k*lineHeight), html.EscapeString(line))
		}
	}
	for _, l := range labels { // with a rim, for they stand on lines
		fmt.Fprintf(w, `<text x="%.0f" y="%.0f" fill="#44546a" stroke="#fff" stroke-width="3" `+
			`paint-order="stroke" font-size="11">%s</text>`+"\n", l.x, l.y, l.s)
	}
	fmt.Fprintf(w, "</svg><!-- %s -->\n", plot.Mark)
}
