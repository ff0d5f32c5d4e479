// What the page knows of runs: the columns that Go packed (pack.go), and what follows from them.
"use strict";

/**
 * @typedef {object} Area an object of a run
 * @property {string} name
 * @property {number} first its first unit
 * @property {number} units
 * @property {number} bytes
 * @property {number} rows of its picture
 * @property {number} columns
 * @property {boolean} matrix
 * @property {boolean} curve
 */

/**
 * @typedef {object} Folded tasks of the same shape, one after the other (tree.go)
 * @property {number} w ticks of kernels below it
 * @property {number} n tasks in all
 * @property {number} k how many of this shape
 * @property {number[]} by ticks of kernels by node, or where there is one, by worker
 * @property {number} at of these, whose worker began it
 * @property {number} on worker that began it
 * @property {number} s how many of them were stolen
 * @property {number} t when the first began, in ticks
 * @property {boolean} [u] of the root: ticks are tasks, since no kernel has any
 * @property {Folded[]} [c] its children
 */

/**
 * @typedef {object} Meta
 * @property {string} name
 * @property {string} kernel
 * @property {string} params
 * @property {string} machine
 * @property {string} substrate
 * @property {boolean} synthetic
 * @property {boolean} taskStamps
 * @property {number} hz
 * @property {number} ticks
 * @property {number} nodes
 * @property {number[]} workers
 * @property {number} l2
 * @property {number} llc
 * @property {string} lost
 * @property {string[]} kernels
 * @property {Area[]} objects
 * @property {number} count
 * @property {number} marks
 * @property {number} group
 * @property {number} accesses
 * @property {number} units
 * @property {number} lists
 * @property {number} steals that are listed
 * @property {number} stole all of them
 * @property {number} stoleFar those from another node
 * @property {number} moments
 * @property {boolean} searches
 * @property {boolean} stealing
 * @property {Folded | null} tree
 * @property {string} noTree why there is none
 * @property {{from: number, to: number, wrote: number[], state: boolean}} [window] of a run that is not whole:
 *   its ticks, of the executions that began before it the node that had written their data or -1, and whether
 *   the state of units at its start is known
 */

const COLD_BIN = 64;
/** Classes of accesses and their colours, then what an execution without accesses is; the head of the
 * data has them. */
const CLASSES = /** @type {string[]} */ ([]);
const CLASS_COLOURS = /** @type {string[]} */ ([]);
const NO_CLASS = 5; // of an execution that accesses nothing
const RANK = [0, 1, 2, 3, 1];
const OUT = 2; // the mode bit of what is written
const NEVER = -0x80000000; // in place of an access's number; those before a window are negative too

/** A reader of columns of integers of variable length. */
class Columns {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.i = 0;
	}
	next() {
		const a = this.bytes;
		let b = a[this.i++];
		if (b < 128) return b;
		let v = b & 127, scale = 128;
		do {
			b = a[this.i++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b >= 128);
		return v;
	}
	signed() {
		const v = this.next();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	}
}

/** The first index of a sorted array whose value is more than v. @param {Float64Array} a @param {number} v */
function above(a, v) {
	let lo = 0, hi = a.length;
	while (lo < hi) {
		const m = (lo + hi) >> 1;
		if (a[m] <= v) lo = m + 1;
		else hi = m;
	}
	return lo;
}

/** A run. Marks are kernel executions in the order in which they began, or several of a worker. */
class Run {
	/** @param {Meta} meta @param {Uint8Array} bytes */
	constructor(meta, bytes) {
		this.meta = meta;
		this.scale = 1; // ticks of a unit of time of the page
		this.begin = meta.window ? meta.window.from : 0; // ticks: the run, or its window
		this.end = meta.window ? meta.window.to : meta.ticks;
		this.begun = meta.window ? meta.window.wrote.length : 0; // executions that began before it
		const n = this.n = meta.marks, c = new Columns(bytes), workers = meta.workers.length;
		this.worker = new Uint16Array(n);
		this.start = new Float64Array(n);
		this.dur = new Float64Array(n);
		this.kind = new Uint16Array(n);
		this.cls = new Uint8Array(n).fill(NO_CLASS);
		this.wrote = new Int16Array(n); // the node that last wrote most of what it accesses, or -1
		this.from = new Uint32Array(n + 1);
		this.items = new Uint32Array(meta.accesses);
		this.modes = new Uint8Array(meta.accesses);
		this.classes = new Uint8Array(meta.accesses);
		this.bins = new Uint8Array(meta.accesses);
		this.size = new Float64Array(meta.units);
		/** @type {Uint32Array[]} */
		this.lists = [];
		/** @type {Float64Array[]} by worker: from and to, one after the other */
		this.idle = [];
		/** @type {Float32Array[]} by worker: how much of each of these it looks for work */
		this.idleShare = [];
		/** @type {Map<string, Uint16Array>} */
		this.kept = new Map();
		this.grouped = meta.group > 1;
		this.busy = this.dur;
		this.executions = new Uint32Array(0); // by mark, where they are grouped
		this.classTicks = new Float64Array(0); // by mark and class
		this.sums = { from: new Uint32Array(0), bin: new Uint8Array(0), cls: new Uint8Array(0),
			count: new Float64Array(0) };
		this.task = new Uint8Array(0); // by mark: its stamps are of the whole task
		/** @type {{until: number, units: Uint32Array, toucher: Int32Array, writer: Int32Array,
		 *   nodes: Uint16Array, bin: Uint8Array}[]} */
		this.moments = [];

		for (let k = 0; k < n; k++) this.worker[k] = c.next();
		this.first = new Uint32Array(workers + 1); // by worker: its first place in order
		for (let k = 0; k < n; k++) this.first[this.worker[k] + 1]++;
		for (let w = 0; w < workers; w++) this.first[w + 1] += this.first[w];
		this.order = new Uint32Array(n); // marks by worker
		const at = this.first.slice();
		for (let k = 0; k < n; k++) this.order[at[this.worker[k]]++] = k;
		const order = this.order;
		for (let i = 0; i < n; i++) this.start[order[i]] = c.signed(); // a gap until durations are known
		for (let i = 0; i < n; i++) this.dur[order[i]] = c.next();
		for (let w = 0; w < workers; w++) {
			/** @type {number} */
			let end = 0;
			for (let /** @type {number} */ i = this.first[w]; i < this.first[w + 1]; i++) {
				const k = order[i];
				this.start[k] += end;
				end = this.start[k] + this.dur[k];
			}
		}
		if (this.grouped) this.readMarks(c);
		else this.readAccesses(c);
		for (let u = 0, last = 0; u < meta.units; u++) this.size[u] = last += c.signed();
		for (let l = 0; l < meta.lists; l++) {
			const list = new Uint32Array(c.next());
			for (let i = 0, last = 0; i < list.length; i++) list[i] = last += c.signed();
			this.lists.push(list);
		}
		for (let w = 0; w < workers; w++) {
			const n = c.next(), list = new Float64Array(2 * n), share = new Float32Array(n).fill(1);
			for (let i = 0, last = 0; i < n; i++) {
				list[2 * i] = last + c.signed();
				last = list[2 * i + 1] = list[2 * i] + c.next();
				if (this.grouped) share[i] = c.next() / 255;
			}
			this.idle.push(list);
			this.idleShare.push(share);
		}
		const s = meta.steals;
		this.steals = { at: new Float64Array(s), thief: new Uint16Array(s), victim: new Uint16Array(s) };
		for (let i = 0, last = 0; i < s; i++) {
			this.steals.at[i] = last += c.signed();
			this.steals.thief[i] = c.next();
			this.steals.victim[i] = c.next();
		}
		this.past = { units: new Uint32Array(0), toucher: new Int32Array(0), writer: new Int32Array(0),
			bin: new Uint8Array(0), access: new Int32Array(0), nodes: new Uint16Array(0), had: new Uint32Array(0) };
		if (meta.window && meta.window.state) this.readPast(c);
		if (c.i !== bytes.length) throw new Error(`${meta.name}: ${bytes.length - c.i} bytes are left over`);
		this.longest = 0;
		for (let k = 0; k < n; k++) this.longest = Math.max(this.longest, this.dur[k]);
		this.drawn = this.start; // where a mark is drawn from
		if (meta.taskStamps && !this.grouped) this.share();
		this.pieces = this.nested();
		if (!this.grouped) this.writers();
		this.stamps = new Int32Array(meta.units);
		this.epoch = 0;
	}

	/** @param {Columns} c */
	readAccesses(c) {
		const { n, order, from } = this;
		for (let i = 0; i < n; i++) this.kind[order[i]] = c.next();
		this.task = new Uint8Array(this.meta.taskStamps ? n : 0);
		for (let i = 0; i < this.task.length; i++) this.task[order[i]] = c.next();
		for (let i = 0; i < n; i++) from[order[i] + 1] = c.next();
		for (let k = 0; k < n; k++) from[k + 1] += from[k];
		for (let w = 0; w + 1 < this.first.length; w++) {
			/** @type {number[]} */
			const before = [];
			for (let i = this.first[w]; i < this.first[w + 1]; i++) {
				const a = from[order[i]], n = from[order[i] + 1] - a;
				for (let j = 0; j < n; j++) {
					if (j === before.length) before.push(0);
					this.items[a + j] = before[j] += c.signed();
				}
			}
		}
		for (let i = 0; i < n; i++) {
			const k = order[i];
			for (let a = from[k]; a < from[k + 1]; a++) {
				const v = c.next(), cls = v >> 2;
				this.modes[a] = v & 3;
				this.classes[a] = cls;
				if (this.cls[k] === NO_CLASS || RANK[cls] > RANK[this.cls[k]]) this.cls[k] = cls;
			}
		}
		for (let i = 0; i < n; i++) {
			const k = order[i];
			for (let a = from[k]; a < from[k + 1]; a++) this.bins[a] = c.next();
		}
	}

	/** @param {Columns} c */
	readMarks(c) {
		const { n, order } = this;
		this.busy = new Float64Array(n);
		this.executions = new Uint32Array(n);
		this.classTicks = new Float64Array(n * (NO_CLASS + 1));
		/** @type {number[]} */
		const bin = [], cls = [], count = [];
		const begins = new Uint32Array(n), lengths = new Uint32Array(n);
		for (let i = 0; i < n; i++) {
			const k = order[i];
			this.executions[k] = c.next();
			this.busy[k] = c.next();
			this.kind[k] = c.next();
			this.wrote[k] = c.next() - 1;
			let most = -1;
			for (let f = 0; f <= NO_CLASS; f++) {
				const t = this.classTicks[k * (NO_CLASS + 1) + f] = c.next();
				if (t > most) {
					most = t;
					this.cls[k] = f;
				}
			}
			begins[k] = bin.length;
			lengths[k] = c.next();
			for (let j = 0; j < lengths[k]; j++) {
				bin.push(c.next());
				cls.push(c.next());
				count.push(c.next());
			}
		}
		const s = this.sums = { from: new Uint32Array(n + 1), bin: new Uint8Array(bin.length),
			cls: new Uint8Array(bin.length), count: new Float64Array(bin.length) };
		for (let k = 0, to = 0; k < n; k++) {
			for (let j = 0; j < lengths[k]; j++, to++) {
				s.bin[to] = bin[begins[k] + j];
				s.cls[to] = cls[begins[k] + j];
				s.count[to] = count[begins[k] + j];
			}
			s.from[k + 1] = to;
		}
		for (let m = 0; m < this.meta.moments; m++) {
			const until = c.next(), n = c.next();
			const x = { until, units: new Uint32Array(n), toucher: new Int32Array(n),
				writer: new Int32Array(n), nodes: new Uint16Array(n), bin: new Uint8Array(n) };
			for (let i = 0, last = -1; i < n; i++) {
				x.units[i] = last += c.next() + 1;
				x.toucher[i] = c.next() - 1;
				x.writer[i] = c.next() - 1;
				x.nodes[i] = c.next();
				x.bin[i] = c.next();
			}
			this.moments.push(x);
		}
	}

	/** Units that were touched before the window. @param {Columns} c */
	readPast(c) {
		const n = c.next(), words = Math.ceil(this.meta.nodes / 32);
		const x = this.past = { units: new Uint32Array(n), toucher: new Int32Array(n), writer: new Int32Array(n),
			bin: new Uint8Array(n), access: new Int32Array(n), nodes: new Uint16Array(n), had: new Uint32Array(n * words) };
		for (let i = 0, last = 0; i < n; i++) x.units[i] = last += c.signed();
		for (let i = 0; i < n; i++) {
			x.toucher[i] = c.next();
			x.writer[i] = c.next() - 1;
			x.bin[i] = c.next();
			x.access[i] = i - n; // by their order
			x.nodes[i] = c.next();
			for (let j = 0, node = -1; j < x.nodes[i]; j++) {
				node += c.next() + 1;
				x.had[i * words + (node >> 5)] |= 1 << (node & 31);
			}
		}
	}

	/** Draws the executions of a task one after the other: their stamps are those of the task. */
	share() {
		const { order, start, dur } = this;
		this.drawn = start.slice();
		const length = dur.slice();
		for (let i = 0, j = 0; i < this.n; i = j) {
			const k = order[i];
			j = i + 1;
			while (this.task[k] && j < this.n && this.worker[order[j]] === this.worker[k] &&
				start[order[j]] === start[k] && dur[order[j]] === dur[k] && this.task[order[j]]) j++;
			for (let m = i; m < j; m++) {
				this.drawn[order[m]] = start[k] + dur[k] * (m - i) / (j - i);
				length[order[m]] = dur[k] / (j - i);
			}
		}
		this.dur = this.busy = length;
	}

	/** Numbers of marks that follow from others, made once. @param {string} name @param {(k: number) => number} f */
	known(name, f) {
		let list = this.kept.get(name);
		if (!list) {
			list = new Uint16Array(this.n);
			for (let k = 0; k < this.n; k++) list[k] = f(k);
			this.kept.set(name, list);
		}
		return list;
	}

	/** The units of an item, one after the other. @param {number} item @param {(u: number) => void} f */
	units(item, f) {
		if (item < this.meta.units) f(item);
		else this.lists[item - this.meta.units].forEach(f);
	}

	/** Finds for each execution the node that had last written most of its bytes. */
	writers() {
		const m = this.meta, last = new Int32Array(m.units).fill(-1), bytes = new Float64Array(m.nodes);
		this.past.units.forEach((u, i) => {
			if (this.past.writer[i] >= 0) last[u] = m.workers[this.past.writer[i]];
		});
		for (let k = 0; k < this.begun; k++) this.wrote[k] = m.window ? m.window.wrote[k] : -1;
		for (let k = this.begun; k < this.n; k++) {
			let any = false;
			/** @param {number} u */
			const add = u => {
				if (last[u] >= 0) {
					bytes[last[u]] += this.size[u];
					any = true;
				}
			};
			for (let a = this.from[k]; a < this.from[k + 1]; a++) this.units(this.items[a], add);
			this.wrote[k] = -1;
			if (any) {
				let most = 0;
				for (let i = 0; i < bytes.length; i++) {
					if (bytes[i] > most) {
						most = bytes[i];
						this.wrote[k] = i;
					}
				}
				bytes.fill(0);
			}
			const node = m.workers[this.worker[k]];
			for (let a = this.from[k]; a < this.from[k + 1]; a++) {
				if (this.modes[a] & OUT) this.units(this.items[a], u => { last[u] = node; });
			}
		}
	}

	/** The execution that an access is of. @param {number} a */
	executionOf(a) {
		let lo = 0, hi = this.n;
		while (lo < hi) {
			const m = (lo + hi) >> 1;
			if (this.from[m + 1] <= a) lo = m + 1;
			else hi = m;
		}
		return lo;
	}

	/**
	 * What lies between an access and the one before it, on the same node, that touched the same: of
	 * several units, the one that was touched longest ago.
	 * @param {number} k its execution @param {number} a
	 * @returns {{access: number, execution: number, distance: number, objects: Map<number, number>} | null}
	 *   null: it is the first on the node, or that was before the window. objects: bytes by number of the object.
	 */
	before(k, a) {
		const m = this.meta, node = m.workers[this.worker[k]], me = ++this.epoch, stamps = this.stamps;
		/** @type {Set<number>} */
		const want = new Set();
		this.units(this.items[a], u => want.add(u));
		/** @type {Map<number, number>} */
		const objects = new Map();
		let distance = 0, last = a - 1;
		for (let e = k; e >= this.begun; last = this.from[e] - 1, e--) {
			if (m.workers[this.worker[e]] !== node) continue;
			for (let j = last; j >= this.from[e]; j--) {
				this.units(this.items[j], u => want.delete(u));
				if (want.size === 0) return { access: j, execution: e, distance, objects };
				this.units(this.items[j], u => {
					if (stamps[u] === me) return;
					stamps[u] = me;
					distance += this.size[u];
					const o = this.objectOf(u);
					objects.set(o, (objects.get(o) || 0) + this.size[u]);
				});
			}
		}
		return null;
	}

	/** The number of the object of an access. @param {number} a */
	objectAt(a) {
		const item = this.items[a], n = this.meta.units;
		return this.objectOf(item < n ? item : this.lists[item - n][0]);
	}

	/** The number of the object of a unit. @param {number} u */
	objectOf(u) {
		const list = this.meta.objects;
		let lo = 0, hi = list.length - 1;
		while (lo < hi) {
			const m = (lo + hi + 1) >> 1;
			if (list[m].first <= u) lo = m;
			else hi = m - 1;
		}
		return lo;
	}

	/** The mark that a worker ran at a time, or at about that time; or -1.
	 * @param {number} w @param {number} t @param {number} about ticks before and after */
	markAt(w, t, about = 0) {
		let lo = this.first[w], hi = this.first[w + 1];
		const from = lo, to = hi;
		while (lo < hi) {
			const m = (lo + hi) >> 1;
			if (this.drawn[this.order[m]] <= t) lo = m + 1;
			else hi = m;
		}
		for (let i = lo - 1; i >= from; i--) { // those that began last, of executions that nest the innermost
			const k = this.order[i];
			if (t <= this.drawn[k] + this.dur[k]) return k;
			if (this.drawn[k] < t - this.longest) break;
		}
		if (lo > from) {
			const k = this.order[lo - 1];
			if (this.dur[k] === 0 && t - this.drawn[k] <= about) return k;
		}
		const next = this.order[lo];
		return lo < to && this.dur[next] === 0 && this.drawn[next] - t <= about ? next : -1;
	}

	/** What a worker executes when, where executions nest the innermost; null: none nest, and marks tell. */
	nested() {
		const { first, order, drawn, dur } = this;
		let any = false;
		for (let w = 0; w + 1 < first.length && !this.grouped; w++) {
			for (let i = first[w] + 1, end = 0; i < first[w + 1]; i++) {
				end = Math.max(end, drawn[order[i - 1]] + dur[order[i - 1]]);
				any = any || drawn[order[i]] < end - 0.5; // what shares the time of a task may be rounded
			}
		}
		if (!any) return null;
		/** @type {{k: number, from: number, to: number}[]} */
		const list = [];
		for (let w = 0; w + 1 < first.length; w++) {
			const marks = order.slice(first[w], first[w + 1]).sort((a, b) => drawn[a] - drawn[b] || dur[b] - dur[a]);
			/** @type {number[]} innermost last */
			const open = [];
			let now = -Infinity;
			/** @param {number} t */
			const until = t => {
				for (; open.length > 0; open.pop()) {
					const k = open[open.length - 1], end = drawn[k] + dur[k];
					const to = Math.max(now, Math.min(end, t));
					if (now < to || dur[k] === 0) list.push({ k, from: now, to });
					now = to;
					if (end > t) return;
				}
				now = t;
			};
			for (const k of marks) {
				until(drawn[k]);
				open.push(k);
			}
			until(Infinity);
		}
		list.sort((a, b) => a.from - b.from);
		return { k: Uint32Array.from(list, x => x.k), from: Float64Array.from(list, x => x.from),
			dur: Float64Array.from(list, x => x.to - x.from) };
	}
}

/** The units of a run at a time. */
class State {
	/** @param {Run} run */
	constructor(run) {
		this.run = run;
		const n = run.meta.units;
		this.words = Math.ceil(run.meta.nodes / 32);
		this.k = 0; // executions, or moments, that are done
		this.toucher = new Int32Array(n).fill(-1);
		this.writer = new Int32Array(n).fill(-1);
		this.bin = new Uint8Array(n).fill(COLD_BIN);
		this.access = new Int32Array(n).fill(NEVER);
		this.had = new Uint32Array(n * this.words);
		this.nodes = new Uint16Array(run.grouped ? n : 0);
		/** @type {{k: number, toucher: Int32Array, writer: Int32Array, bin: Uint8Array,
		 *   access: Int32Array, had: Uint32Array}[]} */
		this.kept = [];
		this.step = Math.ceil(run.n / Math.min(32, Math.max(2, Math.floor(4e6 / Math.max(1, n)))));
		this.time = NaN;
		this.clear();
	}

	/** Goes to what was done by executions that began until t. @param {number} t */
	to(t) {
		if (t === this.time) return;
		this.time = t;
		const run = this.run;
		if (run.grouped) {
			let k = 0;
			while (k < run.moments.length && run.moments[k].until <= t) k++;
			if (k < this.k) this.clear();
			for (; this.k < k; this.k++) this.moment(run.moments[this.k]);
			return;
		}
		const k = Math.max(run.begun, above(run.start, t));
		if (k < this.k) this.back(k);
		for (; this.k < k; this.k++) {
			if (this.k > 0 && this.k % this.step === 0 && this.k / this.step === this.kept.length + 1) this.keep();
			this.execute(this.k);
		}
	}

	/** Goes to the start of the run, or of its window. */
	clear() {
		const { run, words } = this, past = run.past;
		this.k = run.grouped ? 0 : run.begun;
		this.toucher.fill(-1);
		this.writer.fill(-1);
		this.bin.fill(COLD_BIN);
		this.access.fill(NEVER);
		this.had.fill(0);
		this.nodes.fill(0);
		past.units.forEach((u, i) => {
			this.toucher[u] = past.toucher[i];
			this.writer[u] = past.writer[i];
			this.bin[u] = past.bin[i];
			this.access[u] = past.access[i];
			this.had.set(past.had.subarray(i * words, (i + 1) * words), u * words);
			if (run.grouped) this.nodes[u] = past.nodes[i];
		});
	}

	keep() {
		this.kept.push({ k: this.k, toucher: this.toucher.slice(), writer: this.writer.slice(),
			bin: this.bin.slice(), access: this.access.slice(), had: this.had.slice() });
	}

	/** @param {number} k */
	back(k) {
		let i = this.kept.length - 1;
		while (i >= 0 && this.kept[i].k > k) i--;
		if (i < 0) {
			this.clear();
			return;
		}
		const s = this.kept[i];
		this.k = s.k;
		this.toucher.set(s.toucher);
		this.writer.set(s.writer);
		this.bin.set(s.bin);
		this.access.set(s.access);
		this.had.set(s.had);
	}

	/** @param {number} k */
	execute(k) {
		const { run, words } = this, w = run.worker[k], node = run.meta.workers[w];
		for (let a = run.from[k]; a < run.from[k + 1]; a++) {
			const wrote = run.modes[a] & OUT;
			run.units(run.items[a], u => {
				this.toucher[u] = w;
				this.bin[u] = run.bins[a];
				this.access[u] = a;
				this.had[u * words + (node >> 5)] |= 1 << (node & 31);
				if (wrote) this.writer[u] = w;
			});
		}
	}

	/** @param {Run["moments"][0]} m */
	moment(m) {
		for (let i = 0; i < m.units.length; i++) {
			const u = m.units[i];
			this.toucher[u] = m.toucher[i];
			this.writer[u] = m.writer[i];
			this.bin[u] = m.bin[i];
			this.nodes[u] = m.nodes[i];
		}
	}

	/** How many nodes have touched a unit. @param {number} u */
	nodesOf(u) {
		if (this.run.grouped) return this.nodes[u];
		let n = 0;
		for (let i = u * this.words; i < (u + 1) * this.words; i++) {
			for (let b = this.had[i]; b; b &= b - 1) n++;
		}
		return n;
	}
}

/**
 * @typedef {object} Choice what is chosen; of what is null, all is
 * @property {[number, number] | null} bins from and to, both inclusive
 * @property {number} node of these accesses; -1: any
 * @property {[number, number] | null} time in ns, or ticks
 * @property {{object: string, rows: [number, number], columns: [number, number]} | null} cells
 */

/** What of a run is chosen: executions, accesses, units and the histogram of them. */
class Chosen {
	/** @param {Run} run */
	constructor(run) {
		this.run = run;
		this.marks = new Uint8Array(run.n);
		this.units = new Uint8Array(run.meta.units);
		this.any = false; // something is chosen, and not all
		this.count = 0; // marks
		this.accesses = 0;
		this.objects = new Float64Array(run.meta.objects.length); // these accesses by object, if they are listed
		/** by node, bin and class: of all, and of those of the time and the cells that are chosen */
		this.all = this.histogram(null, null);
		this.part = this.all;
	}

	/**
	 * @param {Choice} s @param {number} scale ticks of a unit of its time
	 * @param {Uint8Array | null} cells by unit: it is one of those chosen
	 */
	choose(s, scale, cells) {
		const { run, marks, units } = this;
		/** @type {[number, number] | null} */
		const time = s.time && [s.time[0] * scale, s.time[1] * scale];
		this.any = !!(s.bins || time || cells);
		this.part = time || cells ? this.histogram(time, cells) : this.all;
		marks.fill(0);
		units.fill(0);
		this.count = this.accesses = 0;
		this.objects.fill(0);
		if (!this.any) return;
		const [lo, hi] = s.bins || [0, COLD_BIN];
		for (let k = 0; k < run.n; k++) {
			if (time && (run.start[k] < time[0] || run.start[k] > time[1])) continue;
			if (s.bins && s.node >= 0 && run.meta.workers[run.worker[k]] !== s.node) continue;
			if (run.grouped) {
				for (let i = run.sums.from[k]; i < run.sums.from[k + 1]; i++) {
					if (run.sums.bin[i] >= lo && run.sums.bin[i] <= hi) {
						marks[k] = 1;
						this.accesses += run.sums.count[i];
					}
				}
			} else {
				if (!s.bins && !cells) marks[k] = 1;
				for (let a = run.from[k]; a < run.from[k + 1]; a++) {
					if (run.bins[a] < lo || run.bins[a] > hi) continue;
					if (cells && !this.touches(a, cells)) continue;
					marks[k] = 1;
					this.accesses++;
					this.objects[run.objectAt(a)]++;
					run.units(run.items[a], u => { if (!cells || cells[u]) units[u] = 1; });
				}
			}
			this.count += marks[k];
		}
	}

	/** @param {number} a @param {Uint8Array} cells */
	touches(a, cells) {
		const { run } = this, item = run.items[a];
		return item < run.meta.units ? cells[item] === 1 :
			run.lists[item - run.meta.units].some(u => cells[u] === 1);
	}

	/**
	 * The accesses of executions that began in a time, to some units.
	 * @param {[number, number] | null} time @param {Uint8Array | null} cells
	 * @returns {Float64Array} by node, bin (0 to COLD_BIN) and class
	 */
	histogram(time, cells) {
		const { run } = this, of = NO_CLASS, row = (COLD_BIN + 1) * of;
		const h = new Float64Array(run.meta.nodes * row);
		const from = time ? above(run.start, time[0] - 1e-9) : 0;
		const to = time ? above(run.start, time[1]) : run.n;
		for (let k = from; k < to; k++) {
			const at = run.meta.workers[run.worker[k]] * row;
			if (run.grouped) {
				for (let i = run.sums.from[k]; i < run.sums.from[k + 1]; i++) {
					h[at + run.sums.bin[i] * of + run.sums.cls[i]] += run.sums.count[i];
				}
				continue;
			}
			for (let a = run.from[k]; a < run.from[k + 1]; a++) {
				if (!cells || this.touches(a, cells)) h[at + run.bins[a] * of + run.classes[a]]++;
			}
		}
		return h;
	}
}
