// The data map: an object as it lies, a cell for each unit of it.
"use strict";

const MOST_CELLS = 50000; // of one map; a cell of a larger one stands for several units

/** @typedef {"node" | "worker" | "writer" | "had" | "distance"} MapColour */

class DataMap {
	/** @param {Run} run @param {State} state @param {Chosen} chosen */
	constructor(run, state, chosen) {
		this.run = run;
		this.state = state;
		this.chosen = chosen;
		/** @type {Area | null} */
		this.area = null;
		this.step = 1; // rows and columns of a cell
		this.rows = this.columns = 0; // of cells
		this.box = { x: 0, y: 0, w: 1, h: 1 };
	}

	/** @param {string} name */
	show(name) {
		this.area = this.run.meta.objects.find(o => o.name === name) || null;
		const a = this.area;
		if (!a) return;
		this.step = 1;
		while (Math.ceil(a.rows / this.step) * Math.ceil(a.columns / this.step) > MOST_CELLS) this.step++;
		this.rows = Math.ceil(a.rows / this.step);
		this.columns = Math.ceil(a.columns / this.step);
	}

	/** The unit in a row and column of the picture, or -1. @param {number} row @param {number} column */
	unitAt(row, column) {
		const a = this.area;
		if (!a || row < 0 || row >= a.rows || column < 0 || column >= a.columns) return -1;
		let u = row * a.columns + column;
		if (a.curve) {
			u = 0;
			for (let b = 0; b < 16; b++) u += ((column >> b) & 1) * 4 ** b + ((row >> b) & 1) * 2 * 4 ** b;
		}
		return u < a.units ? a.first + u : -1;
	}

	/** Of the units of a cell, that which was touched last, or -1 if it has none. @param {number} row @param {number} column */
	shown(row, column) {
		if (this.step === 1) return this.unitAt(row, column);
		let best = -1, when = -Infinity;
		for (let r = row * this.step; r < (row + 1) * this.step; r++) {
			for (let c = column * this.step; c < (column + 1) * this.step; c++) {
				const u = this.unitAt(r, c);
				if (u >= 0 && this.state.access[u] > when) {
					when = this.state.access[u];
					best = u;
				}
			}
		}
		return best;
	}

	/** @param {Look} look @param {MapColour} colour
	 * @returns {{colours: string[], names: string[], of: (u: number) => number}} of: NO_CELL is of nothing */
	colours(look, colour) {
		const { run, state } = this, m = run.meta, p = look.palette;
		switch (colour) {
		case "worker":
			return { colours: workerColours(m, p), names: workerNames(m),
				of: u => state.toucher[u] < 0 ? NO_CELL : state.toucher[u] };
		case "writer":
			return { colours: nodeColours(m.nodes, p), names: nodeNames(m.nodes),
				of: u => state.writer[u] < 0 ? NO_CELL : m.workers[state.writer[u]] };
		case "had":
			return { colours: Array.from({ length: m.nodes }, (_, i) => ramp(i / Math.max(1, look.nodes - 1))),
				names: Array.from({ length: m.nodes }, (_, i) => i ? `${i + 1} nodes` : "1 node"),
				of: u => state.nodesOf(u) ? state.nodesOf(u) - 1 : NO_CELL };
		case "distance": {
			const top = look.far, low = Math.min(top, 13);
			const colours = [], names = [];
			for (let b = 0; b < COLD_BIN; b++) {
				colours.push(ramp((b - low) / Math.max(1, top - low)));
				names.push(b < low || b > top ? "" : b === low ? "below " + bytesText(2 ** b) : binText(b));
			}
			return { colours: [...colours, CLASS_COLOURS[3]], names: [...names, binText(COLD_BIN)],
				of: u => state.toucher[u] < 0 ? NO_CELL : state.bin[u] };
		}
		}
		return { colours: nodeColours(m.nodes, p), names: nodeNames(m.nodes),
			of: u => state.toucher[u] < 0 ? NO_CELL : m.workers[state.toucher[u]] };
	}

	/** How high it is at a width. @param {number} width */
	height(width) {
		const a = this.area;
		if (!a) return 40;
		return Math.max(60, Math.min(width, 420) * Math.min(1.2, a.rows / a.columns)) + 4;
	}

	/** @param {Painter} p @param {Look} look @param {MapColour} colour */
	draw(p, look, colour) {
		const th = look.theme, a = this.area;
		p.rect(0, 0, p.width, p.height, th.background);
		if (!a) {
			p.text(4, 24, "this run has no such object", th.soft);
			return;
		}
		this.state.to(look.at * this.run.scale);
		const { rows, columns } = this, side = Math.min((p.width - 4) / a.columns, (p.height - 4) / a.rows);
		const w = a.matrix ? side * a.columns : Math.min(p.width - 4, 420), h = a.matrix ? side * a.rows : p.height - 4;
		this.box = { x: 2, y: 2, w, h };
		const c = this.colours(look, colour), cells = new Uint16Array(rows * columns).fill(NO_CELL);
		const list = [...c.colours, th.none, ...c.colours.map(x => mix(x, th.background, 0.85)), mix(th.none, th.background, 0.6)];
		const pale = c.colours.length + 1, { any, units } = this.chosen;
		for (let r = 0; r < rows; r++) {
			for (let k = 0; k < columns; k++) {
				const u = this.shown(r, k);
				if (u < 0) continue;
				const v = c.of(u);
				cells[r * columns + k] = (v === NO_CELL ? c.colours.length : v) +
					(any && !this.run.grouped && !this.anyOf(r, k, units) ? pale : 0);
			}
		}
		p.cells(2, 2, w, h, columns, rows, cells, list);
		const s = look.selection.cells;
		if (s && s.object === a.name) {
			const cw = w / a.columns, ch = h / a.rows;
			p.frame(2 + s.columns[0] * cw, 2 + s.rows[0] * ch, (s.columns[1] - s.columns[0] + 1) * cw,
				(s.rows[1] - s.rows[0] + 1) * ch, th.text, 2);
		}
	}

	/** Whether a cell has a chosen unit. @param {number} row @param {number} column @param {Uint8Array} units */
	anyOf(row, column, units) {
		for (let r = row * this.step; r < (row + 1) * this.step; r++) {
			for (let c = column * this.step; c < (column + 1) * this.step; c++) {
				const u = this.unitAt(r, c);
				if (u >= 0 && units[u]) return true;
			}
		}
		return false;
	}

	/** The row and column of the object at a point, held within it. @param {number} x @param {number} y @returns {[number, number]} */
	cellAt(x, y) {
		const a = this.area, b = this.box;
		if (!a) return [0, 0];
		const r = Math.floor((y - b.y) / b.h * a.rows), c = Math.floor((x - b.x) / b.w * a.columns);
		return [Math.max(0, Math.min(a.rows - 1, r)), Math.max(0, Math.min(a.columns - 1, c))];
	}

	/** By unit: it is one of the cells that are chosen; null if none are. @param {Choice} s */
	mask(s) {
		const c = s.cells, a = c && this.run.meta.objects.find(o => o.name === c.object);
		if (!c) return null;
		const mask = new Uint8Array(this.run.meta.units);
		if (!a) return mask;
		const before = this.area;
		this.area = a;
		for (let r = c.rows[0]; r <= Math.min(c.rows[1], a.rows - 1); r++) {
			for (let k = c.columns[0]; k <= Math.min(c.columns[1], a.columns - 1); k++) {
				const u = this.unitAt(r, k);
				if (u >= 0) mask[u] = 1;
			}
		}
		this.area = before;
		return mask;
	}
}
