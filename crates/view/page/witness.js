// The order that explains a history, to step through: forwards and back, with the state beside it.

import { visible } from './call.js';
import { grouped } from './clock.js';
import { el } from './dom.js';
import { differenceView, fullView, stateSwitch } from './state_view.js';
import { laneName } from './story.js';

/** How many steps are listed around the one that is looked at. */
const LISTED = 200;

/** The witness of a valid history, or the longest order of one that is not. */
export class Witness {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
  }

  view() {
    const { app } = this;
    const { order, ops, timeline, evidence, words } = app.facts;
    if (evidence.witness?.type === 'commits') {
      return [el('p', { class: 'faint' }, 'Committed in this order, every transaction reads what it read:'), el('ol', { class: 'list' }, evidence.witness.order.map((/** @type {string} */ name) => el('li', { class: 'mono' }, visible(name))))];
    }
    const { step } = app.view;
    const earlier = evidence.witness?.left_out_before ?? 0;
    const from = Math.max(0, Math.min(step - LISTED / 2, order.length - LISTED));
    const range = /** @type {HTMLInputElement} */ (
      el('input', { type: 'range', min: 0, max: Math.max(0, order.length - 1), value: Math.max(0, step), 'aria-label': 'Step of the order' })
    );
    range.addEventListener('input', () => this.goTo(Number(range.value)));
    return [
      el('p', { class: 'tools' }, el('button', { type: 'button', onclick: () => this.step(-1) }, '← p'), range, el('button', { type: 'button', onclick: () => this.step(1) }, 'n →'), el('span', { class: 'faint' }, `${step < 0 ? '–' : grouped(earlier + step + 1)} of ${grouped(earlier + order.length)}`)),
      el(
        'ol',
        { class: 'steps order', start: earlier + from + 1 },
        order.slice(from, from + LISTED).map(({ op }, at) => {
          const row = timeline?.rowById.get(op);
          const text = ops.get(op)?.text ?? (row === undefined ? `operation ${op}` : timeline?.text(row) ?? '');
          const thread = ops.get(op)?.thread ?? (row === undefined ? '' : timeline?.thread(row));
          return el('li', { class: from + at === step ? 'now' : '' }, el('button', { type: 'button', onclick: () => this.goTo(from + at) }, el('span', { class: 'number' }, grouped(earlier + from + at + 1)), el('span', { class: 'action' }, visible(text.slice(0, 300))), el('span', { class: 'faint' }, visible(laneName(words, thread ?? '')))));
        }),
      ),
    ];
  }

  inspection() {
    const { app } = this;
    const { order } = app.facts;
    const here = order[app.view.step];
    if (!here || here.state === null) return null;
    const before = order[app.view.step - 1]?.state ?? null;
    return [
      el('h3', {}, `State after step ${grouped((app.facts.evidence.witness?.left_out_before ?? 0) + app.view.step + 1)}`),
      el('p', { class: 'tools' }, stateSwitch(app)),
      app.view.states === 'diff' && before !== null ? differenceView(before, here.state) : fullView(here.state, before),
    ];
  }

  /** @param {number} direction */
  step(direction) {
    const { order } = this.app.facts;
    if (order.length) this.goTo(Math.max(0, Math.min(order.length - 1, this.app.view.step + direction)));
  }

  /** @param {number} step */
  goTo(step) {
    const { app } = this;
    app.view.step = step;
    const row = app.facts.timeline?.rowById.get(app.facts.order[step].op);
    if (row !== undefined) app.select(row, true);
    else app.update();
  }
}
