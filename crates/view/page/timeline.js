// The operations of a trace for drawing and picking: lanes per thread, tracks without overlaps, binary search in time.
//
// A track's operations do not overlap, so starts and ends are both sorted, and everything is found in logarithmic time:
// a far view draws one column per pixel by jumping from pixel to pixel, and never visits operations one by one.

import { ABORTED, NO_ID, PENDING, UNTIMED } from './scene.js';

/**
 * @typedef {object} Track
 * @property {Uint32Array} rows  in order of start
 * @property {Float64Array} busy  the time covered by the rows before each
 *
 * @typedef {object} Lane
 * @property {number} thread
 * @property {string} name
 * @property {Track[]} tracks
 */

/** More operations of one thread than this at one time share the last track. */
const TRACKS_MAX = 12;

/** The operations of one story. */
export class Timeline {
  /**
   * @param {any} head  threads, calls, base
   * @param {import('./scene.js').Columns} columns
   */
  constructor(head, columns) {
    this.head = head;
    this.columns = columns;
    this.size = columns.start.length;
    /** @type {string[]} */
    this.calls = head.calls;
    /** @type {string[]} */
    this.threads = head.threads;
    this.isUntimed = this.size > 0 && (columns.flags[0] & UNTIMED) !== 0;
    this.first = this.size ? columns.start[0] : 0;
    this.last = this.first;
    for (let row = 0; row < this.size; row++) this.last = Math.max(this.last, columns.end[row]);
    if (this.last === this.first) this.last = this.first + 1;
    this.lanes = lanesOf(columns, this.threads);
    /** @type {Map<number, number>} */
    this.rowById = new Map();
    for (let row = 0; row < this.size; row++) if (columns.id[row] !== NO_ID) this.rowById.set(columns.id[row], row);
  }

  /** @param {number} row */
  text(row) {
    return this.calls[this.columns.call[row]];
  }

  /** @param {number} row */
  thread(row) {
    return this.threads[this.columns.thread[row]];
  }

  /** @param {number} row */
  isPending(row) {
    return (this.columns.flags[row] & PENDING) !== 0;
  }

  /**
   * Whether some operation has a flag.
   * @param {number} flag
   */
  hasFlag(flag) {
    return this.columns.flags.some((flags) => (flags & flag) !== 0);
  }

  /** @param {number} row */
  isAborted(row) {
    return (this.columns.flags[row] & ABORTED) !== 0;
  }

  /**
   * Whether two operations may have happened in either order.
   * @param {number} a
   * @param {number} b
   */
  overlap(a, b) {
    const { start, end } = this.columns;
    return a !== b && start[a] <= end[b] && start[b] <= end[a];
  }

  /**
   * The rows that overlap a row, at most `limit`, in order of start.
   * @param {number} row
   * @param {number} limit
   */
  overlaps(row, limit) {
    const { start, end } = this.columns;
    const found = [];
    for (const lane of this.lanes) {
      for (const track of lane.tracks) {
        for (let at = firstEndingAt(this, track, start[row]); at < track.rows.length && found.length < limit; at++) {
          const other = track.rows[at];
          if (start[other] > end[row]) break;
          if (other !== row) found.push(other);
        }
      }
    }
    return found.sort((a, b) => a - b);
  }

  /**
   * The row at a time on a track, with `slack` on both sides, or -1.
   * @param {Track} track
   * @param {number} time
   * @param {number} slack
   */
  rowAt(track, time, slack) {
    const at = firstEndingAt(this, track, time - slack);
    if (at >= track.rows.length) return -1;
    const row = track.rows[at];
    return this.columns.start[row] <= time + slack ? row : -1;
  }

  /**
   * The next row of the same thread in a direction, or the row itself.
   * @param {number} row
   * @param {number} direction
   */
  neighbour(row, direction) {
    const thread = this.columns.thread[row];
    for (let at = row + direction; at >= 0 && at < this.size; at += direction) {
      if (this.columns.thread[at] === thread) return at;
    }
    return row;
  }

  /**
   * The row of the lane `step` lanes further whose start is nearest.
   * @param {number} row
   * @param {number} step
   */
  acrossLanes(row, step) {
    const lane = this.lanes.findIndex((other) => other.thread === this.columns.thread[row]);
    const target = this.lanes[lane + step];
    if (!target) return row;
    const time = this.columns.start[row];
    let best = row;
    let distance = Infinity;
    for (const track of target.tracks) {
      const at = firstStartingAt(this, track, time);
      for (const other of [track.rows[at - 1], track.rows[at]]) {
        if (other === undefined) continue;
        const apart = Math.abs(this.columns.start[other] - time);
        if (apart <= distance) [best, distance] = [other, apart];
      }
    }
    return best;
  }
}

/**
 * @param {import('./scene.js').Columns} columns
 * @param {string[]} threads
 * @returns {Lane[]}
 */
function lanesOf(columns, threads) {
  /** @type {number[][][]} */
  const tracks = threads.map(() => []);
  /** @type {number[][]} */
  const free = threads.map(() => []);
  for (let row = 0; row < columns.start.length; row++) {
    const thread = columns.thread[row];
    let track = free[thread].findIndex((end) => end <= columns.start[row]);
    if (track < 0) track = Math.min(free[thread].length, TRACKS_MAX - 1);
    if (!tracks[thread][track]) tracks[thread][track] = [];
    tracks[thread][track].push(row);
    free[thread][track] = columns.end[row];
  }
  return threads.map((name, thread) => ({
    thread,
    name,
    tracks: tracks[thread].map((rows) => {
      const busy = new Float64Array(rows.length + 1);
      rows.forEach((row, at) => {
        busy[at + 1] = busy[at] + columns.end[row] - columns.start[row];
      });
      return { rows: Uint32Array.from(rows), busy };
    }),
  }));
}

/**
 * The first position from `from` on for which `holds`, which is false and then true.
 * @param {number} from
 * @param {number} to
 * @param {(at: number) => boolean} holds
 */
export function firstWhere(from, to, holds) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * The position of the first operation of a track that ends at a time or later.
 * @param {Timeline} timeline
 * @param {Track} track
 * @param {number} time
 */
export function firstEndingAt(timeline, track, time) {
  const { end } = timeline.columns;
  return firstWhere(0, track.rows.length, (at) => end[track.rows[at]] >= time);
}

/**
 * The position of the first operation of a track that starts at a time or later.
 * @param {Timeline} timeline
 * @param {Track} track
 * @param {number} time
 * @param {number} [from]
 */
export function firstStartingAt(timeline, track, time, from = 0) {
  const { start } = timeline.columns;
  return firstWhere(from, track.rows.length, (at) => start[track.rows[at]] >= time);
}

/**
 * The track that an operation is on, its number in the lane, and the operation's position on it.
 * @param {Timeline} timeline
 * @param {number} row
 */
export function trackOf(timeline, row) {
  const { tracks } = timeline.lanes[timeline.columns.thread[row]];
  for (const [number, track] of tracks.entries()) {
    const at = firstWhere(0, track.rows.length, (position) => track.rows[position] >= row);
    if (track.rows[at] === row) return { track, number, at };
  }
  return { track: tracks[0], number: 0, at: 0 };
}

/**
 * How many operations run at each of `count` moments, as a share of the most.
 * @param {Timeline} timeline
 * @param {number} count
 */
export function densityOf(timeline, count) {
  const { start, end } = timeline.columns;
  const changes = new Float64Array(count + 1);
  const scale = count / (timeline.last - timeline.first);
  const column = (/** @type {number} */ time) =>
    Math.min(count - 1, Math.max(0, Math.floor((time - timeline.first) * scale)));
  for (let row = 0; row < timeline.size; row++) {
    changes[column(start[row])] += 1;
    changes[column(end[row]) + 1] -= 1;
  }
  let running = 0;
  let most = 1;
  const density = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    running += changes[at];
    density[at] = running;
    most = Math.max(most, running);
  }
  return density.map((value) => value / most);
}
