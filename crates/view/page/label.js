// The label of an operation: inside its box, beside it, or as a flag where the operation must not be missed.

import { FAILING, UNPLACED, colorOf, extentOf, isFaded } from './box.js';
import { argumentsOf, cut, nameOf, visible, withoutChanges } from './call.js';
import { textOn } from './palette.js';
import { trackOf } from './timeline.js';

/** A call that is cut to fewer characters than this says less than its name. */
const CUT_MIN = 10;
/** Fewer characters of a name say nothing. */
const NAME_MIN = 4;
/** A box of this height has room for two lines. */
const TALL_MIN = 26;
/** More operations than this get no flags: they would hide the timeline. */
const FLAGS_MAX = 24;
/** A flag of this width says enough, if there is no more room to the right. */
const FLAG_MIN = 150;
/** About the width of a character. */
const CHARACTER = 6.2;

/**
 * The call in some characters: as it is, without what it changes, cut in its middle, or only its name.
 * @param {string} text
 * @param {number} characters
 */
export function labelIn(text, characters) {
  if (text.length <= characters) return text;
  const short = withoutChanges(text);
  const name = nameOf(short);
  if (short.length > characters && characters >= name.length + CUT_MIN && /\(\[[^[]*\]\)$/.test(short)) {
    // The first fields of a record say more than half of the first and half of the last.
    return `${cutAtEnd(`${name}(${argumentsOf(short)}`, characters - 1)})`;
  }
  if (short.length <= characters || characters >= CUT_MIN) return cut(short, characters);
  return cutAtEnd(name, characters);
}

/**
 * The call in one line, or in two: its name, and below it what tells it from others of that name.
 * @param {string} text
 * @param {number} characters  in a line
 * @param {boolean} isTall  whether there is room for two
 * @param {string} [lane]  whose call it is
 */
export function labelLines(text, characters, isTall, lane) {
  const below = argumentsOf(text, lane);
  const isOne = withoutChanges(text).length <= characters;
  if (isOne || !isTall || !below || characters < NAME_MIN) return [labelIn(text, characters)];
  return [cutAtEnd(nameOf(text), characters), cutAtEnd(below, characters)];
}

/**
 * @param {string} text
 * @param {number} characters
 */
function cutAtEnd(text, characters) {
  if (text.length <= characters) return text;
  return characters < NAME_MIN ? '' : `${text.slice(0, characters - 1)}…`;
}

/**
 * The call, if it fits: in the box in one line or two, or as it is beside a box that is too small for it.
 * @param {CanvasRenderingContext2D} context
 * @param {import('./draw.js').Picture} picture
 * @param {number} row
 * @param {number} top
 * @param {number} height
 * @param {(time: number) => number} x
 * @param {number} free  up to where nothing else is on this track
 * @param {Flag[]} flags  which no label runs into
 */
export function drawLabel(context, picture, row, top, height, x, free, flags) {
  const { timeline, width, theme, arrows } = picture;
  const { left, right, y, h } = extentOf(picture, row, top, height, x);
  const onTrack = flags.filter((flag) => flag.y === y + h / 2);
  if (h < 12 || onTrack.some((flag) => flag.row === row || (flag.left < right && flag.right > left))) return;
  const call = visible(timeline.text(row).slice(0, 400));
  const text = markOf(picture, row) + call;
  const room = roomIn(picture, row, top, height, x);
  // Arrows would strike it out.
  const next = onTrack.filter((flag) => flag.right > right).map((flag) => flag.left);
  const beside = arrows.length ? 0 : Math.min(free, width, ...next) - right - 10;
  const isWhole = text.length * CHARACTER <= room.width || context.measureText(text).width <= room.width;
  if (!isWhole && text.length * 3 < beside && context.measureText(text).width < beside) {
    context.fillStyle = markOf(picture, row) ? theme.red : theme.faint;
    context.fillText(text, right + 5, y + h / 2 + 0.5);
  } else drawInside(context, picture, row, call, room);
}

/** @typedef {{row: number, text: string, left: number, right: number, y: number}} Flag  the middle of its line is at y */

/**
 * Labels of what the violation is about: always there, whatever is beside the box. A call that fits into its box needs no flag.
 * @param {CanvasRenderingContext2D} context
 * @param {import('./draw.js').Picture} picture
 * @param {(time: number) => number} x
 * @returns {Flag[]}
 */
export function flagsOf(context, picture, x) {
  const { timeline, layout, view, width, failing, marked, status } = picture;
  const { start, end, thread } = timeline.columns;
  const rows = [...failing.filter((row) => status[row] === FAILING), ...marked];
  /** @type {Flag[]} */
  const flags = [];
  for (const row of rows.length <= FLAGS_MAX ? rows : []) {
    if (end[row] < view.from || start[row] > view.to) continue;
    const place = layout.places[thread[row]];
    const { track, number, at } = trackOf(timeline, row);
    const top = place.top + number * place.track;
    const { left, right, y, h } = extentOf(picture, row, top, place.track, x);
    const call = withoutChanges(visible(timeline.text(row).slice(0, 400)));
    const mark = markOf(picture, row);
    const long = context.measureText(mark + call).width;
    if (h >= 12 && long <= roomIn(picture, row, top, place.track, x).width) continue;
    const [before, after] = [track.rows[at - 1], track.rows[at + 1]];
    const free = [left - Math.max(layout.labels, before === undefined ? 0 : x(end[before])), Math.min(width, after === undefined ? width : x(start[after])) - right];
    const whole = [left - layout.labels, width - right];
    // What comes after it hides less than what leads to it.
    const isRight = free[1] >= long + 12 || (free[0] < long + 12 && (whole[1] >= Math.min(long + 12, FLAG_MIN) || whole[1] >= whole[0]));
    const size = Math.min(long, whole[isRight ? 1 : 0] - 12);
    const from = isRight ? right + 4 : left - size - 10;
    const flag = { row, text: size < long ? mark + labelIn(call, Math.floor(size / CHARACTER) - mark.length) : mark + call, left: from, right: from + size + 6, y: y + h / 2 };
    const isClear = flags.every((other) => other.y !== flag.y || flag.right < other.left || flag.left > other.right);
    if (size >= 24 && isClear) flags.push(flag);
  }
  return flags;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('./draw.js').Picture} picture
 * @param {Flag[]} flags
 */
export function drawFlags(context, { theme }, flags) {
  for (const { text, left, right, y } of flags) {
    context.fillStyle = theme.panel;
    context.globalAlpha = 0.92;
    context.beginPath();
    context.roundRect(left, y - 9, right - left, 18, 4);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = theme.red;
    context.fillText(text, left + 3, y + 0.5);
  }
}

/**
 * What stands before the call: whether it fails, or may be wrong.
 * @param {import('./draw.js').Picture} picture
 * @param {number} row
 */
function markOf({ status, marked }, row) {
  return status[row] === FAILING ? '✗ ' : marked.has(row) ? '! ' : '';
}

/**
 * The part of a box that is in sight, for its label.
 * @param {import('./draw.js').Picture} picture
 * @param {number} row
 * @param {number} top
 * @param {number} height
 * @param {(time: number) => number} x
 */
function roomIn(picture, row, top, height, x) {
  const { left, right, y, h } = extentOf(picture, row, top, height, x);
  const from = Math.max(left, picture.layout.labels) + 5;
  return { from, width: Math.min(right, picture.width) - from - 4, y, h };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {import('./draw.js').Picture} picture
 * @param {number} row
 * @param {string} call
 * @param {{from: number, width: number, y: number, h: number}} room
 */
function drawInside(context, picture, row, call, { from, width, y, h }) {
  const { timeline, theme, status } = picture;
  if (width < 14) return;
  const isFitting = (/** @type {string[]} */ lines) => lines.every((line) => context.measureText(line).width <= width);
  const mark = markOf(picture, row);
  const linesOf = (/** @type {number} */ share) => labelLines(call, Math.floor((width * share) / CHARACTER) - mark.length, h >= TALL_MIN, timeline.thread(row)).map((line, at) => (at ? line : mark + line));
  // Characters differ in width: what is too long in fact is cut shorter.
  const lines = [1, 0.85, 0.7].map(linesOf).find(isFitting) ?? [''];
  if (lines[0].length < mark.length + 2) return;
  const isOpen = status[row] === UNPLACED || timeline.isPending(row);
  const step = 12;
  const first = y + h / 2 + 0.5 - ((lines.length - 1) * step) / 2;
  if (timeline.isPending(row)) {
    context.fillStyle = theme.panel;
    context.fillRect(from - 2, y + 2, Math.max(...lines.map((line) => context.measureText(line).width)) + 4, h - 4);
  }
  context.fillStyle = isFaded(picture, row) ? theme.faint : isOpen ? theme.text : textOn(colorOf(picture, row));
  lines.forEach((line, at) => context.fillText(line, from, first + at * step));
}
