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
  return (counterexample?.alternatives ?? []).map((/** @type {any} */ alternative, /** @type {number} */ index) => {
    const steps = alternative.steps
      ? alternative.steps.map((/** @type {any} */ step) => ({ op: step.op, state: step.state ?? null }))
      : alternative.recent.map((/** @type {any} */ op) => ({ op: op.id, state: null }));
    if (steps.length) steps[steps.length - 1].state ??= alternative.state;
    return {
      index,
      steps,
      open: alternative.candidates.map((/** @type {any} */ candidate) => candidate.op.id),
      isWhole: alternative.steps ? counterexample.agreed != null && !alternative.steps_cut : false,
    };
  });
}

/**
 * Columns with a common end stand side by side, and equal cells that touch are one cell.
 * @param {Path[]} paths
 * @returns {Grid}
 */
export function gridOf(paths) {
  const fromEnd = (/** @type {Path} */ path, /** @type {number} */ depth) => path.steps[path.steps.length - 1 - depth]?.op;
  const columns = [...paths].sort((a, b) => {
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
 * The state before and after a step of a path, counted from the violation; null where it is not known.
 * @param {Path} path
 * @param {number} depth  0 is the last step
 * @param {string | null} agreed  the state where the path begins
 */
export function statesAt(path, depth, agreed) {
  const at = path.steps.length - 1 - depth;
  const after = path.steps[at]?.state ?? null;
  const before = at > 0 ? path.steps[at - 1].state : path.isWhole ? agreed : null;
  return { before, after };
}

/**
 * The names of columns: A, B, …, Z, AA, …
 * @param {number} index
 */
export function columnName(index) {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}
