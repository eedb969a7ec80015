// A run of a component: who ran when, where threads were switched and what they returned, with the serial runs that come nearest.

import { visible } from './call.js';
import { counted } from './clock.js';
import { el } from './dom.js';
import { columnName } from './grid.js';
import { laneName } from './story.js';
import { sourceOf } from './text_panel.js';

/** A run with more accesses than this is shown without those in the middle of long turns: so many are shown at their ends. */
const ACCESSES_MAX = 40;
const TURN_BEGIN = 2;
const TURN_END = 4;

/**
 * The interleaving, with serial runs beside it.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
export function scheduleView(app, run) {
  return [
    why(run),
    crash(app, run),
    el('div', { class: 'beside' }, interleaving(app, run), nearestSerialRuns(app, run)),
    run.races.length > 0 && el('section', {}, el('h3', {}, 'Data races'), run.races.map((/** @type {string[]} */ accesses) => el('ul', { class: 'list' }, accesses.map((access) => el('li', { class: 'mono' }, visible(access)))))),
    run.memory_error.length > 0 && el('pre', {}, visible(run.memory_error.join('\n')).replaceAll('⏎', '\n')),
    el('p', { class: 'faint' }, `found as ${visible(run.found)}${run.matrix === run.found ? '' : `, shrunk to ${visible(run.matrix)}`}`),
    run.schedule && el('p', { class: 'faint' }, 'to repeat it: ', el('code', {}, visible(`--matrix '${run.matrix}' --schedule '${run.schedule}'`))),
  ];
}

/**
 * Of a run that crashed, what one looks for first: what it printed, and the functions that it was in.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
export function crash(app, run) {
  const [output, stack] = [(run.output ?? '').trim(), run.stack ?? []];
  if (!output && !stack.length) return null;
  // The innermost line of which the source is at hand is nearest to the mistake.
  const source = stack.map((/** @type {string} */ line) => sourceOf(app.scene, line.split(' in ')[0])).find((/** @type {any} */ one) => one !== null);
  return el(
    'section',
    { class: 'crash', 'aria-label': 'Crash' },
    output && [el('h3', {}, 'It printed'), el('pre', {}, visible(output).replaceAll('⏎', '\n'))],
    stack.length > 0 && [el('h3', {}, 'It crashed in'), el('ol', { class: 'list mono' }, stack.map((/** @type {string} */ line) => el('li', {}, visible(line))))],
    source,
  );
}

/**
 * One column per thread, calls and returns in order, switches with the line of source between them.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
export function interleaving(app, run) {
  const named = [...run.events, ...(run.accesses ?? [])].map((/** @type {any} */ one) => String(one.thread));
  const threads = [...new Set([...named, ...run.switches.flatMap((/** @type {any} */ one) => [String(one.from), String(one.to)])])].sort();
  const ops = operationsOfEvents(run);
  const rows = momentsOf(run).map((moment) => {
    switch (moment.kind) {
      case 'switch':
        return switchRow(app, moment.one, threads);
      case 'access':
        return accessRow(moment.one, threads);
      case 'left out':
        return el('tr', {}, el('td', { colspan: threads.length, class: 'faint' }, `… ${counted(moment.one, 'step')} without a switch`));
      default:
        return eventRow(app, run, moment.one, ops[run.events.indexOf(moment.one)], threads);
    }
  });
  const table = el('table', { class: 'schedule' }, el('thead', {}, el('tr', {}, threads.map((thread) => el('th', { scope: 'col' }, visible(laneName(app.facts.words, thread)))))), el('tbody', {}, rows));
  table.style.minWidth = `${threads.length * 8}rem`;
  return el('div', { class: 'gridscroll', tabindex: 0, 'aria-label': 'Interleaving' }, table);
}

/** @typedef {{kind: 'event' | 'switch' | 'access' | 'left out', one: any}} Moment  what is left out is a number */

/**
 * Calls, returns, accesses to shared memory and switches in the order in which they happened. Of a long run the middles of long turns are left out.
 * @param {any} run
 * @returns {Moment[]}
 */
export function momentsOf(run) {
  const accesses = run.accesses ?? [];
  const isLong = accesses.length > ACCESSES_MAX;
  /** @type {Moment[]} */
  const moments = [];
  for (let at = 0; at <= run.events.length; at++) {
    const isHere = (/** @type {any} */ one) => Math.min(one.after_events, run.events.length) === at;
    const between = [
      ...run.switches.filter(isHere).map((/** @type {any} */ one) => ({ kind: 'switch', one })),
      ...accesses.filter(isHere).map((/** @type {any} */ one) => ({ kind: 'access', one })),
    ];
    // A switch stands before the step that it leads to: sorting keeps the order of equals.
    between.sort((a, b) => a.one.step - b.one.step);
    moments.push(...(isLong ? withoutMiddles(between) : between));
    if (run.events[at]) moments.push({ kind: 'event', one: run.events[at] });
  }
  return moments;
}

/**
 * @param {Moment[]} moments
 * @returns {Moment[]}
 */
function withoutMiddles(moments) {
  /** @type {Moment[]} */
  const kept = [];
  /** The last moment before those that are left out. */
  let before = -1;
  moments.forEach((moment, at) => {
    const isNear = (/** @type {number} */ from, /** @type {number} */ to) => moments.slice(Math.max(0, from), to).some(({ kind }) => kind === 'switch');
    const isEdge = at < TURN_BEGIN || at >= moments.length - TURN_END || isNear(at - TURN_BEGIN, at) || isNear(at + 1, at + 1 + TURN_END);
    if (moment.kind !== 'access' || moment.one.stale || isEdge) {
      // Steps without an access are none of the moments, and are left out with the others.
      const leftOut = before < 0 ? 0 : moment.one.step - moments[before].one.step - 1;
      if (leftOut > 0 && moment.kind === 'access') kept.push({ kind: 'left out', one: leftOut });
      before = at;
      kept.push(moment);
    }
  });
  return kept;
}

/**
 * The operation of each call and return: a thread makes its calls one after the other.
 * @param {any} run
 * @returns {any[]}
 */
export function operationsOfEvents(run) {
  /** @type {Map<string, any[]>} */
  const left = new Map();
  for (const op of run.operations) left.set(String(op.thread), [...(left.get(String(op.thread)) ?? []), op]);
  return run.events.map((/** @type {any} */ event) => {
    const ops = left.get(String(event.thread)) ?? [];
    return 'return' in event ? ops.shift() : ops[0];
  });
}

/**
 * The serial runs that come nearest: what the calls would have to return.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
function nearestSerialRuns(app, run) {
  const shown = run.serial_runs ?? [];
  if (!shown.length) return null;
  const total = run.serial_histories;
  return el(
    'section',
    { class: 'serial', 'aria-label': 'Serial runs' },
    el('h3', {}, shown.length < total ? `The nearest of ${total} serial runs` : total === 1 ? 'The only serial run' : `All ${total} serial runs`),
    shown.map((/** @type {any} */ serial, /** @type {number} */ at) => {
      const differing = serial.calls.filter((/** @type {any} */ call) => !call.same).length;
      const kept = serial.keeps_order ? '' : 'in another order than observed, and ';
      return el(
        'article',
        {},
        el('p', { class: 'letters' }, `${columnName(at)} — ${kept}${differing ? `${counted(differing, 'call')} came out otherwise` : 'with the same results'}`),
        el('ol', { class: 'calls' }, serial.calls.map((/** @type {any} */ call) => serialCall(app, run, call))),
      );
    }),
  );
}

/**
 * @param {import('./app.js').App} app
 * @param {any} run
 * @param {any} call
 */
function serialCall(app, run, call) {
  const op = run.operations.find((/** @type {any} */ one) => one.id === call.op);
  return el(
    'li',
    { class: call.same ? 'same' : 'other' },
    el('button', { type: 'button', class: 'plain', onclick: () => op && app.selectId(op.id) }, el('span', { class: 'faint' }, `${visible(laneName(app.facts.words, call.thread))} `), visible(call.text.slice(0, 300))),
    !call.same && el('span', { class: 'here' }, op ? ` here: ${visible(op.text.slice(0, 300))}` : ' here it was not called'),
  );
}

/** @param {any} run */
function why(run) {
  const what = {
    results: 'Every call returned, but no serial run gives these results.',
    stuck: 'Calls are stuck where no serial run is stuck.',
    crash: 'It crashed where no serial run crashes.',
    crash_alone: 'It crashed.',
    race: 'Two accesses race.',
    blocked: 'Calls are stuck, and none may block.',
    specification: 'The specification does not allow this run.',
  };
  const why = run.why;
  return el('p', {}, what[/** @type {'race'} */ (why.type)] ?? visible(why.type), why.call && [' ', el('code', {}, visible(why.call))], why.signal && ` (${visible(why.signal)})`, ` ${counted(run.preemptions, 'preemption')}; ${counted(run.serial_histories, 'serial run')} to compare with.`);
}

/**
 * @param {import('./app.js').App} app
 * @param {any} run
 * @param {any} event
 * @param {any} op
 * @param {string[]} threads
 */
function eventRow(app, run, event, op, threads) {
  const isReturn = 'return' in event;
  const isBad = isReturn && op && run.unexplained.includes(op.id);
  const result = event.result === '()' || event.result === '' ? '' : ` = ${event.result}`;
  const text = isReturn ? `${event.return}${result}` : event.call;
  const isSelected = op && app.view.row >= 0 && app.facts.timeline?.columns.id[app.view.row] === op.id;
  const cell = el('td', { class: `${isReturn ? 'return' : 'begin'} ${isBad ? 'bad' : ''} ${isSelected ? 'selected' : ''}` }, el('button', { type: 'button', class: 'plain', onclick: () => op && app.selectId(op.id) }, isReturn ? '◂ ' : '▸ ', visible(text.slice(0, 300))));
  return el('tr', {}, threads.map((thread) => (thread === String(event.thread) ? cell : el('td', {}))));
}

/**
 * @param {any} access
 * @param {string[]} threads
 */
function accessRow(access, threads) {
  const place = access.place?.split(' in ')[0];
  const cell = el('td', { class: access.stale ? 'access stale' : 'access' }, access.name && [el('b', { class: 'mono' }, visible(access.name.slice(0, 200))), ' '], visible(access.text.slice(0, 300)), place && el('span', { class: 'faint', title: visible(access.place.slice(0, 1000)) }, ` ${visible(place.split('/').at(-1) ?? '')}`));
  return el('tr', {}, threads.map((thread) => (thread === String(access.thread) ? cell : el('td', {}))));
}

/**
 * @param {import('./app.js').App} app
 * @param {any} one
 * @param {string[]} threads
 */
function switchRow(app, one, threads) {
  const place = one.place?.split(' in ')[0];
  const source = sourceOf(app.scene, place);
  const { words } = app.facts;
  return el(
    'tr',
    { class: one.preemption ? 'switch preempted' : 'switch' },
    el('td', { colspan: threads.length }, el('span', {}, visible(`${laneName(words, one.from)} ${one.preemption ? 'is interrupted' : 'stops'}, ${laneName(words, one.to)} goes on`)), source ? null : place && el('span', { class: 'mono faint' }, ` at ${visible(place)}`), source),
  );
}
