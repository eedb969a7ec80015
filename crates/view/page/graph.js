// The layout of a small state graph: levels from left to right, few crossings, the counterexample as a path through it.

/**
 * @typedef {{values: Record<string, any>, level: number}} GraphState
 * @typedef {{from: number, to: number, action: string}} GraphStep
 * @typedef {{states: GraphState[], steps: GraphStep[]}} StateGraph
 *
 * @typedef {{state: number, x: number, y: number}} GraphNode  the middle of its box
 * @typedef {{from: number, to: number, actions: string[], isBack: boolean}} GraphEdge
 * @typedef {{nodes: GraphNode[], edges: GraphEdge[], width: number, height: number}} GraphLayout
 */

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 40;
const LEVEL_GAP = 110;
const ROW_GAP = 22;
const MARGIN = 30;
const SWEEPS = 8;

/**
 * Where states and steps are drawn. States of a level are ordered by the middle of their neighbours on the level before and after, in
 * turns.
 * @param {StateGraph} graph
 * @returns {GraphLayout}
 */
export function graphLayout({ states, steps }) {
  const levels = [...new Set(states.map(({ level }) => level))].sort((a, b) => a - b);
  const columns = levels.map((level) => states.flatMap((state, at) => (state.level === level ? [at] : [])));
  const neighbours = states.map((_, at) => steps.flatMap(({ from, to }) => (from === at ? [to] : to === at ? [from] : [])));
  const row = new Float64Array(states.length);
  const number = (/** @type {number[]} */ column) => column.forEach((state, at) => { row[state] = at - (column.length - 1) / 2; });
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    const order = isForward ? columns : [...columns].reverse();
    for (const column of order) {
      const middle = (/** @type {number} */ state) => {
        const near = neighbours[state].filter((other) => (isForward ? states[other].level < states[state].level : states[other].level > states[state].level));
        return near.length ? near.reduce((sum, other) => sum + row[other], 0) / near.length : row[state];
      };
      const keys = new Map(column.map((state) => [state, middle(state)]));
      column.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || row[a] - row[b] || a - b);
      number(column);
    }
  }
  const most = Math.max(1, ...columns.map(({ length }) => length));
  const height = 2 * MARGIN + most * NODE_HEIGHT + (most - 1) * ROW_GAP;
  /** @type {GraphNode[]} */
  const nodes = [];
  columns.forEach((column, level) => {
    for (const state of column) {
      const x = MARGIN + level * (NODE_WIDTH + LEVEL_GAP) + NODE_WIDTH / 2;
      nodes[state] = { state, x, y: height / 2 + row[state] * (NODE_HEIGHT + ROW_GAP) };
    }
  });
  return { nodes, edges: edgesOf(states, steps), width: 2 * MARGIN + columns.length * NODE_WIDTH + Math.max(0, columns.length - 1) * LEVEL_GAP, height };
}

/**
 * Steps between the same two states are one edge.
 * @param {GraphState[]} states
 * @param {GraphStep[]} steps
 * @returns {GraphEdge[]}
 */
function edgesOf(states, steps) {
  /** @type {Map<string, GraphEdge>} */
  const edges = new Map();
  for (const { from, to, action } of steps) {
    const key = `${from} ${to}`;
    const edge = edges.get(key) ?? { from, to, actions: [], isBack: states[to].level <= states[from].level };
    if (!edge.actions.includes(action)) edge.actions.push(action);
    edges.set(key, edge);
  }
  return [...edges.values()];
}

/**
 * The states of a behaviour in the graph, by their values; a state that the graph does not have is left out.
 * @param {StateGraph} graph
 * @param {{values: Record<string, any>}[]} trace
 * @param {number | null | undefined} lasso  the number of the state to which the last one leads back
 */
export function pathIn({ states }, trace, lasso) {
  const known = new Map(states.map(({ values }, at) => [JSON.stringify(values), at]));
  const path = trace.map(({ values }) => known.get(JSON.stringify(values)) ?? -1);
  const edges = new Set(path.slice(1).flatMap((to, at) => (to >= 0 && path[at] >= 0 ? [`${path[at]} ${to}`] : [])));
  const back = lasso ? path[lasso - 1] : undefined;
  if (back !== undefined && path.length) edges.add(`${path[path.length - 1]} ${back}`);
  return { path, edges };
}

/**
 * The line of an edge: straight on to the next level, in a bow back or along one level, a loop at one state.
 * @param {GraphNode} a
 * @param {GraphNode} b
 */
export function edgePath(a, b) {
  const half = NODE_WIDTH / 2;
  if (a === b) {
    const top = a.y - NODE_HEIGHT / 2;
    return { d: `M ${a.x - 14} ${top} C ${a.x - 26} ${top - 26}, ${a.x + 26} ${top - 26}, ${a.x + 14} ${top}`, x: a.x, y: top - 23 };
  }
  if (b.x > a.x) {
    const [from, to] = [a.x + half, b.x - half];
    const bend = (to - from) / 2;
    // An edge over several levels goes around the states between.
    const bow = b.x - a.x > NODE_WIDTH + LEVEL_GAP + 1 ? NODE_HEIGHT : 0;
    return { d: `M ${from} ${a.y} C ${from + bend} ${a.y - bow}, ${to - bend} ${b.y - bow}, ${to} ${b.y}`, x: (from + to) / 2, y: (a.y + b.y) / 2 - bow * 0.75 - 5 };
  }
  if (b.x === a.x) {
    const [from, to] = [a.y + (b.y > a.y ? 1 : -1) * (NODE_HEIGHT / 2), b.y - (b.y > a.y ? 1 : -1) * (NODE_HEIGHT / 2)];
    const out = a.x + half + 22;
    return { d: `M ${a.x + half - 12} ${from} C ${out} ${from}, ${out} ${to}, ${a.x + half - 12} ${to}`, x: out, y: (from + to) / 2 };
  }
  const [from, to] = [a.y + NODE_HEIGHT / 2, b.y + NODE_HEIGHT / 2];
  const low = Math.max(from, to) + 26;
  return { d: `M ${a.x} ${from} C ${a.x - 30} ${low}, ${b.x + 30} ${low}, ${b.x} ${to}`, x: (a.x + b.x) / 2, y: low - 10 };
}
