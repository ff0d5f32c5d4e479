package doc

import (
	"embed"
	"encoding/base64"
	"html/template"
	"strings"
)

// echartsVersion is that of the npm package echarts, whose dist/echarts.min.js is echarts.min.js.gz
// here (gzip -9n).
const echartsVersion = "6.1.0"

// echartsSHA256 is the sum of that file.
const echartsSHA256 = "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"

//go:embed echarts.min.js.gz
var echarts []byte

//go:embed licences
var licenceFiles embed.FS

// packed returns ECharts as the page carries it: gzip in base64, in an element that a browser does
// not run.
func packed() template.HTML {
	return template.HTML(`<script type="text/plain" id="echarts">` +
		base64.StdEncoding.EncodeToString(echarts) + `</script>`)
}

// A licence is that of something which the page carries.
type licence struct{ Of, Text string }

// licences returns those that must go with each copy of ECharts, and so with each page.
func licences() (list []licence, err error) {
	for _, l := range []struct{ of, file string }{
		{"Apache ECharts " + echartsVersion + ": notice", "echarts-NOTICE.txt"},
		{"Apache ECharts " + echartsVersion + ": licence (Apache-2.0)", "echarts-LICENSE.txt"},
		{"zrender, which is a part of the ECharts build: licence (BSD-3-Clause)",
			"zrender-LICENSE.txt"},
		{"d3, in parts in ECharts: licence (BSD-3-Clause)", "d3-LICENSE.txt"},
	} {
		b, err := licenceFiles.ReadFile("licences/" + l.file)
		if err != nil {
			return nil, err
		}
		list = append(list, licence{l.of, strings.TrimSpace(string(b))})
	}
	return list, nil
}
