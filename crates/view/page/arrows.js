// Arrows between operations, at weak levels: what an operation sees, and what happens before it.

/** @typedef {'sees' | 'before'} ArrowKind */
/** @typedef {'all' | ArrowKind | 'none'} ArrowChoice */
/** @typedef {{from: number, to: number, kind: ArrowKind, isChosen: boolean}} Arrow  from one row to another */

/** More arrows than this are drawn for the selected operation only. */
const ARROWS_MAX = 160;

/** @type {Record<ArrowChoice, string>} */
export const ARROW_CHOICES = { all: 'visibility and happens-before', sees: 'visibility', before: 'happens-before', none: 'no arrows' };

/**
 * The arrows to draw: all of them if they are few, else those of the selected operation.
 * @param {import('./timeline.js').Timeline} timeline
 * @param {Map<number, number[]>} sees  what each operation sees: ids by id
 * @param {[number, number][]} before  ids of operations of which the first happens before the second
 * @param {ArrowChoice} choice
 * @param {number} selected  the row that is selected, or -1
 * @returns {Arrow[]}
 */
export function arrowsOf(timeline, sees, before, choice, selected) {
  /** @type {Arrow[]} */
  const arrows = [];
  const add = (/** @type {number} */ first, /** @type {number} */ second, /** @type {ArrowKind} */ kind) => {
    const [from, to] = [timeline.rowById.get(first), timeline.rowById.get(second)];
    if (from !== undefined && to !== undefined) arrows.push({ from, to, kind, isChosen: from === selected || to === selected });
  };
  if (choice === 'all' || choice === 'before') for (const [first, second] of before) add(first, second, 'before');
  if (choice === 'all' || choice === 'sees') for (const [id, seen] of sees) for (const other of seen) add(other, id, 'sees');
  return arrows.length <= ARROWS_MAX ? arrows : arrows.filter(({ isChosen }) => isChosen);
}
