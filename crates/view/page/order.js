// The order of an explanation on the time axis: a moment for each operation, inside its timebox and after the moment before.

/**
 * Moments at which operations may have taken effect, by row and in the order given. Each has the earliest moment that the ones before
 * it leave, and the latest that the ones after it leave. Those with the same latest moment share the time up to it, so that no two are
 * at the same moment where there is time between them.
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
  // How many share the latest moment of each, from it on.
  const sharing = new Uint32Array(rows.length);
  for (let at = rows.length - 1; at >= 0; at--) sharing[at] = at + 1 < rows.length && latest[at + 1] === latest[at] ? sharing[at + 1] + 1 : 1;
  /** @type {Map<number, number>} */
  const points = new Map();
  let before = -Infinity;
  rows.forEach((row, at) => {
    const from = Math.max(before, earliest[at]);
    const isPossible = from <= latest[at];
    // An order that no clock allows, as some serial runs have, stays inside the timeboxes and goes back in time.
    const moment = isPossible ? from + (latest[at] - from) / (sharing[at] + 1) : Math.min(Math.max(from, start[row]), end[row]);
    points.set(row, moment);
    before = isPossible ? moment : -Infinity;
  });
  return points;
}
