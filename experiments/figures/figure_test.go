package figures

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/dataset/made"
)

// Every figure that is made can be drawn and says where its numbers come from.
func TestAll(t *testing.T) {
	groups := made.Small().Groups()
	list, skipped := All(&groups[0])
	for _, s := range skipped {
		t.Logf("skipped %v", s)
	}
	if len(list) < 2 {
		t.Fatalf("%d figures", len(list))
	}
	for _, f := range list {
		if dir := os.Getenv("FIGURES_OUT"); dir != "" { // to be looked at
			w, err := os.Create(filepath.Join(dir, f.ID+".png"))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Write(w, "png"); err != nil {
				t.Fatal(err)
			}
			w.Close()
		}
		var b bytes.Buffer
		if err := f.Write(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); !strings.Contains(s, "SIMULATED") {
			t.Errorf("%s does not say its substrate", f.ID)
		}
		if len(f.Rows()) == 0 {
			t.Errorf("%s has no rows", f.ID)
		}
	}
}
