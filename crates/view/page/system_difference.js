// How a system that was driven through a behaviour differs from it: what was expected, what was seen, and the action's definition.

import { visible } from './call.js';
import { el } from './dom.js';
import { longText } from './text_panel.js';
import { tlaText } from './value.js';

/**
 * In one sentence.
 * @param {any} difference
 */
export function differenceSentence({ step, action, differs, answer }) {
  const what = action ? `step ${step}, ${action.name}` : 'the initial state';
  if (answer) return `${what}: the system did not do it: ${answer}`;
  return `${what}: ${differs.length ? `${differs.join(', ')} is not what the specification allows` : 'the specification does not allow what was observed'}`;
}

/**
 * Expected and got side by side, what differs first.
 * @param {any} difference
 */
export function systemDifferenceView(difference) {
  const { expected, got, differs, allowed, answer, formula } = difference;
  const isDifferent = (/** @type {string} */ name) => differs.includes(name);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])].sort((a, b) => Number(isDifferent(b)) - Number(isDifferent(a)));
  const cell = (/** @type {any} */ values, /** @type {string} */ name) => el('td', {}, name in values ? longText(tlaText(values[name])) : 'unknown');
  const others = allowed ?? [];
  return el(
    'section',
    { class: 'reason', 'aria-label': 'Difference' },
    el('p', { class: 'conjunct' }, visible(differenceSentence(difference))),
    names.length > 0 &&
      el(
        'table',
        { class: 'difference' },
        el('thead', {}, el('tr', {}, ['', 'expected', ...others.map(() => 'or'), 'got'].map((title) => el('th', {}, title)))),
        el('tbody', {}, names.map((name) => el('tr', { class: isDifferent(name) ? 'fails' : '' }, el('th', {}, visible(name)), cell(expected, name), others.map((/** @type {any} */ one) => cell(one, name)), cell(got, name)))),
      ),
    answer && el('p', {}, 'The system said: ', longText(answer)),
    formula && el('pre', { class: 'formula' }, visible(formula)),
  );
}
