// Focus: assumptions about what happened. What contradicts one of them disappears.
//
// An alternative places the operations of its path one after the other; operations before the path are shared by all
// alternatives, operations that it does not place come after all it places, if at all.

/**
 * @typedef {object} Path  one explanation of what came before the violation
 * @property {number} index  its position in the evidence
 * @property {{op: number, state: string | null}[]} steps  oldest first
 * @property {number[]} open  operations that it does not place
 * @property {{op: number, state: string | null}[]} shared  the last steps before, on which all paths agree
 * @property {string} reason  why it refuses the operation in question
 * @property {boolean} isWhole  whether the steps begin where all alternatives agree
 *
 * @typedef {{kind: 'only', path: number} | {kind: 'not', path: number}
 *   | {kind: 'before', first: number, then: number}
 *   | {kind: 'placed', op: number} | {kind: 'unplaced', op: number}} Assumption
 */

const BEFORE_ALL = -1;

/**
 * Where a path places an operation: `Infinity` if it does not, BEFORE_ALL if it is in the part that all share.
 * @param {Path} path
 * @param {number} op
 */
export function positionOf(path, op) {
  const at = path.steps.findIndex((step) => step.op === op);
  if (at >= 0) return at;
  return path.open.includes(op) ? Infinity : BEFORE_ALL;
}

/**
 * Whether a path is consistent with an assumption.
 * @param {Path} path
 * @param {Assumption} assumption
 */
export function allows(path, assumption) {
  switch (assumption.kind) {
    case 'only':
      return path.index === assumption.path;
    case 'not':
      return path.index !== assumption.path;
    case 'placed':
      return positionOf(path, assumption.op) !== Infinity;
    case 'unplaced':
      return positionOf(path, assumption.op) === Infinity;
    case 'before': {
      const [first, then] = [positionOf(path, assumption.first), positionOf(path, assumption.then)];
      // Where the path says nothing about the order of the two, it does not contradict it.
      return first === then || first < then;
    }
  }
}

/**
 * The paths that no assumption contradicts.
 * @param {Path[]} paths
 * @param {Assumption[]} assumptions
 */
export function focused(paths, assumptions) {
  return paths.filter((path) => assumptions.every((assumption) => allows(path, assumption)));
}

/**
 * The same assumptions with one more, unless it is there already.
 * @param {Assumption[]} assumptions
 * @param {Assumption} added
 */
export function assume(assumptions, added) {
  const text = JSON.stringify(added);
  return assumptions.some((one) => JSON.stringify(one) === text) ? assumptions : [...assumptions, added];
}

/**
 * Assumptions as a short text for the address: `o3.n5.b12-17.p4.u9`.
 * @param {Assumption[]} assumptions
 */
export function focusText(assumptions) {
  return assumptions
    .map((one) => {
      switch (one.kind) {
        case 'only':
          return `o${one.path}`;
        case 'not':
          return `n${one.path}`;
        case 'placed':
          return `p${one.op}`;
        case 'unplaced':
          return `u${one.op}`;
        case 'before':
          return `b${one.first}-${one.then}`;
      }
    })
    .join('.');
}

/**
 * Reads what `focusText` wrote; what makes no sense is left out.
 * @param {string} text
 * @returns {Assumption[]}
 */
export function parseFocus(text) {
  /** @type {Assumption[]} */
  const found = [];
  for (const part of text.split('.')) {
    const match = /^([onpub])(\d+)(?:-(\d+))?$/.exec(part);
    if (!match) continue;
    const [, kind, one, other] = match;
    const number = Number(one);
    if (kind === 'o') found.push({ kind: 'only', path: number });
    else if (kind === 'n') found.push({ kind: 'not', path: number });
    else if (kind === 'p') found.push({ kind: 'placed', op: number });
    else if (kind === 'u') found.push({ kind: 'unplaced', op: number });
    else if (other !== undefined) found.push({ kind: 'before', first: number, then: Number(other) });
  }
  return found;
}
