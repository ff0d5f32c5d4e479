// The types that page.js is checked with: the figures of krd/plot as JSON, which TestTypes compares,
// and what is used of ECharts. They are not part of the page.

/** A figure, as krd/plot writes it. */
interface Figure {
  id: string;
  title: string;
  caption: string[];
  panels: Panel[];
  columns: number;
}

type Kind = 'lines' | 'stacked';

interface Panel {
  title?: string;
  note?: string;
  kind: Kind;
  x: Axis;
  y: Axis;
  series: Series[];
  rules?: Rule[];
  flipped?: boolean;
}

interface Axis {
  label: string;
  unit?: string;
  min: number;
  max: number;
  ticks: Tick[];
  turned?: boolean;
}

interface Tick {
  value: number;
  label: string;
}

interface Series {
  name: string;
  colour: string;
  style: number;
  marker?: string;
  dashes?: number[];
  apart?: boolean;
  dots?: boolean;
  points: Point[];
  legend?: string;
}

/** A point; numbers that were not measured are null. */
interface Point {
  x: number;
  at: string;
  y: number | null;
  low: number | null;
  high: number | null;
  x_low: number | null;
  x_high: number | null;
  apart?: boolean;
  n: number;
  label?: string;
  disturbed?: boolean;
  shade?: number;
  mark?: string;
  row?: number;
  from?: number;
}

interface Rule {
  name: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  dashed?: boolean;
  legend?: boolean;
}

/** A point whose value was measured. */
type Measured = Point & {y: number};

/** The colours and the room, in pixels, that a panel is drawn with. */
interface Look {
  ink: string;
  soft: string;
  width: number;
  height: number;
}

type XY = [number, number];

/** What ECharts hands to the functions that draw an item of a series of their own. */
interface Drawing {
  value(dimension: number): number;
  coord(data: XY): XY;
}

/** What ECharts hands to the functions that write labels and tooltips; data is as in the series. */
interface Pointed {
  data: {point: Measured, series: Series};
}

/** An object of ECharts's options, which are not checked. */
type Option = Record<string, unknown>;

interface Chart {
  setOption(option: Option, anew?: boolean): void;
  resize(): void;
}

interface Window {
  echarts: {init(place: HTMLElement, theme: null, how: {renderer: 'svg'}): Chart};
}
