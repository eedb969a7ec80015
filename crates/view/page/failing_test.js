// A test that fails under some schedule: what failed, what it needs, and the turns of its threads.

import { visible } from './call.js';
import { el } from './dom.js';
import { crash, interleaving } from './schedule.js';
import { sourceOf } from './text_panel.js';

/**
 * @param {import('./app.js').App} app
 * @param {any} failing
 */
export function testView(app, failing) {
  return [
    el('p', {}, el('b', {}, visible(failing.failure))),
    failing.details.length > 0 && el('ul', { class: 'list' }, failing.details.map((/** @type {string} */ line) => el('li', { class: 'mono' }, visible(line)))),
    el('div', {}, sourceOf(app.scene, lineOf(failing.place))),
    waiting(app, failing),
    el('p', {}, visible(failing.needs_text)),
    decisions(app, failing),
    crash(app, failing),
    failing.switches.length + failing.accesses.length > 0 && interleaving(app, { ...failing, events: [], operations: [] }),
    el('p', { class: 'faint' }, 'to repeat it: ', el('code', {}, visible(failing.rerun))),
  ];
}

/**
 * The threads of a deadlock.
 * @param {import('./app.js').App} app
 * @param {any} failing
 */
function waiting(app, failing) {
  if (!failing.waiting.length) return null;
  return el('section', { 'aria-label': 'Waiting threads' }, el('h3', {}, 'Who waits where'), failing.waiting.map((/** @type {any} */ one) => [el('p', {}, visible(`${one.thread} waits ${placeText(one.place)}`)), one.stack.length > 1 && el('p', { class: 'faint' }, visible(`called at ${one.stack.slice(1, 9).join(', at ')}`)), sourceOf(app.scene, lineOf(one.place))]));
}

/**
 * The decisions that make the test fail, each with the line at which a thread stops.
 * @param {import('./app.js').App} app
 * @param {any} failing
 */
function decisions(app, failing) {
  if (!failing.decisions.length) return null;
  return el(
    'ol',
    { class: 'list', 'aria-label': 'Switches' },
    failing.decisions.map((/** @type {any} */ one) => el('li', {}, visible(`${one.from} stops ${placeText(one.place)}; ${one.to} goes on ${placeText(one.to_place)}`), sourceOf(app.scene, lineOf(one.place)))),
    failing.decisions_left_out > 0 && el('li', { class: 'faint' }, `… and ${failing.decisions_left_out} more`),
  );
}

/** @param {string | null | undefined} place */
function placeText(place) {
  return place ? `before ${place}` : 'at its beginning';
}

/**
 * The file and the line of a place: the innermost one of the project, if others are named before it.
 * @param {string | null | undefined} place
 */
function lineOf(place) {
  return place?.split(', called at ').at(-1)?.split(' ')[0];
}
