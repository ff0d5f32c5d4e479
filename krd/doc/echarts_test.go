package doc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

// The page carries the file dist/echarts.min.js of the npm package echarts 6.1.0, with its
// licences.
func TestECharts(t *testing.T) {
	r, err := gzip.NewReader(bytes.NewReader(echarts))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	if got, want := hex.EncodeToString(sum[:]), echartsSHA256; got != want {
		t.Errorf("SHA-256 %s, expected %s", got, want)
	}
	if !bytes.Contains(b, []byte(`"`+echartsVersion+`"`)) || !bytes.Contains(b[:1000],
		[]byte("Apache License")) {
		t.Errorf("not ECharts %s with its notice: %.200s", echartsVersion, b)
	}
	d := &Doc{Parts: []Part{&Figure{ID: "f", Chart: 1, Draw: func(w io.Writer) error {
		_, err := io.WriteString(w, `<svg viewBox="0 0 1 1"></svg>`)
		return err
	}}}}
	var page strings.Builder
	if err := d.Standalone(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The Apache Software Foundation (https://www.apache.org/)",
		"TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
		"Copyright (c) 2017, Baidu Inc.", "Copyright 2010-2016 Mike Bostock"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not hold %q of the licences", want)
		}
	}
}
