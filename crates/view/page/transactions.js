// Transactions that depend on each other in a cycle, drawn as one.

import { cut, visible } from './call.js';
import { el, svg } from './dom.js';

/** Half the width and half the height of a transaction's box. */
const HALF_WIDTH = 46;
const HALF_HEIGHT = 15;

/**
 * @param {import('./app.js').App} app
 * @param {any} violation
 */
export function cycleView(app, violation) {
  if (!violation.cycle) {
    const text = violation.read ?? `No order of commits explains all reads. Every choice fails for: ${violation.no_order.keys.join(', ')}`;
    return [el('p', {}, visible(text))];
  }
  const edges = violation.cycle.map(edgeOf);
  return [
    drawn(edges),
    el('ol', { class: 'list' }, edges.map((/** @type {Edge} */ { from, to, why }) => el('li', {}, el('b', {}, visible(from)), ' before ', el('b', {}, visible(to)), why && `: ${visible(why)}`))),
    contents(app, edges),
  ];
}

/**
 * What the transactions of the cycle did, if the trace is there.
 * @param {import('./app.js').App} app
 * @param {Edge[]} edges
 */
function contents(app, edges) {
  const { timeline } = app.facts;
  const rows = edges.flatMap(({ from }) => {
    const id = idOfTransaction(from);
    const row = id === null ? undefined : timeline?.rowById.get(id);
    return timeline && id !== null && row !== undefined ? [{ from, id, text: timeline.text(row) }] : [];
  });
  if (!rows.length) return null;
  return el('section', {}, el('h3', {}, 'What they did'), el('ul', { class: 'list' }, rows.map(({ from, id, text }) => el('li', {}, el('b', {}, visible(from)), ' ', app.inspector.link(id, text)))));
}

/**
 * The number of a transaction without a name of its own: `#3`.
 * @param {string} name
 */
export function idOfTransaction(name) {
  const match = /^#(\d+)$/.exec(name);
  return match ? Number(match[1]) : null;
}

/** @typedef {{from: string, to: string, why: string}} Edge */

/**
 * `t1 before t2: it read …`, with names for "it" and "the other".
 * @param {string} text
 * @returns {Edge}
 */
export function edgeOf(text) {
  const match = /^(.*?) before (.*?)(?:: ([^]*))?$/.exec(text);
  if (!match) return { from: text, to: '', why: '' };
  const [, from, to, why = ''] = match;
  // Not inside of quotes: those are keys and values. Who "wrote it" wrote a key.
  const named = why.split(/("(?:[^"\\]|\\.)*")/).map((part, at) => (at % 2 ? part : part.replace(/\bthe other\b/g, () => to).replace(/(?<!wrote )\bit\b/g, () => from)));
  return { from, to, why: named.join('') };
}

/**
 * Where the line from a point enters the box around another.
 * @param {{x: number, y: number}} box  its middle
 * @param {{x: number, y: number}} from
 */
export function borderPoint(box, from) {
  const [dx, dy] = [from.x - box.x, from.y - box.y];
  const share = Math.min(dx ? HALF_WIDTH / Math.abs(dx) : Infinity, dy ? HALF_HEIGHT / Math.abs(dy) : Infinity, 1);
  return { x: box.x + dx * share, y: box.y + dy * share };
}

/** @param {Edge[]} edges */
function drawn(edges) {
  const [width, height] = [560, 90 + 46 * Math.max(2, edges.length)];
  const [cx, cy, rx, ry] = [width / 2, height / 2, width / 2 - 120, height / 2 - 34];
  const at = (/** @type {number} */ index) => {
    const angle = (index / edges.length) * 2 * Math.PI - Math.PI / 2 + (edges.length === 2 ? Math.PI / 2 : 0);
    return { x: cx + rx * Math.cos(angle), y: cy + ry * Math.sin(angle) };
  };
  const parts = edges.flatMap((edge, index) => {
    const [a, b] = [at(index), at((index + 1) % edges.length)];
    const [mx, my] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    // To the outside of the cycle.
    const [nx, ny] = [(b.y - a.y) / length, -(b.x - a.x) / length];
    const bend = edges.length === 2 ? 70 : 34;
    const [qx, qy] = [mx + nx * bend, my + ny * bend];
    const [out, into] = [borderPoint(a, { x: qx, y: qy }), borderPoint(b, { x: qx, y: qy })];
    const label = svg('text', { x: mx + nx * bend * 0.72, y: my + ny * bend * 0.72 + 4, class: 'why' }, visible(cut(edge.why, 60)));
    label.append(svg('title', {}, visible(edge.why)));
    return [svg('path', { d: `M ${out.x} ${out.y} Q ${qx} ${qy} ${into.x} ${into.y}`, class: 'edge', 'marker-end': 'url(#arrow)' }), label];
  });
  const nodes = edges.map((edge, index) => {
    const { x, y } = at(index);
    return svg('g', { class: 'node' }, svg('rect', { x: x - HALF_WIDTH, y: y - HALF_HEIGHT, width: 2 * HALF_WIDTH, height: 2 * HALF_HEIGHT, rx: 8 }), svg('text', { x, y: y + 4 }, visible(cut(edge.from, 14))));
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'cycle', role: 'img', 'aria-label': `Cycle: ${edges.map(({ from }) => visible(from)).join(', ')}` },
    svg('defs', {}, svg('marker', { id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: 'auto' }, svg('path', { d: 'M 0 0 L 10 5 L 0 10 z' }))),
    parts,
    nodes,
  );
}
