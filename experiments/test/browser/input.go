package browser

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A Point is a place in the window, in pixels from its left upper corner.
type Point struct{ X, Y float64 }

// A Held is a set of keys that are held down during another input.
type Held int

// The bits of Held, as in the protocol.
const (
	Alt Held = 1 << iota
	Control
	Meta
	Shift
)

// Centre scrolls the first element of a CSS selector into the window and returns its centre.
func (p *Tab) Centre(selector string) Point {
	p.t.Helper()
	text, err := json.Marshal(selector)
	if err != nil {
		p.t.Fatal(err)
	}
	var at *Point
	p.Eval(`(selector => {
		const e = document.querySelector(selector);
		if (!e) return null;
		e.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
		const r = e.getBoundingClientRect();
		return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
	})(`+string(text)+`)`, &at)
	if at == nil {
		p.t.Fatalf("no element is %s", selector)
	}
	return *at
}

// Press presses the left button of the mouse at a point.
func (p *Tab) Press(at Point, held Held) {
	p.t.Helper()
	p.pressed = true
	p.mouse("mousePressed", at, held, map[string]any{"button": "left", "clickCount": 1})
}

// Move moves the mouse to a point, at once; between Press and Release that drags.
func (p *Tab) Move(to Point, held Held) {
	p.t.Helper()
	button := "none"
	if p.pressed {
		button = "left"
	}
	p.mouse("mouseMoved", to, held, map[string]any{"button": button})
}

// Release releases the left button of the mouse at a point. At the element of Press it clicks.
func (p *Tab) Release(at Point, held Held) {
	p.t.Helper()
	p.pressed = false
	p.mouse("mouseReleased", at, held, map[string]any{"button": "left", "clickCount": 1})
}

// Wheel turns the wheel of the mouse at a point by dx pixels to the right and dy pixels down.
func (p *Tab) Wheel(at Point, dx, dy float64, held Held) {
	p.t.Helper()
	p.mouse("mouseWheel", at, held, map[string]any{"deltaX": dx, "deltaY": dy})
}

// mouse sends an event of the mouse; more is its own parameters, to which it adds.
func (p *Tab) mouse(kind string, at Point, held Held, more map[string]any) {
	p.t.Helper()
	more["type"], more["x"], more["y"], more["modifiers"] = kind, at.X, at.Y, held
	if p.pressed {
		more["buttons"] = 1
	}
	p.do("Input.dispatchMouseEvent", more)
}

// A Touching is a change of the fingers on the window.
type Touching string

// The changes of fingers, as in the protocol.
const (
	TouchStart  Touching = "touchStart"
	TouchMove   Touching = "touchMove"
	TouchEnd    Touching = "touchEnd"
	TouchCancel Touching = "touchCancel"
)

// Touch puts fingers on the window, moves them or takes them off. The points are those of all
// fingers that touch after TouchStart and TouchMove, each finger keeping its place in the list;
// TouchEnd and TouchCancel take all off and have no points.
func (p *Tab) Touch(kind Touching, fingers ...Point) {
	p.t.Helper()
	points := []map[string]any{}
	for i, at := range fingers {
		points = append(points, map[string]any{"x": at.X, "y": at.Y, "id": i})
	}
	p.do("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points})
}

// keys holds the codes, as in KeyboardEvent.keyCode, of the keys that have names, under
// KeyboardEvent.key.
var keys = map[string]int{
	"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35,
	"Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
}

// Key presses and releases a key: one of the names of KeyboardEvent.key, such as ArrowLeft, or the
// character that it writes. It ends the test at other names.
func (p *Tab) Key(name string, held Held) {
	p.t.Helper()
	event := map[string]any{"type": "keyDown", "key": name, "modifiers": held}
	if code, named := keys[name]; named {
		event["code"], event["windowsVirtualKeyCode"] = name, code
		if name == "Enter" {
			event["text"] = "\r" // presses a button
		}
	} else if utf8.RuneCountInString(name) == 1 {
		if upper := strings.ToUpper(name)[0]; upper >= '0' && upper <= '9' || upper == ' ' ||
			upper >= 'A' && upper <= 'Z' {
			event["windowsVirtualKeyCode"] = upper // codes of other characters depend on the keyboard
		}
		if held&^Shift == 0 {
			event["text"] = name
		}
	} else {
		p.t.Fatalf("no key is named %q", name)
	}
	p.do("Input.dispatchKeyEvent", event)
	event["type"] = "keyUp"
	delete(event, "text")
	p.do("Input.dispatchKeyEvent", event)
}
