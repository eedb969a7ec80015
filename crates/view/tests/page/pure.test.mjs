// Unit tests of layout, focus and differences: `node --test crates/view/tests/page/`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { arrowsOf } from '../../page/arrows.js';
import { cut, keyOf, nameOf, resultOf, valuesOf, visible } from '../../page/call.js';
import { counted, duration, grouped, offsetText, tickStep } from '../../page/clock.js';
import { difference, parseState } from '../../page/difference.js';
import { assume, focused, focusText, parseFocus, positionOf } from '../../page/focus.js';
import { edgePath, edgePathDown, graphLayout, pathIn } from '../../page/graph.js';
import { columnName, gridOf, pathsOf, statesAt } from '../../page/grid.js';
import { laneLayout, rowAtPoint } from '../../page/lanes.js';
import { contrast, huesOf, textOn, themeOf } from '../../page/palette.js';
import { covered, placeOf } from '../../page/place.js';
import { momentsOf, operationsOfEvents } from '../../page/schedule.js';
import { finds, searchFor } from '../../page/search.js';
import { falseParts, laneName, markedOf } from '../../page/story.js';
import { densityOf, firstEndingAt } from '../../page/timeline.js';
import { edgeOf, idOfTransaction } from '../../page/transactions.js';
import { tlaText } from '../../page/value.js';
import { addressOf, emptyView, framing, viewOf, within, zoomed } from '../../page/view.js';
import { small, timelineOf } from './samples.mjs';

test('a call has a name, a first argument and a result', () => {
  assert.equal(nameOf('Get(key: "x", result: 0)'), 'Get');
  assert.equal(nameOf('enq 3'), 'enq');
  assert.equal(keyOf('Get(key: "x", result: 0)'), '"x"');
  assert.equal(keyOf('insert(<<1, 2>>, 3) = TRUE'), '<<1, 2>>');
  assert.equal(keyOf('read() = 1'), '');
  assert.equal(keyOf('put("a,b", 1)'), '"a,b"');
  assert.equal(resultOf('read() = 1'), '1');
  assert.equal(resultOf('Get(key: "x", result: 0)'), '0');
  assert.equal(resultOf('write(1)'), '');
});

test('long texts are cut in their middle and control characters are visible', () => {
  assert.equal(cut('abcdefghij', 5), 'ab…ij');
  assert.equal(cut('abc', 5), 'abc');
  assert.equal(visible('a\u0000b\u202ec\nd'), 'a\\u0000b\\u202ec⏎d');
});

test('times have readable units where the unit is known', () => {
  assert.equal(duration(1500, 'ns'), '1.5 µs');
  assert.equal(duration(7.2e12, 'ns'), '2 h');
  assert.equal(duration(1234567, ''), '1,234,567');
  assert.equal(offsetText(-2e6, 'ns'), '−2 ms');
  assert.equal(offsetText(0, 'ns'), '0');
  assert.equal(grouped(1234.5), '1,234.5');
  assert.deepEqual([0.7, 1, 13, 240, 600].map(tickStep), [1, 1, 20, 500, 1000]);
});

test('operations of one thread that overlap are on different tracks', () => {
  const timeline = timelineOf([['a', 'x', 0, 10], ['a', 'y', 5, 15], ['a', 'z', 12, 20], ['b', 'x', 0, 1]]);
  assert.deepEqual(timeline.lanes.map(({ name, tracks }) => [name, tracks.map(({ rows }) => [...rows])]), [['a', [[0, 2], [1]]], ['b', [[3]]]]);
});

test('what overlaps an operation is what may have happened before or after it', () => {
  const timeline = small();
  assert.deepEqual(timeline.overlaps(4, 100), [2, 5]);
  assert.deepEqual(timeline.overlaps(1, 100), [0, 2]);
  const all = [...Array(timeline.size).keys()];
  for (const row of all) assert.deepEqual(timeline.overlaps(row, 100), all.filter((other) => timeline.overlap(row, other)), `row ${row}`);
});

test('overlaps and picking agree with looking at every operation, on random timelines', () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
  for (let round = 0; round < 50; round++) {
    const ops = [...Array(60)].map(() => {
      const start = random(500);
      return [`t${random(4)}`, `op(${random(5)})`, start, start + random(30)];
    });
    const timeline = timelineOf(ops.sort((a, b) => a[2] - b[2]));
    const { start, end } = timeline.columns;
    for (let row = 0; row < timeline.size; row += 7) {
      const naive = [...Array(timeline.size).keys()].filter((other) => timeline.overlap(row, other));
      assert.deepEqual(timeline.overlaps(row, 1000), naive);
    }
    for (const { tracks } of timeline.lanes) {
      for (const track of tracks) {
        const at = firstEndingAt(timeline, track, 250);
        assert.equal(at, [...track.rows].findIndex((row) => end[row] >= 250) < 0 ? track.rows.length : [...track.rows].findIndex((row) => end[row] >= 250));
        for (let time = 0; time < 530; time += 13) {
          const found = timeline.rowAt(track, time, 0);
          const naive = [...track.rows].find((row) => start[row] <= time && end[row] >= time);
          assert.equal(found, naive ?? -1);
        }
      }
    }
  }
});

test('arrow keys go along a thread and across threads', () => {
  const timeline = small();
  assert.equal(timeline.neighbour(0, 1), 2);
  assert.equal(timeline.neighbour(2, 1), 2);
  assert.equal(timeline.acrossLanes(2, 1), 1);
  assert.equal(timeline.acrossLanes(0, -1), 0);
});

test('the point of a box finds its operation', () => {
  const timeline = small();
  const layout = laneLayout(timeline, 200, 50);
  const view = { from: 0, to: 100, scroll: 0 };
  const x = (time) => 50 + time * 5;
  const y = (lane) => layout.places[lane].top + 5;
  assert.equal(rowAtPoint(timeline, layout, view, 550, x(10), y(0)), 0);
  assert.equal(rowAtPoint(timeline, layout, view, 550, x(70), y(1)), 4);
  assert.equal(rowAtPoint(timeline, layout, view, 550, x(95), y(1)), -1);
  assert.equal(rowAtPoint(timeline, layout, view, 550, 10, y(1)), -1);
});

test('many lanes are low and are scrolled', () => {
  const timeline = timelineOf([...Array(200).keys()].map((at) => [`t${String(at).padStart(3, '0')}`, 'x', at, at + 1]));
  const layout = laneLayout(timeline, 400, 50);
  assert.equal(layout.places.length, 200);
  assert.ok(layout.height > 400);
  assert.ok(layout.places[0].track >= 7);
});

test('density is a share of the most that run at one time', () => {
  const density = densityOf(timelineOf([['a', 'x', 0, 50], ['b', 'x', 0, 100], ['a', 'y', 60, 100]]), 10);
  assert.deepEqual([density[2], density[5], density[8]], [1, 1, 1]);
});

test('search takes words, threads and names', () => {
  const timeline = small();
  const found = (text) => {
    const hits = searchFor(timeline, text);
    return [...Array(timeline.size).keys()].filter((row) => !hits || finds(hits, timeline, row));
  };
  assert.deepEqual(found('read 1'), [1, 4]);
  assert.deepEqual(found('thread:b'), [1, 4]);
  assert.deepEqual(found('op:write thread:a'), [0, 2]);
  assert.deepEqual(found(''), [0, 1, 2, 3, 4, 5]);
});

test('search takes values of fields', () => {
  const calls = ['Get(key: "a b", result: 7)', 'Get(key: "ab", result: 17)', 'put(7, 1) = 7', 'Send(msg: [key |-> 7, to |-> "b"])', 'at("12:30")'];
  const timeline = timelineOf(calls.map((call, at) => ['t', call, at, at + 1]));
  const found = (text) => {
    const hits = searchFor(timeline, text);
    return [...Array(timeline.size).keys()].filter((row) => !hits || finds(hits, timeline, row));
  };
  assert.deepEqual(found('result:7'), [0, 2]);
  assert.deepEqual(found('key:7'), [2, 3]);
  assert.deepEqual(found('key:"a b"'), [0]);
  assert.deepEqual(found('"a b"'), [0]);
  assert.deepEqual(found('to:b op:send'), [3]);
  assert.deepEqual(found('12:30'), [4]);
  assert.deepEqual(found('ey:7'), []);
  assert.deepEqual(valuesOf('f(a: 1, b: <<2, 3>>, aa: 4)', 'a'), ['1']);
  assert.deepEqual(valuesOf('f(a: 1, b: <<2, 3>>)', 'b'), ['<<2, 3>>']);
});

test('arrows are of both kinds, and only those of the selected operation if there are many', () => {
  const timeline = timelineOf([...Array(30).keys()].map((at) => [`t${at % 3}`, 'x', at, at + 1]));
  const sees = new Map([[2, [0, 1]]]);
  const few = arrowsOf(timeline, sees, [[0, 1], [1, 99]], 'all', 0);
  assert.deepEqual(few, [
    { from: 0, to: 1, kind: 'before', isChosen: true },
    { from: 0, to: 2, kind: 'sees', isChosen: true },
    { from: 1, to: 2, kind: 'sees', isChosen: false },
  ]);
  assert.equal(arrowsOf(timeline, sees, [[0, 1]], 'sees', 0).length, 2);
  assert.equal(arrowsOf(timeline, sees, [[0, 1]], 'before', 0).length, 1);
  assert.deepEqual(arrowsOf(timeline, sees, [[0, 1]], 'none', 0), []);
  const many = new Map([...Array(30).keys()].map((id) => [id, [...Array(id).keys()]]));
  assert.equal(arrowsOf(timeline, many, [], 'all', 29).length, 29);
  assert.deepEqual(arrowsOf(timeline, many, [], 'all', -1), []);
});

test('at most eight values have hues, and the rest is grey', () => {
  const timeline = timelineOf([...Array(20).keys()].map((at) => ['a', `op${at}(${at % 3})`, at, at + 1]));
  const { hues, legend, rest } = huesOf(timeline, 'op');
  assert.equal(legend.length, 8);
  assert.equal(rest, 12);
  assert.equal(hues.filter((hue) => hue < 0).length, 12);
  assert.equal(huesOf(timeline, 'key').legend.length, 3);
});

const counterexample = {
  op: { id: 9, text: 'range() = 11', thread: 't2' },
  alternatives_total: 3,
  agreed: { states: ['{}'], placed: 4, last: null, since: [] },
  alternatives: [
    { state: '{1, 2}', steps: [{ op: 1, state: '{1}' }, { op: 2, state: '{1, 2}' }], candidates: [{ op: { id: 9 } }] },
    { state: '{2}', steps: [{ op: 2, state: '{2}' }], candidates: [{ op: { id: 9 } }, { op: { id: 1 } }] },
    { state: '{2, 1}', steps: [{ op: 2, state: '{2}' }, { op: 1, state: '{1, 2}' }], candidates: [{ op: { id: 9 } }] },
  ],
};

test('equal cells that touch are one cell, counted from the violation backwards', () => {
  const { columns, rows } = gridOf(pathsOf(counterexample));
  assert.deepEqual(columns.map(({ index }) => index), [2, 1, 0]);
  assert.deepEqual(rows, [
    [{ op: 1, from: 0, width: 1 }, { op: 2, from: 1, width: 2 }],
    [{ op: 2, from: 0, width: 1 }, { op: 1, from: 2, width: 1 }],
  ]);
});

test('a step has a state before and a state after, where they are known', () => {
  const [first] = pathsOf(counterexample);
  assert.deepEqual(statesAt(first, 0, '{}'), { before: '{1}', after: '{1, 2}' });
  assert.deepEqual(statesAt(first, 1, '{}'), { before: '{}', after: '{1}' });
  const [recent] = pathsOf({ ...counterexample, alternatives: [{ state: 's', recent: [{ id: 1 }, { id: 2 }], candidates: [] }] });
  assert.deepEqual(statesAt(recent, 0, '{}'), { before: null, after: 's' });
  assert.deepEqual(statesAt(recent, 1, '{}'), { before: null, after: null });
});

test('columns have letters', () => assert.deepEqual([0, 25, 26, 63].map(columnName), ['A', 'Z', 'AA', 'BL']));

test('assumptions leave what does not contradict them', () => {
  const paths = pathsOf(counterexample);
  const left = (...assumptions) => focused(paths, assumptions).map(({ index }) => index);
  assert.equal(positionOf(paths[1], 1), Infinity);
  assert.equal(positionOf(paths[0], 77), -1);
  assert.deepEqual(left(), [0, 1, 2]);
  assert.deepEqual(left({ kind: 'only', path: 1 }), [1]);
  assert.deepEqual(left({ kind: 'not', path: 1 }), [0, 2]);
  assert.deepEqual(left({ kind: 'before', first: 1, then: 2 }), [0]);
  assert.deepEqual(left({ kind: 'before', first: 2, then: 1 }), [1, 2]);
  assert.deepEqual(left({ kind: 'placed', op: 1 }), [0, 2]);
  assert.deepEqual(left({ kind: 'unplaced', op: 1 }), [1]);
  assert.deepEqual(left({ kind: 'before', first: 2, then: 1 }, { kind: 'placed', op: 1 }), [2]);
  assert.deepEqual(left({ kind: 'only', path: 0 }, { kind: 'not', path: 0 }), []);
});

test('assumptions are kept in the address', () => {
  const focus = assume(assume([{ kind: 'only', path: 3 }], { kind: 'before', first: 12, then: 17 }), { kind: 'only', path: 3 });
  assert.equal(focusText(focus), 'o3.b12-17');
  assert.deepEqual(parseFocus('o3.b12-17.x9.b4.n5.p1.u2'), [...focus, { kind: 'not', path: 5 }, { kind: 'placed', op: 1 }, { kind: 'unplaced', op: 2 }]);
  const view = { ...emptyView(), row: 4, path: 1, from: 10, to: 90, color: 'key', search: 'a b', arrows: 'before', focus, states: 'full', against: 2, state: 7, tab: 'State graph' };
  assert.deepEqual(viewOf(addressOf(view), emptyView()), view);
  assert.deepEqual(viewOf('#op=-1&at=9_3&color=red&focus=%3Cscript%3E&story=99999999999', emptyView()), emptyView());
});

test('zooming keeps the moment under the pointer, and the trace in sight', () => {
  const limits = { first: 0, last: 1000 };
  const view = { ...emptyView(), from: 200, to: 400 };
  const inner = zoomed(view, 0.5, 250, limits);
  assert.deepEqual(inner, { from: 225, to: 325 });
  assert.deepEqual(zoomed(view, 1e9, 250, limits).to - zoomed(view, 1e9, 250, limits).from, 1200);
  assert.ok(within({ from: 5000, to: 5100 }, limits).from < 1000);
  const window = framing(small(), [0, 5]);
  assert.ok(window.from < 0 && window.to > 75 && window.to < 100);
});

test('the difference of states names what changed', () => {
  const texts = (before, after) => difference(before, after).map(({ path, before: was, after: is }) => `${path}: ${was} > ${is}`);
  assert.deepEqual(texts('store = [x |-> 1, y |-> 0]', 'store = [x |-> 1, y |-> 2]'), ['store.y: 0 > 2']);
  assert.deepEqual(texts('/\\ a = 1\n/\\ b = {1, 2}', '/\\ a = 1\n/\\ b = {2, 3}'), ['b: 1 > null', 'b: null > 3']);
  assert.deepEqual(texts('(1 :> "a" @@ 2 :> "b")', '(1 :> "a" @@ 3 :> "c")'), ['3: null > "c"', '2: "b" > null']);
  assert.deepEqual(texts('q = <<1, 2, 3>>', 'q = <<2, 3>>'), ['q[1]: 1 > null']);
  assert.deepEqual(texts('{1: 2, 3: 4}', '{1: 5, 3: 4}'), ['1: 2 > 5']);
  assert.deepEqual(texts('2', '3'), [': 2 > 3']);
  assert.deepEqual(texts('x', 'x'), []);
  assert.deepEqual(texts('m = [a |-> <<[k |-> 1]>>]', 'm = [a |-> <<[k |-> 2]>>]'), ['m.a[1]: [k |-> 1] > [k |-> 2]']);
});

test('what cannot be taken apart is a leaf, however strange or long it is', () => {
  for (const text of ['', '(', '"[', '[[[[', '<<', '>>', '{]', 'a = ', '"a = 1', '['.repeat(500)]) assert.equal(typeof parseState(text).text, 'string', text);
  assert.equal(parseState(`{${'x'.repeat(300_000)}}`).kind, 'leaf');
});

test('a reason is taken apart into false parts and values', () => {
  assert.deepEqual(falseParts('`result = store[key]` is false: result = 0, store[key] = 1'), [{ text: 'result = store[key]', values: [['result', '0'], ['store[key]', '1']], isFormula: true }]);
  assert.deepEqual(falseParts('`q /= <<>>` is false: q = <<>>; or `x` is false'), [{ text: 'q /= <<>>', values: [['q', '<<>>']], isFormula: true }, { text: 'x', values: [], isFormula: true }]);
  assert.equal(falseParts('read 1, but the register holds 2'), null);
  // A log's reasons have the place at their end.
  assert.deepEqual(falseParts('`x = 1` is false: x = (2) (Spec.tla:3:5); or `y` is false (Spec.tla:4:1)'), [{ text: 'x = 1', values: [['x', '(2)']], isFormula: true }, { text: 'y', values: [], isFormula: true }]);
});

test('values belong to whole formulas, whatever is inside of them', () => {
  const reason = '`r = Size(s)` is false: r = 0, Size({n \\in S : x[n] = "a, b"}) = 3, t = <<<<1>>, 2>>, x = y = TRUE';
  const values = [['r', '0'], ['Size({n \\in S : x[n] = "a, b"})', '3'], ['t', '<<<<1>>, 2>>'], ['x = y', 'TRUE']];
  assert.deepEqual(falseParts(reason), [{ text: 'r = Size(s)', values, isFormula: true }]);
});

test('a place is a file with a line, a column, or a range', () => {
  const place = (line, column, lastLine, lastColumn) => ({ file: 'A-1.tla', line, column, lastLine, lastColumn });
  assert.deepEqual(placeOf('A-1.tla:12'), place(12, 0, 12, 0));
  assert.deepEqual(placeOf('A-1.tla:12:5'), place(12, 5, 12, 0));
  assert.deepEqual(placeOf('A-1.tla:12:5-14:9'), place(12, 5, 14, 9));
  assert.deepEqual(placeOf('A-1.tla:12 in other.rs:3'), place(12, 0, 12, 0));
  assert.equal(placeOf('C:\\\\a.tla:3')?.file, 'C:\\\\a.tla');
  for (const text of ['', null, undefined, 'A.tla', 'A.tla:x', 'A.tla:99999999999']) assert.equal(placeOf(text), null);
});

test('the characters that a place covers, line by line', () => {
  const range = placeOf('A.tla:2:5-4:3');
  assert.deepEqual([1, 2, 3, 4, 5].map((line) => covered(range, line, '    x = 1')), [null, [4, 9], [4, 9], null, null]);
  assert.deepEqual(covered(range, 4, 'abcdef'), [0, 3]);
  assert.deepEqual(covered(placeOf('A.tla:1:2-1:3'), 1, 'a\u{1d4d0}b'), [1, 3]);
  assert.equal(covered(placeOf('A.tla:1:2'), 1, 'abc'), null);
  assert.equal(covered(placeOf('A.tla:1:2-1:99'), 1, 'abc'), null);
});

const diamond = {
  states: [1, 2, 2, 3].map((level, at) => ({ level, values: { x: at } })),
  steps: [[0, 1, 'A'], [0, 2, 'B'], [1, 3, 'B'], [2, 3, 'A'], [2, 3, 'C'], [3, 0, 'Back'], [3, 3, 'Stay']].map(([from, to, action]) => ({ from, to, action })),
};

test('a state graph is drawn by levels, and no two states overlap', () => {
  const { nodes, edges, width, height } = graphLayout(diamond);
  assert.deepEqual(nodes.map(({ state }) => state), [0, 1, 2, 3]);
  assert.ok(nodes[0].x < nodes[1].x && nodes[1].x === nodes[2].x && nodes[2].x < nodes[3].x);
  assert.ok(Math.abs(nodes[1].y - nodes[2].y) >= 40);
  for (const { x, y } of nodes) assert.ok(x > 0 && x < width && y > 0 && y < height);
  assert.deepEqual(edges.map(({ from, to, actions, isBack }) => [from, to, actions.join(), isBack]), [[0, 1, 'A', false], [0, 2, 'B', false], [1, 3, 'B', false], [2, 3, 'A,C', false], [3, 0, 'Back', true], [3, 3, 'Stay', true]]);
  for (const { from, to } of edges) assert.match(edgePath(nodes[from], nodes[to]).d, /^M [-\d. ]+C [-\d., ]+$/);
});

test('crossings are removed where the order of a level can do it', () => {
  const states = [1, 1, 2, 2].map((level, at) => ({ level, values: { x: at } }));
  const { nodes } = graphLayout({ states, steps: [{ from: 0, to: 3, action: 'A' }, { from: 1, to: 2, action: 'A' }] });
  assert.equal(nodes[0].y < nodes[1].y, nodes[3].y < nodes[2].y);
});

test('a counterexample is a path in the graph, and a lasso comes back', () => {
  const { path, edges } = pathIn(diamond, [{ values: { x: 0 } }, { values: { x: 2 } }, { values: { x: 3 } }], 1);
  assert.deepEqual(path, [0, 2, 3]);
  assert.deepEqual([...edges], ['0 2', '2 3', '3 0']);
  assert.deepEqual(pathIn(diamond, [{ values: { x: 9 } }], null).path, [-1]);
});

test('calls and returns belong to operations, also where a thread calls the same twice', () => {
  const operations = [{ id: 0, thread: 0, text: 'push(1)' }, { id: 1, thread: 1, text: 'pop() = 1' }, { id: 2, thread: 0, text: 'push(1)' }];
  const events = [{ thread: 0, call: 'push(1)' }, { thread: 1, call: 'pop()' }, { thread: 0, return: 'push(1)' }, { thread: 0, call: 'push(1)' }, { thread: 0, return: 'push(1)' }, { thread: 1, return: 'pop()' }];
  assert.deepEqual(operationsOfEvents({ operations, events }).map(({ id }) => id), [0, 1, 0, 2, 2, 1]);
});

/** Moments of a run in short: `c` call, `r` return, `s` switch, a number for an access, `…n` for what is left out. */
function shortMoments(run) {
  const short = ({ kind, one }) => (kind === 'event' ? ('call' in one ? 'c' : 'r') : kind === 'switch' ? 's' : kind === 'access' ? String(one.step) : `…${one}`);
  return momentsOf(run).map(short).join(' ');
}

test('accesses stand between calls, switches and returns, in the order of steps', () => {
  const events = [{ thread: 0, call: 'a' }, { thread: 1, call: 'b' }, { thread: 1, return: 'b' }, { thread: 0, return: 'a' }];
  const access = (after_events, step) => ({ after_events, step, thread: 0, text: 'reads 1' });
  const switches = [{ after_events: 1, step: 2, from: 0, to: 1 }, { after_events: 3, step: 3, from: 1, to: 0 }];
  assert.equal(shortMoments({ events, switches, accesses: [access(1, 0), access(1, 1), access(2, 2), access(3, 3)] }), 'c 0 1 s c 2 r s 3 r');
  // Evidence of earlier versions has no accesses.
  assert.equal(shortMoments({ events, switches }), 'c s c r s r');
  const many = Array.from({ length: 60 }, (_, step) => access(1, step));
  many[20].stale = true;
  const late = [{ after_events: 1, step: 60, from: 0, to: 1 }];
  assert.equal(shortMoments({ events, switches: late, accesses: many }), 'c 0 1 …18 20 …35 56 57 58 59 s c r r');
});

test('counts have nouns, and lanes that are numbers have names', () => {
  assert.deepEqual([0, 1, 2000].map((count) => counted(count, 'run')), ['0 runs', '1 run', '2,000 runs']);
  const words = { operation: 'line', thread: 'node', trace: 'log' };
  assert.deepEqual([3, '3', 'n3'].map((name) => laneName(words, name)), ['node 3', 'node 3', 'n3']);
});

test('values are written as TLA+ writes them', () => {
  assert.equal(tlaText({ $set: [1, 'a', true] }), '{1, "a", TRUE}');
  assert.equal(tlaText({ $fn: [[1, { $model: 'm1' }]] }), '(1 :> m1)');
  assert.equal(tlaText({ a: [1, 2] }), '[a |-> <<1, 2>>]');
});

test('an edge of a cycle of transactions is read', () => {
  assert.deepEqual(edgeOf('t1 before t2: it read "y" before the other wrote it'), { from: 't1', to: 't2', why: 't1 read "y" before t2 wrote it' });
});

test('text can be read on every colour, in the light and in the dark', () => {
  for (const isDark of [false, true]) {
    const theme = themeOf(isDark);
    for (const color of [...theme.hues, theme.grey, theme.red]) assert.ok(contrast(color, textOn(color)) >= 4.5, `${color}: ${contrast(color, textOn(color))}`);
    for (const color of [theme.text, theme.faint]) assert.ok(contrast(color, theme.panel) >= 4.5, `${color} on ${theme.panel}`);
  }
  const css = readFileSync(new URL('../../page/style.css', import.meta.url), 'utf8');
  const themes = [css.slice(0, css.indexOf('@media')), css.slice(css.indexOf(':root[data-theme=dark]'))];
  for (const part of themes) {
    const color = (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(part)[1];
    const pairs = ['text panel', 'text raised', 'text select', 'faint panel', 'faint raised', 'faint bg', 'accent panel', 'red panel', 'red red-soft', 'green panel', 'green green-soft', 'amber panel', 'amber amber-soft', 'text amber-soft', 'faint select'];
    for (const [one, other] of pairs.map((pair) => pair.split(' '))) assert.ok(contrast(color(one), color(other)) >= 4.5, `--${one} on --${other}: ${contrast(color(one), color(other)).toFixed(2)}`);
  }
});

test('transactions of a cycle are called by their names', () => {
  assert.deepEqual(edgeOf('#2 before #0: #1 sees both, and read "it" from the other, not from it'), { from: '#2', to: '#0', why: '#1 sees both, and read "it" from #0, not from #2' });
  assert.equal(edgeOf('t1 before t2: the other wrote "y" over what it wrote').why, 't2 wrote "y" over what t1 wrote');
  assert.equal(edgeOf('a $& before b: it is').why, 'a $& is');
  assert.deepEqual([idOfTransaction('#12'), idOfTransaction('t1')], [12, null]);
});

test('what a violation is about besides its failing operation is marked', () => {
  assert.deepEqual(markedOf({ log: { guesses: ['it would be explained if a.ndjson:12 came before'], suspects: [{ id: 4, place: 'a.ndjson:12' }] } }), [4]);
  assert.deepEqual(markedOf({ violation: { rule_ops: [{ id: 7 }, { id: 9 }] } }), [7, 9]);
  assert.deepEqual(markedOf({}), []);
});

test('a graph of many levels goes down, and nothing leaves its frame', () => {
  const states = Array.from({ length: 12 }, (_, at) => ({ values: { at }, level: 1 + (at >> 1) }));
  const steps = [{ from: 0, to: 2, action: 'A' }, { from: 2, to: 4, action: 'A' }, { from: 10, to: 0, action: 'Back' }, { from: 1, to: 1, action: 'Stay' }, { from: 0, to: 8, action: 'Far' }];
  const [across, down] = [graphLayout({ states, steps }), graphLayout({ states, steps }, true)];
  assert.ok(down.width < across.width && down.height > across.height);
  for (const { from, to } of down.edges) {
    const { d } = edgePathDown(down.nodes[from], down.nodes[to], down.width / 2);
    const numbers = d.match(/-?[\d.]+/g).map(Number);
    numbers.forEach((number, at) => assert.ok(number >= 0 && number <= (at % 2 ? down.height : down.width), d));
  }
});
