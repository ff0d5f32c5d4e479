package request

import (
	"errors"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/hw/failure"
)

// Caches are read as they are written; an error names what was found, and the form.
func TestParseCaches(t *testing.T) {
	c, err := ParseCaches(CachesExample)
	if err != nil {
		t.Fatal(err)
	}
	want := hw.Cache{Level: 3, Bytes: 32 << 20, Ways: 16, LineBytes: 64, Known: hw.Given}
	if l := c.LLC; l.Level != want.Level || l.Bytes != want.Bytes || l.Ways != want.Ways ||
		l.LineBytes != want.LineBytes || l.Known != want.Known || c.Cores != 8 ||
		c.L1d.Bytes != 48<<10 || c.L1d.Ways != 12 || c.L2.Bytes != 1<<20 || c.L2.Level != 2 {
		t.Errorf("%+v", c)
	}
	for good, cores := range map[string]int{"32KiB,1MiB,8MiB": 0, "32KiB:8:64, 1MiB ,8MiB:16@1": 1,
		"1MiB,1MiB,1MiB@64": 64} {
		if c, err := ParseCaches(good); err != nil || c.Cores != cores {
			t.Errorf("%s: %+v, %v", good, c, err)
		}
	}
	for bad, want := range map[string]string{
		"":                        "1 cache;",
		"32KiB,1MiB":              "2 caches;",
		"32KiB,1MiB,8MiB,1GiB":    "4 caches;",
		"32KiB,1MiB,8MiB@":        `"@" is no number of cores from 1`,
		"32KiB,1MiB,8MiB@0":       `"@0" is no number of cores from 1`,
		"32KiB,1MiB,8MiB@two":     `"@two" is no number of cores from 1`,
		"32KiB,1MiB,8MiB@2@2":     `"@2@2" is no number of cores from 1`,
		"2MiB,1MiB,8MiB":          "a cache is smaller than the one before it",
		"32KiB,1MiB,512KiB":       "a cache is smaller than the one before it",
		"32XB,1MiB,8MiB":          `"32XB"`,
		"32KiB:x,1MiB,8MiB":       `"32KiB:x"`,
		"32KiB,512KiB:7,8MiB":     `"512KiB:7"`,
		"32KiB,1MiB,8MiB:16:64:1": `"8MiB:16:64:1"`,
		"32KiB,,8MiB":             `""`,
	} {
		_, err := ParseCaches(bad)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Flag != "caches" || e.Got != bad || !strings.Contains(e.Want, want) ||
			!strings.HasSuffix(e.Want, "; expected "+CachesForm+", such as "+CachesExample) {
			t.Errorf("%q: %v, expected %s", bad, err, want)
		}
	}
}

// A name or file with :caches=1/N behind it is that machine with an N-th of each cache, and with
// :prices= that machine with the prices of a family or of another one.
func TestFindVariants(t *testing.T) {
	var m Machines
	priced, err := m.Find("westmere-ex-4s:caches=1/16:prices=tbb")
	if err != nil || priced.Costs.SpawnPS != 987_000 || priced.LLC.Bytes != 18<<20/16 {
		t.Errorf("%+v, %v", priced, err)
	}
	if priced, err = m.Find("westmere-ex-4s:prices=desktop"); err != nil ||
		priced.Families != nil {
		t.Errorf("%+v, %v", priced, err)
	}
	part, err := m.Find("westmere-ex-4s:caches=1/16")
	if err != nil || part.LLC.Bytes != 18<<20/16 {
		t.Errorf("%+v, %v", part, err)
	}
	for name, want := range map[string]string{
		"westmere-ex-4s:caches=1/":             "expected a whole number behind :caches=1/, such as 16",
		"westmere-ex-4s:caches=1/7":            "l1.size: found 64 sets, expected a multiple of 7",
		"nothing:caches=1/2":                   "there is no such machine",
		"westmere-ex-4s:prices=tb":             "one of the machine's families (massivethreads, ",
		"westmere-ex-4s:prices=tbb:caches=1/2": "expected :caches=1/N before :prices=",
	} {
		if _, err := m.Find(name); err == nil || !strings.Contains(err.Error(), want) ||
			failure.Of(err) != failure.Request {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
