// Colours. Hue tells one thing at a time: the operation's name, its key, its result or its thread. Red is kept for the violation.

import { keyOf, nameOf, resultOf } from './call.js';

/** Eight hues that people with any colour vision can tell apart, for light and for dark backgrounds. */
const LIGHT = ['#3b6fb5', '#c98a00', '#17805f', '#8a5bb0', '#4aa3c7', '#9a6b3f', '#7d8f1f', '#c26aa0'];
const DARK = ['#6f9fe0', '#e0b040', '#4fbf9a', '#b493d8', '#7cc8e6', '#c9a07a', '#b3c04f', '#e39ac6'];

/** @typedef {'op' | 'key' | 'result' | 'thread'} Meaning */

/** @type {Meaning[]} */
export const MEANINGS = ['op', 'key', 'result', 'thread'];

/**
 * What colours tell, in the words of the story.
 * @param {Meaning} meaning
 * @param {import('./story.js').Words} words
 */
export function meaningName(meaning, words) {
  return { op: words.operation === 'line' ? 'event' : words.operation, key: 'first argument', result: 'result', thread: words.thread }[meaning];
}

/**
 * The hue of every call: its index in the palette, or -1 for grey. The most frequent values get hues.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {Meaning} meaning
 */
export function huesOf(timeline, meaning) {
  const of = meaning === 'key' ? keyOf : meaning === 'result' ? resultOf : nameOf;
  const names = meaning === 'thread' ? timeline.threads : timeline.calls.map(of);
  const column = meaning === 'thread' ? timeline.columns.thread : timeline.columns.call;
  /** @type {Map<string, number>} */
  const counts = new Map();
  const uses = new Float64Array(names.length);
  for (let row = 0; row < timeline.size; row++) uses[column[row]] += 1;
  names.forEach((name, at) => counts.set(name, (counts.get(name) ?? 0) + uses[at]));
  const ranked = [...counts.keys()].filter((name) => name !== '').sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1));
  // Names in alphabetical order keep their hues when counts change a little.
  const shown = ranked.slice(0, LIGHT.length).sort();
  const hue = new Map(shown.map((name, at) => [name, at]));
  const hues = Int8Array.from(names, (name) => hue.get(name) ?? -1);
  const legend = shown.map((name, at) => ({ name, hue: at, count: counts.get(name) ?? 0 }));
  const rest = ranked.length - shown.length;
  return { hues, legend, rest, meaning };
}

/**
 * How bright a colour looks, from 0 to 1, as the Web Content Accessibility Guidelines define it.
 * @param {string} color  `#rrggbb`
 */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * The contrast of two colours, from 1 to 21. Text is to have at least 4.5.
 * @param {string} one
 * @param {string} other
 */
export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** @type {Map<string, string>} */
const TEXT_ON = new Map();

/**
 * The colour of text on a colour: whichever of nearly black and white can be read better.
 * @param {string} color
 */
export function textOn(color) {
  const known = TEXT_ON.get(color);
  if (known) return known;
  const text = contrast(color, '#10131a') > contrast(color, '#ffffff') ? '#10131a' : '#ffffff';
  TEXT_ON.set(color, text);
  return text;
}

/**
 * The colours of a theme.
 * @param {boolean} isDark
 */
export function themeOf(isDark) {
  return isDark
    ? {
        hues: DARK, grey: '#8b95a3', text: '#e6e9ee', faint: '#8f99a8', line: '#2b313b', panel: '#14181f', lane: '#191e27',
        red: '#ff6b61', redSoft: 'rgba(255,107,97,.16)', select: '#f2f4f8', band: 'rgba(230,170,60,.14)', bandLine: '#d9a441',
      }
    : {
        hues: LIGHT, grey: '#8a929e', text: '#1b2230', faint: '#687283', line: '#dfe3ea', panel: '#ffffff', lane: '#f6f7fa',
        red: '#d1242f', redSoft: 'rgba(209,36,47,.10)', select: '#10131a', band: 'rgba(214,150,20,.13)', bandLine: '#b47b00',
      };
}
