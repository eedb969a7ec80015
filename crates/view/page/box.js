// One operation as a box: what its colour, filling and frame say. Its label is in label.js.

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
export function isFaded({ hits, timeline, status, view, marked }, row) {
  if (row === view.row || marked.has(row)) return false;
  return (hits !== null && !finds(hits, timeline, row)) || status[row] === UNREACHED;
}

/**
 * Where a box is on the canvas: at least two pixels wide, and cut off a little outside of the lanes.
 * @param {Picture} picture
 * @param {number} row
 * @param {number} top
 * @param {number} height
 * @param {(time: number) => number} x
 */
export function extentOf({ timeline, layout, width }, row, top, height, x) {
  const { start, end } = timeline.columns;
  const [left, right] = [x(start[row]), x(end[row])];
  return { left: Math.max(left, layout.labels - 4), right: Math.min(Math.max(right, left + 2), width + 4), y: top + 1, h: Math.max(3, height - 2) };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number} row
 * @param {number} top
 * @param {number} height
 * @param {(time: number) => number} x
 */
export function drawBox(context, picture, row, top, height, x) {
  const { timeline, theme, view, status, overlaps, hover, marked } = picture;
  const { left, right, y, h } = extentOf(picture, row, top, height, x);
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
    // A frame of two colours is seen on every hue, also on those near to red.
    for (const [color, width, out] of /** @type {[string, number, number][]} */ ([[theme.panel, 2, -1], [theme.red, 3, 1.5]])) {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      context.roundRect(left - out, y - out, right - left + 2 * out, h + 2 * out, radius + out);
      context.stroke();
    }
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
  context.globalAlpha = 1;
  if (timeline.isAborted(row)) {
    context.strokeStyle = theme.text;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, y + h / 2);
    context.lineTo(right, y + h / 2);
    context.stroke();
  }
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
