// A campaign: what its runs found, what they covered, and each run one click away.

import { visible } from './call.js';
import { counted, duration, grouped } from './clock.js';
import { el, fill } from './dom.js';
import { served } from './scene.js';

const RUNS_SHOWN = 500;
/** More runs than this are listed when the reader asks for it: a story may stand below. */
const RUNS_OPEN = 12;

/** @type {[string[], string][]} */
const KINDS = [
  [['action ', 'branch '], 'actions and branches of the specification were taken'],
  [['result '], 'kinds of results were seen'],
  [['overlap '], 'pairs of operations overlapped'],
  [['state '], 'abstract states were reached'],
];

/** The overview of a campaign. */
export class CampaignPanel {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    this.element = el('section', { class: 'campaign', 'aria-label': 'Campaigns' });
  }

  update() {
    const { campaign } = this.app.scene;
    fill(this.element, campaign.campaigns.map((/** @type {any} */ one) => this.overview(one)), this.runs(campaign.runs));
  }

  /** @param {any} one */
  overview(one) {
    const total = Math.max(1, one.runs);
    const kinds = /** @type {[string, number][]} */ (Object.entries(one.verdicts));
    const bar = kinds.map(([verdict, count]) => {
      const part = el('span', { class: `part ${verdict}`, title: `${grouped(count)} ${verdict}` });
      part.style.width = `${(count / total) * 100}%`;
      return part;
    });
    return el(
      'article',
      {},
      el('h2', {}, visible(one.subject), el('span', { class: 'faint' }, ` ${visible(one.command)}`)),
      el('div', { class: 'bar', role: 'img', 'aria-label': kinds.map(([verdict, count]) => `${count} ${verdict}`).join(', ') }, bar),
      el(
        'p',
        { class: 'facts' },
        [counted(one.runs, 'run'), counted(one.ops, 'operation'), duration(one.seconds * 1e9, 'ns'), ...kinds.map(([verdict, count]) => `${grouped(count)} ${verdict}`), `chaos ${one.chaos}`, `seed ${one.seed}`, one.first_finding !== null && `first finding after ${duration(one.first_finding * 1e9, 'ns')}`]
          .filter(Boolean)
          .map((text) => el('span', { class: 'fact' }, visible(String(text)))),
      ),
      one.findings.length > 0 && el('table', { class: 'plain' }, el('thead', {}, el('tr', {}, ['found', 'runs', 'first', ''].map((name) => el('th', {}, name)))), el('tbody', {}, one.findings.map((/** @type {any} */ group) => el('tr', {}, el('td', {}, el('span', { class: `verdict ${group.finding}` }, visible(group.finding))), el('td', {}, grouped(group.runs)), el('td', {}, this.link(group.first)), el('td', {}, visible(group.headline.slice(0, 400))))))),
      KINDS.map(([prefixes, what]) => exercised(one.coverage, prefixes, what)),
    );
  }

  /** @param {any[]} runs */
  runs(runs) {
    return el(
      'details',
      { open: runs.length <= RUNS_OPEN },
      el('summary', {}, counted(runs.length, 'run')),
      el('div', { class: 'runs', tabindex: 0, 'aria-label': 'Runs' }, el('table', { class: 'plain' }, el('thead', {}, el('tr', {}, ['run', 'verdict', 'finding', 'operations', 'took', 'ended', 'seed'].map((name) => el('th', {}, name)))), el('tbody', {}, runs.slice(0, RUNS_SHOWN).map((run) => el('tr', {}, el('td', {}, this.link(run.id)), el('td', {}, el('span', { class: `verdict ${run.verdict}` }, visible(run.verdict))), el('td', {}, visible(run.finding ?? '')), el('td', {}, grouped(run.ops)), el('td', {}, duration(run.seconds * 1e9, 'ns')), el('td', {}, visible(run.ending)), el('td', { class: 'mono' }, String(run.seed))))))),
      runs.length > RUNS_SHOWN && el('p', { class: 'faint' }, `and ${grouped(runs.length - RUNS_SHOWN)} more`),
    );
  }

  /**
   * A run: a story of this page, or a page of the server.
   * @param {number} run
   */
  link(run) {
    const { scene } = this.app;
    const story = scene.stories.findIndex((one) => one.name === `run ${run}`);
    if (story >= 0) {
      return el('button', { type: 'button', class: 'link', onclick: () => { this.app.goToStory(story); document.querySelector('main')?.scrollIntoView(); } }, `run ${run}`);
    }
    if (scene.live) return el('a', { href: served(`run/${run}`) }, `run ${run}`);
    return `run ${run}`;
  }
}

/**
 * What of one kind was exercised, and how often.
 * @param {Record<string, number>} coverage
 * @param {string[]} prefixes
 * @param {string} what
 */
function exercised(coverage, prefixes, what) {
  const found = Object.entries(coverage).filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)));
  if (!found.length) return null;
  const taken = found.filter(([, count]) => count > 0).length;
  const rows = found.map(([name, count]) => el('tr', { class: count ? '' : 'never' }, el('td', { class: 'mono' }, visible(name)), el('td', {}, grouped(count))));
  return el('details', {}, el('summary', {}, taken < found.length ? `${taken} of ${found.length} ${what}` : `${taken} ${what}`), el('table', { class: 'plain' }, el('tbody', {}, rows)));
}
