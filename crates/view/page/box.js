// One operation as a box: what its colour, filling and frame say, and its label if that fits.

import { cut, nameOf, visible } from './call.js';
import { textOn } from './palette.js';
import { finds } from './search.js';

/** What is known about an operation. */
export const PLACED = 0;
export const UNPLACED = 1;
export const FAILING = 2;
export const UNREACHED = 3;

/** @typedef {import('./draw.js').Picture} Picture */

/**
 * @param {Picture} picture
 * @param {number} row
 */
export function colorOf(picture, row) {
  const { colors, theme, timeline, status } = picture;
  if (status[row] === FAILING) return theme.red;
  const hue = colors.hues[colors.meaning === 'thread' ? timeline.columns.thread[row] : timeline.columns.call[row]];
  return hue < 0 ? theme.grey : theme.hues[hue];
}

/**
 * Whether an operation is not what the reader looks at: not found by the search, or not reached by the check.
 * @param {Picture} picture
 * @param {number} row
 */
export function isFaded({ hits, timeline, status, view }, row) {
  if (row === view.row) return false;
  return (hits !== null && !finds(hits, timeline, row)) || status[row] === UNREACHED;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number} row
 * @param {number} top
 * @param {number} height
 * @param {(time: number) => number} x
 * @param {number} free  up to where nothing else is on this track
 */
export function drawBox(context, picture, row, top, height, x, free) {
  const { timeline, theme, layout, view, width, status, overlaps, hover, marked } = picture;
  const { start, end } = timeline.columns;
  const [rawLeft, rawRight] = [x(start[row]), x(end[row])];
  const left = Math.max(rawLeft, layout.labels - 4);
  const right = Math.min(Math.max(rawRight, rawLeft + 2), width + 4);
  const [y, h] = [top + 1, Math.max(3, height - 2)];
  const color = colorOf(picture, row);
  const isHollow = status[row] === UNPLACED;
  const isPending = timeline.isPending(row);
  const isSelected = row === view.row;
  context.globalAlpha = isFaded(picture, row) ? 0.22 : 1;
  const radius = Math.min(4, h / 3, (right - left) / 2);
  context.beginPath();
  context.roundRect(left, y, right - left, h, isPending ? [radius, 0, 0, radius] : radius);
  if (isHollow) {
    context.fillStyle = theme.panel;
    context.fill();
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.stroke();
  } else {
    context.fillStyle = color;
    context.fill();
  }
  if (isPending) hatch(context, left, y, right, h, isHollow ? color : theme.panel);
  if (status[row] === FAILING) {
    context.strokeStyle = theme.red;
    context.lineWidth = 2;
    context.stroke();
  }
  if (marked.has(row)) {
    context.globalAlpha = 1;
    context.strokeStyle = theme.red;
    context.lineWidth = 2.5;
    context.beginPath();
    context.roundRect(left - 1, y - 1, right - left + 2, h + 2, radius + 1);
    context.stroke();
  }
  if (isSelected || row === hover || overlaps.has(row)) {
    context.globalAlpha = 1;
    context.strokeStyle = isSelected ? theme.select : theme.text;
    context.lineWidth = isSelected ? 2.5 : 1.25;
    context.setLineDash(isSelected || row === hover ? [] : [3, 2]);
    context.beginPath();
    context.roundRect(left - 1.5, y - 1.5, right - left + 3, h + 3, radius + 1.5);
    context.stroke();
    context.setLineDash([]);
  }
  const isPale = context.globalAlpha < 1;
  context.globalAlpha = 1;
  drawLabel(context, picture, row, left, right, y, h, isPale ? theme.faint : isHollow || isPending ? theme.text : textOn(color), free);
  if (timeline.isAborted(row)) {
    context.strokeStyle = theme.text;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, y + h / 2);
    context.lineTo(right, y + h / 2);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** A call that is cut to fewer characters than this says less than its name. */
const CUT_MIN = 10;
/** Fewer characters of a name say nothing. */
const NAME_MIN = 4;

/**
 * The call in some characters: as it is, cut in its middle, or only its name.
 * @param {string} text
 * @param {number} characters
 */
export function labelIn(text, characters) {
  if (text.length <= characters || characters >= CUT_MIN) return cut(text, characters);
  const name = nameOf(text);
  if (name.length <= characters) return name;
  return characters < NAME_MIN ? '' : `${name.slice(0, characters - 1)}…`;
}

/**
 * The call, if it fits: as it is, cut in its middle, or its name; or as it is beside a box that is too small for it.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number} row
 * @param {number} left
 * @param {number} right
 * @param {number} y
 * @param {number} h
 * @param {string} color
 * @param {number} free
 */
function drawLabel(context, { timeline, layout, width, status, theme, arrows, marked }, row, left, right, y, h, color, free) {
  const from = Math.max(left, layout.labels) + 5;
  const room = Math.min(right, width) - from - 4;
  if (h < 12) return;
  const characters = Math.floor(room / 6.2);
  const mark = status[row] === FAILING ? '✗ ' : marked.has(row) ? '! ' : '';
  const whole = visible(timeline.text(row).slice(0, 400));
  // Arrows would strike it out.
  const beside = arrows.length ? 0 : Math.min(free, width) - right - 10;
  if (whole.length > characters && whole.length * 3 < beside && context.measureText(mark + whole).width < beside) {
    context.fillStyle = mark ? theme.red : theme.faint;
    context.fillText(mark + whole, right + 5, y + h / 2 + 0.5);
    return;
  }
  if (room < 14) return;
  let text = mark + labelIn(whole, characters - mark.length);
  if (context.measureText(text).width > room) text = mark + labelIn(whole, Math.floor(characters * 0.8) - mark.length);
  if (text.length < mark.length + 2 || context.measureText(text).width > room) return;
  const isPending = timeline.isPending(row);
  if (isPending) {
    const wide = context.measureText(text).width;
    context.fillStyle = theme.panel;
    context.fillRect(from - 2, y + 2, wide + 4, h - 4);
  }
  context.fillStyle = color;
  context.fillText(text, from, y + h / 2 + 0.5);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} y
 * @param {number} right
 * @param {number} h
 * @param {string} color
 */
function hatch(context, left, y, right, h, color) {
  context.save();
  context.clip();
  context.strokeStyle = color;
  context.globalAlpha *= 0.55;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = Math.floor((left - h) / 7) * 7; at < right; at += 7) {
    context.moveTo(at, y + h);
    context.lineTo(at + h, y);
  }
  context.stroke();
  context.restore();
}
