package report

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"krdlab/hw/hwtest"
)

// A browser is a headless Chromium that is spoken to by the DevTools protocol over a pipe: JSON
// messages, each ended by a zero byte.
type browser struct {
	t    *testing.T
	to   *os.File
	mu   sync.Mutex
	next int
	wait map[int]chan message
	seen []message // events, in their order
	end  chan struct{}
}

type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// startBrowser skips the test where there is no Chromium.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no chromium in PATH: the page is not tested in a browser (Debian: apt-get " +
			"install chromium)")
	}
	ctx, cancel := context.WithDeadline(context.Background(), hwtest.Deadline(t))
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "--no-first-run",
		"--disable-background-networking", "about:blank")
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, out}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Skipf("%s cannot be started: %v", path, err)
	}
	in.Close()
	out.Close()
	b := &browser{t: t, to: to, wait: map[int]chan message{}, end: make(chan struct{})}
	go b.read(from)
	t.Cleanup(func() {
		b.send("", "Browser.close", nil)
		to.Close()
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(20 * time.Second): // its processes may outlive it, and hold stderr
		}
		cancel()
		if t.Failed() {
			t.Logf("stderr of the browser:\n%.4000s", stderr.String())
		}
	})
	return b
}

func (b *browser) read(from *os.File) {
	defer close(b.end)
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if c := b.wait[m.ID]; m.ID != 0 && c != nil {
			delete(b.wait, m.ID)
			c <- m
		} else {
			b.seen = append(b.seen, m)
		}
		b.mu.Unlock()
	}
}

func (b *browser) send(session, method string, params any) chan message {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	c := make(chan message, 1)
	b.wait[b.next] = c
	m := map[string]any{"id": b.next, "method": method}
	if params != nil {
		m["params"] = params
	}
	if session != "" {
		m["sessionId"] = session
	}
	line, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	b.to.Write(append(line, 0))
	return c
}

// call sends a command and returns its result.
func (b *browser) call(session, method string, params any) json.RawMessage {
	b.t.Helper()
	select {
	case m := <-b.send(session, method, params):
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		return m.Result
	case <-b.end:
		b.t.Fatalf("%s: the browser has ended", method)
	case <-time.After(time.Until(hwtest.Deadline(b.t))):
		b.t.Fatalf("%s: no answer until the tests had to end", method)
	}
	return nil
}

// A tab is a page of the browser.
type tab struct {
	*browser
	session string
}

// A view says how a page is looked at.
type view struct {
	width, height int
	scheme        string // light, dark
	media         string // "", print
	noScript      bool
}

// open opens a page and waits until it is loaded and, where scripts run, quiet.
func (b *browser) open(url string, v view) *tab {
	b.t.Helper()
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	decode(b.t, b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	decode(b.t, b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID,
		"flatten": true}), &target)
	p := &tab{b, target.SessionID}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil)
	}
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.width, "height": v.height,
		"deviceScaleFactor": 1, "mobile": v.width < 500})
	p.do("Emulation.setEmulatedMedia", map[string]any{"media": v.media,
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": v.scheme}}})
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": v.noScript})
	p.do("Page.navigate", map[string]any{"url": url})
	p.until(func() bool { return len(p.events("Page.loadEventFired")) > 0 }, "loaded")
	return p
}

func (p *tab) do(method string, params any) json.RawMessage {
	p.t.Helper()
	return p.call(p.session, method, params)
}

// until waits for something to become true.
func (p *tab) until(is func() bool, what string) {
	p.t.Helper()
	for end := hwtest.Deadline(p.t); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the page did not become %s; console: %v", what, p.console())
		}
	}
}

// events returns the parameters of those of a method that the page has sent.
func (p *tab) events(method string) (list []json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.seen {
		if m.SessionID == p.session && m.Method == method {
			list = append(list, m.Params)
		}
	}
	return list
}

// console returns what was written there, exceptions and what the browser itself complains of.
func (p *tab) console() (lines []string) {
	for _, method := range []string{"Runtime.exceptionThrown", "Runtime.consoleAPICalled",
		"Log.entryAdded"} {
		for _, e := range p.events(method) {
			lines = append(lines, fmt.Sprintf("%s: %.600s", method, e))
		}
	}
	return lines
}

// requests returns the addresses that the page has asked for.
func (p *tab) requests() (urls []string) {
	for _, e := range p.events("Network.requestWillBeSent") {
		var r struct{ Request struct{ URL string } }
		decode(p.t, e, &r)
		urls = append(urls, r.Request.URL)
	}
	return urls
}

// eval returns the value of a JavaScript expression, as JSON; a promise is awaited.
func (p *tab) eval(expression string, into any) {
	p.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	decode(p.t, p.do("Runtime.evaluate", map[string]any{"expression": expression,
		"returnByValue": true, "awaitPromise": true}), &r)
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	decode(p.t, r.Result.Value, into)
}

// screenshot returns a PNG of a part of the page.
func (p *tab) screenshot(y, width, height int) []byte {
	return p.data("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": y, "width": width, "height": height, "scale": 1}})
}

// pdf returns the page as it is printed.
func (p *tab) pdf() []byte {
	return p.data("Page.printToPDF", map[string]any{"preferCSSPageSize": true})
}

func (p *tab) data(method string, params any) []byte {
	p.t.Helper()
	var r struct{ Data string }
	decode(p.t, p.do(method, params), &r)
	b, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

func decode(t *testing.T, b json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v: %.300s", err, b)
	}
}
