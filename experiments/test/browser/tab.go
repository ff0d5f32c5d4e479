package browser

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"krdlab/hw/hwtest"
)

// A View is how a page is looked at.
type View struct {
	Width, Height int    // of the window, in pixels; below 500 it is that of a telephone
	Scheme        string // of colours: light, dark
	Media         string // "", print
	NoScript      bool
}

// A Tab is a page in the browser. It comes to the front whenever something is done to it: covered,
// it would not be drawn, and its requestAnimationFrame would not call back.
type Tab struct {
	*Browser
	session string
	pressed bool // the left button of the mouse
}

// Open opens a page in a tab of its own, at the front, and waits until it is loaded.
// The address may end in a hash. The tab is closed when the test ends.
func (b *Browser) Open(url string, v View) *Tab {
	b.t.Helper()
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	decode(b.t, b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	decode(b.t, b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID,
		"flatten": true}), &target)
	p := &Tab{Browser: b, session: target.SessionID}
	b.t.Cleanup(func() { b.send("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}) })
	b.front = p
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width, "height": v.Height,
		"deviceScaleFactor": 1, "mobile": v.Width < 500})
	p.do("Emulation.setEmulatedMedia", map[string]any{"media": v.Media,
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": v.Scheme}}})
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": v.NoScript})
	var to struct{ ErrorText string }
	decode(b.t, p.do("Page.navigate", map[string]any{"url": url}), &to)
	if to.ErrorText != "" {
		b.t.Fatalf("%s: %s", url, to.ErrorText)
	}
	p.until(func() bool { return len(p.events("Page.loadEventFired")) > 0 }, "the page is loaded")
	return p
}

// do sends a command to the page and returns its result.
func (p *Tab) do(method string, params any) json.RawMessage {
	p.t.Helper()
	if p.front != p {
		p.call(p.session, "Page.bringToFront", nil)
		p.front = p
	}
	return p.call(p.session, method, params)
}

// until waits for something to become true.
func (p *Tab) until(is func() bool, what string) {
	p.t.Helper()
	for end := hwtest.Deadline(p.t); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("waited in vain until %s; console: %v", what, p.Console())
		}
	}
}

// Wait waits until a JavaScript expression, evaluated again and again, has the value true. A
// promise is awaited.
func (p *Tab) Wait(expression string) {
	p.t.Helper()
	p.until(func() bool {
		p.t.Helper()
		var is bool
		p.Eval(expression, &is)
		return is
	}, expression)
}

// Eval evaluates a JavaScript expression and decodes its value, as JSON, into a pointer; nil drops
// the value. A promise is awaited. An exception ends the test.
func (p *Tab) Eval(expression string, into any) {
	p.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	decode(p.t, p.do("Runtime.evaluate", map[string]any{"expression": expression,
		"returnByValue": into != nil, "awaitPromise": true}), &r)
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if into != nil {
		decode(p.t, r.Result.Value, into)
	}
}

// events returns the parameters of the events of a method that the page has sent.
func (p *Tab) events(method string) (list []json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.seen {
		if m.SessionID == p.session && m.Method == method {
			list = append(list, m.Params)
		}
	}
	return list
}

// Console returns the lines of the console: what the page wrote, its exceptions, and what the
// browser itself complains of.
func (p *Tab) Console() (lines []string) {
	for _, method := range []string{"Runtime.exceptionThrown", "Runtime.consoleAPICalled",
		"Log.entryAdded"} {
		for _, e := range p.events(method) {
			lines = append(lines, fmt.Sprintf("%s: %.600s", method, e))
		}
	}
	return lines
}

// Requests returns the addresses, without their hashes, that the page has asked for, its own too.
func (p *Tab) Requests() (urls []string) {
	for _, e := range p.events("Network.requestWillBeSent") {
		var r struct{ Request struct{ URL string } }
		decode(p.t, e, &r)
		urls = append(urls, r.Request.URL)
	}
	return urls
}

// Screenshot returns a PNG of a part of the page, from y pixels below its top, whether it is in the
// window or not.
func (p *Tab) Screenshot(y, width, height int) []byte {
	p.t.Helper()
	return p.data("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": y, "width": width, "height": height, "scale": 1}})
}

// PDF returns the page as it is printed.
func (p *Tab) PDF() []byte {
	p.t.Helper()
	return p.data("Page.printToPDF", map[string]any{"preferCSSPageSize": true})
}

func (p *Tab) data(method string, params any) []byte {
	p.t.Helper()
	var r struct{ Data string }
	decode(p.t, p.do(method, params), &r)
	b, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}
