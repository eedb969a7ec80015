// The order of an explanation on the time axis: a moment for each operation, inside its timebox and after the moment before.

/**
 * Moments at which operations may have taken effect, by row and in the order given. Each has the earliest moment that the ones before
 * it leave, and the latest that the ones after it leave; it is put in the middle. Operations with the same two moments share the time
 * between them, so that the line through the points is never drawn on the spot.
 *
 * Operations without times stand in the order of their input. Where that is the order given, there is nothing to draw.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {number[]} order  ids of operations; those that the timeline does not have are left out
 * @returns {Map<number, number>}
 */
export function pointsOf(timeline, order) {
  const rows = order.flatMap((id) => timeline.rowById.get(id) ?? []);
  const { start, end } = timeline.columns;
  if (timeline.isUntimed) {
    const isAsGiven = rows.every((row, at) => at === 0 || rows[at - 1] < row);
    return new Map(isAsGiven ? [] : rows.map((row) => [row, (start[row] + end[row]) / 2]));
  }
  const earliest = new Float64Array(rows.length);
  const latest = new Float64Array(rows.length);
  rows.forEach((row, at) => { earliest[at] = Math.max(start[row], at ? earliest[at - 1] : -Infinity); });
  for (let at = rows.length - 1; at >= 0; at--) latest[at] = Math.min(end[rows[at]], at + 1 < rows.length ? latest[at + 1] : Infinity);
  /** @type {Map<number, number>} */
  const points = new Map();
  let before = -Infinity;
  for (let at = 0; at < rows.length; ) {
    let to = at + 1;
    while (to < rows.length && earliest[to] === earliest[at] && latest[to] === latest[at]) to += 1;
    for (let one = at; one < to; one++) {
      const share = (one - at + 1) / (to - at + 1);
      const moment = Math.max(before, earliest[at] + (latest[at] - earliest[at]) * share);
      // An order that no clock allows, as some serial runs have, stays inside the timeboxes and goes back in time.
      const [low, high] = [start[rows[one]], end[rows[one]]];
      points.set(rows[one], Math.min(Math.max(moment, low), high));
      before = earliest[at] <= latest[at] ? moment : -Infinity;
    }
    at = to;
  }
  return points;
}
