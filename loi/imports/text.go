package imports

import (
	"io"

	"krdlab/loi"
)

// readText reads a whole trace in the text form and counts its contents.
func (f *feeder) readText(r io.Reader) error {
	t, err := loi.ParseText(r)
	if err != nil {
		return err
	}
	h, sum := &t.Header, &f.sum
	sum.Workers, sum.Nodes = len(h.Workers), h.Nodes
	sum.Objects, sum.Kernels = len(h.Registry.Objects), len(h.Registry.Kernels)
	for e, err := range t.Ordered(loi.Order{ByWorker: true, AllowLoss: true}) {
		if err != nil {
			return err
		}
		r := e.Record
		if sum.Executions++; sum.Executions == 1 || r.Start < sum.FirstTime {
			sum.FirstTime = r.Start
		}
		sum.LastTime = max(sum.LastTime, r.End)
		sum.Accesses += uint64(len(e.Accesses()))
	}
	f.text = t
	return nil
}
