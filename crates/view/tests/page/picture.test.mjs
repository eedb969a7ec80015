// Unit tests of what is drawn: labels, the order of an explanation, boxes of transactions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lanesOfRun, stepBack, stepTaken } from '../../page/algorithm.js';
import { argumentsOf, nameOf, topParts, withoutChanges } from '../../page/call.js';
import { withoutFolders } from '../../page/header.js';
import { labelIn, labelLines } from '../../page/label.js';
import { pointsOf } from '../../page/order.js';
import { trackOf } from '../../page/timeline.js';
import { borderPoint, linesOf } from '../../page/transactions.js';
import { small, timelineOf } from './samples.mjs';

test('an arrow ends at the border of a box', () => {
  assert.deepEqual(borderPoint({ x: 100, y: 100, w: 46, h: 15 }, { x: 300, y: 100 }), { x: 146, y: 100 });
  assert.deepEqual(borderPoint({ x: 100, y: 100, w: 46, h: 15 }, { x: 100, y: 0 }), { x: 100, y: 85 });
  assert.deepEqual(borderPoint({ x: 100, y: 100, w: 46, h: 15 }, { x: 100, y: 100 }), { x: 100, y: 100 });
});

test('a label that is cut short is the name of its call', () => {
  const text = 'Grant("c1") [msgs, holder]';
  assert.equal(labelIn(text, 40), text);
  assert.equal(labelIn(text, 8), 'Grant');
  assert.equal(labelIn(text, 4), 'Gra…');
  assert.equal(labelIn('dequeue() = 21', 12), 'deque…) = 21'.slice(0, 5) + '…' + ') = 21'.slice(-5));
});

test('a tall box has the arguments of its call below the name', () => {
  assert.deepEqual(labelLines('TMRcvPrepared("rm-0") [tmPrepared]', 12, true), ['TMRcvPrepar…', 'rm-0']);
  assert.deepEqual(labelLines('TMRcvPrepared("rm-0") [tmPrepared]', 40, true), ['TMRcvPrepared("rm-0") [tmPrepared]']);
  assert.deepEqual(labelLines('TMRcvPrepared("rm-0") [tmPrepared]', 24, true), ['TMRcvPrepared("rm-0")']);
  assert.deepEqual(labelLines('dequeue() = 21', 9, true), ['dequeue', '= 21']);
  assert.deepEqual(labelLines('dequeue() = 21', 9, false), ['dequeue']);
  assert.deepEqual(labelLines('TMCommit [msgs]', 6, true), ['TMCom…']);
  assert.deepEqual(labelLines('Read("client-2", "c", -1)', 9, true, 'client-2'), ['Read', 'c, -1']);
});

test('what follows a name is told in few characters', () => {
  assert.equal(argumentsOf('Grant([from |-> "n1", last |-> 3]) [votedFor]'), 'from: n1, last: 3');
  assert.equal(argumentsOf('Send([to |-> <<1, 2>>, of |-> [x |-> 1]])'), '[to: <<1, 2>>, of: [x: 1]]');
  assert.equal(argumentsOf('put(1) = 2'), '(1) = 2');
  assert.equal(argumentsOf('Timeout("n0")', 'n0'), 'n0');
  assert.equal(withoutChanges('Lead [role]'), 'Lead');
  assert.equal(withoutChanges('get() = [1, 2]'), 'get() = [1, 2]');
  assert.equal(labelIn('Grant([from |-> "n1", last |-> 3, length |-> 4])', 24), 'Grant(from: n1, last: …)');
});

test('an order is a line through moments inside the timeboxes', () => {
  const timeline = small();
  const points = [...pointsOf(timeline, [0, 1, 2, 3])];
  assert.deepEqual(points.map(([row]) => row), [0, 1, 2, 3]);
  points.forEach(([row, moment], at) => {
    assert.ok(timeline.columns.start[row] <= moment && moment <= timeline.columns.end[row]);
    assert.ok(at === 0 || points[at - 1][1] < moment, `${points[at - 1]} before ${points[at]}`);
  });
  // The read that ends first comes after the write that began before it and ends after it.
  assert.deepEqual([...pointsOf(timelineOf([['a', 'w', 0, 99], ['b', 'r', 30, 60]]), [0, 1])], [[0, 20], [1, 45]]);
  const [same] = [timelineOf([['a', 'x', 0, 30], ['b', 'y', 0, 30]])];
  assert.deepEqual([...pointsOf(same, [1, 0])], [[1, 10], [0, 20]]);
  assert.equal(pointsOf(timeline, [99]).size, 0);
});

test('an order that no clock allows stays inside its timeboxes', () => {
  const timeline = timelineOf([['a', 'first', 0, 10], ['b', 'second', 20, 30]]);
  for (const [row, moment] of pointsOf(timeline, [1, 0])) {
    assert.ok(timeline.columns.start[row] <= moment && moment <= timeline.columns.end[row]);
  }
});

test('operations without times have a line only where the order is another one', () => {
  const timeline = timelineOf([['a', 'x', 0, 8], ['b', 'y', 10, 18], ['a', 'z', 20, 28]]);
  timeline.isUntimed = true;
  assert.equal(pointsOf(timeline, [0, 1, 2]).size, 0);
  assert.deepEqual([...pointsOf(timeline, [1, 0])], [[1, 14], [0, 4]]);
});

test('an operation is found on its track', () => {
  const timeline = timelineOf([['a', 'x', 0, 10], ['a', 'y', 5, 15], ['a', 'z', 12, 20]]);
  assert.deepEqual([0, 1, 2].map((row) => [trackOf(timeline, row).number, trackOf(timeline, row).at]), [[0, 0], [1, 0], [0, 1]]);
});

test('a transaction in a cycle shows what it did, first what the cycle is about', () => {
  const member = (accesses) => ({ name: 't1', id: 0, accesses, aborted: false, leftOut: 0 });
  const edges = [{ from: 't1', to: 't2', why: 't1 read "y" = nil, which t2 overwrote' }];
  assert.deepEqual(linesOf(member(['read("x") = 1', 'read("y") = nil']), edges), [{ text: 'read("x") = 1', isAbout: false }, { text: 'read("y") = nil', isAbout: true }]);
  const many = linesOf(member([...Array.from({ length: 9 }, (_, at) => `read(${at}) = 1`), 'read("y") = nil']), edges);
  assert.deepEqual([many.length, many[0].text, many.at(-1)?.text], [6, 'read("y") = nil', '… 5 more']);
  assert.deepEqual(linesOf(undefined, edges), []);
  assert.deepEqual(topParts('read(5) = nil, append(7, [1, 2])'), ['read(5) = nil', 'append(7, [1, 2])']);
  assert.equal(nameOf('t1: read("x") = 1'), 't1');
});

test('a story in a list is called without its folders', () => {
  assert.equal(withoutFolders('/a/b/transactions.jsonl: long fork'), 'transactions.jsonl: long fork');
  assert.equal(withoutFolders('shrunk to 2 operations: a/b.ndjson'), 'shrunk to 2 operations: b.ndjson');
  assert.equal(withoutFolders('queue.ndjson: read/write'), 'queue.ndjson: read/write');
});

test('a run of an algorithm has a lane for each process, if they are few', () => {
  assert.deepEqual(lanesOfRun({ processes: [null, 'client 10', 'client 2', 'client 10'], steps: [] }), ['client 2', 'client 10']);
  assert.deepEqual(lanesOfRun({ processes: [null, null], steps: [] }), [null]);
  assert.deepEqual(lanesOfRun({ processes: Array.from({ length: 9 }, (_, at) => `p ${at}`), steps: [] }), [null]);
});

test('a step of an algorithm is found by its label', () => {
  const step = { label: 'take', statement: 'x := 1', place: 'A.tla:3' };
  const violation = { trace: [{ action: null }, { action: { name: 'take' } }, { action: { name: 'Terminating' } }], algorithm: { processes: [null, 'p 1', null], steps: [step] } };
  assert.deepEqual([0, 1, 2].map((at) => stepTaken(violation, at)), [null, { step, process: 'p 1' }, null]);
  assert.equal(stepTaken({ trace: [{ action: { name: 'take' } }] }, 0), null);
  assert.equal(stepBack({ ...violation, algorithm: { ...violation.algorithm, back: 'p 2' }, back: { name: step.label } }), `p 2, ${step.label}: ${step.statement}`);
  assert.equal(stepBack({ ...violation, back: { name: 'Other' } }), null);
});
