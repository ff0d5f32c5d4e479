package exports

import "krdlab/loi"

// An expander gives the accesses of kernel executions.
type expander struct {
	t    *loi.Trace
	list []loi.Access
}

func newExpander(t *loi.Trace) *expander { return &expander{t: t} }

// record returns the accesses of the current record of c, a kernel execution, valid until the next
// call.
func (x *expander) record(c *loi.Cursor) []loi.Access {
	x.list = c.AppendAccesses(x.list[:0])
	return x.list
}

// call returns the accesses of one kernel of a task, valid until the next call.
func (x *expander) call(c *loi.Call) []loi.Access {
	x.list = x.list[:0]
	k := &x.t.Header.Registry.Kernels[c.Kernel]
	for i, p := range k.Params {
		b := c.Args[k.ArgOf(i)]
		x.list = append(x.list, loi.Access{Object: p.Object, Mode: p.Mode, Block: uint64(b),
			Bytes: x.t.BlockBytes(p.Object, b)})
	}
	return x.list
}
