package imports

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"krdlab/loi"
)

// nullSink counts what it gets, and checks no more than that it was registered.
type nullSink struct {
	objects, kernels     int
	executions, accesses uint64
	sum                  uint64 // of blocks
}

func (s *nullSink) Object(string, loi.ObjectKind) (loi.ObjectID, error) {
	s.objects++
	return loi.ObjectID(s.objects - 1), nil
}

func (s *nullSink) Kernel(string) (loi.KernelID, error) {
	s.kernels++
	return loi.KernelID(s.kernels - 1), nil
}

func (s *nullSink) Access(worker int, k loi.KernelID, at uint64, a loi.Access) error {
	s.executions++
	s.accesses++
	s.sum += a.Block
	if int(k) >= s.kernels || int(a.Object) >= s.objects {
		return fmt.Errorf("object %d of %d, kernel %d of %d", a.Object, s.objects, k, s.kernels)
	}
	return nil
}

func (s *nullSink) Execution(worker int, k loi.KernelID, fl loi.Flags, start, end uint64,
	list []loi.Access) error {
	s.executions++
	s.accesses += uint64(len(list))
	for i := range list {
		s.sum += list[i].Block
	}
	if int(k) >= s.kernels {
		return fmt.Errorf("kernel %d of %d", k, s.kernels)
	}
	return nil
}

// importNull imports content into a nullSink; sorting needs dir.
func importNull(t testing.TB, content []byte, format string, opt Options) (*nullSink, error) {
	t.Helper()
	s := new(nullSink)
	f := &feeder{sink: s, resize: opt.Atoms}
	if _, err := opt.check(); err != nil {
		return nil, err
	}
	if format == "parquet" && len(content) > 0 { // without a file in between
		err := pump(context.Background(), func(o *outlet) error {
			return parseParquet(context.Background(), bytes.NewReader(content), int64(len(content)),
				o, nil, new(float64))
		}, f.take)
		if err == nil {
			err = f.finish()
		}
		return s, place(err, "stdin", true)
	}
	opt.Format = format
	return s, feed(context.Background(), Source{Path: "-", Stdin: bytes.NewReader(content)},
		t.TempDir(), &opt, f)
}
