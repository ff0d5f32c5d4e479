package exports

import "testing"

func TestCSVOfBlocks(t *testing.T) {
	golden(t, write(t, parse(t, mixedText), "csv"), `time,worker,object,block,bytes,mode,kernel,end,clock_hz
100,0,A,64,100,r,gemm,150,2000000000
100,0,"B, ""tiles""",3,64,r,gemm,150,
100,0,A,2,8192,rw,gemm,150,
170,0,A,0,8192,r,gemm,190,
170,0,"B, ""tiles""",0,64,r,gemm,190,
170,0,A,0,8192,rw,gemm,190,
200,0,A,1,8192,r,gemm,260,
200,0,"B, ""tiles""",2,64,r,gemm,260,
200,0,A,3,8192,rw,gemm,260,
200,0,A,4,8192,w,"a, b",260,
7,1,A,64,100,w,gemm,9,
`)
}

func TestCSVOfSpans(t *testing.T) {
	golden(t, write(t, spansOnly(t), "csv"), `time,worker,object,offset,bytes,mode,kernel,end,rows,stride
10,0,S,2305843009213693952,8,r,k,15,1,0
10,0,S,5,2,w,k,15,3,7
`)
}

func TestCSVOfAllShapes(t *testing.T) {
	golden(t, write(t, allShapes(t), "csv"), `time,worker,object,block,offset,bytes,mode,kernel,end,rows,stride
10,0,P,0,,64,r,k,15,1,0
10,0,K,18446744073709551615,,1099511627776,w,k,15,1,0
10,0,S,,4096,100,rw,k,15,1,0
10,0,S,,0,256,r,k,15,32,16384
20,0,K,0,,1,r,k,25,1,0
`)
}

func TestCSVOfNothing(t *testing.T) {
	golden(t, write(t, parse(t, emptyText), "csv"),
		"time,worker,object,block,bytes,mode,kernel,end\n")
}

func TestQuoted(t *testing.T) {
	for in, want := range map[string]string{"a b": "a b", "": "", "a,b": `"a,b"`, `"`: `""""`,
		"a\nb": "\"a\nb\"", " a": `" a"`, "a\t": "\"a\t\""} {
		if got := quoted(in); got != want {
			t.Errorf("%q is %s, expected %s", in, got, want)
		}
	}
}
