// Transactions that depend on each other in a cycle, drawn as one.

import { cut, visible } from './call.js';
import { el, svg } from './dom.js';

/**
 * @param {any} violation
 */
export function cycleView(violation) {
  if (!violation.cycle) {
    const text = violation.read ?? `No order of commits explains all reads. Every choice fails for: ${violation.no_order.keys.join(', ')}`;
    return [el('p', {}, visible(text))];
  }
  const edges = violation.cycle.map(edgeOf);
  return [drawn(edges), el('ol', { class: 'list' }, violation.cycle.map((/** @type {string} */ text) => el('li', {}, visible(text))))];
}

/**
 * `t1 before t2: it read …`
 * @param {string} text
 */
export function edgeOf(text) {
  const match = /^(.*?) before (.*?)(?:: ([^]*))?$/.exec(text);
  return match ? { from: match[1], to: match[2], why: match[3] ?? '' } : { from: text, to: '', why: '' };
}

/** @param {{from: string, to: string, why: string}[]} edges */
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
    return [
      svg('path', { d: `M ${a.x} ${a.y} Q ${qx} ${qy} ${b.x} ${b.y}`, class: 'edge', 'marker-end': 'url(#arrow)' }),
      svg('text', { x: mx + nx * bend * 0.62, y: my + ny * bend * 0.62 + 4, class: 'why' }, visible(cut(edge.why, 44))),
    ];
  });
  const nodes = edges.map((edge, index) => {
    const { x, y } = at(index);
    return svg('g', { class: 'node' }, svg('rect', { x: x - 46, y: y - 15, width: 92, height: 30, rx: 8 }), svg('text', { x, y: y + 4 }, visible(cut(edge.from, 14))));
  });
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'cycle', role: 'img', 'aria-label': `Cycle: ${edges.map(({ from }) => visible(from)).join(', ')}` },
    svg('defs', {}, svg('marker', { id: 'arrow', viewBox: '0 0 10 10', refX: 52, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M 42 0 L 52 5 L 42 10 z' }))),
    parts,
    nodes,
  );
}
