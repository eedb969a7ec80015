// A run of a component: who ran when, where threads were switched and what they returned, with the serial runs that come nearest.

import { visible } from './call.js';
import { el } from './dom.js';
import { columnName } from './grid.js';
import { sourceOf } from './text_panel.js';

/**
 * The interleaving, with serial runs beside it.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
export function scheduleView(app, run) {
  return [
    why(run),
    el('div', { class: 'beside' }, interleaving(app, run), nearestSerialRuns(app, run)),
    run.races.length > 0 && el('section', {}, el('h3', {}, 'Data races'), run.races.map((/** @type {string[]} */ accesses) => el('ul', { class: 'list' }, accesses.map((access) => el('li', { class: 'mono' }, visible(access)))))),
    run.memory_error.length > 0 && el('pre', {}, visible(run.memory_error.join('\n')).replaceAll('⏎', '\n')),
    el('p', { class: 'faint' }, `found as ${visible(run.found)}${run.matrix === run.found ? '' : `, shrunk to ${visible(run.matrix)}`}`),
    run.schedule && el('p', { class: 'faint' }, 'to repeat it: ', el('code', {}, visible(`--matrix '${run.matrix}' --schedule '${run.schedule}'`))),
  ];
}

/**
 * One column per thread, calls and returns in order, switches with the line of source between them.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
function interleaving(app, run) {
  const threads = [...new Set(run.events.map((/** @type {any} */ event) => String(event.thread)))].sort();
  const ops = operationsOfEvents(run);
  const rows = [];
  for (let at = 0; at <= run.events.length; at++) {
    for (const one of run.switches.filter((/** @type {any} */ other) => other.after_events === at)) rows.push(switchRow(app, one, threads));
    if (run.events[at]) rows.push(eventRow(app, run, run.events[at], ops[at], threads));
  }
  return el(
    'div',
    { class: 'gridscroll', tabindex: 0, 'aria-label': 'Interleaving' },
    el('table', { class: 'schedule' }, el('thead', {}, el('tr', {}, threads.map((thread) => el('th', { scope: 'col' }, `thread ${visible(thread)}`)))), el('tbody', {}, rows)),
  );
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
        el('p', { class: 'letters' }, `${columnName(at)} — ${kept}${differing ? `${differing} call${differing === 1 ? '' : 's'} came out otherwise` : 'with the same results'}`),
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
    el('button', { type: 'button', class: 'plain', onclick: () => op && app.selectId(op.id) }, el('span', { class: 'faint' }, `${visible(String(call.thread))} `), visible(call.text.slice(0, 300))),
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
  return el('p', {}, what[/** @type {'race'} */ (why.type)] ?? visible(why.type), why.call && [' ', el('code', {}, visible(why.call))], why.signal && ` (${visible(why.signal)})`, ` ${run.preemptions} preemption${run.preemptions === 1 ? '' : 's'}; ${run.serial_histories} serial run${run.serial_histories === 1 ? '' : 's'} to compare with.`);
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
 * @param {import('./app.js').App} app
 * @param {any} one
 * @param {string[]} threads
 */
function switchRow(app, one, threads) {
  const place = one.place?.split(' in ')[0];
  const source = sourceOf(app.scene, place);
  return el(
    'tr',
    { class: one.preemption ? 'switch preempted' : 'switch' },
    el('td', { colspan: threads.length }, el('span', {}, `${visible(String(one.from))} → ${visible(String(one.to))}${one.preemption ? ', interrupted' : ''}`), source ? null : place && el('span', { class: 'mono faint' }, ` at ${visible(place)}`), source),
  );
}
