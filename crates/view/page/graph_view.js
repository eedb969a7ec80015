// A small state graph on the page: states to click on, steps with their actions, the counterexample in red.

import { cut, visible } from './call.js';
import { difference } from './difference.js';
import { el, svg } from './dom.js';
import { NODE_HEIGHT, NODE_WIDTH, edgePath, edgePathDown, graphLayout, pathIn } from './graph.js';
import { differenceView, fullView, stateSwitch } from './state_view.js';
import { stateText } from './value.js';

/** More edges than this have no labels until one of their states is chosen. */
const LABELS_MAX = 60;

/** How small and how large it may be drawn to fit its pane; beyond that it is scrolled. */
const SCALE_MIN = 0.55;
const SCALE_MAX = 1.2;

/** The state graph of a specification. */
export class Graph {
  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.app = app;
    /** @type {{graph: any, layout: import('./graph.js').GraphLayout} | null} */
    this.known = null;
  }

  get graph() {
    return this.app.facts.evidence.graph;
  }

  get layout() {
    if (this.known?.graph !== this.graph) this.known = { graph: this.graph, layout: fittingLayout(this.graph) };
    return /** @type {{layout: import('./graph.js').GraphLayout}} */ (this.known).layout;
  }

  /** The state that is chosen: by itself, or as a state of the counterexample. */
  get chosen() {
    const { view, facts } = this.app;
    const { state } = view;
    if (state >= 0) return Math.min(state, this.graph.states.length - 1);
    const { violation } = facts.evidence;
    if (violation?.type !== 'behaviour') return -1;
    const { path } = pathIn(this.graph, violation.trace, violation.lasso);
    return path[view.step < 0 ? path.length - 1 : Math.min(view.step, path.length - 1)] ?? -1;
  }

  view() {
    const { app, graph, layout, chosen } = this;
    const { violation } = app.facts.evidence;
    const isWhole = isExplored(app.facts.evidence);
    const isCounterexample = violation?.type === 'behaviour';
    const { path, edges: onPath } = pathIn(graph, isCounterexample ? violation.trace : [], violation?.lasso);
    const edges = layout.edges.map((edge) => {
      const isOnPath = onPath.has(`${edge.from} ${edge.to}`);
      const isNear = edge.from === chosen || edge.to === chosen;
      const { d, x, y } = (layout.isDown ? edgePathDown : edgePath)(layout.nodes[edge.from], layout.nodes[edge.to], layout.width / 2);
      const isNamed = isOnPath || isNear || layout.edges.length <= LABELS_MAX;
      return [
        svg('path', { d, class: `edge ${isOnPath ? 'onpath' : ''} ${isNear ? 'near' : ''}`, 'marker-end': isOnPath ? 'url(#arrow-red)' : 'url(#arrow-grey)' }),
        isNamed && svg('text', { x, y, class: 'why' }, visible(cut(edge.actions.join(', '), 20))),
      ];
    });
    const nodes = layout.nodes.map((node) => this.node(node, path.includes(node.state), node.state === chosen));
    const drawing = svg(
      'svg',
      { viewBox: `0 0 ${layout.width} ${layout.height}`, class: 'graph', role: 'group', 'aria-label': `State graph with ${graph.states.length} states` },
      svg('defs', {}, arrow('arrow-grey'), arrow('arrow-red')),
      edges,
      nodes,
    );
    // The policy of the page allows no style in an attribute.
    const { style } = /** @type {SVGElement} */ (drawing);
    style.minWidth = `${Math.round(layout.width * SCALE_MIN)}px`;
    style.minHeight = `${Math.round(layout.height * SCALE_MIN)}px`;
    style.maxHeight = `${Math.round(layout.height * SCALE_MAX)}px`;
    return [
      el('p', { class: 'faint' }, `${isWhole ? 'All ' : ''}${graph.states.length} states and ${graph.steps.length} steps${isWhole ? '' : ', as far as the search went'}. ${isCounterexample ? 'Click a state, or go along the counterexample with n and p.' : 'Click a state to see it.'}`),
      el('div', { class: 'gridscroll graphpane', tabindex: 0, 'aria-label': 'State graph' }, drawing),
    ];
  }

  /**
   * @param {import('./graph.js').GraphNode} node
   * @param {boolean} isOnPath
   * @param {boolean} isChosen
   */
  node({ state, x, y }, isOnPath, isChosen) {
    const { app, graph } = this;
    const choose = () => app.change({ state });
    const label = this.label(state);
    const element = svg(
      'g',
      { class: `node ${isOnPath ? 'onpath' : ''} ${isChosen ? 'chosen' : ''}`, role: 'button', tabindex: 0, 'data-state': state, 'aria-label': `State ${state + 1}: ${visible(stateText(graph.states[state].values).slice(0, 400))}` },
      svg('rect', { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2, width: NODE_WIDTH, height: NODE_HEIGHT, rx: 8 }),
      svg('text', { x, y: y - 5, class: 'number' }, `${state + 1}${graph.states[state].level === 1 ? ' · initial' : ''}`),
      svg('text', { x, y: y + 11, class: 'label' }, visible(label.length > 23 ? `${label.slice(0, 22)}…` : label)),
    );
    element.addEventListener('click', choose);
    element.addEventListener('keydown', (event) => {
      if (/** @type {KeyboardEvent} */ (event).key === 'Enter') choose();
    });
    return element;
  }

  /**
   * What the first step to a state changed, or what an initial state has.
   * @param {number} state
   */
  label(state) {
    const { states, steps } = this.graph;
    const here = stateText(states[state].values);
    const first = steps.find((/** @type {any} */ step) => step.to === state && states[step.from].level < states[state].level);
    if (!first) return Object.entries(states[state].values).map(([name, value]) => `${name} = ${stateText({ value }).slice('/\\ value = '.length)}`).join(', ');
    const [change] = difference(stateText(states[first.from].values), here);
    if (!change) return '';
    return change.after === null ? `${change.path} without ${change.before}` : change.before === null ? `${change.path} + ${change.after}` : `${change.path} = ${change.after}`;
  }

  /**
   * Whether a state is the one in which the specification is stuck.
   * @param {number} state
   */
  isDeadlock(state) {
    const { violation } = this.app.facts.evidence;
    if (violation?.type !== 'behaviour' || violation.kind !== 'deadlock') return false;
    return pathIn(this.graph, violation.trace, violation.lasso).path.at(-1) === state;
  }

  inspection() {
    const { app, graph, chosen } = this;
    if (chosen < 0) return null;
    const { states, steps } = graph;
    const text = stateText(states[chosen].values);
    const before = steps.find((/** @type {any} */ step) => step.to === chosen && states[step.from].level < states[chosen].level);
    const old = before ? stateText(states[before.from].values) : null;
    const link = (/** @type {number} */ state, /** @type {string} */ name) => el('li', {}, el('button', { type: 'button', class: 'link', onclick: () => app.change({ state }) }, `${visible(name)} ${state + 1}`));
    const [from, to] = [steps.filter((/** @type {any} */ step) => step.to === chosen), steps.filter((/** @type {any} */ step) => step.from === chosen)];
    return [
      el('h2', {}, `State ${chosen + 1} of the graph`),
      el('p', { class: 'tools' }, stateSwitch(app)),
      app.view.states === 'diff' && old !== null ? differenceView(old, text) : fullView(text, old),
      to.length ? [el('h3', {}, 'Steps from it'), el('ul', { class: 'list' }, to.map((/** @type {any} */ step) => link(step.to, `${step.action} →`)))] : el('p', { class: 'faint' }, isExplored(app.facts.evidence) || this.isDeadlock(chosen) ? 'No step leads from it.' : 'The search ended before it looked for steps from here.'),
      from.length > 0 && [el('h3', {}, 'Steps to it'), el('ul', { class: 'list' }, from.map((/** @type {any} */ step) => link(step.from, `${step.action} ←`)))],
    ];
  }
}

/** @param {string} id */
function arrow(id) {
  return svg('marker', { id, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M 0 0 L 10 5 L 0 10 z' }));
}

/**
 * Whether all steps were looked for: a violation of an invariant ends the search, one of a temporal property is found when it is over.
 * @param {any} evidence
 */
function isExplored({ verdict, waiting, stopped, violation }) {
  if (waiting > 0 || stopped || verdict === 'unknown') return false;
  return verdict === 'valid' || (violation?.type === 'behaviour' && violation.lasso !== null && violation.lasso !== undefined);
}

/** About the size of the pane on a screen of usual size. */
const PANE_WIDTH = 900;
const PANE_HEIGHT = 620;

/**
 * The layout that can be drawn larger where all of it is in sight.
 * @param {import('./graph.js').StateGraph} graph
 */
function fittingLayout(graph) {
  const scale = (/** @type {import('./graph.js').GraphLayout} */ { width, height }) => Math.min(PANE_WIDTH / width, PANE_HEIGHT / height, SCALE_MAX);
  const [across, down] = [graphLayout(graph), graphLayout(graph, true)];
  return scale(down) > scale(across) ? down : across;
}
