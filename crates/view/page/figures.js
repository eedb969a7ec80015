// What the check cost and covered, as tables.

import { visible } from './call.js';
import { grouped } from './clock.js';
import { el } from './dom.js';

/** @type {[string, string][]} */
const FIGURES = [
  ['input', 'input'], ['id', 'history'], ['model', 'model'], ['config', 'configuration'], ['consistency', 'consistency'],
  ['ops', 'operations'], ['pending', 'pending'], ['aborted', 'left out'], ['threads', 'threads'], ['seconds', 'seconds'],
  ['peak_bytes', 'peak memory (bytes)'], ['configurations', 'configurations'], ['frontier_max', 'alive at most'],
  ['model_steps', 'steps of the model'], ['partitions', 'parts'], ['decided_by', 'decided by'], ['replayed', 'steps replayed'],
  ['distinct', 'distinct states'], ['generated', 'states generated'], ['depth', 'depth'], ['matrices', 'matrices'],
  ['executions', 'runs'], ['rerun', 'again'],
  ['program', 'program'], ['schedules', 'schedules'], ['interleavings', 'different interleavings'], ['steps', 'steps at most'],
  ['waiting_points', 'places where a thread may wait'],
];

/** @param {import('./story.js').Facts} facts */
export function figuresView({ evidence: all, words }) {
  const evidence = { ...all, ...all.test };
  const shown = FIGURES.filter(([name]) => evidence[name] !== null && evidence[name] !== undefined && evidence[name] !== 0);
  const text = (/** @type {any} */ value) => (typeof value === 'number' ? grouped(Math.round(value * 1e4) / 1e4) : visible(String(value).slice(0, 2000)));
  return [
    el('dl', { class: 'figures' }, shown.map(([name, title]) => [el('dt', {}, name === 'ops' ? `${words.operation}s` : name === 'threads' && evidence.command !== 'mc' ? `${words.thread}s` : title), el('dd', {}, text(evidence[name]))])),
    listed('In no schedule a thread waited at', evidence.never_waited),
    listed('Not controlled', evidence.outside),
    coverage(evidence.coverage?.map((/** @type {any} */ one) => [one.action, one.generated, one.place]), 'steps'),
    coverage(evidence.spec?.actions?.map((/** @type {any} */ one) => [one.action, one.placed, one.at]), 'operations placed'),
    coverage(evidence.log?.actions?.map((/** @type {any} */ one) => [one.action, one.taken, one.at]), 'steps'),
    evidence.keys?.length > 0 && el('table', { class: 'plain' }, el('thead', {}, el('tr', {}, el('th', {}, 'key'), el('th', {}, 'verdict'), el('th', {}, 'operations'))), el('tbody', {}, evidence.keys.slice(0, 500).map((/** @type {any} */ one) => el('tr', {}, el('td', { class: 'mono' }, visible(String(one.key))), el('td', {}, visible(one.verdict)), el('td', {}, grouped(one.ops)))))),
    evidence.inferred && el('dl', { class: 'figures' }, Object.entries(evidence.inferred.levels).map(([name, level]) => [el('dt', {}, visible(name)), el('dd', {}, visible(String(level)))])),
  ];
}

/**
 * @param {string} title
 * @param {string[] | undefined} lines
 */
function listed(title, lines) {
  if (!lines?.length) return null;
  return [el('p', {}, title), el('ul', { class: 'list' }, lines.slice(0, 100).map((line) => el('li', { class: 'mono' }, visible(line))))];
}

/**
 * @param {[string, number, string][] | undefined} actions
 * @param {string} what
 */
function coverage(actions, what) {
  if (!actions?.length) return null;
  const most = Math.max(1, ...actions.map(([, count]) => count));
  return el(
    'table',
    { class: 'plain' },
    el('thead', {}, el('tr', {}, el('th', {}, 'action'), el('th', {}, what), el('th', {}, ''), el('th', {}, 'defined'))),
    el('tbody', {}, actions.map(([name, count, place]) => {
      const bar = el('span', { class: count ? 'bar' : 'bar none' });
      bar.style.width = `${(count / most) * 120}px`;
      return el('tr', {}, el('td', { class: 'mono' }, visible(name)), el('td', {}, grouped(count)), el('td', {}, bar), el('td', { class: 'mono faint' }, visible(place)));
    })),
  );
}
