// Colours, numbers as people read them, and the two things that panels draw on: a canvas, and SVG.
"use strict";

/** @typedef {{background: string, text: string, soft: string, line: string, idle: string, scheduling: string, none: string}} Theme */

/** @type {{light: Theme, dark: Theme}} */
const THEMES = {
	light: { background: "#ffffff", text: "#1b1b1b", soft: "#5c5c5c", line: "#d0d0d0", idle: "#e4e4e4",
		scheduling: "#8c8c8c", none: "#cfcfcf" },
	dark: { background: "#15181c", text: "#e8e8e8", soft: "#a3a9b0", line: "#3a4048", idle: "#262b31",
		scheduling: "#6f767e", none: "#4a5058" },
};

/** The colour of cividis at a share of its length, which the colour-blind see as others do. @param {number} x */
function ramp(x) {
	const c = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
	const at = Math.min(1, Math.max(0, x)) * (c.length - 1), i = Math.min(c.length - 2, Math.floor(at));
	return "#" + [0, 1, 2].map(j => Math.round(c[i][j] + (c[i + 1][j] - c[i][j]) * (at - i)))
		.map(v => v.toString(16).padStart(2, "0")).join("");
}

/** A colour as the four bytes of an ImageData, of a machine whose low byte comes first. @param {string} hex */
function pixel(hex) {
	const v = parseInt(hex.slice(1), 16);
	return ((255 << 24) | ((v & 255) << 16) | (v & 0xff00) | (v >> 16)) >>> 0;
}

/** A colour between two. @param {string} a @param {string} b @param {number} share of b */
function mix(a, b, share) {
	/** @param {string} hex @param {number} i */
	const part = (hex, i) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16);
	return "#" + [0, 1, 2].map(i => Math.round(part(a, i) * (1 - share) + part(b, i) * share)
		.toString(16).padStart(2, "0")).join("");
}

/** @param {number} v */
function digits(v) {
	return v === 0 ? "0" : v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toPrecision(3);
}

/** Bytes, as the rest of krdlab writes them. @param {number} b */
function bytesText(b) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let i = 0;
	while (b >= 1024 && i + 1 < units.length) {
		b /= 1024;
		i++;
	}
	return (Number.isInteger(b) ? String(b) : digits(b)) + " " + units[i];
}

/** A number with thin gaps between thousands. @param {number} n */
function countText(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** @param {number} ns @param {string} unit "ns", or "ticks" */
function timeText(ns, unit) {
	if (unit !== "ns") return countText(ns) + " " + unit;
	const a = Math.abs(ns);
	if (a >= 1e9) return digits2(ns / 1e9) + " s";
	if (a >= 1e6) return digits2(ns / 1e6) + " ms";
	if (a >= 1e3) return digits2(ns / 1e3) + " µs";
	return digits2(ns) + " ns";
}

/** @param {number} v */
function digits2(v) {
	return String(+v.toPrecision(5));
}

/** The name of a bin of distances. @param {number} bin */
function binText(bin) {
	if (bin === COLD_BIN) return "first access on the node";
	if (bin === 0) return "0";
	return bytesText(2 ** (bin - 1)) + " to " + bytesText(2 ** bin);
}

/** @param {number} part @param {number} whole */
function percent(part, whole) {
	return whole > 0 ? (100 * part / whole).toFixed(part === whole ? 0 : 1) + " %" : "n/a";
}

/**
 * What panels draw on.
 * @typedef {object} Painter
 * @property {number} width
 * @property {number} height
 * @property {(x: number, y: number, w: number, h: number, colour: string) => void} rect
 * @property {(x: number, y: number, w: number, h: number, colour: string, width?: number) => void} frame
 * @property {(points: number[], colour: string, width: number, alpha?: number) => void} line
 * @property {(x0: number, y0: number, x1: number, y1: number, colour: string, width: number) => void} arc
 * @property {(x: number, y: number, s: string, colour: string, align?: CanvasTextAlign) => void} text
 * @property {(x: number, y: number, w: number, h: number, columns: number, rows: number, cells: Uint16Array, colours: string[]) => void} cells
 *   a grid of colours by number; 65535 is none
 * @property {(x: number, y: number, w: number, h: number) => void} clip
 * @property {() => void} unclip
 */

const NO_CELL = 65535;
const FONT = "12px system-ui, sans-serif";

/** @implements {Painter} */
class CanvasPainter {
	/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height @param {number} scale device pixels */
	constructor(canvas, width, height, scale) {
		this.width = width;
		this.height = height;
		const w = Math.round(width * scale), h = Math.round(height * scale);
		if (canvas.width !== w || canvas.height !== h) {
			canvas.width = w;
			canvas.height = h;
		}
		this.c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
		this.c.setTransform(scale, 0, 0, scale, 0, 0);
		this.c.font = FONT;
		this.c.textBaseline = "alphabetic";
	}
	/** @type {Painter["rect"]} */
	rect(x, y, w, h, colour) {
		this.c.fillStyle = colour;
		this.c.fillRect(x, y, w, h);
	}
	/** @type {Painter["frame"]} */
	frame(x, y, w, h, colour, width = 1) {
		this.c.strokeStyle = colour;
		this.c.lineWidth = width;
		this.c.strokeRect(x, y, w, h);
	}
	/** @type {Painter["line"]} */
	line(points, colour, width, alpha = 1) {
		const c = this.c;
		c.globalAlpha = alpha;
		c.strokeStyle = colour;
		c.lineWidth = width;
		c.beginPath();
		c.moveTo(points[0], points[1]);
		for (let i = 2; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
		c.stroke();
		c.globalAlpha = 1;
	}
	/** @type {Painter["arc"]} */
	arc(x0, y0, x1, y1, colour, width) {
		const c = this.c, [cx, cy] = arcTop(x0, y0, x1, y1);
		c.strokeStyle = colour;
		c.lineWidth = width;
		c.beginPath();
		c.moveTo(x0, y0);
		c.quadraticCurveTo(cx, cy, x1, y1);
		c.stroke();
	}
	/** @type {Painter["text"]} */
	text(x, y, s, colour, align = "left") {
		this.c.fillStyle = colour;
		this.c.textAlign = align;
		this.c.fillText(s, x, y);
	}
	/** @type {Painter["cells"]} */
	cells(x, y, w, h, columns, rows, cells, colours) {
		const from = CanvasPainter.buffer;
		if (from.width < columns || from.height < rows) {
			from.width = Math.max(from.width, columns);
			from.height = Math.max(from.height, rows);
		}
		const b = /** @type {CanvasRenderingContext2D} */ (from.getContext("2d"));
		const image = b.createImageData(columns, rows), to = new Uint32Array(image.data.buffer);
		const bits = colours.map(pixel);
		for (let i = 0; i < to.length; i++) to[i] = cells[i] === NO_CELL ? 0 : bits[cells[i]];
		b.putImageData(image, 0, 0);
		this.c.imageSmoothingEnabled = false;
		this.c.drawImage(from, 0, 0, columns, rows, x, y, w, h);
	}
	/** @type {Painter["clip"]} */
	clip(x, y, w, h) {
		this.c.save();
		this.c.beginPath();
		this.c.rect(x, y, w, h);
		this.c.clip();
	}
	unclip() {
		this.c.restore();
	}
}
CanvasPainter.buffer = document.createElement("canvas");

/** The middle point of a curve that bows above both ends. @returns {[number, number]}
 * @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
function arcTop(x0, y0, x1, y1) {
	return [(x0 + x1) / 2, Math.min(y0, y1) - Math.min(60, 10 + Math.abs(x1 - x0) / 4)];
}

/** @implements {Painter} */
class SVGPainter {
	/** @param {number} width @param {number} height @param {string} background */
	constructor(width, height, background) {
		this.width = width;
		this.height = height;
		/** @type {string[]} */
		this.out = [];
		this.clips = 0;
		this.rect(0, 0, width, height, background);
	}
	/** @param {number} v */
	static n(v) {
		return String(Math.round(v * 100) / 100);
	}
	/** @type {Painter["rect"]} */
	rect(x, y, w, h, colour) {
		const n = SVGPainter.n;
		this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${colour}"/>`);
	}
	/** @type {Painter["frame"]} */
	frame(x, y, w, h, colour, width = 1) {
		const n = SVGPainter.n;
		this.out.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="none" stroke="${
			colour}" stroke-width="${n(width)}"/>`);
	}
	/** @type {Painter["line"]} */
	line(points, colour, width, alpha = 1) {
		this.out.push(`<polyline points="${points.map(SVGPainter.n).join(" ")}" fill="none" stroke="${
			colour}" stroke-width="${SVGPainter.n(width)}" stroke-opacity="${alpha}"/>`);
	}
	/** @type {Painter["arc"]} */
	arc(x0, y0, x1, y1, colour, width) {
		const n = SVGPainter.n, [cx, cy] = arcTop(x0, y0, x1, y1);
		this.out.push(`<path d="M${n(x0)} ${n(y0)}Q${n(cx)} ${n(cy)} ${n(x1)} ${n(y1)}" fill="none" stroke="${
			colour}" stroke-width="${n(width)}"/>`);
	}
	/** @type {Painter["text"]} */
	text(x, y, s, colour, align = "left") {
		const anchor = { left: "start", start: "start", center: "middle", right: "end", end: "end" }[align];
		this.out.push(`<text x="${SVGPainter.n(x)}" y="${SVGPainter.n(y)}" fill="${colour}" text-anchor="${
			anchor}">${escapeText(s)}</text>`);
	}
	/** @type {Painter["cells"]} */
	cells(x, y, w, h, columns, rows, cells, colours) {
		const cw = w / columns, ch = h / rows;
		for (let r = 0; r < rows; r++) {
			for (let c = 0; c < columns;) {
				const v = cells[r * columns + c];
				let d = c + 1;
				while (d < columns && cells[r * columns + d] === v) d++;
				if (v !== NO_CELL) this.rect(x + c * cw, y + r * ch, (d - c) * cw, ch, colours[v]);
				c = d;
			}
		}
	}
	/** @type {Painter["clip"]} */
	clip(x, y, w, h) {
		const n = SVGPainter.n, id = "c" + this.clips++;
		this.out.push(`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${
			n(h)}"/></clipPath><g clip-path="url(#${id})">`);
	}
	unclip() {
		this.out.push("</g>");
	}
	toString() {
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${
			this.width} ${this.height}" font-family="system-ui, sans-serif" font-size="12" shape-rendering="crispEdges">${
			this.out.join("")}</svg>\n`;
	}
}

/** As much of a name as has room. @param {string} s @param {number} most characters */
function short(s, most) {
	const list = [...s.slice(0, 2 * most + 2)];
	return list.length > most ? list.slice(0, Math.max(1, Math.floor(most) - 1)).join("") + "\u2026" : s;
}

/** Text as XML may have it: it has no place for control characters. @param {string} s */
function escapeText(s) {
	return s.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd").replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] || c);
}
