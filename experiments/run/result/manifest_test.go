package result

import (
	"runtime"
	"testing"
	"time"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/kernels"
)

func TestReadBuild(t *testing.T) {
	b := ReadBuild()
	if b.GoVersion != runtime.Version() || b.GOGC == nil || *b.GOGC <= 0 || b.MemLimit != nil ||
		b.GOMAXPROCS < 1 {
		t.Errorf("got %+v", b)
	}
}

func TestManifestTracer(t *testing.T) {
	host, err := hw.Synthetic("1x2x2")
	if err != nil {
		t.Fatal(err)
	}
	r := request.New(kernels.Table[0])
	m := NewManifest(r.Asked(), []string{"krdlab"}, host, time.Now())
	traced := measured(7)
	traced.Trace = &Trace{Records: 1 << 20}
	m.Finish([]Result{Summarise(twoCores(7), traced), {Scheduler: "go"}}, nil, time.Now())
	if len(m.Tracer) != 1 || m.Tracer[0].Scheduler != "workfirst" || m.Tracer[0].Records != 1<<20 {
		t.Errorf("tracer: %+v", m.Tracer)
	}
}

// The checksum of a document is that of its content, not of its layout.
func TestChecksum(t *testing.T) {
	want, err := Checksum([]byte(`{"idle_ns":[1,2]}`))
	if err != nil {
		t.Fatal(err)
	}
	for doc, same := range map[string]bool{"{ \"idle_ns\": [1,\n 2] }\r\n": true,
		`{"idle_ns":[1,3]}`: false, `{"idle_ns":[2,1]}`: false} {
		if got, err := Checksum([]byte(doc)); err != nil || (got == want) != same {
			t.Errorf("%s: %s (%v), want %v that it is %s", doc, got, err, same, want)
		}
	}
	if got, err := Checksum([]byte("{")); err == nil {
		t.Errorf("half a document: %s, want an error", got)
	}
}
