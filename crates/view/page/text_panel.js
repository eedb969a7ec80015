// Texts that may be very long, and lines of source.

import { cut, visible } from './call.js';
import { el } from './dom.js';
import { covered, placeOf } from './place.js';

/** A longer text is cut until the reader asks for all of it. */
const SHOWN_MAX = 4_000;

/** Lines of source around a place. */
const LINES_BEFORE = 4;
const LINES_AFTER = 3;
const LINES_MAX = 24;

/**
 * A value in full, or its two ends with a button for the rest.
 * @param {string} text
 * @param {string} [className]
 */
export function longText(text, className = 'mono') {
  if (text.length <= SHOWN_MAX) return el('span', { class: className }, visible(text));
  const body = el('span', { class: className }, visible(cut(text, SHOWN_MAX)));
  const button = el('button', { class: 'link', type: 'button' }, `show all ${text.length.toLocaleString('en')} characters`);
  button.addEventListener('click', () => {
    body.textContent = visible(text);
    button.remove();
  });
  return el('span', {}, body, ' ', button);
}

/**
 * The source around a place such as `Queue.tla:12:5-12:20`; null if it was not embedded.
 * @param {import('./scene.js').Scene} scene
 * @param {string | null | undefined} text
 * @param {string} [marked]  what to mark where the place has no end
 */
export function sourceOf(scene, text, marked) {
  const place = placeOf(text);
  const source = place && scene.sources.find(({ file, first, lines }) => file === place.file && place.line >= first && place.line < first + lines.length);
  if (!place || !source) return null;
  if (marked && place.column && !place.lastColumn && !/[\r\n]/.test(marked)) place.lastColumn = place.column - 1 + [...marked].length;
  const from = Math.max(source.first, place.line - LINES_BEFORE);
  const to = Math.min(source.first + source.lines.length, place.lastLine + 1 + LINES_AFTER, place.line + LINES_MAX);
  const rows = source.lines.slice(from - source.first, to - source.first).map((line, at) => {
    const number = from + at;
    const part = covered(place, number, line);
    const isIt = number >= place.line && number <= place.lastLine;
    return el(
      'div',
      { class: isIt ? 'line marked' : 'line' },
      el('span', { class: 'number', 'aria-hidden': 'true' }, number),
      part ? withMark([...line], part) : el('span', {}, visible(line)),
    );
  });
  const caption = `${place.file.split('/').pop()}:${place.line}${place.lastLine > place.line ? `–${place.lastLine}` : ''}`;
  return el('figure', { class: 'source' }, el('figcaption', { title: visible(place.file) }, visible(caption)), el('div', { class: 'code', tabindex: 0, role: 'group', 'aria-label': `Source ${visible(caption)}` }, rows));
}

/**
 * @param {string[]} characters
 * @param {[number, number]} part
 */
function withMark(characters, [from, to]) {
  const text = (/** @type {string[]} */ some) => visible(some.join(''));
  return el('span', {}, text(characters.slice(0, from)), el('mark', {}, text(characters.slice(from, to))), text(characters.slice(to)));
}
