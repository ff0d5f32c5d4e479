// The page: what is looked at, common to all runs, and what people do to it.
"use strict";

/**
 * @typedef {object} Pane a canvas and what draws on it
 * @property {HTMLCanvasElement} canvas
 * @property {string} name
 * @property {(p: Painter) => void} draw
 * @property {() => number} height
 * @property {boolean} dirty
 * @property {() => [string, string][]} legend
 */

/**
 * @typedef {object} Shown a run with its panels
 * @property {Run} run
 * @property {State} state
 * @property {Chosen} chosen
 * @property {Timeline} timeline
 * @property {DataMap} map
 * @property {Reuse} reuse
 * @property {Tree} tree
 * @property {Record<string, Pane>} panes
 * @property {HTMLElement} element
 * @property {HTMLElement} said where what is chosen of it is said
 */

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
	const e = document.getElementById(id);
	if (!e) throw new Error("there is no element " + id);
	return e;
}

/** @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {string} text @param {string} [name] */
function element(tag, text, name) {
	const e = document.createElement(tag);
	e.textContent = text;
	if (name) e.className = name;
	return e;
}

/** What two ends, in any order, have in common with least to most; null: nothing.
 * @param {number} a @param {number} b @param {number} most @param {number} least @returns {[number, number] | null} */
function overlap(a, b, most, least = 0) {
	const from = Math.max(least, Math.min(a, b)), to = Math.min(most, Math.max(a, b));
	return from <= to ? [from, to] : null;
}

class Page {
	/** @param {Run[]} runs @param {string[]} palette */
	constructor(runs, palette) {
		const known = runs.every(r => r.meta.hz > 0);
		for (const r of runs) r.scale = known ? r.meta.hz / 1e9 : 1;
		/** @type {Look} */
		this.look = { from: 0, to: 1, at: 1, colour: "class", steals: "all", theme: THEMES.light, palette,
			unit: known ? "ns" : "ticks", kernels: [...new Set(runs.flatMap(r => r.meta.kernels))],
			nodes: Math.max(1, ...runs.map(r => r.meta.nodes)), far: 1, selection: { bins: null, node: -1, time: null, cells: null } };
		this.begin = Math.min(...runs.map(r => r.begin / r.scale)); // 0 but for windows of runs
		this.end = Math.max(this.begin + 1, ...runs.map(r => r.end / r.scale));
		this.look.from = this.begin;
		this.look.to = this.look.at = this.end;
		if (!runs.some(r => r.meta.llc > 0)) this.look.colour = "kind";
		/** @type {MapColour} */
		this.mapColour = runs.some(r => r.meta.nodes > 1) ? "node" : "worker";
		this.object = Page.largest(runs);
		this.objects = [...new Set(runs.flatMap(r => r.meta.objects.map(o => o.name)))];
		/** @type {Shown[]} */
		this.shown = runs.map(r => this.make(r));
		for (const s of this.shown) s.reuse.align(this.shown.map(x => x.reuse));
		this.look.far = Math.max(1, ...this.shown.map(s => s.reuse.high));
		/** @param {string} id */
		const select = id => /** @type {HTMLSelectElement} */ (byId(id));
		this.selects = { colour: select("colour"), map: select("map"), object: select("object"), steals: select("steals") };
		this.hash = "";
		this.choice = ""; // in words
		this.written = -Infinity; // when the address was
		this.writing = 0; // the timer that will write it
		this.playing = 0;
		this.pending = false;
		this.printing = false;
		this.tip = byId("tip");
		this.controls();
		this.read();
		this.themes();
		this.choose();
		addEventListener("resize", () => this.redraw());
		addEventListener("hashchange", () => {
			if (location.hash.slice(1) === this.hash) return;
			this.read();
			this.choose();
		});
		addEventListener("keydown", e => this.key(e));
		addEventListener("pointerdown", () => this.hide(), true);
	}

	/** The object of most bytes of those that somebody writes, or of all. @param {Run[]} runs */
	static largest(runs) {
		let name = "", most = -1;
		for (const r of runs) {
			const written = new Uint8Array(r.meta.objects.length);
			for (let a = 0; a < r.items.length; a++) {
				if (r.modes[a] & OUT) r.units(r.items[a], u => { written[r.objectOf(u)] = 1; });
			}
			for (const m of r.moments) {
				for (let i = 0; i < m.units.length; i++) if (m.writer[i] >= 0) written[r.objectOf(m.units[i])] = 1;
			}
			const any = written.some(w => w === 1);
			r.meta.objects.forEach((o, i) => {
				if ((written[i] || !any) && o.bytes > most) {
					most = o.bytes;
					name = o.name;
				}
			});
		}
		return name;
	}

	/** @param {Run} run @returns {Shown} */
	make(run) {
		const state = new State(run), chosen = new Chosen(run), m = run.meta;
		const e = element("section", "", "run");
		e.append(element("h2", m.name));
		e.append(element("p", this.facts(run, chosen), "facts"));
		const notes = element("div", ""), said = element("p", "", "said");
		for (const s of this.notes(run)) notes.append(element("p", s, "note"));
		e.append(notes, said); // so many elements in each run that panels lie side by side
		byId("runs").append(e);
		/** @type {Shown} */
		const shown = { run, state, chosen, timeline: new Timeline(run, chosen), map: new DataMap(run, state, chosen),
			reuse: new Reuse(run, chosen), tree: new Tree(run), panes: {}, element: e, said };
		shown.map.show(this.object);
		const { timeline, map, reuse, tree } = shown, look = this.look;
		this.pane(shown, "timeline", "Timeline", () => timeline.height,
			p => timeline.draw(p, look, Math.floor(MOST_MARKS / this.shown.length)), () => this.markLegend(run));
		this.pane(shown, "map", "Data map", () => map.height(this.width(shown)),
			p => map.draw(p, look, this.mapColour), () => this.mapLegend(shown));
		this.pane(shown, "reuse", "Reuse distances", () => reuse.height, p => reuse.draw(p, look, this.mostAccesses(true), this.mostAccesses(false)),
			() => CLASSES.slice(0, 4).map((c, i) => [CLASS_COLOURS[i], c]));
		if (tree.root) {
			this.pane(shown, "tree", "Tasks", () => tree.height, p => tree.draw(p, look),
				() => tree.names().map((s, i) => [tree.colours(look)[i], s]));
		} else {
			e.append(element("h3", "Tasks"), element("p", m.noTree, "note"));
		}
		this.onTimeline(shown);
		this.onMap(shown);
		this.onReuse(shown);
		if (tree.root) this.onTree(shown);
		return shown;
	}

	/** The tallest bar of all runs, so that bars of the same height mean as much.
	 * @param {boolean} together of all nodes, or of one */
	mostAccesses(together) {
		let most = 1;
		for (const { reuse, chosen } of this.shown) {
			for (const node of reuse.rows) {
				if (together !== node < 0) continue;
				for (const b of reuse.bins()) most = Math.max(most, reuse.of(chosen.all, node, b).reduce((x, y) => x + y));
			}
		}
		return most;
	}

	/** @param {Run} run @param {Chosen} chosen */
	facts(run, chosen) {
		const m = run.meta, by = new Array(NO_CLASS).fill(0), time = (run.end - run.begin) * m.workers.length;
		chosen.all.forEach((v, i) => { by[i % NO_CLASS] += v; });
		const total = by.reduce((a, b) => a + b, 0), parts = [];
		parts.push(`${timeText((run.end - run.begin) / run.scale, this.look.unit)} on ${m.workers.length} workers`);
		if (time > 0) { // nested executions are in that of the outer one
			let work = 0, idle = 0;
			for (let w = 0; w < m.workers.length; w++) {
				let end = run.begin;
				for (let i = run.first[w]; i < run.first[w + 1]; i++) {
					const k = run.order[i], to = Math.min(run.end, run.drawn[k] + run.dur[k]);
					if (run.grouped) work += run.busy[k];
					else if (to > end) work += to - Math.max(end, run.drawn[k]);
					end = Math.max(end, to);
				}
				run.idle[w].forEach((t, i) => { idle += (i % 2 ? t : -t) * run.idleShare[w][i >> 1]; });
			}
			parts.push(`kernels take ${percent(work, time)} of it, ` + (m.searches ? `idle ${percent(idle, time)}, scheduling ` :
				"scheduling and idle ") + percent(Math.max(0, time - work - idle), time));
		}
		parts.push(`${countText(m.count)} executions`);
		if (total > 0) {
			parts.push(countText(total) + " accesses: " + by.map((v, i) => ({ c: CLASSES[i], v }))
				.filter((x, i) => x.v > 0 || [m.l2 > 0, m.l2 > 0 && m.llc > 0, m.llc > 0, true, false][i])
				.map(x => `${x.c} ${percent(x.v, total)}`).join(", "));
		} else {
			parts.push("they say of no data that they access it");
		}
		if (m.stealing) {
			parts.push(`${countText(m.stole)} steals` + (m.nodes > 1 ? `, ${countText(m.stoleFar)} from another node` : ""));
		}
		return parts.join("; ") + ".";
	}

	/** @param {Run} run */
	notes(run) {
		const m = run.meta, list = [];
		list.push([m.kernel && `${m.kernel} ${m.params}`.trim(), m.machine && "on " + m.machine,
			(m.substrate === "simulated" ? "SIMULATED, not measured" : m.substrate) + (m.synthetic ? ", its nodes imposed" : "")].filter(s => s).join(", "));
		if (m.lost) list.push("Records are missing, and what is shown of later ones may be wrong: " + m.lost);
		if (m.window) {
			const at = (/** @type {number} */ t) => timeText(t / run.scale, this.look.unit);
			list.push(`A window of the run, from ${at(run.begin)} to ${at(run.end)} of ${at(m.ticks)}. ` + (m.window.state ?
				"The map begins with what was before it." : m.group > 1 && m.moments === 0 ? "" :
				"The map begins empty at the window: what was before takes too much room."));
		}
		if (m.group > 1) {
			list.push(`Too many for a page: each mark stands for up to ${countText(m.group)} executions of a worker, one ` +
				`after the other, and has the colour of most of their time. The map shows ` +
				(m.moments > 0 ? `${m.moments} moments` : "nothing, since there are too many blocks") + ". Cells " +
				"cannot be chosen, and there are no arcs." + (m.steals < m.stole ?
				` Of the steals, ${countText(m.steals)} are shown.` : ""));
		}
		if (m.taskStamps) list.push("Stamps are of whole tasks: kernels of a task are drawn with equal shares of its time.");
		if (!m.searches) list.push("The trace does not tell when workers looked for work: idle time is shown as scheduling.");
		if (m.nodes > this.look.palette.length) list.push(`Colours of nodes repeat from node ${this.look.palette.length} on.`);
		return list;
	}

	/**
	 * @param {Shown} shown @param {string} id @param {string} title @param {() => number} height
	 * @param {(p: Painter) => void} draw @param {() => [string, string][]} legend
	 */
	pane(shown, id, title, height, draw, legend) {
		const head = element("h3", title), canvas = document.createElement("canvas");
		const name = `${shown.run.meta.name}: ${title.toLowerCase()}`;
		for (const format of /** @type {const} */ (["SVG", "PNG"])) {
			const b = element("button", format, "save");
			b.title = `Save the ${title.toLowerCase()} as ${format}`;
			b.addEventListener("click", () => this.save(shown, id, format));
			head.append(b);
		}
		canvas.tabIndex = 0;
		canvas.setAttribute("role", "img");
		canvas.setAttribute("aria-label", name);
		canvas.className = id;
		shown.element.append(head, canvas);
		shown.panes[id] = { canvas, name, draw, height, dirty: true, legend };
	}

	/** @param {Shown} s */
	width(s) {
		return Math.max(120, Math.floor(s.element.clientWidth));
	}

	/** Draws on the next frame all panels of some names, or all. @param {...string} ids */
	redraw(...ids) {
		for (const s of this.shown) {
			for (const id in s.panes) if (ids.length === 0 || ids.includes(id)) s.panes[id].dirty = true;
		}
		if (this.pending) return;
		this.pending = true;
		requestAnimationFrame(() => this.frame());
	}

	frame() {
		this.pending = false;
		const scale = this.printing ? 2 : devicePixelRatio || 1;
		for (const s of this.shown) {
			const width = this.width(s);
			for (const id in s.panes) {
				const p = s.panes[id];
				if (!p.dirty) continue;
				p.dirty = false;
				const height = Math.ceil(p.height());
				p.canvas.style.height = height + "px";
				p.draw(new CanvasPainter(p.canvas, width, height, scale));
			}
		}
	}

	// What is chosen.

	choose() {
		for (const s of this.shown) {
			s.chosen.choose(this.look.selection, s.run.scale,
				s.run.grouped ? null : s.map.mask(this.look.selection));
			s.timeline.arcs = [];
		}
		this.changed();
	}

	/** Says what is looked at, in the address too, and draws it. */
	changed() {
		const s = this.look.selection, text = [];
		if (s.bins) {
			text.push(s.bins[0] === COLD_BIN ? "cold accesses" + (s.node >= 0 ? " on node " + s.node : "") :
				"distances " + (s.bins[0] === s.bins[1] ? binText(s.bins[0]) : binText(s.bins[0]).split(" to ")[0] +
				" to " + (s.bins[1] === COLD_BIN ? "cold" : bytesText(2 ** s.bins[1]))) + (s.node >= 0 ? " on node " + s.node : ""));
		}
		if (s.time) text.push(`begun from ${timeText(s.time[0], this.look.unit)} to ${timeText(s.time[1], this.look.unit)}`);
		if (s.cells) {
			const n = (s.cells.rows[1] - s.cells.rows[0] + 1) * (s.cells.columns[1] - s.cells.columns[0] + 1);
			text.push(n === 1 ? `a cell of ${s.cells.object}, row ${s.cells.rows[0]}, column ${s.cells.columns[0]}` :
				`${countText(n)} cells of ${s.cells.object}`);
		}
		const out = byId("chosen");
		this.choice = text.length === 0 ? "" : "Chosen: " + text.join("; ") + ".";
		out.textContent = this.choice || "Nothing is chosen: drag over bars, cells or a ruler.";
		for (const { run, chosen, said } of this.shown) {
			said.textContent = text.length === 0 ? "" : `Chosen: ${percent(chosen.count, run.n)} of the ${
				run.grouped ? "marks" : "executions"} (${countText(chosen.count)})` +
				(chosen.accesses ? `, ${countText(chosen.accesses)} accesses` : "") + Page.byObject(run, chosen) + ".";
		}
		out.title = out.textContent;
		/** @type {HTMLButtonElement} */ (byId("clear")).disabled = text.length === 0;
		byId("time").textContent = timeText(this.look.at, this.look.unit);
		/** @type {HTMLInputElement} */ (byId("at")).value = String((this.look.at - this.begin) / (this.end - this.begin));
		this.legends();
		this.write();
		this.redraw();
	}

	/** Of which objects the chosen accesses are. @param {Run} run @param {Chosen} chosen */
	static byObject(run, chosen) {
		const list = [...chosen.objects].map((v, i) => ({ v, i })).filter(x => x.v > 0).sort((a, b) => b.v - a.v);
		if (list.length === 0) return "";
		return ": " + list.slice(0, 5).map(x => `${short(run.meta.objects[x.i].name, 30)} ${percent(x.v, chosen.accesses)}`)
			.join(", ") + (list.length > 5 ? ` and ${list.length - 5} more` : "");
	}

	/** @param {Run} run @returns {[string, string][]} */
	markLegend(run) {
		const c = markColours(run, this.look), th = this.look.theme;
		/** @type {[string, string][]} */
		const list = c.names.map((n, i) => [c.colours[i], n]);
		return [...list.filter((x, i) => this.look.colour !== "class" || i < 4 || run.cls.includes(i)),
			[th.scheduling, run.meta.searches ? "scheduling" : "scheduling or idle"],
			...(run.meta.searches ? [/** @type {[string, string]} */ ([th.idle, "idle"])] : [])];
	}

	/** @param {Shown} s @returns {[string, string][]} */
	mapLegend(s) {
		const c = s.map.colours(this.look, this.mapColour);
		/** @type {[string, string][]} */
		const list = c.names.map((n, i) => [c.colours[i], n]);
		return [...list.filter(x => x[1] !== ""), [this.look.theme.none, this.mapColour === "writer" ? "nobody wrote it" : "nobody touched it"]];
	}

	legends() {
		/** @param {string} id @param {[string, string][][]} lists */
		const show = (id, lists) => {
			/** @type {Map<string, Set<string>>} a name has several colours where runs have other machines */
			const all = new Map();
			lists.flat().forEach(([colour, name]) => all.set(name, (all.get(name) || new Set()).add(colour)));
			const to = byId(id);
			to.replaceChildren();
			let n = 0;
			for (const [name, colours] of all) {
				if (n++ === 40) {
					to.append(element("span", `and ${all.size - 40} more`));
					break;
				}
				const s = element("span", name);
				s.prepend(...[...colours].map(colour => {
					const sw = element("i", "");
					sw.style.background = colour;
					return sw;
				}));
				to.append(s);
			}
		};
		show("mark-legend", this.shown.map(s => this.markLegend(s.run)));
		show("map-legend", this.shown.map(s => this.mapLegend(s)));
	}

	// The address holds what is looked at.

	/** Writes the address, at once or soon: browsers allow about three changes a second. */
	write() {
		if (this.writing) return;
		const wait = this.written + 400 - performance.now();
		if (wait > 0) {
			this.writing = setTimeout(() => {
				this.writing = 0;
				this.write();
			}, wait);
			return;
		}
		this.written = performance.now();
		const l = this.look, s = l.selection, p = new URLSearchParams();
		/** @param {number} v */
		const n = v => String(+v.toPrecision(12));
		if (l.from > this.begin || l.to < this.end) p.set("view", n(l.from) + "~" + n(l.to));
		if (l.at < this.end) p.set("at", n(l.at));
		p.set("colour", l.colour);
		p.set("map", this.mapColour);
		p.set("object", this.object);
		if (l.steals !== "all") p.set("steals", l.steals);
		if (s.bins) p.set("bins", s.bins.join("~") + (s.node >= 0 ? "~" + s.node : ""));
		if (s.time) p.set("time", s.time.map(n).join("~"));
		if (s.cells) p.set("cells", [s.cells.object, ...s.cells.rows, ...s.cells.columns].join("~"));
		this.hash = p.toString();
		if (location.hash.slice(1) !== this.hash) history.replaceState(null, "", "#" + this.hash);
	}

	/** Takes what is looked at from the address; what no run has is left out. */
	read() {
		clearTimeout(this.writing);
		this.writing = 0;
		const p = new URLSearchParams(location.hash.slice(1)), l = this.look;
		/** @param {string} key @param {number} n */
		const numbers = (key, n) => {
			const list = (p.get(key) || "").split("~").map(v => v ? Number(v) : NaN);
			return p.get(key) && list.length >= n && list.every(Number.isFinite) ? list : null;
		};
		const view = numbers("view", 2);
		[l.from, l.to] = view && Math.max(this.begin, view[0]) < Math.min(this.end, view[1]) ?
			this.within(Math.max(this.begin, view[0]), Math.min(this.end, view[1])) : [this.begin, this.end];
		const at = numbers("at", 1);
		l.at = at ? Math.max(this.begin, Math.min(this.end, at[0])) : this.end;
		/** @param {string} key @param {HTMLSelectElement} select */
		const option = (key, select) => {
			const v = p.get(key);
			return v !== null && [...select.options].some(o => o.value === v) ? v : select.value;
		};
		l.colour = /** @type {Look["colour"]} */ (option("colour", this.selects.colour));
		this.mapColour = /** @type {MapColour} */ (option("map", this.selects.map));
		this.object = option("object", this.selects.object);
		this.selects.colour.value = l.colour;
		this.selects.map.value = this.mapColour;
		this.selects.object.value = this.object;
		for (const s of this.shown) s.map.show(this.object);
		this.selects.steals.value = "all"; // where the address has none
		l.steals = /** @type {Look["steals"]} */ (option("steals", this.selects.steals));
		this.selects.steals.value = l.steals;
		const bins = numbers("bins", 2), time = numbers("time", 2), cells = (p.get("cells") || "").split("~");
		l.selection.bins = bins && bins.every(Number.isInteger) ? overlap(bins[0], bins[1], COLD_BIN) : null;
		l.selection.node = l.selection.bins && bins && this.shown.some(s => s.run.meta.workers.includes(bins[2])) ? bins[2] : -1;
		l.selection.time = time ? overlap(time[0], time[1], this.end, this.begin) : null;
		l.selection.cells = null;
		if (cells.length >= 5) {
			const v = cells.slice(-4).map(Number);
			if (v.every(Number.isInteger)) {
				l.selection.cells = this.cells(cells.slice(0, -4).join("~"), [v[0], v[2]], [v[1], v[3]]);
			}
		}
	}

	/** Cells between two, those that the object has in some run; null: none.
	 * @param {string} object @param {[number, number]} a row and column @param {[number, number]} b
	 * @returns {Choice["cells"]} */
	cells(object, a, b) {
		const areas = this.shown.flatMap(s => s.run.meta.objects.filter(o => o.name === object));
		const rows = overlap(a[0], b[0], Math.max(...areas.map(o => o.rows)) - 1);
		const columns = overlap(a[1], b[1], Math.max(...areas.map(o => o.columns)) - 1);
		return rows && columns && { object, rows, columns };
	}

	// Controls.

	controls() {
		this.selects.colour.value = this.look.colour;
		this.selects.map.value = this.mapColour;
		for (const name of this.objects) {
			const o = element("option", name);
			o.value = name;
			this.selects.object.append(o);
		}
		this.selects.object.value = this.object;
		this.selects.colour.addEventListener("change", () => {
			this.look.colour = /** @type {Look["colour"]} */ (this.selects.colour.value);
			this.changed();
		});
		this.selects.map.addEventListener("change", () => {
			this.mapColour = /** @type {MapColour} */ (this.selects.map.value);
			this.changed();
		});
		this.selects.object.addEventListener("change", () => this.showObject(this.selects.object.value));
		this.selects.steals.addEventListener("change", () => {
			this.look.steals = /** @type {Look["steals"]} */ (this.selects.steals.value);
			this.changed();
		});
		const at = /** @type {HTMLInputElement} */ (byId("at"));
		at.addEventListener("input", () => {
			this.stop();
			this.goTo(this.begin + +at.value * (this.end - this.begin));
		});
		byId("play").addEventListener("click", () => this.play());
		byId("clear").addEventListener("click", () => this.clear());
		byId("whole").addEventListener("click", () => this.zoom(this.begin, this.end));
		const help = /** @type {HTMLDialogElement} */ (byId("help"));
		byId("keys").addEventListener("click", () => help.showModal());
	}

	/** @param {string} name */
	showObject(name) {
		this.object = name;
		this.selects.object.value = name;
		for (const s of this.shown) s.map.show(name);
		this.changed();
	}

	/** @param {number} t */
	goTo(t) {
		this.look.at = Math.max(this.begin, Math.min(this.end, t));
		this.changed();
	}

	play() {
		if (this.playing) {
			this.stop();
			return;
		}
		byId("play").textContent = "Pause";
		let last = performance.now();
		if (this.look.at >= this.look.to) this.look.at = this.look.from;
		const step = () => {
			const now = performance.now();
			this.look.at += (this.look.to - this.look.from) * (now - last) / 10000;
			last = now;
			if (this.look.at >= Math.min(this.look.to, this.end)) {
				this.look.at = Math.min(this.look.to, this.end);
				this.stop();
			} else {
				this.playing = requestAnimationFrame(step);
			}
			this.changed();
		};
		this.playing = requestAnimationFrame(step);
	}

	stop() {
		cancelAnimationFrame(this.playing);
		this.playing = 0;
		byId("play").textContent = "Play";
	}

	clear() {
		this.look.selection = { bins: null, node: -1, time: null, cells: null };
		this.choose();
	}

	/** @param {number} from @param {number} to */
	zoom(from, to) {
		[this.look.from, this.look.to] = this.within(from, to);
		this.changed();
	}

	/** A view of the run as long as another one, if it can be: no shorter than numbers tell apart.
	 * @param {number} from @param {number} to @returns {[number, number]} */
	within(from, to) {
		const span = Math.min(this.end - this.begin, Math.max(to - from, this.look.unit === "ns" ? 10 : 2, this.end * 1e-12));
		const first = Math.max(this.begin, Math.min(this.end - span, from));
		return [first, first + span];
	}

	/** @param {number} by @param {number} about a time that stays where it is */
	zoomBy(by, about) {
		const { from, to } = this.look, span = (to - from) * by;
		this.zoom(about - (about - from) * by, about - (about - from) * by + span);
	}

	/** @param {KeyboardEvent} e */
	key(e) {
		const on = e.target, l = this.look, span = l.to - l.from;
		if (e.ctrlKey || e.metaKey || e.altKey || on instanceof HTMLInputElement && on.type !== "checkbox" ||
			on instanceof HTMLSelectElement || /** @type {HTMLDialogElement} */ (byId("help")).open) return;
		const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
		if (arrow && on instanceof HTMLCanvasElement && on.className !== "timeline" && on.className !== "tree") {
			this.move(on, arrow[0], arrow[1], e.shiftKey);
			e.preventDefault();
			return;
		}
		switch (e.key) {
		case "ArrowLeft": this.zoom(l.from - span / 8, l.to - span / 8); break;
		case "ArrowRight": this.zoom(l.from + span / 8, l.to + span / 8); break;
		case "+": case "=": this.zoomBy(1 / 1.5, (l.from + l.to) / 2); break;
		case "-": this.zoomBy(1.5, (l.from + l.to) / 2); break;
		case "0": case "Home": this.zoom(this.begin, this.end); break;
		case "[": case ",": this.goTo(l.at - span / 100); break;
		case "]": case ".": this.goTo(l.at + span / 100); break;
		case " ":
			if (on instanceof HTMLButtonElement || on instanceof HTMLInputElement) return;
			this.play();
			break;
		case "Escape": this.clear(); break;
		case "c": this.cycle(this.selects.colour); break;
		case "m": this.cycle(this.selects.map); break;
		case "o": this.cycle(this.selects.object); break;
		case "?": /** @type {HTMLDialogElement} */ (byId("help")).showModal(); break;
		default: return;
		}
		e.preventDefault();
	}

	/** @param {HTMLSelectElement} select */
	cycle(select) {
		select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
		select.dispatchEvent(new Event("change"));
	}

	/** Moves what is chosen of the bins or cells of a panel that has the focus.
	 * @param {HTMLCanvasElement} canvas @param {number} dx @param {number} dy @param {boolean} extend */
	move(canvas, dx, dy, extend) {
		const s = this.shown.find(x => Object.values(x.panes).some(p => p.canvas === canvas)), sel = this.look.selection;
		if (!s) return;
		if (canvas.className === "reuse") {
			const list = s.reuse.bins();
			const index = (/** @type {number} */ b) => Math.max(0, list.findIndex(x => x >= b));
			const old = sel.bins ? [index(sel.bins[0]), index(sel.bins[1])] : [-1, -1];
			const to = Math.max(0, Math.min(list.length - 1, old[1] + dx));
			sel.bins = [list[extend && sel.bins ? Math.min(old[0], to) : to], list[to]];
			const row = Math.max(0, s.reuse.rows.indexOf(sel.node));
			sel.node = s.reuse.rows[Math.max(0, Math.min(s.reuse.rows.length - 1, row + dy))];
		} else {
			const a = s.map.area;
			if (!a || s.run.grouped) return;
			const c = sel.cells && sel.cells.object === a.name ? sel.cells :
				{ object: a.name, rows: [-dy, -dy], columns: [-dx, -dx] };
			const row = Math.max(0, Math.min(a.rows - 1, c.rows[1] + dy));
			const column = Math.max(0, Math.min(a.columns - 1, c.columns[1] + dx));
			sel.cells = { object: a.name, rows: [extend ? Math.min(c.rows[0], row) : row, row],
				columns: [extend ? Math.min(c.columns[0], column) : column, column] };
		}
		this.choose();
	}

	// Pointers.

	/** Calls f when a pointer is let go, or taken away. @param {HTMLCanvasElement} c @param {(e: PointerEvent) => void} f */
	static ends(c, f) {
		for (const type of /** @type {const} */ (["pointerup", "pointercancel", "lostpointercapture"])) {
			c.addEventListener(type, f);
		}
	}

	/** Where an event is on its canvas. @param {MouseEvent} e @returns {[number, number]} */
	static point(e) {
		const b = /** @type {HTMLCanvasElement} */ (e.currentTarget).getBoundingClientRect();
		return [e.clientX - b.left, e.clientY - b.top];
	}

	/** @param {Shown} s */
	onTimeline(s) {
		const c = s.panes.timeline.canvas, look = this.look;
		/** @type {Map<number, number>} */
		const down = new Map();
		let kind = "", x0 = 0, from = 0, to = 0, moved = false, before = look.selection.time;
		c.addEventListener("wheel", e => {
			e.preventDefault();
			const [x] = Page.point(e), width = this.width(s), span = look.to - look.from;
			if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
				const by = (e.deltaX || e.deltaY) / width * span;
				this.zoom(look.from + by, look.to + by);
			} else {
				this.zoomBy(Math.exp(Math.max(-200, Math.min(200, e.deltaY)) / 400), s.timeline.timeAt(look, width, Math.max(LABELS, x)));
			}
		}, { passive: false });
		c.addEventListener("pointerdown", e => {
			if (e.button !== 0) return;
			const [x, y] = Page.point(e);
			down.set(e.pointerId, x);
			before = look.selection.time;
			c.setPointerCapture(e.pointerId);
			[from, to] = [look.from, look.to];
			moved = false;
			x0 = x;
			kind = down.size > 1 ? "pinch" : y < RULER ? "time" : "pan";
			if (kind === "pinch") down.forEach((_, id) => { if (id !== e.pointerId) x0 = /** @type {number} */ (down.get(id)); });
		});
		c.addEventListener("pointermove", e => {
			const [x, y] = Page.point(e), width = this.width(s);
			if (!down.has(e.pointerId)) {
				if (e.buttons === 0) this.hover(s, x, y, e);
				return;
			}
			const wide = width - LABELS, last = /** @type {number} */ (down.get(e.pointerId));
			if (Math.abs(x - x0) > 3) moved = true;
			if (kind === "pinch" && down.size > 1) {
				const others = [...down].filter(([id]) => id !== e.pointerId).map(([, v]) => v);
				const was = Math.max(8, Math.abs(last - others[0])), is = Math.max(8, Math.abs(x - others[0]));
				this.zoomBy(was / is, s.timeline.timeAt(look, width, (x + others[0]) / 2));
				moved = true;
			} else if (kind === "pan" && moved) {
				const by = (x0 - x) / wide * (to - from);
				this.zoom(from + by, to + by);
			} else if (kind === "time" && moved) {
				const a = s.timeline.timeAt(look, width, Math.max(LABELS, x0)), b = s.timeline.timeAt(look, width, Math.max(LABELS, x));
				look.selection.time = a < b ? [a, b] : [b, a];
				this.choose();
			}
			down.set(e.pointerId, x);
		});
		/** @param {PointerEvent} e */
		const up = e => {
			if (!down.delete(e.pointerId)) return;
			if (e.type !== "pointerup" && moved && kind !== "pinch") { // it was meant otherwise
				look.selection.time = before;
				if (kind === "pan") [look.from, look.to] = [from, to];
				this.choose();
			} else if (e.type === "pointerup" && !moved && kind !== "pinch") {
				const [x, y] = Page.point(e);
				this.stop();
				this.goTo(s.timeline.timeAt(look, this.width(s), Math.max(LABELS, x)));
				this.hover(s, x, y, e);
			}
		};
		Page.ends(c, up);
		c.addEventListener("pointerleave", e => {
			if (e.pointerType === "touch") return;
			this.hide();
			if (s.timeline.arcs.length > 0) {
				s.timeline.arcs = [];
				this.redraw("timeline");
			}
		});
	}

	/** Says what is under the pointer. @param {Shown} s @param {number} x @param {number} y @param {MouseEvent} e */
	hover(s, x, y, e) {
		const { run, timeline } = s, w = timeline.workerAt(y), m = run.meta;
		const t = timeline.timeAt(this.look, this.width(s), x) * s.run.scale;
		const about = 2 * (this.look.to - this.look.from) / (this.width(s) - LABELS) * run.scale;
		const k = w < 0 || x < LABELS ? -1 : run.markAt(w, t, about);
		const had = timeline.arcs.length;
		timeline.arcs = [];
		if (k >= 0) this.say(this.describe(s, k), e);
		else if (w >= 0 && x >= LABELS && t >= run.begin && t <= run.end) {
			const l = run.idle[w];
			let idle = false;
			for (let i = 0; i < l.length; i += 2) idle = idle || t >= l[i] && t <= l[i + 1];
			this.say([`worker ${w}, node ${m.workers[w]}: ${idle ? "idle: it looks for work" : "scheduling"}`], e);
		} else this.hide();
		if (had || timeline.arcs.length) this.redraw("timeline");
	}

	/** What there is to say of a mark; it gets its arcs. @param {Shown} s @param {number} k */
	describe(s, k) {
		const { run, timeline } = s, m = run.meta, scale = run.scale, unit = this.look.unit;
		const lines = [`${m.kernels[run.kind[k]]}, worker ${run.worker[k]} of node ${m.workers[run.worker[k]]}`,
			`from ${timeText(run.drawn[k] / scale, unit)}, for ${timeText(run.dur[k] / scale, unit)}`];
		if (run.grouped) {
			lines[0] = `${countText(run.executions[k])} executions, most of the time ` + lines[0];
			for (let c = 0; c <= NO_CLASS; c++) {
				const v = run.classTicks[k * (NO_CLASS + 1) + c];
				if (v > 0) lines.push(`${CLASSES[c]}: ${percent(v, run.busy[k])} of their time`);
			}
			return lines;
		}
		let far = -1, found = null;
		for (let a = run.from[k]; a < run.from[k + 1]; a++) {
			const b = run.before(k, a), u = run.items[a];
			if (a - run.from[k] < 8) {
				lines.push(`${["", "reads", "writes", "updates"][run.modes[a]]} ${this.nameOf(run, u)}: ` + (b ?
					`${CLASSES[run.classes[a]]}, ${bytesText(b.distance)} of other data since worker ${run.worker[b.execution]} used it` :
					run.bins[a] === COLD_BIN ? "first access on the node" :
					`${CLASSES[run.classes[a]]}, used before the window`));
			}
			if (!b) continue;
			timeline.arcs.push({ access: a, execution: b.execution, cls: run.classes[a], of: k });
			if (b.distance > far) {
				far = b.distance;
				found = b;
			}
		}
		if (run.from[k + 1] - run.from[k] > 8) lines.push(`and ${run.from[k + 1] - run.from[k] - 8} accesses more`);
		if (found && found.objects.size > 0) {
			lines.push("between the farthest and its use before: " + [...found.objects].sort((a, b) => b[1] - a[1]).slice(0, 6)
				.map(([o, b]) => `${bytesText(b)} of ${m.objects[o].name}`).join(", "));
		}
		return lines;
	}

	/** @param {Run} run @param {number} item */
	nameOf(run, item) {
		const m = run.meta;
		if (item >= m.units) {
			const l = run.lists[item - m.units];
			return `${l.length} pieces of ${m.objects[run.objectOf(l[0])].name}`;
		}
		const o = m.objects[run.objectOf(item)], i = item - o.first;
		return o.matrix ? `${o.name}[${Math.floor(i / o.columns)}, ${i % o.columns}]` : `${o.name}[${i}]`;
	}

	/** @param {string[]} lines @param {MouseEvent} e */
	say(lines, e) {
		this.tip.replaceChildren(...lines.map(l => element("div", l)));
		this.tip.hidden = false;
		const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
		this.tip.style.left = Math.max(4, Math.min(innerWidth - w - 4, e.clientX + 14)) + "px";
		this.tip.style.top = (e.clientY + 18 + h < innerHeight ? e.clientY + 18 : Math.max(4, e.clientY - h - 12)) + "px";
	}

	/** A finger leaves what it touched to be read; the next touch elsewhere ends that. @param {PointerEvent} e */
	leave(e) {
		if (e.pointerType !== "touch") this.hide();
	}

	hide() {
		this.tip.hidden = true;
	}

	/** @param {Shown} s */
	onMap(s) {
		const c = s.panes.map.canvas;
		/** @type {[number, number] | null} */
		let from = null;
		let moved = false, before = this.look.selection.cells;
		c.addEventListener("pointerdown", e => {
			if (e.button !== 0 || s.run.grouped || !s.map.area) return;
			before = this.look.selection.cells;
			from = s.map.cellAt(...Page.point(e));
			moved = false;
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointermove", e => {
			const a = s.map.area, at = s.map.cellAt(...Page.point(e));
			if (from && a) {
				moved = moved || at[0] !== from[0] || at[1] !== from[1];
				if (moved) this.brush(a.name, from, at);
			}
			const u = s.map.unitAt(at[0], at[1]);
			if (u < 0 || !a) {
				this.hide();
				return;
			}
			this.say(this.describeUnit(s, u), e);
		});
		/** @param {PointerEvent} e */
		const up = e => {
			const a = s.map.area;
			if (from && a && !moved && e.type === "pointerup") {
				const old = this.look.selection.cells;
				if (old && old.object === a.name && old.rows[0] === from[0] && old.rows[1] === from[0] &&
					old.columns[0] === from[1] && old.columns[1] === from[1]) {
					this.look.selection.cells = null;
					this.choose();
				} else {
					this.brush(a.name, from, from);
				}
			}
			if (from && moved && e.type !== "pointerup") {
				this.look.selection.cells = before;
				this.choose();
			}
			from = null;
		};
		Page.ends(c, up);
		c.addEventListener("pointerleave", e => this.leave(e));
	}

	/** @param {Shown} s @param {number} u */
	describeUnit(s, u) {
		const { run, state } = s, m = run.meta, lines = [`${this.nameOf(run, u)}, ${bytesText(run.size[u])}`];
		if (state.toucher[u] < 0) {
			lines.push("nobody has touched it until then");
			return lines;
		}
		const w = state.toucher[u], n = state.nodesOf(u), wr = state.writer[u];
		lines.push(`touched last by worker ${w} of node ${m.workers[w]}` + (state.access[u] >= 0 ?
			`, at ${timeText(run.start[run.executionOf(state.access[u])] / run.scale, this.look.unit)}` : ""));
		lines.push(state.bin[u] === COLD_BIN ? "then for the first time on that node" : `then at a distance of ${binText(state.bin[u])}`);
		lines.push(wr < 0 ? "nobody has written it" : `written last by worker ${wr} of node ${m.workers[wr]}`);
		lines.push(n === 1 ? "used by one node" : `used by ${n} nodes`);
		return lines;
	}

	/** @param {string} object @param {[number, number]} a @param {[number, number]} b */
	brush(object, a, b) {
		this.look.selection.cells = this.cells(object, a, b);
		this.choose();
	}

	/** @param {Shown} s */
	onReuse(s) {
		const c = s.panes.reuse.canvas;
		/** @type {{bin: number, node: number} | null} */
		let from = null;
		let moved = false, before = this.look.selection;
		c.addEventListener("pointerdown", e => {
			if (e.button !== 0) return;
			before = { ...this.look.selection };
			const [x, y] = Page.point(e);
			from = { bin: s.reuse.binAt(this.width(s), x), node: s.reuse.nodeAt(y) };
			moved = false;
			c.setPointerCapture(e.pointerId);
		});
		c.addEventListener("pointermove", e => {
			const [x, y] = Page.point(e), bin = s.reuse.binAt(this.width(s), x), node = s.reuse.nodeAt(y);
			if (from && (moved || bin !== from.bin)) {
				moved = true;
				this.brushBins(from.bin, bin, from.node);
			}
			const by = s.reuse.of(s.chosen.part, node, bin), total = by.reduce((a, b) => a + b);
			this.say([`${node < 0 ? "all nodes" : "node " + node}: ${bin === COLD_BIN ? "cold, the first access on a node" : "distance " + binText(bin)}`,
				`${countText(total)} accesses` + (total > 0 && bin !== COLD_BIN ? ": " + by.map((v, i) => ({ n: CLASSES[i], v }))
					.filter(y => y.v > 0).map(y => `${y.n} ${countText(y.v)}`).join(", ") : "")], e);
		});
		/** @param {PointerEvent} e */
		const up = e => {
			if (from && !moved && e.type === "pointerup") {
				const s = this.look.selection;
				if (s.bins && s.bins[0] === from.bin && s.bins[1] === from.bin && s.node === from.node) {
					s.bins = null;
					this.choose();
				} else {
					this.brushBins(from.bin, from.bin, from.node);
				}
			}
			if (from && moved && e.type !== "pointerup") {
				[this.look.selection.bins, this.look.selection.node] = [before.bins, before.node];
				this.choose();
			}
			from = null;
		};
		Page.ends(c, up);
		c.addEventListener("pointerleave", e => this.leave(e));
	}

	/** @param {number} a @param {number} b @param {number} node */
	brushBins(a, b, node) {
		this.look.selection.bins = [Math.min(a, b), Math.max(a, b)];
		this.look.selection.node = node;
		this.choose();
	}

	/** @param {Shown} s */
	onTree(s) {
		const c = s.panes.tree.canvas;
		c.addEventListener("pointermove", e => {
			const f = s.tree.at(...Page.point(e));
			if (f) this.say(s.tree.describe(f, this.look), e);
			else this.hide();
		});
		c.addEventListener("pointerleave", e => this.leave(e));
		c.addEventListener("pointerup", e => {
			if (e.button !== 0) return;
			const f = s.tree.at(...Page.point(e));
			if (f) this.goTo(f.t / s.run.scale);
		});
	}

	// Colours for light, dark and print; files.

	themes() {
		const dark = matchMedia("(prefers-color-scheme: dark)"), print = matchMedia("print");
		const set = () => {
			this.look.theme = dark.matches && !print.matches && !this.printing ? THEMES.dark : THEMES.light;
			this.legends();
			this.redraw();
			if (print.matches || this.printing) this.frame();
		};
		dark.addEventListener("change", set);
		print.addEventListener("change", set);
		addEventListener("beforeprint", () => {
			this.printing = true;
			set();
		});
		addEventListener("afterprint", () => {
			this.printing = false;
			set();
		});
		set();
	}

	/** A panel as a picture, with its title and legend. @param {Shown} s @param {string} id */
	picture(s, id) {
		const pane = s.panes[id], width = this.width(s);
		/** @type {string[]} lines below the title, as wide as the picture */
		const lines = [];
		for (const word of `${this.notes(s.run)[0]}. ${this.choice}`.split(" ")) {
			const last = lines.length - 1;
			if (last >= 0 && (lines[last] + word).length < width / 6.2) lines[last] += " " + word;
			else if (lines.length < 6) lines.push(short(word, width / 7));
		}
		const top = 22 + 15 * lines.length;

		const legend = pane.legend().slice(0, 40).map(([colour, name]) => [colour, short(name, width / 7 - 4)]);
		const look = this.look.theme, th = THEMES.light;
		/** @type {{x: number, y: number, colour: string, name: string}[]} */
		const entries = [];
		let x = 4, y = 0;
		for (const [colour, name] of legend) {
			const w = 24 + 6.6 * name.length;
			if (x + w > width && x > 4) {
				x = 4;
				y += 18;
			}
			entries.push({ x, y, colour, name });
			x += w;
		}
		const height = Math.ceil(pane.height());
		this.look.theme = th;
		/** @param {Painter} p @param {(dy: number) => Painter} moved */
		const draw = (p, moved) => {
			p.text(4, 15, short(pane.name, 80) + (id === "map" ? `, ${short(this.object, 40)}, at ${timeText(this.look.at, this.look.unit)}` : ""), th.text);
			lines.forEach((l, i) => p.text(4, 31 + 15 * i, l, th.soft));
			pane.draw(moved(top));
			for (const e of entries) {
				p.rect(e.x, top + height + e.y + 6, 12, 12, e.colour);
				p.text(e.x + 16, top + height + e.y + 16, e.name, th.text);
			}
		};
		const total = top + height + y + 24;
		return { width, total, height, top, draw, done: () => { this.look.theme = look; } };
	}

	/** A panel as the text of an SVG file. @param {Shown} s @param {string} id */
	svg(s, id) {
		const x = this.picture(s, id), outer = new SVGPainter(x.width, x.total, THEMES.light.background);
		/** @type {SVGPainter | null} */
		let inner = null;
		x.draw(outer, () => inner = new SVGPainter(x.width, x.height, THEMES.light.background));
		x.done();
		if (inner) outer.out.push(`<g transform="translate(0 ${x.top})">${/** @type {SVGPainter} */ (inner).out.join("")}</g>`);
		return outer.toString();
	}

	/** A panel as a canvas. @param {Shown} s @param {string} id */
	png(s, id) {
		const x = this.picture(s, id), canvas = document.createElement("canvas");
		const outer = new CanvasPainter(canvas, x.width, x.total, 2), inner = document.createElement("canvas");
		outer.rect(0, 0, x.width, x.total, THEMES.light.background);
		x.draw(outer, () => new CanvasPainter(inner, x.width, x.height, 2));
		outer.c.drawImage(inner, 0, x.top, x.width, x.height);
		x.done();
		return canvas;
	}

	/** @param {Shown} s @param {string} id @param {"SVG" | "PNG"} format */
	save(s, id, format) {
		/** @param {Blob | null} b */
		const store = b => {
			if (!b) return;
			const a = document.createElement("a");
			a.href = URL.createObjectURL(b);
			a.download = `${s.run.meta.name}-${id}`.replace(/[^\w.-]+/g, "-").slice(-100) + "." + format.toLowerCase();
			a.click();
			setTimeout(() => URL.revokeObjectURL(a.href), 1000);
		};
		if (format === "SVG") store(new Blob([this.svg(s, id)], { type: "image/svg+xml" }));
		else this.png(s, id).toBlob(store, "image/png");
	}
}

/** Unpacks what an element holds: gzip in base64. @param {string} id @returns {Promise<Uint8Array>} */
async function unpack(id) {
	const text = byId(id).textContent || "", raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @type {Page | undefined} */
var krdlab;

(async () => {
	try {
		const head = JSON.parse(byId("data").textContent || "");
		for (const l of head.classes) {
			CLASSES.push(l.Name);
			CLASS_COLOURS.push(l.Colour);
		}
		const runs = [];
		for (let i = 0; i < head.runs.length; i++) runs.push(new Run(head.runs[i], await unpack("run" + i)));
		krdlab = new Page(runs, head.palette);
		byId("reading").remove();
		document.documentElement.dataset.ready = "yes";
	} catch (e) {
		byId("reading").textContent = "This page cannot be shown: " + e;
		throw e;
	}
})();
