// Drawing: a function from data and view to pixels. It keeps nothing between two calls.
//
// Cost: each visible track takes at most one step per pixel, found by binary search, whatever the number of operations.

import { colorOf, drawBox, isFaded } from './box.js';
import { cut, visible } from './call.js';
import { offsetText, tickStep } from './clock.js';
import { drawFlags, drawLabel, flagsOf } from './label.js';
import { AXIS } from './lanes.js';
import { firstHit } from './search.js';
import { firstEndingAt, firstStartingAt, trackOf } from './timeline.js';

const FONT = '12px ui-sans-serif, system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif';

/**
 * @typedef {object} Picture
 * @property {import('./timeline.js').Timeline} timeline
 * @property {import('./lanes.js').LaneLayout} layout
 * @property {import('./view.js').View} view
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} status
 * @property {number[]} failing  rows that cannot be explained
 * @property {Set<number>} marked  rows of other operations that the violation is about
 * @property {{hues: Int8Array, meaning: string}} colors
 * @property {ReturnType<typeof import('./palette.js').themeOf>} theme
 * @property {import('./search.js').Hits | null} hits
 * @property {Set<number>} overlaps
 * @property {number} hover
 * @property {Map<number, number>} points  where operations take effect
 * @property {import('./arrows.js').Arrow[]} arrows
 * @property {import('./scene.js').Band[]} bands
 * @property {number} zero  the moment to which times are relative
 * @property {string} unit
 * @property {number} due  when the failing operation returned, or NaN
 * @property {string} order  in which order operations without times are drawn
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
  });
  const inSight = layout.places.flatMap((place, at) => (place.top + place.height >= view.scroll + AXIS && place.top <= view.scroll + height ? [at] : []));
  // Arrows are below the boxes, and the order is below the labels: a line through a label would be read as struck out.
  drawArrows(context, picture, x);
  for (const at of inSight) drawLane(context, picture, at, x, null);
  drawFailing(context, picture, x);
  drawOrder(context, picture, x);
  const flags = flagsOf(context, picture, x);
  for (const at of inSight) drawLane(context, picture, at, x, flags);
  drawPoints(context, picture, x);
  drawFlags(context, picture, flags);
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
 * @param {import('./label.js').Flag[] | null} flags  those beside which the labels are drawn; null to draw the boxes
 */
function drawLane(context, picture, at, x, flags) {
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
        if (!flags) drawBox(context, picture, row, top, place.track, x);
        else drawLabel(context, picture, row, top, place.track, x, next === undefined ? width : x(start[next]), flags);
        position += 1;
        continue;
      }
      // Operations of less than a pixel: one column for all that start in this pixel.
      const left = Math.floor(x(start[row]));
      const until = view.from + (left + 1 - layout.labels) * perPixel;
      const stop = Math.max(position + 1, firstStartingAt(timeline, track, until, position));
      if (!flags) drawColumn(context, picture, track, position, stop, left, top, place.track, perPixel);
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
  const covered = Math.min(1, (track.busy[to] - track.busy[from]) / perPixel);
  const sample = sampleOf(picture, track, from, to);
  context.fillStyle = colorOf(picture, sample);
  context.globalAlpha = (0.25 + 0.65 * covered) * (isFaded(picture, sample) ? 0.25 : 1);
  context.fillRect(left, top + 1, 1, height - 2);
  context.globalAlpha = 1;
}

/**
 * The violation is never hidden among others: where its box is narrower than a mark, it gets one.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawFailing(context, picture, x) {
  const { failing, timeline, layout, theme, view } = picture;
  const { start, end, thread } = timeline.columns;
  context.fillStyle = theme.red;
  for (const row of failing) {
    const [left, right] = [x(start[row]), x(end[row])];
    if (right - left > 4 || end[row] < view.from || start[row] > view.to) continue;
    const height = layout.places[thread[row]].track;
    context.fillRect(left - 1, middleOf(picture, row) - height / 2, 3, height);
  }
}

/**
 * The operation whose colour a column gets: one that the search finds, if there is one.
 * @param {Picture} picture
 * @param {import('./timeline.js').Track} track
 * @param {number} from
 * @param {number} to
 */
function sampleOf({ hits }, track, from, to) {
  const found = hits ? firstHit(hits, track, from, to) : -1;
  return track.rows[found < 0 ? (from + to) >> 1 : found];
}

/**
 * The middle of the track that an operation is on.
 * @param {Picture} picture
 * @param {number} row
 */
function middleOf({ timeline, layout }, row) {
  const place = layout.places[timeline.columns.thread[row]];
  return place.top + (trackOf(timeline, row).number + 0.5) * place.track;
}

/**
 * Where on its track an operation has its point: below its label, if it has one.
 * @param {Picture} picture
 * @param {number} row
 */
function pointY(picture, row) {
  const { track } = picture.layout.places[picture.timeline.columns.thread[row]];
  return middleOf(picture, row) + (track >= 18 ? track / 2 - 2 : 0);
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
    const [cx, cy] = [Math.min(Math.max(x(time), layout.labels + 3), width - 3), pointY(picture, row)];
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

/** With more points than this in sight, no line joins them. */
const ORDER_MAX = 400;

/**
 * The order in which operations take effect: a line through their points.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawOrder(context, picture, x) {
  const { points, view, theme, layout, width } = picture;
  const all = [...points];
  const inSight = all.flatMap(([, time], at) => (time >= view.from && time <= view.to ? [at] : []));
  if (inSight.length < 1 || inSight.length > ORDER_MAX) return;
  // Also to the next point on either side, which is out of sight.
  const shown = all.slice(Math.max(0, inSight[0] - 1), inSight[inSight.length - 1] + 2);
  context.beginPath();
  shown.forEach(([row, time], at) => {
    const [px, py] = [Math.min(Math.max(x(time), layout.labels - 8), width + 8), pointY(picture, row)];
    if (at === 0) context.moveTo(px, py);
    else context.lineTo(px, py);
  });
  context.strokeStyle = theme.select;
  context.globalAlpha = 0.7;
  context.lineWidth = 1.5;
  context.stroke();
  context.globalAlpha = 1;
}

/**
 * Arrows between operations: of visibility and of happens-before.
 * @param {CanvasRenderingContext2D} context
 * @param {Picture} picture
 * @param {(time: number) => number} x
 */
function drawArrows(context, picture, x) {
  const { arrows, timeline, theme } = picture;
  const { start, end } = timeline.columns;
  context.strokeStyle = theme.text;
  context.fillStyle = theme.text;
  context.lineWidth = 1.25;
  for (const { from, to, kind, isChosen } of arrows.slice(0, 500)) {
    const [ax, ay] = [x(end[from]), middleOf(picture, from)];
    const [bx, by] = [x(start[to]), middleOf(picture, to)];
    // What an operation sees is a curve, what happens before it a dashed line: the two may join the same operations.
    const bend = Math.max(14, Math.abs(bx - ax) / 3);
    context.globalAlpha = isChosen ? 0.9 : 0.35;
    context.setLineDash(kind === 'before' ? [4, 3] : []);
    context.beginPath();
    context.moveTo(ax, ay);
    if (kind === 'before') context.lineTo(bx - 5, by);
    else context.bezierCurveTo(ax + bend, ay, bx - bend, by, bx - 5, by);
    context.stroke();
    context.setLineDash([]);
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
function drawAxis(context, { view, width, layout, theme, zero, unit, timeline, order }, x) {
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
    context.fillText(order, layout.labels + 4, AXIS / 2);
    return;
  }
  // Times are whole numbers.
  const step = tickStep(Math.max(1, ((view.to - view.from) / Math.max(1, width - layout.labels)) * 110));
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
