// The layout of a small state graph: levels from left to right or from top to bottom, few crossings, the counterexample as a path through it.

/**
 * @typedef {{values: Record<string, any>, level: number}} GraphState
 * @typedef {{from: number, to: number, action: string}} GraphStep
 * @typedef {{states: GraphState[], steps: GraphStep[]}} StateGraph
 *
 * @typedef {{state: number, x: number, y: number}} GraphNode  the middle of its box
 * @typedef {{from: number, to: number, actions: string[], isBack: boolean}} GraphEdge
 * @typedef {{nodes: GraphNode[], edges: GraphEdge[], width: number, height: number, isDown: boolean}} GraphLayout
 */

export const NODE_WIDTH = 150;
export const NODE_HEIGHT = 40;
const LEVEL_GAP = 110;
const ROW_GAP = 22;
const MARGIN = 30;
/** From one level to the next below, and the room at the sides for steps back. */
const LEVEL_GAP_DOWN = 52;
const MARGIN_DOWN = 70;
const SWEEPS = 8;

/**
 * Where states and steps are drawn. States of a level are ordered by the middle of their neighbours on the level before and after, in
 * turns.
 * @param {StateGraph} graph
 * @param {boolean} isDown  levels from top to bottom
 * @returns {GraphLayout}
 */
export function graphLayout({ states, steps }, isDown = false) {
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
  if (isDown) return downwards(columns, row, most, edgesOf(states, steps));
  const height = 2 * MARGIN + most * NODE_HEIGHT + (most - 1) * ROW_GAP;
  /** @type {GraphNode[]} */
  const nodes = [];
  columns.forEach((column, level) => {
    for (const state of column) {
      const x = MARGIN + level * (NODE_WIDTH + LEVEL_GAP) + NODE_WIDTH / 2;
      nodes[state] = { state, x, y: height / 2 + row[state] * (NODE_HEIGHT + ROW_GAP) };
    }
  });
  return { nodes, edges: edgesOf(states, steps), width: 2 * MARGIN + columns.length * NODE_WIDTH + Math.max(0, columns.length - 1) * LEVEL_GAP, height, isDown };
}

/**
 * The same from top to bottom: a graph of many levels with few states each is as wide as a page.
 * @param {number[][]} columns
 * @param {Float64Array} row
 * @param {number} most
 * @param {GraphEdge[]} edges
 * @returns {GraphLayout}
 */
function downwards(columns, row, most, edges) {
  const width = 2 * MARGIN_DOWN + most * NODE_WIDTH + (most - 1) * ROW_GAP;
  /** @type {GraphNode[]} */
  const nodes = [];
  columns.forEach((column, level) => {
    const y = MARGIN + level * (NODE_HEIGHT + LEVEL_GAP_DOWN) + NODE_HEIGHT / 2;
    for (const state of column) nodes[state] = { state, x: width / 2 + row[state] * (NODE_WIDTH + ROW_GAP), y };
  });
  const height = 2 * MARGIN + columns.length * NODE_HEIGHT + Math.max(0, columns.length - 1) * LEVEL_GAP_DOWN;
  return { nodes, edges, width, height, isDown: true };
}

/**
 * The line of an edge where levels go down: on to the next level, at the nearer side back, at the right side a loop or over several levels.
 * @param {GraphNode} a
 * @param {GraphNode} b
 * @param {number} middle  of the drawing
 */
export function edgePathDown(a, b, middle) {
  const [half, tall] = [NODE_WIDTH / 2, NODE_HEIGHT / 2];
  if (a === b) {
    const side = a.x + half;
    return { d: `M ${side} ${a.y - 10} C ${side + 30} ${a.y - 18}, ${side + 30} ${a.y + 18}, ${side} ${a.y + 10}`, x: side + 30, y: a.y + 4 };
  }
  const isNext = b.y - a.y <= NODE_HEIGHT + LEVEL_GAP_DOWN + 1;
  if (b.y > a.y && isNext) {
    const [from, to] = [a.y + tall, b.y - tall];
    const bend = (to - from) / 2;
    return { d: `M ${a.x} ${from} C ${a.x} ${from + bend}, ${b.x} ${to - bend}, ${b.x} ${to}`, x: (a.x + b.x) / 2, y: (from + to) / 2 + 4 };
  }
  const isLeft = b.y <= a.y && (a.x + b.x) / 2 <= middle;
  const [from, to] = isLeft ? [a.x - half, b.x - half] : [a.x + half, b.x + half];
  const out = isLeft ? Math.min(from, to) - 44 : Math.max(from, to) + 44;
  return { d: `M ${from} ${a.y} C ${out} ${a.y}, ${out} ${b.y}, ${to} ${b.y}`, x: (from + to) / 2 * 0.25 + out * 0.75, y: (a.y + b.y) / 2 };
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
