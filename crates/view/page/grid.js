// The grid of explanations: one column per alternative, one row per depth, counted from the violation backwards.

/**
 * @typedef {import('./focus.js').Path} Path
 *
 * @typedef {object} Cell
 * @property {number} op
 * @property {number} from  the first column
 * @property {number} width  how many columns
 *
 * @typedef {object} Grid
 * @property {Path[]} columns
 * @property {Cell[][]} rows  rows[d]: depth d + 1 before the violation; columns that have ended have no cell
 */

/**
 * The alternatives of a counterexample as paths.
 * @param {any} counterexample  `op`, `alternatives`, `agreed`
 * @returns {Path[]}
 */
export function pathsOf(counterexample) {
  const alternatives = counterexample?.alternatives ?? [];
  const shared = sharedSteps(counterexample?.agreed);
  // Evidence that was not written to be looked at has the last operations only.
  const isInFull = shared.length > 0 || alternatives.some((/** @type {any} */ alternative) => alternative.steps?.length);
  return alternatives.map((/** @type {any} */ alternative, /** @type {number} */ index) => {
    const steps = isInFull
      ? (alternative.steps ?? []).map((/** @type {any} */ step) => ({ op: step.op, state: step.state ?? null }))
      : alternative.recent.map((/** @type {any} */ op) => ({ op: op.id, state: null }));
    if (steps.length) steps[steps.length - 1].state ??= alternative.state;
    const failing = alternative.candidates.find((/** @type {any} */ candidate) => candidate.op.id === counterexample.op.id);
    const open = alternative.candidates.map((/** @type {any} */ candidate) => candidate.op.id);
    return {
      index,
      steps,
      open,
      shared: isInFull ? shared : [],
      isWhole: isInFull && counterexample.agreed != null,
      reason: failing?.reason ?? '',
    };
  });
}

/**
 * The last steps on which all alternatives agree, oldest first.
 * @param {any} agreed
 * @returns {{op: number, state: string | null}[]}
 */
function sharedSteps(agreed) {
  const steps = (agreed?.recent ?? []).map((/** @type {any} */ step) => ({ op: step.id, state: step.state ?? null }));
  if (steps.length && agreed.states.length === 1) steps[steps.length - 1].state ??= agreed.states[0];
  return steps;
}

/**
 * Columns with the same reason stand side by side, and among these columns with a common end. Equal cells that touch are one cell.
 * @param {Path[]} paths
 * @returns {Grid}
 */
export function gridOf(paths) {
  const fromEnd = (/** @type {Path} */ path, /** @type {number} */ depth) => path.steps[path.steps.length - 1 - depth]?.op;
  const reasons = [...new Set(paths.map(({ reason }) => reason))];
  const columns = [...paths].sort((a, b) => {
    if (a.reason !== b.reason) return reasons.indexOf(a.reason) - reasons.indexOf(b.reason);
    const depth = Math.max(a.steps.length, b.steps.length);
    for (let at = 0; at < depth; at++) {
      const apart = (fromEnd(a, at) ?? -1) - (fromEnd(b, at) ?? -1);
      if (apart) return apart;
    }
    return a.index - b.index;
  });
  const rows = [];
  const deepest = Math.max(0, ...columns.map(({ steps }) => steps.length));
  for (let depth = 0; depth < deepest; depth++) {
    /** @type {Cell[]} */
    const row = [];
    columns.forEach((path, column) => {
      const op = fromEnd(path, depth);
      if (op === undefined) return;
      const last = row.at(-1);
      if (last && last.op === op && last.from + last.width === column) last.width += 1;
      else row.push({ op, from: column, width: 1 });
    });
    rows.push(row);
  }
  return { columns, rows };
}

/**
 * The state before and after a step, counted from the violation through the path and what all paths share; null where it is not
 * known.
 * @param {Path} path
 * @param {number} depth  0 is the last step
 * @param {string | null} agreed  the state where the path begins
 */
export function statesAt(path, depth, agreed) {
  const at = path.shared.length + path.steps.length - 1 - depth;
  const state = (/** @type {number} */ step) =>
    step < path.shared.length ? path.shared[step]?.state ?? null : path.steps[step - path.shared.length]?.state ?? null;
  const isFirst = at === path.shared.length && path.shared.length === 0;
  return { before: isFirst && path.isWhole ? agreed : state(at - 1), after: state(at) };
}

/**
 * The names of columns: A, B, …, Z, AA, …
 * @param {number} index
 * @returns {string}
 */
export function columnName(index) {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}
