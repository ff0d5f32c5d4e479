package goprogram

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"krdlab/krd/analysis/regions"
)

// looks are a run's records of the memory after tried loops, by loop: see the agent's look.go.
type looks map[string]*looking

// A looking is of one loop.
type looking struct {
	instances int    // that were looked at
	roots     []root // of each, in their order
	sums      []byte // for the agent
	much      bool   // not all sums are there
	off       *regions.Difference
}

// A root is the memory reached from a variable at the end of an instance.
type root struct {
	instance    int
	name        string
	hash, loose string // of all, and of all but numbers of floating point
}

// readLooks reads what a run has told; a line that is cut off is the last.
func readLooks(path string) (looks, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, names := looks{}, map[string]*looking{}
	for r := bufio.NewReader(f); ; {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		word := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(word) < 2 {
			continue
		}
		l := names[word[1]]
		if word[0] == "loop" && len(word) > 2 {
			l = &looking{}
			names[word[1]], all[word[2]] = l, l
			continue
		}
		if l == nil {
			continue
		}
		rest := strings.Fields(strings.Join(word[2:], ""))
		switch word[0] {
		case "sums":
			l.much = l.much || len(rest) == 0
			for _, x := range rest {
				n, _ := strconv.ParseUint(x, 16, 64)
				l.sums = binary.NativeEndian.AppendUint64(l.sums, n)
			}
		case "off":
			if l.off == nil && len(rest) == 4 {
				instance, _ := strconv.Atoi(rest[0])
				l.off = &regions.Difference{In: regions.InMemory, Place: rest[1], Instance: instance + 1,
					Plain: shown("f", rest[2]), Found: shown("f", rest[3])}
				if strings.HasPrefix(rest[1], "len(") {
					l.off.Plain, l.off.Found = shown("n", rest[2]), shown("n", rest[3])
				}
			}
		case "root":
			if len(rest) == 4 {
				instance, _ := strconv.Atoi(rest[0])
				if n := len(l.roots); n == 0 || l.roots[n-1].instance != instance {
					l.instances++
				}
				l.roots = append(l.roots, root{instance, rest[1], rest[2], rest[3]})
			}
		}
	}
}

// shown prints a value of a kind, from its bits in hexadecimal.
func shown(kind, bits string) string {
	n, err := strconv.ParseUint(bits, 16, 64)
	switch {
	case err != nil:
		return bits
	case kind == "f":
		return strconv.FormatFloat(math.Float64frombits(n), 'g', -1, 64)
	case kind == "i", kind == "n":
		return strconv.FormatInt(int64(n), 10)
	case kind == "p" && n == 0:
		return "nil"
	case kind == "p":
		return fmt.Sprintf("a pointer to object %d, byte %d", n>>32, uint32(n))
	}
	return "other contents"
}

// steady returns the roots that are the same in two runs of the plain order; aside are the others.
func (l *looking) steady(again *looking) (aside []string) {
	odd := map[string]bool{}
	for i, r := range l.roots {
		if again == nil || i >= len(again.roots) || again.roots[i] != r {
			if !odd[r.name] {
				odd[r.name] = true
				aside = append(aside, r.name)
			}
		}
	}
	return aside
}

// differs returns the first root that is not the same in another run.
func (l *looking) differs(x *looking, aside []string, loose bool) (at root, differs bool) {
	skip := map[string]bool{}
	for _, name := range aside {
		skip[name] = true
	}
	for i, r := range l.roots {
		switch {
		case skip[r.name]:
		case x == nil || i >= len(x.roots):
			return r, true
		case x.roots[i].loose != r.loose || !loose && x.roots[i].hash != r.hash,
			x.roots[i].name != r.name || x.roots[i].instance != r.instance:
			return r, true
		}
	}
	return root{}, false
}

// firstValue returns the first value of a root, among those that two runs recorded in detail, that
// differs.
func firstValue(plain, other string, root string, loose bool) (place, a, b string, err error) {
	x, err := os.ReadFile(plain)
	if err != nil {
		return "", "", "", err
	}
	y, err := os.ReadFile(other)
	if err != nil {
		return "", "", "", err
	}
	value := func(from *[]byte) []string {
		for len(*from) > 0 {
			line, rest, _ := bytes.Cut(*from, []byte("\n"))
			*from = rest
			w := strings.SplitN(string(line), " ", 4)
			if len(w) < 4 || w[0] != "value" || loose && w[1] == "f" {
				continue
			}
			if name, found := strings.CutPrefix(w[3], root); found && (name == "" || strings.Contains(".[", name[:1])) {
				return w[1:]
			}
		}
		return nil
	}
	for {
		p, q := value(&x), value(&y)
		switch {
		case p == nil && q == nil:
			return root, "", "other contents", nil
		case p == nil:
			return q[2], "nothing", shown(q[0], q[1]), nil
		case q == nil:
			return p[2], shown(p[0], p[1]), "nothing", nil
		case p[0] != q[0] || p[1] != q[1] || p[2] != q[2]:
			if p[2] != q[2] {
				return p[2], shown(p[0], p[1]), q[2] + " is there", nil
			}
			return p[2], shown(p[0], p[1]), shown(q[0], q[1]), nil
		}
	}
}

// A look is how a run is looked at.
type look struct {
	plain  []byte // the sums of the loop, in the plain order
	detail string // an instance and a loop
}

// environment lays the files of a look into a folder; told is the file that the run writes.
func (k *look) environment(folder string) (vars []string, told string, err error) {
	told = filepath.Join(folder, "told")
	if err := os.WriteFile(told, nil, 0o600); err != nil {
		return nil, "", err
	}
	vars = []string{"KRD_LOOK=" + told, "KRD_DETAIL=" + k.detail}
	if k.plain != nil {
		sums := filepath.Join(folder, "sums")
		if err := os.WriteFile(sums, k.plain, 0o600); err != nil {
			return nil, "", err
		}
		vars = append(vars, "KRD_PLAIN="+sums)
	}
	return vars, told, nil
}
