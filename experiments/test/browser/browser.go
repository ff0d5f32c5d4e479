// Package browser opens pages in a headless Chromium, for tests of packages that write pages: it
// evaluates JavaScript, reads the console, sends what a person does with keyboard, mouse and
// fingers, and keeps pictures. A test that starts one has a name that begins with TestBrowser.
//
// A library for the DevTools protocol, such as chromedp, was rejected: tests need a dozen of its
// methods, and it has more than five hundred.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"krdlab/hw/hwtest"
)

// A Browser is a headless Chromium that is spoken to by the DevTools protocol over a pipe: JSON
// messages, each ended by a zero byte. It belongs to the goroutine of its test.
type Browser struct {
	*process
	t testing.TB
}

// In returns the browser as one of a subtest, whose goroutine it belongs to until that has ended.
func (b *Browser) In(t testing.TB) *Browser { return &Browser{b.process, t} }

// A process is what the browsers of a test and of its subtests have in common.
type process struct {
	to    *os.File
	front *Tab

	mu   sync.Mutex // of what is below
	next int
	wait map[int]chan message
	seen []message // events, in their order

	end chan struct{} // is closed when it has ended
}

type message struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

// Start starts a browser that ends with the test. It skips the test where there is no Chromium.
func Start(t testing.TB) *Browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no chromium in PATH: pages are not tested in a browser (Debian: apt-get " +
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
	b := &Browser{&process{to: to, wait: map[int]chan message{}, end: make(chan struct{})}, t}
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

func (b *process) read(from *os.File) {
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

func (b *Browser) send(session, method string, params any) chan message {
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
func (b *Browser) call(session, method string, params any) json.RawMessage {
	b.t.Helper()
	select {
	case m := <-b.send(session, method, params):
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		return m.Result
	case <-b.end:
		b.t.Fatalf("%s: the browser has ended", method)
	case <-time.After(time.Until(hwtest.Deadline(b.t)) + 2*time.Second): // Wait gives up before
		b.t.Fatalf("%s: no answer until the tests had to end", method)
	}
	return nil
}

func decode(t testing.TB, b json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v: %.300s", err, b)
	}
}
