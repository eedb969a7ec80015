// A run of a component: who ran when, where threads were switched, and what they returned.

import { visible } from './call.js';
import { el } from './dom.js';
import { sourceOf } from './text_panel.js';

/**
 * The interleaving: one column per thread, calls and returns in order, switches with the line of source between them.
 * @param {import('./app.js').App} app
 * @param {any} run
 */
export function scheduleView(app, run) {
  const threads = [...new Set(run.events.map((/** @type {any} */ event) => String(event.thread)))].sort();
  const rows = [];
  for (let at = 0; at <= run.events.length; at++) {
    for (const one of run.switches.filter((/** @type {any} */ other) => other.after_events === at)) rows.push(switchRow(app, one, threads));
    const event = run.events[at];
    if (event) rows.push(eventRow(app, run, event, threads));
  }
  return [
    why(run),
    el(
      'div',
      { class: 'gridscroll', tabindex: 0, 'aria-label': 'Interleaving' },
      el('table', { class: 'schedule' }, el('thead', {}, el('tr', {}, threads.map((thread) => el('th', { scope: 'col' }, `thread ${visible(thread)}`)))), el('tbody', {}, rows)),
    ),
    run.races.length > 0 && el('section', {}, el('h3', {}, 'Data races'), run.races.map((/** @type {string[]} */ accesses) => el('ul', { class: 'list' }, accesses.map((access) => el('li', { class: 'mono' }, visible(access)))))),
    run.memory_error.length > 0 && el('pre', {}, visible(run.memory_error.join('\n')).replaceAll('⏎', '\n')),
    run.schedule && el('p', { class: 'faint' }, 'to repeat it: ', el('code', {}, visible(`--schedule "${run.schedule}"`))),
  ];
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
 * @param {string[]} threads
 */
function eventRow(app, run, event, threads) {
  const isReturn = 'return' in event;
  const op = run.operations.find((/** @type {any} */ one) => String(one.thread) === String(event.thread) && one.text.startsWith(event.call ?? event.return));
  const isBad = isReturn && op && run.unexplained.includes(op.id);
  const text = isReturn ? `${event.return} = ${event.result}` : event.call;
  const cell = el('td', { class: `${isReturn ? 'return' : 'begin'} ${isBad ? 'bad' : ''}` }, el('button', { type: 'button', class: 'plain', onclick: () => op && app.selectId(op.id) }, isReturn ? '◂ ' : '▸ ', visible(text.slice(0, 300))));
  return el('tr', {}, threads.map((thread) => (thread === String(event.thread) ? cell : el('td', {}))));
}

/**
 * @param {import('./app.js').App} app
 * @param {any} one
 * @param {string[]} threads
 */
function switchRow(app, one, threads) {
  const place = one.place?.split(' in ')[0];
  return el(
    'tr',
    { class: one.preemption ? 'switch preempted' : 'switch' },
    el('td', { colspan: threads.length }, el('span', {}, `${visible(String(one.from))} → ${visible(String(one.to))}${one.preemption ? ', interrupted' : ''}`), place && el('span', { class: 'mono faint' }, ` at ${visible(place)}`), sourceOf(app.scene, place)),
  );
}

/** @param {any} run */
export function matrixView(run) {
  return [
    el('div', { class: 'pair' }, run.lanes.map((/** @type {any} */ lane) => el('div', {}, el('h3', {}, visible(lane.name)), el('ol', {}, lane.calls.map((/** @type {string} */ call) => el('li', { class: 'mono' }, visible(call))))))),
    el('p', { class: 'faint' }, `found as ${visible(run.found)}, shrunk to ${visible(run.matrix)}`),
  ];
}
