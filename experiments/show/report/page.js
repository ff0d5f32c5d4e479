// Draws the figures of the page again with Apache ECharts, for pointing and zooming. The page is whole without it: any failure leaves the
// drawings as they are. Its types are in types.d.ts.
'use strict';
(async () => {
  // A page with figures has the elements that these look up.
  /** @param {string} id */
  const byID = id => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @param {Element} element @param {string} selector */
  const within = (element, selector) => /** @type {Element} */ (element.querySelector(selector));
  /** @type {Record<string, Figure>} */
  const figures = JSON.parse(byID('charts').textContent);
  const packed = byID('echarts').textContent;
  if (!window.DecompressionStream || !window.IntersectionObserver) return;

  // load runs ECharts out of the page.
  const load = async () => {
    const bytes = Uint8Array.from(atob(packed.trim()), c => c.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
    const script = document.createElement('script');
    script.textContent = text;
    document.head.append(script);
    return window.echarts;
  };
  const echarts = await load();
  const dark = matchMedia('(prefers-color-scheme: dark)');
  /** @param {string} name */
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  /** @param {string} hex */
  const colour = hex => css('--c' + hex.slice(1).toUpperCase()) || hex;
  /** @param {unknown} s */
  const escape = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
  // short is a mean count, as in the drawings.
  /** @param {number} v */
  const short = v => v >= 10 || Number.isInteger(v) ? String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, '\u00a0') : v >= 0.1 ? v.toFixed(1) : String(Number(v.toPrecision(2)));
  // wrap breaks a text of 12 pixels into lines of about so many pixels at most.
  /** @param {string} text @param {number} width */
  const wrap = (text, width) => text.split('\n').flatMap(part => part.split(' ').reduce((lines, word) => {
    const line = lines.length ? lines[lines.length - 1] + ' ' + word : word;
    return lines.length && line.length * 6.4 <= width ? [...lines.slice(0, -1), line] : [...lines, word];
  }, /** @type {string[]} */ ([]))).join('\n');
  /** @param {number | null} v */
  const significant = (v, digits = 4) => v === null ? 'n/a' : Number(v.toPrecision(digits)).toString();
  /** @param {Point} p @returns {p is Measured} */
  const measured = p => p.y !== null;
  // say is what is shown of the point p of the series s.
  /** @param {Panel} panel @param {Series} s @param {Point} p */
  const say = (panel, s, p) => {
    const unit = panel.y.unit ? ' ' + panel.y.unit : '';
    const lines = ['<b>' + escape(s.name) + '</b>', escape(panel.x.label.split(';')[0]) + ': ' + escape(p.at),
      escape(panel.y.label) + ': <b>' + significant(p.y) + '</b>' + escape(unit)];
    if (p.low !== null && p.high !== null) lines.push('interval: ' + significant(p.low) + '–' + significant(p.high) + escape(unit));
    lines.push('n = ' + escape(p.n) + (p.disturbed ? ', disturbed' : ''));
    return lines.join('<br/>');
  };

  // axis is an axis with the ticks of the figure.
  /** @param {Axis} a @param {{ink: string, soft: string, gap: number, width: number}} look */
  const axis = (a, look) => {
    const labels = new Map(a.ticks.map(t => [t.value, t.label]));
    const named = a.ticks.filter(t => t.label !== '').map(t => t.value);
    return {
      type: 'value', min: a.min, max: a.max, name: wrap(a.label, look.width), nameLocation: 'middle', nameGap: look.gap,
      nameTextStyle: {color: look.ink, lineHeight: 14},
      axisLabel: {customValues: named, formatter: /** @param {number} v */ v => labels.has(v) ? labels.get(v) : significant(v), color: look.ink, hideOverlap: true},
      axisTick: {customValues: a.ticks.map(t => t.value)}, axisLine: {show: true, lineStyle: {color: look.soft}, onZero: false},
      splitLine: {show: false},
    };
  };

  /** @param {Panel} panel @param {Look} look */
  const reference = (panel, look) => ({
    type: 'line', name: '', data: [], silent: true, tooltip: {show: false},
    markLine: {
      silent: true, symbol: 'none', animation: false,
      data: (panel.rules || []).map(r => [
        {coord: [r.x1, r.y1], name: r.name, lineStyle: {color: look.soft, type: r.dashed ? 'dashed' : 'solid', width: 1},
          label: {show: true, formatter: r.name.replace(/[{}]/g, ''), color: look.soft, fontSize: 11, position: r.x1 === r.x2 ? 'end' : 'insideEndTop'}},
        {coord: [r.x2, r.y2]}]),
    },
  });

  /** @param {Axis} axis @param {number | null | undefined} v */
  const beyond = (axis, v) => v === null || v === undefined ? 0 : v > axis.max ? 1 : v < axis.min ? -1 : 0;

  // bars draws the intervals of a series, in both directions; one that goes on beyond the axis ends in an arrow.
  /** @param {Panel} panel @param {Series} s @param {string} paint */
  const bars = (panel, s, paint) => ({
    type: 'custom', name: s.name, silent: true, clip: true, tooltip: {show: false}, itemStyle: {color: paint}, z: 3,
    data: s.points.filter(p => p.y !== null && p.low !== null).map(p => [p.x, p.y, p.low, p.high, p.x_low, p.x_high]),
    renderItem: /** @param {unknown} _ @param {Drawing} api */ (_, api) => {
      const [x, y, low, high, left, right] = [0, 1, 2, 3, 4, 5].map(i => api.value(i));
      const style = {stroke: paint, lineWidth: 1.2, fill: null};
      /** @type {Option[]} */
      const children = [];
      /** @param {XY} a @param {XY} b */
      const line = (a, b) => children.push({type: 'line', shape: {x1: a[0], y1: a[1], x2: b[0], y2: b[1]}, style});
      /** @param {number} v */
      const inside = v => Math.max(panel.y.min, Math.min(panel.y.max, v));
      line(api.coord([x, inside(low)]), api.coord([x, inside(high)]));
      for (const v of [low, high]) {
        const end = api.coord([x, inside(v)]), sign = beyond(panel.y, v);
        if (sign) children.push({type: 'polygon', style: {fill: paint}, shape: {points: [end, [end[0] - 4, end[1] + 7 * sign], [end[0] + 4, end[1] + 7 * sign]]}});
        else line([end[0] - 3, end[1]], [end[0] + 3, end[1]]);
      }
      if (Number.isFinite(left) && Number.isFinite(right)) line(api.coord([left, y]), api.coord([right, y]));
      return {type: 'group', children};
    },
  });

  // labels are what is written beside points: once for those that lie together, at the rightmost.
  /** @param {Panel} panel @param {number} width @param {number} height */
  const labels = (panel, width, height) => {
    /** @type {{p: Point, x: number, y: number}[][]} */
    const groups = [];
    for (const s of panel.series || []) for (const p of s.points || []) {
      if (!p.label || p.y === null) continue;
      let own = [{p, x: (p.x - panel.x.min) / (panel.x.max - panel.x.min) * width, y: (p.y - panel.y.min) / (panel.y.max - panel.y.min) * height}];
      for (let i = groups.length - 1; i >= 0; i--) {
        const touch = groups[i].some(a => own.some(b => Math.hypot(a.x - b.x, a.y - b.y) < (a.p.label === b.p.label ? 30 : 14)));
        if (touch) own = [...groups.splice(i, 1)[0], ...own];
      }
      groups.push(own);
    }
    const order = [...new Set((panel.series || []).flatMap(s => (s.points || []).map(p => p.label)))];
    return new Map(groups.map(g => [g.reduce((a, b) => b.x > a.x ? b : a).p,
      [...new Set(g.map(a => a.p.label))].sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(', ')]));
  };

  /** @param {Panel} panel @param {Look} look */
  const lines = (panel, look) => {
    /** @type {Option[]} */
    const series = [];
    const written = labels(panel, look.width, look.height);
    for (const s of panel.series || []) {
      const paint = colour(s.colour), known = (s.points || []).filter(measured);
      const hollow = {color: css('--back'), borderColor: paint, borderWidth: 1.5};
      /** @param {Measured} p */
      const item = p => ({value: [p.x, p.y], point: p, ...(p.disturbed ? {itemStyle: hollow} : {})});
      const joined = s.apart ? [] : known.filter(p => !p.apart), alone = s.apart ? known : known.filter(p => p.apart);
      const shared = {name: s.name, symbol: 'path://' + s.marker, symbolSize: 12, itemStyle: {color: paint}, z: 4,
        label: {show: written.size > 0, position: 'right', distance: 1, fontSize: 11, color: look.soft, formatter: /** @param {Pointed} e */ e => written.get(e.data.point) || ''}, labelLayout: {hideOverlap: true},
        tooltip: {formatter: /** @param {Pointed} e */ e => say(panel, s, e.data.point)}};
      const line = {color: paint, type: s.dashes && s.dashes.length ? s.dashes.map(d => 1.3 * d) : 'solid', width: 1.6};
      series.push({...shared, type: 'line', showAllSymbol: true, lineStyle: line, data: joined.map(item)});
      if (alone.length) series.push({...shared, type: 'scatter', data: alone.map(item)});
      const cut = known.filter(p => beyond(panel.y, p.y));
      if (cut.length) series.push({...shared, type: 'scatter', clip: false, labelLayout: {moveOverlap: 'shiftX'},
        label: {...shared.label, show: true, position: 'right', formatter: /** @param {Pointed} e */ e => (e.data.point.y > panel.y.max ? '↑ ' : '↓ ') + significant(e.data.point.y, 3)},
        data: cut.map(p => ({...item(p), value: [p.x, p.y > panel.y.max ? panel.y.max : panel.y.min]}))});
      series.push(bars(panel, {...s, points: known}, paint));
    }
    return [...series, reference(panel, look)];
  };

  // stacked draws bars on one another at positions of a linear axis.
  /** @param {Panel} panel */
  const stacked = panel => {
    /** @type {Map<number, number>} */
    const base = new Map();
    const xs = [...new Set(panel.series.flatMap(s => s.points.map(p => p.x)))].sort((a, b) => a - b);
    const step = Math.min(1, ...xs.slice(1).map((x, i) => x - xs[i]));
    return panel.series.map(s => {
      const paint = colour(s.colour);
      return {
        type: 'custom', name: s.name, itemStyle: {color: paint}, encode: {x: 0, y: [1, 2]},
        tooltip: {formatter: /** @param {Pointed} e */ e => say(panel, s, e.data.point)},
        data: s.points.filter(measured).map(p => {
          const from = base.get(p.x) || 0;
          base.set(p.x, from + p.y);
          return {value: [p.x, from, from + p.y], point: p};
        }),
        renderItem: /** @param {unknown} _ @param {Drawing} api */ (_, api) => {
          const a = api.coord([api.value(0) - 0.35 * step, api.value(2)]), b = api.coord([api.value(0) + 0.35 * step, api.value(1)]);
          return {type: 'rect', shape: {x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1]}, style: {fill: paint}};
        },
      };
    });
  };

  /** @param {Panel} panel */
  const sum = panel => panel.series.flatMap(s => s.points.map(p => p.y || 0)).reduce((a, b) => a + b, 0);
  // heat shades a field by its share of the panel, on one scale for all panels of the figure, as the drawings do.
  /** @param {Panel} panel @param {Panel[]} panels */
  const heat = (panel, panels) => {
    /** @param {Measured} p @param {Panel} of */
    const share = (p, of) => sum(of) > 0 ? p.y / sum(of) : 0;
    const most = Math.max(...panels.flatMap(of => of.series.flatMap(s => s.points.filter(measured).map(p => share(p, of))))) || 1;
    return [{
      type: 'custom', encode: {x: 0, y: 1, value: 2},
      data: panel.series.flatMap((s, row) => s.points.filter(measured).map(p => ({value: [p.x, row, p.y], point: p, series: s}))),
      tooltip: {formatter: /** @param {Pointed} e */ e => say(panel, e.data.series, e.data.point)},
      renderItem: /** @param {unknown} _ @param {Drawing} api */ (_, api) => {
        const a = api.coord([api.value(0) - 0.5, api.value(1) + 0.5]), b = api.coord([api.value(0) + 0.5, api.value(1) - 0.5]);
        const shade = sum(panel) > 0 ? api.value(2) / sum(panel) / most : 0;
        const fill = 'rgb(' + [0x00, 0x72, 0xb2].map(c => Math.round(255 + shade * (c - 255))).join(',') + ')';
        return {type: 'rect', shape: {x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1]}, style: {fill, stroke: '#dddddd', lineWidth: 0.5},
          textContent: {style: {text: short(api.value(2)), fill: shade > 0.6 ? '#ffffff' : '#202020', fontSize: 11}}, textConfig: {position: 'inside'}};
      },
    }];
  };

  /** @param {Panel} panel @param {Panel[]} panels @param {number} width @param {number} height */
  const option = (panel, panels, width, height) => {
    const look = {ink: css('--c202020'), soft: css('--c606060')};
    const names = (panel.series || []).map(s => s.name), isHeat = panel.kind === 'heat';
    const rows = isHeat || names.length < 2 ? 0 : Math.ceil((names.join('').length * 7 + names.length * 45) / (width - 40));
    const bottom = 34 + 14 * wrap(panel.x.label, width - 90).split('\n').length + 20 * rows;
    const left = 48 + 14 * wrap(panel.y.label, height - 58 - bottom).split('\n').length;
    /** @type {Option} */
    const o = {
      animation: false, textStyle: {fontFamily: getComputedStyle(document.body).fontFamily}, aria: {enabled: true},
      grid: {left, right: 24, top: 58, bottom, containLabel: false, outerBoundsMode: 'none'},
      legend: {show: !isHeat && names.length > 1, data: [...new Set(names)], bottom: 0, textStyle: {color: look.ink}},
      xAxis: axis(panel.x, {...look, gap: 26, width: width - 90}), yAxis: axis(panel.y, {...look, gap: 44, width: height - 58 - bottom}),
      tooltip: {trigger: 'item', confine: true, backgroundColor: css('--panel'), borderColor: css('--line'), textStyle: {color: css('--ink')}},
    };
    if (isHeat) {
      o.series = heat(panel, panels);
    } else {
      o.series = panel.kind === 'stacked' ? stacked(panel) : lines(panel, {...look, width: width - left - 24, height: height - 58 - bottom});
      const zoom = {type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, preventDefaultMouseMove: false};
      o.dataZoom = [{...zoom, xAxisIndex: 0}, {...zoom, yAxisIndex: 0}];
      o.toolbox = {right: 8, top: 0, iconStyle: {borderColor: look.soft}, feature: {
        dataZoom: {filterMode: 'none', title: {zoom: 'zoom into a rectangle', back: 'zoom back'}}, restore: {title: 'whole figure'},
        saveAsImage: {title: 'save as PNG', backgroundColor: css('--back')}}};
    }
    return o;
  };

  // shown has the charts of the element of a figure, each with its panel.
  /** @type {Map<Element, {chart: Chart, panel: Panel, panels: Panel[], place: HTMLElement}[]>} */
  const shown = new Map();
  /** @param {Element} element */
  const draw = element => {
    const figure = figures[element.id], box = document.createElement('div');
    box.className = 'charts';
    box.style.setProperty('--few', String(Math.min(2, figure.columns)));
    box.style.setProperty('--columns', String(figure.panels.length === 3 ? figure.columns : Math.min(2, figure.columns)));
    within(element, '.drawing').after(box);
    element.classList.add('live');
    const list = figure.panels.map(panel => {
      const cell = document.createElement('div'), place = document.createElement('div');
      if (panel.title) {
        const title = document.createElement('p');
        title.className = 'panel';
        title.textContent = panel.title;
        cell.append(title);
      }
      if (panel.note) {
        const note = document.createElement('p');
        note.className = 'panel note';
        note.textContent = panel.note;
        cell.append(note);
      }
      place.className = 'chart';
      cell.append(place);
      box.append(cell);
      const chart = echarts.init(place, null, {renderer: 'svg'});
      chart.setOption(option(panel, figure.panels, place.clientWidth, place.clientHeight));
      place.setAttribute('role', 'img');
      place.setAttribute('aria-label', figure.title + (panel.title ? ', ' + panel.title : '') + ', interactive; its numbers are in the table below');
      return {chart, panel, panels: figure.panels, place};
    });
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'switch';
    const label = () => { button.textContent = element.classList.contains('live') ? 'Show as printed' : 'Show for pointing and zooming'; };
    button.addEventListener('click', () => {
      element.classList.toggle('live');
      label();
      for (const c of list) c.chart.resize();
    });
    label();
    within(element, 'h4').after(button);
    shown.set(element, list);
  };
  const redraw = () => {
    for (const list of shown.values()) for (const c of list) {
      if (!c.place.clientWidth) continue;
      c.chart.resize();
      c.chart.setOption(option(c.panel, c.panels, c.place.clientWidth, c.place.clientHeight), true);
    }
  };
  dark.addEventListener('change', redraw);
  let waiting = 0;
  addEventListener('resize', () => { clearTimeout(waiting); waiting = setTimeout(redraw, 150); });

  const near = new IntersectionObserver(entries => {
    for (const e of entries) if (e.isIntersecting && !shown.has(e.target)) {
      near.unobserve(e.target);
      draw(e.target);
    }
  }, {rootMargin: '600px'});
  for (const id of Object.keys(figures)) near.observe(byID(id));
})();
