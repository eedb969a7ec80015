// The view: everything that the reader has chosen, as one small value that is kept in the address.

import { focusText, parseFocus } from './focus.js';

/**
 * @typedef {object} View
 * @property {number} story
 * @property {number} from  the time at the left edge
 * @property {number} to  the time at the right edge
 * @property {number} scroll  lanes scrolled away, in pixels
 * @property {number} row  the selected operation, or -1
 * @property {number} path  the selected alternative, or -1
 * @property {number} step  the selected step: of a witness, a behaviour or a schedule; -1 for none
 * @property {import('./palette.js').Meaning} color
 * @property {string} search
 * @property {import('./arrows.js').ArrowChoice} arrows
 * @property {import('./focus.js').Assumption[]} focus
 * @property {'full' | 'diff'} states
 * @property {number} against  the alternative with which states are compared, or -1 for the state before
 * @property {number} state  the selected state of a graph, or -1
 * @property {string} tab  what is shown below the timeline; empty for the first
 */

/** @returns {View} */
export function emptyView() {
  return { story: 0, from: 0, to: 1, scroll: 0, row: -1, path: -1, step: -1, color: 'op', search: '', arrows: 'all', focus: [], states: 'diff', against: -1, state: -1, tab: '' };
}

/**
 * The view as the fragment of an address.
 * @param {View} view
 */
export function addressOf(view) {
  const parts = new URLSearchParams();
  if (view.story) parts.set('story', String(view.story));
  if (view.row >= 0) parts.set('op', String(view.row));
  if (view.path >= 0) parts.set('path', String(view.path));
  if (view.step >= 0) parts.set('step', String(view.step));
  parts.set('at', `${round(view.from)}_${round(view.to)}`);
  if (view.color !== 'op') parts.set('color', view.color);
  if (view.search) parts.set('find', view.search);
  if (view.arrows !== 'all') parts.set('arrows', view.arrows);
  if (view.focus.length) parts.set('focus', focusText(view.focus));
  if (view.states !== 'diff') parts.set('states', view.states);
  if (view.against >= 0) parts.set('against', String(view.against));
  if (view.state >= 0) parts.set('state', String(view.state));
  if (view.tab) parts.set('tab', view.tab);
  return `#${parts}`;
}

/** @param {number} time */
function round(time) {
  return Number(time.toPrecision(10));
}

/**
 * The view that an address asks for, on top of another one. What makes no sense is ignored.
 * @param {string} address
 * @param {View} base
 * @returns {View}
 */
export function viewOf(address, base) {
  const parts = new URLSearchParams(address.replace(/^#/, ''));
  const whole = (/** @type {string} */ name, /** @type {number} */ otherwise) => {
    const text = parts.get(name);
    return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
  };
  const view = { ...base };
  view.story = whole('story', base.story);
  view.row = whole('op', base.row);
  view.path = whole('path', base.path);
  view.step = whole('step', base.step);
  view.against = whole('against', base.against);
  view.state = whole('state', base.state);
  view.tab = (parts.get('tab') ?? base.tab).slice(0, 40);
  const [from, to] = (parts.get('at') ?? '').split('_').map(Number);
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) [view.from, view.to] = [from, to];
  const color = parts.get('color');
  if (color === 'op' || color === 'key' || color === 'result' || color === 'thread') view.color = color;
  view.search = parts.get('find') ?? base.search;
  const arrows = parts.get('arrows');
  if (arrows === 'all' || arrows === 'sees' || arrows === 'before' || arrows === 'none') view.arrows = arrows;
  if (parts.has('focus')) view.focus = parseFocus(parts.get('focus') ?? '');
  if (parts.get('states') === 'full') view.states = 'full';
  return view;
}

/**
 * The window zoomed by a factor around a moment, kept near the trace.
 * @param {View} view
 * @param {number} factor
 * @param {number} around
 * @param {{first: number, last: number}} limits
 */
export function zoomed(view, factor, around, limits) {
  const whole = limits.last - limits.first;
  const width = Math.min(Math.max((view.to - view.from) * factor, whole * 1e-12, 1e-3), whole * 1.2);
  const share = (around - view.from) / (view.to - view.from);
  return within({ from: around - share * width, to: around + (1 - share) * width }, limits);
}

/**
 * A window moved so that it shows some of the trace.
 * @param {{from: number, to: number}} window
 * @param {{first: number, last: number}} limits
 */
export function within(window, limits) {
  const width = window.to - window.from;
  const margin = Math.min(width, limits.last - limits.first) * 0.1;
  const from = Math.min(Math.max(window.from, limits.first - width + margin), limits.last - margin);
  return { from, to: from + width };
}

/**
 * The window that shows some rows with a margin.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number[]} rows
 */
export function framing(timeline, rows) {
  const { start, end } = timeline.columns;
  let [from, to] = [Infinity, -Infinity];
  for (const row of rows) {
    from = Math.min(from, start[row]);
    // A pending operation has no end to show.
    to = Math.max(to, timeline.isPending(row) ? start[row] : end[row]);
  }
  if (!(from <= to)) return { from: timeline.first, to: timeline.last };
  const margin = Math.max((to - from) * 0.12, (timeline.last - timeline.first) * 1e-9, 1e-3);
  return { from: from - margin, to: to + margin };
}
