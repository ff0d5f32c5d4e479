// Package browser opens pages in a headless Chromium, for tests of packages that write pages: it
// evaluates JavaScript, reads the console, sends what a person does with keyboard, mouse and
// fingers, and keeps pictures. A test that starts one has a name that begins with TestBrowser.
//
// A library for the DevTools protocol, such as chromedp, was rejected: tests need a dozen of its
// methods, and it has more than five hundred.
package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// A process is shared by the browsers of all tests.
type process struct {
	to    *os.File
	said  string // the file of its stderr
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

// one is the browser of all tests of a binary, whose pages are tabs of it: a start takes seconds.
var one struct {
	start, end func()
	*process
	skip string // why there is none
}

// Main runs the tests of a package, and ends their browser: a package with tests that [Start] one
// calls it in TestMain.
func Main(m *testing.M) {
	one.start = sync.OnceFunc(start)
	code := m.Run()
	if one.end != nil {
		one.end()
	}
	os.Exit(code)
}

// Start returns the browser of this test, which is started by the first one of the package. It
// skips the test where there is no Chromium.
func Start(t testing.TB) *Browser {
	t.Helper()
	if one.start == nil {
		t.Fatal("TestMain does not call browser.Main")
	}
	if one.start(); one.process == nil {
		t.Skip(one.skip)
	}
	t.Cleanup(func() {
		if t.Failed() {
			said, err := os.ReadFile(one.said)
			t.Logf("stderr of the browser (%v):\n%.4000s", err, said)
		}
	})
	return &Browser{one.process, t}
}

// start starts the browser.
func start() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		one.skip = "no chromium in PATH: pages are not tested in a browser (Debian: apt-get " +
			"install chromium)"
		return
	}
	home, err := os.MkdirTemp("", "browser")
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-pipe", "--user-data-dir="+home, "--no-first-run",
		"--disable-background-networking", "about:blank")
	in, to, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	b := &process{to: to, said: filepath.Join(home, "stderr"), wait: map[int]chan message{},
		end: make(chan struct{})}
	stderr, err := os.Create(b.said)
	if err != nil {
		panic(err)
	}
	cmd.ExtraFiles, cmd.Stderr = []*os.File{in, out}, stderr
	if err := cmd.Start(); err != nil {
		one.skip = fmt.Sprintf("%s cannot be started: %v", path, err)
		os.RemoveAll(home)
		return
	}
	in.Close()
	out.Close()
	stderr.Close()
	go b.read(from)
	one.process, one.end = b, func() {
		(&Browser{process: b}).send("", "Browser.close", nil)
		to.Close()
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		late.Stop()
		os.RemoveAll(home)
	}
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
