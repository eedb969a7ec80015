// The grid of explanations on the page, from the violation backwards, with its assumptions.

import { cut, visible } from './call.js';
import { counted, grouped } from './clock.js';
import { el } from './dom.js';
import { columnName, gridOf } from './grid.js';
import { labelIn } from './label.js';
import { openMenu } from './menu.js';
import { falseParts, laneName } from './story.js';

/** Rows shown before the reader asks for more. */
const ROWS_FIRST = 6;
const ROWS_MORE = 24;
const ENDINGS_SHOWN = 20;

/**
 * What was false, without the values: the inspector has them.
 * @param {string} reason
 */
function shortReason(reason) {
  const parts = falseParts(reason);
  return parts ? parts.map(({ text, isFormula }) => (isFormula ? `${text} is false` : text)).join(' or ') : reason;
}

/** How many characters a row of the grid has room for, and a cell has at least: beyond that the grid is scrolled to the side. */
const GRID_ROOM = 112;
const CELL_ROOM = 30;

/**
 * @param {number} width  how many columns a cell has
 * @param {number} columns  how many there are
 */
function roomOf(width, columns) {
  return Math.max(CELL_ROOM, Math.floor(GRID_ROOM / columns)) * width;
}

/**
 * A call for a cell of the grid.
 * @param {string} text
 * @param {number} characters
 */
function shortened(text, characters) {
  return labelIn(visible(text.slice(0, 400)), characters);
}

/** The panel with the grid. */
export class Explanations {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.shown = ROWS_FIRST;
    this.sharedShown = ROWS_FIRST;
  }

  /** @returns {(HTMLElement | null)[]} */
  view() {
    const { app } = this;
    const { facts, view } = app;
    const { counterexample, paths } = facts;
    if (!counterexample) return [];
    const left = app.pathsInFocus();
    const grid = gridOf(left);
    const hidden = grid.rows.length - this.shown;
    const unlisted = Number(counterexample.alternatives_total) - paths.length;
    return [
      this.suspects(),
      this.chips(left.length),
      left.length === 0
        ? el('p', { class: 'empty' }, 'No explanation is left: these assumptions contradict each other, or the trace. Esc takes the last one back.')
        : el(
            'div',
            { class: 'gridscroll', tabindex: 0, 'aria-label': 'Explanations' },
            el(
              'table',
              { class: 'grid' },
              el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'before'), grid.columns.map((path) => this.head(path)))),
              el(
                'tbody',
                {},
                this.failure(grid),
                grid.rows.slice(0, this.shown).map((row, depth) => this.row(grid, row, depth)),
                hidden > 0 && el('tr', { class: 'more' }, el('th', {}), el('td', { colspan: grid.columns.length }, el('button', { type: 'button', class: 'link', onclick: () => { this.shown += ROWS_MORE; app.update(); } }, counted(hidden, 'earlier step')))),
                this.agreed(grid),
                this.sharedRows(grid),
              ),
            ),
          ),
      unlisted > 0 ? el('p', { class: 'faint' }, unlisted === 1 ? '1 more explanation ends here in the same way; it is not listed.' : `${grouped(unlisted)} more explanations end here in the same way; they are not listed.`) : null,
      view.focus.length === 0 && left.length > 1 ? el('p', { class: 'faint' }, 'Enter or right-click on a cell: assume something, and what contradicts it disappears.') : null,
      ...endingsOfLog(facts.evidence.log),
    ];
  }

  /** What may be wrong with a log: lines that are named can be gone to. */
  suspects() {
    const { app } = this;
    const guesses = /** @type {string[]} */ (app.facts.evidence.log?.guesses ?? []);
    if (!guesses.length) return null;
    const named = [...app.facts.ops.values()].filter(({ place }) => place).sort((a, b) => b.place.length - a.place.length);
    const linked = (/** @type {string} */ text) => {
      const op = named.find(({ place }) => text.includes(place));
      if (!op) return [visible(text)];
      const at = text.indexOf(op.place);
      return [visible(text.slice(0, at)), app.inspector.link(op.id, op.place), visible(text.slice(at + op.place.length))];
    };
    return el('section', { class: 'suspects' }, el('h3', {}, 'What may be wrong'), el('ul', { class: 'list' }, guesses.slice(0, ENDINGS_SHOWN).map((guess) => el('li', {}, linked(guess.slice(0, 400))))));
  }

  /** @param {number} left */
  chips(left) {
    const { app } = this;
    const { view, facts } = app;
    if (!view.focus.length) return null;
    const name = (/** @type {number} */ id) => cut(visible(facts.ops.get(id)?.text ?? `operation ${id}`), 40);
    const text = (/** @type {import('./focus.js').Assumption} */ one) => {
      switch (one.kind) {
        case 'only':
          return `only ${columnName(one.path)}`;
        case 'not':
          return `not ${columnName(one.path)}`;
        case 'placed':
          return `${name(one.op)} took effect`;
        case 'unplaced':
          return `${name(one.op)} not yet`;
        case 'before':
          return `${name(one.first)} before ${name(one.then)}`;
      }
    };
    return el(
      'div',
      { class: 'chips', role: 'group', 'aria-label': 'Assumptions' },
      el('span', { class: 'faint' }, `${left} of ${facts.paths.length} explanations, assuming`),
      view.focus.map((one, at) =>
        el('button', { type: 'button', class: 'chip', title: 'take it back', onclick: () => app.change({ focus: view.focus.filter((_, other) => other !== at) }) }, text(one), el('span', { 'aria-hidden': 'true' }, ' ✕')),
      ),
    );
  }

  /** @param {import('./focus.js').Path} path */
  head(path) {
    const { app } = this;
    const name = columnName(path.index);
    return el(
      'th',
      { scope: 'col', class: path.index === app.view.path ? 'chosen' : '' },
      el('button', { type: 'button', 'aria-label': `Explanation ${name}`, onclick: () => app.change({ path: path.index, step: -1 }), oncontextmenu: (/** @type {MouseEvent} */ event) => this.menu(event, [path], null), onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && this.menu(event, [path], null) }, name),
    );
  }

  /**
   * The first row: the operation that nothing explains, with what each explanation says to it. Equal answers are one cell.
   * @param {import('./grid.js').Grid} grid
   */
  failure({ columns }) {
    const { app } = this;
    const { counterexample } = app.facts;
    /** @type {{text: string, from: number, width: number}[]} */
    const cells = [];
    columns.forEach((path, at) => {
      const candidate = counterexample.alternatives[path.index].candidates.find((/** @type {any} */ one) => one.op.id === counterexample.op.id);
      const text = candidate?.fate === 'refused' ? candidate.reason || 'refused' : candidate ? 'possible, but what follows fails' : 'placed earlier';
      const last = cells.at(-1);
      if (last && last.text === text) last.width += 1;
      else cells.push({ text, from: at, width: 1 });
    });
    return el(
      'tr',
      { class: 'failure' },
      el('th', { scope: 'row' }, '✗'),
      cells.map(({ text, from, width }) =>
        el('td', { colspan: width }, el('button', { type: 'button', 'data-grid': `0:${from}`, title: visible(text.slice(0, 1000)), onclick: () => { app.view.path = columns[from].index; app.view.step = -1; app.selectId(counterexample.op.id); } }, el('span', { class: 'op' }, shortened(counterexample.op.text, roomOf(width, columns.length))), el('span', { class: 'why' }, cut(visible(shortReason(text.slice(0, 2000))), roomOf(width, columns.length) + 10)))),
      ),
    );
  }

  /**
   * @param {import('./grid.js').Grid} grid
   * @param {import('./grid.js').Cell[]} row
   * @param {number} depth
   */
  row({ columns }, row, depth) {
    const { app } = this;
    const { facts, view } = app;
    const selected = view.row >= 0 ? facts.timeline?.columns.id[view.row] : -1;
    const cells = [];
    let column = 0;
    for (const { op, from, width } of row) {
      if (from > column) cells.push(el('td', { colspan: from - column, class: 'ended' }));
      column = from + width;
      const shown = facts.ops.get(op);
      const paths = columns.slice(from, from + width);
      const isChosen = op === selected;
      const isPath = paths.some(({ index }) => index === view.path) && view.step === depth;
      const choose = () => {
        const path = paths.find(({ index }) => index === view.path) ?? paths[0];
        view.path = path.index;
        view.step = depth;
        app.selectId(op);
        if (facts.timeline?.rowById.get(op) === undefined) app.update();
      };
      cells.push(
        el(
          'td',
          { colspan: width, class: `${isChosen ? 'selected' : ''} ${isPath ? 'chosen' : ''} ${width === columns.length && columns.length > 1 ? 'shared' : ''}` },
          el('button', { type: 'button', 'data-grid': `${depth + 1}:${from}`, title: visible((shown?.text ?? '').slice(0, 1000)), onclick: choose, oncontextmenu: (/** @type {MouseEvent} */ event) => this.menu(event, paths, op), onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && this.menu(event, paths, op) }, shortened(shown?.text ?? `operation ${op}`, roomOf(width, columns.length)), shown && el('span', { class: 'faint' }, ` ${cut(visible(laneName(facts.words, shown.thread)), 20)}`)),
        ),
      );
    }
    if (column < columns.length) cells.push(el('td', { colspan: columns.length - column, class: 'ended' }));
    return el('tr', {}, el('th', { scope: 'row' }, `−${depth + 1}`), cells);
  }

  /** @param {import('./grid.js').Grid} grid */
  agreed({ columns }) {
    const { app } = this;
    const { agreed } = app.facts.counterexample;
    if (!agreed) return null;
    const last = agreed.last;
    // Evidence that was not written to be looked at lists the last operations, whether all agree on them or not.
    const isListed = columns.some(({ isWhole, steps }) => !isWhole && steps.length > 0);
    return el(
      'tr',
      { class: 'agreed' },
      el('th', { scope: 'row' }, '⋯'),
      el(
        'td',
        { colspan: columns.length },
        el('span', { class: 'faint' }, isListed ? 'altogether ' : columns.length > 1 ? 'all agree up to here: ' : 'before that: '),
        `${counted(agreed.placed, app.facts.words.operation)} placed`,
        last && [', the last ', el('button', { type: 'button', class: 'link', onclick: () => app.selectId(last.id) }, cut(visible(last.text), 60))],
        agreed.states[0] !== undefined && [el('span', { class: 'faint' }, ' leaving '), el('code', { title: visible(agreed.states[0].slice(0, 2000)) }, cut(visible(agreed.states[0].slice(0, 2000)), 120))],
      ),
    );
  }

  /**
   * What all explanations agree on, backwards.
   * @param {import('./grid.js').Grid} grid
   */
  sharedRows({ columns }) {
    const { app } = this;
    const { facts, view } = app;
    const path = columns.find(({ index }) => index === view.path) ?? columns[0];
    const { shared } = path;
    const selected = view.row >= 0 ? facts.timeline?.columns.id[view.row] : -1;
    const rows = [];
    for (let back = 0; back < Math.min(this.sharedShown, shared.length); back++) {
      const { op } = shared[shared.length - 1 - back];
      const shown = facts.ops.get(op);
      const depth = path.steps.length + back;
      const choose = () => {
        view.path = path.index;
        view.step = depth;
        app.selectId(op);
      };
      rows.push(
        el('tr', { class: 'common' }, el('th', { scope: 'row' }, `−${depth + 1}`), el('td', { colspan: columns.length, class: `${op === selected ? 'selected' : ''} ${view.step === depth ? 'chosen' : ''}` }, el('button', { type: 'button', 'data-grid': `${1000 + back}:0`, title: visible((shown?.text ?? '').slice(0, 1000)), onclick: choose }, shortened(shown?.text ?? `operation ${op}`, GRID_ROOM), shown && el('span', { class: 'faint' }, ` ${cut(visible(laneName(facts.words, shown.thread)), 20)}`)))),
      );
    }
    const rest = shared.length - rows.length;
    if (rest > 0) rows.push(el('tr', { class: 'more' }, el('th', {}), el('td', { colspan: columns.length }, el('button', { type: 'button', class: 'link', onclick: () => { this.sharedShown += ROWS_MORE; app.update(); } }, counted(rest, 'earlier step')))));
    return rows;
  }

  /**
   * What can be assumed about a cell.
   * @param {Event} event
   * @param {import('./focus.js').Path[]} paths
   * @param {number | null} op
   */
  menu(event, paths, op) {
    const { app } = this;
    const { facts, view } = app;
    event.preventDefault();
    event.stopPropagation();
    const name = (/** @type {number} */ id) => cut(visible(facts.ops.get(id)?.text ?? `operation ${id}`), 36);
    /** @type {[string, () => void][]} */
    const items = [];
    if (paths.length === 1) {
      const [{ index }] = paths;
      items.push([`only ${columnName(index)}`, () => app.assume({ kind: 'only', path: index })]);
      items.push([`not ${columnName(index)}`, () => app.assume({ kind: 'not', path: index })]);
    }
    const selected = view.row >= 0 ? facts.timeline?.columns.id[view.row] : undefined;
    if (op !== null && selected !== undefined && selected !== op && facts.ops.has(selected) && !facts.failing.has(selected)) {
      items.push([`${name(op)} before ${name(selected)}`, () => app.assume({ kind: 'before', first: op, then: selected })]);
      items.push([`${name(selected)} before ${name(op)}`, () => app.assume({ kind: 'before', first: selected, then: op })]);
    }
    if (op !== null) {
      // What comes before or after it in the explanation of the cell.
      const { steps } = paths[0];
      const at = steps.findIndex((step) => step.op === op);
      for (const near of [steps[at - 1], steps[at + 1]]) {
        if (!near || near.op === selected) continue;
        const [first, then] = near === steps[at - 1] ? [near.op, op] : [op, near.op];
        items.push([`${name(first)} before ${name(then)}`, () => app.assume({ kind: 'before', first, then })]);
        items.push([`${name(then)} before ${name(first)}`, () => app.assume({ kind: 'before', first: then, then: first })]);
      }
      items.push([`${name(op)} took effect`, () => app.assume({ kind: 'placed', op })]);
      items.push([`${name(op)} not yet`, () => app.assume({ kind: 'unplaced', op })]);
    }
    openMenu(/** @type {HTMLElement} */ (event.currentTarget), 'Assume', items);
  }
}

/**
 * Where else explanations of a log end.
 * @param {any} log  null if it is no log
 * @returns {(HTMLElement | null)[]}
 */
function endingsOfLog(log) {
  const list = (/** @type {string} */ title, /** @type {string[]} */ items) =>
    items.length ? el('section', {}, el('h3', {}, title), el('ul', { class: 'list' }, items.slice(0, ENDINGS_SHOWN).map((item) => el('li', {}, visible(item.slice(0, 400)))))) : null;
  const elsewhere = (log?.endings ?? []).slice(1).map((/** @type {any} */ one) => `after ${counted(one.lines, 'line')}, before ${one.refused.join(', ')} (${counted(one.states, 'state')})`);
  return [list('Other explanations end elsewhere', elsewhere)];
}
