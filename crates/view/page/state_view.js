// A state: in full, or as the difference to another one.

import { visible } from './call.js';
import { difference, parseState } from './difference.js';
import { el } from './dom.js';
import { longText } from './text_panel.js';

/** More changes than this are not listed one by one. */
const CHANGES_MAX = 200;

/**
 * The difference of two states, one change a line.
 * @param {string} before
 * @param {string} after
 */
export function differenceView(before, after) {
  const changes = difference(before, after);
  if (!changes.length) return el('p', { class: 'faint' }, 'no difference');
  const lines = changes.slice(0, CHANGES_MAX).map(({ path, before: was, after: is }) => {
    const kind = was === null ? 'added' : is === null ? 'removed' : 'changed';
    const sign = { added: '+', removed: '−', changed: '~' }[kind];
    return el(
      'li',
      { class: kind },
      el('span', { class: 'sign', 'aria-label': kind }, sign),
      path && el('span', { class: 'path' }, visible(path), ' '),
      was !== null && el('del', {}, longText(was)),
      was !== null && is !== null && ' → ',
      is !== null && el('ins', {}, longText(is)),
    );
  });
  const rest = changes.length - lines.length;
  return el('ul', { class: 'changes' }, lines, rest > 0 && el('li', {}, `${rest} more`));
}

/** A longer value is taken apart, one line for each of its parts. */
const LINE_MAX = 44;

/**
 * A state in full: one line per variable or key.
 * @param {string} state
 * @param {string | null} [before]  the changes to it are marked
 * @param {Set<string>} [first]  variables that come first
 */
export function fullView(state, before, first = new Set()) {
  const parsed = parseState(state);
  if (parsed.kind === 'leaf' || !parsed.entries.length) return el('div', { class: 'state' }, longText(state));
  const old = before ? parseState(before) : null;
  const isOld = (/** @type {import('./difference.js').Entry} */ { key, value }) =>
    !old || (old.kind === 'group' && old.entries.some((entry) => entry.key === key && entry.value.text === value.text));
  const rank = (/** @type {import('./difference.js').Entry} */ { key }) => (key !== null && first.has(key) ? 0 : 1);
  return entriesView([...parsed.entries].sort((a, b) => rank(a) - rank(b)), (entry) => (isOld(entry) ? '' : 'changed'));
}

/**
 * @param {import('./difference.js').Entry[]} entries
 * @param {(entry: import('./difference.js').Entry) => string} classOf
 * @returns {HTMLElement}
 */
function entriesView(entries, classOf) {
  const shown = entries.slice(0, CHANGES_MAX).map((entry) => {
    const { key, value } = entry;
    // Elements of sets and sequences stay whole: without keys their parts would run into each other.
    const isLong = key !== null && value.kind === 'group' && value.text.length > LINE_MAX && value.entries.length > 0;
    return el(
      'li',
      { class: classOf(entry) },
      key !== null && el('span', { class: 'path' }, visible(key), ' '),
      isLong ? entriesView(value.entries, () => '') : longText(value.text),
    );
  });
  const rest = entries.length - shown.length;
  return el('ul', { class: 'state' }, shown, rest > 0 && el('li', {}, `${rest} more`));
}

/**
 * The switch between the two forms.
 * @param {import('./app.js').App} app
 */
export function stateSwitch(app) {
  const button = (/** @type {'full' | 'diff'} */ form, /** @type {string} */ text) =>
    el('button', { type: 'button', 'aria-pressed': String(app.view.states === form), onclick: () => app.change({ states: form }) }, text);
  return el('span', { class: 'switch', role: 'group', 'aria-label': 'How states are shown' }, button('diff', 'difference'), button('full', 'full'));
}
