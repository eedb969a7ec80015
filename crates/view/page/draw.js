// Drawing: a function from data and view to pixels. It keeps nothing between two calls.
//
// Cost: each visible track takes at most one step per pixel, found by binary search, whatever the number of operations.

import { cut, visible } from './call.js';
import { offsetText, tickStep } from './clock.js';
import { AXIS } from './lanes.js';
import { finds } from './search.js';
import { firstEndingAt, firstStartingAt } from './timeline.js';

/** What is known about an operation. */
export const PLACED = 0;
export const UNPLACED = 1;
export const FAILING = 2;
export const UNREACHED = 3;

const FONT = '12px ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif';

/**
 * @typedef {object} Picture
 * @property {import('./timeline.js').Timeline} timeline
 * @property {import('./lanes.js').LaneLayout} layout
 * @property {import('./view.js').View} view
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} status
 * @property {{hues: Int8Array, meaning: string}} colors
 * @property {ReturnType<typeof import('./palette.js').themeOf>} theme
 * @property {import('./search.js').Hits | null} hits
 * @property {Set<number>} overlaps
 * @property {number} hover
 * @property {Map<number, number>} points  where operations take effect
 * @property {{from: number, to: number}[]} edges  from one row to another
 * @property {import('./scene.js').Band[]} bands
 * @property {number} zero  the moment to which times are relative
 * @property {string} unit
 * @property {number} due  when the failing operation returned, or NaN
 */

/**
 * Draws the timeline.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 */
export function drawTimeline(context, picture) {
  const { width, height, theme, layout, view } = picture;
  const x = xOf(picture);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = 'middle';
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, -view.scroll);
  layout.places.forEach((place, at) => {
    if (place.top + place.height < view.scroll + AXIS || place.top > view.scroll + height) return;
    context.fillStyle = theme.lane;
    context.fillRect(layout.labels, place.top - 2, width - layout.labels, place.height + 4);
    drawLane(context, picture, at, x);
  });
  drawPoints(context, picture, x);
  drawEdges(context, picture, x);
  context.restore();
  drawBands(context, picture, x);
  drawDue(context, picture, x);
  drawNames(context, picture);
  drawAxis(context, picture, x);
}

/** @param {Picture} picture */
function xOf({ view, layout, width }) {
  const scale = (width - layout.labels) / (view.to - view.from);
  return (/** @type {number} */ time) => layout.labels + (time - view.from) * scale;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number} at
 * @param {(time: number) => number} x
 */
function drawLane(context, picture, at, x) {
  const { timeline, layout, view, width } = picture;
  const place = layout.places[at];
  const { start, end } = timeline.columns;
  const perPixel = (view.to - view.from) / (width - layout.labels);
  timeline.lanes[at].tracks.forEach((track, number) => {
    const top = place.top + number * place.track;
    let position = firstEndingAt(timeline, track, view.from);
    while (position < track.rows.length) {
      const row = track.rows[position];
      if (start[row] > view.to) break;
      const length = end[row] - start[row];
      const next = track.rows[position + 1];
      if (length >= perPixel * 1.5 || next === undefined || start[next] > start[row] + perPixel * 2) {
        drawBox(context, picture, row, top, place.track, x);
        position += 1;
        continue;
      }
      // Operations of less than a pixel: one column for all that start in this pixel.
      const left = Math.floor(x(start[row]));
      const until = view.from + (left + 1 - layout.labels) * perPixel;
      const stop = Math.max(position + 1, firstStartingAt(timeline, track, until, position));
      drawColumn(context, picture, track, position, stop, left, top, place.track, perPixel);
      position = stop;
    }
  });
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {import('./timeline.js').Track} track
 * @param {number} from
 * @param {number} to
 * @param {number} left
 * @param {number} top
 * @param {number} height
 * @param {number} perPixel
 */
function drawColumn(context, picture, track, from, to, left, top, height, perPixel) {
  const { theme, status } = picture;
  const covered = Math.min(1, (track.busy[to] - track.busy[from]) / perPixel);
  const sample = sampleOf(picture, track, from, to);
  context.fillStyle = colorOf(picture, sample);
  context.globalAlpha = (0.25 + 0.65 * covered) * (isFaded(picture, sample) ? 0.25 : 1);
  context.fillRect(left, top + 1, 1, height - 2);
  context.globalAlpha = 1;
  // The violation is never hidden in a column.
  if (to - from < 4096) {
    for (let at = from; at < to; at++) {
      if (status[track.rows[at]] !== FAILING) continue;
      context.fillStyle = theme.red;
      context.fillRect(left - 1, top, 3, height);
    }
  }
}

/**
 * The operation whose colour a column gets: one that the search finds, if there are few enough to look.
 * @param {Picture} picture
 * @param {import('./timeline.js').Track} track
 * @param {number} from
 * @param {number} to
 */
function sampleOf({ hits, timeline }, track, from, to) {
  if (hits && to - from < 256) {
    for (let at = from; at < to; at++) if (finds(hits, timeline, track.rows[at])) return track.rows[at];
  }
  return track.rows[(from + to) >> 1];
}

/**
 * @param {Picture} picture
 * @param {number} row
 */
function colorOf(picture, row) {
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
function isFaded({ hits, timeline, status, view }, row) {
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
 */
function drawBox(context, picture, row, top, height, x) {
  const { timeline, theme, layout, view, width, status, overlaps, hover } = picture;
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
  drawLabel(context, picture, row, left, right, y, h, isHollow || isPending ? theme.text : theme.boxText);
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

/**
 * The call, if it fits: as it is, or cut in its middle.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {number} row
 * @param {number} left
 * @param {number} right
 * @param {number} y
 * @param {number} h
 * @param {string} color
 */
function drawLabel(context, { timeline, layout, width, status, theme }, row, left, right, y, h, color) {
  const from = Math.max(left, layout.labels) + 5;
  const room = Math.min(right, width) - from - 4;
  if (h < 12 || room < 14) return;
  const characters = Math.floor(room / 6.2);
  const isFailing = status[row] === FAILING;
  let text = cut(visible(timeline.text(row).slice(0, 400)), characters);
  if (isFailing) text = `✗ ${text}`;
  if (context.measureText(text).width > room) text = cut(text, Math.floor(characters * 0.8));
  if (text.length < 2 || context.measureText(text).width > room) return;
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

/**
 * The middle of the track that an operation is on.
 * @param {Picture} picture
 * @param {number} row
 */
function middleOf({ timeline, layout }, row) {
  const lane = timeline.columns.thread[row];
  const place = layout.places[lane];
  const number = timeline.lanes[lane].tracks.findIndex(({ rows }) => {
    const at = lowerBound(rows, row);
    return rows[at] === row;
  });
  return place.top + (Math.max(0, number) + 0.5) * place.track;
}

/**
 * @param {Uint32Array} rows
 * @param {number} row
 */
function lowerBound(rows, row) {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (rows[middle] < row) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Linearization points: a diamond where each operation takes effect.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawPoints(context, picture, x) {
  const { points, view, theme, layout, width } = picture;
  let drawn = 0;
  for (const [row, time] of points) {
    if (time < view.from || time > view.to) continue;
    if (++drawn > 3000) break;
    const [cx, cy] = [Math.min(Math.max(x(time), layout.labels + 3), width - 3), middleOf(picture, row)];
    const size = row === view.row ? 6 : 4;
    context.beginPath();
    context.moveTo(cx, cy - size);
    context.lineTo(cx + size, cy);
    context.lineTo(cx, cy + size);
    context.lineTo(cx - size, cy);
    context.closePath();
    context.fillStyle = row === view.row ? theme.select : theme.panel;
    context.fill();
    context.strokeStyle = theme.text;
    context.lineWidth = 1.25;
    context.stroke();
  }
}

/**
 * Arrows between operations.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawEdges(context, picture, x) {
  const { edges, timeline, theme } = picture;
  const { start, end } = timeline.columns;
  context.strokeStyle = theme.text;
  context.fillStyle = theme.text;
  context.lineWidth = 1.25;
  for (const { from, to } of edges.slice(0, 500)) {
    const [ax, ay] = [x(end[from]), middleOf(picture, from)];
    const [bx, by] = [x(start[to]), middleOf(picture, to)];
    const bend = Math.max(14, Math.abs(bx - ax) / 3);
    context.globalAlpha = 0.75;
    context.beginPath();
    context.moveTo(ax, ay);
    context.bezierCurveTo(ax + bend, ay, bx - bend, by, bx - 5, by);
    context.stroke();
    context.beginPath();
    context.moveTo(bx, by);
    context.lineTo(bx - 7, by - 3.5);
    context.lineTo(bx - 7, by + 3.5);
    context.fill();
    context.globalAlpha = 1;
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawBands(context, picture, x) {
  const { bands, theme, height, width, layout, view, timeline } = picture;
  let room = -Infinity;
  for (const band of bands) {
    const end = band.end ?? band.start;
    if (end < view.from || band.start > view.to) continue;
    const left = Math.max(x(band.start), layout.labels);
    const right = Math.min(x(band.end === null ? timeline.last : band.end), width);
    context.fillStyle = theme.band;
    if (right > left) context.fillRect(left, AXIS, right - left, height - AXIS);
    context.fillStyle = theme.bandLine;
    context.fillRect(left, AXIS, 1.5, height - AXIS);
    if (left < room) continue;
    const text = cut(visible(band.text), 40);
    context.fillText(text, left + 5, height - 9);
    room = left + context.measureText(text).width + 12;
  }
}

/**
 * The moment at which the failing operation returned.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawDue(context, { due, view, theme, height }, x) {
  if (!(due >= view.from && due <= view.to)) return;
  context.strokeStyle = theme.red;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(Math.round(x(due)) + 0.5, AXIS);
  context.lineTo(Math.round(x(due)) + 0.5, height);
  context.stroke();
  context.setLineDash([]);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 */
function drawNames(context, { timeline, layout, view, theme, height }) {
  context.fillStyle = theme.panel;
  context.fillRect(0, AXIS, layout.labels - 4, height - AXIS);
  context.textAlign = 'right';
  const selected = view.row >= 0 ? timeline.columns.thread[view.row] : -1;
  layout.places.forEach((place, at) => {
    const y = place.top - view.scroll + place.height / 2;
    if (y < AXIS || y > height || (place.height < 10 && at % 2)) return;
    context.fillStyle = at === selected ? theme.text : theme.faint;
    context.fillText(cut(visible(timeline.threads[at]), Math.floor((layout.labels - 14) / 6.4)), layout.labels - 10, y);
  });
  context.textAlign = 'left';
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawAxis(context, { view, width, layout, theme, zero, unit, timeline }, x) {
  context.fillStyle = theme.panel;
  context.fillRect(0, 0, width, AXIS);
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, AXIS - 0.5);
  context.lineTo(width, AXIS - 0.5);
  context.stroke();
  if (timeline.isUntimed) {
    context.fillStyle = theme.faint;
    context.fillText('no times were recorded: in the order of the input', layout.labels + 4, AXIS / 2);
    return;
  }
  const step = tickStep(((view.to - view.from) / Math.max(1, width - layout.labels)) * 110);
  const first = Math.ceil((view.from - zero) / step) * step;
  for (let offset = first, count = 0; offset <= view.to - zero && count < 200; offset += step, count++) {
    const at = x(zero + offset);
    if (at < layout.labels) continue;
    context.fillStyle = theme.line;
    context.fillRect(Math.round(at), AXIS - 6, 1, 6);
    context.fillStyle = theme.faint;
    context.fillText(offsetText(Math.abs(offset) < step / 1e6 ? 0 : offset, unit, step), at + 4, AXIS / 2 - 1);
  }
}

/**
 * Draws the strip that shows the whole trace and the window in it.
 * @param {CanvasRenderingContext2D} context
 * @param {{width: number, height: number, density: Float64Array, timeline: import('./timeline.js').Timeline,
 *   view: import('./view.js').View, theme: ReturnType<typeof import('./palette.js').themeOf>,
 *   bands: import('./scene.js').Band[], due: number, labels: number}} strip
 */
export function drawOverview(context, { width, height, density, timeline, view, theme, bands, due, labels }) {
  context.clearRect(0, 0, width, height);
  const span = timeline.last - timeline.first;
  const x = (/** @type {number} */ time) => labels + ((time - timeline.first) / span) * (width - labels);
  for (const band of bands) {
    context.fillStyle = theme.bandLine;
    context.globalAlpha = 0.35;
    context.fillRect(x(band.start), 0, Math.max(1.5, x(band.end ?? timeline.last) - x(band.start)), height);
    context.globalAlpha = 1;
  }
  context.fillStyle = theme.grey;
  const columns = Math.max(1, Math.floor(width - labels));
  for (let column = 0; column < columns; column++) {
    const [from, to] = [column, column + 1].map((at) => Math.floor((at / columns) * density.length));
    let most = 0;
    for (let at = from; at < Math.max(to, from + 1); at++) most = Math.max(most, density[at] ?? 0);
    const h = most * (height - 4);
    context.fillRect(labels + column, height - h, 1, h);
  }
  if (Number.isFinite(due)) {
    context.fillStyle = theme.red;
    context.fillRect(x(due) - 1, 0, 2.5, height);
  }
  const [left, right] = [Math.max(labels, x(view.from)), Math.min(width, x(view.to))];
  context.fillStyle = theme.panel;
  context.globalAlpha = 0.6;
  context.fillRect(labels, 0, Math.max(0, left - labels), height);
  context.fillRect(right, 0, Math.max(0, width - right), height);
  context.globalAlpha = 1;
  context.strokeStyle = theme.select;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), height - 1.5);
}
