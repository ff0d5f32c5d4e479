package exports

import (
	"bytes"
	"strings"
	"testing"

	"krdlab/loi"
)

const oneShape = `loi-text 1
substrate simulated
clock virtual 1.86e+09 invariant
nodes 2
l2 262144
llc 0
grain kernel
worker 0 cpu 3 node 1 offset 0
worker 1 cpu -1 node 0 offset 0
object A 64x8192 1x100
object "B, \"tiles\"" 4x64
kernel gemm A:in "B, \"tiles\"":in A:inout
0 100 150 gemm(64,3,2)
1 7 9 gemm{A[64]:out}
1 9 9 gemm{}
`

func parse(t testing.TB, text string) *loi.Trace {
	t.Helper()
	tr, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func write(t testing.TB, tr *loi.Trace, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tr, format, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSVOfBlocks(t *testing.T) {
	want := `time,worker,object,block,bytes,mode,kernel,end
100,0,A,64,100,r,gemm,150
100,0,"B, ""tiles""",3,64,r,gemm,150
100,0,A,2,8192,rw,gemm,150
7,1,A,64,100,w,gemm,9
`
	if got := write(t, parse(t, oneShape), "csv"); got != want {
		t.Errorf("written\n%s\nexpected\n%s", got, want)
	}
}
