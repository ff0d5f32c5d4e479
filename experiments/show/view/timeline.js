// The timeline: a row for each worker, those of a node together.
"use strict";

const MOST_MARKS = 50000; // that a frame of the page draws, of all its timelines
const MOST_ARROWS = { all: 1500, few: 150, no: 0 }; // steals, likewise, of a timeline
const RULER = 22;
const LABELS = 54;

/**
 * How a timeline is looked at: common to all of the page.
 * @typedef {object} Look
 * @property {number} from in ns, or ticks
 * @property {number} to
 * @property {number} at the time that maps show
 * @property {"class" | "kind" | "wrote" | "node"} colour
 * @property {"all" | "few" | "no"} steals
 * @property {Theme} theme
 * @property {string[]} palette
 * @property {string} unit of time
 * @property {string[]} kernels of all runs: one has the same colour in each
 * @property {number} nodes of the run that has most
 * @property {number} far the highest bin of a distance, of all runs
 * @property {Choice} selection
 */

/** The colours that marks have, and their names. @param {Run} run @param {Look} look
 * @returns {{colours: string[], names: string[], of: Uint16Array | Uint8Array}} of: by mark */
function markColours(run, look) {
	const p = look.palette, m = run.meta;
	switch (look.colour) {
	case "kind":
		return { colours: m.kernels.map(s => p[look.kernels.indexOf(s) % p.length]), names: m.kernels, of: run.kind };
	case "wrote":
		return { colours: [...nodeColours(m.nodes, p), look.theme.none],
			names: [...nodeNames(m.nodes), "nobody had written it"],
			of: run.known("wrote", k => run.wrote[k] < 0 ? m.nodes : run.wrote[k]) };
	case "node":
		return m.nodes > 1 ? { colours: nodeColours(m.nodes, p), names: nodeNames(m.nodes),
			of: run.known("node", k => m.workers[run.worker[k]]) } :
			{ colours: workerColours(m, p), names: workerNames(m), of: run.worker };
	}
	return { colours: CLASS_COLOURS, names: CLASSES, of: run.cls };
}

/** @param {number} n @param {string[]} palette */
function nodeColours(n, palette) {
	return Array.from({ length: n }, (_, i) => palette[i % palette.length]);
}

/** @param {number} n */
function nodeNames(n) {
	return Array.from({ length: n }, (_, i) => "node " + i);
}

/** Light and dark ones of the node's colour; of few on one node, colours of their own.
 * @param {Meta} m @param {string[]} palette */
function workerColours(m, palette) {
	if (m.nodes < 2 && m.workers.length <= palette.length) return nodeColours(m.workers.length, palette);
	const seen = new Array(m.nodes).fill(-1), count = new Array(m.nodes).fill(0);
	for (const n of m.workers) count[n]++;
	return m.workers.map(node => {
		const i = ++seen[node], n = count[node], c = palette[node % palette.length];
		const share = n > 1 ? i / (n - 1) : 0.5;
		return share < 0.5 ? mix(c, "#000000", (0.5 - share) * 0.9) : mix(c, "#ffffff", (share - 0.5) * 1.3);
	});
}

/** @param {Meta} m */
function workerNames(m) {
	return m.workers.map((_, w) => "worker " + w);
}

class Timeline {
	/** @param {Run} run @param {Chosen} chosen */
	constructor(run, chosen) {
		this.run = run;
		this.chosen = chosen;
		const m = run.meta;
		/** workers by node */
		this.rows = m.workers.map((_, w) => w).sort((a, b) => m.workers[a] - m.workers[b] || a - b);
		this.rowOf = new Uint16Array(m.workers.length);
		this.rows.forEach((w, i) => { this.rowOf[w] = i; });
		this.high = Math.max(2, Math.min(14, Math.floor(300 / m.workers.length)));
		let gaps = 0;
		this.top = this.rows.map((w, i) => {
			if (i > 0 && m.workers[w] !== m.workers[this.rows[i - 1]]) gaps += 4;
			return RULER + i * this.high + gaps;
		});
		this.height = RULER + m.workers.length * this.high + gaps + 6;
		this.marks = 0; // that the last frame had
		this.arrows = 0; // steals in it, drawn or not
		/** @type {{access: number, execution: number, cls: number, of: number}[]} */
		this.arcs = [];
		this.cells = new Uint16Array(0);
		this.ticks = new Float32Array(0);
	}

	/** @param {Look} look @param {number} width @param {number} t ticks */
	x(look, width, t) {
		return LABELS + (t / this.run.scale - look.from) / (look.to - look.from) * (width - LABELS);
	}

	/** The time at x, in ns or ticks. @param {Look} look @param {number} width @param {number} x */
	timeAt(look, width, x) {
		return look.from + (x - LABELS) / (width - LABELS) * (look.to - look.from);
	}

	/** The worker whose row is at y, or -1. @param {number} y */
	workerAt(y) {
		const i = this.top.findIndex(t => y >= t && y < t + this.high);
		return i < 0 ? -1 : this.rows[i];
	}

	/** @param {Painter} p @param {Look} look @param {number} most marks */
	draw(p, look, most) {
		const { run, rows, top, high } = this, m = run.meta, th = look.theme;
		p.rect(0, 0, p.width, p.height, th.background);
		const wide = p.width - LABELS;
		const from = look.from * this.run.scale, to = look.to * this.run.scale;
		const colours = markColours(run, look);
		p.clip(LABELS, RULER - 4, wide, p.height);
		const first = above(run.start, from - this.longest());
		const last = above(run.start, to);
		if (last - first <= most / 2 && (last - first) * 2 < wide * rows.length) {
			this.single(p, look, colours, first, last);
		} else {
			this.columns(p, look, colours, first, last, from, to, most);
		}
		if (look.steals !== "no") this.drawSteals(p, look);
		this.drawArcs(p, look);
		const s = look.selection.time;
		if (s) {
			const a = this.x(look, p.width, s[0] * this.run.scale), b = this.x(look, p.width, s[1] * this.run.scale);
			p.frame(a, RULER - 3, Math.max(1, b - a), p.height - RULER, th.text, 1);
		}
		const at = this.x(look, p.width, look.at * this.run.scale);
		p.line([at, 0, at, p.height], th.text, 1, 0.8);
		p.unclip();
		this.ruler(p, look);
		for (let i = 0; i < rows.length; i++) {
			const node = m.workers[rows[i]];
			if (i === 0 || node !== m.workers[rows[i - 1]]) {
				let n = 1;
				while (i + n < rows.length && m.workers[rows[i + n]] === node) n++;
				if (n * high >= 9 || i === 0) {
					p.text(LABELS - 6, top[i] + Math.min(n * high / 2 + 4, n * high + 3), "node " + node, th.soft, "right");
				}
			}
		}
	}

	/** How far before a time an execution may have begun that lasts into it. */
	longest() {
		return this.run.longest;
	}

	/** Draws executions one by one.
	 * @param {Painter} p @param {Look} look @param {ReturnType<typeof markColours>} colours
	 * @param {number} first @param {number} last */
	single(p, look, colours, first, last) {
		const { run, high, top, rowOf } = this, th = look.theme, any = this.chosen.any;
		const end = Math.min(p.width, this.x(look, p.width, run.end)), begin = Math.max(LABELS, this.x(look, p.width, run.begin));
		this.marks = 0;
		for (let w = 0; w < rowOf.length; w++) {
			const y = top[rowOf[w]];
			p.rect(begin, y, Math.max(0, end - begin), high, th.scheduling);
			this.marks++;
			const l = run.idle[w];
			for (let i = 0; i < l.length; i += 2) {
				const a = this.x(look, p.width, l[i]), b = this.x(look, p.width, l[i + 1]);
				if (b < LABELS || a > p.width) continue;
				if (run.idleShare[w][i / 2] < 0.5) continue;
				p.rect(Math.max(a, LABELS), y, Math.min(b, p.width) - Math.max(a, LABELS), high, th.idle);
				this.marks++;
			}
		}
		for (let k = first; k < last; k++) {
			const a = Math.max(LABELS, this.x(look, p.width, run.drawn[k]));
			const b = Math.min(p.width, this.x(look, p.width, run.drawn[k] + run.dur[k]));
			if (b < LABELS || a > p.width) continue;
			let colour = colours.colours[colours.of[k]];
			if (any && !this.chosen.marks[k]) colour = mix(colour, th.background, 0.8);
			p.rect(a, top[rowOf[run.worker[k]]], Math.max(0.5, b - a - (b - a > 3 ? 1 : 0)), high, colour);
			this.marks++;
		}
	}

	/** Draws columns of equal time, each of what took most of it: kernels, and which, or none.
	 * @param {Painter} p @param {Look} look @param {ReturnType<typeof markColours>} colours
	 * @param {number} first @param {number} last @param {number} from @param {number} to @param {number} most */
	columns(p, look, colours, first, last, from, to, most) {
		const { run, high, top, rows, rowOf } = this, any = this.chosen.any, chosen = this.chosen.marks;
		const n = colours.colours.length, wide = p.width - LABELS;
		const columns = Math.max(1, Math.min(Math.ceil(wide), Math.floor(most / rows.length)));
		// of each colour, of each as not chosen, idle, scheduling
		const kinds = (any ? 2 * n : n) + 1, cells = rows.length * columns;
		if (this.ticks.length < cells * kinds) this.ticks = new Float32Array(cells * kinds);
		const sum = this.ticks.fill(0, 0, cells * kinds), per = columns / (to - from);
		/** @param {number} at @param {number} a @param {number} b @param {number} kind @param {number} share */
		const add = (at, a, b, kind, share) => {
			const x0 = Math.max(0, (a - from) * per), x1 = Math.min(columns, (b - from) * per);
			if (x1 < 0 || x0 >= columns || x1 < x0) return;
			let c = Math.floor(x0);
			const l = Math.min(columns - 1, Math.floor(x1));
			if (c === l) {
				sum[(at + c) * kinds + kind] += (x1 - x0) * share;
				return;
			}
			sum[(at + c) * kinds + kind] += (c + 1 - x0) * share;
			for (c++; c < l; c++) sum[(at + c) * kinds + kind] += share;
			sum[(at + l) * kinds + kind] += (x1 - l) * share;
		};
		const { drawn, dur, worker, busy, grouped, pieces } = run, of = colours.of;
		const least = 1e-6 / per; // what has no length is there all the same, and seen if it is chosen
		if (pieces) {
			const end = above(pieces.from, to);
			for (let i = above(pieces.from, from - run.longest); i < end; i++) {
				const k = pieces.k[i];
				add(rowOf[worker[k]] * columns, pieces.from[i], pieces.from[i] + (pieces.dur[i] || least),
					of[k] + (any && !chosen[k] ? n : 0), 1);
			}
		}
		for (let k = first; k < last && !pieces; k++) {
			const d = dur[k] || least, kind = of[k] + (any && !chosen[k] ? n : 0), share = grouped ? (busy[k] || least) / d : 1;
			const x0 = (drawn[k] - from) * per, x1 = (drawn[k] + d - from) * per, c = Math.floor(x0);
			if (c >= 0 && x1 <= c + 1 && c < columns) { // nearly all, seen from afar
				sum[(rowOf[worker[k]] * columns + c) * kinds + kind] += (x1 - x0) * share;
			} else {
				add(rowOf[worker[k]] * columns, drawn[k], drawn[k] + d, kind, share);
			}
		}
		run.idle.forEach((l, w) => {
			for (let i = 0; i < l.length; i += 2) {
				if (l[i + 1] >= from && l[i] <= to) add(rowOf[w] * columns, l[i], l[i + 1], kinds - 1, run.idleShare[w][i / 2]);
			}
		});
		if (this.cells.length < cells) this.cells = new Uint16Array(cells);
		const out = this.cells.subarray(0, cells);
		const end = (run.end - from) * per, begin = (run.begin - from) * per;
		this.marks = 0;
		for (let i = 0; i < cells; i++) {
			const c = i % columns;
			out[i] = NO_CELL;
			if (c >= end || c + 1 <= begin) continue;
			const width = Math.min(1, end - c) - Math.max(0, begin - c);
			// kernels, idle or scheduling, and of kernels one; what is chosen is seen, however little it is
			let best = 0, work = 0, chosen = -1;
			for (let j = 0; j < kinds - 1; j++) {
				const v = sum[i * kinds + j];
				work += v;
				if (v > sum[i * kinds + best]) best = j;
				if (any && j < n && v > (chosen < 0 ? 0 : sum[i * kinds + chosen])) chosen = j;
			}
			const idle = sum[(i + 1) * kinds - 1], rest = width - work - idle;
			out[i] = chosen >= 0 ? chosen : work > 0 && work >= idle && work >= rest ? best : idle > 0 && idle >= rest ?
				kinds - 1 : kinds;
			this.marks++;
		}
		const th = look.theme, list = colours.colours.slice();
		if (any) list.push(...colours.colours.map(c => mix(c, th.background, 0.8)));
		list.push(th.idle, th.scheduling);
		for (let r = 0; r < rows.length;) {
			let e = r + 1; // rows that lie together are drawn together
			while (e < rows.length && top[e] === top[e - 1] + high) e++;
			p.cells(LABELS, top[r], wide, (e - r) * high, columns, e - r,
				out.subarray(r * columns, e * columns), list);
			r = e;
		}
	}

	/** @param {Painter} p @param {Look} look */
	drawSteals(p, look) {
		const { run, top, rowOf, high } = this, s = run.steals, colour = look.theme.text;
		const a = above(s.at, look.from * this.run.scale), b = above(s.at, look.to * this.run.scale);
		this.arrows = b - a;
		const crowded = b - a > (p.width - LABELS) / 5, step = Math.ceil((b - a) / MOST_ARROWS[look.steals]); // of too many some
		for (let i = a; i < b; i += step) {
			const x = this.x(look, p.width, s.at[i]), y0 = top[rowOf[s.victim[i]]] + high / 2;
			const y1 = top[rowOf[s.thief[i]]] + high / 2, up = y1 < y0 ? 1 : -1;
			if (crowded) { // the thief alone
				p.rect(x - 1, y1 - Math.min(1.5, high / 2), 2, Math.min(3, high), colour);
				continue;
			}
			p.line([x, y0, x, y1], colour, 1, 0.55);
			p.line([x - 2.5, y1 + 4 * up, x, y1, x + 2.5, y1 + 4 * up], colour, 1, 0.8);
		}
	}

	/** @param {Painter} p @param {Look} look */
	drawArcs(p, look) {
		const { run, top, rowOf, high } = this;
		for (const a of this.arcs) {
			const x0 = this.x(look, p.width, run.drawn[a.execution] + run.dur[a.execution] / 2);
			const x1 = this.x(look, p.width, run.drawn[a.of] + run.dur[a.of] / 2);
			p.arc(x0, top[rowOf[run.worker[a.execution]]] + high / 2, x1,
				top[rowOf[run.worker[a.of]]] + high / 2, look.theme.background, 4);
			p.arc(x0, top[rowOf[run.worker[a.execution]]] + high / 2, x1,
				top[rowOf[run.worker[a.of]]] + high / 2, CLASS_COLOURS[a.cls], 2);
		}
	}

	/** @param {Painter} p @param {Look} look */
	ruler(p, look) {
		const th = look.theme, wide = p.width - LABELS, span = look.to - look.from;
		const about = span / Math.max(2, Math.floor(wide / 90)), e = 10 ** Math.floor(Math.log10(about));
		const step = [1, 2, 5, 10].map(f => f * e).find(s => s >= about) || about;
		p.rect(0, 0, p.width, RULER - 4, th.background);
		p.line([LABELS, RULER - 4.5, p.width, RULER - 4.5], th.line, 1);
		for (let i = Math.ceil(look.from / step); i * step <= look.to; i++) {
			const t = i * step;
			const x = LABELS + (t - look.from) / span * wide;
			p.line([x, RULER - 8, x, RULER - 4], th.soft, 1);
			const s = timeText(Math.round(t / step) * step, look.unit), half = 4 * s.length;
			if (x - half > LABELS - 10 && x + half < p.width) p.text(x, RULER - 11, s, th.soft, "center");
		}
	}
}
