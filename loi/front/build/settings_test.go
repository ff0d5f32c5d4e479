package build

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw/failure"
)

// TestSettings checks each setting: a refusal that names it, or the flags that the go command gets.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	removes := filepath.Join(dir, "over lay.json")
	for path, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n",
		"alt.mod": "module m\n\ngo 1.26\n", "over lay.json": `{"Replace": {"a.go": ""}}`} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ name, value, kept, refused string }{
		{"GOOS", "windows", "", "GOOS=windows, expected linux"},
		{"GOARCH", "arm64", "", "GOARCH=arm64, expected amd64"},
		{"GO111MODULE", "off", "", "GO111MODULE=off, expected a module"},
		{"GOEXPERIMENT", "unheard", "", "unknown GOEXPERIMENT unheard"},
		{"GOFLAGS", "-cover", "", "GOFLAGS has -cover: its counters"},
		{"GOFLAGS", "--covermode=set", "", "GOFLAGS has --covermode=set: its counters"},
		{"GOFLAGS", "-p=1 -coverpkg=./...", "", "GOFLAGS has -coverpkg=./...: its counters"},
		{"GOFLAGS", "-n", "", "GOFLAGS has -n: it builds nothing"},
		{"GOFLAGS", "-buildmode=plugin", "", "GOFLAGS has -buildmode=plugin: it builds no program"},
		{"GOFLAGS", "-compiler=gccgo", "", "GOFLAGS has -compiler=gccgo"},
		{"GOFLAGS", "-linkshared", "", "GOFLAGS has -linkshared"},
		{"GOFLAGS", "-gcflags=all=-N", "", "GOFLAGS has -gcflags=all=-N: rewritten packages"},
		{"GOFLAGS", "-exec=echo", "", "GOFLAGS has -exec=echo"},
		{"GOFLAGS", "-C=x", "", "invalid value \"x\" for flag -C"},
		{"GOFLAGS", "-overlay=no", "", "GOFLAGS has -overlay=no: open " + filepath.Join(dir, "no")},
		{"GOFLAGS", `"-overlay=` + removes + `"`, "", ": it removes " + filepath.Join(dir, "a.go")},
		{"GOFLAGS", "-modfile=no.mod", "", "GOFLAGS has -modfile=no.mod: stat "},
		{"GOFLAGS", "'-ldflags=-s", "", "GOFLAGS='-ldflags=-s: a quote ' is not closed"},
		{"GOFLAGS", "-run=x", "", ""},
		{"GOFLAGS", "", "", ""},
		{"GOFLAGS", "-json -x -v -work -a -o=y -vet=off -m -find -f=x -e", "", ""},
		{"GOFLAGS", "-cover=false -n=0 -buildmode=pie -compiler=gc -gcflags=", "", ""},
		{"GOFLAGS", "-modfile=alt.mod", "", ""},
		{"GOFLAGS", "-ldflags=-s", "'-ldflags=-s -s=false' ", ""},
		{"GOFLAGS", "'-ldflags=-s -w -X=a=b' -p=1", "'-ldflags=-s -w -X=a=b -s=false' -p=1 ", ""},
		{"GOFLAGS", `"-ldflags=-X 'a=b c'"`, `"-ldflags=-X 'a=b c' -s=false" `, ""},
		{"GOFLAGS", "-race -msan -asan -toolexec=t -mod=vendor -trimpath -buildvcs=auto -tags=a,b",
			"-race -msan -asan -toolexec=t -mod=vendor -trimpath -buildvcs=auto -tags=a,b ", ""},
	} {
		t.Run(x.value, func(t *testing.T) {
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOENV", "off")
			t.Setenv(x.name, x.value)
			r := given(t, Request{Dir: dir})
			r.dir, r.replace = t.TempDir(), map[string]string{}
			switch err := r.begin(); {
			case x.refused == "" && (err != nil || r.view.env[2] != "GOFLAGS="+x.kept+"-n=false"):
				t.Errorf("%v: %q, expected %q", err, r.view.env, x.kept)
			case x.refused != "" && (!errors.Is(err, ErrSetting) || failure.Of(err) != failure.Request ||
				!strings.Contains(err.Error(), x.refused)):
				t.Errorf("%v, expected %q", err, x.refused)
			}
		})
	}
	t.Setenv("GOFLAGS", "-run=x")
	r := given(t, Request{Dir: dir, Test: true})
	r.dir = t.TempDir()
	if err := r.begin(); !errors.Is(err, ErrSetting) || !strings.Contains(err.Error(), "-test.run=x") {
		t.Errorf("a flag of go test: %v", err)
	}
}

// Of two builds that could have failed, the one that has is named.
func TestWhichFails(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n",
		"main.go": "package main\n\nvar v = new(int)\n\nfunc main() { *v = 1 }\n",
		"tool":    "#!/bin/sh\ncase \"$*\" in $FAILS) echo no; exit 1; esac\nexec \"$@\"\n"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOFLAGS", "-toolexec="+filepath.Join(dir, "tool"))
	for _, c := range []struct { // in this order: what was compiled once is not compiled again
		fails string
		want  error
	}{{"*compile*\\ -p\\ main*", ErrFailed}, {"*compile*\\ -m\\ *", ErrRewritten}} {
		t.Setenv("FAILS", c.fails)
		_, err := Run(t.Context(), Request{Dir: dir, Path: "."}, t.TempDir())
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "# m\nno") {
			t.Errorf("%s: %v, expected %v", c.fails, err, c.want)
		}
	}
}
