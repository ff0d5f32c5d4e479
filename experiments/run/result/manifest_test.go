package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
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

// The checksum of a document is that of its content, not of its layout: of what json.Compact leaves.
func TestChecksum(t *testing.T) {
	want := Checksum([]byte(`{"idle_ns":[1,2]}`))
	for doc, same := range map[string]bool{"{ \"idle_ns\": [1,\n 2] }\r\n": true,
		`{"idle_ns":[1,3]}`: false, `{"idle_ns":[2,1]}`: false} {
		if got := Checksum([]byte(doc)); (got == want) != same {
			t.Errorf("%s: %s, want %v that it is %s", doc, got, same, want)
		}
	}
	for _, doc := range []string{"{\"a b\" :\t\" \\\" , : \" , \"\\\\\": [ ] }", "[ 1 , \" \\n \" ]\n"} {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(doc)); err != nil {
			t.Fatal(err)
		}
		if got, want := Checksum([]byte(doc)), fmt.Sprintf("%x", sha256.Sum256(b.Bytes())); got != want {
			t.Errorf("%s: %s, expected %s as of %s", doc, got, want, &b)
		}
	}
	for _, half := range []string{"{", `{"`, `{"a\`, `"`} {
		Checksum([]byte(half)) // it ends
	}
}
