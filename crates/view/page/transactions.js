// Transactions that depend on each other in a cycle, drawn as one, with what each of them did.

import { cut, keyOf, topParts, visible } from './call.js';
import { counted } from './clock.js';
import { el, svg } from './dom.js';

/** How many accesses a box shows, and how many characters of each; the tooltip and the list below have all. */
const SHOWN_ACCESSES = 6;
const ACCESS_MAX = 30;
const LINE = 15;
const CHARACTER_WIDTH = 6.7;
/** How many characters of a reason stand at its arrow. */
const REASON_MAX = 46;

/**
 * @typedef {{from: string, to: string, why: string}} Edge
 * @typedef {{name: string, id: number | null, accesses: string[], aborted: boolean, leftOut: number}} Member  a transaction of the cycle
 * @typedef {{x: number, y: number, w: number, h: number}} Box  its middle, half its width and half its height
 */

/**
 * @param {import('./app.js').App} app
 * @param {any} violation
 */
export function cycleView(app, violation) {
  const members = membersOf(app.facts);
  const edges = /** @type {Edge[]} */ ((violation.cycle ?? []).map(edgeOf));
  const text = violation.read ?? (violation.no_order ? `No order of commits explains all reads. Every choice fails for: ${violation.no_order.keys.join(', ')}` : null);
  return [
    text !== null && el('p', {}, visible(text)),
    edges.length > 0 && drawn(app, edges, members),
    edges.length > 0 && el('ol', { class: 'list' }, edges.map(({ from, to, why }) => el('li', {}, el('b', {}, visible(from)), ' before ', el('b', {}, visible(to)), why && `: ${visible(why)}`))),
    contents(app, edges.length ? edges.flatMap(({ from }) => members.get(from) ?? []) : [...members.values()]),
    anomalies(app.facts.evidence.isolation),
  ];
}

/**
 * The transactions that the evidence tells about, by name. Of older evidence those that are one operation of the trace.
 * @param {import('./story.js').Facts} facts
 * @returns {Map<string, Member>}
 */
export function membersOf({ evidence, timeline }) {
  /** @type {Map<string, Member>} */
  const members = new Map();
  for (const { name, ops, aborted = false, left_out: leftOut = 0 } of evidence.isolation?.transactions ?? []) {
    members.set(name, { name, id: ops[0]?.id ?? null, accesses: ops.flatMap((/** @type {any} */ op) => topParts(op.text)), aborted, leftOut });
  }
  for (const { from } of (evidence.violation?.cycle ?? []).map(edgeOf)) {
    const id = idOfTransaction(from);
    const row = id === null ? undefined : timeline?.rowById.get(id);
    if (timeline && row !== undefined && !members.has(from)) members.set(from, { name: from, id, accesses: topParts(timeline.text(row)), aborted: false, leftOut: 0 });
  }
  return members;
}

/**
 * What transactions did.
 * @param {import('./app.js').App} app
 * @param {Member[]} members
 */
function contents(app, members) {
  if (!members.length) return null;
  const did = (/** @type {Member} */ { id, accesses, aborted, leftOut }) => {
    const text = visible(accesses.join(', ').slice(0, 2000));
    const isShown = id !== null && app.facts.timeline?.rowById.has(id);
    return [isShown ? app.inspector.link(/** @type {number} */ (id), text) : el('span', { class: 'mono' }, text), leftOut > 0 && ` and ${counted(leftOut, 'operation')} more`, aborted && el('span', { class: 'faint' }, ' aborted')];
  };
  return el('section', {}, el('h3', {}, 'What they did'), el('ul', { class: 'list' }, members.map((member) => el('li', {}, el('b', {}, visible(member.name)), ' ', did(member)))));
}

/**
 * The anomalies by name, and the levels of isolation between which the history lies.
 * @param {any} isolation
 */
function anomalies(isolation) {
  if (!isolation?.anomalies?.length) return null;
  const levels = (/** @type {string} */ name, /** @type {string[] | undefined} */ found) => found?.length ? el('p', { class: 'faint' }, `${name}: ${found.join(', ')}`) : null;
  return el(
    'section',
    {},
    el('h3', {}, 'By name'),
    el('ul', { class: 'list' }, isolation.anomalies.map((/** @type {any} */ { name, text }) => el('li', {}, el('b', {}, visible(name)), ` ${visible(text)}`))),
    levels('Holds, at the most', isolation.strongest),
    levels('Violated, at the least', isolation.weakest_violated),
  );
}

/**
 * The number of a transaction without a name of its own: `#3`.
 * @param {string} name
 */
export function idOfTransaction(name) {
  const match = /^#(\d+)$/.exec(name);
  return match ? Number(match[1]) : null;
}

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
 * Where the line from a point enters a box.
 * @param {Box} box
 * @param {{x: number, y: number}} from
 */
export function borderPoint(box, from) {
  const [dx, dy] = [from.x - box.x, from.y - box.y];
  const share = Math.min(dx ? box.w / Math.abs(dx) : Infinity, dy ? box.h / Math.abs(dy) : Infinity, 1);
  return { x: box.x + dx * share, y: box.y + dy * share };
}

/**
 * The lines of a box: the accesses, each with whether an arrow of the cycle is about its key.
 * @param {Member | undefined} member
 * @param {Edge[]} edges  those that begin or end at it
 */
export function linesOf(member, edges) {
  if (!member) return [];
  const isAbout = (/** @type {string} */ access) => keyOf(access) !== '' && edges.some(({ why }) => why.split(/[\s,]+/).includes(keyOf(access)));
  const all = member.accesses.map((access) => ({ text: cut(access, ACCESS_MAX), isAbout: isAbout(access) }));
  // Of a long transaction rather what the cycle is about.
  const shown = all.length <= SHOWN_ACCESSES ? all : [...all.filter((one) => one.isAbout), ...all.filter((one) => !one.isAbout)].slice(0, SHOWN_ACCESSES - 1);
  const rest = all.length - shown.length + member.leftOut;
  return rest > 0 ? [...shown, { text: `… ${rest} more`, isAbout: false }] : shown;
}

/**
 * @param {import('./app.js').App} app
 * @param {Edge[]} edges
 * @param {Map<string, Member>} members
 */
function drawn(app, edges, members) {
  const lines = edges.map(({ from }, at) => linesOf(members.get(from), [edges[at], edges[(at + edges.length - 1) % edges.length]]));
  const halves = edges.map(({ from }, at) => {
    const longest = Math.max(8, cut(from, ACCESS_MAX).length, ...lines[at].map(({ text }) => text.length));
    return { w: (longest * CHARACTER_WIDTH + 22) / 2, h: 15 + (lines[at].length * LINE) / 2 };
  });
  const [widest, tallest] = [Math.max(...halves.map(({ w }) => w)), Math.max(...halves.map(({ h }) => h))];
  // Boxes stand on an ellipse, with room for the reasons: between two at one height, and outside of the others.
  const isPair = edges.length === 2;
  const [rx, ry] = isPair ? [widest + 95, 0] : [widest + 110, Math.max(tallest * 2 + 16, 30 * edges.length)];
  const margin = isPair ? 12 : 150;
  const [width, height] = [2 * (rx + widest + margin), 2 * (ry + tallest) + (edges.length % 2 && edges.length > 1 ? 110 : isPair ? 90 : 40)];
  /** @type {Box[]} */
  const boxes = edges.map((_, index) => {
    const angle = (index / edges.length) * 2 * Math.PI - (isPair ? Math.PI : Math.PI / 2);
    return { x: width / 2 + rx * Math.cos(angle), y: height / 2 - (edges.length % 2 ? 32 : 0) + ry * Math.sin(angle), ...halves[index] };
  });
  const arrows = edges.flatMap((edge, index) => dependencyArrow(edge, boxes[index], boxes[(index + 1) % edges.length]));
  const nodes = edges.map((edge, index) => node(app, members.get(edge.from), edge.from, boxes[index], lines[index]));
  const drawing = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'cycle', role: 'img', 'aria-label': `Cycle: ${edges.map(({ from }) => visible(from)).join(', ')}` },
    svg('defs', {}, svg('marker', { id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: 'auto' }, svg('path', { d: 'M 0 0 L 10 5 L 0 10 z' }))),
    arrows,
    nodes,
  );
  // The policy of the page allows no style in an attribute.
  /** @type {SVGElement} */ (drawing).style.maxWidth = `${Math.round(width * 1.1)}px`;
  return el('div', { class: 'cyclescroll', tabindex: 0, 'aria-label': 'Cycle of transactions' }, drawing);
}

/**
 * An arrow with its reason, bent to the outside of the cycle.
 * @param {Edge} edge
 * @param {Box} a
 * @param {Box} b
 */
function dependencyArrow({ why }, a, b) {
  // Between two boxes at one height it goes above or below both, where its reason has room.
  const bend = Math.abs(a.y - b.y) < 1 ? Math.max(a.h, b.h) + 34 : 30;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [nx, ny] = [(b.y - a.y) / length, -(b.x - a.x) / length];
  const [mx, my] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
  const control = { x: mx + nx * bend * 1.3, y: my + ny * bend * 1.3 };
  const [out, into] = [borderPoint(a, control), borderPoint(b, control)];
  const [tx, ty] = [(out.x + 2 * control.x + into.x) / 4, (out.y + 2 * control.y + into.y) / 4];
  const side = nx > 0.25 ? 'start' : nx < -0.25 ? 'end' : 'middle';
  const label = svg('text', { x: tx + nx * (side === 'middle' ? 8 : 18), y: ty + (side === 'middle' ? ny * 8 + (ny > 0 ? 8 : 0) : 4), class: `why ${side}` }, visible(cut(why, REASON_MAX)));
  label.append(svg('title', {}, visible(why)));
  return [svg('path', { d: `M ${out.x} ${out.y} Q ${control.x} ${control.y} ${into.x} ${into.y}`, class: 'edge', 'marker-end': 'url(#arrow)' }), label];
}

/**
 * @param {import('./app.js').App} app
 * @param {Member | undefined} member
 * @param {string} name
 * @param {Box} box
 * @param {{text: string, isAbout: boolean}[]} lines
 */
function node(app, member, name, { x, y, w, h }, lines) {
  const top = y - h + 19;
  const element = svg(
    'g',
    { class: 'node' },
    svg('rect', { x: x - w, y: y - h, width: 2 * w, height: 2 * h, rx: 8 }),
    svg('text', { x, y: lines.length ? top : y + 4, class: 'name' }, visible(cut(name, ACCESS_MAX)), member?.aborted && ' aborted'),
    lines.map(({ text, isAbout }, at) => svg('text', { x, y: top + (at + 1) * LINE, class: isAbout ? 'access about' : 'access' }, visible(text))),
    svg('title', {}, visible(`${name}: ${member ? member.accesses.join(', ').slice(0, 2000) : ''}`)),
  );
  const id = member?.id ?? null;
  if (id !== null) element.addEventListener('click', () => app.selectId(id));
  return element;
}
