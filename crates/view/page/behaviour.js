// A behaviour of a specification: its states with what changes in each step, and where an infinite one repeats.

import { algorithmView, stepAbout, stepBack, waitingView } from './algorithm.js';
import { visible } from './call.js';
import { el } from './dom.js';
import { differenceView, fullView, stateSwitch } from './state_view.js';
import { longText, sourceOf } from './text_panel.js';
import { systemDifferenceView } from './system_difference.js';
import { stateText, tlaText } from './value.js';

/** The states of a counterexample of `mc`. */
export class Behaviour {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
  }

  get violation() {
    return this.app.facts.evidence.violation;
  }

  get chosen() {
    const last = this.violation.trace.length - 1;
    return this.app.view.step < 0 ? last : Math.min(this.app.view.step, last);
  }

  view() {
    const { app, violation, chosen } = this;
    const { trace, lasso } = violation;
    const changes = (/** @type {number} */ at) => (at === 0 ? firstValues(trace[0]) : differenceView(stateText(trace[at - 1].values), stateText(trace[at].values)));
    const choose = (/** @type {number} */ at) => app.change({ step: at, state: -1 });
    return [
      violation.difference && systemDifferenceView(violation.difference),
      violation.false_part && el('p', { class: 'conjunct' }, el('code', {}, longText(violation.false_part.text)), violation.difference ? ' is false for what was seen' : ' is false in the last state'),
      violation.algorithm && waitingView(violation.algorithm),
      violation.algorithm ? algorithmView(violation, chosen, choose, changes) : el(
        'ol',
        { class: 'steps', 'aria-label': 'States' },
        trace.map((/** @type {any} */ state, /** @type {number} */ at) => {
          const isInCycle = lasso != null && state.number >= lasso;
          return el(
            'li',
            { class: `${at === chosen ? 'now' : ''} ${isInCycle ? 'cycle' : ''} ${at === trace.length - 1 && lasso == null ? 'last' : ''}` },
            el(
              'button',
              { type: 'button', 'aria-current': at === chosen ? 'step' : null, onclick: () => choose(at) },
              el('span', { class: 'number' }, state.number),
              el('span', { class: 'action' }, actionText(state.action)),
              el('span', { class: 'delta' }, changes(at)),
            ),
          );
        }),
      ),
      lasso != null && el('p', { class: 'lasso' }, lasso === trace.length && !violation.back ? `↺ from here nothing changes any more: the behaviour stays in state ${lasso} for ever` : `↺ ${violation.back ? `${stepBack(violation) ?? actionText(violation.back)} leads from here` : 'from here the behaviour goes'} back to state ${lasso}, and that repeats for ever`),
      reasonList('Why it is a violation', violation.reasons),
      reasonList('Fairness', violation.fairness),
      trace.length === 0 && el('p', { class: 'empty' }, 'No states were kept.'),
    ];
  }

  inspection() {
    const { app, violation, chosen } = this;
    const state = violation.trace[chosen];
    if (!state) return null;
    const before = chosen > 0 ? stateText(violation.trace[chosen - 1].values) : null;
    const text = stateText(state.values);
    const isLast = chosen === violation.trace.length - 1;
    const part = violation.false_part;
    return [
      el('h2', {}, `State ${state.number} of ${violation.trace.length}`),
      stepAbout(violation, chosen) ?? el('p', {}, actionText(state.action)),
      el('p', { class: 'tools' }, stateSwitch(app), el('button', { type: 'button', onclick: () => this.step(-1) }, '← p'), el('button', { type: 'button', onclick: () => this.step(1) }, 'n →')),
      app.view.states === 'diff' && before !== null ? differenceView(before, text) : fullView(text, before),
      isLast && part && el('section', { class: 'reason' }, el('p', { class: 'conjunct' }, el('code', {}, longText(part.text)), ' is false'), el('dl', { class: 'values' }, Object.entries(part.bindings).map(([name, value]) => [el('dt', {}, visible(name)), el('dd', {}, longText(String(value)))])), sourceOf(app.scene, part.place, part.text)),
      state.action && sourceOf(app.scene, state.action.place),
    ].filter(Boolean);
  }

  /** @param {number} direction */
  step(direction) {
    const { trace, lasso } = this.violation;
    let next = this.chosen + direction;
    // An infinite behaviour goes round.
    if (next >= trace.length) next = lasso != null ? lasso - 1 : trace.length - 1;
    this.app.change({ step: Math.max(0, next), state: -1 });
  }
}

/** @param {any} action */
function actionText(action) {
  if (!action) return 'initial state';
  const bindings = Object.entries(action.bindings).map(([name, value]) => `${name} = ${tlaText(value)}`);
  return visible(bindings.length ? `${action.name}(${bindings.join(', ')})` : action.name);
}

/** @param {any} state */
function firstValues(state) {
  return el('ul', { class: 'changes' }, Object.entries(state.values).map(([name, value]) => el('li', {}, el('span', { class: 'path' }, visible(name), ' '), longText(tlaText(value)))));
}

/**
 * Why formulas hold or fail for an infinite behaviour.
 * @param {string} title
 * @param {{formula: string, bindings: Record<string, any>, holds: boolean, reason: string}[] | undefined} reasons
 */
function reasonList(title, reasons) {
  if (!reasons?.length) return null;
  return el(
    'section',
    { class: 'reasons' },
    el('h3', {}, title),
    el(
      'ul',
      {},
      ...reasons.map((one) =>
        el(
          'li',
          { class: one.holds ? 'holds' : 'fails' },
          el('span', { class: 'formula' }, `${one.holds ? '✓' : '✗'} `, longText(one.formula), boundNames(one.bindings)),
          el('span', { class: 'why' }, longText(one.reason, '')),
        ),
      ),
    ),
  );
}

/** @param {Record<string, any>} bindings */
function boundNames(bindings) {
  const names = Object.entries(bindings).map(([name, value]) => `${name} = ${tlaText(value)}`);
  return names.length ? ` with ${visible(names.join(', '))}` : '';
}
