// The histogram of reuse distances, of each node.
"use strict";

const MOST_NODES = 8; // that have a histogram each; of more there is one of all together
const BAR_ROW = 58;

class Reuse {
	/** @param {Run} run @param {Chosen} chosen */
	constructor(run, chosen) {
		this.run = run;
		this.chosen = chosen;
		const nodes = [...new Set(run.meta.workers)].sort((a, b) => a - b);
		/** nodes of each row; -1 is all */
		this.rows = nodes.length > 1 && nodes.length <= MOST_NODES ? [-1, ...nodes] : [-1];
		this.height = this.rows.length * BAR_ROW + 22;
		this.low = COLD_BIN;
		this.high = 0;
		for (let n = 0; n < run.meta.nodes; n++) {
			for (let b = 0; b < COLD_BIN; b++) {
				if (this.of(this.chosen.all, n, b).some(v => v > 0)) {
					this.low = Math.min(this.low, b);
					this.high = Math.max(this.high, b);
				}
			}
		}
		if (this.low > this.high) this.low = this.high = 1;
	}

	/** The counts of a bin by class. @param {Float64Array} h @param {number} node @param {number} bin */
	of(h, node, bin) {
		const n = NO_CLASS, out = new Array(n).fill(0);
		for (let i = 0; i < this.run.meta.nodes; i++) {
			if (node >= 0 && node !== i) continue;
			for (let c = 0; c < n; c++) out[c] += h[(i * (COLD_BIN + 1) + bin) * n + c];
		}
		return out;
	}

	/** Makes its bins those of others too, so that they lie in the same places. @param {Reuse[]} list */
	align(list) {
		for (const r of list) {
			this.low = Math.min(this.low, r.low);
			this.high = Math.max(this.high, r.high);
		}
	}

	/** Bins from the left on, the cold one last. */
	bins() {
		const list = [];
		for (let b = this.low; b <= this.high; b++) list.push(b);
		list.push(COLD_BIN);
		return list;
	}

	/** @param {number} width @param {number} i */
	left(width, i) {
		const n = this.bins().length;
		return LABELS + (width - LABELS - 8) * i / n + (i === n - 1 ? 8 : 0);
	}

	/** @param {number} width */
	barWidth(width) {
		return (width - LABELS - 8) / this.bins().length;
	}

	/** The bin at x, the nearest. @param {number} width @param {number} x */
	binAt(width, x) {
		const list = this.bins(), i = Math.floor((x - LABELS) / this.barWidth(width));
		return list[Math.max(0, Math.min(list.length - 1, i))];
	}

	/** The node of the row at y; -1 is all. @param {number} y */
	nodeAt(y) {
		return this.rows[Math.max(0, Math.min(this.rows.length - 1, Math.floor(y / BAR_ROW)))];
	}

	/** @param {Painter} p @param {Look} look @param {number} most accesses of a bar, on all nodes; 0: what it has itself */
	draw(p, look, most, mostOfNode = 0) {
		const th = look.theme, list = this.bins(), w = this.barWidth(p.width);
		const { all, part } = this.chosen, s = look.selection;
		p.rect(0, 0, p.width, p.height, th.background);
		this.rows.forEach((node, row) => {
			const base = (row + 1) * BAR_ROW, high = BAR_ROW - 12;
			let top = 1;
			for (const b of list) top = Math.max(top, this.of(all, node, b).reduce((x, y) => x + y));
			top = (node < 0 ? most : mostOfNode) || top;
			p.text(LABELS - 6, base - high / 2 + 4, node < 0 ? "all" : "node " + node, th.soft, "right");
			p.line([LABELS, base + 0.5, p.width, base + 0.5], th.line, 1);
			list.forEach((b, i) => {
				const x = this.left(p.width, i) + 1, whole = this.of(all, node, b), chosen = this.of(part, node, b);
				let y = base, z = base;
				whole.forEach((v, c) => {
					if (part === all || v === 0) return;
					const h = v / top * high;
					p.rect(x, y - h, w - 2, h, mix(CLASS_COLOURS[c], th.background, 0.75));
					y -= h;
				});
				chosen.forEach((v, c) => {
					if (v === 0) return;
					const h = Math.max(0.75, v / top * high);
					const out = s.bins && (b < s.bins[0] || b > s.bins[1] || s.node >= 0 && node >= 0 && s.node !== node);
					p.rect(x, z - h, w - 2, h, out ? mix(CLASS_COLOURS[c], th.background, 0.6) : CLASS_COLOURS[c]);
					z -= h;
				});
			});
			if (s.bins && (s.node === node || s.node < 0 && node < 0)) {
				const i = list.findIndex(b => b >= /** @type {[number, number]} */ (s.bins)[0]);
				let j = list.length - 1;
				while (j > 0 && list[j] > s.bins[1]) j--;
				if (i >= 0 && i <= j) {
					const a = this.left(p.width, i);
					p.frame(a, base - high - 4, this.left(p.width, j) + w - a, high + 5, th.text, 1.5);
				}
			}
		});
		const every = Math.ceil(64 / w);
		list.forEach((b, i) => {
			const x = this.left(p.width, i), y = p.height - 6;
			if (b === COLD_BIN) p.text(w < 30 ? p.width : x + w / 2, y, "cold", th.soft, w < 30 ? "right" : "center");
			else if (b > 0 && (b - 1) % every === 0 && x < p.width - w - 60) p.text(x, y, bytesText(2 ** (b - 1)), th.soft, "center");
		});
	}
}
