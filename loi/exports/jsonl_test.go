package exports

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONLines(t *testing.T) {
	got := write(t, parse(t, mixedText), "jsonl")
	golden(t, got, `{"type":"header","version":1,"clock":{"source":"virtual","hz":2000000000,"invariant":true},"substrate":"simulated","synthetic":false,"grain":"kernel","recovered":false,"nodes":2,"l2_bytes":262144,"llc_bytes":null,"workers":[{"cpu":3,"node":1,"records":5,"discarded":0,"lost_bytes":0},{"cpu":null,"node":0,"records":4,"discarded":12,"lost_bytes":4096}],"objects":[{"name":"A","kind":"partition","blocks":[[64,8192],[1,100]]},{"name":"B, \"tiles\"","kind":"partition","blocks":[[4,64]]}],"kernels":[{"name":"gemm","params":[{"object":"A","mode":"r"},{"object":"B, \"tiles\"","mode":"r"},{"object":"A","mode":"rw"}]},{"name":"a, b","params":[{"object":"A","mode":"w"}]},{"name":"idle","params":[]}],"meta":[["a key","and, a \"value\""]]}
{"type":"kernel","worker":0,"node":1,"kernel":"gemm","start":100,"end":150,"accesses":[{"object":"A","block":64,"bytes":100,"mode":"r"},{"object":"B, \"tiles\"","block":3,"bytes":64,"mode":"r"},{"object":"A","block":2,"bytes":8192,"mode":"rw"}]}
{"type":"event","worker":0,"node":1,"event":"steal","time":160,"args":[1,1,2]}
{"type":"event","worker":0,"node":1,"event":"event(77)","time":162,"args":[5]}
{"type":"kernel","worker":0,"node":1,"kernel":"gemm","start":170,"end":190,"preempted":true,"moved":true,"accesses":[{"object":"A","block":0,"bytes":8192,"mode":"r"},{"object":"B, \"tiles\"","block":0,"bytes":64,"mode":"r"},{"object":"A","block":0,"bytes":8192,"mode":"rw"}]}
{"type":"task","worker":0,"node":1,"start":200,"end":260,"kernels":3}
{"type":"kernel","worker":0,"node":1,"kernel":"gemm","start":200,"end":260,"unstamped":true,"accesses":[{"object":"A","block":1,"bytes":8192,"mode":"r"},{"object":"B, \"tiles\"","block":2,"bytes":64,"mode":"r"},{"object":"A","block":3,"bytes":8192,"mode":"rw"}]}
{"type":"kernel","worker":0,"node":1,"kernel":"idle","start":200,"end":260,"unstamped":true,"accesses":[]}
{"type":"kernel","worker":0,"node":1,"kernel":"a, b","start":200,"end":260,"unstamped":true,"accesses":[{"object":"A","block":4,"bytes":8192,"mode":"w"}]}
{"type":"kernel","worker":1,"node":0,"kernel":"gemm","start":7,"end":9,"accesses":[{"object":"A","block":64,"bytes":100,"mode":"w"}]}
{"type":"kernel","worker":1,"node":0,"kernel":"gemm","start":9,"end":9,"accesses":[]}
{"type":"event","worker":1,"node":0,"event":"idle","time":10,"args":[]}
{"type":"event","worker":1,"node":0,"event":"busy","time":50,"args":[]}
`)
	for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %d is no JSON: %s", i+1, line)
		}
	}
}

func TestJSONLinesOfAllShapes(t *testing.T) {
	_, lines, _ := strings.Cut(write(t, allShapes(t), "jsonl"), "\n")
	golden(t, lines, `{"type":"kernel","worker":0,"node":0,"kernel":"k","start":10,"end":15,"accesses":[{"object":"P","block":0,"bytes":64,"mode":"r"},{"object":"K","block":18446744073709551615,"bytes":1099511627776,"mode":"w"},{"object":"S","offset":4096,"bytes":100,"mode":"rw"},{"object":"S","offset":0,"bytes":256,"rows":32,"stride":16384,"mode":"r"}]}
{"type":"kernel","worker":0,"node":0,"kernel":"k","start":20,"end":25,"accesses":[{"object":"K","block":0,"bytes":1,"mode":"r"}]}
`)
}

// TestJSONLinesOfNothing expects null for unknown values, and lists that are empty and not null.
func TestJSONLinesOfNothing(t *testing.T) {
	golden(t, write(t, parse(t, emptyText), "jsonl"), `{"type":"header","version":1,"clock":{"source":"tsc","hz":null,"invariant":false},"substrate":"native","synthetic":false,"grain":"","recovered":false,"nodes":1,"l2_bytes":null,"llc_bytes":null,"workers":[{"cpu":null,"node":0,"records":0,"discarded":0,"lost_bytes":0}],"objects":[],"kernels":[],"meta":[]}
`)
}
