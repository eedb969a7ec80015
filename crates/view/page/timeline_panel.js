// The timeline on the page: canvases, pointer and wheel. What is drawn is decided in draw.js.

import { ARROW_CHOICES } from './arrows.js';
import { UNPLACED, UNREACHED } from './box.js';
import { visible } from './call.js';
import { counted, duration, grouped } from './clock.js';
import { el, fill } from './dom.js';
import { drawTimeline } from './draw.js';
import { columnName } from './grid.js';
import { comfortableHeight, laneLayout, rowAtPoint } from './lanes.js';
import { drawOverview } from './overview.js';
import { MEANINGS, huesOf, meaningName } from './palette.js';
import { ABORTED, PENDING } from './scene.js';
import { dueOf, statusOf, surroundings } from './story.js';
import { finds, searchFor } from './search.js';
import { densityOf } from './timeline.js';
import { framing, within, zoomed } from './view.js';

const DENSITY_COLUMNS = 4096;
/** Fewer operations need no overview. */
const OVERVIEW_MIN = 30;

/** The timeline of the story that is shown. */
export class TimelinePanel {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.hover = -1;
    /** @type {ReturnType<typeof huesOf> | null} */
    this.colored = null;
    /** @type {string | null} */
    this.searched = null;
    this.isQueued = false;
    /** How long the last drawings took, for measurements. */
    this.drawn = { frames: 0, milliseconds: 0 };
    this.overview = /** @type {HTMLCanvasElement} */ (
      el('canvas', { class: 'overview', role: 'img' })
    );
    this.canvas = /** @type {HTMLCanvasElement} */ (
      el('canvas', { class: 'lanes', tabindex: 0, role: 'application', 'aria-describedby': 'announced' })
    );
    this.tip = el('div', { class: 'tip', role: 'tooltip', hidden: true });
    this.legend = el('div', { class: 'legend' });
    this.marked = el('span', { class: 'key marks' });
    this.search = /** @type {HTMLInputElement} */ (
      el('input', { type: 'search' })
    );
    this.count = el('span', { class: 'count', 'aria-live': 'polite' });
    this.color = /** @type {HTMLSelectElement} */ (
      el('select', { 'aria-label': 'Colour by' }, MEANINGS.map((value) => el('option', { value })))
    );
    this.arrows = /** @type {HTMLSelectElement} */ (
      el('select', { 'aria-label': 'Arrows' }, Object.entries(ARROW_CHOICES).map(([value, name]) => el('option', { value }, name)))
    );
    const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
      el('button', { type: 'button', title, onclick }, text);
    this.failure = button('go to the failure', 'f', () => app.frameFailure());
    this.whole = button('', '0', () => app.frameAll());
    this.box = el('div', { class: 'canvas' }, this.canvas, this.tip);
    this.element = el(
      'section',
      { class: 'timeline', 'aria-label': 'Timeline' },
      el('div', { class: 'tools' }, this.search, this.count, this.color, this.arrows, this.failure, this.whole),
      this.overview,
      this.box,
      this.legend,
    );
    this.listen();
  }

  /** Another story is shown. */
  open() {
    const { facts, view } = this.app;
    this.element.hidden = !facts.timeline;
    this.name(facts.words);
    if (!facts.timeline) return;
    this.density = densityOf(facts.timeline, DENSITY_COLUMNS);
    this.labels = Math.min(120, 22 + 6.6 * Math.max(...facts.timeline.threads.map((name) => name.length), 2));
    this.failure.hidden = !(facts.failing.size > 0);
    // A few lanes need little room, and many lanes get what there is: all of it if there is nothing else to show.
    const isAlone = facts.kind === 'trace';
    this.box.style.height = `min(${comfortableHeight(facts.timeline)}px, max(${isAlone ? 72 : 42}vh, 160px))`;
    this.overview.hidden = facts.timeline.size < OVERVIEW_MIN;
    this.search.value = view.search;
    this.color.value = view.color;
    this.arrows.value = view.arrows;
    this.arrows.hidden = !facts.sees.size && !facts.before.length;
    this.colored = null;
    this.searched = null;
    this.update();
  }

  /**
   * Names everything in the words of the story.
   * @param {import('./story.js').Words} words
   */
  name(words) {
    const { operation, thread, trace } = words;
    this.search.placeholder = `find ${operation === 'line' ? 'an event' : 'a call'}, ${thread} or field:value  ( / )`;
    this.search.setAttribute('aria-label', `Find ${operation}s`);
    this.canvas.setAttribute('aria-label', `Timeline: one lane per ${thread}`);
    this.overview.setAttribute('aria-label', `The whole ${trace}; drag to choose what the timeline shows`);
    this.whole.textContent = `whole ${trace}`;
    for (const option of this.color.options) option.textContent = `colour by ${meaningName(/** @type {import('./palette.js').Meaning} */ (option.value), words)}`;
  }

  /** The view has changed. */
  update() {
    const { facts, view } = this.app;
    const { timeline } = facts;
    if (!timeline) return;
    this.status = statusOf(facts, this.app.pathsInFocus());
    this.points = this.app.points();
    if (this.colored?.meaning !== view.color) {
      this.colored = huesOf(timeline, view.color);
      this.fillLegend();
    }
    this.marked.textContent = this.marks().join(' · ');
    if (this.searched !== view.search) {
      this.searched = view.search;
      this.hits = searchFor(timeline, view.search);
      this.count.textContent = this.hits ? `${grouped(this.hits.count)} found` : '';
      if (this.search.value !== view.search) this.search.value = view.search;
    }
    this.overlaps = new Set(view.row >= 0 ? timeline.overlaps(view.row, 1000) : []);
    this.queue();
  }

  /** Draws in the next frame, once. */
  queue() {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.draw();
    });
  }

  draw() {
    const { facts, view, theme } = this.app;
    const { timeline } = facts;
    if (!timeline || !this.colored || !this.density || !this.status || !this.overlaps) return;
    const began = performance.now();
    const { context, width, height } = sized(this.canvas);
    this.layout = laneLayout(timeline, height, this.labels ?? 80);
    view.scroll = Math.max(0, Math.min(view.scroll, this.layout.height - height));
    const due = dueOf(facts);
    drawTimeline(context, {
      timeline, layout: this.layout, view, width, height, status: this.status, colors: this.colored, theme,
      hits: this.hits ?? null, overlaps: this.overlaps, hover: this.hover, failing: facts.failingRows, marked: facts.markedRows, points: this.points ?? new Map(), arrows: this.app.arrows(),
      bands: this.app.story.bands, zero: Number.isFinite(due) ? due : timeline.first, unit: facts.unit, due,
      order: orderName(facts),
    });
    const strip = sized(this.overview);
    drawOverview(strip.context, {
      width: strip.width, height: strip.height, density: this.density, timeline, view, theme,
      bands: this.app.story.bands, due, labels: this.labels ?? 80, marked: facts.markedRows,
    });
    this.drawn.frames += 1;
    this.drawn.milliseconds += performance.now() - began;
  }

  fillLegend() {
    const { theme } = this.app;
    const { legend, rest } = this.colored ?? { legend: [], rest: 0 };
    const swatch = (/** @type {string} */ color) => {
      const box = el('span', { class: 'swatch', 'aria-hidden': 'true' });
      box.style.background = color;
      return box;
    };
    fill(
      this.legend,
      legend.map(({ name, hue, count }) =>
        el(
          'button',
          { type: 'button', class: 'key', title: `${counted(count, this.app.facts.words.operation)}; find them`, onclick: () => this.app.change({ search: name }) },
          swatch(theme.hues[hue]),
          visible(name.length > 40 ? `${name.slice(0, 39)}…` : name),
        ),
      ),
      rest > 0 && el('span', { class: 'key' }, swatch(theme.grey), `${grouped(rest)} more`),
      this.marked,
    );
  }

  /** What the marks say that occur here. */
  marks() {
    const { timeline, sees, before, kind, markedRows, paths } = this.app.facts;
    const { status, points } = this;
    const whose = kind !== 'witness' && paths.length > 1 ? `in ${columnName(this.app.view.path)}, ` : '';
    return [
      status?.includes(UNPLACED) && '□ not placed',
      timeline?.hasFlag(PENDING) && '▨ pending',
      timeline?.hasFlag(ABORTED) && '\u2014 failed, left out',
      markedRows.size > 0 && (kind === 'operation' && this.app.facts.evidence.violation?.rule ? '! breaks the rule, too' : '! may be wrong'),
      points !== undefined && points.size > 0 && `◆ ${kind === 'operation' && timeline?.isUntimed ? 'explained' : 'takes effect'} ${whose}${points.size > 1 ? '— in this order' : ''}`.trim(),
      sees.size > 0 && '→ is seen by',
      before.length > 0 && '⇢ happens before',
      kind !== 'trace' && status?.includes(UNREACHED) && 'pale: after the failure',
    ].filter((mark) => typeof mark === 'string');
  }

  /**
   * The next row that the search finds.
   * @param {number} direction
   */
  nextHit(direction) {
    const { timeline } = this.app.facts;
    if (!timeline || !this.hits) return -1;
    for (let step = 1, row = this.app.view.row; step <= timeline.size; step++) {
      row = (row + direction + timeline.size) % timeline.size;
      if (finds(this.hits, timeline, row)) return row;
    }
    return -1;
  }

  listen() {
    const { app, canvas, overview, search } = this;
    search.addEventListener('input', () => app.change({ search: search.value }));
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') app.select(this.nextHit(event.shiftKey ? -1 : 1), true);
      if (event.key === 'Escape') {
        app.change({ search: '' });
        canvas.focus();
      }
    });
    this.color.addEventListener('change', () => app.change({ color: /** @type {any} */ (this.color.value) }));
    this.arrows.addEventListener('change', () => app.change({ arrows: /** @type {any} */ (this.arrows.value) }));
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('dblclick', (event) => {
      const row = this.rowAt(event);
      if (row >= 0 && app.facts.timeline) app.show(framing(app.facts.timeline, surroundings(app.facts.timeline, row)));
    });
    canvas.addEventListener('pointerleave', () => this.point(-1, 0, 0));
    dragging(canvas, {
      click: (event) => app.select(this.rowAt(event), false),
      move: (event) => this.point(this.rowAt(event), event.offsetX, event.offsetY),
      drag: (dx, dy) => {
        const { timeline } = app.facts;
        if (!timeline) return;
        const shift = dx * this.perPixel();
        app.view.scroll -= dy;
        app.show(within({ from: app.view.from - shift, to: app.view.to - shift }, timeline));
      },
      pinch: (factor, x) => this.zoom(factor, x),
    });
    const goTo = (/** @type {PointerEvent} */ event) => {
      const { timeline } = app.facts;
      if (!timeline) return;
      const labels = this.labels ?? 80;
      const share = (event.offsetX - labels) / (overview.clientWidth - labels);
      const middle = timeline.first + share * (timeline.last - timeline.first);
      const half = (app.view.to - app.view.from) / 2;
      app.show(within({ from: middle - half, to: middle + half }, timeline));
    };
    dragging(overview, { click: goTo, drag: (_dx, _dy, event) => goTo(event), move: () => {}, pinch: () => {} });
    new ResizeObserver(() => this.queue()).observe(canvas);
  }

  perPixel() {
    const { view } = this.app;
    return (view.to - view.from) / Math.max(1, this.canvas.clientWidth - (this.labels ?? 80));
  }

  /**
   * @param {number} factor
   * @param {number} x
   */
  zoom(factor, x) {
    const { app } = this;
    const around = app.view.from + (x - (this.labels ?? 80)) * this.perPixel();
    if (app.facts.timeline) app.show(zoomed(app.view, factor, around, app.facts.timeline));
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const { app } = this;
    const isOverflowing = this.layout && this.layout.height > this.canvas.clientHeight + 1;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const shift = (event.deltaX || event.deltaY) * this.perPixel();
      if (app.facts.timeline) app.show(within({ from: app.view.from + shift, to: app.view.to + shift }, app.facts.timeline));
    } else if (isOverflowing && event.offsetX < (this.labels ?? 80)) {
      app.view.scroll += event.deltaY;
      this.queue();
    } else this.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0022), event.offsetX);
  }

  /** @param {MouseEvent} event */
  rowAt(event) {
    const { timeline } = this.app.facts;
    if (!timeline || !this.layout) return -1;
    return rowAtPoint(timeline, this.layout, this.app.view, this.canvas.clientWidth, event.offsetX, event.offsetY);
  }

  /**
   * The pointer is over an operation, or over none.
   * @param {number} row
   * @param {number} x
   * @param {number} y
   */
  point(row, x, y) {
    const { timeline, unit } = this.app.facts;
    if (row !== this.hover) {
      this.hover = row;
      this.queue();
    }
    this.tip.hidden = row < 0;
    if (row < 0 || !timeline) return;
    const { start, end } = timeline.columns;
    const length = timeline.isPending(row) ? 'never returned' : `took ${duration(end[row] - start[row], unit)}`;
    const text = timeline.text(row);
    fill(
      this.tip,
      el('b', {}, visible(text.length > 200 ? `${text.slice(0, 199)}…` : text)),
      el('div', {}, `${visible(timeline.thread(row))} · ${timeline.isUntimed ? 'no times' : length}`),
    );
    const left = Math.min(x + 14, this.canvas.clientWidth - this.tip.offsetWidth - 6);
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${y + 18 + this.tip.offsetHeight > this.canvas.clientHeight ? y - this.tip.offsetHeight - 8 : y + 18}px`;
  }
}

/**
 * In which order operations without times are drawn: lines of a log in that of the first explanation, which may differ from the log's.
 * @param {import('./story.js').Facts} facts
 */
function orderName({ words, timeline, paths }) {
  if (words.operation !== 'line') return 'no times were recorded: in the order of the input';
  const isAsLogged = timeline?.columns.id.every((id, row, ids) => row === 0 || ids[row - 1] < id);
  return isAsLogged ? 'in the order of the log' : `in the order of ${paths.length > 1 ? `explanation ${columnName(0)}` : 'the explanation'}`;
}

/**
 * A canvas with as many pixels as the screen has for it.
 * @param {HTMLCanvasElement} canvas
 */
function sized(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}

/**
 * Clicks, drags and pinches of an element.
 * @param {HTMLElement} element
 * @param {{click: (event: PointerEvent) => void, move: (event: PointerEvent) => void,
 *   drag: (dx: number, dy: number, event: PointerEvent) => void, pinch: (factor: number, x: number) => void}} on
 */
function dragging(element, on) {
  /** @type {Map<number, PointerEvent>} */
  const down = new Map();
  let moved = 0;
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    down.set(event.pointerId, event);
    moved = 0;
  });
  element.addEventListener('pointermove', (event) => {
    const before = down.get(event.pointerId);
    if (!before) return on.move(event);
    const [dx, dy] = [event.offsetX - before.offsetX, event.offsetY - before.offsetY];
    if (down.size === 2) {
      const other = [...down.values()].find(({ pointerId }) => pointerId !== event.pointerId) ?? before;
      const apart = (/** @type {PointerEvent} */ one) => Math.hypot(one.offsetX - other.offsetX, one.offsetY - other.offsetY);
      if (apart(event) > 1) on.pinch(apart(before) / apart(event), (event.offsetX + other.offsetX) / 2);
      moved = Infinity;
    } else {
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) on.drag(dx, dy, event);
    }
    down.set(event.pointerId, event);
  });
  const up = (/** @type {PointerEvent} */ event) => {
    if (down.delete(event.pointerId) && moved <= 4 && event.type === 'pointerup') on.click(event);
  };
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
}
