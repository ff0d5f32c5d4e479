// The tree of tasks, folded: as wide as the time of the kernels below a task, the root on top.
"use strict";

const LEVEL = 16;
const MOST_LEVELS = 24;

class Tree {
	/** @param {Run} run */
	constructor(run) {
		this.run = run;
		this.root = run.meta.tree;
		/** @param {Folded} f @returns {number} */
		const deep = f => 1 + (f.c || []).reduce((d, c) => Math.max(d, deep(c)), 0);
		this.levels = this.root ? Math.min(MOST_LEVELS, deep(this.root)) : 0;
		this.height = this.root ? this.levels * LEVEL + 4 : 0;
		/** @type {{x: number, y: number, w: number, f: Folded}[]} */
		this.boxes = [];
	}

	/** @param {Painter} p @param {Look} look */
	draw(p, look) {
		const th = look.theme, colours = this.colours(look);
		p.rect(0, 0, p.width, p.height, th.background);
		this.boxes = [];
		/** @param {Folded} f @param {number} x @param {number} w @param {number} depth */
		const box = (f, x, w, depth) => {
			if (depth >= this.levels || w < 0.4) return;
			const y = 2 + depth * LEVEL, high = LEVEL - 2;
			if (f.k > 1 || !f.c) { // what is folded: the shares of nodes
				let at = x;
				const sum = f.by.reduce((a, b) => a + b, 0);
				f.by.forEach((v, n) => {
					if (v > 0) p.rect(at, y, v / sum * w, high, colours[n]);
					at += sum > 0 ? v / sum * w : 0;
				});
				if (sum === 0) p.rect(x, y, w, high, colours[f.at]);
			} else {
				p.rect(x, y, w, high, colours[f.at]);
			}
			if (w > 3) p.frame(x + 0.5, y + 0.5, w - 1, high - 1, f.s > 0 ? th.text : th.background, f.s > 0 ? 1.6 : 0.6);
			else if (f.s > 0) p.rect(x, y, Math.min(w, 1.2), high, th.text);
			if (f.k > 1 && w > 26) p.text(x + w / 2, y + high - 3, "\u00d7" + f.k, "#000000", "center");
			this.boxes.push({ x, y, w, f });
			let at = x;
			const sum = (f.c || []).reduce((a, c) => a + c.w, 0);
			for (const c of f.c || []) {
				const part = f.w > 0 && sum > 0 ? c.w / Math.max(f.w, sum) * w : 0;
				box(c, at, part, depth + 1);
				at += part;
			}
		};
		if (this.root) box(this.root, 1, p.width - 2, 0);
	}

	/** Of nodes, or where there is one, of workers. @param {Look} look */
	colours(look) {
		const m = this.run.meta;
		return m.nodes > 1 ? nodeColours(m.nodes, look.palette) : workerColours(m, look.palette);
	}

	names() {
		const m = this.run.meta;
		return m.nodes > 1 ? nodeNames(m.nodes) : workerNames(m);
	}

	/** The box at a point. @param {number} x @param {number} y */
	at(x, y) {
		return this.boxes.find(b => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + LEVEL - 2)?.f || null;
	}

	/** @param {Folded} f @param {Look} look */
	describe(f, look) {
		const { scale, meta: m } = this.run, unit = look.unit;
		const nodes = f.by.map((v, n) => ({ v, n })).filter(x => x.v > 0).sort((a, b) => b.v - a.v);
		const lines = [f.k > 1 ? `${f.k} siblings of the same shape` : "a task"];
		lines[0] += f.n > 1 ? `, ${countText(f.n)} tasks in all` : "";
		lines.push(`begun by worker ${f.on} of node ${m.workers[f.on]}` + (f.k > 1 ? ", the first of them" : "") +
			`, at ${timeText(f.t / scale, unit)}`);
		lines.push((this.root?.u ? "tasks: " : `kernels: ${timeText(f.w / scale, unit)}, `) +
			nodes.slice(0, 4).map(x => `${this.names()[x.n]} ${percent(x.v, f.w)}`).join(", "));
		if (f.s > 0) lines.push(f.k > 1 ? `${f.s} of them stolen: begun by another worker than their parent` : "stolen: begun by another worker than its parent");
		return lines;
	}
}
