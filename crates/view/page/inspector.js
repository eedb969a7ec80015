// The inspector: all about the selected operation, and why it was refused.

import { visible } from './call.js';
import { counted, duration, offsetText } from './clock.js';
import { el, fill } from './dom.js';
import { FAILING, UNPLACED, UNREACHED } from './box.js';
import { columnName, statesAt } from './grid.js';
import { served } from './scene.js';
import { differenceView, fullView, stateSwitch } from './state_view.js';
import { dueOf, falseParts, laneName } from './story.js';
import { longText, sourceOf } from './text_panel.js';

const OVERLAPS_SHOWN = 10;

/**
 * The reasons for which an explanation refuses what could come next.
 * @param {any} alternative
 */
function counterexampleReasons(alternative) {
  return alternative.candidates.map((/** @type {any} */ candidate) => candidate.reason ?? '').join(' ');
}

/**
 * The names in a text: the variables among them are what the reader looks for in a state.
 * @param {string} text
 */
function namesIn(text) {
  return new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
}

/** The panel at the right. */
export class Inspector {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.element = el('aside', { class: 'inspector', 'aria-label': 'Inspector', tabindex: 0 });
    this.isRaw = false;
  }

  update() {
    const { app } = this;
    const { view, facts } = app;
    const detail = app.detail?.inspection();
    const parts = view.row >= 0 && facts.timeline ? this.operation(view.row) : [];
    if (detail) parts.push(...detail);
    if (!parts.length) parts.push(...this.summary());
    fill(this.element, parts);
  }

  /**
   * @param {number} row
   * @returns {HTMLElement[]}
   */
  operation(row) {
    const { app } = this;
    const { facts } = app;
    const timeline = /** @type {import('./timeline.js').Timeline} */ (facts.timeline);
    const id = timeline.columns.id[row];
    const op = facts.ops.get(id);
    const badges = this.badges(row);
    return [
      el('h2', { class: 'call' }, longText(timeline.text(row))),
      el('p', { class: 'badges' }, badges),
      this.about(row, op),
      ...this.guesses(op),
      ...this.whyNot(id),
      ...this.writers(id),
      this.stateBlock(),
      this.assumptions(id),
      this.more(row),
      this.overlapping(row),
      sourceOf(app.scene, op?.place),
    ].filter((part) => part !== null);
  }

  /** @param {number} row */
  badges(row) {
    const { app } = this;
    const { timeline } = app.facts;
    const status = app.timelinePanel.status?.[row];
    const words = [];
    const isInCycle = app.facts.kind === 'transactions' && app.facts.failingRows.includes(row);
    if (isInCycle) words.push(['bad', 'part of the cycle']);
    else if (status === FAILING) words.push(['bad', app.facts.kind === 'test' ? 'it failed in this turn' : 'cannot be explained']);
    if (app.facts.markedRows.has(row)) words.push(['bad', app.facts.evidence.violation?.rule ? 'breaks the rule, too' : 'may be wrong']);
    if (status === UNPLACED) words.push(['open', 'not placed']);
    if (status === UNREACHED) words.push(['open', 'after the failure']);
    if (timeline?.isPending(row)) words.push(['open', 'never returned']);
    if (timeline?.isAborted(row)) words.push(['open', 'failed: left out']);
    return words.map(([kind, text]) => el('span', { class: `badge ${kind}` }, text));
  }

  /**
   * @param {number} row
   * @param {any} op
   */
  about(row, op) {
    const { facts } = this.app;
    const timeline = /** @type {import('./timeline.js').Timeline} */ (facts.timeline);
    const { start, end } = timeline.columns;
    const due = dueOf(facts);
    const zero = Number.isFinite(due) ? due : timeline.first;
    const base = BigInt(timeline.head.base);
    const raw = (/** @type {number} */ time) => String(base + BigInt(Math.round(time)));
    const isPending = timeline.isPending(row);
    const times = this.isRaw
      ? `${raw(start[row])} – ${isPending ? '' : raw(end[row])}`
      : `${offsetText(start[row] - zero, facts.unit)} to ${isPending ? '…' : offsetText(end[row] - zero, facts.unit)}` +
        (isPending ? '' : `, took ${duration(end[row] - start[row], facts.unit)}`);
    const toggle = el('button', { type: 'button', class: 'link', onclick: () => { this.isRaw = !this.isRaw; this.update(); } }, this.isRaw ? 'relative' : 'raw');
    const about = Number.isFinite(due) ? 'relative to the failure' : 'relative to the beginning';
    return el(
      'dl',
      { class: 'about' },
      el('dt', {}, facts.words.thread), el('dd', {}, visible(timeline.thread(row))),
      !timeline.isUntimed && [el('dt', {}, 'time'), el('dd', {}, times, ' ', toggle, !this.isRaw && el('div', { class: 'faint' }, about))],
      op?.label && [el('dt', {}, 'label'), el('dd', {}, visible(op.label))],
      op?.place && [el('dt', {}, 'recorded'), el('dd', { class: 'mono' }, visible(op.place))],
    );
  }

  /**
   * What may be wrong with a line of a log.
   * @param {any} op
   * @returns {HTMLElement[]}
   */
  guesses(op) {
    const { evidence } = this.app.facts;
    if (!(evidence.log?.suspects ?? []).some((/** @type {any} */ suspect) => suspect.id === op?.id)) return [];
    const named = evidence.log.guesses.filter((/** @type {string} */ guess) => guess.includes(op.place));
    return [el('h3', {}, 'What may be wrong'), ...named.map((/** @type {string} */ guess) => el('section', { class: 'reason' }, el('p', {}, visible(guess.slice(0, 400)))))];
  }

  /**
   * Why each explanation refuses the operation, equal reasons once.
   * @param {number} id
   * @returns {HTMLElement[]}
   */
  whyNot(id) {
    const { app } = this;
    const { counterexample, evidence } = app.facts;
    if (evidence.violation?.type === 'visibility' && evidence.violation.op.id === id) return this.unseen(evidence.violation);
    if (!counterexample) return [];
    /** @type {Map<string, {letters: string[], reason: string | null, states: string[], places: string[]}>} */
    const reasons = new Map();
    for (const path of app.pathsInFocus()) {
      const alternative = counterexample.alternatives[path.index];
      const candidate = alternative.candidates.find((/** @type {any} */ one) => one.op.id === id);
      if (!candidate) continue;
      const key = candidate.fate === 'refused' ? `r${candidate.reason}` : 'leads';
      /** @type {{letters: string[], reason: string | null, states: string[], places: string[]}} */
      const known = reasons.get(key) ?? { letters: [], reason: candidate.fate === 'refused' ? candidate.reason ?? '' : null, states: candidate.states ?? [], places: candidate.places ?? [] };
      known.letters.push(columnName(path.index));
      reasons.set(key, known);
    }
    if (!reasons.size) return [];
    const isFailing = app.facts.failing.has(id);
    return [
      el('h3', {}, isFailing ? 'Why not' : 'Could it come next?'),
      ...[...reasons.values()].slice(0, 12).map(({ letters, reason, states, places }) =>
        el(
          'section',
          { class: reason === null ? 'reason leads' : 'reason' },
          el('p', { class: 'letters' }, letters.length > 8 ? `${letters.slice(0, 8).join(' ')} and ${letters.length - 8} more` : letters.join(' '), reason === null ? ' — yes, but what follows fails' : ' — refused'),
          reason === null ? el('div', {}, states.slice(0, 2).map((state) => el('div', {}, longText(state)))) : this.reason(reason, places),
        ),
      ),
    ];
  }

  /**
   * @param {string} reason
   * @param {string[]} [places]  where its parts stand in the specification
   */
  reason(reason, places = []) {
    const { app } = this;
    const parts = falseParts(reason);
    if (!parts) return el('p', {}, longText(reason || 'the model does not say why', ''));
    return el(
      'div',
      {},
      parts.map(({ text, values, isFormula }, at) => [
        at > 0 && el('p', { class: 'faint' }, 'or'),
        isFormula ? el('p', { class: 'conjunct' }, el('code', {}, longText(text)), ' is false') : el('p', {}, longText(text, '')),
        values.length > 0 && el('dl', { class: 'values' }, values.map(([name, value]) => [el('dt', {}, visible(name)), el('dd', {}, longText(value))])),
        sourceOf(app.scene, places[at]),
      ]),
    );
  }

  /** @param {any} violation */
  unseen(violation) {
    const { ops } = this.app.facts;
    return [
      el('h3', {}, 'What it could see'),
      ...violation.candidates.slice(0, 12).map((/** @type {any} */ candidate) =>
        el(
          'section',
          { class: 'reason' },
          el('p', { class: 'letters' }, candidate.sees.length ? 'seeing ' : 'seeing nothing', candidate.sees.map((/** @type {number} */ id, /** @type {number} */ at) => [at > 0 && ', ', this.link(id, ops.get(id)?.text ?? String(id))])),
          el('p', {}, el('span', { class: 'faint' }, 'state '), longText(candidate.state)),
          this.reason(candidate.reason ?? '', candidate.places),
        ),
      ),
      ...(violation.core?.length ? [el('h3', {}, 'Cannot be explained together'), el('ul', { class: 'list' }, violation.core.map((/** @type {any} */ op) => el('li', {}, this.link(op.id, op.text))))] : []),
    ];
  }

  /**
   * Who wrote last what the failing operation read.
   * @param {number} id
   */
  writers(id) {
    const { evidence, failing, words } = this.app.facts;
    const writers = failing.has(id) ? evidence.last_writers ?? [] : [];
    if (!writers.length) return [];
    return [
      el('h3', {}, 'What it read, and who wrote it last'),
      el(
        'ul',
        { class: 'list writers' },
        writers.map((/** @type {any} */ writer) =>
          el('li', {}, el('code', {}, visible(writer.cell)), ' = ', longText(writer.value), ' ← ', writer.by ? this.link(writer.by.id, `${writer.by.text} · ${laneName(words, writer.by.thread)}`) : el('span', { class: 'faint' }, 'as it was at the beginning'), writer.is_certain ? '' : el('span', { class: 'faint' }, ' (in one explanation)')),
        ),
      ),
    ];
  }

  /** The state of the selected explanation at the selected depth. */
  stateBlock() {
    const { app } = this;
    const { facts, view } = app;
    const path = facts.paths[view.path];
    if (!path) return null;
    const agreed = facts.counterexample.agreed?.states?.[0] ?? null;
    const depth = Math.max(0, view.step);
    const known = statesAt(path, depth, agreed);
    const { before } = known;
    const after = known.after ?? (depth === 0 ? facts.counterexample.alternatives[path.index].state : null);
    const others = app.pathsInFocus().filter(({ index }) => index !== path.index);
    const other = others.find(({ index }) => index === view.against);
    const against = other ? facts.counterexample.alternatives[other.index].state : before;
    const state = other ? facts.counterexample.alternatives[path.index].state : after;
    if (state === null) return null;
    const select = /** @type {HTMLSelectElement} */ (
      el('select', { 'aria-label': 'Compare with' }, el('option', { value: -1 }, 'against the state before'), others.slice(0, 63).map(({ index }) => el('option', { value: index }, `against ${columnName(index)}`)))
    );
    select.value = String(other ? view.against : -1);
    select.addEventListener('change', () => app.change({ against: Number(select.value) }));
    const { violation } = facts.evidence;
    // A rule is about a few operations, and so is the state that they lead to: the trace may have more in it.
    const whose = violation?.rule ? 'State of the minimal sub-history' : 'State';
    const name = facts.paths.length > 1 ? ` in ${columnName(path.index)}` : '';
    const title = other || depth === 0 ? `${whose} before the failure${name}` : `${whose}${name}, ${counted(depth, 'step')} earlier`;
    const reasons = counterexampleReasons(facts.counterexample.alternatives[path.index]);
    return el(
      'section',
      { class: 'states' },
      el('h3', {}, title),
      violation?.rule ? el('p', { class: 'faint' }, `of the ${counted(violation.rule_ops.length, 'operation')} that break the rule, not of the whole trace: what others left is missing here`) : null,
      // The states of Line-Up are serial runs: sentences, of which there is no difference.
      facts.kind === 'run' ? el('p', {}, longText(state)) : el('p', { class: 'tools' }, stateSwitch(app), others.length > 0 && select),
      facts.kind === 'run' ? null : view.states === 'diff' && against !== null ? differenceView(against, state) : fullView(state, against, namesIn(reasons)),
    );
  }

  /**
   * What can be assumed about an operation.
   * @param {number} id
   */
  assumptions(id) {
    const { app } = this;
    const paths = app.pathsInFocus();
    const open = paths.filter((path) => path.open.includes(id)).length;
    if (open === 0 || open === paths.length) return null;
    return el(
      'p',
      { class: 'tools' },
      el('button', { type: 'button', onclick: () => app.assume({ kind: 'placed', op: id }) }, 'assume it took effect'),
      el('button', { type: 'button', onclick: () => app.assume({ kind: 'unplaced', op: id }) }, 'assume it had not yet'),
    );
  }

  /**
   * What the server can compute about it.
   * @param {number} row
   */
  more(row) {
    const { scene, story } = this.app;
    if (!scene.live || story.explained_as === null) return null;
    return el('p', {}, el('a', { href: served(`upto/${story.explained_as}/${row}`), target: '_blank', rel: 'noopener' }, 'explain everything up to its return'), el('span', { class: 'faint' }, ' — checks the trace again, in a new tab'));
  }

  /** @param {number} row */
  overlapping(row) {
    const { app } = this;
    const { timeline, words } = app.facts;
    const rows = timeline?.overlaps(row, 1000) ?? [];
    if (!timeline || !rows.length) return null;
    return el(
      'section',
      {},
      el('h3', {}, rows.length === 1000 ? `Overlaps more than 1,000 ${words.operation}s` : `Overlaps ${counted(rows.length, words.operation)}`),
      el('ul', { class: 'list' }, rows.slice(0, OVERLAPS_SHOWN).map((other) => el('li', {}, el('button', { type: 'button', class: 'link', onclick: () => app.select(other, true) }, visible(timeline.text(other).slice(0, 200))), el('span', { class: 'faint' }, ` ${visible(laneName(words, timeline.thread(other)))}`)))),
      rows.length > OVERLAPS_SHOWN && el('p', { class: 'faint' }, `and ${rows.length - OVERLAPS_SHOWN} more, outlined in the timeline`),
    );
  }

  /**
   * @param {number} id
   * @param {string} text
   */
  link(id, text) {
    return el('button', { type: 'button', class: 'link', onclick: () => this.app.selectId(id) }, visible(text.slice(0, 200)));
  }

  /** @returns {HTMLElement[]} */
  summary() {
    const { facts } = this.app;
    if (facts.timeline) return [el('p', { class: 'faint' }, `Click ${facts.words.operation === 'line' ? 'a line' : 'an operation'}, or press an arrow key. ? lists all keys.`)];
    return [];
  }
}
