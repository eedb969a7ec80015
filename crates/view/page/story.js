// What evidence says, brought into the form that the panels show: which operation failed, which explanations there are, what is
// known about each row of the timeline.

import { FAILING, PLACED, UNPLACED, UNREACHED } from './box.js';
import { counted } from './clock.js';
import { pathsOf } from './grid.js';
import { Timeline } from './timeline.js';
import { edgeOf, idOfTransaction } from './transactions.js';
import { differenceSentence } from './system_difference.js';

/**
 * What operations and lanes are called: those of a log are lines of nodes.
 * @typedef {{operation: string, thread: string, trace: string}} Words
 */

/** @type {Words} */
const OF_TRACES = { operation: 'operation', thread: 'thread', trace: 'trace' };
/** @type {Words} */
const OF_LOGS = { operation: 'line', thread: 'node', trace: 'log' };
/** @type {Words} */
const OF_TESTS = { operation: 'turn', thread: 'thread', trace: 'test' };

/**
 * A lane by its name: a number alone would say nothing.
 * @param {Words} words
 * @param {string | number} name
 */
export function laneName(words, name) {
  return /^\d+$/.test(String(name)) ? `${words.thread} ${name}` : String(name);
}

/**
 * @typedef {object} Facts
 * @property {any} evidence  or an empty object for a trace alone
 * @property {Timeline | null} timeline
 * @property {string} kind  the type of the violation, or `witness`, `unknown`, `error`, `trace`, `nothing`
 * @property {any} counterexample  `op`, `alternatives`, `agreed`; null if there is none
 * @property {import('./focus.js').Path[]} paths
 * @property {Map<number, any>} ops  the operations that the evidence names, by id
 * @property {Set<number>} failing  ids that cannot be explained
 * @property {{op: number, at: number, state: string | null}[]} order  the witness
 * @property {number[]} failingRows  their rows in the timeline
 * @property {Set<number>} markedRows  rows of other operations that the violation is about: those of a rule, and lines of a log that may be wrong
 * @property {Map<number, number>} points  when the operations of the witness take effect, by row
 * @property {Map<number, number[]>} sees  what each operation sees, at weak levels: ids by id
 * @property {[number, number][]} before  ids of operations of which the first happens before the second, beyond the order of threads
 * @property {string} headline
 * @property {Words} words
 * @property {string} unit
 */

/**
 * @param {import('./scene.js').Story} story
 * @returns {Facts}
 */
export function factsOf(story) {
  const evidence = story.evidence ?? {};
  const timeline = story.timeline && story.columns ? new Timeline(story.timeline, story.columns) : null;
  const violation = evidence.violation;
  const counterexample = counterexampleOf(evidence);
  const facts = {
    evidence,
    timeline,
    kind: kindOf(story),
    counterexample,
    paths: pathsOf(counterexample),
    ops: operationsOf(evidence),
    /** @type {Set<number>} */
    failing: new Set(violation?.type === 'run' ? violation.unexplained : violation?.type === 'test' ? [violation.failed_in] : counterexample?.op ? [counterexample.op.id] : []),
    order: orderOf(evidence, timeline),
    /** @type {number[]} */
    failingRows: [],
    /** @type {Set<number>} */
    markedRows: new Set(),
    /** @type {Map<number, number>} */
    points: new Map(),
    sees: seesOf(evidence),
    before: evidence.happens_before ?? [],
    headline: '',
    words: evidence.subject === 'log' ? OF_LOGS : evidence.subject === 'test' ? OF_TESTS : OF_TRACES,
    unit: story.timeline?.unit ?? '',
  };
  if (evidence.verdict === 'unknown') facts.failing.clear();
  if (violation?.type === 'visibility') facts.failing.add(violation.op.id);
  if (violation?.type === 'transactions') {
    const named = new Set((violation.cycle ?? []).map((/** @type {string} */ text) => edgeOf(text).from));
    for (const name of named) {
      const id = idOfTransaction(name);
      if (id !== null) facts.failing.add(id);
    }
    for (const { name, ops } of evidence.isolation?.transactions ?? []) if (named.has(name)) ops.forEach((/** @type {any} */ op) => facts.failing.add(op.id));
  }
  facts.headline = headlineOf(facts);
  facts.failingRows = [...facts.failing].flatMap((id) => timeline?.rowById.get(id) ?? []);
  for (const id of markedOf(evidence)) {
    const row = timeline?.rowById.get(id);
    if (row !== undefined && !facts.failing.has(id)) facts.markedRows.add(row);
  }
  for (const { op, at } of facts.order) {
    const row = timeline?.rowById.get(op);
    if (row !== undefined && Number.isFinite(at)) facts.points.set(row, at);
  }
  return facts;
}

/**
 * The operations besides the failing one that a violation is about: those that break a rule together, and lines of a log that may be wrong.
 * @param {any} evidence
 * @returns {number[]}
 */
export function markedOf({ violation, log }) {
  return [...(violation?.rule_ops ?? []), ...(log?.suspects ?? [])].map(({ id }) => id);
}

/** @param {import('./scene.js').Story} story */
function kindOf({ evidence, timeline }) {
  if (!evidence) return timeline ? 'trace' : 'nothing';
  if (evidence.violation) return evidence.violation.type;
  if (evidence.verdict === 'unknown') return 'unknown';
  if (evidence.verdict === 'error') return 'error';
  return evidence.witness ? 'witness' : 'valid';
}

/** @param {any} evidence */
function counterexampleOf(evidence) {
  const violation = evidence.violation;
  if (violation?.type === 'operation') return violation;
  if (violation?.type === 'run') {
    return violation.why.counterexample ?? violation.why.calls?.find((/** @type {any} */ call) => call.counterexample)?.counterexample ?? null;
  }
  const unknown = evidence.unknown;
  if (unknown?.at && unknown.alternatives.length) {
    return { op: unknown.at, alternatives: unknown.alternatives, alternatives_total: unknown.frontier, agreed: null };
  }
  return null;
}

/**
 * Every operation that the evidence names. Those of the shrunk history have ranks for times and are left out.
 * @param {any} evidence
 */
function operationsOf(evidence) {
  /** @type {Map<number, any>} */
  const ops = new Map();
  const walk = (/** @type {any} */ value) => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (value && typeof value === 'object') {
      if (typeof value.text === 'string' && Number.isInteger(value.id) && 'thread' in value) ops.set(value.id, value);
      for (const [name, inner] of Object.entries(value)) if (name !== 'minimal') walk(inner);
    }
  };
  walk(evidence);
  return ops;
}

/**
 * @param {any} evidence
 * @param {Timeline | null} timeline
 * @returns {{op: number, at: number, state: string | null}[]}
 */
function orderOf(evidence, timeline) {
  const witness = evidence.witness;
  const base = BigInt(timeline?.head.base ?? 0);
  const order = witness?.type === 'linearization' || witness?.type === 'visibility' ? witness.order : evidence.violation?.explained?.order;
  return (order ?? []).map((/** @type {any} */ placed, /** @type {number} */ step) => ({
    op: placed.op ?? placed.id,
    at: Number.isInteger(placed.at) ? Number(BigInt(placed.at) - base) : NaN,
    state: witness?.states?.[step] ?? null,
  }));
}

/**
 * What operations see, at levels weaker than linearizability.
 * @param {any} evidence
 */
function seesOf({ witness, violation }) {
  /** @type {Map<number, number[]>} */
  const sees = new Map();
  const order = witness?.type === 'visibility' ? witness.order : violation?.explained?.order ?? [];
  for (const { id, sees: seen } of order) if (seen?.length) sees.set(id, seen);
  if (violation?.type === 'visibility' && violation.candidates.length) sees.set(violation.op.id, violation.candidates[0].sees);
  return sees;
}

/** @param {Facts} facts */
function headlineOf({ evidence, counterexample, kind, timeline, words }) {
  const violation = evidence.violation;
  switch (kind) {
    case 'operation':
      return `no ${words === OF_LOGS ? 'behaviour' : 'order'} explains ${counterexample.op.text}`;
    case 'visibility':
      return `nothing that it could see explains ${violation.op.text}`;
    case 'behaviour':
      if (violation.difference) return differenceSentence(violation.difference);
      return violation.violated ? `${violation.violated} is violated` : violation.kind;
    case 'run':
      return `${violation.diagnosis}: ${violation.matrix}`;
    case 'test':
      return `${evidence.input}: ${violation.failure}`;
    case 'nondeterminism':
      return `serial runs differ in ${violation.call}`;
    case 'transactions':
      return violation.read ?? (violation.cycle ? 'transactions depend on each other in a cycle' : 'no order of commits explains all reads');
    case 'unknown':
      return evidence.unknown.reason ?? `stopped by the limit: ${evidence.unknown.limit}`;
    case 'error':
      return evidence.error ?? 'it could not be checked';
    case 'valid':
      if (evidence.subject === 'system') return `the system did ${counted(evidence.driven?.done ?? 0, 'step')} as the specification says`;
      if (evidence.subject === 'test') return `${evidence.input} passes under ${counted(evidence.test?.schedules ?? 0, 'schedule')}`;
      return `every ${words.operation} is explained`;
    case 'trace':
      return counted(timeline?.size ?? 0, words.operation);
    default:
      return `every ${words.operation} is explained`;
  }
}

/**
 * What is known about each row: whether it is placed by a path, or by all of them.
 * @param {Facts} facts
 * @param {import('./focus.js').Path[]} paths  those that the reader looks at
 */
export function statusOf(facts, paths) {
  const { timeline, failing, counterexample, kind } = facts;
  const status = new Uint8Array(timeline?.size ?? 0);
  // Where hardly anything else is shown, red would say nothing.
  if (timeline && kind === 'transactions' && 2 * facts.failingRows.length <= timeline.size) for (const row of facts.failingRows) status[row] = FAILING;
  if (!timeline || (kind !== 'operation' && kind !== 'unknown' && kind !== 'run' && kind !== 'visibility' && kind !== 'test')) return status;
  const { id, start } = timeline.columns;
  const row = counterexample ? timeline.rowById.get(counterexample.op.id) : undefined;
  const due = row === undefined ? NaN : timeline.columns.end[row];
  const { end, thread } = timeline.columns;
  // The steps of the operation that nothing explains did not take effect either.
  const isStep = (/** @type {number} */ at) => row !== undefined && thread[at] === thread[row] && start[at] === start[row] && end[at] === end[row];
  const open = new Set(paths.flatMap((path) => path.open));
  const placed = new Set([...facts.order, ...paths.flatMap(({ shared, steps }) => [...shared, ...steps])].map(({ op }) => op));
  for (let at = 0; at < timeline.size; at++) {
    if (failing.has(id[at])) status[at] = FAILING;
    else if (kind === 'visibility') status[at] = placed.has(id[at]) ? PLACED : UNPLACED;
    else if (start[at] > due && !placed.has(id[at])) status[at] = UNREACHED;
    else if (open.has(id[at]) || isStep(at)) status[at] = UNPLACED;
    else status[at] = PLACED;
  }
  return status;
}

/**
 * When the failing operation returned, relative to the base, or NaN.
 * @param {Facts} facts
 */
export function dueOf({ timeline, counterexample, failing, kind }) {
  // Of a cycle no transaction is the one that fails.
  if (kind === 'transactions') return NaN;
  const row = timeline?.rowById.get(counterexample?.op?.id ?? [...failing][0]);
  return row === undefined || !timeline || timeline.isUntimed ? NaN : timeline.columns.end[row];
}

/**
 * A reason taken apart: the false formulas, each with the values in it, and what else it says.
 * @param {string | null | undefined} reason
 * @returns {{text: string, values: [string, string][], isFormula: boolean}[] | null}  null if no formula is in it
 */
export function falseParts(reason) {
  if (!reason) return null;
  const found = [];
  for (const part of reason.split('; or ')) {
    // A log's reasons name the place in the text, too.
    const match = /^`([^`]*)` is false(?:: ([^]*?))?(?: \([^()\s]+:\d+:\d+\))?$/.exec(part);
    found.push(match ? { text: match[1], values: valuesIn(match[2] ?? ''), isFormula: true } : { text: part, values: [], isFormula: false });
  }
  return found.some(({ isFormula }) => isFormula) ? found : null;
}

/**
 * `x = 1, y = <<2, 3>>` as pairs.
 * @param {string} text
 * @returns {[string, string][]}
 */
function valuesIn(text) {
  /** @type {[string, string][]} */
  const pairs = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  let equals = -1;
  const add = (/** @type {number} */ to) => {
    const piece = text.slice(from, to);
    const at = equals - from;
    if (equals > from) pairs.push([piece.slice(0, at).trim(), piece.slice(at + 3).trim()]);
    else if (pairs.length) pairs[pairs.length - 1][1] += `, ${piece.trim()}`;
    from = to + 1;
    equals = -1;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if ('[{('.includes(character)) depth += 1;
    else if (']})'.includes(character)) depth -= 1;
    else if (text.startsWith('<<', at) || text.startsWith('>>', at)) {
      depth += character === '<' ? 1 : -1;
      at += 1;
    } else if (depth === 0 && character === ',') add(at);
    // Of `x = y = TRUE` the last one: a formula may have others, a value has none.
    else if (depth === 0 && text.startsWith(' = ', at)) equals = at;
  }
  if (text) add(text.length);
  return pairs;
}

/**
 * The rows of one operation and of all that overlaps it.
 * @param {Timeline} timeline
 * @param {number} row
 */
export function surroundings(timeline, row) {
  return [row, ...timeline.overlaps(row, 400)];
}
