package browser

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// heard is a page that writes down what its field of 200 x 100 pixels, far below the window, is
// given.
const heard = `<!DOCTYPE html><title>heard</title><style>
body { margin: 0 } #field { width: 200px; height: 100px; margin-top: 3000px; touch-action: none }
:target { color: rgb(1, 2, 3) }
</style><div id="field"></div><p id="below">below</p><button>press</button><script>
'use strict';
const list = [], field = document.getElementById('field');
const held = e => (e.altKey ? ' alt' : '') + (e.ctrlKey ? ' control' : '') + (e.metaKey ? ' meta' : '') + (e.shiftKey ? ' shift' : '');
const at = e => { const r = field.getBoundingClientRect(); return ' ' + (e.clientX - r.x) + ',' + (e.clientY - r.y); };
for (const kind of ['mousedown', 'mousemove', 'mouseup', 'click'])
  field.addEventListener(kind, e => list.push(kind + at(e) + ' ' + e.buttons + held(e)));
field.addEventListener('wheel', e => { list.push('wheel' + at(e) + ' ' + e.deltaX + ',' + e.deltaY + held(e)); e.preventDefault(); }, {passive: false});
for (const kind of ['touchstart', 'touchmove', 'touchend', 'touchcancel'])
  field.addEventListener(kind, e => { list.push(kind + [...e.touches].map(at).join('')); if (e.cancelable) e.preventDefault(); }, {passive: false});
for (const kind of ['keydown', 'keypress', 'keyup'])
  addEventListener(kind, e => list.push(kind + ' ' + e.key + ' ' + e.keyCode + held(e)));
document.querySelector('button').addEventListener('click', () => list.push('button'));
</script>`

// open opens the page, with a hash or none.
func open(t *testing.T, b *Browser, hash string) (page *Tab, url string) {
	t.Helper()
	at := filepath.Join(t.TempDir(), "heard.html")
	if err := os.WriteFile(at, []byte(heard), 0o666); err != nil {
		t.Fatal(err)
	}
	return b.Open("file://"+at+hash, View{Width: 800, Height: 600, Scheme: "light"}), "file://" + at
}

// A page is given each input once, where it is sent, with the keys that are held; and in a tab
// that another has covered, too.
func TestBrowserInput(t *testing.T) {
	b := Start(t)
	page, _ := open(t, b, "")
	b.Open("about:blank", View{Width: 800, Height: 600, Scheme: "light"})
	c := page.Centre("#field")
	left := Point{c.X - 50, c.Y}
	for _, c := range []struct {
		name string
		do   func()
		want []string
	}{
		{"drag", func() { page.Press(c, 0); page.Move(left, Shift); page.Release(left, 0) }, []string{
			"mousedown 100,50 1", "mousemove 50,50 1 shift", "mouseup 50,50 0", "click 50,50 0"}},
		{"move", func() { page.Move(c, 0) }, []string{"mousemove 100,50 0"}},
		{"wheel", func() { page.Wheel(left, 3, -120, Control) },
			[]string{"wheel 50,50 3,-120 control"}},
		{"touch", func() {
			page.Touch(TouchStart, left)
			page.Touch(TouchStart, left, c)
			page.Touch(TouchMove, left, Point{c.X + 40, c.Y + 10})
			page.Touch(TouchEnd)
		}, []string{"touchstart 50,50", "touchstart 50,50 100,50", "touchmove 50,50 140,60",
			"touchend 140,60", "touchend"}},
		{"cancel", func() { page.Touch(TouchStart, c); page.Touch(TouchCancel) },
			[]string{"touchstart 100,50", "touchcancel"}},
		{"named key", func() { page.Key("ArrowLeft", Shift|Alt) },
			[]string{"keydown ArrowLeft 37 alt shift", "keyup ArrowLeft 37 alt shift"}},
		{"character", func() { page.Key("a", 0) },
			[]string{"keydown a 65", "keypress a 97", "keyup a 65"}},
		{"command", func() { page.Key("z", Control|Meta) },
			[]string{"keydown z 90 control meta", "keyup z 90 control meta"}},
		{"sign", func() { page.Key("+", 0) },
			[]string{"keydown + 0", "keypress + 43", "keyup + 0"}},
	} {
		page.Eval(`list.length = 0`, nil)
		c.do()
		var got []string
		page.Eval(`new Promise(done => requestAnimationFrame(() => done(list)))`, &got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the page has heard %q, want %q", c.name, got, c.want)
		}
	}
	for _, name := range []string{"Enter", " "} {
		page.Eval(`(document.querySelector('button').focus(), list.length = 0)`, nil)
		page.Key(name, 0)
		page.Wait(`list.includes('button')`)
	}
	if lines := page.Console(); len(lines) > 0 {
		t.Errorf("the console has %q", lines)
	}
}

// A page is opened at a hash, waited for, and looked at.
func TestBrowserPage(t *testing.T) {
	page, url := open(t, Start(t), "#below")
	var hash, colour string
	page.Eval(`location.hash`, &hash)
	page.Eval(`getComputedStyle(document.getElementById('below')).color`, &colour)
	if hash != "#below" || colour != "rgb(1, 2, 3)" {
		t.Errorf("opened at %q, the colour of its element is %s", hash, colour)
	}
	page.Eval(`(window.n = 0, setTimeout(() => n = 1, 200))`, nil)
	page.Wait(`n === 1`)
	page.Wait(`new Promise(done => setTimeout(() => done(true), 10))`)
	var n int
	if page.Eval(`n`, &n); n != 1 {
		t.Errorf("waited until n = 1, it is %d", n)
	}
	page.Eval(`(console.warn('a warning'), setTimeout(() => { throw Error('a mistake'); }), new Image().src = 'none.png')`, nil)
	page.Wait(`new Promise(done => setTimeout(() => done(true), 100))`)
	page.until(func() bool { return len(page.Console()) == 3 }, "the console has three lines")
	lines := strings.Join(page.Console(), "\n")
	for _, want := range []string{"a warning", "a mistake", "none.png"} {
		if !strings.Contains(lines, want) {
			t.Errorf("the console has %s, want %q in it", lines, want)
		}
	}
	want := []string{url, strings.TrimSuffix(url, "heard.html") + "none.png"}
	if got := page.Requests(); !slices.Equal(got, want) {
		t.Errorf("the page has asked for %q, want %q", got, want)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(page.Screenshot(2900, 300, 200))); err != nil ||
		c.Width != 300 || c.Height != 200 {
		t.Errorf("a screenshot of 300 x 200 is one of %d x %d, %v", c.Width, c.Height, err)
	}
	if pdf := page.PDF(); !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("printed: %.8q", pdf)
	}
}
