// A behaviour as a run of a PlusCal algorithm: one lane per process, the statements of each step in the lane of its process.

import { cut, visible } from './call.js';
import { el } from './dom.js';
import { longText } from './text_panel.js';

/** More processes than this share one lane, with their names beside the labels. */
const PROCESSES_MAX = 6;
/** A longer statement is cut in its lane; the inspector has all of it. */
const STATEMENT_MAX = 160;

/**
 * @typedef {{label: string, statement: string, place: string, translation?: string, tla?: string}} AlgorithmStep
 * @typedef {{processes: (string | null)[], back?: string, steps: AlgorithmStep[], waiting?: {process: string | null, label: string}[]}} AlgorithmRun
 */

/**
 * The step of an algorithm that led to a state, if it is one.
 * @param {any} violation
 * @param {number} at  the position of the state
 * @returns {{step: AlgorithmStep, process: string | null} | null}
 */
export function stepTaken(violation, at) {
  const { algorithm, trace } = violation;
  const step = algorithm?.steps.find((/** @type {AlgorithmStep} */ { label }) => label === trace[at]?.action?.name);
  return step ? { step, process: algorithm.processes[at] ?? null } : null;
}

/**
 * The step of an algorithm that leads back to an earlier state, in words, if it is one.
 * @param {any} violation
 * @returns {string | null}
 */
export function stepBack({ algorithm, back }) {
  const step = algorithm?.steps.find((/** @type {AlgorithmStep} */ { label }) => label === back?.name);
  return step ? `${algorithm.back ? `${visible(algorithm.back)}, ` : ''}${visible(step.label)}: ${cut(visible(step.statement), STATEMENT_MAX)}` : null;
}

/**
 * The lanes of a run, in the order in which processes are usually looked for; one without a name if there are no processes or too many.
 * @param {AlgorithmRun} run
 * @returns {(string | null)[]}
 */
export function lanesOfRun({ processes }) {
  const names = [...new Set(processes.filter((name) => name !== null))];
  if (!names.length || names.length > PROCESSES_MAX) return [null];
  return names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/**
 * The run as a table.
 * @param {any} violation
 * @param {number} chosen  the state that is looked at
 * @param {(at: number) => void} choose
 * @param {(at: number) => any} changes  what the step to a state changed
 */
export function algorithmView(violation, chosen, choose, changes) {
  const { algorithm, trace, lasso } = violation;
  const lanes = lanesOfRun(algorithm);
  const rows = trace.map((/** @type {any} */ state, /** @type {number} */ at) => {
    const taken = stepTaken(violation, at);
    const lane = lanes.length === 1 ? 0 : lanes.indexOf(taken?.process ?? '');
    const isInCycle = lasso != null && state.number >= lasso;
    const isLast = at === trace.length - 1 && lasso == null;
    const button = (/** @type {any[]} */ ...children) =>
      el('button', { type: 'button', class: 'plain', 'aria-current': at === chosen ? 'step' : null, onclick: () => choose(at) }, children);
    const name = taken ? taken.step.label : state.action?.name ?? 'initial state';
    const who = lanes.length === 1 && taken?.process ? `${visible(taken.process)} ` : '';
    const cell = el(
      'td',
      { class: 'step', colspan: lane < 0 ? lanes.length : null },
      button(el('span', { class: 'faint' }, who), el('b', {}, visible(name)), taken && [' ', el('span', { class: 'statement', title: visible(taken.step.statement) }, visible(cut(taken.step.statement, STATEMENT_MAX)))]),
    );
    return el(
      'tr',
      { class: `${at === chosen ? 'now' : ''} ${isInCycle ? 'cycle' : ''} ${isLast ? 'last' : ''}` },
      el('th', { scope: 'row' }, state.number),
      lane < 0 ? cell : lanes.map((_, other) => (other === lane ? cell : el('td', {}))),
      el('td', { class: 'delta' }, changes(at)),
    );
  });
  const table = el(
    'table',
    { class: 'run' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }), lanes.map((lane) => el('th', { scope: 'col' }, lane === null ? 'step' : visible(lane))), el('th', { scope: 'col' }, 'changes'))),
    el('tbody', {}, rows),
  );
  table.style.minWidth = `${(lanes.length + 1) * 9}rem`;
  return el('div', { class: 'gridscroll', tabindex: 0, 'aria-label': 'Run of the algorithm' }, table);
}

/**
 * Where the processes of a deadlock wait.
 * @param {AlgorithmRun} run
 */
export function waitingView({ waiting, steps }) {
  if (!waiting?.length) return null;
  const statement = (/** @type {string} */ label) => steps.find((step) => step.label === label);
  return el(
    'section',
    { class: 'suspects' },
    el('h3', {}, 'No step is possible'),
    el('ul', { class: 'list' }, waiting.map(({ process, label }) => el('li', {}, el('b', {}, visible(process ?? 'the algorithm')), ' waits at ', el('b', { class: 'mono' }, visible(label)), ' ', el('span', { class: 'mono' }, visible(cut(statement(label)?.statement ?? '', STATEMENT_MAX))), el('span', { class: 'faint' }, ` ${visible(statement(label)?.place ?? '')}`)))),
  );
}

/**
 * The step to a state for the inspector: process, label, statements, and the action that it is translated to.
 * @param {any} violation
 * @param {number} at
 */
export function stepAbout(violation, at) {
  const taken = stepTaken(violation, at);
  if (!taken) return null;
  const { step, process } = taken;
  return el(
    'section',
    { class: 'states' },
    el(
      'dl',
      { class: 'about' },
      process && [el('dt', {}, 'process'), el('dd', {}, visible(process))],
      el('dt', {}, 'label'), el('dd', {}, visible(step.label)),
      el('dt', {}, 'statement'), el('dd', {}, longText(step.statement)),
      el('dt', {}, 'stands at'), el('dd', { class: 'mono' }, visible(step.place)),
      step.translation && [el('dt', {}, 'in TLA+'), el('dd', { class: 'mono' }, visible(step.translation))],
    ),
    step.tla ? el('details', {}, el('summary', {}, step.translation ? 'its action in TLA+' : 'its action in TLA+, translated in memory'), el('pre', {}, visible(step.tla).replaceAll('⏎', '\n'))) : null,
  );
}
