// Timelines for tests.

import { Timeline } from '../../page/timeline.js';

/** A timeline from `[thread, call, start, end]`, in order of start; without an end it is pending. */
export function timelineOf(ops) {
  const threads = [...new Set(ops.map(([thread]) => thread))].sort();
  const calls = [...new Set(ops.map(([, call]) => call))];
  const last = Math.max(...ops.map(([, , start, end]) => end ?? start));
  return new Timeline(
    { threads, calls, base: '0' },
    {
      start: Float64Array.from(ops, ([, , start]) => start),
      end: Float64Array.from(ops, ([, , , end]) => end ?? last),
      call: Uint32Array.from(ops, ([, call]) => calls.indexOf(call)),
      id: Uint32Array.from(ops, (_, at) => at),
      thread: Uint16Array.from(ops, ([thread]) => threads.indexOf(thread)),
      flags: Uint8Array.from(ops, ([, , , end]) => (end === undefined ? 1 : 0)),
    },
  );
}

export const small = () =>
  timelineOf([
    ['a', 'write(1)', 0, 20],
    ['b', 'read() = 1', 10, 40],
    ['a', 'write(2)', 30, 70],
    ['c', 'read() = 2', 50, 60],
    ['b', 'read() = 1', 65, 80],
    ['c', 'write(3)', 75, undefined],
  ]);
