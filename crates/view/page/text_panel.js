// Texts that may be very long, and lines of source.

import { cut, visible } from './call.js';
import { el } from './dom.js';

/** A longer text is cut until the reader asks for all of it. */
const SHOWN_MAX = 4_000;

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
 * The source around a place such as `Queue.tla:12:5`; null if it was not embedded.
 * @param {import('./scene.js').Scene} scene
 * @param {string | null | undefined} place
 * @param {string} [marked]  a text of the line to mark
 */
export function sourceOf(scene, place, marked) {
  if (!place) return null;
  const match = /^(.*?):(\d+)(?::(\d+))?(?:[^\d].*)?$/.exec(place);
  if (!match) return null;
  const [, file, lineText] = match;
  const line = Number(lineText);
  const source = scene.sources.find(
    (one) => one.file === file && line >= one.first && line < one.first + one.lines.length,
  );
  if (!source) return null;
  const before = 4;
  const from = Math.max(source.first, line - before);
  const shown = source.lines.slice(from - source.first, line + 3 - source.first);
  const rows = shown.map((text, at) => {
    const number = from + at;
    const isIt = number === line;
    return el(
      'div',
      { class: isIt ? 'line marked' : 'line' },
      el('span', { class: 'number', 'aria-hidden': 'true' }, number),
      isIt && marked ? withMark(visible(text), marked) : el('span', {}, visible(text)),
    );
  });
  return el('figure', { class: 'source' }, el('figcaption', {}, visible(place)), el('div', { class: 'code' }, rows));
}

/**
 * @param {string} text
 * @param {string} marked
 */
function withMark(text, marked) {
  const at = text.indexOf(marked);
  if (at < 0) return el('span', {}, el('mark', {}, text.trimEnd()));
  return el('span', {}, text.slice(0, at), el('mark', {}, marked), text.slice(at + marked.length));
}
