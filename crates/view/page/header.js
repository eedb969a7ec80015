// The first line: the answer, in words and figures.

import { visible } from './call.js';
import { counted, grouped } from './clock.js';
import { el, fill } from './dom.js';
import { showHelp } from './keyboard.js';

const SIGNS = { valid: '✓', violation: '✗', unknown: '?', error: '!' };

/** The header of the page. */
export class Header {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.element = el('header', {});
  }

  update() {
    const { app } = this;
    const { facts, scene, view } = app;
    const { evidence } = facts;
    const verdict = /** @type {keyof typeof SIGNS | undefined} */ (evidence.verdict);
    const op = facts.counterexample?.op ?? evidence.violation?.op;
    document.title = `${verdict ?? 'trace'} · ${visible(scene.title)}`;
    fill(
      this.element,
      el(
        'div',
        { class: 'answer' },
        el('span', { class: `verdict ${verdict ?? 'trace'}` }, verdict ? `${SIGNS[verdict]} ${verdict}` : 'trace'),
        el('h1', {}, visible(facts.headline.length > 400 ? `${facts.headline.slice(0, 399)}…` : facts.headline)),
        op && verdict === 'violation' && facts.kind !== 'run' && el('span', { class: 'fact' }, `${facts.words.thread} ${visible(String(op.thread))}`),
      ),
      el('div', { class: 'facts' }, figures(facts, app.story).map((text) => el('span', { class: 'fact' }, visible(text)))),
      el(
        'div',
        { class: 'choices' },
        scene.stories.length > 1 && this.stories(view.story),
        el('button', { type: 'button', title: 'dark or light (d)', 'aria-label': 'Dark or light', onclick: () => app.toggleTheme() }, '◐'),
        el('button', { type: 'button', title: 'all keys (?)', 'aria-label': 'All keys', onclick: () => showHelp() }, '?'),
      ),
    );
  }

  /** @param {number} chosen */
  stories(chosen) {
    const select = /** @type {HTMLSelectElement} */ (
      el(
        'select',
        { 'aria-label': 'What is shown' },
        this.app.scene.stories.map((story, at) =>
          el('option', { value: at }, visible(`${story.evidence ? SIGNS[/** @type {'valid'} */ (story.evidence.verdict)] + ' ' : ''}${withoutFolders(story.name)}`.slice(0, 80))),
        ),
      )
    );
    select.value = String(chosen);
    select.addEventListener('change', () => this.app.goToStory(Number(select.value)));
    return select;
  }
}

/**
 * The name of a story without the folders of its file: in a list the end of a name tells it from others.
 * @param {string} name
 */
export function withoutFolders(name) {
  return name.replace(/(^|\s)\/?(?:[^\s/]+\/)+(?=[^\s/]*\.)/, '$1');
}

/**
 * @param {import('./story.js').Facts} facts
 * @param {import('./scene.js').Story} story
 * @returns {string[]}
 */
function figures({ evidence, counterexample, timeline, words }, story) {
  const found = [story.name];
  if (counterexample && evidence.verdict === 'violation') found.push(`${counted(counterexample.alternatives_total, 'explanation')} end${counterexample.alternatives_total === 1 ? 's' : ''} here`);
  if (evidence.model) found.push(evidence.model);
  if (evidence.consistency) found.push(evidence.consistency);
  const ops = evidence.ops || timeline?.size;
  if (ops) found.push(counted(ops, words.operation));
  if (evidence.distinct) found.push(counted(evidence.distinct, 'state'));
  if (evidence.executions) found.push(counted(evidence.executions, 'run'));
  const threads = Math.max(evidence.threads ?? 0, timeline?.threads.length ?? 0);
  if (threads && evidence.command !== 'mc') found.push(counted(threads, words.thread));
  if (timeline && ops && timeline.size < ops) found.push(evidence.subject === 'transactions' ? `${counted(timeline.size, 'transaction')} shown` : `${grouped(timeline.size)} of them shown`);
  for (const tag of evidence.spec?.tags ?? []) found.push(tag);
  return found;
}
