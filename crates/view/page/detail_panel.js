// Below the timeline: what the evidence has to say, in tabs. Which tabs there are depends on the kind of evidence.

import { visible } from './call.js';
import { Behaviour } from './behaviour.js';
import { el, fill } from './dom.js';
import { Explanations } from './explanations.js';
import { testView } from './failing_test.js';
import { figuresView } from './figures.js';
import { Graph } from './graph_view.js';
import { scheduleView } from './schedule.js';
import { laneName } from './story.js';
import { longText } from './text_panel.js';
import { cycleView } from './transactions.js';
import { Witness } from './witness.js';

/** The tabs. */
export class DetailPanel {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.explanations = new Explanations(app);
    this.behaviour = new Behaviour(app);
    this.witness = new Witness(app);
    this.graph = new Graph(app);
    this.element = el('section', { class: 'detail', 'aria-label': 'Evidence' });
    this.isDrawn = false;
  }

  /** @returns {[string, () => any][]} */
  tabs() {
    const { facts } = this.app;
    const { evidence } = facts;
    const { violation } = evidence;
    /** @type {[string, () => any][]} */
    const tabs = [];
    if (facts.counterexample?.alternatives.length) tabs.push(['Explanations', () => this.explanations.view()]);
    if (violation?.type === 'behaviour') tabs.push(['Behaviour', () => this.behaviour.view()]);
    if (evidence.graph?.states.length) tabs.push(['State graph', () => this.graph.view()]);
    if (violation?.type === 'run') {
      tabs.unshift(['Interleaving', () => scheduleView(this.app, violation)]);
    }
    if (violation?.type === 'test') tabs.unshift(['Interleaving', () => testView(this.app, violation)]);
    if (violation?.type === 'nondeterminism') tabs.push(['Serial runs', () => serialRuns(violation)]);
    if (violation?.type === 'transactions') tabs.push(['Dependencies', () => cycleView(this.app, violation)]);
    if (facts.order.length || evidence.witness?.type === 'commits') {
      tabs.push([violation ? 'Longest order' : 'Witness', () => this.witness.view()]);
    }
    if (violation?.rule) tabs.unshift(['Rule', () => [el('p', {}, visible(violation.rule)), el('ul', { class: 'list' }, violation.rule_ops.map((/** @type {any} */ op) => el('li', {}, this.app.inspector.link(op.id, `${op.text} · ${laneName(facts.words, op.thread)}`))))]]);
    if (facts.kind !== 'trace' && facts.kind !== 'nothing') tabs.push(['Figures', () => figuresView(facts)]);
    if (evidence.notes?.length) tabs.push([`Notes (${evidence.notes.length})`, () => el('ul', { class: 'list notes' }, evidence.notes.map((/** @type {string} */ note) => el('li', {}, longText(note, ''))))]);
    return tabs;
  }

  update() {
    const tabs = this.tabs();
    const { chosen } = this;
    this.element.hidden = tabs.length === 0;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const place = active?.dataset.grid;
    const tab = active?.getAttribute('role') === 'tab' ? active.textContent : null;
    const scroller = this.element.querySelector('.gridscroll, .states, .panel');
    const scroll = scroller ? [scroller.scrollLeft, scroller.scrollTop] : [0, 0];
    fill(
      this.element,
      el(
        'div',
        { role: 'tablist', class: 'tabs', 'aria-label': 'Evidence' },
        tabs.map(([name]) => el('button', { type: 'button', role: 'tab', 'aria-selected': String(name === chosen), tabindex: name === chosen ? 0 : -1, onclick: () => this.choose(name), onkeydown: (/** @type {KeyboardEvent} */ event) => this.arrow(event, tabs.map(([one]) => one)) }, name)),
      ),
      el('div', { class: 'panel', role: 'tabpanel', 'aria-label': chosen }, tabs.find(([name]) => name === chosen)?.[1]()),
    );
    const again = this.element.querySelector('.gridscroll, .states, .panel');
    if (again) [again.scrollLeft, again.scrollTop] = scroll;
    // What was drawn anew keeps the focus of the keyboard.
    if (place) /** @type {HTMLElement | null} */ (this.element.querySelector(`[data-grid="${place}"]`))?.focus({ preventScroll: true });
    if (tab) /** @type {HTMLElement | undefined} */ ([...this.element.querySelectorAll('[role=tab]')].find((one) => one.textContent === tab))?.focus();
    const now = this.element.querySelector('.now');
    const panel = this.element.querySelector('.panel');
    if (this.isDrawn) now?.scrollIntoView({ block: 'nearest' });
    // A page opens at its top, and one that it is shown in stays where it is: only the panel scrolls.
    else if (now && panel) panel.scrollTop += Math.max(0, now.getBoundingClientRect().bottom - panel.getBoundingClientRect().bottom);
    this.isDrawn = true;
  }

  /** The name of the tab that is shown. */
  get chosen() {
    const names = this.tabs().map(([name]) => name);
    return names.includes(this.app.view.tab) ? this.app.view.tab : names[0] ?? '';
  }

  /** @param {string} name */
  choose(name) {
    this.app.change({ tab: name });
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string[]} names
   */
  arrow(event, names) {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!direction) return;
    event.preventDefault();
    const next = (names.indexOf(this.chosen) + direction + names.length) % names.length;
    this.choose(names[next]);
    /** @type {HTMLElement | null} */ (this.element.querySelector('[aria-selected=true]'))?.focus();
  }

  /**
   * The next step of what is stepped through.
   * @param {number} direction
   */
  step(direction) {
    const { facts } = this.app;
    if (facts.kind === 'behaviour') this.behaviour.step(direction);
    else this.witness.step(direction);
  }

  /** @param {string} key */
  moveInGrid(key) {
    const cells = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll('[data-grid]')]);
    if (!cells.length) return;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!active?.dataset.grid) return cells[0].focus();
    const [row, column] = active.dataset.grid.split(':').map(Number);
    const places = cells.map((cell) => ({ cell, at: (cell.dataset.grid ?? '').split(':').map(Number) }));
    const down = key === 'j' ? 1 : key === 'k' ? -1 : 0;
    const inRow = places.filter(({ at }) => at[0] === row + down);
    const current = inRow.filter(({ at }) => at[1] <= column).at(-1) ?? inRow[0];
    const next = down ? current : inRow[inRow.findIndex(({ at }) => at[1] === column) + (key === 'l' ? 1 : -1)];
    next?.cell.focus();
    next?.cell.click();
  }

  /** What the inspector is to show besides the operation. */
  inspection() {
    const { facts } = this.app;
    if (this.chosen === 'State graph') return this.graph.inspection();
    if (facts.kind === 'behaviour') return this.behaviour.inspection();
    if (facts.order.length) return this.witness.inspection();
    return null;
  }
}

/** @param {any} violation */
function serialRuns(violation) {
  return [
    el('p', {}, 'Two runs without any concurrency, equal up to a call that answers differently:'),
    el('div', { class: 'pair' }, ['one', 'other'].map((name) => el('ol', {}, violation[name].split(' → ').map((/** @type {string} */ call) => el('li', { class: 'mono' }, visible(call)))))),
    el('p', { class: 'faint' }, `matrix ${visible(violation.matrix)}`),
  ];
}
