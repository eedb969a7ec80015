// The page: one view, several panels. A panel never changes another one; it changes the view, and all of them follow.

import { arrowsOf } from './arrows.js';
import { keyOf, visible } from './call.js';
import { CampaignPanel } from './campaign_panel.js';
import { DetailPanel } from './detail_panel.js';
import { el } from './dom.js';
import { assume, focused } from './focus.js';
import { Header } from './header.js';
import { Inspector } from './inspector.js';
import { listenToKeys } from './keyboard.js';
import { pointsOf } from './order.js';
import { themeOf } from './palette.js';
import { factsOf, surroundings } from './story.js';
import { TimelinePanel } from './timeline_panel.js';
import { addressOf, emptyView, framing, viewOf, within } from './view.js';

/** How many operations around the failure are framed at first. */
const FRAMED = 24;
/** How many operations before and after the failure are framed if they have no times, and how much room its label gets. */
const FRAMED_BEFORE = 7;
const FRAMED_AFTER = 2;
const LABEL_SHARE = 0.25;

/** Holds the view and the panels. */
export class App {
  /**
   * @param {import('./scene.js').Scene} scene
   * @param {HTMLElement} root
   */
  constructor(scene, root) {
    this.scene = scene;
    /** @type {Map<number, import('./story.js').Facts>} */
    this.known = new Map();
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    /** @type {import('./view.js').View} */
    this.view = this.initialView();
    this.header = new Header(this);
    this.timelinePanel = new TimelinePanel(this);
    this.inspector = new Inspector(this);
    this.detail = new DetailPanel(this);
    this.announced = el('p', { id: 'announced', class: 'unseen', 'aria-live': 'polite' });
    this.campaign = scene.campaign ? new CampaignPanel(this) : null;
    root.replaceChildren(
      this.header.element,
      ...(this.campaign ? [this.campaign.element] : []),
      el('main', {}, el('div', { class: 'left' }, this.timelinePanel.element, this.detail.element), this.inspector.element),
      this.announced,
    );
    listenToKeys(this);
    this.dark.addEventListener('change', () => this.openStory());
    addEventListener('hashchange', () => {
      const before = this.view.story;
      this.view = viewOf(location.hash, { ...emptyView(), story: before, from: this.view.from, to: this.view.to });
      this.keepInBounds();
      if (before === this.view.story) this.update();
      else this.openStory();
    });
    this.openStory();
  }

  get story() {
    return this.scene.stories[this.view.story];
  }

  /** @returns {import('./story.js').Facts} */
  get facts() {
    const { story } = this.view;
    let facts = this.known.get(story);
    if (!facts) {
      facts = factsOf(this.story);
      this.known.set(story, facts);
    }
    return facts;
  }

  get theme() {
    return themeOf(this.isDark());
  }

  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : this.dark.matches;
  }

  /** @returns {import('./view.js').View} */
  initialView() {
    this.view = { ...emptyView(), story: Math.max(0, this.scene.stories.findIndex(({ evidence }) => evidence?.verdict === 'violation')) };
    this.view = viewOf(location.hash, this.view);
    this.keepInBounds();
    const base = { ...this.view, ...this.firstWindow() };
    const { failing, timeline } = this.facts;
    if (base.row < 0 && failing.size && timeline) base.row = timeline.rowById.get([...failing][0]) ?? -1;
    if (base.path < 0 && this.facts.paths.length) base.path = 0;
    return viewOf(location.hash, base);
  }

  /** An address may be of another page. */
  keepInBounds() {
    const { view, scene } = this;
    if (!(view.story < scene.stories.length)) view.story = 0;
    if (this.facts.timeline ? view.row >= this.facts.timeline.size : true) view.row = -1;
    if (view.path >= this.facts.paths.length) view.path = -1;
  }

  /** The failure with some operations before it, or the whole trace. */
  firstWindow() {
    const { timeline, failing } = this.facts;
    if (!timeline) return { from: 0, to: 1 };
    const row = failing.size ? timeline.rowById.get([...failing][0]) : undefined;
    if (row !== undefined && timeline.isUntimed) return this.firstLines(timeline, row);
    if (row === undefined || timeline.size <= 2 * FRAMED) return framing(timeline, timeline.size ? [...timeline.columns.start.keys()] : []);
    const rows = [];
    for (let at = Math.max(0, row - FRAMED); at <= Math.min(timeline.size - 1, row + 6); at++) rows.push(at);
    const { from, to } = framing(timeline, rows.filter((at) => timeline.columns.end[at] >= timeline.columns.start[row - 3 > 0 ? row - 3 : 0]));
    return within({ from, to }, timeline);
  }

  /**
   * Without times all boxes have one width. So few are framed that their labels can be read, with room for the one that fails.
   * @param {import('./timeline.js').Timeline} timeline
   * @param {number} row
   */
  firstLines(timeline, row) {
    const { start, end } = timeline.columns;
    const suspects = [...this.facts.markedRows].filter((other) => other > row && other - row <= FRAMED);
    const [first, last] = [Math.max(0, row - FRAMED_BEFORE), Math.max(...suspects, Math.min(timeline.size - 1, row + FRAMED_AFTER))];
    const width = end[last] - start[first];
    return { from: start[first] - width * 0.02, to: Math.max(end[last] + width * 0.02, end[row] + width * LABEL_SHARE) };
  }

  openStory() {
    this.header.update();
    this.timelinePanel.open();
    this.campaign?.update();
    this.update();
  }

  /**
   * Another story, seen from its beginning.
   * @param {number} story
   */
  goToStory(story) {
    this.view = { ...emptyView(), color: this.view.color, story };
    Object.assign(this.view, this.firstWindow());
    const { failing, timeline, paths } = this.facts;
    this.view.row = timeline && failing.size ? timeline.rowById.get([...failing][0]) ?? -1 : -1;
    this.view.path = paths.length ? 0 : -1;
    this.openStory();
  }

  /** @param {Partial<import('./view.js').View>} changes */
  change(changes) {
    Object.assign(this.view, changes);
    this.update();
  }

  update() {
    this.timelinePanel.update();
    this.inspector.update();
    this.detail.update();
    this.keepAddress();
  }

  /**
   * Another window of time. Only the timeline depends on it.
   * @param {{from: number, to: number}} window
   */
  show(window) {
    Object.assign(this.view, window);
    this.timelinePanel.queue();
    this.keepAddress();
  }

  keepAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => history.replaceState(null, '', addressOf(this.view)), 120);
  }

  /**
   * Selects an operation, or none, and brings it into the window if asked to.
   * @param {number} row
   * @param {boolean} isShown
   */
  select(row, isShown) {
    const { timeline } = this.facts;
    if (row >= 0 && timeline) {
      this.announced.textContent = `${visible(timeline.text(row).slice(0, 300))}, ${this.facts.words.thread} ${visible(timeline.thread(row))}`;
      if (isShown) this.reveal(row);
    }
    this.change({ row });
  }

  /**
   * Selects an operation of the evidence by its id.
   * @param {number} id
   */
  selectId(id) {
    const row = this.facts.timeline?.rowById.get(id);
    if (row !== undefined) this.select(row, true);
  }

  /** @param {number} row */
  reveal(row) {
    const { timeline } = this.facts;
    if (!timeline) return;
    const { start, end } = timeline.columns;
    const { view } = this;
    const last = timeline.isPending(row) ? start[row] : end[row];
    const width = Math.max(view.to - view.from, (last - start[row]) * 1.2);
    if (start[row] < view.from || last > view.to) {
      const middle = (start[row] + last) / 2;
      Object.assign(view, within({ from: middle - width / 2, to: middle + width / 2 }, timeline));
    }
    const place = this.timelinePanel.layout?.places[timeline.columns.thread[row]];
    const height = this.timelinePanel.canvas.clientHeight;
    if (place && (place.top - view.scroll < 30 || place.top + place.height - view.scroll > height)) {
      view.scroll = place.top - height / 2;
    }
  }

  frameFailure() {
    const { timeline, failing } = this.facts;
    const row = timeline?.rowById.get([...failing][0]);
    if (!timeline || row === undefined) return;
    this.view.row = row;
    Object.assign(this.view, this.firstWindow());
    this.reveal(row);
    this.update();
  }

  /** The selected operation with all that overlaps it. */
  frameSelection() {
    const { timeline } = this.facts;
    if (timeline && this.view.row >= 0) this.show(framing(timeline, surroundings(timeline, this.view.row)));
  }

  frameAll() {
    const { timeline } = this.facts;
    if (!timeline) return;
    const margin = (timeline.last - timeline.first) * 0.01;
    this.show({ from: timeline.first - margin, to: timeline.last + margin });
  }

  /** The explanations that no assumption contradicts. */
  pathsInFocus() {
    return focused(this.facts.paths, this.view.focus);
  }

  /** @param {import('./focus.js').Assumption} assumption */
  assume(assumption) {
    const focus = assume(this.view.focus, assumption);
    const left = focused(this.facts.paths, focus);
    const isLeft = left.some(({ index }) => index === this.view.path);
    this.change({ focus, path: isLeft || !left.length ? this.view.path : left[0].index });
  }

  undoFocus() {
    this.change({ focus: this.view.focus.slice(0, -1) });
  }

  /**
   * When the operations of the order that is shown take effect, by row: those of the witness, or of the explanation that is chosen.
   * Arrows say more than the order where operations do not see all that is before them.
   */
  points() {
    const { points, timeline, paths, kind } = this.facts;
    const path = paths[this.view.path];
    if (points.size || !timeline || !path || kind === 'visibility') return points;
    return pointsOf(timeline, [...path.shared, ...path.steps].map(({ op }) => op));
  }

  /** The arrows that are drawn. */
  arrows() {
    const { timeline, sees, before } = this.facts;
    return timeline ? arrowsOf(timeline, sees, before, this.view.arrows, this.view.row) : [];
  }

  /**
   * The next operation with the same first argument.
   * @param {number} direction
   */
  sameKey(direction) {
    const { timeline } = this.facts;
    const { row } = this.view;
    if (!timeline || row < 0) return;
    const key = keyOf(timeline.text(row));
    const same = timeline.calls.map((text) => keyOf(text) === key);
    for (let at = row + direction; at >= 0 && at < timeline.size; at += direction) {
      if (same[timeline.columns.call[at]]) return this.select(at, true);
    }
  }

  toggleTheme() {
    document.documentElement.dataset.theme = this.isDark() ? 'light' : 'dark';
    this.timelinePanel.colored = null;
    this.openStory();
  }
}
