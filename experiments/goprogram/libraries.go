package goprogram

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"krdlab/hw/failure"
	"krdlab/loi"
	"krdlab/loi/collect"
	"krdlab/loi/front"
	"krdlab/loi/native"
)

// libraries reads the shared libraries of a native program.
type libraries struct {
	a    *analysis
	d    *Document
	read []opened
}

// opened is a library that was read, from a file as it was then.
type opened struct {
	file  os.FileInfo
	image *collect.Image
}

var errObserved = failure.New(failure.Capability, "libraries are not read while the program is observed")

// Open implements [collect.Libraries].
func (l *libraries) Open(path string, sites, regions int) (*collect.Image, error) {
	if l.a.live != nil {
		return nil, errObserved
	}
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	for _, o := range l.read {
		if os.SameFile(o.file, file) && o.file.ModTime().Equal(file.ModTime()) && o.file.Size() == file.Size() {
			return o.image, nil
		}
	}
	n, err := native.OpenLibrary(path, sites, regions)
	if err != nil {
		return nil, err
	}
	p, err := collect.OpenProgram(path)
	if err != nil {
		return nil, err
	}
	for i, v := range p.Variables {
		p.Variables[i].Name = cmp.Or(n.Names[v.Name], v.Name)
	}
	i := &collect.Image{Program: p, Code: n.Code, Sites: n.Sites, Regions: n.Regions, Bytes: n.Bytes}
	l.read = append(l.read, opened{file, i})
	return i, nil
}

// Grown implements [collect.Libraries].
func (l *libraries) Grown(i *collect.Image) error {
	a := l.a
	a.sites = append(slices.Clip(a.sites), i.Sites...)
	l.d.Sites += len(i.Sites)
	switch {
	case a.trace != nil:
		return a.trace.grown(i)
	case a.waits != nil:
		return a.waits.grown(i)
	}
	return nil
}

// Loaded implements [collect.Libraries].
func (l *libraries) Loaded(i *collect.Image, base uint64) { l.a.program.Loaded(i.Program, base) }

// Left implements [collect.Libraries].
func (l *libraries) Left(path string, err error) {
	file := front.LeftFile(path, strings.TrimPrefix(err.Error(), path+": "))
	if line := file.String(); !slices.Contains(l.d.LeftFiles, line) {
		l.d.LeftFiles = append(l.d.LeftFiles, line)
	}
}

// grown makes room for the sites and regions of an image.
func (t *traceSink) grown(i *collect.Image) error {
	for _, s := range i.Sites {
		k, err := t.b.Kernel(s.Function)
		if err != nil {
			return err
		}
		t.kernels = append(t.kernels, k)
	}
	if t.lines != nil {
		t.lines.kernels = append(t.lines.kernels, slices.Repeat([]loi.KernelID{loi.NoKernel}, len(i.Sites))...)
	}
	t.regions = append(t.regions, slices.Repeat([]loi.RegionID{loi.NoRegion}, len(i.Regions))...)
	return nil
}
