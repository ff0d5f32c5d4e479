// Draws the charts of a page with Apache ECharts, for pointing and zooming. The page is whole without it: any failure leaves the drawings as
// they are. Its types are in types.d.ts.
'use strict';
(async () => {
  // A page with charts has the elements that these look up.
  /** @param {string} id */
  const byID = id => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @param {Element} element @param {string} selector */
  const within = (element, selector) => /** @type {Element} */ (element.querySelector(selector));
  /** @type {Record<string, Figure>} */
  const figures = JSON.parse(byID('charts').textContent);
  if (!window.DecompressionStream || !window.IntersectionObserver) return;

  const bytes = Uint8Array.from(atob(byID('echarts').textContent.trim()), c => c.charCodeAt(0));
  const script = document.createElement('script');
  script.textContent = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  document.head.append(script);
  const echarts = window.echarts;

  /** @param {string} name */
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  /** @param {string} hex */
  const colour = hex => css('--c' + hex.slice(1).toUpperCase()) || hex;
  /** @param {unknown} s */
  const escape = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
  /** @param {number | null} v */
  const significant = v => v === null ? 'n/a' : Number(v.toPrecision(4)).toString();
  /** @param {Point} p @returns {p is Measured} */
  const measured = p => p.y !== null;

  // tip is the text at the pointer for the point p of the series s.
  /** @param {Panel} panel @param {Series} s @param {Point} p */
  const tip = (panel, s, p) => {
    const unit = panel.y.unit ? ' ' + panel.y.unit : '';
    const lines = ['<b>' + escape(s.name) + '</b>', escape(panel.x.label.split(';')[0]) + ': ' + escape(p.at),
      escape(panel.y.label) + ': <b>' + significant(p.y) + '</b>' + escape(unit)];
    if (p.low !== null && p.high !== null) lines.push('interval: ' + significant(p.low) + '–' + significant(p.high) + escape(unit));
    return [...lines, 'n = ' + escape(p.n) + (p.disturbed ? ', disturbed' : '')].join('<br/>');
  };

  // axis is an axis with the ticks of the figure; a label that is longer than room has two lines.
  /** @param {Axis} a @param {number} gap @param {number} room */
  const axis = (a, gap, room) => {
    const labels = new Map(a.ticks.map(t => [t.value, t.label]));
    return {
      type: 'value', min: a.min, max: a.max, name: a.label.length * 6.4 > room ? a.label.replace(/([;,]) /, '$1\n') : a.label, nameLocation: 'middle', nameGap: gap, splitLine: {show: false},
      nameTextStyle: {color: css('--ink'), lineHeight: 14}, axisLine: {show: true, lineStyle: {color: css('--soft')}, onZero: false},
      axisTick: {customValues: a.ticks.map(t => t.value)},
      axisLabel: {customValues: a.ticks.filter(t => t.label).map(t => t.value), color: css('--ink'), hideOverlap: !a.turned,
        ...(a.turned ? {rotate: 35, width: 110, overflow: /** @type {const} */ ('truncate')} : {}),
        formatter: /** @param {number} v */ v => labels.get(v) || significant(v)},
    };
  };

  // bars draws the intervals of points, in both directions.
  /** @param {Panel} panel @param {string} name @param {Measured[]} points @param {string} paint */
  const bars = (panel, name, points, paint) => ({
    type: 'custom', name, silent: true, clip: true, tooltip: {show: false}, itemStyle: {color: paint}, z: 3,
    data: points.filter(p => p.low !== null).map(p => [p.x, p.y, p.low, p.high, p.x_low, p.x_high]),
    renderItem: /** @param {unknown} _ @param {Drawing} api */ (_, api) => {
      const [x, y, low, high, left, right] = [0, 1, 2, 3, 4, 5].map(i => api.value(i));
      /** @param {XY} a @param {XY} b */
      const line = (a, b) => ({type: 'line', shape: {x1: a[0], y1: a[1], x2: b[0], y2: b[1]}, style: {stroke: paint, lineWidth: 1.2}});
      /** @param {number} v */
      const inside = v => Math.max(panel.y.min, Math.min(panel.y.max, v));
      const children = [line(api.coord([x, inside(low)]), api.coord([x, inside(high)]))];
      if (Number.isFinite(left) && Number.isFinite(right)) children.push(line(api.coord([left, y]), api.coord([right, y])));
      return {type: 'group', children};
    },
  });

  // lines are the series of a panel; a point beyond the axis is at its end, with its value.
  /** @param {Panel} panel */
  const lines = panel => panel.series.flatMap(s => {
    const paint = colour(s.colour), points = (s.points || []).filter(measured);
    /** @param {Measured} p */
    const item = p => {
      const y = Math.max(panel.y.min, Math.min(panel.y.max, p.y)), text = y !== p.y ? (p.y > y ? '↑ ' : '↓ ') + significant(p.y) : p.label || '';
      return {value: [p.x, y], point: p, label: {show: text !== '', formatter: text.replace(/[{}]/g, '')},
        ...(p.disturbed ? {itemStyle: {color: css('--back'), borderColor: paint, borderWidth: 1.5}} : {})};
    };
    const look = {name: s.name, symbol: 'path://' + s.marker, symbolSize: 12, itemStyle: {color: paint}, z: 4, clip: false,
      label: {position: 'right', distance: 1, fontSize: 11, color: css('--soft')}, labelLayout: {hideOverlap: true},
      tooltip: {formatter: /** @param {Pointed} e */ e => tip(panel, s, e.data.point)}};
    const dashes = s.dashes && s.dashes.length ? s.dashes.map(d => 1.3 * d) : 'solid';
    const joined = s.apart ? [] : points.filter(p => !p.apart), alone = s.apart ? points : points.filter(p => p.apart);
    return [{...look, type: 'line', showAllSymbol: true, lineStyle: {color: paint, type: dashes, width: 1.6}, data: joined.map(item)},
      {...look, type: 'scatter', data: alone.map(item)}, bars(panel, s.name, points, paint)];
  });

  // stacked are bars on one another.
  /** @param {Panel} panel */
  const stacked = panel => panel.series.map(s => ({
    type: 'bar', name: s.name, stack: 'all', itemStyle: {color: colour(s.colour)}, barCategoryGap: '30%',
    tooltip: {formatter: /** @param {Pointed} e */ e => tip(panel, s, e.data.point)},
    data: s.points.filter(measured).map(p => ({value: [p.x, p.y], point: p})),
  }));

  // rules are the lines of reference.
  /** @param {Panel} panel */
  const rules = panel => ({
    type: 'line', data: [], silent: true, tooltip: {show: false}, markLine: {silent: true, symbol: 'none', animation: false,
      data: (panel.rules || []).map(r => [{coord: [r.x1, r.y1], lineStyle: {color: css('--soft'), type: r.dashed ? 'dashed' : 'solid', width: 1},
        label: {show: true, formatter: r.name.replace(/[{}]/g, ''), color: css('--soft'), fontSize: 11, position: r.x1 === r.x2 ? 'end' : 'insideEndTop'}},
      {coord: [r.x2, r.y2]}])},
  });

  /** @param {Panel} panel @param {number} width @param {number} height */
  const option = (panel, width, height) => {
    const names = [...new Set(panel.series.map(s => s.name))];
    const rows = names.length < 2 ? 0 : Math.ceil((names.join('').length * 7 + names.length * 45) / (width - 40));
    const turned = panel.x.turned ? 66 : 0, bottom = 62 + turned + 20 * rows, zoom = {type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false, preventDefaultMouseMove: false};
    return {
      animation: false, textStyle: {fontFamily: getComputedStyle(document.body).fontFamily}, aria: {enabled: true},
      grid: {left: 76, right: 24, top: 56, bottom, containLabel: false, outerBoundsMode: 'none'},
      legend: {show: names.length > 1, data: names, bottom: 0, textStyle: {color: css('--ink')}},
      xAxis: axis(panel.x, 26 + turned, width - 110), yAxis: axis(panel.y, 44, height - 56 - bottom),
      tooltip: {trigger: 'item', confine: true, backgroundColor: css('--panel'), borderColor: css('--line'), textStyle: {color: css('--ink')}},
      series: [...(panel.kind === 'stacked' ? stacked(panel) : lines(panel)), rules(panel)],
      dataZoom: [{...zoom, xAxisIndex: 0}, {...zoom, yAxisIndex: 0}],
      toolbox: {right: 8, top: 0, iconStyle: {borderColor: css('--soft')}, feature: {
        dataZoom: {filterMode: 'none', title: {zoom: 'zoom into a rectangle', back: 'zoom back'}}, restore: {title: 'whole figure'},
        saveAsImage: {title: 'save as SVG', backgroundColor: css('--back')}}},
    };
  };

  // shown has the charts of the element of a figure, each with its panel.
  /** @type {Map<Element, {chart: Chart, panel: Panel, place: HTMLElement}[]>} */
  const shown = new Map();
  /** @param {{chart: Chart, panel: Panel, place: HTMLElement}} c */
  const fill = ({chart, panel, place}) => chart.setOption(option(panel, place.clientWidth, place.clientHeight), true);
  /** @param {Element} element */
  const draw = element => {
    const figure = figures[element.id], box = document.createElement('div');
    box.className = 'charts';
    box.style.setProperty('--few', String(Math.min(2, figure.columns)));
    box.style.setProperty('--columns', String(figure.panels.length === 3 ? figure.columns : Math.min(2, figure.columns)));
    within(element, '.drawing').after(box);
    element.classList.add('live');
    shown.set(element, figure.panels.map(panel => {
      const cell = document.createElement('div'), place = document.createElement('div');
      for (const [text, name] of [[panel.title, 'panel'], [panel.note, 'panel note']]) {
        if (!text) continue;
        const line = document.createElement('p');
        line.className = name || '';
        line.textContent = text;
        cell.append(line);
      }
      place.className = panel.x.turned ? 'chart turned' : 'chart';
      cell.append(place);
      box.append(cell);
      const c = {chart: echarts.init(place, null, {renderer: 'svg'}), panel, place};
      fill(c);
      place.setAttribute('role', 'img');
      place.setAttribute('aria-label', figure.title + (panel.title ? ', ' + panel.title : '') + ', interactive; its numbers are in the table below');
      return c;
    }));
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'switch';
    const label = () => { button.textContent = element.classList.contains('live') ? 'Show as printed' : 'Show for pointing and zooming'; };
    button.addEventListener('click', () => {
      element.classList.toggle('live');
      label();
      redraw();
    });
    label();
    within(element, '.title').after(button);
  };
  const redraw = () => {
    for (const list of shown.values()) for (const c of list) if (c.place.clientWidth) {
      c.chart.resize();
      fill(c);
    }
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
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
